//! The repository of the directory that one run asks about. Git is asked for it once: a git that cannot be used is
//! not tried again for each thing that the run needs. Start at [`Repository::of`].

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::OnceError;
use crate::engine::{Diff, DiffEnds};
use crate::ingest::git::{Access, GitError, GitRepo};

/// Time in which git must say what it is asked about refs. It takes milliseconds, so that one that takes longer
/// hangs.
const LOOKUP: Duration = Duration::from_secs(10);

/// A directory and what git says of it.
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
        let access = Arc::new(Access {
            lookup: LOOKUP,
            ..Access::default()
        });
        let bare = bare(&root, &access);
        let is_bare = bare.is_some();
        let (git, error) =
            match bare.map_or_else(|| GitRepo::around(&root, &access), |git| Ok(Some(git))) {
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

    /// The repository that the directory is or belongs to; `None` where there is none, or git cannot be used.
    pub fn git(&self) -> Option<&GitRepo> {
        self.git.as_ref()
    }

    /// Why git cannot be used for the repository that is there.
    pub fn error(&self) -> Option<&GitError> {
        self.error.as_deref()
    }

    /// The directory in its repository, with a slash at the end; empty for the repository's own directory, and
    /// where there is none.
    pub fn directory(&self) -> &str {
        self.git().map_or("", GitRepo::prefix)
    }

    /// Whether it lacks old commits.
    pub fn is_shallow(&self) -> bool {
        self.git().is_some_and(GitRepo::is_shallow)
    }

    /// What the head of a diff changed.
    ///
    /// # Errors
    /// When there is no repository, or git fails.
    pub fn diff(&self, ends: &DiffEnds) -> Result<Diff, OnceError> {
        let git = self.with_revision(&ends.head)?;
        let (base, head) = (git.resolve(&ends.base)?, git.resolve(&ends.head)?);
        Ok(git.diff(&base, &head, &CancellationToken::new())?)
    }

    /// The repository, of which a revision is wanted.
    pub(super) fn with_revision(&self, reference: &str) -> Result<&GitRepo, OnceError> {
        if let Some(error) = &self.error {
            return Err(OnceError::Unusable(Arc::clone(error)));
        }
        self.git().ok_or_else(|| OnceError::NoRevisions {
            path: self.root.clone(),
            reference: reference.to_owned(),
        })
    }
}

/// Whether a canonical directory is a bare repository.
pub fn is_bare(root: &Path) -> bool {
    bare(root, &Arc::default()).is_some()
}

/// The bare repository that a directory is.
fn bare(root: &Path, access: &Arc<Access>) -> Option<GitRepo> {
    if root.join(".git").symlink_metadata().is_ok() {
        return None;
    }
    GitRepo::open(root, access).ok()
}
