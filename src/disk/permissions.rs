//! Restricts access to the data directory to its owner. It holds source code, and perhaps secrets.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::Mode;
use rustix::process::{geteuid, umask};

/// Name prefixes of everything that this program puts into its data directory.
const ENTRIES: [&str; 6] = ["credentials", "foveate.db", "git", "index", "lock", "probe"];
/// The permissions of group and others.
const OTHERS: u32 = 0o077;

/// Sets the umask of this process and its children so that only its user can read the files that they create from now
/// on.
pub fn restrict_umask() {
    let before = umask(Mode::RWXG | Mode::RWXO);
    INITIAL_UMASK.get_or_init(|| before);
}

/// The umask that the program was started with, where the program has changed it.
static INITIAL_UMASK: OnceLock<Mode> = OnceLock::new();

/// Writes a file; a new one gets the permissions that the umask at the program's start gives.
pub fn write_output_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let is_new = !path.exists();
    fs::write(path, bytes)?;
    match INITIAL_UMASK.get() {
        Some(usual) if is_new => {
            let mode = Mode::from_raw_mode(0o666).difference(*usual);
            fs::set_permissions(path, Permissions::from_mode(mode.as_raw_mode()))
        }
        _ => Ok(()),
    }
}

/// Whether other users may read a file with a secret. The group does not count if the file belongs to somebody else, who
/// chose the group, as with the secrets that Kubernetes mounts.
pub fn is_readable_by_others(file: &Metadata) -> bool {
    let may = |who: u32| file.mode() & who != 0;
    may(0o004) || may(0o040) && file.uid() == geteuid().as_raw()
}

/// Creates a directory and its parents, accessible to the owner only.
///
/// # Errors
/// When it cannot be created.
pub fn create_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Removes the permissions of group and others from a data directory and what lies directly in it: what is in a
/// restricted directory cannot be reached. Somebody may have made or copied them with wider ones. The directory itself
/// keeps its permissions if it holds other files or has another owner.
pub(super) fn restrict(directory: &Path) {
    let mut is_ours = true;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if ENTRIES.iter().any(|known| name.starts_with(known)) {
            restrict_one(&entry.path());
        } else {
            is_ours = false;
        }
    }
    let Ok(metadata) = directory.symlink_metadata() else {
        return;
    };
    if is_ours && metadata.uid() == geteuid().as_raw() {
        restrict_one(directory);
    } else if metadata.mode() & OTHERS != 0 {
        tracing::warn!(
            directory = %directory.display(),
            "other users may list the data directory, which does not belong to this program alone: \
             choose a dedicated directory with --data-dir"
        );
    }
}

/// Restricts a file or directory. Symbolic links are left alone.
fn restrict_one(path: &Path) {
    let Ok(metadata) = path.symlink_metadata() else {
        return;
    };
    let mode = metadata.mode() & 0o7777;
    if metadata.is_symlink() || mode & OTHERS == 0 {
        return;
    }
    if let Err(error) = fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
        tracing::warn!(
            path = %path.display(), %error,
            "cannot restrict the permissions: other users may read these files"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().expect("it is there").mode() & 0o777
    }

    fn make(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a file in a directory")).expect("it is made");
        fs::write(path, text).expect("it is written");
        fs::set_permissions(path, Permissions::from_mode(0o644)).expect("its rights are set");
    }

    #[test]
    fn group_may_read_secrets_that_others_own() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let is_readable = |mode| {
            fs::set_permissions(file.path(), Permissions::from_mode(mode))
                .expect("its mode is set");
            is_readable_by_others(&file.path().metadata().expect("it is there"))
        };
        assert_eq!([0o600, 0o640, 0o604].map(is_readable), [false, true, true]);
        // Only root can give files away.
        if std::os::unix::fs::chown(file.path(), Some(1), None).is_ok() {
            assert_eq!([0o440, 0o444].map(is_readable), [false, true]);
        }
    }

    #[test]
    fn open_permissions_are_restricted() {
        let keep = tempfile::tempdir().expect("a temporary directory");
        let data = keep.path().join("data");
        make(&data.join("foveate.db-wal"), "secret");
        make(&data.join("git/a.git/HEAD"), "ref");
        for directory in ["", "git"] {
            let open = Permissions::from_mode(0o755);
            fs::set_permissions(data.join(directory), open).expect("its rights are set");
        }
        restrict(&data);
        for directory in ["", "git"] {
            assert_eq!(mode(&data.join(directory)), 0o700, "{directory}");
        }
        assert_eq!(mode(&data.join("foveate.db-wal")), 0o600);
    }

    #[test]
    fn directory_with_other_files_keeps_its_permissions() {
        let keep = tempfile::tempdir().expect("a temporary directory");
        let shared = keep.path().join("shared");
        make(&shared.join("letter.txt"), "dear");
        make(&shared.join("foveate.db"), "");
        fs::set_permissions(&shared, Permissions::from_mode(0o755)).expect("its rights are set");
        restrict(&shared);
        assert_eq!(mode(&shared), 0o755);
        assert_eq!(mode(&shared.join("letter.txt")), 0o644);
        assert_eq!(mode(&shared.join("foveate.db")), 0o600);
    }
}
