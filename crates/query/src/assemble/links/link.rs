//! Defines the links that may be listed: tests, callers and imports.

use foveate_index::{DefId, FileId};
use foveate_model::Span;

use crate::assemble::entry::SectionKind;
use crate::excerpt::one_line;

/// Longest line of a call site or import, in bytes: about 60 tokens.
pub(super) const LINE: usize = 240;

/// Returns a call site or import on one line, and whether its end was cut off.
pub(super) fn line(code: &str) -> (String, bool) {
    let line = one_line(code, LINE);
    let is_cut = line.ends_with('…') && !code.trim_end().ends_with('…');
    (line, is_cut)
}

/// How a test is connected with what it tests, the most telling way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TestRelation {
    /// Its name names it.
    Names,
    Calls,
    Uses,
    /// It uses code that uses it.
    Indirect,
    /// In a way that the question does not ask for.
    Linked,
}

impl TestRelation {
    /// Returns why a test of `of` is shown.
    pub(super) fn reason(self, of: &str) -> String {
        match self {
            Self::Names => format!("tests {of} by name"),
            Self::Calls => format!("calls {of}"),
            Self::Uses => format!("uses {of}"),
            Self::Indirect => format!("uses code that uses {of}"),
            Self::Linked => format!("tests {of}"),
        }
    }
}

/// Something that is connected with the shown code, or that a short question asks for.
#[derive(Debug)]
pub(super) struct Link {
    pub section: SectionKind,
    /// Why it is in the context.
    pub reason: String,
    /// What its entry says of it.
    pub facts: Vec<(&'static str, String)>,
    pub shows: Linked,
}

/// What a link shows.
#[derive(Debug)]
pub(super) enum Linked {
    /// A test, whole or by its signature.
    Test(DefId),
    /// The outline of a file of tests.
    TestFile(FileId),
    /// The signature of a definition.
    Signature(DefId),
    /// A line, with those around it.
    Use(Use),
    /// The import statement of a file, and its first line.
    Import(FileId, Span, u32),
}

/// A line that uses something.
#[derive(Debug)]
pub(super) struct Use {
    pub file: FileId,
    /// A byte of the line.
    pub at: u32,
    pub line: u32,
    /// The name of the definition that contains it; empty at the top level.
    pub name: String,
    /// The type that names what it uses as its base, or the variable or function whose object has it as its type.
    pub head_of: Option<DefId>,
    /// Whether the caller's change removed what it uses.
    pub is_broken: bool,
}

impl Link {
    /// Makes a link to the signature of a definition that has a relation to `of`, which is told as a fact.
    pub(super) fn signature(
        section: SectionKind,
        id: DefId,
        (fact, relation): (&'static str, &str),
        of: String,
    ) -> Self {
        Self {
            section,
            reason: format!("{relation} {of}"),
            facts: vec![(fact, of)],
            shows: Linked::Signature(id),
        }
    }

    /// Whether it may take all tokens left: code that still uses what is gone is broken whatever the query asks.
    pub(super) fn is_urgent(&self) -> bool {
        matches!(&self.shows, Linked::Use(of) if of.is_broken)
    }
}
