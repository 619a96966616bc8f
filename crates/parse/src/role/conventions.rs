//! Defines the conventions by which a language's files get roles, and rules that several languages share.

use foveate_model::{Language, RepoPath};

/// How the paths of a language's files imply their roles. All names are in lower case.
#[derive(Clone, Copy)]
pub(crate) struct Roles {
    /// Names of its ecosystem, which apply to files in any language.
    pub(crate) ecosystem: Ecosystem,
    /// Whether a file is a copy of a library.
    pub(crate) is_copy: fn(&File<'_>) -> bool,
    pub(crate) is_test: fn(&File<'_>) -> bool,
    /// Whether a file outside the usual directories of examples is one.
    pub(crate) is_example: fn(&File<'_>) -> bool,
    /// Whether a file in a test directory is shipped, for users to write their own tests with.
    pub(crate) is_test_support: fn(&File<'_>) -> bool,
    /// Whether a directory named `test`, at this position of the path, is shipped code.
    pub(crate) is_test_package: fn(&File<'_>, usize) -> bool,
    /// Whether the directory at this position of the path is a package of shipped code, whose name is a word of its domain:
    /// `vendors` of a shop.
    pub(crate) is_domain_package: fn(&File<'_>, usize) -> bool,
    /// Whether any directory of code is a package, also one called `doc`.
    pub(crate) every_directory_is_package: bool,
    /// Whether a file of settings is what its repository ships: the tasks of a playbook, the templates of a chart.
    pub(crate) is_infrastructure: fn(&File<'_>) -> bool,
    /// Whether a file configures a tool by its name.
    pub(crate) is_configuration: fn(&File<'_>) -> bool,
    /// Whether a file without another role configures something.
    pub(crate) is_settings: fn(&File<'_>) -> bool,
    /// Which of its files are documentation in any directory.
    pub(crate) documentation: Documentation,
    /// Whether its files are input of programs, if nothing else is known.
    pub(crate) is_data: bool,
}

/// Names that an ecosystem uses for files in any language.
#[derive(Clone, Copy)]
pub(crate) struct Ecosystem {
    /// Names of files that a program wrote.
    pub(crate) generated_names: &'static [&'static str],
    /// Name endings of files that a program wrote.
    pub(crate) generated_endings: &'static [&'static str],
    /// Directories of files that are copied from elsewhere or created by builds.
    pub(crate) generated_directories: &'static [&'static str],
    pub(crate) test_directories: &'static [&'static str],
    /// Names of settings of builds and tools.
    pub(crate) configuration_names: &'static [&'static str],
    /// Name endings of settings.
    pub(crate) configuration_endings: &'static [&'static str],
    /// Endings of stems of examples.
    pub(crate) example_endings: &'static [&'static str],
    /// Table of its well-known files: see [`purpose`](mod@crate::purpose).
    pub(crate) well_known: &'static str,
}

/// Which files of a language are documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Documentation {
    None,
    /// Files named `readme`, `changelog` and the like.
    Notes,
    All,
}

impl Roles {
    /// Conventions that recognise nothing.
    pub(crate) const NONE: Self = Self {
        ecosystem: Ecosystem::NONE,
        is_copy: |_| false,
        is_test: |_| false,
        is_example: |_| false,
        is_test_support: |_| false,
        is_test_package: |_, _| false,
        is_domain_package: |_, _| false,
        every_directory_is_package: false,
        is_infrastructure: |_| false,
        is_configuration: |_| false,
        is_settings: |_| false,
        documentation: Documentation::None,
        is_data: false,
    };
}

impl Ecosystem {
    pub(crate) const NONE: Self = Self {
        generated_names: &[],
        generated_endings: &[],
        generated_directories: &[],
        test_directories: &[],
        configuration_names: &[],
        configuration_endings: &[],
        example_endings: &[],
        well_known: "",
    };
}

/// The parts of a path.
pub(crate) struct File<'p> {
    pub(crate) path: &'p RepoPath,
    pub(super) language: Language,
    pub(super) roles: &'static Roles,
    /// Its file name, in lower case.
    pub(crate) name: String,
    /// Its file name without the extension, in lower case.
    pub(crate) stem: String,
    /// Its directories, in lower case.
    pub(crate) directories: Vec<String>,
}

impl<'p> File<'p> {
    pub(super) fn new(path: &'p RepoPath, language: Language, roles: &'static Roles) -> Self {
        let directories = path.directory().split('/').filter(|d| !d.is_empty());
        Self {
            path,
            language,
            roles,
            name: path.file_name().to_ascii_lowercase(),
            stem: path.stem().to_ascii_lowercase(),
            directories: directories.map(str::to_ascii_lowercase).collect(),
        }
    }

    pub(crate) fn has_directory(&self, names: &[&str]) -> bool {
        self.directories.iter().any(|d| names.contains(&d.as_str()))
    }

    /// Returns the directory above the one at a position.
    pub(crate) fn above(&self, at: usize) -> Option<&str> {
        let above = self.directories.get(at.checked_sub(1)?)?;
        Some(above)
    }
}

/// Whether a file is a test by the form of its class name: `CartTest.java`, `CartSpec.kt`.
pub(crate) fn is_test_class(file: &File<'_>) -> bool {
    ["Test", "Tests", "Spec", "TestCase"]
        .iter()
        .any(|ending| file.path.stem().ends_with(ending))
}

/// Whether a file is a copied library, recognised by its version (`jquery-3.6.0.js`, `pdfjs-1.4.20/build/pdf.js`), or
/// by its directory among the files that a web server hands out (`wwwroot/lib/`).
pub(crate) fn is_released_library(file: &File<'_>) -> bool {
    matches!(file.stem.as_str(), "jquery" | "underscore" | "bootstrap")
        || ends_with_version(&file.stem)
        || (file.directories.iter()).any(|directory| ends_with_version(directory))
        || is_among_served_libraries(file)
}

fn ends_with_version(name: &str) -> bool {
    let Some((name, version)) = name.rsplit_once('-') else {
        return false;
    };
    !name.is_empty()
        && version.contains('.')
        && version.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

fn is_among_served_libraries(file: &File<'_>) -> bool {
    const SERVED: [&str; 6] = ["assets", "public", "static", "wwwroot", "htdocs", "webapp"];
    const LIBRARIES: [&str; 3] = ["lib", "libs", "plugins"];
    let mut directories = file.directories.iter().map(String::as_str);
    match directories.find(|directory| SERVED.contains(directory)) {
        // Sources are called assets, too.
        Some("assets") => file.stem.starts_with("jquery"),
        Some(_) => file.stem.starts_with("jquery") || directories.any(|d| LIBRARIES.contains(&d)),
        None => false,
    }
}

/// Whether a file has settings of tools for scripts: `babel.config.js`, `tsconfig.base.json`.
pub(crate) fn is_script_configuration(file: &File<'_>) -> bool {
    let stem = file.stem.as_str();
    stem.ends_with(".config")
        || stem.ends_with(".conf")
        || ["tsconfig", "jsconfig", "babel.", "webpack."]
            .iter()
            .any(|start| stem.starts_with(start))
}

/// Whether a file describes machines or services: a role or tasks of Ansible, a template of a Helm chart.
pub(crate) fn is_infrastructure(file: &File<'_>) -> bool {
    const TREES: [&str; 5] = ["roles", "tasks", "handlers", "playbooks", "templates"];
    const OF_ROLES: [&str; 2] = ["defaults", "vars"];
    let is_in_role =
        || matches!(file.directories.as_slice(), [first] if OF_ROLES.contains(&first.as_str()));
    let is_pipeline = |directory: &String| {
        directory.starts_with('.') || matches!(directory.as_str(), "ci" | "eng" | "pipelines")
    };
    !file.directories.iter().any(is_pipeline) && (file.has_directory(&TREES) || is_in_role())
}
