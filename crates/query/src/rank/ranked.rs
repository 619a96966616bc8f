//! Defines the results of ranking: files, functions and places with their scores, probabilities and signals, and
//! the form in which an answer lists the best.

use foveate_index::{ChunkId, DefId, FileId, Files};
use foveate_model::{Lines, Role};

/// One reason for a score. The signals of a result sum up to its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its stable name.
    pub name: &'static str,
    /// The amount that it adds to the score.
    pub value: f32,
}

/// A file in the ranking.
#[derive(Clone, Debug)]
pub struct RankedFile {
    /// The file.
    pub id: FileId,
    /// Sum of the signals.
    pub score: f32,
    /// The probability that the change touches it, 0 to 1.
    pub probability: f32,
    /// Its signals, largest first; empty if none were requested.
    pub signals: Vec<Signal>,
}

/// A file as an answer lists it.
#[derive(Clone, Debug)]
pub struct ListedFile {
    /// Its path.
    pub path: String,
    /// Its role.
    pub role: Role,
    /// Sum of the signals.
    pub score: f32,
    /// The probability that the change touches it, 0 to 1.
    pub probability: f32,
    /// Its signals, largest first.
    pub signals: Vec<Signal>,
}

impl RankedFile {
    /// Converts it to the form that an answer lists.
    pub fn listed(self, files: &Files) -> ListedFile {
        let file = files.file(self.id);
        ListedFile {
            path: file.path.as_str().to_owned(),
            role: file.role,
            score: self.score,
            probability: self.probability,
            signals: self.signals,
        }
    }
}

/// Identifies a place: a function, or a stretch between functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceId {
    /// A function or method.
    Definition(DefId),
    /// A stretch of a file outside functions: a class's attributes, constants, settings, prose.
    Stretch(ChunkId),
}

/// A place in the ranking of everything that can be edited.
#[derive(Clone, Debug)]
pub struct RankedPlace {
    /// The place.
    pub id: PlaceId,
    /// Its lines. For prose and settings, those of the section, key or job of the stretch that the query is
    /// about.
    pub lines: Lines,
    /// Its qualified name, or the headings or keys that lead to it; may be empty.
    pub name: String,
    /// Kind of the definition that it is, or `section` of prose, `key` of settings, or `stretch`.
    pub kind: &'static str,
    /// Its score, on the scale of the scores of functions.
    pub score: f32,
    /// The probability that the change touches it, 0 to 1.
    pub probability: f32,
    /// Its share of the softmax over all places: the probability that it is the right one if exactly one place
    /// is right. The shares sum to about 1.
    pub share: f32,
    /// Its signals, largest first; empty if none were requested.
    pub signals: Vec<Signal>,
}

/// A function or another place as an answer lists it.
#[derive(Clone, Debug)]
pub struct ListedPlace {
    /// The file that it is in.
    pub path: String,
    /// Its qualified name, or the headings or keys that lead to it; may be empty.
    pub name: String,
    /// Kind of the definition that it is, or `section` of prose, `key` of settings, or `stretch`.
    pub kind: &'static str,
    /// Its lines.
    pub lines: Lines,
    /// The lines that the caller changed in it: `12-15,20`; `None` if there are none, and for functions.
    pub changed: Option<String>,
    /// Its score, on the scale of the scores of functions.
    pub score: f32,
    /// The probability that the change touches it, 0 to 1.
    pub probability: f32,
    /// Its signals, largest first.
    pub signals: Vec<Signal>,
}

impl PlaceId {
    /// Returns the definition that it is; `None` for a stretch.
    pub fn definition(self) -> Option<DefId> {
        match self {
            Self::Definition(id) => Some(id),
            Self::Stretch(_) => None,
        }
    }

    /// Returns the file that contains it.
    pub fn file(self, files: &Files) -> FileId {
        match self {
            Self::Definition(id) => id.file,
            Self::Stretch(id) => files.chunk_file(id),
        }
    }

    /// Returns its role: see [`Files::role_of`].
    pub fn role(self, files: &Files) -> Role {
        match self {
            Self::Definition(id) => files.role_of(id),
            Self::Stretch(id) => files.chunk_role(id),
        }
    }

    /// Returns its lines, name and kind. A stretch has those of the class that it belongs to, or of the only
    /// definition in it.
    fn described(self, files: &Files) -> (Lines, String, &'static str) {
        let named = |id: DefId| {
            let definition = files.definition(id);
            (
                definition.qualified_name.to_string(),
                definition.kind.name(),
            )
        };
        match self {
            Self::Definition(id) => {
                let (name, kind) = named(id);
                (files.definition(id).own_lines(), name, kind)
            }
            Self::Stretch(id) => {
                let definition = files
                    .chunk_definition(id)
                    .or_else(|| only_definition(files, id));
                let (name, kind) = definition.map_or_else(|| (String::new(), "stretch"), named);
                (files.chunk(id).lines, name, kind)
            }
        }
    }
}

/// Returns the outermost definition that begins in a stretch, if there is exactly one.
fn only_definition(files: &Files, id: ChunkId) -> Option<DefId> {
    let lines = files.chunk(id).lines;
    let mut inside = files.definitions_of(files.chunk_file(id)).filter(|id| {
        let definition = files.definition(*id);
        definition.parent.is_none() && lines.contains(definition.lines.start)
    });
    let first = inside.next();
    first.filter(|_| inside.next().is_none())
}

impl RankedPlace {
    /// Makes a place without score and signals.
    pub fn new(files: &Files, id: PlaceId) -> Self {
        let (lines, name, kind) = id.described(files);
        Self {
            id,
            lines,
            name,
            kind,
            score: 0.0,
            probability: 0.0,
            share: 0.0,
            signals: Vec::new(),
        }
    }

    /// Converts it to the form that an answer lists.
    pub fn listed(self, files: &Files) -> ListedPlace {
        ListedPlace {
            path: files.path(self.id.file(files)).to_owned(),
            name: self.name,
            kind: self.kind,
            lines: self.lines,
            changed: None,
            score: self.score,
            probability: self.probability,
            signals: self.signals,
        }
    }
}
