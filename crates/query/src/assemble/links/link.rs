//! Defines the links that may be listed: tests, callers and imports.

use foveate_index::graph::CallSite;
use foveate_index::{DefId, FileId};
use foveate_model::Span;

use super::verb::Verb;
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

/// A line that uses code that the caller's change removed.
#[derive(Clone, Debug)]
pub(super) struct RemovedUse {
    pub file: FileId,
    /// A byte of the line.
    pub at: u32,
    pub line: u32,
    pub verb: Verb,
    /// The name of the definition, or the path of the file.
    pub removed: String,
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

/// How a definition is related to one that a question looks up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// It is the looked up definition itself.
    Same,
    /// It overrides it.
    Overrides,
    /// It overrides a method that the looked up type inherits from a base outside the repository.
    OverridesMember,
    /// It implements it without naming it.
    Implements,
    /// It is used by it.
    UsedBy,
}

/// A connection between definitions or files.
#[derive(Clone, Debug)]
pub(super) enum Link {
    /// A test, and the best definition that it tests.
    Test {
        id: DefId,
        of: DefId,
        relation: TestRelation,
    },
    /// A definition that overrides or implements another one, or that another one uses.
    Related {
        id: DefId,
        of: DefId,
        relation: Relation,
    },
    /// A file of tests of another file.
    TestFile { file: FileId, tests: FileId },
    /// A use of a definition, or of the method `through` that it overrides.
    Caller {
        of: DefId,
        through: Option<DefId>,
        site: CallSite,
    },
    /// A place where code names what the repository does not define: the base of a type, or an attribute.
    ForeignName { name: String, site: CallSite },
    /// A type that implements an interface of a standard library without naming it.
    LibraryInterface { name: &'static str, id: DefId },
    /// A use of what the caller's change removed.
    Removed(RemovedUse),
    /// A chain of files of which each imports the next, and the first file's import statement.
    Import {
        chain: Vec<FileId>,
        statement: Span,
        line: u32,
    },
    /// An import of a module outside the repository.
    ForeignImport {
        from: FileId,
        module: String,
        statement: Span,
        line: u32,
    },
}

impl Link {
    pub(super) fn section(&self) -> SectionKind {
        match self {
            Self::Test { .. } | Self::TestFile { .. } => SectionKind::Tests,
            Self::Caller { .. }
            | Self::ForeignName { .. }
            | Self::LibraryInterface { .. }
            | Self::Removed(_) => SectionKind::Callers,
            Self::Related { relation, .. } => match relation {
                Relation::Overrides | Relation::OverridesMember | Relation::Implements => {
                    SectionKind::Callers
                }
                Relation::Same | Relation::UsedBy => SectionKind::Definitions,
            },
            Self::Import { .. } | Self::ForeignImport { .. } => SectionKind::Imports,
        }
    }
}
