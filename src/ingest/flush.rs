//! Writes the index of a repository to disk in the background: some time after the last change, again
//! after a failure, and when the service stops. It changes no index.

use std::io;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

use super::driver::Driver;
use super::schedule::sleep_until;
use super::tree::Stats;
use crate::disk::MaxWaste;
use crate::engine::Repository;

/// Time after which changes are written although more keep coming.
const MAX_DELAY: Duration = Duration::from_secs(30);
/// Longest wait before another attempt after a failed write: each attempt costs as much as a write.
const MAX_RETRY: Duration = Duration::from_secs(300);

/// Writes changes until told to stop, and then the remaining ones.
pub(super) async fn flush(driver: Driver) {
    if !driver.repository.store.is_writable() {
        return;
    }
    let mut changes = driver.repository.changes();
    let mut written = InMemory::default();
    let mut retry = None;
    loop {
        // Read before writing, so that a change during the write causes another one.
        let is_stopping = driver.tasks.stop.is_cancelled();
        let in_memory = InMemory::of(&driver.repository);
        if in_memory != written {
            if write(&driver, save).await {
                (written, retry) = (in_memory, None);
            } else {
                retry = Some(next_retry(&driver, retry));
            }
        }
        if is_stopping {
            write(&driver, save_rest).await;
            return;
        }
        tokio::select! {
            () = driver.tasks.stop.cancelled() => {}
            changed = changes.changed() => {
                if changed.is_err() {
                    return;
                }
                settle(&driver, &mut changes).await;
            }
            () = sleep_until(retry.map(|wait| Instant::now() + wait)) => {}
        }
    }
}

/// Returns the wait before the next attempt after a failed write: twice the last one.
fn next_retry(driver: &Driver, last: Option<Duration>) -> Duration {
    let next = last.map_or(driver.settings.write_after, |last| last * 2);
    next.clamp(Duration::from_millis(1), MAX_RETRY)
}

/// Waits until no more changes come, at most [`MAX_DELAY`].
async fn settle(driver: &Driver, changes: &mut tokio::sync::watch::Receiver<()>) {
    let quiet = driver.settings.write_after;
    let until_quiet = async { while let Ok(Ok(())) = timeout(quiet, changes.changed()).await {} };
    tokio::select! {
        () = driver.tasks.stop.cancelled() => {}
        () = until_quiet => {}
        () = sleep(MAX_DELAY) => {}
    }
}

/// Writes the index, or a part of it. Returns whether that succeeded.
async fn write(driver: &Driver, save: Save) -> bool {
    let Driver {
        repository, stats, ..
    } = driver.clone();
    let written = driver.tasks.blocking(move || {
        let saved = save(&repository, &stats);
        if let Err(error) = &saved {
            tracing::warn!(
                repo = %repository.name,
                %error,
                "cannot store the index, so a restart will read the source again: run `foveate doctor`"
            );
        }
        saved.is_ok()
    });
    written.await.unwrap_or(false)
}

/// Writes the data of a repository, or a part of them.
type Save = fn(&Repository, &Stats) -> io::Result<()>;

/// Identifies the snapshots that a repository has in memory.
#[derive(Debug, Default, PartialEq, Eq)]
struct InMemory {
    generation: u64,
    commits: Vec<String>,
}

impl InMemory {
    fn of(repository: &Repository) -> Self {
        let basis = repository.current_unless_stale();
        let warm = repository.revisions.warm();
        let mut commits: Vec<_> = warm.iter().map(|s| s.revision.commit.clone()).collect();
        commits.sort();
        Self {
            generation: basis.map_or(0, |basis| basis.snapshot.generation),
            commits,
        }
    }
}

/// Writes the index, and the stats of the files once many have changed.
fn save(repository: &Repository, stats: &Stats) -> io::Result<()> {
    let _alone = repository.store.lock();
    let Some(basis) = repository.current_unless_stale() else {
        return Ok(());
    };
    let snapshot = &basis.snapshot;
    let others = repository.revisions.warm();
    repository.store.save(snapshot, &others, MaxWaste::Third)?;
    stats.save_if_many(|path| snapshot.files.find(path.as_str()).is_some())?;
    repository.save_summary()
}

/// Writes the stats of all files, and the summary. Its time of the last question tells the next process which
/// repositories to load first.
fn save_rest(repository: &Repository, stats: &Stats) -> io::Result<()> {
    let _alone = repository.store.lock();
    if let Some(basis) = repository.current_unless_stale() {
        let files = &basis.snapshot.files;
        stats.save(|path| files.find(path.as_str()).is_some())?;
    }
    repository.save_summary()
}
