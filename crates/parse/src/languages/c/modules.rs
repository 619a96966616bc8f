//! Resolves `#include`. The include paths of compilers are not known. The target is the file beside the
//! includer, or else a file whose path ends with the included path; of several, the one in the directory
//! that is most likely an include path.

use std::cmp::Reverse;

use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem};
use foveate_model::{FileId, ImportKind};

use super::FAMILY;
use crate::languages::files_by_name::FilesByName;
use crate::paths::{is_below, join, parent, shared_segments};

#[cfg(test)]
mod tests;

pub(super) static MODULES: ModuleSystem = ModuleSystem {
    module_name: |path| Some(path.file_name()),
    imported_name: |module| plain(module).rsplit('/').next(),
    ..ModuleSystem::new(|files| Box::new(Includes::new(files)))
};

/// Extensions of included files in other languages or in none.
const EXTENSIONS: [&str; 5] = ["def", "inc", "impl", "tbl", "x"];

/// Directories that often are include paths.
const ROOTS: [&str; 7] = [
    "include", "includes", "inc", "src", "source", "lib", "public",
];

/// Headers of the C standard library and of the systems that always come with it, sorted. Between `<>`
/// these names never mean a file of the repository.
const STANDARD: [&str; 34] = [
    "assert.h", "complex.h", "ctype.h", "dirent.h", "dlfcn.h", "errno.h", "fcntl.h", "fenv.h",
    "float.h", "getopt.h", "inttypes.h", "limits.h", "locale.h", "malloc.h", "math.h", "poll.h",
    "pthread.h", "regex.h", "sched.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h",
    "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
    "time.h", "unistd.h", "wchar.h", "windows.h",
];

/// The files that may be included, by their names.
#[derive(Debug)]
struct Includes {
    by_name: FilesByName,
    /// Per file: whether it is C or C++ and thus part of the one package.
    is_code: Vec<bool>,
}

impl Includes {
    fn new(files: &dyn FileTree) -> Self {
        let mut by_name = FilesByName::default();
        let mut is_code = Vec::with_capacity(files.files().len());
        for id in files.ids() {
            let file = files.file(id);
            let is_of_family = file.language.family() == FAMILY;
            is_code.push(is_of_family);
            if is_of_family || EXTENSIONS.contains(&file.path.extension()) {
                by_name.add(file.path.file_name(), id);
            }
        }
        Self { by_name, is_code }
    }

    /// Returns the most likely of the files whose path ends with the included path.
    fn by_ending(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        path: &str,
    ) -> Option<FileId> {
        let directory = importer.map_or("", |importer| parent(files.path(importer)));
        let path = path.trim_start_matches("../").trim_start_matches("./");
        let name = path.rsplit('/').next()?;
        let ends = |id: &FileId| {
            let rest = files.path(*id).strip_suffix(path)?;
            (rest.is_empty() || rest.ends_with('/')).then_some((*id, rest.trim_end_matches('/')))
        };
        let others = self.by_name.near(name, importer)?.iter();
        let others = others.filter(|id| Some(**id) != importer);
        let found = others.filter_map(ends);
        let best = found.min_by_key(|(id, root)| {
            let last = root.rsplit('/').next().unwrap_or(root);
            (
                !is_below(directory, root),
                Reverse(shared_segments(directory, root)),
                !(root.is_empty() || ROOTS.contains(&last)),
                root.len(),
                *id,
            )
        });
        best.map(|(id, _)| id)
    }
}

/// Strips the brackets and quotes around a module.
fn plain(module: &str) -> &str {
    module.trim_matches(['<', '>', '"'])
}

impl ModuleResolver for Includes {
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        _kind: ImportKind,
    ) -> Option<FileId> {
        let (path, is_system) = (plain(module), module.starts_with('<'));
        let directory = parent(files.path(importer));
        if !is_system {
            let beside = join(directory, path).and_then(|path| files.find(&path));
            if beside.is_some_and(|beside| beside != importer) {
                return beside;
            }
        } else if STANDARD.binary_search(&path).is_ok() {
            return None;
        }
        self.by_ending(files, Some(importer), path)
    }

    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        self.by_ending(files, importer, plain(name))
    }

    /// The files that are linked together are not known: all of the repository's code is one package.
    fn package_of(&self, file: FileId) -> Option<u32> {
        let is_code = self.is_code.get(file.0 as usize).copied();
        is_code.filter(|is_code| *is_code).map(|_| 0)
    }
}
