//! Finds which installed packages in stack traces and paths are the repository's own, by the names in its
//! manifests and by its modules.

use foldhash::HashMap;
use foveate_index::{FileId, Files};
use foveate_parse::origin::{self, InstalledFile, PackageHome};

use super::Resolver;

/// Maximum manifests of one package manager that are read.
const MAX_MANIFESTS: usize = 200;
/// Lines at the start of a manifest that are searched for the name.
const MAX_LINES: usize = 60;

/// The directory of a package in the repository, without a trailing slash; empty for the root. For a module that is
/// one file, the path of that file.
pub(super) struct PackageDirectory(String);

impl PackageDirectory {
    fn around(files: &Files, manifest: FileId) -> Self {
        Self(files.file(manifest).path.directory().to_owned())
    }

    /// Whether a file is below the directory.
    pub(super) fn has(&self, files: &Files, file: FileId) -> bool {
        let rest = files.path(file).strip_prefix(self.0.as_str());
        self.0.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns the file that was installed, at the same path within the package.
    pub(super) fn file(&self, files: &Files, installed: &InstalledFile<'_>) -> Option<FileId> {
        match (self.0.as_str(), installed.inner) {
            ("", inner) => files.find(inner),
            (module, "") => files.find(module),
            (directory, inner) => files.find(&format!("{directory}/{inner}")),
        }
    }
}

impl Resolver<'_> {
    /// Returns where an installed package is in the repository, if it is the repository's own.
    pub(super) fn package_directory(
        &self,
        installed: &InstalledFile<'_>,
    ) -> Option<PackageDirectory> {
        let (name, files) = (installed.name, &self.snapshot.files);
        match installed.manager.home {
            PackageHome::Modules => {
                let directory = self.snapshot.graph.package_directory(name)?;
                Some(PackageDirectory(directory.to_owned()))
            }
            PackageHome::Module { package_stem, .. } => {
                self.module_directory(installed, package_stem)
            }
            PackageHome::Manifest { .. } => {
                let manifests = self.manifests.get_or_init(|| Manifests::read(files));
                let name = (installed.manager.name, name.to_owned());
                Some(PackageDirectory::around(files, *manifests.0.get(&name)?))
            }
            PackageHome::Named { ending } => {
                let specification = files.find_by_suffix(&format!("{name}{ending}"));
                Some(PackageDirectory::around(files, *specification.first()?))
            }
        }
    }

    /// Returns the package of the repository whose name, or whose directory's name, is that of a bundle.
    pub(super) fn package_directory_like(&self, name: &str) -> Option<PackageDirectory> {
        let directory = self.snapshot.graph.package_like(name)?;
        Some(PackageDirectory(directory.to_owned()))
    }

    /// Returns the package that a file of the repository belongs to.
    pub(super) fn package_directory_of(&self, file: FileId) -> PackageDirectory {
        let path = &self.snapshot.files.file(file).path;
        let directory = self.snapshot.graph.package_around(path.directory());
        PackageDirectory(directory.to_owned())
    }

    /// Returns the file of an installed module, by the module's name.
    pub(super) fn module_file(&self, installed: &InstalledFile<'_>) -> Option<FileId> {
        let PackageHome::Module {
            ending,
            package_stem,
        } = installed.manager.home
        else {
            return None;
        };
        let module = installed.path.strip_suffix(ending)?;
        let module = module
            .strip_suffix(package_stem)
            .and_then(|module| module.strip_suffix('/'))
            .unwrap_or(module);
        if module.contains('.') {
            return None;
        }
        let (files, graph) = (&self.snapshot.files, &self.snapshot.graph);
        let found = graph.resolve_module(files, &module.replace('/', "."))?;
        // A module of another language may have the same name: a crate that a Python package is built from.
        files.path(found).ends_with(ending).then_some(found)
    }

    /// Returns the directory of a package, or the file of a single-file module, that holds its code.
    fn module_directory(
        &self,
        installed: &InstalledFile<'_>,
        package_stem: &str,
    ) -> Option<PackageDirectory> {
        let (files, graph) = (&self.snapshot.files, &self.snapshot.graph);
        let path = &files
            .file(graph.resolve_module(files, installed.name)?)
            .path;
        match (installed.inner, path.stem() == package_stem) {
            ("", false) if installed.path.ends_with(path.extension()) => {
                Some(PackageDirectory(path.as_str().to_owned()))
            }
            (_, true) => Some(PackageDirectory(path.directory().to_owned())),
            _ => None,
        }
    }
}

/// The manifests of the repository, by package manager and package name.
#[derive(Debug, Default)]
pub(super) struct Manifests(HashMap<(&'static str, String), FileId>);

impl Manifests {
    fn read(files: &Files) -> Self {
        let mut manifests = Self::default();
        for manager in origin::managers() {
            let PackageHome::Manifest { file, key } = manager.home else {
                continue;
            };
            let found = files.find_by_suffix(file);
            for file in found.into_iter().take(MAX_MANIFESTS) {
                if let Some(name) = value_of(key, files.text(file)) {
                    let name = (manager.name, name.to_owned());
                    manifests.0.entry(name).or_insert(file);
                }
            }
        }
        manifests
    }
}

/// Returns the value of a key at the start of a line of a manifest: `name = "tokio"`, `"name": "a/b",`.
fn value_of<'a>(key: &str, text: &'a str) -> Option<&'a str> {
    let head = text.lines().take(MAX_LINES);
    let mut values = head.filter_map(|line| line.trim_start().strip_prefix(key));
    let is_around = |c: char| c.is_whitespace() || matches!(c, '=' | ':' | ',' | '"');
    values
        .find(|value| key.ends_with(' ') || value.trim_start().starts_with(['=', ':']))
        .map(|value| value.trim_matches(is_around))
}
