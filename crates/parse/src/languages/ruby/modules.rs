//! Resolves `require` to a file beside the importer or below a load path. Constants are resolved
//! without imports: all Ruby files of a repository see each other's, as with autoloading.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem, is_equal};
use foveate_model::{FileId, ImportKind, RepoPath};

use crate::languages::files_by_name::{FilesByName, MAX_COMPARED};
use crate::paths::{ancestors, join};

pub(super) static MODULES: ModuleSystem = ModuleSystem {
    module_name: |path| Some(path.stem()),
    imported_name,
    is_settings: |path| path.extension() == "gemspec",
    ..ModuleSystem::new(|files| Box::new(LoadPaths::new(files)))
};

/// Returns the stem of the imported file: `b` of `a/b`, `./a/b.rb` and `a/b.rake`.
fn imported_name(module: &str) -> Option<&str> {
    let last = module.rsplit('/').next()?;
    let stem = [".rb", ".rake", ".ru"]
        .iter()
        .find_map(|ending| last.strip_suffix(ending));
    Some(stem.unwrap_or(last))
}

/// The directories in which required files are searched.
#[derive(Debug, PartialEq)]
struct LoadPaths {
    /// Sorted: the [`ROOTS`] of each gem and of the repository, and the directories of Rails
    /// applications.
    directories: Vec<Box<str>>,
    /// Ruby files by their stem.
    by_stem: FilesByName,
}

/// Directories on the load path: files in them are required without the directory's name.
const ROOTS: &[&str] = &["lib", "test", "spec", "tests", "ext"];

/// Files of the standard library whose names other files often have, sorted. A `require` of one does
/// not mean a file directly beside the importer.
const STANDARD: &[&str] = &[
    "abbrev", "base64", "benchmark", "bigdecimal", "bundler", "cgi", "coverage", "csv", "date",
    "delegate", "digest", "drb", "erb", "etc", "fileutils", "find", "forwardable", "io", "ipaddr",
    "irb", "json", "logger", "monitor", "net", "observer", "open3", "openssl", "optparse",
    "ostruct", "pathname", "pp", "prettyprint", "pstore", "psych", "racc", "rdoc", "ripper",
    "rubygems", "securerandom", "set", "shellwords", "singleton", "socket", "stringio", "strscan",
    "syslog", "tempfile", "thread", "time", "timeout", "tmpdir", "tsort", "uri", "weakref", "yaml",
    "zlib",
];

impl LoadPaths {
    fn new(files: &dyn FileTree) -> Self {
        let mut directories: BTreeSet<String> = BTreeSet::new();
        for root in ROOTS {
            directories.insert((*root).to_owned());
        }
        let mut by_stem = FilesByName::default();
        for id in files.ids() {
            let file = files.file(id);
            let directory = file.path.directory();
            match file.path.extension() {
                "gemspec" => {
                    let below = |root: &&str| join(directory, root);
                    directories.extend(ROOTS.iter().filter_map(below));
                }
                "rb" => {
                    directories.extend(application_directory(&file.path).map(str::to_owned));
                    by_stem.add(file.path.stem(), id);
                }
                _ => {}
            }
        }
        let directories = directories.into_iter().map(String::into_boxed_str);
        Self {
            directories: directories.collect(),
            by_stem,
        }
    }

    /// Returns the file of `a/b` below a load path; directories around the importer come first.
    fn required(&self, files: &dyn FileTree, importer: &str, name: &str) -> Option<FileId> {
        let is_beside = |directory: &str| {
            let is_plain = directory == importer && STANDARD.binary_search(&name).is_err();
            is_plain || name.contains('/')
        };
        for directory in ancestors(importer) {
            let beside = is_beside(directory).then_some("");
            for root in beside.into_iter().chain(ROOTS.iter().copied()) {
                let path = join(&joined(directory, root), name);
                if let Some(found) = path.and_then(|path| file(files, &path)) {
                    return Some(found);
                }
            }
        }
        let mut directories = self.directories.iter();
        let below = directories.find_map(|directory| file(files, &join(directory, name)?));
        below.or_else(|| self.by_ending(files, name))
    }

    /// Returns the only file whose path ends with `name`, unless very many have its stem: a program may add any
    /// directory to its load path.
    fn by_ending(&self, files: &dyn FileTree, name: &str) -> Option<FileId> {
        let name = name.strip_suffix(".rb").unwrap_or(name);
        let (_, stem) = name.rsplit_once('/')?;
        let ending = format!("/{name}.rb");
        let same = self.by_stem.get(stem)?;
        let same = same.iter().copied().filter(|_| same.len() <= MAX_COMPARED);
        let mut same = same.filter(|id| files.path(*id).ends_with(&ending));
        same.next().filter(|_| same.next().is_none())
    }
}

fn joined(directory: &str, name: &str) -> String {
    match (directory, name) {
        (directory, "") => directory.to_owned(),
        ("", name) => name.to_owned(),
        (directory, name) => format!("{directory}/{name}"),
    }
}

/// Returns the directory of a Rails application that files are loaded from: `x/app/models` for
/// `x/app/models/a/b.rb`, or `x/app/models/concerns`.
fn application_directory(path: &RepoPath) -> Option<&str> {
    let directory = path.directory();
    let start = match directory.strip_prefix("app/") {
        Some(_) => 4,
        None => directory.find("/app/")? + 5,
    };
    let rest = directory.get(start..)?;
    let kind = rest.split('/').next()?;
    let end = match rest.strip_prefix(kind)?.starts_with("/concerns") {
        true => start + kind.len() + "/concerns".len(),
        false => start + kind.len(),
    };
    directory.get(..end)
}

fn file(files: &dyn FileTree, path: &str) -> Option<FileId> {
    if path.ends_with(".rb") {
        return files.find(path);
    }
    files.find(&format!("{path}.rb")).or_else(|| {
        let is_source = path.ends_with(".rake") || path.ends_with(".ru");
        is_source.then(|| files.find(path))?
    })
}

impl ModuleResolver for LoadPaths {
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        _kind: ImportKind,
    ) -> Option<FileId> {
        let directory = files.file(importer).path.directory();
        if module.starts_with("./") || module.starts_with("../") {
            let beside = join(directory, module).and_then(|path| file(files, &path));
            // `require './a'` is relative to the directory where the program is started.
            return beside.or_else(|| file(files, module.strip_prefix("./")?));
        }
        let found = self.required(files, directory, module);
        found.filter(|found| *found != importer)
    }

    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        let directory = importer.map_or("", |importer| files.file(importer).path.directory());
        self.required(files, directory, name)
    }

    fn package_of(&self, _file: FileId) -> Option<u32> {
        Some(0)
    }

    fn is_same(&self, other: &dyn ModuleResolver) -> bool {
        is_equal(self, other)
    }
}
