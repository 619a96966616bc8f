//! Reads the history of commits, one or a few at a time across all repositories: touched functions need
//! every blob that a commit touched, so many repositories at a first start would starve everything
//! else. A repository that waits for a permit answers without its history meanwhile.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::git::{CommitRecordCache, GitError, GitRepo, HistoryLimits, HistoryStep};
use super::task_group::TaskGroup;
use crate::disk::FileStamp;
use crate::engine::{Cancelled, CommitHistory, Engine, Repository};

/// Reads the history of one repository's commits.
#[derive(Clone)]
pub(super) struct HistoryReader {
    pub engine: Arc<Engine>,
    pub repository: Arc<Repository>,
    pub limits: HistoryLimits,
    /// Cached records of commits.
    pub records: Arc<CommitRecordCache>,
    pub tasks: TaskGroup,
}

impl HistoryReader {
    /// Waits for a permit and reads the history up to `step`.
    pub async fn read(
        &self,
        git: Arc<GitRepo>,
        commit: String,
        step: HistoryStep,
    ) -> Result<CommitHistory, GitError> {
        let Some(permit) = self.tasks.permit(self.permits(step)).await else {
            return Err(Cancelled.into());
        };
        let (limits, stop) = (self.limits, self.tasks.stop.clone());
        let (records, repository) = (Arc::clone(&self.records), Arc::clone(&self.repository));
        let engine = Arc::clone(&self.engine);
        let work = self.tasks.blocking(move || {
            // Held by the blocking work, which goes on even if its result is no longer awaited.
            let _permit = permit;
            let read = || git.history(&commit, &limits, &records, step, &stop);
            let history = engine.pools.background(read);
            repository.set_records_bytes(records.heap_bytes());
            history
        });
        work.await
            .unwrap_or_else(|error| Err(GitError::Unavailable(error.to_string())))
    }

    /// Returns [`GitRepo::shallow_boundary`], read off the async threads.
    pub async fn shallow_boundary(&self, git: Arc<GitRepo>) -> Option<FileStamp> {
        let read = self.tasks.blocking(move || git.shallow_boundary());
        read.await.ok().flatten()
    }

    fn permits(&self, step: HistoryStep) -> &Arc<Semaphore> {
        match step {
            HistoryStep::Files => &self.engine.index_runs,
            HistoryStep::Functions => &self.engine.history_runs,
        }
    }
}
