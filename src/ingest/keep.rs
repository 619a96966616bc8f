//! Writes what a repository's index is made of to the disk, behind everybody's back: some time after
//! the last change, and when the service stops. It changes no index.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::tree::Stats;
use crate::engine::Repository;

/// Time after which changes are written although others keep coming.
const LONGEST: Duration = Duration::from_secs(30);

/// What writes one repository's data.
pub(super) struct Keeper {
    pub repository: Arc<Repository>,
    pub stats: Arc<Stats>,
    /// Time without changes after which they are written.
    pub quiet: Duration,
    pub stop: CancellationToken,
    pub tracker: TaskTracker,
}

impl Keeper {
    /// Writes until it is told to stop, and what is not written then.
    pub async fn keep(self) {
        if !self.repository.kept().is_writable() {
            return;
        }
        let mut changes = self.repository.changes();
        let mut written = Held::default();
        loop {
            // Asked first: what changes while it is written is then written as well.
            let is_stopping = self.stop.is_cancelled();
            let held = Held::of(&self.repository);
            if held != written && self.write().await {
                written = held;
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
            }
        }
    }

    /// Waits until nothing changes any more, but not for ever.
    async fn settle(&self, changes: &mut tokio::sync::watch::Receiver<()>) {
        let calm = async {
            while let Ok(Ok(())) = tokio::time::timeout(self.quiet, changes.changed()).await {}
        };
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = calm => {}
            () = tokio::time::sleep(LONGEST) => {}
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

/// What a repository has in memory.
#[derive(Debug, Default, PartialEq, Eq)]
struct Held {
    generation: u64,
    commits: Vec<String>,
}

impl Held {
    fn of(repository: &Repository) -> Self {
        let current = repository.current();
        let warm = repository.revisions().warm();
        let mut commits: Vec<_> = warm.iter().map(|s| s.revision.commit.clone()).collect();
        commits.sort();
        Self {
            generation: current.map_or(0, |current| current.snapshot.generation),
            commits,
        }
    }
}

fn save(repository: &Repository, stats: &Stats) -> bool {
    let Some(current) = repository.current() else {
        return true;
    };
    let snapshot = &current.snapshot;
    let others = repository.revisions().warm();
    let saved = repository
        .kept()
        .save(snapshot, &others)
        .and_then(|()| stats.save(|path| snapshot.files.find(path.as_str()).is_some()))
        .and_then(|()| repository.store_rest());
    if let Err(error) = &saved {
        tracing::warn!(
            repo = %repository.name(),
            %error,
            "the index is not on disk: a restart will read the source again"
        );
    }
    saved.is_ok()
}
