//! Computes and caches the per-file scores of one term in a snapshot, independent of the rest of the query.
//! They combine its segments, the messages of past commits and its inverse document frequency. The cache
//! lives as long as the snapshot: terms repeat from query to query, and computing the scores costs more than
//! adding them up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;

use crate::files::FileId;

/// The score of a term in a file, including inverse document frequency, before the query's weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileTermScore {
    pub file: FileId,
    /// Score in all fields and messages.
    pub all: f32,
    /// Score in the names of definitions alone.
    pub names: f32,
    /// Score in the messages alone.
    pub history: f32,
}

#[derive(Debug, Default)]
pub(super) struct TermScores {
    /// Positions of the index parts that contain it.
    pub parts: Box<[u32]>,
    /// Inverse document frequency among files, chunks and commits.
    pub idf_files: f32,
    pub idf_chunks: f32,
    pub idf_commits: f32,
    /// The files that contain it, each once.
    pub files: Box<[FileTermScore]>,
}

impl TermScores {
    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.files) + size_of_val(&*self.parts) + size_of::<Self>()
    }
}

#[derive(Debug)]
pub(super) struct TermScoreCache {
    terms: DashMap<Box<str>, Arc<TermScores>, foldhash::fast::RandomState>,
    bytes: AtomicUsize,
    /// Cleared when it would grow beyond this.
    max_bytes: usize,
}

/// Maximum cache size in bytes per file of the snapshot, and its lower bound for small snapshots.
const MAX_BYTES_PER_FILE: usize = 2 << 10;
const MIN_BYTES: usize = 256 << 10;
/// Estimated size of a table entry beyond the term and its scores.
const BYTES_OF_ENTRY: usize = 96;

impl TermScoreCache {
    pub fn new(files: usize) -> Self {
        Self {
            terms: DashMap::default(),
            bytes: AtomicUsize::new(0),
            max_bytes: (files * MAX_BYTES_PER_FILE).max(MIN_BYTES),
        }
    }

    /// Returns the scores of `term`; `compute` is called if they are not cached.
    pub fn get<E>(
        &self,
        term: &str,
        compute: impl FnOnce() -> Result<TermScores, E>,
    ) -> Result<Arc<TermScores>, E> {
        if let Some(known) = self.terms.get(term) {
            return Ok(Arc::clone(&known));
        }
        let term_scores = Arc::new(compute()?);
        let bytes = term_scores.heap_bytes() + term.len() + BYTES_OF_ENTRY;
        if self.heap_bytes() + bytes > self.max_bytes {
            self.terms.clear();
            self.bytes.store(0, Ordering::Relaxed);
        }
        if self
            .terms
            .insert(term.into(), Arc::clone(&term_scores))
            .is_none()
        {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(term_scores)
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores_of(files: usize) -> Result<TermScores, ()> {
        let file = FileTermScore {
            file: FileId(0),
            all: 1.0,
            names: 0.0,
            history: 0.0,
        };
        Ok(TermScores {
            parts: Box::default(),
            idf_files: 1.0,
            idf_chunks: 1.0,
            idf_commits: 1.0,
            files: vec![file; files].into(),
        })
    }

    #[test]
    fn term_scores_are_computed_once() {
        let cache = TermScoreCache::new(1);
        let first = cache.get("term", || scores_of(1)).unwrap();
        let second = cache.get("term", || Err(())).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn term_score_cache_is_bounded() {
        let cache = TermScoreCache::new(1);
        for term in 0..1_000 {
            cache.get(&term.to_string(), || scores_of(100)).unwrap();
            assert!(cache.heap_bytes() <= MIN_BYTES);
        }
        assert!(cache.heap_bytes() > 0);
    }
}
