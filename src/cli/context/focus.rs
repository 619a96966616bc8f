//! Paths of `--focus-path` and `--seen-path` as the repository calls them: as they are given, relative to the directory that
//! is asked about, absolute, or as the shell completes them where the command is run.

use std::path::{Component, Path, PathBuf};

use crate::cli::UsageError;

/// The path that `given`, of an argument of this name, means below `root`, which is canonical. Links are followed in the directories
/// above it, and not in its last part, which may be a link of the repository's own.
///
/// # Errors
/// When it lies elsewhere.
pub fn path(argument: &str, root: &Path, given: &str) -> Result<String, UsageError> {
    let (inside, here) = (root.join(given), std::path::absolute(given));
    let here = here.unwrap_or_else(|_| PathBuf::from(given));
    // What is not there, in a bare repository nothing is, is meant relative to the directory.
    let found = [&inside, &here].into_iter().find_map(|path| {
        let is_there = path.symlink_metadata().is_ok();
        is_there.then(|| below(root, &real_directory(path)))?
    });
    let path = found.or_else(|| below(root, &inside));
    let outside = || {
        UsageError(format!(
            "{argument}: {given:?} is not in {}",
            root.display()
        ))
    };
    path.ok_or_else(outside)
}

/// A path with the real path of the directory that it lies in.
fn real_directory(path: &Path) -> PathBuf {
    let real = path
        .parent()
        .zip(path.file_name())
        .and_then(|(directory, name)| Some(directory.canonicalize().ok()?.join(name)));
    real.unwrap_or_else(|| path.to_owned())
}

/// The part of a path below `root`, without `.` and `..`; `None` where it is none.
fn below(root: &Path, path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for component in path.strip_prefix(root).ok()?.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_many_names_and_what_lies_outside_none() {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap().join("shop");
        std::fs::create_dir_all(root.join("cart/views")).unwrap();
        std::fs::write(root.join("cart/add.py"), "").unwrap();
        std::fs::write(keep.path().join("outside.py"), "").unwrap();
        std::os::unix::fs::symlink(keep.path().join("outside.py"), root.join("link.py")).unwrap();
        std::os::unix::fs::symlink(&root, keep.path().join("alias")).unwrap();
        let absolute = root.join("cart/add.py").display().to_string();
        let alias = keep.path().join("alias/cart/add.py").display().to_string();
        let there = [
            "cart/add.py",
            "./cart/add.py",
            "cart//./add.py",
            "cart/views/../add.py",
        ];
        for given in there.into_iter().chain([&*absolute, &*alias]) {
            assert_eq!(path("--x", &root, given).unwrap(), "cart/add.py", "{given}");
        }
        for (given, meant) in [
            ("link.py", "link.py"),
            ("./gone.py", "gone.py"),
            ("gone/../../shop/x.py", ""),
            ("../outside.py", ""),
            ("/etc/hosts", ""),
            (".", ""),
            ("", ""),
        ] {
            let path = path("--x", &root, given);
            assert_eq!(path.unwrap_or_default(), meant, "{given:?}");
        }
    }
}
