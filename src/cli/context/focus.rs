//! Converts paths of `--focus-path` and `--seen-path` to paths of the repository. They may be relative to the directory
//! that is asked about, absolute, or relative to the current directory, as a shell completes them.

use std::path::{Component, Path, PathBuf};

use crate::cli::UsageError;

/// Returns the path below `root`, which is canonical, that `given` names; `argument` is for the error message. Links in
/// the directories above the file are resolved, but not the last part, which may be a link of the repository's own.
///
/// # Errors
/// When the path is not below `root`.
pub fn path(argument: &str, root: &Path, given: &str) -> Result<String, UsageError> {
    let (inside, here) = (root.join(given), std::path::absolute(given));
    let here = here.unwrap_or_else(|_| PathBuf::from(given));
    // A file that does not exist, as any file of a bare repository, is relative to the directory.
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

/// Resolves the links in the directory of a path, but not in its last part.
fn real_directory(path: &Path) -> PathBuf {
    let real = path
        .parent()
        .zip(path.file_name())
        .and_then(|(directory, name)| Some(directory.canonicalize().ok()?.join(name)));
    real.unwrap_or_else(|| path.to_owned())
}

/// Returns the part of a path below `root`, without `.` and `..`; `None` if the path is not below it.
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
    fn paths_are_normalized_and_outside_paths_refused() {
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
            "cart/add.py", "./cart/add.py", "cart//./add.py", "cart/views/../add.py",
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
