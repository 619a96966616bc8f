//! Origins of code, what the paths of a language tell of them, and how such paths are taken apart.

use crate::traces::places::Frame;

/// Where code is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// A source file, of the repository or of somebody who uses it.
    Project,
    /// A file of an installed package.
    Package(Installed<'a>),
    /// A file of a language's runtime or standard library, or copied from elsewhere: its path below
    /// the root of the library or of the copies.
    Foreign(&'a str),
    /// A file that a bundler wrote, with the package that it is built from where its name says so.
    Bundle(Option<&'a str>),
}

/// A file of an installed package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installed<'a> {
    /// Who installed it.
    pub manager: &'static PackageManager,
    /// The package: `@vue/runtime-core`, `flask`, `tokio`.
    pub name: &'a str,
    /// The file's path below the package's directory; empty for a module that is a file itself.
    pub inner: &'a str,
    /// The file's path below the directory of all packages.
    pub path: &'a str,
}

/// What installs packages.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PackageManager {
    /// What it is called.
    pub name: &'static str,
    /// How a package is found in the repository that it is made from.
    pub home: PackageHome,
    /// Whether what is installed was built, mostly, so that its files are those of no repository.
    pub is_built: bool,
}

/// How a package is found in the repository that it is made from.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum PackageHome {
    /// The module system knows the directories of packages.
    Modules,
    /// A package is a module: a file with this ending, or the directory of a file with this stem.
    Module {
        /// The ending of files of modules.
        ending: &'static str,
        /// The stem of a file that stands for its directory.
        package_stem: &'static str,
    },
    /// Manifests of this name give the package's name for a key at the start of a line.
    Manifest {
        /// The file.
        file: &'static str,
        /// The key; with a blank behind it, it is no assignment.
        key: &'static str,
    },
    /// A file is called like the package, with this ending.
    Named {
        /// The ending.
        ending: &'static str,
    },
}

/// What the paths of a language's files tell.
#[derive(Clone, Copy)]
pub(crate) struct OriginForm {
    /// What installs its packages.
    pub(crate) manager: Option<&'static PackageManager>,
    /// The file of an installed package, or of a bundle beside those, and the path below the
    /// directory of all packages.
    pub(crate) package: fn(&str) -> Option<(&str, Origin<'_>)>,
    /// The path below the root of its own library, for a file of that.
    pub(crate) runtime: fn(&str) -> Option<&str>,
    /// Whether a file, below a directory for copies, is code of this language.
    pub(crate) is_copied: fn(&str) -> bool,
    /// A built file.
    pub(crate) bundle: fn(&str) -> Option<Origin<'_>>,
    /// Whether a column is that of a minified file.
    pub(crate) is_minified: fn(&Frame) -> bool,
    /// Whether an engine runs the file at a path, which is then built or a source.
    pub(crate) is_script: fn(&str) -> bool,
    /// Whether a path, which begins at some root of sources, says all directories below it: a file that
    /// has only its name is another one.
    pub(crate) is_complete: fn(&str) -> bool,
    /// Extensions of files that hold one component each, of the same name.
    pub(crate) component_extensions: &'static [&'static str],
}

impl OriginForm {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self {
        manager: None,
        package: |_| None,
        runtime: |_| None,
        is_copied: |_| false,
        bundle: |_| None,
        is_minified: |_| false,
        is_script: |_| false,
        is_complete: |_| false,
        component_extensions: &[],
    };
}

/// A file at `path` below the directory of all packages; the first `end` bytes are the package's
/// name, and a version may stand between it and the next slash.
pub(crate) fn installed<'p>(
    manager: &'static PackageManager,
    path: &'p str,
    end: usize,
) -> Option<Origin<'p>> {
    let (name, after) = path.split_at_checked(end)?;
    let inner = after.split_once('/').map_or("", |(_, inner)| inner);
    Some(Origin::Package(Installed {
        manager,
        name,
        inner,
        path,
    }))
}

/// Where the version begins in the first directory of a path: at the second `-` of
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

/// What is below the first directory that `is_meant`, given the one above it and itself.
pub(crate) fn below_pair(path: &str, is_meant: impl Fn(&str, &str) -> bool) -> Option<&str> {
    let mut start = 0;
    let mut above = "";
    for directory in path.split('/') {
        start += directory.len() + 1;
        if is_meant(above, directory) {
            return path.get(start..);
        }
        above = directory;
    }
    None
}

/// What stands below the last directory of a name, which may have two segments.
pub(crate) fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.rmatch_indices(directory).find_map(|(at, _)| {
        let rest = path.get(at + directory.len()..)?.strip_prefix('/')?;
        let begins = at == 0 || path.as_bytes().get(at - 1) == Some(&b'/');
        (begins && !rest.is_empty()).then_some(rest)
    })
}
