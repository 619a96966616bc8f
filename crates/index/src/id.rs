//! Ids of what a snapshot holds, beside those of the model.

use foveate_model::{FileId, LocalId};

/// A definition of a snapshot; in order by file, then by place. It stays the same where other files
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefId {
    /// The file that it is in.
    pub file: FileId,
    /// Its position in the file.
    pub local: LocalId,
}
