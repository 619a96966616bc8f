//! Defines ids of items in a snapshot, in addition to those of the model.

use foveate_model::{FileId, LocalId};

/// The id of a definition in a snapshot, ordered by file, then by position. Its `local` part stays the same
/// when other files change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefId {
    /// The file that contains it.
    pub file: FileId,
    /// Its position in the file.
    pub local: LocalId,
}

impl DefId {
    /// Creates the id of a definition of `file`.
    pub fn new(file: FileId, local: LocalId) -> Self {
        Self { file, local }
    }
}
