//! Writes the index of a repository to the disk, in the background: some time after the last change,
//! again where that failed, and when the service stops. It changes no index.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::tree::Stats;
use crate::engine::Repository;

/// Time after which changes are written although others keep coming.
const MAX_DELAY: Duration = Duration::from_secs(30);
/// The longest time between two attempts to write what could not be written: each try costs as much
/// as the write.
const MAX_RETRY: Duration = Duration::from_secs(300);

/// Writes one repository's data.
pub(super) struct Flusher {
    pub repository: Arc<Repository>,
    pub stats: Arc<Stats>,
    /// Time without changes after which they are written.
    pub quiet: Duration,
    pub stop: CancellationToken,
    pub tracker: TaskTracker,
}

impl Flusher {
    /// Writes until it is told to stop, and what is not written then.
    pub async fn run(self) {
        if !self.repository.store().is_writable() {
            return;
        }
        let mut changes = self.repository.changes();
        let mut written = Held::default();
        let mut retry = None;
        loop {
            // Asked first: what changes while it is written is then written as well.
            let is_stopping = self.stop.is_cancelled();
            let held = Held::of(&self.repository);
            if held != written {
                if self.write().await {
                    (written, retry) = (held, None);
                } else {
                    retry = Some(self.next_retry(retry));
                }
            }
            if is_stopping {
                return;
            }
            tokio::select! {
                () = self.stop.cancelled() => {}
                changed = changes.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    self.settle(&mut changes).await;
                }
                () = after(retry) => {}
            }
        }
    }

    /// Time until what could not be written is tried again: each time twice the time before.
    fn next_retry(&self, last: Option<Duration>) -> Duration {
        let next = last.map_or(self.quiet, |last| last * 2);
        next.clamp(Duration::from_millis(1), MAX_RETRY)
    }

    /// Waits until nothing changes any more, but not for ever.
    async fn settle(&self, changes: &mut tokio::sync::watch::Receiver<()>) {
        let calm = async {
            while let Ok(Ok(())) = tokio::time::timeout(self.quiet, changes.changed()).await {}
        };
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = calm => {}
            () = tokio::time::sleep(MAX_DELAY) => {}
        }
    }

    /// Whether it could be written.
    async fn write(&self) -> bool {
        let (repository, stats) = (Arc::clone(&self.repository), Arc::clone(&self.stats));
        let written = self
            .tracker
            .spawn_blocking(move || save(&repository, &stats));
        written.await.unwrap_or(false)
    }
}

async fn after(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

/// What a repository has in memory.
#[derive(Debug, Default, PartialEq, Eq)]
struct Held {
    generation: u64,
    commits: Vec<String>,
}

impl Held {
    fn of(repository: &Repository) -> Self {
        let basis = repository.basis();
        let warm = repository.revisions().warm();
        let mut commits: Vec<_> = warm.iter().map(|s| s.revision.commit.clone()).collect();
        commits.sort();
        Self {
            generation: basis.map_or(0, |basis| basis.snapshot.generation),
            commits,
        }
    }
}

fn save(repository: &Repository, stats: &Stats) -> bool {
    let _alone = repository.storing();
    let Some(basis) = repository.basis() else {
        return true;
    };
    let snapshot = &basis.snapshot;
    let others = repository.revisions().warm();
    let saved = repository
        .store()
        .save(snapshot, &others)
        .and_then(|()| stats.save(|path| snapshot.files.find(path.as_str()).is_some()))
        .and_then(|()| repository.save_summary());
    if let Err(error) = &saved {
        tracing::warn!(
            repo = %repository.name(),
            %error,
            "the index is not on disk: a restart will read the source again"
        );
    }
    saved.is_ok()
}
