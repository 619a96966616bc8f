//! What is known of a repository's commits, shared by all its revisions: a commit's record holds
//! what it changed against its parent by the names of that time, so that it never grows old. Which
//! commits count for a revision is asked of git each time. Kept in a file where there is one.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use foveate_model::{ObjectId, RepoPath};
use foveate_parse::hunks;
use parking_lot::Mutex;

use super::file::{Frame, Read, RecordsFile};

/// Fewer records than this are never dropped.
const FEW: usize = 4096;
/// With this many commits whose blobs are missing, the repository is one without old blobs.
const MOST_LOST: usize = 32;

/// The files that a commit touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Files by the names that the commit gave them; none where they are too many.
    pub files: Vec<RepoPath>,
    /// Old and new names of renamed files, also where the files are too many.
    pub renames: Vec<(RepoPath, RepoPath)>,
}

/// What a commit changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its files.
    pub names: Names,
    /// For each of the files the functions that were changed; `None` while they are not read.
    pub functions: Option<Vec<Vec<Box<str>>>>,
}

/// The records of one repository.
#[derive(Debug)]
pub struct Records {
    known: Mutex<Known>,
    /// Held while names are read, so that two revisions do not read the same.
    pub(super) names_turn: Mutex<()>,
    /// Held while some functions are read.
    pub(super) functions_turn: Mutex<()>,
    read: AtomicUsize,
    wanted: AtomicUsize,
}

#[derive(Debug, Default)]
struct Known {
    path: Option<PathBuf>,
    /// Whether another process writes the file.
    read_only: bool,
    file: Option<RecordsFile>,
    /// What the records depend on beside the commits.
    shape: Option<u64>,
    records: HashMap<ObjectId, Kept>,
    /// Each path once, however many commits touched it.
    paths: HashSet<RepoPath>,
    /// Commits whose functions cannot be read, since blobs are missing.
    lost: HashSet<ObjectId>,
    /// Counts the revisions that were looked at.
    round: u64,
    complained: bool,
}

#[derive(Debug)]
struct Kept {
    record: Arc<Record>,
    round: u64,
}

impl Records {
    /// Records that end with the process.
    pub fn in_memory() -> Self {
        Self {
            known: Mutex::default(),
            names_turn: Mutex::default(),
            functions_turn: Mutex::default(),
            read: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
        }
    }

    /// Records that are kept in a file, which is read when they are first needed.
    pub fn kept_in(path: PathBuf) -> Self {
        let records = Self::in_memory();
        records.known.lock().path = Some(path);
        records
    }

    /// Records that begin with those in a file that another process may be writing.
    pub fn read_from(path: PathBuf) -> Self {
        let records = Self::kept_in(path);
        records.known.lock().read_only = true;
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
        self.known.lock().heap_bytes()
    }

    /// Whether this is the first time that someone asks; so a complaint is made once.
    pub fn may_complain(&self) -> bool {
        !std::mem::replace(&mut self.known.lock().complained, true)
    }

    /// Drops what depends on other settings, and opens the file if that was not done yet.
    pub(super) fn open(&self, shape: u64) {
        let mut known = self.known.lock();
        if known.shape == Some(shape) {
            return;
        }
        *known = Known {
            path: known.path.take(),
            read_only: known.read_only,
            shape: Some(shape),
            complained: known.complained,
            ..Known::default()
        };
        let Some(path) = known.path.clone() else {
            return;
        };
        let read_only = known.read_only;
        let take = |frame: Read<'_>| known.restore(frame);
        if read_only {
            return RecordsFile::read(&path, shape, take);
        }
        match RecordsFile::open(&path, shape, take) {
            Ok(file) => known.file = Some(file),
            Err(error) => {
                tracing::warn!(%error, "records of past commits are not kept: the file cannot be used");
            }
        }
    }

    /// The path itself, or the same one from before.
    pub(super) fn intern(&self, path: &str) -> Option<RepoPath> {
        self.known.lock().intern(path)
    }

    /// The records of commits, as far as there are any.
    pub(super) fn find(&self, commits: &[ObjectId]) -> Vec<Option<Arc<Record>>> {
        let mut known = self.known.lock();
        let round = known.round;
        let mut record_of = |id| {
            let kept = known.records.get_mut(id)?;
            kept.round = round;
            Some(Arc::clone(&kept.record))
        };
        commits.iter().map(&mut record_of).collect()
    }

    /// Those of the commits whose files are not known.
    pub(super) fn without_names(&self, commits: &[ObjectId]) -> Vec<ObjectId> {
        let known = self.known.lock();
        let is_unknown = |id: &&ObjectId| !known.records.contains_key(*id);
        commits.iter().filter(is_unknown).copied().collect()
    }

    /// Those of the commits whose functions are not known and may be had.
    pub(super) fn without_functions(&self, commits: &[ObjectId]) -> Vec<ObjectId> {
        let known = self.known.lock();
        if known.lost.len() > MOST_LOST {
            return Vec::new();
        }
        let is_wanted = |id: &&ObjectId| {
            let kept = known.records.get(*id);
            kept.is_some_and(|kept| kept.record.functions.is_none()) && !known.lost.contains(*id)
        };
        commits.iter().filter(is_wanted).copied().collect()
    }

    /// Whether so many blobs are missing that functions are not read any more.
    pub(super) fn gave_up(&self) -> bool {
        self.known.lock().lost.len() > MOST_LOST
    }

    /// Whether the functions of all these commits cannot be read, and not of a few of them.
    pub(super) fn lost_all(&self, commits: &[ObjectId]) -> bool {
        let known = self.known.lock();
        !commits.is_empty() && commits.iter().all(|id| known.lost.contains(id))
    }

    pub(super) fn lose(&self, commits: &[ObjectId]) {
        self.known.lock().lost.extend(commits);
    }

    /// Takes in the files of commits.
    pub(super) fn add_names(&self, commits: Vec<(ObjectId, Names)>) {
        self.read.fetch_add(commits.len(), Ordering::Relaxed);
        let mut known = self.known.lock();
        known.write(commits.iter().map(|(id, names)| (id, Frame::Names(names))));
        for (id, names) in commits {
            known.insert(id, names);
        }
    }

    /// Takes in the functions of commits whose files are known.
    pub(super) fn add_functions(&self, commits: Vec<(ObjectId, Vec<Vec<Box<str>>>)>) {
        self.read.fetch_add(commits.len(), Ordering::Relaxed);
        let mut known = self.known.lock();
        let frames = commits.iter();
        known.write(frames.map(|(id, functions)| (id, Frame::Functions(functions))));
        for (id, functions) in commits {
            known.set_functions(&id, functions);
        }
    }

    /// A revision's records were read. Those that no revision used for longest are dropped where
    /// there are more than twice as many as one revision has.
    pub(super) fn end_round(&self, commits: usize) {
        let most = (2 * commits).max(FEW);
        let mut known = self.known.lock();
        known.round += 1;
        if known.records.len() > most {
            known.drop_oldest(most);
        }
        known.shrink_file(6 * most);
    }
}

fn has_functions(file: &RepoPath) -> bool {
    hunks::of_path(file.as_str()).is_some()
}

impl Known {
    fn intern(&mut self, path: &str) -> Option<RepoPath> {
        if let Some(known) = self.paths.get(path) {
            return Some(known.clone());
        }
        let path = RepoPath::new(path).ok()?;
        self.paths.insert(path.clone());
        Some(path)
    }

    fn heap_bytes(&self) -> usize {
        let entry = size_of::<(ObjectId, Kept)>() + size_of::<Record>() + 32;
        let of_record = |kept: &Kept| {
            let Names { files, renames } = &kept.record.names;
            let names = size_of_val(&**files) + size_of_val(&**renames);
            let functions = kept.record.functions.iter().flatten();
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
        let kept = Kept {
            record: Arc::new(record),
            round: self.round,
        };
        self.records.insert(id, kept);
    }

    fn set_functions(&mut self, id: &ObjectId, functions: Vec<Vec<Box<str>>>) {
        if let Some(kept) = self.records.get_mut(id)
            && kept.record.names.files.len() == functions.len()
        {
            Arc::make_mut(&mut kept.record).functions = Some(functions);
        }
    }

    fn restore(&mut self, frame: Read<'_>) -> Option<()> {
        match frame {
            Read::Names { id, files, renames } => {
                let files = files
                    .iter()
                    .map(|path| self.intern(path))
                    .collect::<Option<_>>()?;
                let renames = renames
                    .iter()
                    .map(|(old, new)| Some((self.intern(old)?, self.intern(new)?)))
                    .collect::<Option<_>>()?;
                self.insert(id, Names { files, renames });
            }
            Read::Functions { id, functions } => self.set_functions(&id, functions),
        }
        Some(())
    }

    fn write<'a>(&mut self, frames: impl Iterator<Item = (&'a ObjectId, Frame<'a>)>) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.append(frames) {
            tracing::warn!(%error, "records of past commits are not kept any more");
            self.file = None;
        }
    }

    fn drop_oldest(&mut self, most: usize) {
        let mut rounds: Vec<u64> = self.records.values().map(|kept| kept.round).collect();
        rounds.sort_unstable_by(|a, b| b.cmp(a));
        let Some(oldest) = rounds.get(most).copied() else {
            return;
        };
        // The last round stays whole, however many it has.
        let keep_from = (oldest + 1).min(self.round.saturating_sub(1));
        self.records.retain(|_, kept| kept.round >= keep_from);
        let records = self.records.values();
        let names = records.map(|kept| &kept.record.names);
        self.paths = names
            .flat_map(|names| {
                let renamed = names.renames.iter().flat_map(|(old, new)| [old, new]);
                names.files.iter().chain(renamed)
            })
            .cloned()
            .collect();
    }

    /// Writes the file anew where most of it was dropped.
    fn shrink_file(&mut self, most_frames: usize) {
        let frames = self.file.as_ref().map_or(0, RecordsFile::frames);
        if frames <= most_frames {
            return;
        }
        let (Some(path), Some(shape)) = (self.path.clone(), self.shape) else {
            return;
        };
        let names = self
            .records
            .iter()
            .map(|(id, kept)| (id, Frame::Names(&kept.record.names)));
        let functions = self
            .records
            .iter()
            .filter_map(|(id, kept)| Some((id, Frame::Functions(kept.record.functions.as_ref()?))));
        match RecordsFile::replace(&path, shape, names.chain(functions)) {
            Ok(file) => self.file = Some(file),
            Err(error) => {
                tracing::warn!(%error, "records of past commits are not kept any more");
                self.file = None;
            }
        }
    }
}
