//! What one commit changed: its files, and the functions in them.

use foveate_model::RepoPath;

/// The files that a commit touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Files by the names that the commit gave them; none where they are too many.
    pub files: Vec<RepoPath>,
    /// Old and new names of renamed files, also where the files are too many.
    pub renames: Vec<(RepoPath, RepoPath)>,
}

/// What a commit changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its files.
    pub names: Names,
    /// For each of the files the functions that were changed; `None` while they are not read.
    pub functions: Option<Functions>,
}

/// Functions that a commit changed, for each of its files.
pub type Functions = Vec<Vec<Box<str>>>;
