//! What a call waits for: a first index, files that were saved just now, and the answer itself. Meanwhile
//! the client is told how far it is, and may cancel.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::Agents;
use super::failure::Failure;
use crate::engine::{Repository, State};

/// Time between two notifications of progress.
const TICK: Duration = Duration::from_millis(500);
/// Time to wait for files that were saved just now.
const SETTLING: Duration = Duration::from_secs(2);
/// Time between two looks at them.
const LOOK: Duration = Duration::from_millis(5);

impl Agents {
    /// Does `work` once the repository is indexed and its changes are in the index.
    pub(super) async fn when_ready<T>(
        &self,
        context: &RequestContext<RoleServer>,
        repository: &Arc<Repository>,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let token = context.meta.get_progress_token();
        let work = async {
            // After that the work says itself what is missing.
            let _ = timeout(self.limits.wait, indexed(repository)).await;
            let _ = timeout(SETTLING, settled(repository)).await;
            work.await
        };
        tokio::pin!(work);
        let mut ticks = interval_at(Instant::now() + TICK, TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut count = 0.0;
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = context.ct.cancelled() => return Err(Failure::Cancelled),
                _ = ticks.tick() => {
                    count += 1.0;
                    tell(context, token.clone(), count, repository).await;
                }
            }
        }
    }
}

async fn tell(
    context: &RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    count: f64,
    repository: &Repository,
) {
    let Some(token) = token else { return };
    let (phase, done, total) = repository.progress().read();
    let message = match total {
        0 => format!("{}: {}", repository.name(), phase.name()),
        _ => format!("{}: {}, {done} of {total}", repository.name(), phase.name()),
    };
    let progress = ProgressNotificationParam::new(token, count).with_message(message);
    // Who is gone will not miss it.
    let _ = context.peer.notify_progress(progress).await;
}

/// Waits for a first index, or until there will be none.
async fn indexed(repository: &Repository) {
    let mut changes = repository.changes();
    let is_pending = || {
        repository.current().is_none()
            && repository.unloaded().is_none()
            && repository.status().state != State::Failed
    };
    while is_pending() && changes.changed().await.is_ok() {}
}

/// Waits until the index holds every change that was noticed.
async fn settled(repository: &Repository) {
    while repository.pending_files() > 0 {
        tokio::time::sleep(LOOK).await;
    }
}
