//! Defines how uses relate to definitions and tests to what they test.

use crate::change::{Change, Renumber};
use crate::files::{DefId, FileId, Files};
use foveate_model::Role;

foveate_model::named_enum! {
    /// The confidence of a resolved reference.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Confidence {
        /// Resolved by its name alone.
        NameOnly = "name_only",
        /// Resolved through a class, a receiver's likely type or the only definition of a rare name.
        Likely = "likely",
        /// Resolved through imports and scopes.
        Certain = "certain",
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
    /// The function, method or class that contains it.
    pub enclosing: Option<DefId>,
    /// Confidence of the resolution.
    pub confidence: Confidence,
}

impl CallSite {
    /// Returns the role of the code around it: see [`Files::role_of`].
    pub fn role(&self, files: &Files) -> Role {
        match self.enclosing {
            Some(definition) => files.role_of(definition),
            None => files.file(self.file).role,
        }
    }
}

impl Renumber for CallSite {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        let file = change.later_id(self.file)?;
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
