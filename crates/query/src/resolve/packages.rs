//! Which of the installed packages that stack traces and paths speak of are the repository's own: by
//! the names in its manifests, and of Python by its packages.

use foldhash::HashMap;
use foveate_index::{FileId, Files};

use super::Finder;
use crate::text::origin::{Installed, Manager};

/// Manifests that are looked at for a name.
const MOST_MANIFESTS: usize = 200;
/// Lines at the start of a manifest that the name is looked for in.
const MOST_LINES: usize = 60;

/// The directory of a package in the repository, without a trailing slash; empty at its root.
pub(super) struct Home(String);

impl Home {
    fn around(files: &Files, manifest: FileId) -> Self {
        Self(files.file(manifest).path.directory().to_owned())
    }

    /// Whether a file is in it.
    pub(super) fn has(&self, files: &Files, file: FileId) -> bool {
        let rest = files.path(file).strip_prefix(self.0.as_str());
        self.0.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// The very file that is installed.
    pub(super) fn file(&self, files: &Files, installed: &Installed<'_>) -> Option<FileId> {
        match (self.0.as_str(), installed.inner) {
            ("", inner) => files.find(inner),
            (module, "") => files.find(module),
            (directory, inner) => files.find(&format!("{directory}/{inner}")),
        }
    }
}

impl Finder<'_> {
    /// Where an installed package is in the repository, if it is the repository's.
    pub(super) fn home(&self, installed: &Installed<'_>) -> Option<Home> {
        let name = installed.name;
        match installed.manager {
            Manager::Npm => {
                let directory = self.snapshot.graph.package_directory(name)?;
                Some(Home(directory.to_owned()))
            }
            Manager::Python => self.python_home(installed),
            Manager::Cargo | Manager::Go | Manager::Composer => {
                let manifests = self
                    .manifests
                    .get_or_init(|| Manifests::read(&self.snapshot.files));
                let name = (installed.manager, name.to_owned());
                Some(Home::around(&self.snapshot.files, *manifests.0.get(&name)?))
            }
            Manager::Gem => {
                let files = &self.snapshot.files;
                let specification = files.find_by_suffix(&format!("{name}.gemspec"));
                Some(Home::around(files, *specification.first()?))
            }
        }
    }

    /// The package of the repository that is called, or lies in a directory called, like a bundle.
    pub(super) fn home_like(&self, name: &str) -> Option<Home> {
        let directory = self.snapshot.graph.package_like(name)?;
        Some(Home(directory.to_owned()))
    }

    /// The package that a file of the repository belongs to.
    pub(super) fn home_of(&self, file: FileId) -> Home {
        let path = &self.snapshot.files.file(file).path;
        let directory = self.snapshot.graph.package_around(path.directory());
        Home(directory.to_owned())
    }

    /// The file of an installed Python module, by the module's name.
    pub(super) fn python_file(&self, installed: &Installed<'_>) -> Option<FileId> {
        let module = installed.path.strip_suffix(".py")?;
        let module = module.strip_suffix("/__init__").unwrap_or(module);
        if installed.manager != Manager::Python || module.contains('.') {
            return None;
        }
        let (files, graph) = (&self.snapshot.files, &self.snapshot.graph);
        graph.resolve_module(files, &module.replace('/', "."))
    }

    /// A package by the directory of its `__init__.py`, a module by its file.
    fn python_home(&self, installed: &Installed<'_>) -> Option<Home> {
        let (files, graph) = (&self.snapshot.files, &self.snapshot.graph);
        let path = &files
            .file(graph.resolve_module(files, installed.name)?)
            .path;
        match (installed.inner, path.stem() == "__init__") {
            ("", false) => Some(Home(path.as_str().to_owned())),
            (_, true) => Some(Home(path.directory().to_owned())),
            _ => None,
        }
    }
}

/// The packages that manifests of the repository name, by who installs them and name.
#[derive(Debug, Default)]
pub(super) struct Manifests(HashMap<(Manager, String), FileId>);

impl Manifests {
    fn read(files: &Files) -> Self {
        let mut manifests = Self::default();
        for (manager, file_name, key) in [
            (Manager::Cargo, "Cargo.toml", "name"),
            (Manager::Go, "go.mod", "module "),
            (Manager::Composer, "composer.json", "\"name\""),
        ] {
            let found = files.find_by_suffix(file_name);
            for file in found.into_iter().take(MOST_MANIFESTS) {
                if let Some(name) = value_of(key, files.text(file)) {
                    let name = (manager, name.to_owned());
                    manifests.0.entry(name).or_insert(file);
                }
            }
        }
        manifests
    }
}

/// What a manifest gives for a key at the start of a line: `name = "tokio"`, `"name": "a/b",`.
fn value_of<'a>(key: &str, text: &'a str) -> Option<&'a str> {
    let head = text.lines().take(MOST_LINES);
    let mut values = head.filter_map(|line| line.trim_start().strip_prefix(key));
    let is_around = |c: char| c.is_whitespace() || matches!(c, '=' | ':' | ',' | '"');
    values
        .find(|value| key.ends_with(' ') || value.trim_start().starts_with(['=', ':']))
        .map(|value| value.trim_matches(is_around))
}
