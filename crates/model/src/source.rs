//! A file of a revision, and the content that its blob holds.

use std::sync::Arc;

use crate::{FileFacts, Language, ObjectId, RepoPath, Role};

/// What one blob holds, read as one language: its text and the facts parsed from it. It depends on
/// the blob and the language alone, so every revision that holds the blob shares it.
#[derive(Debug)]
pub struct Content {
    /// The whole text; every span in `facts` points into it.
    pub text: Arc<str>,
    /// What parsing found.
    pub facts: FileFacts,
}

/// Why a file is listed but not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It holds NUL bytes or has the name of a binary format.
    Binary,
    /// Its bytes are neither UTF-8 nor UTF-16 with a byte order mark, or its name is not UTF-8.
    NotUtf8,
    /// It is larger than the limit.
    TooLarge {
        /// Size of the file in bytes.
        bytes: u64,
        /// The configured limit in bytes.
        limit: u64,
    },
    /// Its lines are so long that no one reads them (minified code, embedded data).
    LongLines,
    /// It is input of programs, not code (translations, tables, recorded responses).
    Data,
    /// It stands for a large file that is kept elsewhere (git LFS).
    LfsPointer,
    /// A symbolic link: links are listed, never followed.
    Symlink,
    /// A nested repository, which is not part of this one.
    Submodule,
    /// It could not be read; the text says why.
    Unreadable(String),
}

impl SkipReason {
    /// The stable code used on the wire and in metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::NotUtf8 => "not_utf8",
            Self::TooLarge { .. } => "too_large",
            Self::LongLines => "long_lines",
            Self::Data => "data",
            Self::LfsPointer => "lfs_pointer",
            Self::Symlink => "symlink",
            Self::Submodule => "submodule",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

/// One file of a revision. Exactly one of `content` and `skipped` is present.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Where it is.
    pub path: RepoPath,
    /// Id of its bytes.
    pub blob: ObjectId,
    /// Size in bytes.
    pub size: u64,
    /// What it is written in.
    pub language: Language,
    /// The part it plays.
    pub role: Role,
    /// Its text and facts, unless it was skipped.
    pub content: Option<Arc<Content>>,
    /// Why it is not indexed.
    pub skipped: Option<SkipReason>,
}

impl SourceFile {
    /// Whether both are one file in one state: what was read of it is shared.
    pub fn is_same(&self, other: &Self) -> bool {
        let content = |file: &Self| file.content.as_ref().map(Arc::as_ptr);
        self.path == other.path
            && self.blob == other.blob
            && self.role == other.role
            && content(self) == content(other)
            && self.skipped == other.skipped
    }
}
