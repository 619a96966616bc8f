//! Encodes and decodes stored data: the facts of a blob ([`facts`]), segments of the lexical index
//! ([`crate::lexical::StoredSegment`]), resolved references ([`crate::graph::stored`]), and the index of past
//! commits ([`crate::lexical::CommitIndex`]). It opens no file and does not detect damage: the caller stores
//! a checksum with each value, and a version for all of them.

pub mod bytes;
pub mod facts;
pub(crate) mod item;
mod values;
