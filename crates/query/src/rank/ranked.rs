//! What ranking yields: files and functions with their scores and the reasons for them.

use foveate_index::{ChunkId, DefId, FileId};
use foveate_model::{DefinitionKind, Lines, Role};

/// One reason for a score. The signals of a result sum up to its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its stable name.
    pub name: &'static str,
    /// What it adds.
    pub value: f32,
}

/// A file in the ranking.
#[derive(Clone, Debug)]
pub struct RankedFile {
    /// Which file.
    pub id: FileId,
    /// Where it is.
    pub path: String,
    /// Its role.
    pub role: Role,
    /// Sum of the signals.
    pub score: f32,
    /// Why it is here, largest first; empty where nobody asked.
    pub signals: Vec<Signal>,
}

/// A function (or class without methods, or other definition) in the ranking.
#[derive(Clone, Debug)]
pub struct RankedFunction {
    /// Which definition.
    pub id: DefId,
    /// The file that it is in.
    pub path: String,
    /// Its qualified name.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// Where it stands.
    pub lines: Lines,
    /// Sum of the signals.
    pub score: f32,
    /// Why it is here, largest first; empty where nobody asked.
    pub signals: Vec<Signal>,
}

/// A stretch of a source file whose language has no parser, in place of the functions that are not
/// known there.
#[derive(Clone, Copy, Debug)]
pub struct RankedPassage {
    /// Which stretch.
    pub id: ChunkId,
    /// On the scale of the functions' scores.
    pub score: f32,
}
