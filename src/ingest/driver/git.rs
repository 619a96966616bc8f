//! The task of a git repository: it brings the copy of a remote one up to date, reads the files of a
//! ref and publishes them, when it is asked to, when it is time, and again after a failure.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveate_index::Revision;
use foveate_model::{SkipReason, SourceFile};
use tokio::sync::mpsc;
use tracing::Instrument as _;

use super::{
    Driver, Listed, Loading, Outcome, Shared, fail, finished, publish, publish_history, run,
};
use crate::engine::{BlobCache, Cause, Phase, Plan, Progress, Writer};
use crate::ingest::PollSettings;
use crate::ingest::git::remote::RemoteCopy;
use crate::ingest::git::{Access, GitError, GitRepo, Step};
use crate::ingest::schedule::Schedule;

/// What to keep current.
pub(in crate::ingest) struct GitSource {
    pub origin: Origin,
    /// Commit, branch, tag or `HEAD`.
    pub reference: String,
    /// Time between two looks, where it is not the configured one.
    pub poll: Option<Duration>,
}

impl GitSource {
    /// How what is stored of the files of the ref is found.
    fn as_stored(
        &self,
        access: Arc<Access>,
    ) -> impl FnOnce(&Shared, &BlobCache, &Progress) -> Option<Listed> + use<> {
        let (directory, reference) = (self.origin.directory().to_owned(), self.reference.clone());
        move |driver, blobs, progress| {
            let git = GitRepo::open(&directory, &access).ok()?;
            let commit = git.resolve(&reference).ok()?;
            let files = git.files(&commit, &[], blobs, progress).ok()?;
            driver.git.store(Some(Arc::new(git)));
            Some((
                Revision {
                    commit,
                    dirty: false,
                },
                files,
            ))
        }
    }
}

/// Where the objects are.
pub(in crate::ingest) enum Origin {
    /// A repository that is read in place.
    Local(PathBuf),
    /// A copy of a remote one.
    Remote(Arc<RemoteCopy>),
}

impl Origin {
    fn directory(&self) -> &Path {
        match self {
            Self::Local(path) => path,
            Self::Remote(copy) => copy.directory(),
        }
    }

    /// What has to be brought here before a look.
    fn transfer(&self, cause: Cause, is_damaged: bool) -> Option<Transfer> {
        let Self::Remote(copy) = self else {
            return None;
        };
        if is_damaged || !copy.exists() {
            return Some(Transfer::Clone(Arc::clone(copy)));
        }
        // At a start what is there is served at once.
        (cause != Cause::Registered).then(|| Transfer::Fetch(Arc::clone(copy)))
    }
}

enum Transfer {
    Clone(Arc<RemoteCopy>),
    Fetch(Arc<RemoteCopy>),
}

impl Driver {
    /// Waits until no copy of another address is in the place of the source's. `None` when told to stop.
    async fn remove_other_copy(&self, source: &GitSource, mut writer: Writer) -> Option<Writer> {
        let Origin::Remote(copy) = &source.origin else {
            return Some(writer);
        };
        loop {
            let (copy, stop) = (Arc::clone(copy), self.stop.clone());
            match self
                .blocking(move || copy.remove_if_other_address(&stop))
                .await?
            {
                Ok(()) => return Some(writer),
                Err(GitError::Cancelled(_)) => return None,
                Err(error) => writer.fail(error.to_string()),
            }
            let again = tokio::time::sleep(self.settings.poll.retry);
            self.stop.run_until_cancelled(again).await?;
        }
    }

    /// Keeps a ref of a git repository current until it is told to stop.
    pub async fn drive_git(self, source: GitSource, writer: Writer, mut syncs: mpsc::Receiver<()>) {
        let mut run = run(&writer, Cause::Registered);
        let Some(writer) = self.remove_other_copy(&source, writer).await else {
            return;
        };
        let stored = source.as_stored(Arc::clone(&self.access));
        let earlier = self.serve_stale(writer, stored).instrument(run.clone());
        let Some(mut writer) = earlier.await else {
            return;
        };
        let mut schedule = Schedule::new(PollSettings {
            interval: source.poll.unwrap_or(self.settings.poll.interval),
            ..self.settings.poll
        });
        let mut history: Option<Loading> = None;
        let mut next = Some(Cause::Registered);
        let mut is_damaged = false;
        loop {
            if let Some(cause) = next.take() {
                let look = self.look_at_git(&source, writer, cause, is_damaged);
                let Some((back, seen)) = look.instrument(run.clone()).await else {
                    return;
                };
                writer = back;
                is_damaged = seen.is_damaged;
                if let Outcome::WantsHistory(commit) = seen.outcome {
                    history = self.load_history(commit, Step::Files, &run);
                }
                match seen.source {
                    SourceState::Unasked => schedule.started(),
                    SourceState::Current => schedule.succeeded(),
                    SourceState::Failed => schedule.failed(),
                }
                writer.set_polling(schedule.polling());
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                Some(()) = syncs.recv() => next = Some(Cause::Sync),
                loaded = finished(&mut history) => {
                    let back = self.blocking(move || {
                        let next = publish_history(&mut writer, loaded);
                        (writer, next)
                    });
                    let Some((back, next)) = back.instrument(run.clone()).await else {
                        return;
                    };
                    writer = back;
                    history =
                        next.and_then(|commit| self.load_history(commit, Step::Functions, &run));
                }
                () = schedule.due() => next = Some(Cause::Poll),
            }
            if let Some(cause) = next {
                run = super::run(&writer, cause);
            }
        }
    }

    /// Brings what is to be brought, and looks at it. `None` when told to stop.
    async fn look_at_git(
        &self,
        source: &GitSource,
        mut writer: Writer,
        cause: Cause,
        is_damaged: bool,
    ) -> Option<(Writer, Seen)> {
        let transfer = source.origin.transfer(cause, is_damaged);
        let is_asked = transfer.is_some() || matches!(source.origin, Origin::Local(_));
        let transferred = match transfer {
            Some(transfer) => self.bring(transfer, &writer).await?,
            None => Ok(()),
        };
        let work = GitWork {
            driver: self.shared(),
            directory: source.origin.directory().to_owned(),
            access: Arc::clone(&self.access),
            is_copy: matches!(source.origin, Origin::Remote(_)),
            reference: source.reference.clone(),
        };
        let turn = self.turn(writer.repository()).await?;
        let (writer, mut seen) = self
            .blocking(move || {
                let seen = work.look(&mut writer, cause, transferred);
                drop(turn);
                (writer, seen)
            })
            .await?;
        if matches!(seen.outcome, Outcome::Cancelled) {
            return None;
        }
        if !is_asked && seen.source == SourceState::Current {
            seen.source = SourceState::Unasked;
        }
        // A copy that could not be replaced is still what it was.
        seen.is_damaged |= is_damaged && seen.source == SourceState::Failed;
        Some((writer, seen))
    }

    /// Runs a clone or fetch when its turn comes. Gives why it failed; `None` when told to stop.
    async fn bring(&self, transfer: Transfer, writer: &Writer) -> Option<Result<(), GitError>> {
        let progress = Arc::clone(writer.repository().progress());
        let turn = Arc::clone(&self.transfers).acquire_owned();
        let turn = self.stop.run_until_cancelled(turn).await?.ok()?;
        let stop = self.stop.clone();
        self.blocking(move || {
            let start = Instant::now();
            progress.enter(Phase::Fetching, 0);
            let done = match transfer {
                Transfer::Clone(copy) => copy.make(&progress, &stop),
                Transfer::Fetch(copy) => copy.fetch(&progress, &stop),
            };
            drop(turn);
            let outcome = if done.is_ok() { "ok" } else { "failed" };
            metrics::histogram!("foveate_transfer_seconds", "outcome" => outcome)
                .record(start.elapsed());
            done
        })
        .await
    }
}

/// What one look led to.
struct Seen {
    outcome: Outcome,
    source: SourceState,
    /// Whether the copy lacks objects that it should have.
    is_damaged: bool,
}

/// What is known of the source after a look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceState {
    /// It was not asked: what was there from before is served.
    Unasked,
    /// The index is what the source holds.
    Current,
    /// It could not be read.
    Failed,
}

/// The blocking half of a git repository's task.
struct GitWork {
    driver: Shared,
    directory: PathBuf,
    access: Arc<Access>,
    /// Whether it is a copy of ours, which lacks nothing.
    is_copy: bool,
    reference: String,
}

impl GitWork {
    /// Looks at what is there, also where nothing new could be brought: the index is then served as
    /// an old one.
    fn look(self, writer: &mut Writer, cause: Cause, transferred: Result<(), GitError>) -> Seen {
        let start = Instant::now();
        let progress = Arc::clone(writer.repository().progress());
        let mut is_damaged = false;
        let read = match &transferred {
            Err(error @ GitError::Cancelled(_)) => Err(GitError::Unavailable(error.to_string())),
            Err(error) if !self.directory.exists() => Err(GitError::Unavailable(error.to_string())),
            _ => self.read(writer, cause),
        };
        let outcome = match read {
            Ok(Some(plan)) => publish(writer, plan, start),
            Ok(None) => Outcome::Settled,
            Err(GitError::Cancelled(_)) => Outcome::Cancelled,
            Err(error) => {
                is_damaged = self.is_copy && error.is_damage();
                fail(writer, error.to_string())
            }
        };
        progress.enter(Phase::Idle, 0);
        let source = match (&outcome, transferred) {
            (Outcome::Failed, _) => SourceState::Failed,
            (_, Err(error)) => {
                fail(writer, error.to_string());
                SourceState::Failed
            }
            (_, Ok(())) => {
                writer.confirm();
                SourceState::Current
            }
        };
        Seen {
            outcome,
            source,
            is_damaged,
        }
    }

    /// The files of the ref, unless it names the commit that is current.
    fn read(&self, writer: &Writer, cause: Cause) -> Result<Option<Plan>, GitError> {
        let repository = writer.repository();
        let git = GitRepo::open(&self.directory, &self.access)?;
        self.driver.git.store(Some(Arc::new(git.clone())));
        let commit = git.resolve(&self.reference)?;
        let basis = repository.basis();
        if basis
            .as_ref()
            .is_some_and(|basis| basis.snapshot.revision.commit == commit)
        {
            return Ok(None);
        }
        let before = basis
            .as_ref()
            .map_or(&[][..], |basis| basis.snapshot.files.as_slice());
        let (blobs, progress) = (repository.blobs(), repository.progress());
        let pools = self.driver.engine.pools();
        let files = pools.install(|| git.files(&commit, before, blobs, progress))?;
        if self.is_copy {
            refuse_gaps(&files)?;
        }
        Ok(Some(Plan {
            cause,
            revision: Revision {
                commit,
                dirty: false,
            },
            files,
            history: None,
        }))
    }
}

/// A copy is whole, so that what cannot be read in it was lost.
fn refuse_gaps(files: &[SourceFile]) -> Result<(), GitError> {
    let is_lost = |file: &&SourceFile| matches!(file.skipped, Some(SkipReason::Unreadable(_)));
    match files.iter().filter(is_lost).count() {
        0 => Ok(()),
        lost => Err(GitError::Damaged { lost }),
    }
}
