//! Finds the `info/exclude` that the walk reads for a directory whose `.git` is a file, as in a worktree or a
//! submodule. The repository decides where such a file leads, so every file on the way is checked first.

use std::io;
use std::path::{Path, PathBuf};

/// Maximum bytes of a `.git` file and of `commondir`, which hold a path.
const MAX_LINK_BYTES: u64 = 8 << 10;

/// Returns the bytes of the `info/exclude` that the walk reads where `.git` is a file, as in a worktree; `None` if this
/// file, or one on the way to it, must not be read.
pub(super) fn linked_exclude_bytes(directory: &Path) -> Option<u64> {
    if !directory.join(".git").is_file() {
        return Some(0);
    }
    match linked_exclude(directory).and_then(|path| regular_bytes(&path)) {
        Ok(bytes) => Some(bytes),
        // The walk cannot open it either.
        Err(error) => {
            use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
            matches!(error.kind(), NotFound | PermissionDenied | NotADirectory).then_some(0)
        }
    }
}

/// Returns the path of the `info/exclude` to which the `.git` file in a directory leads. A relative path counts from the
/// working directory of the process, as in the walk.
fn linked_exclude(directory: &Path) -> io::Result<PathBuf> {
    let link = first_line(&directory.join(".git"))?;
    let git_dir = link
        .strip_prefix("gitdir: ")
        .ok_or(io::ErrorKind::NotFound)?;
    let common = first_line(&Path::new(git_dir).join("commondir"))?;
    let common = match common.starts_with('.') {
        true => Path::new(git_dir).join(common),
        false => PathBuf::from(common),
    };
    Ok(common.join("info/exclude"))
}

fn first_line(path: &Path) -> io::Result<String> {
    if regular_bytes(path)? > MAX_LINK_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let text = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Returns the size of a regular file; an error for everything else, whose reading may never end.
fn regular_bytes(path: &Path) -> io::Result<u64> {
    let real = std::fs::canonicalize(path)?;
    let metadata = real.symlink_metadata()?;
    match metadata.is_file() && !is_of_system(&real) {
        true => Ok(metadata.len()),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Whether a path lies in a virtual file system, where reading may never end.
pub(super) fn is_of_system(real: &Path) -> bool {
    ["/dev", "/proc", "/sys"]
        .iter()
        .any(|root| real.starts_with(root))
}
