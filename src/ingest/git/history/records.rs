//! What is known of a repository's commits, shared by all its revisions: a commit's record holds
//! what it changed against its parent by the names of that time, so that it never grows old. Which
//! commits count for a revision is asked of git each time. Stored in batches, where there is a store.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use foveate_model::{ObjectId, RepoPath};
use foveate_parse::hunks;
use parking_lot::Mutex;

use super::codec::{self, StoredNames};
use super::record::{Functions, Names, Record};
use crate::disk::{ContentStore, Entry, Key, MaxWaste};
use crate::engine::IndexStore;

/// Fewer records than this are never dropped.
const FEW: usize = 4096;
const FILE: &str = "history.pack";
/// Records in one value.
const BATCH: usize = 2000;
/// Kinds of values; names are read first.
const NAMES: u8 = 0;
const FUNCTIONS: u8 = 1;
/// With this many commits whose blobs are missing, the repository is one without old blobs.
const MAX_LOST: usize = 32;

/// The records of one repository.
#[derive(Debug)]
pub struct Records {
    table: Mutex<RecordTable>,
    /// Held while names are read, so that two revisions do not read the same.
    pub(super) names_turn: Mutex<()>,
    /// Held while some functions are read.
    pub(super) functions_turn: Mutex<()>,
    read: AtomicUsize,
    wanted: AtomicUsize,
}

#[derive(Debug, Default)]
struct RecordTable {
    store: Option<Arc<dyn ContentStore>>,
    /// Hash of the settings that the records depend on beside the commits.
    settings: Option<u64>,
    /// Names and functions of commits in the store, each counted.
    stored: usize,
    records: HashMap<ObjectId, Slot>,
    /// Each path once, however many commits touched it.
    paths: HashSet<RepoPath>,
    /// Commits whose functions cannot be read, since blobs are missing.
    lost: HashSet<ObjectId>,
    /// Counts the revisions that were read.
    round: u64,
    /// The rounds in which the revisions began that are being read.
    reading_since: Vec<u64>,
    complained: bool,
}

#[derive(Debug)]
struct Slot {
    record: Arc<Record>,
    /// When a revision last asked for it.
    round: u64,
}

/// A revision that is being read: no record that it asked for is evicted meanwhile.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    records: &'a Records,
    since: u64,
    commits: usize,
}

/// Where there are more than twice as many records as one revision has, those are evicted that no
/// revision used for longest.
impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let max = (2 * self.commits).max(FEW);
        let mut table = self.records.table.lock();
        let is_own = |since: &u64| *since == self.since;
        if let Some(own) = table.reading_since.iter().position(is_own) {
            table.reading_since.swap_remove(own);
        }
        table.round += 1;
        if table.records.len() > max {
            table.evict_oldest(max);
        }
        table.shrink_store(6 * max);
    }
}

impl Records {
    /// Records that end with the process.
    pub fn in_memory() -> Self {
        Self {
            table: Mutex::default(),
            names_turn: Mutex::default(),
            functions_turn: Mutex::default(),
            read: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
        }
    }

    /// Those in the on-disk index of a repository.
    pub fn of(index: &IndexStore) -> Self {
        Self::stored(index.open(FILE, codec::VERSION))
    }

    /// Records of a store, which is read when they are first needed.
    pub fn stored(store: Option<Arc<dyn ContentStore>>) -> Self {
        let records = Self::in_memory();
        records.table.lock().store = store;
        records
    }

    /// How much of what git had to be asked was answered ([`Self::read_count`]), and how much there was.
    pub fn progress(&self) -> (usize, usize) {
        (self.read_count(), self.wanted.load(Ordering::Relaxed))
    }

    /// Git is going to be asked what so many commits changed.
    pub(super) fn want(&self, commits: usize) {
        self.wanted.fetch_add(commits, Ordering::Relaxed);
    }

    /// How often git was asked what a commit changed: once for its files, once for its functions.
    pub fn read_count(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.table.lock().heap_bytes()
    }

    /// Whether this is the first time that someone asks; so a complaint is made once.
    pub fn may_complain(&self) -> bool {
        !std::mem::replace(&mut self.table.lock().complained, true)
    }

    /// Begins to read a revision with so many `commits` at most. Reads the store if that was not done
    /// yet; drops what depends on other settings.
    pub(super) fn begin(&self, settings: u64, commits: usize) -> Reading<'_> {
        let mut table = self.table.lock();
        if table.settings != Some(settings) {
            *table = RecordTable {
                store: table.store.take(),
                settings: Some(settings),
                complained: table.complained,
                ..RecordTable::default()
            };
            table.read_store();
        }
        let since = table.round;
        table.reading_since.push(since);
        Reading {
            records: self,
            since,
            commits,
        }
    }

    /// The path itself, or the same one from before.
    pub(super) fn intern(&self, path: &str) -> Option<RepoPath> {
        self.table.lock().intern(path)
    }

    /// The records of commits, as far as there are any.
    pub(super) fn find(&self, commits: &[ObjectId]) -> Vec<Option<Arc<Record>>> {
        let mut table = self.table.lock();
        let mut record_of = |id| Some(Arc::clone(&table.used(id)?.record));
        commits.iter().map(&mut record_of).collect()
    }

    /// Those of the commits whose files are not known.
    pub(super) fn without_names(&self, commits: &[ObjectId]) -> Vec<ObjectId> {
        let mut table = self.table.lock();
        let is_unknown = |id: &&ObjectId| table.used(id).is_none();
        commits.iter().filter(is_unknown).copied().collect()
    }

    /// Those of the commits whose functions are not known and may be had.
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

    /// Whether so many blobs are missing that functions are not read any more.
    pub(super) fn gave_up(&self) -> bool {
        self.table.lock().lost.len() > MAX_LOST
    }

    /// Whether the functions of all these commits cannot be read, and not of a few of them.
    pub(super) fn lost_all(&self, commits: &[ObjectId]) -> bool {
        let table = self.table.lock();
        !commits.is_empty() && commits.iter().all(|id| table.lost.contains(id))
    }

    pub(super) fn lose(&self, commits: &[ObjectId]) {
        self.table.lock().lost.extend(commits);
    }

    /// Takes in the files of commits.
    pub(super) fn add_names(&self, commits: Vec<(ObjectId, Names)>) {
        self.read.fetch_add(commits.len(), Ordering::Relaxed);
        let mut table = self.table.lock();
        let stored: Vec<_> = commits.iter().map(|(id, names)| (*id, names)).collect();
        table.write(NAMES, &stored, codec::encode_names);
        for (id, names) in commits {
            table.insert(id, names);
        }
    }

    /// Takes in the functions of commits whose files are known.
    pub(super) fn add_functions(&self, commits: Vec<(ObjectId, Functions)>) {
        self.read.fetch_add(commits.len(), Ordering::Relaxed);
        let mut table = self.table.lock();
        let stored: Vec<_> = commits.iter().map(|(id, all)| (*id, all)).collect();
        table.write(FUNCTIONS, &stored, codec::encode_functions);
        for (id, functions) in commits {
            table.set_functions(&id, functions);
        }
    }
}

fn has_functions(file: &RepoPath) -> bool {
    hunks::of_path(file.as_str()).is_some()
}

impl RecordTable {
    /// A record that the revision of this round needs.
    fn used(&mut self, id: &ObjectId) -> Option<&Slot> {
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
        let entry = size_of::<(ObjectId, Slot)>() + size_of::<Record>() + 32;
        let of_record = |slot: &Slot| {
            let Names { files, renames } = &slot.record.names;
            let names = size_of_val(&**files) + size_of_val(&**renames);
            let functions = slot.record.functions.iter().flatten();
            let functions = functions.map(|of_file| {
                let bytes = of_file
                    .iter()
                    .map(|name| size_of::<Box<str>>() + name.len());
                size_of_val(of_file) + bytes.sum::<usize>()
            });
            names + functions.sum::<usize>()
        };
        let paths = self.paths.iter();
        let paths = paths.map(|path| path.as_str().len() + 2 * size_of::<RepoPath>());
        self.records.capacity() * entry
            + self.records.values().map(of_record).sum::<usize>()
            + paths.sum::<usize>()
            + self.lost.capacity() * size_of::<ObjectId>()
    }

    fn insert(&mut self, id: ObjectId, names: Names) {
        let record = Record {
            // Where no file has functions there is nothing to read.
            functions: (!names.files.iter().any(has_functions)).then(Vec::new),
            names,
        };
        let slot = Slot {
            record: Arc::new(record),
            round: self.round,
        };
        self.records.insert(id, slot);
    }

    fn set_functions(&mut self, id: &ObjectId, functions: Functions) {
        if let Some(slot) = self.records.get_mut(id)
            && slot.record.names.files.len() == functions.len()
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
            self.complain_of(store.retain(MaxWaste::None, &is_wanted).map(drop));
        }
        // By kind, so that the names are there when the functions come.
        keys.sort_unstable();
        for key in &keys {
            if let Some(bytes) = store.get(key) {
                self.restore(key.get(8).copied(), &bytes);
            }
        }
    }

    /// Takes in a value of the store; `None` where it is of another format.
    fn restore(&mut self, kind: Option<u8>, bytes: &[u8]) -> Option<()> {
        if kind == Some(NAMES) {
            let commits = codec::decode_names(bytes)?;
            self.stored += commits.len();
            for commit in commits {
                self.restore_names(&commit)?;
            }
        } else {
            let commits = codec::decode_functions(bytes)?;
            self.stored += commits.len();
            for (id, functions) in commits {
                self.set_functions(&id, functions);
            }
        }
        Some(())
    }

    fn restore_names(&mut self, commit: &StoredNames<'_>) -> Option<()> {
        let files = commit.files.iter().map(|path| self.intern(path));
        let files = files.collect::<Option<_>>()?;
        let renames = commit.renames.iter();
        let renames = renames.map(|(old, new)| Some((self.intern(old)?, self.intern(new)?)));
        let renames = renames.collect::<Option<_>>()?;
        self.insert(commit.id, Names { files, renames });
        Some(())
    }

    /// Stores something of commits, as values of one kind.
    fn write<T>(
        &mut self,
        kind: u8,
        commits: &[(ObjectId, T)],
        encode: impl Fn(&[(ObjectId, T)]) -> Vec<u8>,
    ) {
        let (Some(store), Some(settings)) = (self.store.clone(), self.settings) else {
            return;
        };
        let entries = batches(settings, kind, commits, encode);
        self.stored += commits.len();
        self.complain_of(store.put_all(&mut entries.into_iter()));
    }

    /// Where storing failed: says so, and stores nothing from then on.
    fn complain_of(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written {
            tracing::warn!(%error, "records of past commits are not stored any more");
            self.store = None;
        }
    }

    fn evict_oldest(&mut self, max: usize) {
        let mut rounds: Vec<u64> = self.records.values().map(|slot| slot.round).collect();
        rounds.sort_unstable_by(|a, b| b.cmp(a));
        let Some(oldest) = rounds.get(max).copied() else {
            return;
        };
        // The last round stays whole, however many it has, and so does what others are reading.
        let last = self.round.saturating_sub(1);
        let reading = self.reading_since.iter().copied().min();
        let keep_from = (oldest + 1).min(reading.unwrap_or(last)).min(last);
        self.records.retain(|_, slot| slot.round >= keep_from);
        let records = self.records.values();
        let names = records.map(|slot| &slot.record.names);
        self.paths = names
            .flat_map(|names| {
                let renamed = names.renames.iter().flat_map(|(old, new)| [old, new]);
                names.files.iter().chain(renamed)
            })
            .cloned()
            .collect();
    }

    /// Stores what is known as new values, in the place of those of which too much was dropped.
    fn shrink_store(&mut self, max: usize) {
        let (Some(store), Some(settings)) = (self.store.clone(), self.settings) else {
            return;
        };
        if self.stored <= max || !store.is_writable() {
            return;
        }
        let slots = self.records.iter();
        let names: Vec<_> = slots.map(|(id, slot)| (*id, &slot.record.names)).collect();
        let slots = self.records.iter();
        let functions: Vec<_> = slots
            .filter_map(|(id, slot)| Some((*id, slot.record.functions.as_ref()?)))
            .collect();
        let stored = names.len() + functions.len();
        let mut entries = batches(settings, NAMES, &names, codec::encode_names);
        entries.extend(batches(
            settings,
            FUNCTIONS,
            &functions,
            codec::encode_functions,
        ));
        let wanted: HashSet<Key> = entries.iter().map(|(key, _)| key.clone()).collect();
        let written = store.put_all(&mut entries.into_iter());
        let written =
            written.and_then(|()| store.retain(MaxWaste::None, &|key| wanted.contains(key)));
        self.stored = stored;
        self.complain_of(written.map(drop));
    }
}

/// Values of one kind, each of a batch of commits, named by their settings and contents.
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
