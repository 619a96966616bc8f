//! What the past commits of a revision say: messages and the files that they touched.

use crate::RepoPath;

/// One past commit.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Subject and body.
    pub message: String,
    /// Paths of files that it added, changed or deleted (no renames detected).
    pub paths: Vec<RepoPath>,
}

/// The ancestors of a revision, newest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Newest first; merges left out.
    pub commits: Vec<Commit>,
}
