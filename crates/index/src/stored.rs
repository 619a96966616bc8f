//! What outlives the process, as bytes and back: what a blob gave ([`facts`]), and segments of the
//! lexical index ([`crate::lexical::StoredSegment`]). It opens no file and checks no damage: whoever
//! keeps the bytes keeps a checksum beside them, and a version beside all of them.

pub mod bytes;
mod codes;
pub mod facts;
mod places;
