//! Holds together the tasks of one repository: the signal that stops them, and the tracker that tells when they have
//! ended.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::telemetry::spans::carried;

/// The tasks of one repository. A clone is the same group.
#[derive(Clone, Debug)]
pub(super) struct TaskGroup {
    pub stop: CancellationToken,
    pub tracker: TaskTracker,
}

impl TaskGroup {
    /// Creates a group that is told to stop when `stop` is cancelled.
    pub fn new(stop: CancellationToken) -> Self {
        Self {
            stop,
            tracker: TaskTracker::new(),
        }
    }

    /// Waits for a permit; returns `None` when told to stop.
    pub async fn permit(&self, permits: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        let permit = Arc::clone(permits).acquire_owned();
        self.stop.run_until_cancelled(permit).await?.ok()
    }

    /// Runs blocking work off the async threads, in the current span. It counts as a task of the group, and goes on
    /// when its result is no longer awaited.
    ///
    /// # Errors
    /// When the work panicked.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        self.tracker.spawn_blocking(carried(work)).await
    }

    /// Tells all tasks to stop, and waits until they have ended.
    pub async fn end(&self) {
        self.stop.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}
