//! The lexical index.
use crate::files::Files;
use crate::snapshot::Snapshot;
use foveate_model::History;

/// The lexical index could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the lexical index could not be written: {0}")]
pub struct LexicalError(#[from] tantivy::TantivyError);

/// Postings over the chunks and files of a snapshot.
#[derive(Debug)]
pub struct Lexical {}

impl Lexical {
    /// Indexes all files.
    ///
    /// # Errors
    /// When a segment cannot be written.
    pub fn build(
        _files: &Files,
        _history: Option<&History>,
        _previous: Option<&Snapshot>,
    ) -> Result<Self, LexicalError> {
        Ok(Self {})
    }
    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        0
    }
}
