//! Looks up code in a snapshot directly, without ranking: definitions of a name, references to it, the outline of
//! a file, matches of a text. Every answer is a page in a total order; the next page begins where it ends.
//! Start at [`definitions()`] or at [`page`].

pub mod definitions;
pub mod file;
pub mod outline;
pub mod page;
pub mod references;
pub mod search;

pub use definitions::{DefinitionItem, FoundDefinitions, Match, definitions};
pub use file::{FileText, file};
pub use outline::{FoundOutline, OutlineItem, outline};
pub use page::{Page, Position, Window};
pub use references::{FoundReferences, ReferenceItem, Target, references};
pub use search::{Search, SearchItem, SearchKind, search};

use foveate_index::{FileId, Snapshot};
use foveate_model::{Content, RepoPath, SkipReason};

use crate::issue;

/// Why a lookup failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum LookupError {
    #[error("no file has the path {path:?} at this revision; {}", search_advice(.similar))]
    UnknownPath {
        path: String,
        /// Paths of files that end with the requested path.
        similar: Vec<String>,
    },
    #[error(
        "{path:?} is listed, but its text is not in the index ({}): {}",
        .reason.code(),
        skip_advice(.reason)
    )]
    NotIndexed { path: String, reason: SkipReason },
    #[error("{path:?} has no line {line}: it has {line_count} lines")]
    NoSuchLine {
        path: String,
        line: u32,
        line_count: u32,
    },
    #[error("no definition of {path:?} contains line {line}; request the outline of the file")]
    NoDefinitionAt { path: String, line: u32 },
    #[error(
        "the regular expression cannot be used: {0}; look-around and backreferences are not supported"
    )]
    InvalidRegex(String),
}

/// Says why a file has no text, and what to do.
fn skip_advice(reason: &SkipReason) -> &'static str {
    match reason {
        SkipReason::Binary => "it is a binary file",
        SkipReason::NotUtf8 => {
            "its name or its text is in an unknown encoding; convert it to UTF-8"
        }
        SkipReason::TooLarge { .. } => {
            "it is larger than `index.max_file_bytes`; raise that setting"
        }
        SkipReason::LongLines => {
            "its lines are too long, as in minified code; search the file that it was made from"
        }
        SkipReason::Data => "it is data for programs, not code; read it in the repository",
        SkipReason::LfsPointer => "it is stored by git LFS; fetch it with `git lfs pull`",
        SkipReason::Symlink => "it is a link; request the file that it leads to",
        SkipReason::Submodule => "it is a nested repository; register that one",
        SkipReason::Unreadable(_) | SkipReason::UnreadableDirectory(_) => {
            "it could not be read; check its permissions, and that the repository is complete"
        }
    }
}

fn search_advice(similar: &[String]) -> String {
    match similar {
        [] => "search the paths for a part of its name".to_owned(),
        _ => format!("did you mean {}?", issue::list(similar)),
    }
}

/// Maximum files with a similar path that an error names.
const MAX_SIMILAR_PATHS: usize = 5;

fn find_file(snapshot: &Snapshot, path: &RepoPath) -> Result<FileId, LookupError> {
    let files = &snapshot.files;
    files.find(path.as_str()).ok_or_else(|| {
        let similar = files.find_by_suffix(path.as_str()).into_iter();
        let similar = similar.take(MAX_SIMILAR_PATHS);
        LookupError::UnknownPath {
            path: path.to_string(),
            similar: similar.map(|id| files.path(id).to_owned()).collect(),
        }
    })
}

/// Finds a file and its indexed content.
fn find_content<'a>(
    snapshot: &'a Snapshot,
    path: &RepoPath,
) -> Result<(FileId, &'a Content), LookupError> {
    let id = find_file(snapshot, path)?;
    let file = snapshot.files.file(id);
    match (snapshot.files.content(id), &file.skipped) {
        (Some(content), _) => Ok((id, content)),
        (None, reason) => Err(LookupError::NotIndexed {
            path: path.to_string(),
            // A file without content has a reason.
            reason: reason
                .clone()
                .unwrap_or(SkipReason::Unreadable(String::new())),
        }),
    }
}
