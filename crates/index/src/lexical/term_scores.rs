//! Defines the per-file scores of one term in a snapshot, independent of the rest of the query. They combine
//! its segments, the messages of past commits and its inverse document frequency. They are cached as long as
//! the snapshot lives: computing them costs more than adding them up.

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
    /// Returns the heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.files) + size_of_val(&*self.parts)
    }
}
