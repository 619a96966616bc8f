//! Serves the revisions that questions name beside the current one: resolves the ref, and reads and
//! indexes the commit unless it is warm. Many questions for one commit build it once. What one changed
//! since it left another is read for each question anew.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use foveate_index::{Revision, Snapshot};
use foveate_model::{SourceFile, TouchedFunctions};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use super::git::remote::RemoteCopy;
use super::git::{Differences, GitError, GitRepo, Step};
use super::history_reader::HistoryReader;
use crate::engine::revisions::Lease;
use crate::engine::{
    BlobCache, Cause, Diff, DiffEnds, Engine, Flight, Plan, Progress, Reply, Repository, Requested,
    RevisionError, RevisionRequest, Source, build,
};
use crate::telemetry::spans;

/// Without a request for so long, the histories of what was built are read: reading one costs ten times
/// what deriving a revision from its neighbour costs.
const CALM: Duration = Duration::from_millis(250);
/// After so long they are read although requests keep coming.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// How many warm revisions a commit is compared with, those that were asked for last.
const COMPARED: usize = 3;
/// A revision that differs in no more files is taken without a look at others.
const NEXT: usize = 50;
/// Where more files differ, another snapshot may be nearer: all are compared.
const FEW: usize = 1000;

/// The snapshots that another one may be derived from.
struct Warm {
    /// That of a working tree. The files that it lists are not its commit's even where nothing is
    /// changed: it leaves out what is ignored, be it in the commit or not.
    tree: Option<Arc<Snapshot>>,
    /// Those read from git objects, the least recently used first.
    commits: Vec<Arc<Snapshot>>,
}

/// What serves one repository's requests.
#[derive(Clone)]
pub(super) struct RevisionBuilder {
    pub engine: Arc<Engine>,
    pub repository: Arc<Repository>,
    pub git: Arc<ArcSwapOption<GitRepo>>,
    /// The copy that `git` is, where it is one.
    pub copy: Option<Arc<RemoteCopy>>,
    pub history: HistoryReader,
    pub stop: CancellationToken,
    pub tracker: TaskTracker,
    /// How many requests are being worked on.
    pub working: Arc<watch::Sender<usize>>,
    /// The right to add a revision's history: one at a time.
    pub histories: Arc<Semaphore>,
}

impl RevisionBuilder {
    /// Serves requests until it is told to stop.
    pub async fn serve(self, mut requests: mpsc::UnboundedReceiver<Requested>) {
        loop {
            let requested = tokio::select! {
                () = self.stop.cancelled() => return,
                requested = requests.recv() => requested,
            };
            let Some(requested) = requested else {
                return;
            };
            let Requested {
                request,
                span,
                admission,
            } = requested;
            let this = self.clone();
            let work = async move {
                let working = Working::begin(&this.working);
                let built = this.serve_one(request).await;
                drop(working);
                drop(admission);
                if let Some((lease, snapshot)) = built {
                    this.add_history(&lease, snapshot).await;
                }
            };
            self.tracker.spawn(work.instrument(span));
        }
    }

    /// Answers a request; gives what was built for it, whose history is not there yet.
    async fn serve_one(&self, request: RevisionRequest) -> Option<(Lease, Arc<Snapshot>)> {
        match request {
            RevisionRequest::Revision { reference, reply } => self.answer(reference, reply).await,
            RevisionRequest::Diff { ends, reply } => {
                // Whoever asked may have left; so below.
                let _ = reply.send(self.diff(ends).await);
                None
            }
        }
    }

    async fn diff(&self, ends: DiffEnds) -> Result<Diff, RevisionError> {
        let base = self.resolve(ends.base).await?;
        let head = self.resolve(ends.head).await?;
        let (git, stop) = (self.git()?, self.stop.clone());
        self.blocking(move || git.diff(&base, &head, &stop)).await
    }

    async fn answer(
        &self,
        reference: String,
        reply: Reply<Arc<Snapshot>>,
    ) -> Option<(Lease, Arc<Snapshot>)> {
        let commit = match self.resolve(reference).await {
            Ok(commit) => commit,
            Err(error) => {
                let _ = reply.send(Err(error));
                return None;
            }
        };
        if let Some(current) = self.current(&commit) {
            let _ = reply.send(Ok(current));
            return None;
        }
        match self.repository.revisions().join(&commit) {
            Flight::Ready(snapshot) => drop(reply.send(Ok(snapshot))),
            Flight::Waiting(waiting) => {
                tokio::select! {
                    () = self.stop.cancelled() => {}
                    outcome = waiting.outcome() => drop(reply.send(outcome)),
                }
            }
            Flight::Build(lease) => match self.run(&commit).await {
                Ok(snapshot) => {
                    lease.fulfil(Arc::clone(&snapshot));
                    self.repository.tell();
                    let _ = reply.send(Ok(Arc::clone(&snapshot)));
                    return Some((lease, snapshot));
                }
                Err(error) => {
                    lease.fail(error.clone());
                    let _ = reply.send(Err(error));
                }
            },
        }
        None
    }

    async fn resolve(&self, reference: String) -> Result<String, RevisionError> {
        let git = self.git()?;
        let (copy, stop) = (self.copy.clone(), self.stop.clone());
        self.blocking(move || match (git.resolve(&reference), copy) {
            (Err(unknown @ GitError::UnknownRef(_)), Some(copy)) => {
                copy.fetch_commit(&reference, &stop)?;
                git.resolve(&reference).map_err(|_| unknown)
            }
            (resolved, _) => resolved,
        })
        .await
    }

    fn git(&self) -> Result<Arc<GitRepo>, RevisionError> {
        self.git.load_full().ok_or(RevisionError::NoRevisions)
    }

    /// The current snapshot, where it is just this commit.
    fn current(&self, commit: &str) -> Option<Arc<Snapshot>> {
        let current = self.repository.current()?;
        let revision = &current.snapshot.revision;
        (revision.commit == commit && !revision.dirty).then(|| Arc::clone(&current.snapshot))
    }

    /// Builds the index of a commit, as a run of its own within the question that asks for it.
    async fn run(&self, commit: &str) -> Result<Arc<Snapshot>, RevisionError> {
        let span = spans::index_run(self.repository.name(), Cause::Request.name());
        self.build(commit).instrument(span).await
    }

    async fn build(&self, commit: &str) -> Result<Arc<Snapshot>, RevisionError> {
        let git = self.git()?;
        let turn = tokio::select! {
            () = self.stop.cancelled() => return Err(RevisionError::Gone),
            turn = Arc::clone(self.engine.index_runs()).acquire_owned() => turn,
        };
        let progress = Arc::new(Progress::default());
        // However this future ends, the work behind it does not go on for nobody.
        let _guard = CancelOnDrop(Arc::clone(&progress));
        let (engine, repository) = (Arc::clone(&self.engine), Arc::clone(&self.repository));
        let (commit, warm) = (commit.to_owned(), self.warm());
        let work = self.blocking(move || {
            let snapshot = engine.pools().install(|| {
                let (files, nearest) = read(&git, &commit, &warm, repository.blobs(), &progress)?;
                let plan = Plan {
                    cause: Cause::Request,
                    revision: Revision {
                        commit,
                        dirty: false,
                    },
                    files,
                    history: None,
                };
                build(plan, 1, nearest).map_err(|error| GitError::Unavailable(error.to_string()))
            });
            drop(turn);
            snapshot
        });
        tokio::select! {
            () = self.stop.cancelled() => Err(RevisionError::Gone),
            snapshot = work => Ok(Arc::new(snapshot?)),
        }
    }

    fn warm(&self) -> Warm {
        let basis = self.repository.basis();
        let basis = basis.map(|basis| Arc::clone(&basis.snapshot));
        let is_tree = matches!(self.repository.source(), Source::WorkingTree { .. });
        let (tree, commit) = if is_tree {
            (basis, None)
        } else {
            (None, basis)
        };
        let asked = self.repository.revisions().warm();
        Warm {
            tree,
            commits: commit.into_iter().chain(asked).collect(),
        }
    }

    /// Waits until nobody has asked for a revision for a while, but not for ever, and until no other
    /// revision's history is being added.
    async fn turn_for_history(&self) -> Option<OwnedSemaphorePermit> {
        let calm = async {
            let mut working = self.working.subscribe();
            loop {
                let idle = working.wait_for(|working| *working == 0).await.is_ok();
                if !idle || tokio::time::timeout(CALM, working.changed()).await.is_err() {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(MAX_WAIT, calm).await;
        Arc::clone(&self.histories).acquire_owned().await.ok()
    }

    /// Replaces the snapshot by one with the commit's history, for those who come later: first with
    /// the files that its commits touched, then with the functions.
    async fn add_history(&self, lease: &Lease, mut snapshot: Arc<Snapshot>) {
        let turn = tokio::select! {
            () = self.stop.cancelled() => return,
            () = lease.forgotten() => return,
            turn = self.turn_for_history() => turn,
        };
        let Some(_turn) = turn else { return };
        for step in [Step::Files, Step::Functions] {
            snapshot = match self.with_history(&snapshot, step).await {
                Ok(_) if lease.is_forgotten() => return,
                Ok(full) => Arc::new(full),
                Err(RevisionError::Gone) => return,
                Err(error) => {
                    let repo = self.repository.name();
                    tracing::warn!(%repo, %error, "history of a revision not loaded");
                    return;
                }
            };
            lease.fulfil(Arc::clone(&snapshot));
            if snapshot.touched_functions != TouchedFunctions::Reading {
                return;
            }
        }
    }

    async fn with_history(
        &self,
        before: &Arc<Snapshot>,
        step: Step,
    ) -> Result<Snapshot, RevisionError> {
        let commit = before.revision.commit.clone();
        let history = self.history.read(self.git()?, commit, step).await;
        let history = history.map_err(revision_error)?;
        let (engine, before) = (Arc::clone(&self.engine), Arc::clone(before));
        self.blocking(move || {
            let plan = Plan {
                cause: Cause::History,
                revision: before.revision.clone(),
                files: before.files.as_slice().to_vec(),
                history: Some(history),
            };
            engine
                .pools()
                .add_history(|| build(plan, before.generation + 1, Some(&before)))
                .map_err(|error| GitError::Unavailable(error.to_string()))
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, GitError> + Send + 'static,
    ) -> Result<T, RevisionError> {
        match self.tracker.spawn_blocking(spans::carried(work)).await {
            Ok(done) => done.map_err(revision_error),
            Err(error) => {
                tracing::error!(%error, "reading a revision failed on a defect");
                Err(RevisionError::Failed(
                    "reading it failed on a defect".to_owned(),
                ))
            }
        }
    }
}

/// The files of a commit in path order, and the snapshot that differs least: what differs from one of
/// the last ones that were asked for where that is little, or else all of them.
fn read<'a>(
    git: &GitRepo,
    commit: &str,
    warm: &'a Warm,
    blobs: &BlobCache,
    progress: &Progress,
) -> Result<(Vec<SourceFile>, Option<&'a Snapshot>), GitError> {
    // What differs from the only one there is has to be known anyway.
    let is_alone = warm.tree.is_none() && warm.commits.len() == 1;
    let most = if is_alone { usize::MAX } else { FEW };
    if let Some((near, differences)) = near(git, commit, &warm.commits, most, progress.stop()) {
        let files = git.files_with(near.files.as_slice(), differences, blobs, progress)?;
        return Ok((files, Some(near)));
    }
    let before = warm.commits.last().or(warm.tree.as_ref());
    let before = before.map_or(&[][..], |before| before.files.as_slice());
    let mut files = git.files(commit, before, blobs, progress)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let all = warm.tree.iter().chain(&warm.commits);
    let nearest = all.min_by_key(|warm| warm.files.distance(&files));
    Ok((files, nearest.map(|nearest| &**nearest)))
}

/// A snapshot that a commit differs little from, in less than `most` files, and what differs. Asking
/// git costs the more the more differs, so only a few are compared.
fn near<'a>(
    git: &GitRepo,
    commit: &str,
    commits: &'a [Arc<Snapshot>],
    most: usize,
    stop: &CancellationToken,
) -> Option<(&'a Snapshot, Differences)> {
    let mut nearest: Option<(&Snapshot, Differences)> = None;
    for warm in commits.iter().rev().take(COMPARED) {
        // The commit may be gone from the repository; the files are listed then.
        let Ok(differences) = git.differences(&warm.revision.commit, commit, stop) else {
            continue;
        };
        let found = differences.len();
        let most = nearest.as_ref().map_or(most, |(_, nearest)| nearest.len());
        if found < most {
            nearest = Some((warm, differences));
        }
        if found <= NEXT {
            break;
        }
    }
    nearest
}

/// One more request is worked on, until this is dropped.
struct Working<'w>(&'w watch::Sender<usize>);

impl<'w> Working<'w> {
    fn begin(working: &'w watch::Sender<usize>) -> Self {
        working.send_modify(|working| *working += 1);
        Self(working)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|working| *working -= 1);
    }
}

struct CancelOnDrop(Arc<Progress>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn revision_error(error: GitError) -> RevisionError {
    match error {
        GitError::UnknownRef(reference) => RevisionError::UnknownRef(reference),
        GitError::NoCommits => RevisionError::UnknownRef("HEAD".to_owned()),
        GitError::MalformedRef { .. } => RevisionError::MalformedRef(error.to_string()),
        GitError::Timeout { .. } => RevisionError::TooLong(error.to_string()),
        GitError::NotAllowed(_) => RevisionError::NotAllowed(error.to_string()),
        GitError::TooLarge(_) => RevisionError::TooLarge(error.to_string()),
        GitError::Shallow { .. } => RevisionError::MalformedRef(error.to_string()),
        GitError::Cancelled(_) => RevisionError::Gone,
        other => RevisionError::Failed(other.to_string()),
    }
}
