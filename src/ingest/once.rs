//! Reads a directory or a commit once, for a program that answers and ends. It watches nothing and
//! registers nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_index::Revision;
use foveate_model::History;

use super::git::{GitError, GitRepo, HistoryLimits};
use super::tree::{TreeError, WorkingTree};
use crate::engine::{BlobCache, Cause, Plan, Progress};

/// Why there is nothing to index.
#[derive(Debug, thiserror::Error)]
pub enum OnceError {
    /// The path is no directory.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// It holds no repository, so it has no revisions.
    #[error("{} is not in a git repository, so it has no revision {reference:?}", .path.display())]
    NoRevisions {
        /// The directory.
        path: PathBuf,
        /// The revision asked for.
        reference: String,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The files could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// The files and the history of a working tree, or of the commit that `reference` names. A bare
/// repository is read at its `HEAD`. Parses on the current rayon pool.
///
/// # Errors
/// See [`OnceError`].
pub fn read(
    directory: &Path,
    reference: Option<&str>,
    blobs: &BlobCache,
    limits: &HistoryLimits,
    progress: &Progress,
) -> Result<Plan, OnceError> {
    let root = std::fs::canonicalize(directory)
        .ok()
        .filter(|root| root.is_dir())
        .ok_or_else(|| OnceError::NotADirectory(directory.to_owned()))?;
    let bare = GitRepo::open(&root)
        .ok()
        .filter(|_| !root.join(".git").exists());
    match (bare, reference) {
        (Some(git), _) => commit(&git, reference.unwrap_or("HEAD"), blobs, limits, progress),
        (None, Some(reference)) => match GitRepo::around(&root)? {
            Some(git) => commit(&git, reference, blobs, limits, progress),
            None => Err(OnceError::NoRevisions {
                path: root,
                reference: reference.to_owned(),
            }),
        },
        (None, None) => tree(root, blobs, limits, progress),
    }
}

fn commit(
    git: &GitRepo,
    reference: &str,
    blobs: &BlobCache,
    limits: &HistoryLimits,
    progress: &Progress,
) -> Result<Plan, OnceError> {
    let commit = git.resolve(reference)?;
    let (files, history) = std::thread::scope(|threads| {
        let history = threads.spawn(|| git.history(&commit, limits));
        (git.files(&commit, blobs, progress), history.join())
    });
    Ok(Plan {
        cause: Cause::Demand,
        files: files?,
        history: history.ok().and_then(Result::ok).map(Arc::new),
        revision: Revision {
            commit,
            dirty: false,
        },
    })
}

fn tree(
    root: PathBuf,
    blobs: &BlobCache,
    limits: &HistoryLimits,
    progress: &Progress,
) -> Result<Plan, OnceError> {
    let mut tree = WorkingTree::new(root, Vec::new());
    let git = tree.git().cloned();
    let (scanned, history) = std::thread::scope(|threads| {
        let history = threads.spawn(|| history_of_head(git.as_ref(), limits));
        (tree.rescan(blobs, progress, None), history.join())
    });
    scanned?;
    Ok(Plan {
        cause: Cause::Demand,
        revision: tree.revision(),
        files: tree.files(),
        history: history.ok().flatten().map(Arc::new),
    })
}

/// The history of `HEAD`; empty where there is none, `None` where git failed.
fn history_of_head(git: Option<&GitRepo>, limits: &HistoryLimits) -> Option<History> {
    let Some(git) = git else {
        return Some(History::default());
    };
    match git.resolve("HEAD") {
        Ok(commit) => git.history(&commit, limits).ok(),
        Err(_) => Some(History::default()),
    }
}
