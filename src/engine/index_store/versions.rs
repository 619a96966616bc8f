//! Defines the format versions of a stored index, and which of them this program can read. Where the version of a
//! stage differs, only that stage and those made from it are dropped.

use std::path::Path;

use foveate_index::graph::stored as references;
use foveate_index::lexical::{self, CommitIndex};
use foveate_index::stored::facts;
use foveate_parse::Limits;

use crate::disk::Pack;

/// The format in which this program stores the output of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageFormat {
    /// The stage.
    pub name: &'static str,
    /// Version of the encoding.
    pub format: u16,
    /// Version of the code that computes the data.
    pub version: u16,
    /// The oldest format that can still be read, for a stale index that answers until the new one is built.
    pub oldest: u16,
}

pub(super) const FACTS: StageFormat = StageFormat {
    name: "facts",
    format: facts::FORMAT,
    version: foveate_parse::VERSION,
    oldest: facts::OLDEST_FORMAT,
};
pub(super) const LEXICAL: StageFormat = StageFormat {
    name: "lexical",
    format: lexical::FORMAT,
    version: lexical::VERSION,
    oldest: lexical::FORMAT,
};
pub(super) const REFERENCES: StageFormat = StageFormat {
    name: "references",
    format: references::FORMAT,
    version: references::VERSION,
    oldest: references::FORMAT,
};
pub(super) const COMMITS: StageFormat = StageFormat {
    name: "commits",
    format: CommitIndex::FORMAT,
    version: CommitIndex::VERSION,
    oldest: CommitIndex::FORMAT,
};

/// Returns the formats of all stored stages of an index.
pub fn stage_formats() -> [StageFormat; 4] {
    [FACTS, LEXICAL, REFERENCES, COMMITS]
}

impl StageFormat {
    /// Returns the name of the stage's file in a repository's directory.
    pub(super) fn file(self) -> String {
        format!("{}.pack", self.name)
    }

    /// Returns the version of data that this program makes from `inputs`, a hash.
    pub(super) fn of_inputs(self, inputs: u32) -> Version {
        Version {
            format: self.format,
            version: self.version,
            inputs,
        }
    }
}

/// The versions of the stages of one stored index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) facts: Version,
    pub(super) lexical: Version,
    pub(super) references: Version,
}

/// The version of a stage: everything that its data depend on, apart from their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// Version of the encoding.
    pub(super) format: u16,
    /// Version of the code that computes the data.
    version: u16,
    /// Hash of the limits, or of the version of the stage that the data are made from.
    inputs: u32,
}

impl Versions {
    pub(super) fn new(limits: &Limits) -> Self {
        let facts = FACTS.of_inputs(hashed(format!("{limits:?}").as_bytes()));
        Self {
            facts,
            lexical: LEXICAL.of_inputs(facts.hash()),
            references: REFERENCES.of_inputs(facts.hash()),
        }
    }

    /// Reads the versions of the files in a directory. That of the references is given, since only the program that
    /// wrote references reads them.
    pub(super) fn at(directory: &Path, references: Version) -> Option<Self> {
        let version = |stage: StageFormat| {
            Pack::version_at(&directory.join(stage.file())).map(Version::of_number)
        };
        Some(Self {
            facts: version(FACTS)?,
            lexical: version(LEXICAL)?,
            references,
        })
    }

    /// Whether an index of these versions is complete and `reader` can read it.
    pub(super) fn is_readable(&self, reader: &Self) -> bool {
        (FACTS.oldest..=reader.facts.format).contains(&self.facts.format)
            && (LEXICAL.oldest..=reader.lexical.format).contains(&self.lexical.format)
            && self.lexical.inputs == self.facts.hash()
    }
}

impl Version {
    pub(super) fn number(self) -> u64 {
        u64::from(self.format) << 48 | u64::from(self.version) << 32 | u64::from(self.inputs)
    }

    fn of_number(number: u64) -> Self {
        Self {
            format: (number >> 48) as u16,
            version: (number >> 32) as u16,
            inputs: number as u32,
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
    fn stale_index_is_readable_if_complete_and_formats_known() {
        let mine = Versions::new(&Limits::default());
        let of = |facts: Version, lexical: Version| Versions {
            facts,
            lexical: Version {
                inputs: facts.hash(),
                ..lexical
            },
            ..mine
        };
        let facts = |format, version| Version {
            format,
            version,
            ..mine.facts
        };
        let next = mine.facts.version + 1;
        let other = facts(mine.facts.format, next);
        assert!(of(other, mine.lexical).is_readable(&mine));
        let lexical = Version {
            version: mine.lexical.version + 1,
            ..mine.lexical
        };
        assert!(of(mine.facts, lexical).is_readable(&mine), "segments alone");
        let unknown = facts(mine.facts.format + 1, next);
        assert!(!of(unknown, mine.lexical).is_readable(&mine));
        let lexical = Version {
            format: mine.lexical.format + 1,
            ..mine.lexical
        };
        assert!(!of(other, lexical).is_readable(&mine));
        let mixed = Versions {
            facts: other,
            ..mine
        };
        assert!(!mixed.is_readable(&mine), "segments of other facts");
        assert_eq!(Version::of_number(other.number()), other);
    }
}
