//! Record of one commit's changes: its files, and the functions in them.

use foveate_model::RepoPath;

/// The files that a commit touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Files under the paths that the commit gave them; empty if there are too many.
    pub files: Vec<RepoPath>,
    /// Old and new paths of renamed files, even if there are too many files.
    pub renames: Vec<(RepoPath, RepoPath)>,
}

/// The changes of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The files that it touched.
    pub names: Names,
    /// The changed functions of each file; `None` until they are read.
    pub functions: Option<Functions>,
}

/// Names of the functions that a commit changed, for each of its files in the same order.
pub type Functions = Vec<Vec<Box<str>>>;
