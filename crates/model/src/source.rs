//! Defines a file of a revision and the content of its blob.

use std::sync::Arc;

use crate::{FileFacts, Language, ObjectId, Purpose, RepoPath, Role};

/// The text of one blob and the facts parsed from it as one language. It depends on the blob and the language
/// alone, so every revision that holds the blob shares it.
#[derive(Debug)]
pub struct Content {
    /// The whole text; every span in `facts` points into it.
    pub text: Arc<str>,
    /// Facts parsed from the text.
    pub facts: FileFacts,
}

/// Why a file is listed but not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It holds NUL bytes or has the name of a binary format.
    Binary,
    /// Its bytes are not text in a known encoding, or its name is not UTF-8.
    NotUtf8,
    /// It is larger than the limit.
    TooLarge {
        /// Size of the file in bytes.
        bytes: u64,
        /// The limit in bytes, for a file of its kind.
        limit: u64,
    },
    /// Its lines are too long for a person to read (minified code, embedded data).
    LongLines,
    /// It is data for programs, not code (translations, tables, recorded responses).
    Data,
    /// It is a pointer to a large file that is stored elsewhere (git LFS).
    LfsPointer,
    /// A symbolic link: links are listed, never followed.
    Symlink,
    /// A nested repository, which is not part of this one.
    Submodule,
    /// It could not be read; the text says why.
    Unreadable(String),
    /// It is a directory that could not be listed, so that its files are unknown; the text says why.
    UnreadableDirectory(String),
}

impl SkipReason {
    /// Returns the stable code used on the wire and in metrics.
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
            Self::Unreadable(_) | Self::UnreadableDirectory(_) => "unreadable",
        }
    }
}

/// One file of a revision. Exactly one of `content` and `skipped` is present.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path in the repository.
    pub path: RepoPath,
    /// Git object id of its bytes.
    pub blob: ObjectId,
    /// Size in bytes.
    pub size: u64,
    /// Its language.
    pub language: Language,
    /// Its role in the repository.
    pub role: Role,
    /// What it is for.
    pub purpose: Purpose,
    /// Its text and facts, unless it was skipped.
    pub content: Option<Arc<Content>>,
    /// Why it is not indexed; `None` if it is.
    pub skipped: Option<SkipReason>,
}

impl SourceFile {
    /// Whether both share one `content`, or neither has any.
    pub fn has_same_content(&self, other: &Self) -> bool {
        let content = |file: &Self| file.content.as_ref().map(Arc::as_ptr);
        content(self) == content(other)
    }
}
