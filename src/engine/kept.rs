//! What of a repository outlives the process: what its blobs gave, by content id, the segments of its
//! lexical index, and the resolved references of its current snapshot, each in a pack of its own,
//! versioned by itself; for runs that answer and end indexes of past commits as well ([`past`]). Written in the background by [`Kept::save`]; read where they are not in memory.
//! What an earlier program left is read through [`Kept::earlier`] alone. Without a directory it keeps
//! nothing.

mod past;
mod shapes;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_index::graph::stored as references;
use foveate_index::stored::{Index, facts};
use foveate_index::{FileId, Snapshot};
use foveate_model::{Language, ObjectId, SourceFile};
use foveate_parse::Limits;
use parking_lot::Mutex;
use rayon::prelude::*;

pub use self::past::IndexedPast;
use self::shapes::{FACTS, LEXICAL, REFERENCES, Shapes};
use super::Reading;
use crate::disk::{self, Pack, Slack};

/// Where a repository's data are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptIn {
    /// Nowhere.
    Memory,
    /// In directories of their own below this one.
    Directory(PathBuf),
    /// There as well, where nothing can be written; the text says why.
    ReadOnly(PathBuf, String),
}

/// What of one repository outlives the process.
#[derive(Debug)]
pub struct Kept {
    directory: Option<PathBuf>,
    shapes: Shapes,
    /// Opened when first needed.
    packs: Mutex<Option<Arc<Packs>>>,
    /// Why the last write failed, or why none is tried.
    trouble: Mutex<Option<String>>,
    read_only: bool,
}

#[derive(Debug)]
struct Packs {
    facts: Pack,
    lexical: Pack,
    references: Pack,
}

impl Kept {
    /// What is kept in the directory of this name.
    pub fn new(kept_in: &KeptIn, name: &str, limits: &Limits) -> Self {
        let (directory, trouble) = match kept_in {
            KeptIn::Memory => (None, None),
            KeptIn::Directory(directory) => (Some(directory), None),
            KeptIn::ReadOnly(directory, reason) => (Some(directory), Some(reason.clone())),
        };
        Self {
            directory: directory.map(|directory| directory.join(name)),
            shapes: Shapes::new(limits),
            packs: Mutex::default(),
            read_only: trouble.is_some(),
            trouble: Mutex::new(trouble),
        }
    }

    /// The whole index that a program with other limits or versions left, where it can be read; only
    /// before this one has written anything.
    pub(super) fn earlier(&self) -> Option<Self> {
        let directory = self.directory.clone()?;
        let shapes = Shapes::at(&directory, self.shapes.references)?;
        let is_earlier = shapes != self.shapes && shapes.is_readable(&self.shapes);
        is_earlier.then(|| Self {
            directory: Some(directory),
            shapes,
            packs: Mutex::default(),
            trouble: Mutex::default(),
            read_only: true,
        })
    }

    /// The directory of the repository's data; `None` where nothing is kept.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Whether anything may be written.
    pub fn is_writable(&self) -> bool {
        self.directory.is_some() && !self.read_only
    }

    /// Why the data on disk are not what they should be.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().clone()
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.directory.as_deref().map_or(0, disk::bytes_in)
    }

    /// What the blob gave when it was last read as `named`.
    pub(super) fn find(&self, blob: ObjectId, named: Option<Language>) -> Option<Reading> {
        let bytes = self.packs()?.facts.get(&facts::key(blob, named))?;
        let format = self.shapes.facts.format;
        let (language, content) = facts::decode(&bytes, format, foveate_parse::languages::by_code)?;
        Some(Reading {
            language,
            content: content.map(Arc::new),
        })
    }

    /// What is stored of the index of just these files.
    pub(super) fn index_of(&self, files: &[SourceFile]) -> Index {
        let references = self.packs().and_then(|packs| packs.references_of(files));
        if references.is_some() {
            metrics::counter!("foveate_references_restored_total").increment(files.len() as u64);
        }
        Index {
            segments: self.segments(),
            references: references.unwrap_or_default(),
            past: None,
        }
    }

    /// The segments of the lexical index.
    pub(super) fn segments(&self) -> Vec<Vec<u8>> {
        let Some(packs) = self.packs() else {
            return Vec::new();
        };
        let mut keys = packs.lexical.keys();
        // So that of two segments with the same files it is always the same one that is used.
        keys.sort();
        keys.iter()
            .filter_map(|key| packs.lexical.get(key))
            .collect()
    }

    /// Writes what `current` and `others` have and the disk has not, and drops what none of them
    /// has once there is enough of it. Blocks, for seconds where there is much.
    ///
    /// # Errors
    /// When the system says no; [`Self::trouble`] tells until the next time.
    pub fn save(&self, current: &Snapshot, others: &[Arc<Snapshot>]) -> io::Result<()> {
        self.tidy(current, others, Slack::Third).map(drop)
    }

    /// As [`Self::save`], for runs that each look at one revision and end: what others had stays longer.
    ///
    /// # Errors
    /// As [`Self::save`].
    pub fn save_one_of_many(&self, current: &Snapshot) -> io::Result<()> {
        self.tidy(current, &[], Slack::ThreeQuarters).map(drop)
    }

    /// As [`Self::save`], and drops all that none of the snapshots has. Returns the bytes freed.
    ///
    /// # Errors
    /// As [`Self::save`].
    pub fn collect(&self, current: &Snapshot, others: &[Arc<Snapshot>]) -> io::Result<u64> {
        self.tidy(current, others, Slack::None)
    }

    /// Forgets what was opened; it is opened again when needed.
    pub fn close(&self) {
        *self.packs.lock() = None;
    }

    fn tidy(&self, current: &Snapshot, others: &[Arc<Snapshot>], slack: Slack) -> io::Result<u64> {
        let (Some(packs), true) = (self.packs(), self.is_writable()) else {
            return Ok(0);
        };
        let done = packs.tidy(current, others, slack);
        *self.trouble.lock() = done.as_ref().err().map(ToString::to_string);
        if done.is_err() {
            metrics::counter!("foveate_disk_failed_writes_total").increment(1);
        }
        done
    }

    fn packs(&self) -> Option<Arc<Packs>> {
        let directory = self.directory.as_ref()?;
        let mut packs = self.packs.lock();
        let opened = packs.get_or_insert_with(|| {
            Arc::new(Packs {
                facts: Pack::open(directory.join(FACTS), self.shapes.facts.number()),
                lexical: Pack::open(directory.join(LEXICAL), self.shapes.lexical.number()),
                references: Pack::open(directory.join(REFERENCES), self.shapes.references.number()),
            })
        });
        Some(Arc::clone(opened))
    }
}

impl Packs {
    fn tidy(&self, current: &Snapshot, others: &[Arc<Snapshot>], slack: Slack) -> io::Result<u64> {
        let others = others.iter().map(|snapshot| &**snapshot);
        let files = std::iter::once(current)
            .chain(others)
            .flat_map(|snapshot| snapshot.files.as_slice());
        let mut wanted = HashSet::new();
        let missing = files.filter_map(|file| {
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
        self.facts.append(missing)?;
        let segments: Vec<_> = current.segments().collect();
        let is_stored = |file: FileId| {
            let key = key_of(current.files.file(file));
            key.is_some_and(|key| self.facts.contains(&key))
        };
        let missing = segments
            .iter()
            .filter(|segment| !self.lexical.contains(segment.id().as_bytes()))
            .map(|segment| {
                let bytes = segment.encode(is_stored).map_err(io::Error::other)?;
                Ok((segment.id().as_bytes().into(), bytes))
            })
            .collect::<io::Result<Vec<_>>>()?;
        self.lexical.append(missing.into_iter())?;
        let is_held = |key: &[u8]| segments.iter().any(|held| held.id().as_bytes() == key);
        // Every segment is read at a start, wanted or not.
        let segments_slack = match slack {
            Slack::ThreeQuarters => Slack::Third,
            slack => slack,
        };
        Ok(self.facts.shrink(slack, |key| wanted.contains(key))?
            + self.lexical.shrink(segments_slack, is_held)?
            + self.tidy_references(current, slack)?)
    }

    /// Writes the references of `current`: those parts that the disk has not, and the list of all parts
    /// under a key that stands for its files. None where a file may give other facts the next time, for
    /// which they would not hold.
    fn tidy_references(&self, current: &Snapshot, slack: Slack) -> io::Result<u64> {
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
            let keys: Vec<Key> = parts.iter().map(|part| key_of_part(part)).collect();
            let missing = keys.iter().zip(parts);
            let missing = missing.filter(|(key, _)| !self.references.contains(*key));
            let parts = missing.map(|(key, part)| (Box::from(&key[..]), part));
            let all = (Box::from(&list[..]), keys.concat());
            self.references.append(parts.chain([all]))?;
        }
        let parts: HashSet<Key> = self.parts_of(&list).into_iter().flatten().collect();
        self.references
            .shrink(slack, |key| key == list || parts.contains(key))
    }

    /// The keys of the parts of a list; `None` where one is not there.
    fn parts_of(&self, list: &Key) -> Option<Vec<Key>> {
        let keys = self.references.get(list)?;
        let (keys, rest) = keys.as_chunks();
        let is_whole = rest.is_empty() && keys.iter().all(|key| self.references.contains(key));
        is_whole.then(|| keys.to_vec())
    }

    fn references_of(&self, files: &[SourceFile]) -> Option<Vec<Vec<u8>>> {
        let parts = self.parts_of(&key_of_list(files))?;
        let parts = parts.par_iter().map(|key| self.references.get(key));
        parts.collect()
    }
}

/// What names a list of references, or a part of one.
type Key = [u8; 17];

fn key_of_list(files: &[SourceFile]) -> Key {
    key_of_bytes(b'l', &references::table(files))
}

fn key_of_part(part: &[u8]) -> Key {
    key_of_bytes(b'p', part)
}

fn key_of_bytes(kind: u8, bytes: &[u8]) -> Key {
    let mut key = [kind; 17];
    key[1..].copy_from_slice(&xxhash_rust::xxh3::xxh3_128(bytes).to_le_bytes());
    key
}

/// The key of what a file's blob gave; `None` for a file that was not read.
fn key_of(file: &SourceFile) -> Option<Box<[u8]>> {
    let is_read = file.blob.as_bytes().iter().any(|byte| *byte != 0)
        && foveate_parse::skip_by_name(&file.path).is_none();
    is_read.then(|| facts::key(file.blob, foveate_parse::language_by_name(&file.path)))
}
