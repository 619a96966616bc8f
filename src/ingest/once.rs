//! Reads a directory or a commit once, for a program that answers and ends. It watches nothing and
//! registers nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_index::Revision;
use tokio_util::sync::CancellationToken;

use super::git::{GitError, GitRepo, HistoryLimits, Records, Step};
use super::tree::{TreeError, WorkingTree};
use crate::engine::{BlobCache, Cause, Past, Plan, Progress};

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
    let access = Arc::default();
    let bare = GitRepo::open(&root, &access)
        .ok()
        .filter(|_| !root.join(".git").exists());
    match (bare, reference) {
        (Some(git), _) => commit(&git, reference.unwrap_or("HEAD"), blobs, limits, progress),
        (None, Some(reference)) => match GitRepo::around(&root, &access)? {
            Some(git) => commit(&git, reference, blobs, limits, progress),
            None => Err(OnceError::NoRevisions {
                path: root,
                reference: reference.to_owned(),
            }),
        },
        (None, None) => tree(
            WorkingTree::new(root, Vec::new(), access),
            blobs,
            limits,
            progress,
        ),
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
    let (files, past) = std::thread::scope(|threads| {
        let past = threads.spawn(|| past_of(git, &commit, limits));
        (git.files(&commit, &[], blobs, progress), past.join())
    });
    Ok(Plan {
        cause: Cause::Demand,
        files: files?,
        past: past.ok().and_then(Result::ok),
        revision: Revision {
            commit,
            dirty: false,
        },
    })
}

fn tree(
    mut tree: WorkingTree,
    blobs: &BlobCache,
    limits: &HistoryLimits,
    progress: &Progress,
) -> Result<Plan, OnceError> {
    let git = tree.git().cloned();
    let (scanned, past) = std::thread::scope(|threads| {
        let past = threads.spawn(|| past_of_head(git.as_ref(), limits));
        (tree.rescan(blobs, progress, None), past.join())
    });
    scanned?;
    Ok(Plan {
        cause: Cause::Demand,
        revision: tree.revision(),
        files: tree.files(),
        past: past.ok().flatten(),
    })
}

/// The past of a commit, all at once: nobody waits for a first part of it.
fn past_of(git: &GitRepo, commit: &str, limits: &HistoryLimits) -> Result<Past, GitError> {
    let (records, stop) = (Records::in_memory(), CancellationToken::new());
    git.history(commit, limits, &records, Step::Functions, &stop)
}

/// The past of `HEAD`; empty where there is none, `None` where git failed.
fn past_of_head(git: Option<&GitRepo>, limits: &HistoryLimits) -> Option<Past> {
    let Some(git) = git else {
        return Some(Past::default());
    };
    match git.resolve("HEAD") {
        Ok(commit) => past_of(git, &commit, limits).ok(),
        Err(_) => Some(Past::default()),
    }
}
