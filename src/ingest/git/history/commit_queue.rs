//! Divides commits into runs of git, some of which may fail: which commits are read next, and which git cannot read.

use foveate_model::ObjectId;

use crate::ingest::git::GitError;

/// Number of commits read by one git process; records are kept after each batch.
pub(super) const BATCH: usize = 2000;

/// Result of one run of git.
pub(super) struct Run<T> {
    pub(super) done: Vec<(ObjectId, T)>,
    pub(super) failed_at: Option<Failure>,
}

/// Position and error of a failed run.
pub(super) struct Failure {
    /// Index of the commit that was being read; the one that git could not read may be a later one.
    pub(super) position: usize,
    pub(super) error: GitError,
}

impl<T> Run<T> {
    pub(super) fn new(
        commits: &[ObjectId],
        done: Vec<(ObjectId, T)>,
        current: Option<ObjectId>,
        ran: Result<(), GitError>,
    ) -> Result<Self, GitError> {
        let failed_at = match ran {
            Ok(()) => None,
            // Without memory, git fails on commits that it can read.
            Err(error @ GitError::Failed { .. }) if error.is_damage() => Some(Failure {
                position: commits
                    .iter()
                    .position(|id| Some(*id) == current)
                    .unwrap_or_default(),
                error,
            }),
            Err(error) => return Err(error),
        };
        Ok(Self { done, failed_at })
    }
}

/// Queue of commits, some of which git may fail to read. Git does not say which commit failed, and may or may
/// not have printed it. So after a failure the next commit is read alone.
pub(super) struct CommitQueue<'a> {
    commits: &'a [ObjectId],
    batch_size: usize,
    pub(super) lost: Vec<ObjectId>,
}

impl<'a> CommitQueue<'a> {
    pub(super) fn new(commits: &'a [ObjectId]) -> Self {
        Self {
            commits,
            batch_size: BATCH,
            lost: Vec::new(),
        }
    }

    pub(super) fn next(&self) -> Option<&'a [ObjectId]> {
        let requested = &self.commits[..self.commits.len().min(self.batch_size)];
        (!requested.is_empty()).then_some(requested)
    }

    pub(super) fn advance(&mut self, requested: usize, failure: Option<Failure>) {
        match failure {
            None => {
                self.commits = &self.commits[requested..];
                self.batch_size = BATCH;
            }
            Some(failure) if requested > 1 => {
                self.commits = &self.commits[failure.position..];
                self.batch_size = 1;
            }
            Some(_) => {
                self.lost.extend_from_slice(&self.commits[..1]);
                self.commits = &self.commits[1..];
                self.batch_size = BATCH;
            }
        }
    }
}
