//! Reads the history of commits, one or a few at a time across all repositories: touched functions need
//! every blob that a commit touched, so many repositories at a first start would starve everything
//! else. A repository that waits for its turn answers without its history meanwhile.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::git::{GitError, GitRepo, HistoryLimits, HistoryStep, Records};
use crate::engine::{Cancelled, CommitHistory, Engine, Repository};
use crate::telemetry::spans::carried;

/// Reads the history of one repository's commits.
#[derive(Clone)]
pub(super) struct HistoryReader {
    pub engine: Arc<Engine>,
    pub repository: Arc<Repository>,
    pub limits: HistoryLimits,
    /// Cached records of commits.
    pub records: Arc<Records>,
    pub stop: CancellationToken,
    pub tracker: TaskTracker,
}

impl HistoryReader {
    /// Waits for a turn and reads the history up to `step`.
    pub async fn read(
        &self,
        git: Arc<GitRepo>,
        commit: String,
        step: HistoryStep,
    ) -> Result<CommitHistory, GitError> {
        let turn = Arc::clone(self.turns(step)).acquire_owned();
        let Some(turn) = self.stop.run_until_cancelled(turn).await else {
            return Err(Cancelled.into());
        };
        let (limits, stop) = (self.limits, self.stop.clone());
        let (records, repository) = (Arc::clone(&self.records), Arc::clone(&self.repository));
        let engine = Arc::clone(&self.engine);
        let work = self.tracker.spawn_blocking(carried(move || {
            // Held by the blocking work, which goes on even if its result is no longer awaited.
            let _turn = turn;
            let read = || git.history(&commit, &limits, &records, step, &stop);
            let history = engine.pools.background(read);
            repository.set_records_bytes(records.heap_bytes());
            history
        }));
        work.await
            .unwrap_or_else(|error| Err(GitError::Unavailable(error.to_string())))
    }

    fn turns(&self, step: HistoryStep) -> &Arc<Semaphore> {
        match step {
            HistoryStep::Files => &self.engine.index_runs,
            HistoryStep::Functions => &self.engine.history_runs,
        }
    }
}
