//! Builds the lexical index of a snapshot: tantivy segments over chunks and files, the commit messages, and
//! BM25F scoring term at a time. Tantivy's own top-k is not used: on a query of a whole issue its block-max
//! WAND costs twenty times as much as reading the posting lists.

mod commit_index;
mod commits;
mod fields;
mod impacts;
mod postings;
mod score;
mod segment;
pub(crate) mod stored;
mod term_cache;
mod term_scores;
mod vocabulary;
mod weights;

use std::sync::{Arc, OnceLock};

use foveate_model::{Content, RepoPath};
use rayon::prelude::*;

use self::fields::has_headings;
pub use self::fields::{FIELDS, Field};
pub use self::score::{ChunkHit, FileHit, Hits, MIN_SEARCHED_TERMS, QueryTerm};
pub use self::stored::{FORMAT, StoredSegment, VERSION};
pub use self::weights::{Bm25, LexicalWeights};

pub use self::commit_index::{CommitIndex, FunctionId, PathId};
pub use self::commits::{Commits, IndexedCommit};
use self::score::SharedScoring;
use self::segment::{Document, Segment};

use crate::files::{ChunkId, FileId, Files};

/// The lexical index could not be written or read.
#[derive(Debug, thiserror::Error)]
#[error("lexical index: {0}")]
pub struct LexicalError(#[from] tantivy::TantivyError);

/// Maximum number of segments with up to four threads. More are merged, because each costs a dictionary
/// look-up per term and field.
pub const MAX_SEGMENTS: usize = 8;

/// Returns the maximum number of segments: twice as many as a cold build makes, so that it is the segments of
/// later edits that are merged.
fn max_segments() -> usize {
    MAX_SEGMENTS.max(2 * rayon::current_num_threads())
}

/// Files of a cold build are split into segments of at least this many bytes, one per thread.
const SMALLEST_SPLIT_BYTES: usize = 1 << 20;

/// The part of a segment that a snapshot uses.
#[derive(Debug)]
struct LiveSegment {
    segment: Arc<Segment>,
    /// By file of the segment, its id in the snapshot; `None` if it is not part of it.
    files: Vec<Option<FileId>>,
    /// By document of the segment, its chunk in the snapshot; [`NO_CHUNK`] for others.
    chunks: Vec<u32>,
    /// Whether all its files are part of the snapshot.
    is_whole: bool,
}

/// Marks a document that is no chunk, or no chunk of the snapshot.
const NO_CHUNK: u32 = u32::MAX;

/// Postings over the chunks and files of a snapshot.
#[derive(Debug)]
pub struct Lexical {
    parts: Vec<LiveSegment>,
    /// Terms per field over all files; headings do not count.
    totals: [u64; FIELDS],
    /// Prepared for the weights of the first search.
    prepared: OnceLock<SharedScoring>,
    files: usize,
    indexed_files: usize,
    chunks: usize,
    commits: Arc<Commits>,
}

impl Lexical {
    /// Indexes all files, without past commits.
    ///
    /// # Errors
    /// If a segment cannot be written.
    pub fn new(files: &Files) -> Result<Self, LexicalError> {
        let (lexical, ()) = Self::build(files, Vec::new(), Arc::default, || ())?;
        Ok(lexical)
    }

    /// Indexes all files and the past `commits`, and runs `other_work` in parallel. `segments` are reused for
    /// the files that they still describe; scores depend on the files alone, not on how they are spread over
    /// segments.
    ///
    /// # Errors
    /// If a segment cannot be written.
    pub(crate) fn build<T: Send>(
        files: &Files,
        segments: Vec<Arc<Segment>>,
        commits: impl FnOnce() -> Arc<Commits> + Send,
        other_work: impl FnOnce() -> T + Send,
    ) -> Result<(Self, T), LexicalError> {
        let mut covered = vec![false; files.len()];
        let mut parts: Vec<LiveSegment> = segments
            .into_iter()
            .map(|segment| LiveSegment::claim(segment, files, &mut covered))
            .collect();
        take_parts_to_merge(&mut parts, &mut covered);
        let fresh: Vec<FileId> = files
            .ids()
            .filter(|id| !covered[id.0 as usize] && files.content(*id).is_some())
            .collect();
        let runs = split(files, &fresh);
        let write = |ids: &[FileId]| {
            let segment = Segment::build(&segment_files(files, ids))?;
            let held = ids.iter().copied().map(Some).collect();
            Ok(LiveSegment::new(Arc::new(segment), held))
        };
        let ((first, other_work), (rest, commits)) = match runs.split_first() {
            // A run is written by one thread. The thread of the first run then starts the other work, which
            // all threads can share once their runs are written.
            Some((first, rest)) if !rest.is_empty() => rayon::join(
                || (Some(write(first)), other_work()),
                || (rest.par_iter().copied().map(write).collect(), commits()),
            ),
            _ => rayon::join(
                || (None, other_work()),
                || (runs.iter().copied().map(write).collect(), commits()),
            ),
        };
        let rest: Vec<Result<LiveSegment, LexicalError>> = rest;
        for part in first.into_iter().chain(rest) {
            parts.push(part?);
        }
        Ok((Self::assemble(files, parts, commits), other_work))
    }

    fn assemble(files: &Files, mut parts: Vec<LiveSegment>, commits: Arc<Commits>) -> Self {
        let mut totals = [0; FIELDS];
        for part in &mut parts {
            part.number_chunks(files);
            let held = part.segment.file_lengths.iter().zip(&part.files);
            for (lengths, file) in held.filter_map(|(lengths, file)| Some((lengths, (*file)?))) {
                let content = files.content(file);
                let has_headings = content.is_some_and(|content| has_headings(&content.facts));
                for (field, (total, length)) in totals.iter_mut().zip(lengths).enumerate() {
                    // Much documentation must not make names in code count as short.
                    if !(has_headings && field == Field::Name as usize) {
                        *total += u64::from(*length);
                    }
                }
            }
        }
        Self {
            parts,
            totals,
            prepared: OnceLock::new(),
            files: files.len(),
            indexed_files: files
                .as_slice()
                .iter()
                .filter(|f| f.content.is_some())
                .count(),
            chunks: files.chunk_count(),
            commits,
        }
    }

    /// Returns the chunks that have all of `terms` in `field`, by id. Empty if even the rarest term occurs in
    /// more than `max_chunks` chunks, because intersecting such long lists costs more than the result is worth.
    ///
    /// # Errors
    /// If the postings cannot be read.
    pub fn chunks_with(
        &self,
        terms: &[String],
        field: Field,
        max_chunks: usize,
    ) -> Result<Vec<ChunkId>, LexicalError> {
        let mut lists = Vec::with_capacity(terms.len());
        for term in terms {
            let list = self.chunks_with_term(term, field)?;
            if list.is_empty() {
                return Ok(list);
            }
            lists.push(list);
        }
        lists.sort_by_key(Vec::len);
        let mut lists = lists.into_iter();
        let mut chunks = lists.next().unwrap_or_default();
        if chunks.len() > max_chunks {
            chunks.clear();
        }
        for list in lists {
            chunks.retain(|chunk| list.binary_search(chunk).is_ok());
        }
        Ok(chunks)
    }

    /// Returns the chunks that have `term` in `field`, by id.
    fn chunks_with_term(&self, term: &str, field: Field) -> Result<Vec<ChunkId>, LexicalError> {
        let mut chunks = Vec::new();
        for part in &self.parts {
            part.segment.read(term, |document, of, _| {
                let chunk = part.chunks[document as usize];
                if of == field as usize && chunk != NO_CHUNK {
                    chunks.push(ChunkId(chunk));
                }
            })?;
        }
        chunks.sort_unstable();
        Ok(chunks)
    }

    /// Returns the number of segments that its files are spread over.
    pub fn segment_count(&self) -> usize {
        self.parts.len()
    }

    /// Returns the segments, to be reused by a later snapshot.
    pub(crate) fn segments(&self) -> Vec<Arc<Segment>> {
        self.parts.iter().map(|part| part.segment.clone()).collect()
    }

    /// Returns the index of commit messages, to be shared with a later snapshot.
    pub(crate) fn shared_commits(&self) -> Arc<Commits> {
        Arc::clone(&self.commits)
    }

    /// Estimated heap size in bytes, without [`Self::cache_bytes`]; segments shared with other
    /// snapshots count in full.
    pub fn heap_bytes(&self) -> usize {
        let of_part = |part: &LiveSegment| {
            let ids = size_of_val(&*part.files) + size_of_val(&*part.chunks);
            part.segment.heap_bytes() + ids
        };
        let parts: usize = self.parts.iter().map(of_part).sum();
        parts + self.commits.heap_bytes()
    }

    /// Estimated heap size in bytes of the caches that queries fill.
    pub fn cache_bytes(&self) -> usize {
        let segments = self.parts.iter().map(|part| part.segment.cache_bytes());
        let of_snapshot = self.prepared.get().map_or(0, SharedScoring::cache_bytes);
        segments.sum::<usize>() + of_snapshot
    }
}

impl LiveSegment {
    /// Creates the part of a segment whose files are in `files` with the same path and content and are not
    /// covered by another part yet. Marks them in `covered`.
    fn claim(segment: Arc<Segment>, files: &Files, covered: &mut [bool]) -> Self {
        let ids = segment
            .files
            .iter()
            .map(|held| {
                let id = files.find(held.path.as_str())?;
                let content = files.file(id).content.as_ref()?;
                let is_covered = &mut covered[id.0 as usize];
                // While the segment holds a weak reference, no other content can have the same address.
                if *is_covered || !std::ptr::eq(Arc::as_ptr(content), held.content.as_ptr()) {
                    return None;
                }
                *is_covered = true;
                Some(id)
            })
            .collect();
        Self::new(segment, ids)
    }

    fn new(segment: Arc<Segment>, files: Vec<Option<FileId>>) -> Self {
        Self {
            segment,
            is_whole: files.iter().all(Option::is_some),
            files,
            chunks: Vec::new(),
        }
    }

    fn number_chunks(&mut self, files: &Files) {
        let number = |document: &Document| {
            if document.chunk == Document::OF_FILE {
                return None;
            }
            let file = self.files[document.file as usize]?;
            Some(files.chunk_range(file).start as u32 + document.chunk)
        };
        let documents = self.segment.documents.iter();
        self.chunks = documents.map(|d| number(d).unwrap_or(NO_CHUNK)).collect();
    }

    fn live(&self) -> usize {
        self.files.iter().flatten().count()
    }
}

/// Removes the segments of which the snapshot uses at most half of the files. If there are more than [`max_segments`],
/// also removes all but the largest, half as many as that maximum. The files of removed segments are then indexed again
/// together.
fn take_parts_to_merge(parts: &mut Vec<LiveSegment>, covered: &mut [bool]) {
    parts.sort_by_key(|part| std::cmp::Reverse(part.live()));
    let crowded = parts.len() > max_segments();
    let kept = if crowded {
        max_segments() / 2
    } else {
        parts.len()
    };
    let mut position = 0;
    parts.retain(|part| {
        position += 1;
        let keep = position <= kept && part.live() * 2 > part.files.len();
        if !keep {
            for id in part.files.iter().flatten() {
                covered[id.0 as usize] = false;
            }
        }
        keep
    });
}

/// Splits files into runs of about equal bytes, at most one per thread.
fn split<'a>(files: &Files, ids: &'a [FileId]) -> Vec<&'a [FileId]> {
    let bytes: usize = ids.iter().map(|id| files.text(*id).len()).sum();
    let runs = (bytes / SMALLEST_SPLIT_BYTES).clamp(1, rayon::current_num_threads());
    let share = bytes / runs + 1;
    let mut out = Vec::new();
    let mut start = 0;
    let mut filled = 0;
    for (position, id) in ids.iter().enumerate() {
        filled += files.text(*id).len();
        if filled >= share {
            out.push(&ids[start..=position]);
            start = position + 1;
            filled = 0;
        }
    }
    if start < ids.len() {
        out.push(&ids[start..]);
    }
    out
}

fn segment_files(files: &Files, ids: &[FileId]) -> Vec<(RepoPath, Arc<Content>)> {
    ids.iter()
        .filter_map(|id| {
            let file = files.file(*id);
            Some((file.path.clone(), file.content.clone()?))
        })
        .collect()
}
