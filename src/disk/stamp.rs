//! Detects that a file was written or replaced, such as a certificate.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A fingerprint that differs once a file was written or replaced: device, inode, length and time of change. Links are
/// followed, since secrets are mounted into containers as links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    device: u64,
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl FileStamp {
    /// Returns the stamp of a file; `None` where there is no file.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_file_has_different_stamp() {
        let directory = tempfile::tempdir().unwrap();
        let (path, next) = (directory.path().join("a"), directory.path().join("b"));
        assert_eq!(FileStamp::of(&path), None);
        std::fs::write(&path, "1").unwrap();
        let first = FileStamp::of(&path);
        assert!(first.is_some() && first == FileStamp::of(&path));
        std::fs::write(&next, "2").unwrap();
        std::fs::rename(&next, &path).unwrap();
        assert_ne!(FileStamp::of(&path), first);
    }
}
