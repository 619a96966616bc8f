//! What the past commits of a revision say: messages, and the files and functions that they
//! touched.

use crate::{ObjectId, RepoPath};

/// One past commit.
#[derive(Clone, Debug)]
pub struct Commit {
    /// What git calls it.
    pub id: ObjectId,
    /// Subject and body.
    pub message: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// Whether a program made it.
    pub is_bot: bool,
    /// Files that it added, changed, renamed or deleted. Empty where they are too many to say
    /// anything, and where they are not known.
    pub touched: Vec<Touched>,
}

/// A file that a commit touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its name at the revision that was asked about: renames are followed.
    pub path: RepoPath,
    /// Names of the functions and classes whose lines the commit changed, without what they are
    /// in (`get_queryset`); distinct, at most 50.
    pub functions: Vec<Box<str>>,
}

/// The ancestors of a revision, newest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Newest first; of merges those whose message says what they bring.
    pub commits: Vec<Commit>,
}

/// How far [`Touched::functions`] of a history are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TouchedFunctions {
    /// As far as they can be.
    #[default]
    Read,
    /// They are being read.
    Reading,
    /// Of some commits they could not be read.
    Unreadable,
}
