//! Delays a call until there is a first index and recently saved files are indexed. Meanwhile the client
//! receives progress notifications, and may cancel.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::McpService;
use super::failure::Failure;
use crate::engine::{Repository, State};

/// Interval between progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);
/// Longest time to wait until recently saved files are indexed.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval at which the number of pending files is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

impl McpService {
    /// Runs `work` once the repository is indexed and its pending changes are in the index, or the waiting
    /// times are over.
    pub(super) async fn when_ready<T>(
        &self,
        context: &RequestContext<RoleServer>,
        repository: &Arc<Repository>,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let token = context.meta.get_progress_token();
        let work = async {
            // After a timeout, `work` itself reports what is missing.
            let _ = timeout(self.limits.wait, indexed(repository)).await;
            let _ = timeout(SETTLE_TIMEOUT, settled(repository)).await;
            work.await
        };
        tokio::pin!(work);
        let mut ticks = interval_at(Instant::now() + PROGRESS_INTERVAL, PROGRESS_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut count = 0.0;
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                // Nobody reads the explanation.
                () = context.ct.cancelled() => return Err(Failure("cancelled by the client".to_owned())),
                _ = ticks.tick() => {
                    count += 1.0;
                    notify_progress(context, token.clone(), count, repository).await;
                }
            }
        }
    }
}

async fn notify_progress(
    context: &RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    count: f64,
    repository: &Repository,
) {
    let Some(token) = token else { return };
    let (phase, done, total) = repository.progress.read();
    let message = match total {
        0 => format!("{}: {}", repository.name, phase.name()),
        _ => format!("{}: {}, {done} of {total}", repository.name, phase.name()),
    };
    let progress = ProgressNotificationParam::new(token, count).with_message(message);
    // The client may be gone.
    let _ = context.peer.notify_progress(progress).await;
}

/// Waits for a first index, or until indexing has failed.
async fn indexed(repository: &Repository) {
    let mut changes = repository.changes();
    let is_pending = || {
        repository.current().is_none()
            && repository.unloaded().is_none()
            && repository.status().state != State::Failed
    };
    while is_pending() && changes.changed().await.is_ok() {}
}

/// Waits until the index contains every noticed change.
async fn settled(repository: &Repository) {
    while repository.pending_files() > 0 {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
