//! How a use relates to a definition, and a test to what it tests.

use crate::change::{Change, Renumber};
use crate::files::{DefId, FileId};

/// How sure a resolved reference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// By its name alone.
    NameOnly,
    /// Through a class, a receiver's likely type or a single definition of a rare name.
    Likely,
    /// Through imports and scopes.
    Certain,
}

impl Confidence {
    /// The stable lower-case name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::NameOnly => "name_only",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }
}

/// One use of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSite {
    /// The file that uses it.
    pub file: FileId,
    /// 1-based line.
    pub line: u32,
    /// Position in the file's `FileFacts::references`.
    pub reference: u32,
    /// The function, method or class that it stands in.
    pub enclosing: Option<DefId>,
    /// How sure the resolution is.
    pub confidence: Confidence,
}

impl Renumber for CallSite {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        let file = change.now(self.file)?;
        let enclosing = self.enclosing.map(|id| DefId { file, ..id });
        Some(Self {
            file,
            enclosing,
            ..*self
        })
    }
}

/// Why a test is linked to what it tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestLink {
    /// The test refers to something that uses it.
    Indirect,
    /// The test's path mirrors the file's path.
    Path,
    /// The test's file imports it.
    Import,
    /// The test's own name names it.
    Name,
    /// The test refers to it.
    Reference,
}
