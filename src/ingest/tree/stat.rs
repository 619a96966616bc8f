//! Holds file stats, decides from them whether a file is unchanged, and stores which blob a file with a
//! given stat holds.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use foveate_index::stored::bytes::{Decoder, Encoder};
use foveate_model::{ObjectId, RepoPath};
use parking_lot::Mutex;

use crate::disk::{ContentStore, get_only, put_only};
use crate::engine::IndexStore;

/// File metadata that can be read without opening the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Size in bytes.
    pub size: u64,
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    /// Time of the stat, in seconds since 1970.
    seen: i64,
}

impl Stat {
    /// Reads the stat of `path` without following links.
    pub(super) fn of(path: &Path) -> Option<Self> {
        path.symlink_metadata()
            .ok()
            .map(|metadata| Self::new(&metadata))
    }

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

    /// Whether a file that had this stat when it was read certainly has the same bytes if its stat is `now`. A file
    /// that was written in the second before it was read counts as changed: it may have been written again within the
    /// same second, which its times do not show.
    pub(super) fn is_unchanged(&self, now: &Self) -> bool {
        let seen = now.seen;
        *self
            == Self {
                seen: self.seen,
                ..*now
            }
            && seen >= self.seen
            && self.modified.0.max(self.changed.0) + 1 < self.seen
    }

    /// Reads the stat of a listed entry; one that never counts as unchanged if the directory that lists it may not be
    /// searched, and `None` if the entry is gone.
    pub(super) fn of_listed(path: &Path) -> Option<Self> {
        match path.symlink_metadata() {
            Ok(metadata) => Some(Self::new(&metadata)),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Some(Self::default().distrusted())
            }
            Err(_) => None,
        }
    }

    /// Returns the stat marked so that it never counts as unchanged.
    pub(super) fn distrusted(self) -> Self {
        Self {
            seen: i64::MIN,
            ..self
        }
    }

    /// Returns the stat as if it was read long after the file was written.
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

/// File in which [`Stats::save`] stores the stats.
const FILE: &str = "tree.pack";
/// Format version of [`FILE`].
const VERSION: u64 = 1;

/// The blob ids of files with their stats when they were read, so that an untouched file need not be read
/// again, not even by the next process.
#[derive(Debug)]
pub struct Stats {
    store: Option<Arc<dyn ContentStore>>,
    /// Loaded from the store when first needed.
    blobs: Mutex<Option<Blobs>>,
    /// Number of changes since they were loaded or saved. It is read and changed while `blobs` are locked.
    unsaved: AtomicUsize,
}

/// Divisor: [`Stats::save_if_many`] saves when more than this part of all stats has changed.
const MANY: usize = 32;

type Blobs = HashMap<RepoPath, (Stat, ObjectId)>;

impl Stats {
    /// Opens the stats in the on-disk index of a repository.
    pub fn of(index: &IndexStore) -> Self {
        Self::stored(index.open(FILE, VERSION))
    }

    /// Uses the stats in a store; without a store they start empty and are not saved.
    pub(super) fn stored(store: Option<Arc<dyn ContentStore>>) -> Self {
        Self {
            store,
            blobs: Mutex::default(),
            unsaved: AtomicUsize::new(0),
        }
    }

    /// Returns the blob of a file that has the stat `now`, and its earlier stat, if it is certainly unchanged.
    pub(super) fn blob(&self, path: &RepoPath, now: &Stat) -> Option<(Stat, ObjectId)> {
        self.with(|blobs| {
            let (stat, blob) = blobs.get(path)?;
            stat.is_unchanged(now).then_some((*stat, *blob))
        })
    }

    /// Records the stats and blobs of files that were read.
    pub(super) fn record<'a>(&self, read: impl Iterator<Item = (&'a RepoPath, Stat, ObjectId)>) {
        self.with(|blobs| {
            for (path, stat, blob) in read {
                let known = blobs.get(path);
                // The known stat of a file that was read again, as by an audit, is as good as the new one.
                if known.is_some_and(|(known, of)| *of == blob && known.is_unchanged(&stat)) {
                    continue;
                }
                if blobs.insert(path.clone(), (stat, blob)) != Some((stat, blob)) {
                    self.unsaved.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }

    /// Does [`Self::save`] if many stats have changed: a save writes all stats, which is too much work for one changed
    /// file. After a crash, files whose stats were not saved are read again.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save_if_many(&self, is_there: impl Fn(&RepoPath) -> bool) -> io::Result<()> {
        let blobs = self.blobs.lock();
        let known = blobs.as_ref().map_or(0, HashMap::len);
        let is_many = self.unsaved.load(Ordering::Relaxed).saturating_mul(MANY) > known;
        drop(blobs);
        match is_many {
            true => self.save(is_there),
            false => Ok(()),
        }
    }

    /// Writes the stats if they changed since the last save, after removing the files for which `is_there`
    /// is false. Does nothing if the stats were never used.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save(&self, is_there: impl Fn(&RepoPath) -> bool) -> io::Result<()> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let mut blobs = self.blobs.lock();
        let Some(blobs) = blobs.as_mut() else {
            return Ok(());
        };
        let before = blobs.len();
        blobs.retain(|path, _| is_there(path));
        let removed = before - blobs.len();
        if self.unsaved.fetch_add(removed, Ordering::Relaxed) + removed == 0 {
            return Ok(());
        }
        put_only(&**store, encode(blobs))?;
        self.unsaved.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Blobs) -> T) -> T {
        let mut blobs = self.blobs.lock();
        work(blobs.get_or_insert_with(|| {
            let stored = self.store.as_deref().and_then(get_only);
            stored.and_then(|bytes| decode(&bytes)).unwrap_or_default()
        }))
    }
}

fn encode(blobs: &Blobs) -> Vec<u8> {
    let mut out = Encoder::default();
    out.number(blobs.len() as u64);
    for (path, (stat, blob)) in blobs {
        out.text(path.as_str());
        out.bytes(blob.as_bytes());
        let times = [stat.modified.0, stat.modified.1, stat.changed.0];
        let signed = times.into_iter().chain([stat.changed.1, stat.seen]);
        for number in [stat.size, stat.device, stat.inode] {
            out.number(number);
        }
        signed.for_each(|number| out.number(number.cast_unsigned()));
    }
    out.into_bytes()
}

fn decode(bytes: &[u8]) -> Option<Blobs> {
    let mut rest = Decoder::new(bytes);
    let entries = rest.list(|rest| {
        let path = RepoPath::new(rest.text()?).ok()?;
        let blob = ObjectId::from_bytes(rest.bytes()?)?;
        let (size, device, inode) = (rest.number()?, rest.number()?, rest.number()?);
        let mut signed = || Some(rest.number()?.cast_signed());
        let stat = Stat {
            size,
            device,
            inode,
            modified: (signed()?, signed()?),
            changed: (signed()?, signed()?),
            seen: signed()?,
        };
        Some((path, (stat, blob)))
    })?;
    rest.is_empty().then(|| entries.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Pack;

    fn stat(modified: i64) -> Stat {
        Stat {
            size: 1,
            device: 1,
            inode: 1,
            modified: (modified, 5),
            changed: (modified, 5),
            seen: 200,
        }
    }

    #[test]
    fn stored_stats_are_used_by_next_process() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("tree.pack");
        let stored = || Stats::stored(Some(Arc::new(Pack::open(path.clone(), 1))));
        let file = |name: &str| RepoPath::new(name).expect("a path");
        let blob = ObjectId::from_sha1([7; 20]);
        let stats = stored();
        let (old, fresh, gone) = (file("old.py"), file("fresh.py"), file("gone.py"));
        let read = [
            (&old, stat(-100), blob),
            (&fresh, stat(199), blob),
            (&gone, stat(1), blob),
        ];
        stats.record(read.into_iter());
        stats.save(|path| *path != gone)?;
        let stats = stored();
        let now = |modified| Stat {
            seen: 300,
            ..stat(modified)
        };
        assert_eq!(stats.blob(&old, &now(-100)), Some((stat(-100), blob)));
        assert_eq!(stats.blob(&old, &now(-99)), None, "it was written since");
        assert_eq!(stats.blob(&fresh, &now(199)), None, "it may have been");
        assert_eq!(stats.blob(&gone, &now(1)), None);
        std::fs::write(&path, "not what it was")?;
        assert_eq!(stored().blob(&old, &now(-100)), None);
        Ok(())
    }

    #[test]
    fn few_changed_stats_are_not_saved_before_the_end() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("tree.pack");
        let stored = || Stats::stored(Some(Arc::new(Pack::open(path.clone(), 1))));
        let file = |number: usize| RepoPath::new(&format!("{number}.py")).expect("a path");
        let files: Vec<RepoPath> = (0..64).map(file).collect();
        let blob = ObjectId::from_sha1([7; 20]);
        let now = |modified| Stat {
            seen: 300,
            ..stat(modified)
        };
        let saved = |modified| {
            let stats = stored();
            let is_saved = |file: &&RepoPath| stats.blob(file, &now(modified)).is_some();
            files.iter().filter(is_saved).count()
        };
        let stats = stored();
        let change = |count: usize, modified: i64| {
            let changed = files.iter().take(count);
            stats.record(changed.map(|file| (file, stat(modified), blob)));
            stats.save_if_many(|_| true)
        };
        change(64, 1)?;
        assert_eq!(saved(1), 64);
        change(2, 2)?;
        assert_eq!((saved(1), saved(2)), (64, 0), "two of 64 are few");
        stats.save(|_| true)?;
        assert_eq!((saved(1), saved(2)), (62, 2));
        change(3, 3)?;
        assert_eq!((saved(1), saved(3)), (61, 3));
        // An audit reads the files again and finds them unchanged.
        let changed = files.iter().take(3);
        stats.record(changed.map(|file| (file, now(3), blob)));
        assert_eq!(stats.unsaved.load(Ordering::Relaxed), 0);
        Ok(())
    }

    #[test]
    fn stat_of_recently_written_file_is_untrusted() {
        let old = Stat {
            size: 1,
            device: 1,
            inode: 1,
            modified: (100, 0),
            changed: (100, 0),
            seen: 200,
        };
        assert!(old.is_unchanged(&Stat { seen: 300, ..old }));
        assert!(!old.is_unchanged(&Stat { size: 2, ..old }));
        assert!(!old.is_unchanged(&Stat {
            changed: (101, 0),
            ..old
        }));
        let fresh = Stat { seen: 101, ..old };
        assert!(!fresh.is_unchanged(&Stat { seen: 300, ..fresh }));
    }
}
