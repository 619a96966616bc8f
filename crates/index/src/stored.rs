//! What outlives the process, as bytes and back: what a blob gave ([`facts`]), segments of the lexical
//! index ([`crate::lexical::StoredSegment`]), resolved references ([`crate::graph::stored`]), and the index of
//! past commits ([`crate::lexical::CommitIndex`]). It opens
//! no file and checks no damage: whoever keeps the bytes keeps a checksum beside them, and a version
//! beside all of them.

pub mod bytes;
mod codes;
pub mod facts;
mod places;
mod values;

use std::sync::Arc;

use crate::lexical::CommitIndex;

/// What was stored of an index.
#[derive(Debug, Default)]
pub struct Index {
    /// What [`crate::lexical::StoredSegment::encode`] wrote; used for the files that they still describe.
    pub segments: Vec<Vec<u8>>,
    /// What [`crate::Graph::stored_references`] gave of files with the same [`crate::graph::stored::table`],
    /// or nothing.
    pub references: Vec<Vec<u8>>,
    /// The index of its past; it takes the place of a history.
    pub commits: Option<Arc<CommitIndex>>,
}
