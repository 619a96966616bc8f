//! The task of a git repository: updates the clone of a remote one, reads the files of a ref and publishes
//! them. Runs on request, at each poll, and again after a failure.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveate_index::{Revision, Snapshot};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{Driver, Listed, Loaded, Loading, ScanOutcome, fail_scan, finished, publish_scan};
use crate::engine::{BlobCache, Cause, IndexInput, Phase, Progress, Writer};
use crate::ingest::PollSettings;
use crate::ingest::git::remote::LocalClone;
use crate::ingest::git::{GitError, GitRepo, is_missing, refuse_lost_files};
use crate::ingest::schedule::Schedule;

/// A ref of a git repository to keep current.
#[derive(Clone)]
pub(in crate::ingest) struct GitSource {
    /// The repository that is read: in place, or the clone of a remote one.
    pub directory: PathBuf,
    /// Commit, branch, tag or `HEAD`.
    pub reference: String,
    /// Polling interval; `None`: the configured one.
    pub poll: Option<Duration>,
}

/// Clones or fetches a remote repository.
type Transfer = fn(&LocalClone, &Progress, &CancellationToken) -> Result<(), GitError>;

impl GitSource {
    /// Returns a function that lists the files of the ref with the facts of a given blob cache.
    fn list_stored(&self) -> impl FnOnce(&Driver, &BlobCache, &Progress) -> Option<Listed> + use<> {
        let (directory, reference) = (self.directory.clone(), self.reference.clone());
        move |driver, blobs, progress| {
            let git = GitRepo::open(&directory, &driver.read_limits).ok()?;
            let commit = git.resolve(&reference).ok()?;
            let files = git.files(&commit, &[], blobs, progress).ok()?;
            driver.git.store(Some(Arc::new(git)));
            Some((Revision::of_commit(commit), files))
        }
    }
}

impl Driver {
    /// Reports a history that cannot be read from a clone as damage of the clone, without the details of git.
    fn without_damage(&self, loaded: Loaded) -> Loaded {
        match (&self.local_clone, loaded) {
            (Some(clone), Err(error)) if error.is_damage() => {
                tracing::warn!(clone = %clone.directory().display(), %error, "the local clone seems damaged");
                clone.report_damage();
                Err(GitError::DamagedClone)
            }
            (_, loaded) => loaded,
        }
    }

    /// Returns the clone or fetch that is needed before the ref is read.
    fn transfer(&self, cause: Cause) -> Option<(Arc<LocalClone>, Transfer)> {
        let clone = self.local_clone.as_ref()?;
        let transfer: Transfer = if clone.is_damaged() || !clone.exists() {
            LocalClone::create
        } else if cause == Cause::Registered {
            // At startup the existing clone is served at once.
            return None;
        } else {
            LocalClone::fetch
        };
        Some((Arc::clone(clone), transfer))
    }

    /// Removes a clone of another address, and retries until that succeeds.
    /// Returns `None` when told to stop.
    async fn remove_other_clone(&self, mut writer: Writer) -> Option<Writer> {
        let Some(clone) = &self.local_clone else {
            return Some(writer);
        };
        loop {
            let (clone, stop) = (Arc::clone(clone), self.tasks.stop.clone());
            match self
                .blocking(move || clone.remove_if_other_address(&stop))
                .await?
            {
                Ok(()) => return Some(writer),
                Err(GitError::Cancelled(_)) => return None,
                Err(error) => writer.fail(error.to_string()),
            }
            let again = tokio::time::sleep(self.settings.poll.retry);
            self.tasks.stop.run_until_cancelled(again).await?;
        }
    }

    /// Keeps a ref of a git repository current until it is told to stop.
    pub async fn drive_git(self, source: GitSource, writer: Writer, mut syncs: mpsc::Receiver<()>) {
        // A sync that was requested before or after the eviction, and has not run: what it announces is fetched before
        // the first answer.
        let cause = match syncs.try_recv() {
            Ok(()) => Cause::Sync,
            Err(_) => Cause::Registered,
        };
        let run = self.run_span(cause);
        let Some(writer) = self.remove_other_clone(writer).await else {
            return;
        };
        let stored = source.list_stored();
        let earlier = self.serve_stale(writer, stored).instrument(run.clone());
        let Some(mut writer) = earlier.await else {
            return;
        };
        let mut schedule = Schedule::new(PollSettings {
            interval: source.poll.unwrap_or(self.settings.poll.interval),
            ..self.settings.poll
        });
        let mut history: Option<Loading> = None;
        // A run's span is dropped where its work ends: an idle repository has none.
        let mut next = Some((cause, run));
        loop {
            if let Some((cause, run)) = next.take() {
                let refresh = self.refresh(&source, writer, cause);
                let Some((back, refreshed)) = refresh.instrument(run.clone()).await else {
                    return;
                };
                writer = back;
                if let ScanOutcome::WantsHistory(commit) = refreshed.outcome {
                    history = self.load_first(commit, history, cause == Cause::Sync, run);
                }
                match refreshed.state {
                    SourceState::NotPolled => schedule.started(),
                    SourceState::Current => schedule.succeeded(),
                    SourceState::Failed => schedule.failed(),
                }
                writer.set_polling(schedule.polling());
            }
            let cause = tokio::select! {
                biased;
                () = self.tasks.stop.cancelled() => return,
                Some(()) = syncs.recv() => Some(Cause::Sync),
                (loading, loaded, run) = finished(&mut history) => {
                    let loaded = self.without_damage(loaded);
                    let is_damaged = self.local_clone.as_ref().is_some_and(|clone| clone.is_damaged());
                    let added = self.add_history(writer, |writer| writer, (loading, loaded, run));
                    let Some((back, loading)) = added.await else {
                        return;
                    };
                    (writer, history) = (back, loading);
                    is_damaged.then_some(Cause::Poll)
                }
                () = schedule.due() => Some(Cause::Poll),
            };
            next = cause.map(|cause| (cause, self.run_span(cause)));
        }
    }

    /// Clones or fetches as needed, then reads and publishes the ref. A failure from before an eviction holds until the
    /// source is contacted again. Returns `None` when told to stop.
    async fn refresh(
        &self,
        source: &GitSource,
        mut writer: Writer,
        cause: Cause,
    ) -> Option<(Writer, Refreshed)> {
        let repository = &self.repository;
        // A request that comes later may announce what this refresh misses.
        let requested = repository.syncs.requested();
        let transfer = self.transfer(cause);
        let is_asked = transfer.is_some() || self.local_clone.is_none();
        let transferred = match (transfer, repository.earlier_failure()) {
            (Some((clone, transfer)), _) => self.run_transfer(clone, transfer).await?,
            (None, Some(error)) if !is_asked => Err(GitError::Unavailable(error.to_owned())),
            (None, _) => Ok(()),
        };
        let (driver, source) = (self.clone(), source.clone());
        let permit = self.index_permit().await?;
        let (writer, mut refreshed) = self
            .blocking(move || {
                let refreshed = driver.publish_ref(&source, &mut writer, cause, transferred);
                drop(permit);
                (writer, refreshed)
            })
            .await?;
        if matches!(refreshed.outcome, ScanOutcome::Cancelled) {
            return None;
        }
        if is_asked {
            repository.syncs.finish(requested);
        } else if refreshed.state == SourceState::Current {
            refreshed.state = SourceState::NotPolled;
        }
        Some((writer, refreshed))
    }

    /// Waits for a permit and runs a clone or fetch. Returns its result; `None` when told to stop.
    async fn run_transfer(
        &self,
        clone: Arc<LocalClone>,
        transfer: Transfer,
    ) -> Option<Result<(), GitError>> {
        let progress = Arc::clone(&self.repository.progress);
        let permit = self.tasks.permit(&self.transfers).await?;
        let stop = self.tasks.stop.clone();
        self.blocking(move || {
            let start = Instant::now();
            progress.enter(Phase::Fetching, 0);
            let done = transfer(&clone, &progress, &stop);
            drop(permit);
            let outcome = if done.is_ok() { "ok" } else { "failed" };
            metrics::histogram!("foveate_transfer_seconds", "outcome" => outcome)
                .record(start.elapsed());
            done
        })
        .await
    }

    /// Reads and publishes the ref. After a failed transfer it still reads the existing clone and then
    /// reports the failure, so that the index is served as an old one.
    fn publish_ref(
        &self,
        source: &GitSource,
        writer: &mut Writer,
        cause: Cause,
        transferred: Result<(), GitError>,
    ) -> Refreshed {
        let start = Instant::now();
        let read = match &transferred {
            Err(error @ GitError::Cancelled(_)) => Err(GitError::Unavailable(error.to_string())),
            Err(error) if !source.directory.exists() => {
                Err(GitError::Unavailable(error.to_string()))
            }
            _ => self.read_ref(source, &transferred, cause),
        };
        let outcome = match read {
            Ok(Some(input)) => publish_scan(writer, input, start),
            Ok(None) => self.settled(cause),
            Err(GitError::Cancelled(_)) => ScanOutcome::Cancelled,
            Err(error) => {
                if let Some(clone) = self.local_clone.as_ref().filter(|_| error.is_damage()) {
                    clone.report_damage();
                }
                fail_scan(writer, error.to_string())
            }
        };
        self.repository.progress.enter(Phase::Idle, 0);
        let state = match (&outcome, transferred) {
            (ScanOutcome::Failed, _) => SourceState::Failed,
            (_, Err(error)) => {
                fail_scan(writer, error.to_string());
                SourceState::Failed
            }
            (_, Ok(())) => {
                writer.mark_up_to_date();
                SourceState::Current
            }
        };
        Refreshed { outcome, state }
    }

    /// Returns the outcome if the index is current. A history that could not be read is read again at once when
    /// somebody asks for it, and one that was read before a shallow clone got older commits.
    fn settled(&self, cause: Cause) -> ScanOutcome {
        let repository = &self.repository;
        let lacks_history = cause == Cause::Sync && repository.status().history_error.is_some();
        match repository
            .current_unless_stale()
            .filter(|_| lacks_history || self.is_history_outdated())
        {
            Some(basis) => ScanOutcome::WantsHistory(basis.snapshot.revision.commit.clone()),
            None => ScanOutcome::Settled,
        }
    }

    /// Reads the files of the ref; returns `None` if its commit is the current one. On request, files whose objects were
    /// missing are read again.
    fn read_ref(
        &self,
        source: &GitSource,
        transferred: &Result<(), GitError>,
        cause: Cause,
    ) -> Result<Option<IndexInput>, GitError> {
        let repository = &self.repository;
        let (blobs, progress) = (&repository.blobs, &repository.progress);
        let git = GitRepo::open(&source.directory, &self.read_limits)?;
        self.git.store(Some(Arc::new(git.clone())));
        let commit = git.resolve(&source.reference)?;
        let basis = repository.current_unless_stale();
        let is_current = |snapshot: &Snapshot| {
            let lacks_files = || snapshot.files.as_slice().iter().any(is_missing);
            snapshot.revision.commit == commit && !(cause == Cause::Sync && lacks_files())
        };
        if basis
            .as_ref()
            .is_some_and(|basis| is_current(&basis.snapshot))
        {
            if transferred.is_err() && self.local_clone.is_some() {
                // Git may have failed because the clone has lost objects, which no later attempt would repair.
                git.list(&commit, progress.stop())?;
            }
            return Ok(None);
        }
        let before = basis
            .as_ref()
            .map_or(&[][..], |basis| basis.snapshot.files.as_slice());
        let pools = &self.engine.pools;
        let files = pools.install(|| git.files(&commit, before, blobs, progress))?;
        if self.local_clone.is_some() {
            refuse_lost_files(&files)?;
        }
        Ok(Some(IndexInput {
            cause,
            revision: Revision::of_commit(commit),
            files,
            history: None,
        }))
    }
}

/// Outcome of one refresh.
struct Refreshed {
    outcome: ScanOutcome,
    state: SourceState,
}

/// State of the source after a refresh.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceState {
    /// The source was not contacted: the existing clone is served.
    NotPolled,
    /// The index matches the source.
    Current,
    /// It could not be read.
    Failed,
}
