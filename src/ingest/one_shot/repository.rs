//! Opens the repository of the directory that one run reads. Git is asked once: if it cannot be used, later steps of
//! the run do not try it again. Start at [`Repository::of`].

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::OneShotError;
use crate::engine::{Diff, DiffEnds};
use crate::ingest::git::{self, GitError, GitRepo, ReadLimits};

/// Time limit of git calls that resolve refs. They take milliseconds, so a slower call hangs.
const LOOKUP: Duration = Duration::from_secs(10);

/// A directory and the git repository that it belongs to.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    is_bare: bool,
    git: Option<GitRepo>,
    error: Option<Arc<GitError>>,
}

impl Repository {
    /// Asks git about a canonical directory.
    pub fn of(root: PathBuf) -> Self {
        let read_limits = Arc::new(ReadLimits {
            lookup: LOOKUP,
            ..ReadLimits::default()
        });
        let bare = bare(&root, &read_limits);
        let is_bare = bare.is_some();
        let (git, error) = match bare.map_or_else(
            || GitRepo::discover(&root, &read_limits),
            |git| Ok(Some(git)),
        ) {
            Ok(git) => (git, None),
            Err(error) => (None, Some(Arc::new(error))),
        };
        Self {
            root,
            is_bare,
            git,
            error,
        }
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the directory is a bare repository.
    pub fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// Returns the repository that the directory is or belongs to; `None` if there is none, or git cannot be used.
    pub fn git(&self) -> Option<&GitRepo> {
        self.git.as_ref()
    }

    /// Returns why git cannot be used for the repository; `None` if it can, or there is none.
    pub fn error(&self) -> Option<&GitError> {
        self.error.as_deref()
    }

    /// Returns the path of the directory in its repository, with a trailing slash; empty for the top directory of
    /// the repository, and without a repository.
    pub fn directory(&self) -> &str {
        self.git().map_or("", GitRepo::prefix)
    }

    /// Returns the changes that the head of a diff made since its base.
    ///
    /// # Errors
    /// When there is no repository, or git fails.
    pub fn diff(&self, ends: &DiffEnds) -> Result<Diff, OneShotError> {
        let git = self.with_revision(&ends.head)?;
        let diff = || {
            let (base, head) = (git.resolve(&ends.base)?, git.resolve(&ends.head)?);
            git.diff(&base, &head, &CancellationToken::new())
        };
        diff().map_err(|error| self.classify(error))
    }

    /// Returns why commits cannot be found: a shallow clone may lack them.
    pub(super) fn classify(&self, error: GitError) -> OneShotError {
        let lacks_commits = match &error {
            GitError::Shallow { .. } => true,
            GitError::UnknownRef(_) => self.git().is_some_and(GitRepo::is_shallow),
            _ => false,
        };
        match lacks_commits {
            true => OneShotError::LacksCommits(error),
            false => error.into(),
        }
    }

    /// Returns the repository to read a revision from, or an error that names the revision.
    pub(super) fn with_revision(&self, reference: &str) -> Result<&GitRepo, OneShotError> {
        if let Some(error) = &self.error {
            return Err(OneShotError::Unusable(Arc::clone(error)));
        }
        self.git().ok_or_else(|| OneShotError::NoRevisions {
            path: self.root.clone(),
            reference: reference.to_owned(),
        })
    }
}

/// Opens a directory as a bare repository; returns `None` if it is not one.
fn bare(root: &Path, read_limits: &Arc<ReadLimits>) -> Option<GitRepo> {
    if !git::is_bare(root) {
        return None;
    }
    GitRepo::open(root, read_limits).ok()
}
