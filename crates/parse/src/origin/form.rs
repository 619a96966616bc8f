//! Defines the origins of code and how a language's paths tell them. Also holds helpers that split such
//! paths.

use crate::traces::places::Frame;

/// The origin of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// A source file of the repository or of one of its users.
    Project,
    /// A file of an installed package.
    Package(InstalledFile<'a>),
    /// A file of a language's runtime or standard library, or one copied from elsewhere. Holds its path
    /// below the root of the library or of the copies.
    Foreign(&'a str),
    /// A file that a bundler wrote, with the package that it is built from if its name tells.
    Bundle(Option<&'a str>),
}

/// A file of an installed package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstalledFile<'a> {
    /// The package manager that installed it.
    pub manager: &'static PackageManager,
    /// The package: `@vue/runtime-core`, `flask`, `tokio`.
    pub name: &'a str,
    /// The file's path below the package's directory; empty for a module that is a file itself.
    pub inner: &'a str,
    /// The file's path below the directory of all packages.
    pub path: &'a str,
}

/// A program that installs packages.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PackageManager {
    /// Its name.
    pub name: &'static str,
    /// How to find a package in the repository that it is built from.
    pub home: PackageHome,
    /// Whether installed files are mostly built, so that they are not those of any repository.
    pub is_built: bool,
}

/// How to find a package in the repository that it is built from.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum PackageHome {
    /// The module system knows the directories of packages.
    Modules,
    /// A package is a module: a file with this ending, or the directory of a file with this stem.
    Module {
        /// Ending of module files.
        ending: &'static str,
        /// Stem of a file that represents its directory.
        package_stem: &'static str,
    },
    /// Manifests with this file name give the package's name for a key at the start of a line.
    Manifest {
        /// File name of the manifest.
        file: &'static str,
        /// The key; followed by a blank, it is not assigned.
        key: &'static str,
    },
    /// A file is named after the package, with this ending.
    Named {
        /// The ending.
        ending: &'static str,
    },
}

/// What the paths of a language's files tell about their origin.
#[derive(Clone, Copy)]
pub(crate) struct OriginForm {
    /// The package manager of the language.
    pub(crate) manager: Option<&'static PackageManager>,
    /// Returns the file of an installed package, or of a bundle beside packages, and the path below the
    /// directory of all packages.
    pub(crate) package: fn(&str) -> Option<(&str, Origin<'_>)>,
    /// Returns the path below the root of the standard library, for a file of it.
    pub(crate) runtime: fn(&str) -> Option<&str>,
    /// First names of the packages or namespaces of the standard library, with the dot after them.
    pub(crate) runtime_packages: &'static [&'static str],
    /// First names of the packages of libraries and projects, mostly those of internet domains.
    pub(crate) package_roots: &'static [&'static str],
    /// Types of the standard library that code names without a package or namespace.
    pub(crate) runtime_types: &'static [&'static str],
    /// Whether a file below a directory for copies is code of this language.
    pub(crate) is_copied: fn(&str) -> bool,
    /// Returns the origin of a built file.
    pub(crate) bundle: fn(&str) -> Option<Origin<'_>>,
    /// Whether a frame's column is that of a minified file.
    pub(crate) is_minified: fn(&Frame) -> bool,
    /// Whether an engine runs the file at a path; the file is then built or a source.
    pub(crate) is_script: fn(&str) -> bool,
    /// Whether a path, relative to some source root, contains all directories below it. A file that shares
    /// only its name is then a different one.
    pub(crate) is_complete: fn(&str) -> bool,
    /// Extensions of files that contain one component each, with the same name.
    pub(crate) component_extensions: &'static [&'static str],
}

impl OriginForm {
    /// A form that recognises nothing.
    pub(crate) const NONE: Self = Self {
        manager: None,
        package: |_| None,
        runtime: |_| None,
        runtime_packages: &[],
        package_roots: &[],
        runtime_types: &[],
        is_copied: |_| false,
        bundle: |_| None,
        is_minified: |_| false,
        is_script: |_| false,
        is_complete: |_| false,
        component_extensions: &[],
    };
}

/// Returns the origin of a file at `path` below the directory of all packages. The first `end` bytes are
/// the package's name; a version may follow before the next slash.
pub(crate) fn installed<'p>(
    manager: &'static PackageManager,
    path: &'p str,
    end: usize,
) -> Option<Origin<'p>> {
    let (name, after) = path.split_at_checked(end)?;
    let inner = after.split_once('/').map_or("", |(_, inner)| inner);
    Some(Origin::Package(InstalledFile {
        manager,
        name,
        inner,
        path,
    }))
}

/// Returns the position of the version in the first directory of a path: the second `-` of
/// `tokio-util-0.7.1/src/lib.rs`.
pub(crate) fn before_version(path: &str) -> Option<usize> {
    let directory = path.split('/').next()?;
    let mut dashes = directory.match_indices('-');
    let is_version = |at: usize| {
        directory
            .as_bytes()
            .get(at + 1)
            .is_some_and(u8::is_ascii_digit)
    };
    dashes.find_map(|(at, _)| is_version(at).then_some(at))
}

/// Returns the path below the first directory for which `is_wanted` holds, given the directory above it and
/// itself.
pub(crate) fn below_pair(path: &str, is_wanted: impl Fn(&str, &str) -> bool) -> Option<&str> {
    let mut start = 0;
    let mut above = "";
    for directory in path.split('/') {
        start += directory.len() + 1;
        if is_wanted(above, directory) {
            return path.get(start..);
        }
        above = directory;
    }
    None
}

/// Returns the path below the last occurrence of a directory, whose name may have two segments.
pub(crate) fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.rmatch_indices(directory).find_map(|(at, _)| {
        let rest = path.get(at + directory.len()..)?.strip_prefix('/')?;
        let begins = at == 0 || path.as_bytes().get(at - 1) == Some(&b'/');
        (begins && !rest.is_empty()).then_some(rest)
    })
}
