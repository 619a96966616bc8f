//! What a language says of the roles of files, and what several languages say alike.

use foveate_model::{Language, RepoPath};

/// What the paths of a language's files say about their roles. All names are in lower case.
#[derive(Clone, Copy)]
pub(crate) struct Roles {
    /// What its ecosystem's names say of files in whatever language.
    pub(crate) ecosystem: Ecosystem,
    /// Whether a file is a copy of a library.
    pub(crate) is_copy: fn(&File<'_>) -> bool,
    /// Whether a file is a test by its name.
    pub(crate) is_test: fn(&File<'_>) -> bool,
    /// Whether a file in a directory of tests is shipped: what users write their own tests with.
    pub(crate) is_test_support: fn(&File<'_>) -> bool,
    /// Whether a directory called `test`, at this position of the path, is shipped code.
    pub(crate) is_test_package: fn(&File<'_>, usize) -> bool,
    /// Whether a file configures a tool by its name.
    pub(crate) is_configuration: fn(&File<'_>) -> bool,
    /// Whether a file that is nothing else configures something.
    pub(crate) is_settings: fn(&File<'_>) -> bool,
    /// Which of its files are documentation wherever they are.
    pub(crate) documentation: Documentation,
    /// Whether its files are input of programs where nothing else is known.
    pub(crate) is_data: bool,
}

/// Names that an ecosystem gives to files in whatever language.
#[derive(Clone, Copy)]
pub(crate) struct Ecosystem {
    /// Files that a program wrote.
    pub(crate) generated_names: &'static [&'static str],
    /// Endings of such files.
    pub(crate) generated_endings: &'static [&'static str],
    /// Directories of what is copied from elsewhere or made by builds.
    pub(crate) generated_directories: &'static [&'static str],
    /// Directories of tests.
    pub(crate) test_directories: &'static [&'static str],
    /// Settings of builds and tools.
    pub(crate) configuration_names: &'static [&'static str],
    /// Endings of such names.
    pub(crate) configuration_endings: &'static [&'static str],
    /// Endings of stems of examples.
    pub(crate) example_endings: &'static [&'static str],
}

/// Which files of a language are documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Documentation {
    None,
    /// Those that are called `readme`, `changelog` and the like.
    Notes,
    All,
}

impl Roles {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self {
        ecosystem: Ecosystem::NONE,
        is_copy: |_| false,
        is_test: |_| false,
        is_test_support: |_| false,
        is_test_package: |_, _| false,
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
    };
}

/// A path, taken apart.
pub(crate) struct File<'p> {
    pub(crate) path: &'p RepoPath,
    pub(super) language: Language,
    pub(super) roles: &'static Roles,
    /// Its last part, in lower case.
    pub(crate) name: String,
    /// That without its extension.
    pub(crate) stem: String,
    /// What is above it, in lower case.
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

    /// The directory above the one at a position.
    pub(crate) fn above(&self, at: usize) -> Option<&str> {
        let above = self.directories.get(at.checked_sub(1)?)?;
        Some(above)
    }
}

/// `CartTest.java`, `CartSpec.kt`: tests by the form of a class.
pub(crate) fn is_test_class(file: &File<'_>) -> bool {
    ["Test", "Tests", "Spec", "TestCase"]
        .iter()
        .any(|ending| file.path.stem().ends_with(ending))
}

/// `jquery-3.6.0.js`: a library with its version is a copy.
pub(crate) fn is_released_library(file: &File<'_>) -> bool {
    let stem = file.stem.as_str();
    let Some((name, version)) = stem.rsplit_once('-') else {
        return matches!(stem, "jquery" | "underscore" | "bootstrap");
    };
    !name.is_empty()
        && version.contains('.')
        && version.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// `babel.config.js`, `tsconfig.base.json`: settings of tools for scripts.
pub(crate) fn is_script_configuration(file: &File<'_>) -> bool {
    let stem = file.stem.as_str();
    stem.ends_with(".config")
        || stem.ends_with(".conf")
        || ["tsconfig", "jsconfig", "babel.", "webpack."]
            .iter()
            .any(|start| stem.starts_with(start))
}
