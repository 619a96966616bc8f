//! Caches records of a repository's commits, shared by all its revisions. A record holds a commit's changes
//! against its parent under the paths of that time, so it never becomes stale. Git is asked each time which
//! commits belong to a revision. Records are stored in batches if there is a store.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use foveate_model::{ObjectId, RepoPath};
use foveate_parse::hunks;
use parking_lot::Mutex;

use super::commit_record::{self, CommitRecord, Functions, TouchedFiles};
use crate::disk::{ContentStore, Entry, Key, MaxWaste};
use crate::engine::IndexStore;

/// Up to this many records are never evicted.
const MIN_KEPT: usize = 4096;
/// File of the stored records.
const FILE: &str = "history.pack";
/// Number of records in one stored value.
const BATCH: usize = 2000;
/// Kind of stored values with the files of commits. Sorts first, since these are read first.
const TOUCHED_FILES: u8 = 0;
/// Kind of stored values with the functions of commits.
const FUNCTIONS: u8 = 1;
/// With blobs missing for more commits than this, the repository counts as one without old blobs.
const MAX_LOST: usize = 32;
/// Time after which the next revision tries again to read functions that could not be read.
const LOST_RETRY_DELAY: Duration = Duration::from_secs(600);

/// The cached changes of one repository's commits.
#[derive(Debug)]
pub struct CommitRecordCache {
    table: Mutex<RecordTable>,
    /// Held while touched files are read, so that two revisions do not read the same ones.
    pub(super) reading_touched_files: Mutex<()>,
    /// Held while a batch of functions is read.
    pub(super) reading_functions: Mutex<()>,
    read: AtomicUsize,
    /// Commits of the current batch whose functions were read and are not recorded yet.
    in_batch: AtomicUsize,
    wanted: AtomicUsize,
}

#[derive(Debug, Default)]
struct RecordTable {
    store: Option<Arc<dyn ContentStore>>,
    /// Hash of the settings that the records depend on besides the commits.
    settings: Option<u64>,
    /// Number of stored entries: touched files and functions of a commit count separately.
    stored: usize,
    records: HashMap<ObjectId, Slot>,
    /// Interned paths.
    paths: HashSet<RepoPath>,
    /// Commits whose functions could not be read, such as because blobs are missing.
    lost: HashSet<ObjectId>,
    /// When they are tried again.
    retry_at: Option<Instant>,
    /// Number of revisions that were read.
    round: u64,
    /// Number of revisions that are being read.
    readers: usize,
    warned: bool,
    /// Whether a write failed or a stored value is damaged, so that the store lacks records that are in memory.
    is_store_incomplete: bool,
}

#[derive(Debug)]
struct Slot {
    record: Arc<CommitRecord>,
    /// Round in which a revision last used it.
    round: u64,
}

/// A revision that is being read. No record that it uses is evicted until this is dropped.
#[derive(Debug)]
pub(super) struct RecordsInUse<'a> {
    records: &'a CommitRecordCache,
    commits: usize,
}

/// Evicts the least recently used records if there are more than twice as many as one revision has, and no other revision
/// is being read.
impl Drop for RecordsInUse<'_> {
    fn drop(&mut self) {
        let max = (2 * self.commits).max(MIN_KEPT);
        let mut table = self.records.table.lock();
        table.readers -= 1;
        table.round += 1;
        if table.readers == 0 && table.records.len() > max {
            table.evict_oldest(max);
        }
        table.rewrite_store(6 * max);
    }
}

impl CommitRecordCache {
    /// Creates an empty cache without a store.
    pub fn in_memory() -> Self {
        Self {
            table: Mutex::default(),
            reading_touched_files: Mutex::default(),
            reading_functions: Mutex::default(),
            read: AtomicUsize::new(0),
            in_batch: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
        }
    }

    /// Creates a cache of the records in the on-disk index of a repository.
    pub fn of(index: &IndexStore) -> Self {
        Self::stored(index.open(FILE, commit_record::VERSION))
    }

    /// Creates a cache of the records in a store, which is read when they are first needed.
    pub fn stored(store: Option<Arc<dyn ContentStore>>) -> Self {
        let records = Self::in_memory();
        records.table.lock().store = store;
        records
    }

    /// Returns the progress of reading: [`Self::read_count`] with the reads of the current batch, and the number of
    /// expected reads.
    pub fn progress(&self) -> (usize, usize) {
        let read = self.read_count() + self.in_batch.load(Ordering::Relaxed);
        (read, self.wanted.load(Ordering::Relaxed))
    }

    /// Sets the number of commits whose functions were read and are not recorded yet.
    pub(super) fn set_in_batch(&self, commits: usize) {
        self.in_batch.store(commits, Ordering::Relaxed);
    }

    /// Adds this many commits to the expected reads.
    pub(super) fn expect_reads(&self, commits: usize) {
        self.wanted.fetch_add(commits, Ordering::Relaxed);
    }

    /// Returns the number of reads through git: one for the files of a commit, one for its functions.
    pub fn read_count(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }

    /// Returns the estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.table.lock().heap_bytes()
    }

    /// Whether a warning about missing functions may be logged: true on the first call only.
    pub fn may_warn(&self) -> bool {
        !std::mem::replace(&mut self.table.lock().warned, true)
    }

    /// Begins to read a revision with at most this many `commits`. Reads the store if that was not done yet.
    /// Drops the records if they depend on other settings.
    pub(super) fn begin(&self, settings: u64, commits: usize) -> RecordsInUse<'_> {
        let mut table = self.table.lock();
        // Git may have failed for another reason, which has passed.
        if table.retry_at.is_some_and(|at| at <= Instant::now()) {
            table.lost.clear();
            table.retry_at = None;
        }
        if table.settings != Some(settings) {
            *table = RecordTable {
                store: table.store.take(),
                settings: Some(settings),
                warned: table.warned,
                readers: table.readers,
                ..RecordTable::default()
            };
            table.read_store();
        }
        table.readers += 1;
        RecordsInUse {
            records: self,
            commits,
        }
    }

    /// Returns the interned path; `None` if it is not a valid one.
    pub(super) fn intern(&self, path: &str) -> Option<RepoPath> {
        self.table.lock().intern(path)
    }

    /// Returns the records of commits, `None` for those without one.
    pub(super) fn find(&self, commits: &[ObjectId]) -> Vec<Option<Arc<CommitRecord>>> {
        let mut table = self.table.lock();
        let mut record_of = |id| Some(Arc::clone(&table.mark_used(id)?.record));
        commits.iter().map(&mut record_of).collect()
    }

    /// Returns the commits whose files are not recorded.
    pub(super) fn without_touched_files(&self, commits: &[ObjectId]) -> Vec<ObjectId> {
        let mut table = self.table.lock();
        let is_unknown = |id: &&ObjectId| table.mark_used(id).is_none();
        commits.iter().filter(is_unknown).copied().collect()
    }

    /// Returns the commits whose files are recorded and whose functions are not, but can be read.
    pub(super) fn without_functions(&self, commits: &[ObjectId]) -> Vec<ObjectId> {
        let table = self.table.lock();
        if table.lost.len() > MAX_LOST {
            return Vec::new();
        }
        let is_wanted = |id: &&ObjectId| {
            let slot = table.records.get(*id);
            slot.is_some_and(|slot| slot.record.functions.is_none()) && !table.lost.contains(*id)
        };
        commits.iter().filter(is_wanted).copied().collect()
    }

    /// Whether so many blobs are missing that functions are no longer read.
    pub(super) fn gave_up(&self) -> bool {
        self.table.lock().lost.len() > MAX_LOST
    }

    /// Whether none of these commits' functions can be read.
    pub(super) fn lost_all(&self, commits: &[ObjectId]) -> bool {
        let table = self.table.lock();
        !commits.is_empty() && commits.iter().all(|id| table.lost.contains(id))
    }

    pub(super) fn mark_lost(&self, commits: &[ObjectId]) {
        let mut table = self.table.lock();
        if !commits.is_empty() {
            table.lost.extend(commits);
            table.retry_at = Some(Instant::now() + LOST_RETRY_DELAY);
        }
    }

    /// Records the files of commits.
    pub(super) fn add_touched_files(&self, commits: Vec<(ObjectId, TouchedFiles)>) {
        self.read.fetch_add(commits.len(), Ordering::Relaxed);
        let mut table = self.table.lock();
        let stored: Vec<_> = commits.iter().map(|(id, touched)| (*id, touched)).collect();
        table.write(TOUCHED_FILES, &stored, commit_record::encode_touched_files);
        for (id, touched) in commits {
            table.insert(id, touched);
        }
    }

    /// Records the functions of commits whose files are recorded.
    pub(super) fn add_functions(&self, commits: Vec<(ObjectId, Functions)>) {
        let read = commits.len();
        let mut table = self.table.lock();
        let stored: Vec<_> = commits.iter().map(|(id, all)| (*id, all)).collect();
        table.write(FUNCTIONS, &stored, commit_record::encode_functions);
        for (id, functions) in commits {
            table.set_functions(&id, functions);
        }
        self.set_in_batch(0);
        self.read.fetch_add(read, Ordering::Relaxed);
    }
}

fn has_functions(file: &RepoPath) -> bool {
    hunks::of_path(file.as_str()).is_some()
}

impl RecordTable {
    /// Returns a record and marks it as used in this round.
    fn mark_used(&mut self, id: &ObjectId) -> Option<&Slot> {
        let slot = self.records.get_mut(id)?;
        slot.round = self.round;
        Some(slot)
    }

    fn intern(&mut self, path: &str) -> Option<RepoPath> {
        if let Some(known) = self.paths.get(path) {
            return Some(known.clone());
        }
        let path = RepoPath::new(path).ok()?;
        self.paths.insert(path.clone());
        Some(path)
    }

    fn heap_bytes(&self) -> usize {
        let entry = size_of::<(ObjectId, Slot)>() + size_of::<CommitRecord>() + 32;
        let of_record = |slot: &Slot| {
            let TouchedFiles { files, renames } = &slot.record.touched;
            let touched = size_of_val(&**files) + size_of_val(&**renames);
            let functions = slot.record.functions.iter().flatten();
            let functions = functions.map(|of_file| {
                let bytes = of_file
                    .iter()
                    .map(|name| size_of::<Box<str>>() + name.len());
                size_of_val(of_file) + bytes.sum::<usize>()
            });
            touched + functions.sum::<usize>()
        };
        let paths = self.paths.iter();
        let paths = paths.map(|path| path.as_str().len() + 2 * size_of::<RepoPath>());
        self.records.capacity() * entry
            + self.records.values().map(of_record).sum::<usize>()
            + paths.sum::<usize>()
            + self.lost.capacity() * size_of::<ObjectId>()
    }

    fn insert(&mut self, id: ObjectId, touched: TouchedFiles) {
        let record = CommitRecord {
            // If no file can have functions, there is nothing to read.
            functions: (!touched.files.iter().any(has_functions)).then(Vec::new),
            touched,
        };
        let slot = Slot {
            record: Arc::new(record),
            round: self.round,
        };
        self.records.insert(id, slot);
    }

    fn set_functions(&mut self, id: &ObjectId, functions: Functions) {
        if let Some(slot) = self.records.get_mut(id)
            && slot.record.touched.files.len() == functions.len()
        {
            Arc::make_mut(&mut slot.record).functions = Some(functions);
        }
    }

    fn read_store(&mut self) {
        let (Some(store), Some(settings)) = (self.store.clone(), self.settings) else {
            return;
        };
        let mut keys = store.keys();
        let all = keys.len();
        keys.retain(|key| key.starts_with(&settings.to_be_bytes()));
        if keys.len() < all {
            let is_wanted = |key: &[u8]| key.starts_with(&settings.to_be_bytes());
            self.note_written(store.retain(MaxWaste::None, &is_wanted).map(drop));
        }
        // Sorted by kind, so that touched files are restored before functions.
        keys.sort_unstable();
        for key in &keys {
            match store.get(key) {
                Some(bytes) => {
                    self.restore(key.get(8).copied(), &bytes);
                }
                // Its commits may never be read again: only writing the store anew removes it, which otherwise the next
                // process finds damaged, too.
                None => self.is_store_incomplete = true,
            }
        }
    }

    /// Restores a value of the store; returns `None` if it has another format.
    fn restore(&mut self, kind: Option<u8>, bytes: &[u8]) -> Option<()> {
        if kind == Some(TOUCHED_FILES) {
            let intern = &mut |path: &str| self.intern(path);
            let commits = commit_record::decode_touched_files(bytes, intern)?;
            self.stored += commits.len();
            for (id, touched) in commits {
                self.insert(id, touched);
            }
        } else {
            let commits = commit_record::decode_functions(bytes)?;
            self.stored += commits.len();
            for (id, functions) in commits {
                self.set_functions(&id, functions);
            }
        }
        Some(())
    }

    /// Stores data of commits as values of one kind.
    fn write<T>(
        &mut self,
        kind: u8,
        commits: &[(ObjectId, T)],
        encode: impl Fn(&[(ObjectId, T)]) -> Vec<u8>,
    ) {
        let (Some(store), Some(settings)) = (self.store.clone(), self.settings) else {
            return;
        };
        if self.is_store_incomplete {
            return;
        }
        let entries = batches(settings, kind, commits, encode);
        self.stored += commits.len();
        self.note_written(store.put_all(&mut entries.into_iter()));
    }

    /// Sets whether the store has all records now. If not, all are written at the end of each later read.
    fn note_written(&mut self, written: std::io::Result<()>) {
        let Err(error) = written else {
            self.is_store_incomplete = false;
            return;
        };
        metrics::counter!("foveate_disk_failed_writes_total").increment(1);
        if !self.is_store_incomplete {
            tracing::warn!(
                %error,
                "cannot store records of past commits, so a restart will read them again: run `foveate doctor`"
            );
        }
        self.is_store_incomplete = true;
    }

    fn evict_oldest(&mut self, max: usize) {
        let mut rounds: Vec<u64> = self.records.values().map(|slot| slot.round).collect();
        rounds.sort_unstable_by(|a, b| b.cmp(a));
        let Some(oldest) = rounds.get(max).copied() else {
            return;
        };
        // Records of the last round stay, however many there are.
        let keep_from = (oldest + 1).min(self.round.saturating_sub(1));
        self.records.retain(|_, slot| slot.round >= keep_from);
        let records = self.records.values();
        let touched = records.map(|slot| &slot.record.touched);
        self.paths = touched
            .flat_map(|touched| {
                let renamed = touched.renames.iter().flat_map(|(old, new)| [old, new]);
                touched.files.iter().chain(renamed)
            })
            .cloned()
            .collect();
    }

    /// Replaces the stored values by new ones with the present records, if more than `max` entries are stored or some
    /// are missing.
    fn rewrite_store(&mut self, max: usize) {
        let (Some(store), Some(settings)) = (self.store.clone(), self.settings) else {
            return;
        };
        if !(self.stored > max || self.is_store_incomplete) || !store.is_writable() {
            return;
        }
        let slots = self.records.iter();
        let touched: Vec<_> = slots
            .map(|(id, slot)| (*id, &slot.record.touched))
            .collect();
        let slots = self.records.iter();
        let functions: Vec<_> = slots
            .filter_map(|(id, slot)| Some((*id, slot.record.functions.as_ref()?)))
            .collect();
        let stored = touched.len() + functions.len();
        let mut entries = batches(
            settings,
            TOUCHED_FILES,
            &touched,
            commit_record::encode_touched_files,
        );
        entries.extend(batches(
            settings,
            FUNCTIONS,
            &functions,
            commit_record::encode_functions,
        ));
        let wanted: HashSet<Key> = entries.iter().map(|(key, _)| key.clone()).collect();
        let written = store.put_all(&mut entries.into_iter());
        let written =
            written.and_then(|()| store.retain(MaxWaste::None, &|key| wanted.contains(key)));
        self.stored = stored;
        self.note_written(written.map(drop));
    }
}

/// Encodes values of one kind, each for a batch of commits, under keys made of settings, kind and content hash.
fn batches<T>(
    settings: u64,
    kind: u8,
    commits: &[(ObjectId, T)],
    encode: impl Fn(&[(ObjectId, T)]) -> Vec<u8>,
) -> Vec<Entry> {
    let entry = |batch: &[(ObjectId, T)]| {
        let bytes = encode(batch);
        let hash = xxhash_rust::xxh3::xxh3_128(&bytes).to_be_bytes();
        let key = [&settings.to_be_bytes()[..], &[kind], &hash].concat();
        (key.into(), bytes)
    };
    commits.chunks(BATCH).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Pack;

    #[test]
    fn functions_that_could_not_be_read_are_tried_again_later() {
        let records = CommitRecordCache::in_memory();
        let begin = || drop(records.begin(1, 0));
        begin();
        let lost: Vec<ObjectId> = (0..=MAX_LOST)
            .map(|number| ObjectId::from_sha1([number as u8; 20]))
            .collect();
        records.mark_lost(&lost);
        begin();
        assert!(records.gave_up());
        records.table.lock().retry_at = Some(Instant::now());
        begin();
        assert!(!records.gave_up() && !records.lost_all(&lost));
    }

    #[test]
    fn damaged_value_is_removed_although_its_commits_are_not_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        let pack = || Arc::new(Pack::open(path.clone(), 1));
        let ids = [1, 2].map(|number| ObjectId::from_sha1([number; 20]));
        let records = CommitRecordCache::stored(Some(pack()));
        let reading = records.begin(1, 2);
        for id in ids {
            records.add_touched_files(vec![(id, TouchedFiles::default())]);
        }
        drop(reading);
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();

        let records = CommitRecordCache::stored(Some(pack()));
        let reading = records.begin(1, 2);
        assert_eq!(records.without_touched_files(&ids), ids[1..]);
        drop(reading);
        let (pack, records) = (pack(), CommitRecordCache::stored(Some(pack())));
        assert!(pack.keys().iter().all(|key| pack.get(key).is_some()));
        let _reading = records.begin(1, 2);
        assert_eq!(records.without_touched_files(&ids), ids[1..]);
    }
}
