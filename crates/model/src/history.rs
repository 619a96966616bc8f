//! Defines the past commits of a revision: their messages, and the files and functions that they touched.

use crate::{ObjectId, RepoPath};

/// One past commit.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its git object id.
    pub id: ObjectId,
    /// Subject and body.
    pub message: String,
    /// Whether a bot made it.
    pub is_bot: bool,
    /// Files that it added, changed, renamed or deleted. Empty if they are too many to be informative, or
    /// unknown.
    pub touched: Vec<Touched>,
}

/// A file that a commit touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its path at the revision whose history this is: renames are followed.
    pub path: RepoPath,
    /// Unqualified names of the functions and classes whose lines the commit changed (`get_queryset`);
    /// distinct, at most 50.
    pub functions: Vec<Box<str>>,
}

/// The ancestors of a revision, newest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Newest first. Merge commits are included only if their message describes what they merge.
    pub commits: Vec<Commit>,
}

crate::named_enum! {
    /// How complete [`Touched::functions`] of a history is.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum TouchedFunctions {
        /// Read completely.
        #[default]
        Read = "read",
        /// Still being read.
        Reading = "being_read",
        /// Could not be read for some commits.
        Unreadable = "unreadable",
    }
}
