//! Resolves PHP imports. The source files declare their namespaces, which `composer.json` only repeats:
//! the target of `use A\B\C` is searched in the files of `A\B`, wherever they are.

#[cfg(test)]
mod tests;

use foldhash::HashMap;
use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem};
use foveate_model::{FileId, ImportKind};

use crate::paths::{ancestors, join, shared_segments};

pub(super) static MODULES: ModuleSystem = ModuleSystem {
    resolver: |files| Box::new(Namespaces::new(files)),
    module_name: |_| None,
    imported_name: |_| None,
    is_package: |_| false,
    is_settings: |_| false,
};

/// Namespace number of files that belong to none.
const NONE: u32 = u32::MAX;

/// The namespaces of a repository.
#[derive(Debug, Default)]
struct Namespaces {
    /// One file of each directory with files of a namespace, by the dotted name of the namespace.
    files: HashMap<Box<str>, Vec<FileId>>,
    /// Namespace number by file id.
    of_file: Vec<u32>,
}

impl Namespaces {
    fn new(files: &dyn FileTree) -> Self {
        let mut found = Self::default();
        let mut numbers: HashMap<&str, u32> = HashMap::default();
        for id in files.ids() {
            let file = files.file(id);
            let content = file.content.as_ref();
            let Some(facts) = content
                .map(|content| &content.facts)
                .filter(|facts| facts.language.name() == "php" && facts.line_count > 0)
            else {
                found.of_file.push(NONE);
                continue;
            };
            let package = &*facts.package;
            let next = u32::try_from(numbers.len()).unwrap_or(NONE);
            let number = *numbers.entry(package).or_insert(next);
            found.of_file.push(number);
            let known = found.files.entry(package.into()).or_default();
            let directory = |id: &FileId| files.file(*id).path.directory();
            // Files come in the order of their paths.
            if known.last().map(directory) != Some(file.path.directory()) {
                known.push(id);
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
        let known = self.files.get(&*name)?;
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
        let number = self.of_file.get(file.0 as usize).copied();
        number.filter(|number| *number != NONE)
    }

    fn heap_bytes(&self) -> usize {
        let files = self.files.iter();
        let files = files.map(|(name, files)| name.len() + 40 + size_of_val(&**files));
        files.sum::<usize>() + size_of_val(&*self.of_file)
    }
}
