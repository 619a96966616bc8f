//! Resolves Python modules. A file's absolute dotted name begins at the top-most directory of its unbroken
//! chain of `__init__.py` files: `src/flask/app.py` is `flask.app`. Directories above that chain are
//! namespace packages or roots on `sys.path`; an import may name them too.

use foldhash::{HashMap, HashSet};
use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem};
use foveate_model::{FileId, ImportKind, RepoPath, Role};

use super::LANGUAGE;
use super::standard_library::STANDARD;
use crate::languages::files_by_name::FilesByName;
use crate::paths::{is_below, parent, shared_segments};

/// Longest dotted path that is resolved, in segments. Real ones have fewer than ten.
const MAX_SEGMENTS: usize = 24;

/// Maximum number of packages of one name inside other packages that are searched for a module.
const MAX_NESTED: usize = 64;

/// The module system of Python.
pub(super) static MODULES: ModuleSystem = ModuleSystem {
    module_name: |path| Some(module_name(path)),
    imported_name: |module| module.rsplit('.').next(),
    is_package: |path| is_init(path.file_name()),
    ..ModuleSystem::new(|files| Box::new(PythonModules::new(files)))
};

/// The Python modules of one revision by their absolute names.
#[derive(Debug, Default)]
struct PythonModules {
    /// Files by absolute dotted name, in id order.
    by_name: FilesByName,
    /// Directories of packages that lie inside another package, by last name, sorted.
    nested: HashMap<Box<str>, Vec<Box<str>>>,
}

impl PythonModules {
    /// Indexes every Python file by its name.
    fn new(files: &dyn FileTree) -> Self {
        let is_python = |id: &FileId| files.file(*id).language == LANGUAGE;
        let packages: HashSet<&str> = files
            .ids()
            .filter(is_python)
            .map(|id| &files.file(id).path)
            .filter(|path| is_init(path.file_name()))
            .map(|path| path.directory())
            .collect();
        let mut modules = Self::default();
        let mut name = String::new();
        for id in files.ids().filter(is_python) {
            let path = module_path(files.path(id));
            let root = root_of(&packages, files.file(id).path.directory());
            let relative = path.get(root.len()..).unwrap_or("").trim_start_matches('/');
            if relative.is_empty() {
                continue;
            }
            name.clear();
            name.extend(relative.chars().map(|c| if c == '/' { '.' } else { c }));
            modules.by_name.add(&name, id);
            if is_init(files.file(id).path.file_name()) && relative.contains('/') {
                let last = path.rsplit('/').next().unwrap_or(path);
                let directories = modules.nested.entry(last.into()).or_default();
                if directories.last().is_none_or(|d| **d != *path) {
                    directories.push(path.into());
                }
            }
        }
        for ids in modules.by_name.lists_mut() {
            prefer_sources_over_stubs(files, ids);
        }
        modules
    }

    /// Finds a package that is inside another package, because the outer `__init__.py` is there by accident
    /// (`src/__init__.py`) or the inner package is vendored. Only names of two or more segments are
    /// searched: a single one is too weak a hint.
    fn inside_packages(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        dotted: &str,
    ) -> Option<FileId> {
        let (first, rest) = dotted.split_once('.')?;
        let rest = rest.replace('.', "/");
        let directories = self.nested.get(first)?;
        let found = directories
            .iter()
            .take(MAX_NESTED)
            .filter_map(|directory| find_module(files, &format!("{directory}/{rest}")));
        nearest(files, importer, found)
    }
}

impl ModuleResolver for PythonModules {
    /// Resolves a module; leading dots of `module` mark a relative import.
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        kind: ImportKind,
    ) -> Option<FileId> {
        if !module.starts_with('.') {
            return self.absolute(files, Some(importer), module);
        }
        // The base of a relative dynamic import is an argument of the call.
        if kind == ImportKind::Dynamic {
            return None;
        }
        let path = relative_path(files, importer, module)?;
        // Dots alone mean the package of a directory, not a module beside the directory.
        match module.bytes().all(|byte| byte == b'.') {
            true => find(files, &path, &["/__init__.py", "/__init__.pyi"]),
            false => find_module(files, &path),
        }
    }

    /// Resolves a submodule, also in namespace packages, which have no file of their own.
    fn submodule(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        name: &str,
    ) -> Option<FileId> {
        if module.starts_with('.') {
            let mut path = relative_path(files, importer, module)?;
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(name);
            return find_module(files, &path);
        }
        self.absolute(files, Some(importer), &format!("{module}.{name}"))
    }

    /// Returns the file of the absolute module `dotted`, as seen from `importer`. If several roots have it,
    /// the one nearest to the importer wins.
    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        dotted: &str,
    ) -> Option<FileId> {
        if dotted.is_empty() || dotted.split('.').count() > MAX_SEGMENTS {
            return None;
        }
        let first = dotted.split('.').next().unwrap_or(dotted);
        let standard = STANDARD.binary_search(&first).is_ok();
        // `google.cloud.client` where only `client`, or nothing, is below an `__init__.py`: the leading
        // names are directories above the root.
        let mut start = 0;
        loop {
            let name = &dotted[start..];
            if let Some(ids) = self.by_name.near(name, importer) {
                let above = dotted[..start].trim_end_matches('.');
                let ids = ids.iter().copied().filter(|id| {
                    let root = root_of_name(files.path(*id), name);
                    if start == 0 {
                        let single = !name.contains('.') && !is_init_path(files.path(*id));
                        !(standard || single) || is_visible(files, importer, root, standard)
                    } else {
                        ends_with_dotted(root, above)
                    }
                });
                if let Some(best) = nearest(files, importer, ids) {
                    return Some(best);
                }
            }
            match dotted[start..].find('.') {
                Some(dot) => start += dot + 1,
                None => break,
            }
        }
        if standard {
            return None;
        }
        self.inside_packages(files, importer, dotted)
    }

    fn child(&self, files: &dyn FileTree, package: FileId, name: &str) -> Option<FileId> {
        let path = &files.file(package).path;
        if !is_init(path.file_name()) {
            return None;
        }
        let directory = path.directory();
        if directory.is_empty() {
            return find_module(files, name);
        }
        find_module(files, &format!("{directory}/{name}"))
    }
}

/// Returns the file of a module path without extension: a package before a module, source before stub, Python before
/// Cython.
fn find_module(files: &dyn FileTree, path: &str) -> Option<FileId> {
    let endings = [
        "/__init__.py", ".py", ".pyx", "/__init__.pyi", ".pyi", ".pxd",
    ];
    find(files, path, &endings)
}

/// Returns the first file that is the path with one of the endings.
fn find(files: &dyn FileTree, path: &str, endings: &[&str]) -> Option<FileId> {
    let mut candidate = String::with_capacity(path.len() + 14);
    for ending in endings {
        candidate.clear();
        candidate.push_str(path);
        candidate.push_str(ending);
        if let Some(id) = files.find(candidate.trim_start_matches('/')) {
            return Some(id);
        }
    }
    None
}

/// Resolves a relative module: `..db.client` from `a/b/c.py` is `a/db/client`; `None` above the
/// repository's root.
fn relative_path(files: &dyn FileTree, importer: FileId, module: &str) -> Option<String> {
    let rest = module.trim_start_matches('.');
    let level = module.len() - rest.len();
    let mut directory = files.file(importer).path.directory();
    for _ in 1..level {
        if directory.is_empty() {
            return None;
        }
        directory = parent(directory);
    }
    let mut path = String::from(directory);
    for segment in rest.split('.').filter(|s| !s.is_empty()) {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(segment);
    }
    Some(path)
}

fn is_init(file_name: &str) -> bool {
    matches!(file_name, "__init__.py" | "__init__.pyi")
}

fn is_init_path(path: &str) -> bool {
    is_init(path.rsplit('/').next().unwrap_or(path))
}

/// Returns the path of a file without its extension; for an `__init__` file, its directory.
fn module_path(path: &str) -> &str {
    if is_init_path(path) {
        return parent(path);
    }
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// Returns the last part of the module name that a path may have.
fn module_name(path: &RepoPath) -> &str {
    let module = module_path(path.as_str());
    module.rsplit('/').next().unwrap_or(module)
}

/// Returns the directory above the top-most package of an unbroken chain that ends at `directory`.
fn root_of<'a>(packages: &HashSet<&str>, mut directory: &'a str) -> &'a str {
    while !directory.is_empty() && packages.contains(directory) {
        directory = parent(directory);
    }
    directory
}

/// Returns the root below which the file at `path` has the absolute name `name`.
fn root_of_name<'a>(path: &'a str, name: &str) -> &'a str {
    let module = module_path(path);
    module
        .get(..module.len().saturating_sub(name.len()))
        .unwrap_or("")
        .trim_end_matches('/')
}

/// Whether the last segments of `directory` are the names of `dotted`.
fn ends_with_dotted(directory: &str, dotted: &str) -> bool {
    let mut segments = directory.rsplit('/');
    dotted.rsplit('.').all(|name| segments.next() == Some(name))
}

/// Whether a top-level script, or a package with the name of a standard module, is on the importer's path:
/// beside it or above it, or below a directory that is a root by convention.
fn is_visible(files: &dyn FileTree, importer: Option<FileId>, root: &str, standard: bool) -> bool {
    let Some(importer) = importer else {
        return !standard || matches!(root, "" | "src" | "lib");
    };
    let directory = files.file(importer).path.directory();
    if standard {
        // `import types` somewhere below a stray `types.py` means the standard module, unless both have the
        // same root.
        return own_root(files, directory) == root;
    }
    let last = root.rsplit('/').next().unwrap_or(root);
    is_below(directory, root) || matches!(last, "src" | "lib" | "python")
}

/// Returns the root of the files in `directory`, like [`root_of`].
fn own_root<'a>(files: &dyn FileTree, mut directory: &'a str) -> &'a str {
    while !directory.is_empty() && files.find(&format!("{directory}/__init__.py")).is_some() {
        directory = parent(directory);
    }
    directory
}

/// Returns, of several files with one name, the one that shares the longest path with the importer; then
/// shipped code wins, then the shortest path.
fn nearest(
    files: &dyn FileTree,
    importer: Option<FileId>,
    ids: impl Iterator<Item = FileId>,
) -> Option<FileId> {
    let from = importer.map_or("", |id| files.path(id));
    ids.min_by_key(|id| {
        let path = files.path(*id);
        let shared = shared_segments(from, path);
        let source = files.file(*id).role == Role::Source;
        (
            std::cmp::Reverse(shared),
            std::cmp::Reverse(source),
            path.len(),
            *id,
        )
    })
}

/// Removes stubs and declarations whose source is in the same directory.
fn prefer_sources_over_stubs(files: &dyn FileTree, ids: &mut Vec<FileId>) {
    if ids.len() < 2 {
        return;
    }
    let sources: Vec<&str> = ids
        .iter()
        .map(|id| files.path(*id))
        .filter(|path| is_source(path))
        .map(module_path)
        .collect();
    if sources.is_empty() {
        return;
    }
    ids.retain(|id| {
        let path = files.path(*id);
        is_source(path) || !sources.contains(&module_path(path))
    });
}

/// Whether a file has code, as opposed to a stub of Python (`.pyi`) or the declarations of Cython (`.pxd`).
fn is_source(path: &str) -> bool {
    path.ends_with(".py") || path.ends_with(".pyx")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_roots_and_dotted_endings_match() {
        assert_eq!(root_of_name("src/flask/app.py", "flask.app"), "src");
        assert_eq!(root_of_name("flask/__init__.py", "flask"), "");
        assert!(ends_with_dotted("x/google/cloud", "google.cloud"));
        assert!(!ends_with_dotted("x/cloud", "google.cloud"));
    }
}
