//! Reads one file of a working tree: its bytes, their git object id, and what the blob cache makes
//! of them. A file that cannot be read becomes a file with a reason.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use foveate_model::{ObjectId, SkipReason, SourceFile};
use sha1::{Digest, Sha1};

use super::walk::{Found, FoundKind};
use crate::engine::{BlobCache, skipped_file, source_file};

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

    fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// The id of files that were not read, as git writes it.
pub fn unread() -> ObjectId {
    ObjectId::from_sha1([0; 20])
}

/// Reads a file that was found. Returns its stat at the time of reading; `None` where it is gone by
/// now.
pub fn file(root: &Path, found: Found, blobs: &BlobCache) -> Option<(Stat, SourceFile)> {
    let Found { path, stat, kind } = found;
    let limit = blobs.limits().max_bytes;
    let reason = match kind {
        FoundKind::Symlink => Some(SkipReason::Symlink),
        FoundKind::Repository => Some(SkipReason::Submodule),
        FoundKind::Special => Some(SkipReason::Unreadable("it is not a file".to_owned())),
        FoundKind::File => foveate_parse::skip_by_name(&path).or_else(|| {
            (stat.size > limit).then_some(SkipReason::TooLarge {
                bytes: stat.size,
                limit,
            })
        }),
    };
    if let Some(reason) = reason {
        return Some((stat, skipped_file(path, unread(), stat.size, reason)));
    }
    let absolute = root.join(path.as_str());
    match bytes(&absolute, &stat, limit) {
        Ok((stat, bytes)) => {
            let blob = blob_id(&bytes);
            let named = foveate_parse::language_by_name(&path);
            let reading = match blobs.get(blob, named) {
                Some(reading) => reading,
                None => blobs.read(blob, named, &bytes),
            };
            Some((stat, source_file(path, blob, stat.size, reading)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            let reason = SkipReason::Unreadable(error.to_string());
            Some((stat, skipped_file(path, unread(), stat.size, reason)))
        }
    }
}

/// The bytes of a file, at most one more than `limit`, if it is still the file that was found: a
/// link put in its place must not lead out of the tree.
fn bytes(path: &Path, found: &Stat, limit: u64) -> io::Result<(Stat, Vec<u8>)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let stat = Stat::new(&metadata);
    let direct = path.symlink_metadata()?;
    if !direct.is_file() || !stat.is_same_file(&Stat::new(&direct)) {
        return Err(io::Error::other("it was replaced while it was read"));
    }
    let expected = usize::try_from(found.size.min(limit)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    let size = bytes.len() as u64;
    Ok((Stat { size, ..stat }, bytes))
}

/// The id that git gives to these bytes.
fn blob_id(bytes: &[u8]) -> ObjectId {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    ObjectId::from_sha1(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        // `git hash-object --stdin` of nothing and of "hello\n".
        for (bytes, id) in [
            (&b""[..], "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
            (b"hello\n", "ce013625030ba8dba906f756967f9e9ca394464a"),
        ] {
            assert_eq!(blob_id(bytes).to_string(), id);
        }
    }

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
