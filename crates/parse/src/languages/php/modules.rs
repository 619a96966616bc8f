//! Resolves PHP imports. The source files declare their namespaces, which `composer.json` only repeats:
//! the target of `use A\B\C` is searched in the files of `A\B`, wherever they are.

#[cfg(test)]
mod tests;

use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem};
use foveate_model::{FileId, ImportKind, SourceFile};

use crate::languages::files_by_name::FilesByName;
use crate::languages::package_numbers::PackageNumbers;
use crate::paths::{ancestors, join, shared_segments};

pub(super) static MODULES: ModuleSystem = ModuleSystem {
    sources_declare_modules: true,
    ..ModuleSystem::new(|files| Box::new(Namespaces::new(files)))
};

/// The namespaces of a repository.
#[derive(Debug, Default)]
struct Namespaces {
    /// One file of each directory with files of a namespace, by the dotted name of the namespace.
    files: FilesByName,
    /// Namespace number by file id.
    of_file: PackageNumbers,
}

impl Namespaces {
    fn new(files: &dyn FileTree) -> Self {
        let mut found = Self {
            of_file: PackageNumbers::new(files, namespace),
            ..Self::default()
        };
        for id in files.ids() {
            if let Some(namespace) = namespace(files.file(id)) {
                found.files.add_directory(files, namespace, id);
            }
        }
        found
    }

    /// Returns a file of a namespace, in the directory that is nearest to the importer.
    fn namespace(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        let name = name.trim_matches('\\').replace('\\', ".");
        let known = self.files.near(&name, importer)?;
        let from = importer.map_or("", |id| files.path(id));
        known.iter().copied().min_by_key(|id| {
            let path = files.path(*id);
            (
                std::cmp::Reverse(shared_segments(from, path)),
                path.len(),
                *id,
            )
        })
    }

    /// Returns an included file: relative to the importer's directory or to a directory above it.
    fn included(files: &dyn FileTree, importer: FileId, path: &str) -> Option<FileId> {
        let directory = files.file(importer).path.directory();
        if path.starts_with('.') {
            return files.find(&join(directory, path)?);
        }
        let path = path.trim_start_matches('/');
        let found = ancestors(directory).find_map(|above| files.find(&join(above, path)?));
        found.filter(|found| *found != importer)
    }
}

fn namespace(file: &SourceFile) -> Option<&str> {
    let facts = &file.content.as_ref()?.facts;
    let is_source = facts.language.name() == "php" && facts.line_count > 0;
    is_source.then_some(&*facts.package)
}

impl ModuleResolver for Namespaces {
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        kind: ImportKind,
    ) -> Option<FileId> {
        match kind {
            ImportKind::Require => Self::included(files, importer, module),
            _ => self.namespace(files, Some(importer), module),
        }
    }

    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        self.namespace(files, importer, name)
    }

    fn submodule(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        name: &str,
    ) -> Option<FileId> {
        self.namespace(files, Some(importer), &format!("{module}\\{name}"))
    }

    fn package_of(&self, file: FileId) -> Option<u32> {
        self.of_file.of(file)
    }
}
