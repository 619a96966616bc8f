//! Stores the index of a repository on disk: the facts of its blobs, by content id, the segments of its lexical index,
//! and the resolved references of its current snapshot. Each of these has a store with its own version. One-shot
//! commands also store indexes of past commits ([`history`]). [`IndexStore::save`] writes in the background; a blob or
//! segment that is not in memory is read from here. An index stored by an earlier program must be read only through
//! [`IndexStore::stale`].

mod history;
mod versions;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use foveate_index::graph::stored as references;
use foveate_index::stored::facts;
use foveate_index::{FileId, Snapshot, StoredIndex};
use foveate_model::{Language, ObjectId, SourceFile};
use foveate_parse::Limits;
use parking_lot::{Mutex, MutexGuard};
use rayon::prelude::*;

pub use self::history::HistoryIndex;
use self::versions::{FACTS, LEXICAL, REFERENCES, Version, Versions};
pub use self::versions::{StageFormat, stage_formats};
use super::BlobReading;
use crate::disk::{self, ContentStore, Entry, Key, MaxWaste, Pack};

/// Where the indexes of repositories are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreLocation {
    /// Nowhere.
    Memory,
    /// In this directory, one subdirectory for each repository.
    Directory(PathBuf),
    /// In this directory, which cannot be written; the text is the reason.
    ReadOnly(PathBuf, String),
}

/// The on-disk index of one repository. Without a directory it stores nothing.
#[derive(Debug)]
pub struct IndexStore {
    directory: Option<PathBuf>,
    versions: Versions,
    /// Opened at first use; `None` where nothing is stored.
    stages: OnceLock<Option<Stages>>,
    /// Why the last write failed, or why nothing is written.
    error: Mutex<Option<String>>,
    read_only: bool,
    /// Held from reading the state in memory until it is stored.
    writing: Mutex<()>,
}

#[derive(Debug)]
struct Stages {
    facts: Arc<dyn ContentStore>,
    lexical: Arc<dyn ContentStore>,
    references: Arc<dyn ContentStore>,
}

impl IndexStore {
    /// Creates the index in the subdirectory `name` and removes leftovers of unfinished writes there.
    pub fn new(location: &StoreLocation, name: &str, limits: &Limits) -> Self {
        let (directory, error) = match location {
            StoreLocation::Memory => (None, None),
            StoreLocation::Directory(directory) => (Some(directory), None),
            StoreLocation::ReadOnly(directory, reason) => (Some(directory), Some(reason.clone())),
        };
        let directory = directory.map(|directory| directory.join(name));
        if let (Some(directory), None) = (&directory, &error) {
            disk::remove_unfinished(directory);
        }
        Self {
            directory,
            versions: Versions::new(limits),
            stages: OnceLock::new(),
            read_only: error.is_some(),
            error: Mutex::new(error),
            writing: Mutex::default(),
        }
    }

    /// Returns a lock to hold from reading the state in memory until it is stored. Blocks.
    pub fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock()
    }

    /// Opens the complete index stored by a program with other limits or versions, where it can be read. Must be called
    /// before anything is written.
    pub(super) fn stale(&self) -> Option<Self> {
        let directory = self.directory.clone()?;
        let versions = Versions::at(&directory, self.versions.references)?;
        let is_stale = versions != self.versions && versions.is_readable(&self.versions);
        is_stale.then(|| Self {
            directory: Some(directory),
            versions,
            stages: OnceLock::new(),
            error: Mutex::default(),
            read_only: true,
            writing: Mutex::default(),
        })
    }

    /// The directory of the repository's data; `None` where nothing is stored.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Whether anything may be written.
    pub fn is_writable(&self) -> bool {
        self.directory.is_some() && !self.read_only
    }

    /// Why the data on disk are not up to date.
    pub fn error(&self) -> Option<String> {
        self.error.lock().clone()
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.directory.as_deref().map_or(0, disk::bytes_in)
    }

    /// Opens another store in the repository's directory, for one user at a time; `None` where nothing is stored.
    pub fn open(&self, file: &str, version: u64) -> Option<Arc<dyn ContentStore>> {
        let path = self.directory.as_ref()?.join(file);
        let pack = if self.read_only {
            Pack::open_read_only(path, version)
        } else {
            Pack::open(path, version)
        };
        Some(Arc::new(pack))
    }

    fn open_stage(&self, stage: StageFormat, version: Version) -> Option<Arc<dyn ContentStore>> {
        self.open(&stage.file(), version.number())
    }

    /// Returns the stored facts of a blob that was read as `named`.
    pub(super) fn find(&self, blob: ObjectId, named: Option<Language>) -> Option<BlobReading> {
        let bytes = self.stages()?.facts.get(&facts::key(blob, named))?;
        let (language, content) = facts::decode(&bytes, foveate_parse::languages::by_code)?;
        Some(BlobReading {
            language,
            content: content.map(Arc::new),
        })
    }

    /// Returns the stored parts of the index of exactly these files.
    pub(super) fn index_of(&self, files: &[SourceFile]) -> StoredIndex {
        let references = self.stages().and_then(|stages| stages.references_of(files));
        if references.is_some() {
            metrics::counter!("foveate_references_restored_total").increment(files.len() as u64);
        }
        StoredIndex {
            segments: self.segments(),
            references: references.unwrap_or_default(),
            commits: None,
        }
    }

    /// Returns the stored segments of the lexical index.
    pub(super) fn segments(&self) -> Vec<Vec<u8>> {
        let Some(stages) = self.stages() else {
            return Vec::new();
        };
        let mut keys = stages.lexical.keys();
        // In a fixed order: of two segments with the same files, always the same one is used.
        keys.sort();
        keys.iter()
            .filter_map(|key| stages.lexical.get(key))
            .collect()
    }

    /// Writes the parts of `current` and `others` that are not on disk. Deletes the parts that no snapshot has once
    /// they exceed `max_waste`. Returns the bytes freed. Blocks, for seconds where there is much to write.
    ///
    /// # Errors
    /// When the system refuses; [`Self::error`] returns the error until the next save.
    pub fn save(
        &self,
        current: &Snapshot,
        others: &[Arc<Snapshot>],
        max_waste: MaxWaste,
    ) -> io::Result<u64> {
        let (Some(stages), true) = (self.stages(), self.is_writable()) else {
            return Ok(0);
        };
        let updated = stages.update(current, others, max_waste);
        *self.error.lock() = updated.as_ref().err().map(ToString::to_string);
        if updated.is_err() {
            metrics::counter!("foveate_disk_failed_writes_total").increment(1);
        }
        updated
    }

    fn stages(&self) -> Option<&Stages> {
        let open = || {
            Some(Stages {
                facts: self.open_stage(FACTS, self.versions.facts)?,
                lexical: self.open_stage(LEXICAL, self.versions.lexical)?,
                references: self.open_stage(REFERENCES, self.versions.references)?,
            })
        };
        self.stages.get_or_init(open).as_ref()
    }
}

impl Stages {
    fn update(
        &self,
        current: &Snapshot,
        others: &[Arc<Snapshot>],
        max_waste: MaxWaste,
    ) -> io::Result<u64> {
        let wanted = self.add_facts(current, others)?;
        self.add_segments(current)?;
        let is_held = |key: &[u8]| current.segments().any(|held| held.id().as_bytes() == key);
        // A start reads every stored segment, needed or not, so that waste costs time.
        let max_segment_waste = match max_waste {
            MaxWaste::ThreeQuarters => MaxWaste::Third,
            other => other,
        };
        Ok(self.facts.retain(max_waste, &|key| wanted.contains(key))?
            + self.lexical.retain(max_segment_waste, &is_held)?
            + self.update_references(current, max_waste)?)
    }

    /// Writes the facts that are not on disk. Returns the keys of all facts that the snapshots have.
    fn add_facts(&self, current: &Snapshot, others: &[Arc<Snapshot>]) -> io::Result<HashSet<Key>> {
        let others = others.iter().map(|snapshot| &**snapshot);
        let files = std::iter::once(current)
            .chain(others)
            .flat_map(|snapshot| snapshot.files.as_slice());
        let mut wanted = HashSet::new();
        let mut missing = files.filter_map(|file| {
            let key = key_of(file)?;
            let is_new = wanted.insert(key.clone()) && !self.facts.contains(&key);
            if !is_new {
                return None;
            }
            let content = match (&file.content, &file.skipped) {
                (Some(content), _) => Ok(&**content),
                (None, Some(reason)) => Err(reason),
                (None, None) => return None,
            };
            Some((key, facts::encode(file.language, content)?))
        });
        self.facts.put_all(&mut missing)?;
        Ok(wanted)
    }

    fn add_segments(&self, current: &Snapshot) -> io::Result<()> {
        let is_stored = |file: FileId| {
            let key = key_of(current.files.file(file));
            key.is_some_and(|key| self.facts.contains(&key))
        };
        let missing = current
            .segments()
            .filter(|segment| !self.lexical.contains(segment.id().as_bytes()))
            .map(|segment| {
                let bytes = segment.encode(is_stored).map_err(io::Error::other)?;
                Ok((segment.id().as_bytes().into(), bytes))
            })
            .collect::<io::Result<Vec<Entry>>>()?;
        self.lexical.put_all(&mut missing.into_iter())
    }

    /// Writes the references of `current`: the parts that are not on disk, and the list of all parts under a key that
    /// identifies its files. Writes nothing where the facts of a file are not stored: parsing it again may give other
    /// facts, for which the references would not hold.
    fn update_references(&self, current: &Snapshot, max_waste: MaxWaste) -> io::Result<u64> {
        let files = current.files.as_slice();
        let is_stored = |file: &SourceFile| {
            file.content.is_none() || key_of(file).is_some_and(|key| self.facts.contains(&key))
        };
        if !files.iter().all(is_stored) {
            return Ok(0);
        }
        let list = key_of_list(files);
        if self.parts_of(&list).is_none() {
            let parts = current.graph.stored_references();
            let keys: Vec<PartKey> = parts.iter().map(|part| key_of_part(part)).collect();
            let missing = keys.iter().zip(parts);
            let missing = missing.filter(|(key, _)| !self.references.contains(*key));
            let parts = missing.map(|(key, part)| (Box::from(&key[..]), part));
            let all = (Box::from(&list[..]), keys.concat());
            self.references.put_all(&mut parts.chain([all]))?;
        }
        let parts: HashSet<PartKey> = self.parts_of(&list).into_iter().flatten().collect();
        self.references
            .retain(max_waste, &|key| key == list || parts.contains(key))
    }

    /// Returns the keys of the parts of a list; `None` where the list or a part is missing.
    fn parts_of(&self, list: &PartKey) -> Option<Vec<PartKey>> {
        let keys = self.references.get(list)?;
        let (keys, rest) = keys.as_chunks();
        let is_complete = rest.is_empty() && keys.iter().all(|key| self.references.contains(key));
        is_complete.then(|| keys.to_vec())
    }

    fn references_of(&self, files: &[SourceFile]) -> Option<Vec<Vec<u8>>> {
        let parts = self.parts_of(&key_of_list(files))?;
        let parts = parts.par_iter().map(|key| self.references.get(key));
        parts.collect()
    }
}

/// The key of a list of references, or of a part of one.
type PartKey = [u8; 17];

fn key_of_list(files: &[SourceFile]) -> PartKey {
    hashed_key(b'l', &references::table(files))
}

fn key_of_part(part: &[u8]) -> PartKey {
    hashed_key(b'p', part)
}

/// Makes a key of a kind and the hash of some bytes.
fn hashed_key(kind: u8, bytes: &[u8]) -> PartKey {
    let mut key = [kind; 17];
    key[1..].copy_from_slice(&xxhash_rust::xxh3::xxh3_128(bytes).to_le_bytes());
    key
}

/// Returns the key of the facts of a file's blob; `None` for a file that was not read.
fn key_of(file: &SourceFile) -> Option<Key> {
    let is_read = file.blob.as_bytes().iter().any(|byte| *byte != 0)
        && foveate_parse::skip_by_name(&file.path).is_none();
    is_read.then(|| facts::key(file.blob, foveate_parse::language_by_name(&file.path)))
}
