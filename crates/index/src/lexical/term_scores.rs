//! What a term gives to the files of a snapshot, whatever else a query has: what its segments, the
//! messages of past commits and its rarity make of it. It is cached for as long as the snapshot:
//! terms repeat from query to query, and to put it together costs more than to add it up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;

use crate::files::FileId;

/// What a term gives to a file before the query's weight, rarity included.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileTermScore {
    pub file: FileId,
    /// In all fields and messages.
    pub all: f32,
    /// In the names of definitions alone.
    pub names: f32,
    /// In the messages alone.
    pub history: f32,
}

/// What a term gives.
#[derive(Debug, Default)]
pub(super) struct TermScores {
    /// The parts of the index that have it.
    pub parts: Box<[u32]>,
    /// Its rarity among files, chunks and commits.
    pub idf_files: f32,
    pub idf_chunks: f32,
    pub idf_commits: f32,
    /// The files that have it, each once.
    pub files: Box<[FileTermScore]>,
}

impl TermScores {
    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.files) + size_of_val(&*self.parts) + size_of::<Self>()
    }
}

/// What terms give, as far as it is cache.
#[derive(Debug)]
pub(super) struct TermScoreCache {
    terms: DashMap<Box<str>, Arc<TermScores>, foldhash::fast::RandomState>,
    bytes: AtomicUsize,
    /// Above this everything is forgotten.
    most: usize,
}

/// Cache size for each file, in bytes, and of a snapshot however few files it has.
const MAX_BYTES_PER_FILE: usize = 2 << 10;
const MIN_BYTES: usize = 256 << 10;
/// Of a term beside what it gives: its place in the table.
const BYTES_OF_ENTRY: usize = 96;

impl TermScoreCache {
    pub fn new(files: usize) -> Self {
        Self {
            terms: DashMap::default(),
            bytes: AtomicUsize::new(0),
            most: (files * MAX_BYTES_PER_FILE).max(MIN_BYTES),
        }
    }

    /// What `term` gives; `compute` puts it together the first time.
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
        if self.heap_bytes() + bytes > self.most {
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
    fn a_term_is_put_together_once() {
        let cache = TermScoreCache::new(1);
        let first = cache.get("term", || scores_of(1)).unwrap();
        let second = cache.get("term", || Err(())).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn the_cache_is_bounded() {
        let cache = TermScoreCache::new(1);
        for term in 0..1_000 {
            cache.get(&term.to_string(), || scores_of(100)).unwrap();
            assert!(cache.heap_bytes() <= MIN_BYTES);
        }
        assert!(cache.heap_bytes() > 0);
    }
}
