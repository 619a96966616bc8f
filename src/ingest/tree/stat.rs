//! What the system says of a file without opening it, and whether that still holds.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{SystemTime, UNIX_EPOCH};

/// What the system says of a file without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Bytes.
    pub size: u64,
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    /// Seconds since 1970 when it was looked at.
    seen: i64,
}

impl Stat {
    pub(super) fn new(metadata: &Metadata) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            size: metadata.len(),
            device: metadata.dev(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            seen: now.map_or(0, |d| d.as_secs().cast_signed()),
        }
    }

    /// Whether a file that had this stat when it was read has the same bytes when it has `now`. A
    /// file that was written in the second before it was read may have been written again without
    /// a trace, so it counts as changed.
    pub(super) fn is_still(&self, now: &Self) -> bool {
        let seen = now.seen;
        *self
            == Self {
                seen: self.seen,
                ..*now
            }
            && seen >= self.seen
            && self.modified.0.max(self.changed.0) + 1 < self.seen
    }

    /// The same stat, which says nothing about the bytes any more.
    pub(super) fn distrusted(self) -> Self {
        Self {
            seen: i64::MIN,
            ..self
        }
    }

    /// The same stat, seen long after the file was written.
    #[cfg(test)]
    pub(super) fn as_old(self) -> Self {
        Self {
            seen: self.seen + 10,
            ..self
        }
    }

    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_file_is_not_trusted_and_an_old_one_is() {
        let old = Stat {
            size: 1,
            device: 1,
            inode: 1,
            modified: (100, 0),
            changed: (100, 0),
            seen: 200,
        };
        assert!(old.is_still(&Stat { seen: 300, ..old }));
        assert!(!old.is_still(&Stat { size: 2, ..old }));
        assert!(!old.is_still(&Stat {
            changed: (101, 0),
            ..old
        }));
        let fresh = Stat { seen: 101, ..old };
        assert!(!fresh.is_still(&Stat { seen: 300, ..fresh }));
    }
}
