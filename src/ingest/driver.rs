//! Keeps the index of a repository current, in one task per repository: it reads the source when a
//! change is reported, and passes the result to the repository's one writer. Requests that arrive
//! while it works are queued; file system events are collected. Other revisions than the current one
//! are served by [`super::revisions`]. This file holds the code that both kinds of repositories share; the task
//! of a working tree is in [`tree`], that of a git repository in [`git`].

mod git;
mod tree;

use std::future::ready;
use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwapOption;
use foveate_index::Revision;
use foveate_model::{SourceFile, TouchedFunctions};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::AbortOnDropHandle;
use tracing::{Instrument as _, Span};

use super::IngestSettings;
use super::git::remote::LocalClone;
use super::git::{CommitRecordCache, GitError, GitRepo, HistoryStep, ReadLimits};
use super::schedule::retry_wait;
use super::task_group::TaskGroup;
use super::tree::Stats;
use crate::disk::FileStamp;
use crate::engine::{
    BlobCache, Cancelled, Cause, CommitHistory, Engine, IndexInput, Phase, Progress, Repository,
    StaleIndex, Writer,
};
use crate::telemetry::{milliseconds, spans};
pub(super) use git::GitSource;

/// Keeps one repository current, and holds what its tasks share. Clones share its state.
#[derive(Clone)]
pub(super) struct Driver {
    pub engine: Arc<Engine>,
    pub repository: Arc<Repository>,
    pub settings: Arc<IngestSettings>,
    /// Paths where the repository, its git directory and its objects may lie.
    pub read_limits: Arc<ReadLimits>,
    /// Limits concurrent clones and fetches.
    pub transfers: Arc<Semaphore>,
    pub tasks: TaskGroup,
    /// The git repository that other revisions are read from, once it is opened.
    pub git: Arc<ArcSwapOption<GitRepo>>,
    /// The clone that this program made of a remote repository, which must be complete; `None` for one on this machine.
    pub local_clone: Option<Arc<LocalClone>>,
    /// Cached records of commits.
    pub records: Arc<CommitRecordCache>,
    /// Boundary of a shallow clone from before the history of the current commit was last read.
    pub boundary: Arc<Mutex<Option<FileStamp>>>,
    /// Blob ids of a working tree's files by their stats.
    pub stats: Arc<Stats>,
}

/// A commit and its history, being loaded. Dropping it gives up the wait for a permit to read.
struct Loading {
    commit: String,
    /// Number of attempts in a row that failed before.
    failures: u32,
    /// Loads it, and returns the span of the run in which it did.
    task: AbortOnDropHandle<(Loaded, Span)>,
}

type Loaded = Result<CommitHistory, GitError>;

/// Outcome of one scan of the source.
enum ScanOutcome {
    /// A snapshot of this commit was published without its history.
    WantsHistory(String),
    /// There is nothing more to do.
    Settled,
    /// The source could not be read, or the index not built.
    Failed,
    /// The repository is going away.
    Cancelled,
}

impl Driver {
    /// Publishes the stale index, if there is one, for the files that `read` lists: it answers questions
    /// while the new index is built. Returns `None` when told to stop.
    async fn serve_stale(
        &self,
        mut writer: Writer,
        read: impl FnOnce(&Self, &BlobCache, &Progress) -> Option<Listed> + Send + 'static,
    ) -> Option<Writer> {
        let repository = Arc::clone(&self.repository);
        let stale = self.blocking(move || StaleIndex::of(&repository)).await?;
        let Some(stale) = stale else {
            return Some(writer);
        };
        let permit = self.index_permit().await?;
        let driver = self.clone();
        self.blocking(move || {
            let (pools, progress) = (&driver.engine.pools, &driver.repository.progress);
            let listed = pools.install(|| read(&driver, &stale.blobs, progress));
            if let Some(listed) = listed {
                publish_stale(&mut writer, listed, &stale);
            }
            drop(permit);
            writer
        })
        .await
    }

    /// Waits for a permit to read a whole repository; returns `None` when told to stop.
    async fn index_permit(&self) -> Option<OwnedSemaphorePermit> {
        let permit = self.engine.index_permit(&self.repository);
        self.tasks.stop.run_until_cancelled(permit).await?
    }

    /// Starts loading the history of a commit, unless it is loading already: a saved file restarts neither the reading
    /// nor the wait after a failure. With `at_once` a load that waits after a failure is restarted.
    fn load_first(
        &self,
        commit: String,
        loading: Option<Loading>,
        at_once: bool,
        run: Span,
    ) -> Option<Loading> {
        match loading {
            Some(loading) if loading.commit == commit && !(at_once && loading.failures > 0) => {
                Some(loading)
            }
            _ => self.load_history(commit, HistoryStep::Files, 0, ready(run)),
        }
    }

    /// Adds a history that was loaded to the writer of `work`, off the async threads, and starts to load what comes next.
    /// Returns `None` when that panicked.
    async fn add_history<W: Send + 'static>(
        &self,
        mut work: W,
        writer_of: fn(&mut W) -> &mut Writer,
        (loading, loaded, run): (Loading, Loaded, Span),
    ) -> Option<(W, Option<Loading>)> {
        let commit = loading.commit.clone();
        let publish = self.blocking(move || {
            let next = publish_history(writer_of(&mut work), &commit, loaded);
            (work, next)
        });
        let (work, next) = publish.instrument(run.clone()).await?;
        let loading = self.load_next(loading, next, run);
        Some((work, loading))
    }

    fn load_next(&self, loaded: Loading, next: Option<HistoryStep>, run: Span) -> Option<Loading> {
        let Loading {
            commit, failures, ..
        } = loaded;
        match next? {
            // A failure of this step counts with those before: the next attempt begins with the files again.
            HistoryStep::Functions => {
                self.load_history(commit, HistoryStep::Functions, failures, ready(run))
            }
            HistoryStep::Files => {
                let wait = retry_wait(self.settings.poll.retry, failures);
                let failures = failures.saturating_add(1);
                let driver = self.clone();
                // Its span begins after the wait, which may last an hour.
                let run = async move {
                    tokio::time::sleep(wait).await;
                    driver.run_span(Cause::History)
                };
                self.load_history(commit, HistoryStep::Files, failures, run)
            }
        }
    }

    /// Starts loading the history of a commit in the background, as part of a run, once its span is there.
    fn load_history(
        &self,
        commit: String,
        step: HistoryStep,
        failures: u32,
        run: impl Future<Output = Span> + Send + 'static,
    ) -> Option<Loading> {
        let git = self.git.load_full()?;
        let (driver, wanted) = (self.clone(), commit.clone());
        let task = self.tasks.tracker.spawn(async move {
            let run = run.await;
            let repo = Arc::clone(&git);
            let found = driver.tasks.blocking(move || repo.shallow_boundary());
            let found = found.await.ok().flatten();
            let read = driver.read_history(git, wanted, step);
            let read = read.instrument(run.clone()).await;
            if read.is_ok() && std::mem::replace(&mut *driver.boundary.lock(), found) != found {
                // Their histories may end at the former boundary, too.
                driver.repository.revisions.evict_built();
            }
            (read, run)
        });
        Some(Loading {
            commit,
            failures,
            task: AbortOnDropHandle::new(task),
        })
    }

    /// Waits for a permit and reads the history of a commit up to `step`. One or a few histories are read at a time across
    /// all repositories: touched functions need every blob that a commit touched, so many repositories at a first
    /// start would starve everything else. A repository that waits answers without its history meanwhile.
    pub async fn read_history(
        &self,
        git: Arc<GitRepo>,
        commit: String,
        step: HistoryStep,
    ) -> Loaded {
        let permits = match step {
            HistoryStep::Files => &self.engine.index_runs,
            HistoryStep::Functions => &self.engine.history_runs,
        };
        let Some(permit) = self.tasks.permit(permits).await else {
            return Err(Cancelled.into());
        };
        let driver = self.clone();
        let work = self.tasks.blocking(move || {
            // Held by the blocking work, which goes on even if its result is no longer awaited.
            let _permit = permit;
            let (limits, stop) = (&driver.settings.history, &driver.tasks.stop);
            let read = || git.history(&commit, limits, &driver.records, step, stop);
            let history = driver.engine.pools.background(read);
            let bytes = driver.records.heap_bytes();
            driver.repository.set_records_bytes(bytes);
            history
        });
        work.await
            .unwrap_or_else(|error| Err(GitError::Unavailable(error.to_string())))
    }

    /// Creates the span of a run that begins now.
    fn run_span(&self, cause: Cause) -> Span {
        spans::index_run(&self.repository.name, cause.name())
    }

    /// Whether a shallow clone got older commits, or lost some, after the history was read. Blocks.
    fn is_history_outdated(&self) -> bool {
        let git = self.git.load_full();
        git.is_some_and(|git| git.shallow_boundary() != *self.boundary.lock())
    }

    /// Runs blocking work off the async threads; returns `None` when it panicked.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        match self.tasks.blocking(work).await {
            Ok(done) => Some(done),
            Err(error) => {
                tracing::error!(%error, "a task of a repository panicked and has ended");
                None
            }
        }
    }
}

/// Waits until the history is loaded, and takes it out, with the span of the run that loaded it; waits for ever if none
/// is being loaded.
async fn finished(history: &mut Option<Loading>) -> (Loading, Loaded, Span) {
    let done = match history {
        Some(loading) => (&mut loading.task).await,
        None => std::future::pending().await,
    };
    let (loaded, run) = done.unwrap_or_else(|error| {
        let error = GitError::Unavailable(error.to_string());
        (Err(error), Span::none())
    });
    match history.take() {
        Some(loading) => (loading, loaded, run),
        None => std::future::pending().await,
    }
}

/// Publishes the history of a commit. Returns what is to be loaded next: the functions, or after a failure the files again.
fn publish_history(writer: &mut Writer, commit: &str, loaded: Loaded) -> Option<HistoryStep> {
    let failure = match loaded {
        Ok(history) => {
            let (commits, functions) = (history.history.commits.len(), history.functions);
            match writer.add_history(commit, history) {
                Ok(()) => {
                    tracing::info!(commits, functions = functions.name(), "history loaded");
                    return match functions {
                        TouchedFunctions::Reading => Some(HistoryStep::Functions),
                        TouchedFunctions::Read | TouchedFunctions::Unreadable => None,
                    };
                }
                Err(error) => error.to_string(),
            }
        }
        Err(GitError::Cancelled(_)) => return None,
        Err(error) => error.to_string(),
    };
    tracing::warn!(error = failure, "history not loaded");
    writer.fail_history(failure);
    Some(HistoryStep::Files)
}

/// A revision and its files.
type Listed = (Revision, Vec<SourceFile>);

fn publish_stale(writer: &mut Writer, (revision, files): Listed, stale: &StaleIndex) {
    let input = IndexInput {
        cause: Cause::Registered,
        revision,
        files,
        history: None,
    };
    match writer.publish_stale(input, stale) {
        Ok(()) => {
            tracing::info!(
                "the stored index of an earlier version answers until the new one is built"
            )
        }
        Err(error) => tracing::warn!(%error, "cannot use the stored index of an earlier version"),
    }
}

/// Publishes the index of what was scanned, and logs the outcome.
fn publish_scan(writer: &mut Writer, input: IndexInput, start: Instant) -> ScanOutcome {
    let read = start.elapsed();
    let cause = input.cause.name();
    metrics::histogram!("foveate_index_read_seconds", "cause" => cause).record(read);
    writer.repository().progress.enter(Phase::Building, 0);
    match writer.publish(input) {
        Ok(snapshot) => {
            tracing::info!(
                generation = snapshot.generation,
                commit = snapshot.revision.commit,
                files = snapshot.files.len(),
                definitions = snapshot.files.definition_count(),
                read_ms = milliseconds(read),
                total_ms = milliseconds(start.elapsed()),
                "indexed"
            );
            if snapshot.history.is_some() {
                ScanOutcome::Settled
            } else {
                ScanOutcome::WantsHistory(snapshot.revision.commit.clone())
            }
        }
        Err(error) => fail_scan(writer, error.to_string()),
    }
}

/// Records why a scan failed, and logs it once.
fn fail_scan(writer: &mut Writer, error: String) -> ScanOutcome {
    // An unchanged failure has been logged already.
    if writer.repository().status().error.as_ref() == Some(&error) {
        tracing::debug!(error, "not indexed");
    } else {
        tracing::warn!(error, "not indexed");
    }
    writer.fail(error);
    ScanOutcome::Failed
}
