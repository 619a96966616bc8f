//! What a module written in an import stands for: one entry over the resolvers of the language
//! families. Nothing is configured: roots, packages and aliases are found from the tree.

use foveate_model::ImportKind;

use crate::files::{FileId, Files};
use crate::graph::ecmascript::EcmascriptModules;
use crate::graph::family::Family;
use crate::graph::python::PythonModules;

/// The module resolvers of one revision.
#[derive(Debug, Default)]
pub(super) struct Modules {
    pub(super) python: PythonModules,
    pub(super) ecmascript: EcmascriptModules,
}

impl Modules {
    pub(super) fn new(files: &Files) -> Self {
        let (python, ecmascript) = rayon::join(
            || PythonModules::new(files),
            || EcmascriptModules::new(files),
        );
        Self { python, ecmascript }
    }

    /// The file that `module`, as written in `importer`, stands for. `None` where it lies outside
    /// the repository.
    pub(super) fn resolve(
        &self,
        files: &Files,
        importer: FileId,
        module: &str,
        kind: ImportKind,
    ) -> Option<FileId> {
        match Family::of(files.file(importer).language) {
            Family::Python if kind == ImportKind::Dynamic && module.starts_with('.') => None,
            Family::Python => self.python.resolve(files, importer, module),
            Family::Ecmascript => self.ecmascript.resolve(files, importer, module),
            Family::Other(_) => None,
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.python.heap_bytes() + self.ecmascript.heap_bytes()
    }
}
