//! How the definitions and files of a revision relate: imports resolved to files and definitions,
//! references resolved to definitions with how sure that is, inheritance, and tests linked to what
//! they test.

use crate::files::{DefId, FileId, Files};
use crate::symbols::Symbols;

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

/// Why a test is linked to what it tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestLink {
    /// The test's path mirrors the file's path.
    Path,
    /// The test's file imports it.
    Import,
    /// The test's own name names it.
    Name,
    /// The test refers to it.
    Reference,
}

/// The graph of one snapshot.
#[derive(Debug, Default)]
pub struct Graph {}

impl Graph {
    /// Resolves the imports and references of all files.
    pub fn new(_files: &Files, _symbols: &Symbols) -> Self {
        Self {}
    }

    /// Files that a file imports, in id order, without itself.
    pub fn imports(&self, _file: FileId) -> &[FileId] {
        &[]
    }

    /// Files that import a file, in id order.
    pub fn importers(&self, _file: FileId) -> &[FileId] {
        &[]
    }

    /// The definitions (or `None` for the file itself) that a name visible at a file's top level
    /// stands for: defined there, imported, or re-exported. `name` may be dotted (`models.Model`).
    pub fn resolve_name(&self, _files: &Files, _file: FileId, _name: &str) -> Vec<DefId> {
        Vec::new()
    }

    /// The definitions that an absolute dotted path (`django.db.models.Model.save`,
    /// `package.module.function`) or package specifier stands for; re-exports are followed.
    pub fn resolve_dotted(&self, _files: &Files, _path: &str) -> Vec<DefId> {
        Vec::new()
    }

    /// The file that an absolute dotted module path or a package specifier (`@scope/core/lib/x`)
    /// stands for.
    pub fn resolve_module(&self, _files: &Files, _path: &str) -> Option<FileId> {
        None
    }

    /// Where a definition is used, by file and line; itself and name-only matches of common names
    /// left out.
    pub fn uses_of(&self, _definition: DefId) -> &[CallSite] {
        &[]
    }

    /// The definitions that a definition's body refers to, with how sure that is, by id.
    pub fn used_by(&self, _definition: DefId) -> &[(DefId, Confidence)] {
        &[]
    }

    /// The definitions that the base classes of a class stand for.
    pub fn bases(&self, _class: DefId) -> &[DefId] {
        &[]
    }

    /// The classes that name a class as a base.
    pub fn subclasses(&self, _class: DefId) -> &[DefId] {
        &[]
    }

    /// Tests of a definition: test functions (or test classes) that refer to it or are named after
    /// it, the surest first.
    pub fn tests_of(&self, _definition: DefId) -> &[(DefId, TestLink)] {
        &[]
    }

    /// Test files of a file, the surest first.
    pub fn test_files_of(&self, _file: FileId) -> &[(FileId, TestLink)] {
        &[]
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        0
    }
}
