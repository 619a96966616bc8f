//! What ranking yields: files and functions with their scores and the reasons for them; and what an
//! answer lists of the best.

use foveate_index::{ChunkId, DefId, FileId, Files};
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
    /// Sum of the signals.
    pub score: f32,
    /// Why it is here, largest first; empty where nobody asked.
    pub signals: Vec<Signal>,
}

/// A file as an answer lists it.
#[derive(Clone, Debug)]
pub struct ListedFile {
    /// Where it is.
    pub path: String,
    /// Its role.
    pub role: Role,
    /// Sum of the signals.
    pub score: f32,
    /// Why it is here, largest first.
    pub signals: Vec<Signal>,
}

/// A function as an answer lists it.
#[derive(Clone, Debug)]
pub struct ListedFunction {
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
    /// Why it is here, largest first.
    pub signals: Vec<Signal>,
}

impl RankedFile {
    /// With what a reader is told of it.
    pub fn listed(self, files: &Files) -> ListedFile {
        let file = files.file(self.id);
        ListedFile {
            path: file.path.as_str().to_owned(),
            role: file.role,
            score: self.score,
            signals: self.signals,
        }
    }
}

impl RankedFunction {
    /// With what a reader is told of it.
    pub fn listed(self, files: &Files) -> ListedFunction {
        let definition = files.definition(self.id);
        ListedFunction {
            path: files.path(files.file_of(self.id)).to_owned(),
            name: definition.qualified_name.to_string(),
            kind: definition.kind,
            lines: definition.lines,
            score: self.score,
            signals: self.signals,
        }
    }
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
