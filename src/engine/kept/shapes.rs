//! What the packs of a repository depend on beside the keys of their entries: how each is written, what
//! its stage makes of what it is given, and what that is. Another shape of a stage drops that stage alone,
//! and those made from it.

use std::path::Path;

use foveate_index::graph::stored as references;
use foveate_index::lexical;
use foveate_index::stored::facts;
use foveate_parse::Limits;

use crate::disk::Pack;

/// The packs in a repository's directory.
pub(super) const FACTS: &str = "facts.pack";
pub(super) const LEXICAL: &str = "lexical.pack";
pub(super) const REFERENCES: &str = "references.pack";

/// The shapes of all packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shapes {
    pub(super) facts: Shape,
    pub(super) lexical: Shape,
    pub(super) references: Shape,
}

/// What a stage's data depend on beside their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// How they are written.
    pub(super) format: u16,
    /// What the stage makes of what it is given.
    version: u16,
    /// What it is given, hashed.
    given: u32,
}

impl Shapes {
    pub(super) fn new(limits: &Limits) -> Self {
        let facts = Shape {
            format: facts::FORMAT,
            version: foveate_parse::VERSION,
            given: hashed(format!("{limits:?}").as_bytes()),
        };
        let lexical = Shape {
            format: lexical::FORMAT,
            version: lexical::VERSION,
            given: facts.hash(),
        };
        let references = Shape {
            format: references::FORMAT,
            version: references::VERSION,
            given: facts.hash(),
        };
        Self {
            facts,
            lexical,
            references,
        }
    }

    /// Those of the packs in a directory, but for references: they are read by who wrote them alone.
    pub(super) fn at(directory: &Path, references: Shape) -> Option<Self> {
        let shape = |file| Pack::shape_at(&directory.join(file)).map(Shape::of_number);
        Some(Self {
            facts: shape(FACTS)?,
            lexical: shape(LEXICAL)?,
            references,
        })
    }

    /// Whether what has these shapes is a whole index that `reader` can read.
    pub(super) fn is_readable(&self, reader: &Self) -> bool {
        (facts::OLDEST_FORMAT..=reader.facts.format).contains(&self.facts.format)
            && self.lexical.format == reader.lexical.format
            && self.lexical.given == self.facts.hash()
    }
}

impl Shape {
    pub(super) fn number(self) -> u64 {
        u64::from(self.format) << 48 | u64::from(self.version) << 32 | u64::from(self.given)
    }

    fn of_number(number: u64) -> Self {
        Self {
            format: (number >> 48) as u16,
            version: (number >> 32) as u16,
            given: number as u32,
        }
    }

    fn hash(self) -> u32 {
        hashed(&self.number().to_le_bytes())
    }
}

fn hashed(bytes: &[u8]) -> u32 {
    xxhash_rust::xxh3::xxh3_64(bytes) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_index_is_read_where_both_formats_are_known_and_it_is_whole() {
        let mine = Shapes::new(&Limits::default());
        let of = |facts: Shape, lexical: Shape| Shapes {
            facts,
            lexical: Shape {
                given: facts.hash(),
                ..lexical
            },
            ..mine
        };
        let facts = |format, version| Shape {
            format,
            version,
            ..mine.facts
        };
        let next = mine.facts.version + 1;
        let other = facts(mine.facts.format, next);
        assert!(of(other, mine.lexical).is_readable(&mine));
        let lexical = Shape {
            version: mine.lexical.version + 1,
            ..mine.lexical
        };
        assert!(of(mine.facts, lexical).is_readable(&mine), "segments alone");
        let unknown = facts(mine.facts.format + 1, next);
        assert!(!of(unknown, mine.lexical).is_readable(&mine));
        let lexical = Shape {
            format: mine.lexical.format + 1,
            ..mine.lexical
        };
        assert!(!of(other, lexical).is_readable(&mine));
        let mixed = Shapes {
            facts: other,
            ..mine
        };
        assert!(!mixed.is_readable(&mine), "segments of other facts");
        assert_eq!(Shape::of_number(other.number()), other);
    }
}
