//! Encodes and decodes stored data: the facts of a blob ([`facts`]), segments of the lexical index
//! ([`crate::lexical::StoredSegment`]), resolved references ([`crate::graph::stored`]), and the index of past
//! commits ([`crate::lexical::CommitIndex`]). It opens no file and does not detect damage: the caller stores
//! a checksum with each value, and a version for all of them.

pub mod bytes;
pub mod facts;
pub(crate) mod item;
mod values;

use std::sync::Arc;

use crate::lexical::CommitIndex;

/// The stored parts of an index.
#[derive(Debug, Default)]
pub struct Index {
    /// Output of [`crate::lexical::StoredSegment::encode`]; used for the files that it still describes.
    pub segments: Vec<Vec<u8>>,
    /// Output of [`crate::Graph::stored_references`] for files with the same [`crate::graph::stored::table`],
    /// or empty.
    pub references: Vec<Vec<u8>>,
    /// The index of past commits; used in place of a history.
    pub commits: Option<Arc<CommitIndex>>,
}
