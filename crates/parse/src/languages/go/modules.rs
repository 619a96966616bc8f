//! Resolves Go imports. A path consists of a module's path (`go.mod`) and a directory in it, whose files
//! are one package.

#[cfg(test)]
mod tests;

use foldhash::HashMap;
use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem, is_equal};
use foveate_model::{FileId, ImportKind, SourceFile};

use crate::languages::package_numbers::PackageNumbers;
use crate::paths::join;

pub(super) static MODULES: ModuleSystem = ModuleSystem {
    is_settings: |path| path.file_name() == "go.mod",
    ..ModuleSystem::new(|files| Box::new(Packages::new(files)))
};

/// The packages of a repository.
#[derive(Debug, PartialEq)]
struct Packages {
    /// Paths of modules with their root directories, longest path first.
    modules: Vec<(Box<str>, Box<str>)>,
    /// By directory: the file that represents the package which is imported from there.
    directories: HashMap<Box<str>, FileId>,
    /// By file: the number of its package.
    of_file: PackageNumbers,
}

impl Packages {
    fn new(files: &dyn FileTree) -> Self {
        let mut modules = Vec::new();
        let mut directories: HashMap<Box<str>, (Rank, FileId)> = HashMap::default();
        for id in files.ids() {
            let file = files.file(id);
            let directory = file.path.directory();
            if file.path.file_name() == "go.mod" {
                let text = files.text(id);
                modules.extend(module_path(text).map(|path| (path, directory.into())));
                modules.extend(replaced(text).filter_map(|(path, other)| {
                    Some((path.into(), join(directory, other)?.into()))
                }));
            }
            if let Some((_, name)) = package(file)
                && !file.path.stem().ends_with("_test")
            {
                let found = (rank(name, directory), id);
                let best = directories.entry(directory.into()).or_insert(found);
                *best = found.min(*best);
            }
        }
        let directories = directories.into_iter();
        modules.sort_by_key(|(path, _): &(Box<str>, Box<str>)| std::cmp::Reverse(path.len()));
        Self {
            modules,
            directories: directories.map(|(path, (_, id))| (path, id)).collect(),
            of_file: PackageNumbers::new(files, package),
        }
    }

    fn directory(&self, directory: &str) -> Option<FileId> {
        self.directories.get(directory).copied()
    }

    /// Resolves an import without a `go.mod`, when the path of the repository is not known: to the longest
    /// directory that the import ends with.
    fn by_ending(&self, module: &str) -> Option<FileId> {
        // Paths of the standard library begin with a plain word.
        let (host, rest) = module.split_once('/')?;
        if !host.contains('.') || !self.modules.is_empty() {
            return None;
        }
        let mut rest = rest;
        loop {
            if let Some(found) = self.directory(rest) {
                return Some(found);
            }
            rest = rest.split_once('/')?.1;
        }
    }
}

/// Whether a package is a program, and whether its name is not that of its directory.
type Rank = (bool, bool);

/// Returns the rank of a package among those of one directory, lowest first. A library may have a program beside it that
/// generates a part of it, with a build tag that keeps it out of the build.
fn rank(name: &str, directory: &str) -> Rank {
    let last = directory.rsplit('/').next().unwrap_or(directory);
    (name == "main", name != last)
}

/// Returns the package of a source file: its directory and its name.
fn package(file: &SourceFile) -> Option<(&str, &str)> {
    let name = &*file.content.as_ref()?.facts.package;
    let has_package = file.path.extension() == "go" && !name.is_empty();
    has_package.then_some((file.path.directory(), name))
}

impl ModuleResolver for Packages {
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        _kind: ImportKind,
    ) -> Option<FileId> {
        if module.starts_with('.') {
            let directory = files.file(importer).path.directory();
            return self.directory(&join(directory, module)?);
        }
        self.absolute(files, Some(importer), module)
    }

    fn absolute(
        &self,
        _files: &dyn FileTree,
        _importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        for (path, directory) in &self.modules {
            let Some(rest) = name.strip_prefix(&**path) else {
                continue;
            };
            if rest.is_empty() || rest.starts_with('/') {
                let below = join(directory, rest.trim_start_matches('/'))?;
                if let Some(found) = self.directory(&below) {
                    return Some(found);
                }
            }
        }
        let vendored = self.modules.iter().find_map(|(_, directory)| {
            self.directory(&join(directory, &format!("vendor/{name}"))?)
        });
        vendored
            .or_else(|| self.directory(&format!("vendor/{name}")))
            .or_else(|| self.by_ending(name))
    }

    fn package_of(&self, file: FileId) -> Option<u32> {
        self.of_file.of(file)
    }

    fn is_same(&self, other: &dyn ModuleResolver) -> bool {
        is_equal(self, other)
    }
}

/// Returns the modules that a `go.mod` replaces by a directory: `replace a/b => ../b`.
fn replaced(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (path, other) = line.split("//").next()?.split_once("=>")?;
        let path = path.trim().trim_start_matches("replace ").trim();
        let other = other.trim().trim_matches('"');
        let path = path.split_whitespace().next()?.trim_matches('"');
        other.starts_with('.').then_some((path, other))
    })
}

/// Returns the path after `module` in a `go.mod`.
fn module_path(text: &str) -> Option<Box<str>> {
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("module "))?;
    let path = line.split("//").next()?.trim().trim_matches('"');
    Some(path.into())
}
