//! Serves other revisions than the current one: resolves the ref that a question names, and reads and
//! indexes its commit unless it is warm. Concurrent requests for one commit build it once. Diffs between
//! two revisions are not cached.

use std::sync::Arc;
use std::time::Duration;

use foveate_index::{Revision, Snapshot};
use foveate_model::{SourceFile, TouchedFunctions};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::driver::Driver;
use super::git::remote::LocalClone;
use super::git::{Differences, GitError, GitRepo, HistoryStep, refuse_lost_files};
use crate::engine::{
    AdmittedRequest, BlobCache, BuildHandle, BuildSlot, Cause, Diff, DiffEnds, IndexInput,
    Progress, Reply, RevisionError, RevisionRequest, Source, build,
};
use crate::telemetry::spans;

/// Time without a request after which the histories of built revisions are read: reading one costs ten
/// times as much as deriving a revision from its neighbour.
const IDLE_TIME: Duration = Duration::from_millis(250);
/// Time after which histories are read although requests keep coming.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Number of warm revisions, the most recently used, that a commit is compared with.
const MAX_COMPARED: usize = 3;
/// A revision that differs in at most this many files is used without comparing further ones.
const NEAR_ENOUGH: usize = 50;
/// If at least this many files differ, all snapshots are compared: another one may be nearer.
const NEAR_LIMIT: usize = 1000;

/// The snapshots that another one may be derived from.
struct LoadedSnapshots {
    /// The snapshot of a working tree. Its files differ from its commit's even if nothing is modified: it
    /// leaves out ignored files, whether they are committed or not.
    tree: Option<Arc<Snapshot>>,
    /// Snapshots read from git objects, the least recently used first.
    commits: Vec<Arc<Snapshot>>,
}

/// Serves one repository's requests for revisions.
#[derive(Clone)]
pub(super) struct RevisionBuilder {
    driver: Driver,
    /// Number of requests in progress.
    working: Arc<watch::Sender<usize>>,
    /// Permit to add a revision's history: one at a time.
    histories: Arc<Semaphore>,
}

/// A request in progress. Dropping it takes it off the count, also on a panic.
struct Working(Arc<watch::Sender<usize>>);

impl Working {
    fn begin(count: &Arc<watch::Sender<usize>>) -> Self {
        count.send_modify(|working| *working += 1);
        Self(Arc::clone(count))
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.send_modify(|working| *working -= 1);
    }
}

impl RevisionBuilder {
    pub fn new(driver: Driver) -> Self {
        Self {
            driver,
            working: Arc::new(watch::Sender::new(0)),
            histories: Arc::new(Semaphore::new(1)),
        }
    }

    /// Serves requests until it is told to stop.
    pub async fn serve(self, mut requests: mpsc::UnboundedReceiver<AdmittedRequest>) {
        let stop = self.driver.tasks.stop.clone();
        while let Some(Some(requested)) = stop.run_until_cancelled(requests.recv()).await {
            let AdmittedRequest {
                request,
                span,
                permit,
            } = requested;
            let this = self.clone();
            let work = async move {
                let working = Working::begin(&this.working);
                let built = this.serve_one(request).await;
                drop((working, permit));
                if let Some((handle, snapshot)) = built {
                    this.add_history(&handle, snapshot).await;
                }
            };
            self.driver.tasks.tracker.spawn(work.instrument(span));
        }
    }

    /// Answers a request. Returns the snapshot that was built for it, if any, which still lacks its history.
    async fn serve_one(&self, request: RevisionRequest) -> Option<(BuildHandle, Arc<Snapshot>)> {
        match request {
            RevisionRequest::Revision { reference, reply } => self.answer(reference, reply).await,
            RevisionRequest::Diff { ends, reply } => {
                // A failed send means that the client has left; the same below.
                let _ = reply.send(self.diff(ends).await);
                None
            }
        }
    }

    async fn diff(&self, ends: DiffEnds) -> Result<Diff, RevisionError> {
        let base = self.resolve(ends.base).await?;
        let head = self.resolve(ends.head).await?;
        let (git, stop) = (self.git()?, self.driver.tasks.stop.clone());
        self.blocking(move || git.diff(&base, &head, &stop)).await
    }

    async fn answer(
        &self,
        reference: String,
        reply: Reply<Arc<Snapshot>>,
    ) -> Option<(BuildHandle, Arc<Snapshot>)> {
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
        match self.driver.repository.revisions.join(&commit) {
            BuildSlot::Ready(snapshot) => drop(reply.send(Ok(snapshot))),
            BuildSlot::Pending(waiting) => {
                tokio::select! {
                    () = self.driver.tasks.stop.cancelled() => {}
                    outcome = waiting.outcome() => drop(reply.send(outcome)),
                }
            }
            BuildSlot::Build(handle) => match self.build_in_span(&commit).await {
                Ok(snapshot) => {
                    handle.fulfil(Arc::clone(&snapshot));
                    self.driver.repository.notify_changes();
                    let _ = reply.send(Ok(Arc::clone(&snapshot)));
                    return Some((handle, snapshot));
                }
                Err(error) => {
                    handle.fail(error.clone());
                    let _ = reply.send(Err(error));
                }
            },
        }
        None
    }

    /// Returns the commit that a ref names. The error of an unknown ref says whether the clone is shallow.
    async fn resolve(&self, reference: String) -> Result<String, RevisionError> {
        match self.find_or_fetch(reference).await {
            Err(RevisionError::UnknownRef(reference)) => {
                let git = self.git()?;
                let is_shallow = self.blocking(move || Ok(git.is_shallow()));
                Err(match is_shallow.await? {
                    true => RevisionError::LacksCommits(reference),
                    false => RevisionError::UnknownRef(reference),
                })
            }
            found => found,
        }
    }

    /// Returns the commit that a ref names. One that the clone lacks is fetched.
    async fn find_or_fetch(&self, reference: String) -> Result<String, RevisionError> {
        match (self.find(&reference).await, &self.driver.local_clone) {
            (Err(unknown @ RevisionError::UnknownRef(_)), Some(clone)) => {
                let may_request = clone.may_request(&reference);
                if !may_request.map_err(|error| self.failed(error))? {
                    return Err(unknown);
                }
                self.fetch(clone, &reference).await?;
                self.find(&reference).await
            }
            (found, _) => found,
        }
    }

    /// Returns the commit that a ref names in the repository as it is on this machine.
    async fn find(&self, reference: &str) -> Result<String, RevisionError> {
        let (git, reference) = (self.git()?, reference.to_owned());
        self.blocking(move || git.resolve(&reference)).await
    }

    /// Waits for permits and fetches a commit, if the server sends it.
    async fn fetch(&self, clone: &Arc<LocalClone>, id: &str) -> Result<(), RevisionError> {
        // First the repository's own: its requests hold only one of the permits that all repositories share.
        let own = self.permit(clone.request_permit()).await?;
        let shared = self.permit(&self.driver.transfers).await?;
        let (clone, id) = (Arc::clone(clone), id.to_owned());
        let stop = self.driver.tasks.stop.clone();
        self.blocking(move || {
            let _permits = (own, shared);
            clone.fetch_commit(&id, &stop)
        })
        .await
    }

    async fn permit(
        &self,
        permits: &Arc<Semaphore>,
    ) -> Result<OwnedSemaphorePermit, RevisionError> {
        let permit = self.driver.tasks.permit(permits).await;
        permit.ok_or(RevisionError::RepositoryClosed)
    }

    fn git(&self) -> Result<Arc<GitRepo>, RevisionError> {
        let git = self.driver.git.load_full();
        git.ok_or(RevisionError::NoRevisions)
    }

    /// Returns the current snapshot if it is exactly this commit.
    fn current(&self, commit: &str) -> Option<Arc<Snapshot>> {
        let current = self.driver.repository.current()?;
        let revision = &current.snapshot.revision;
        (revision.commit == commit && !revision.dirty).then(|| Arc::clone(&current.snapshot))
    }

    /// Builds the index of a commit in a run span inside the question's span.
    async fn build_in_span(&self, commit: &str) -> Result<Arc<Snapshot>, RevisionError> {
        let span = spans::index_run(&self.driver.repository.name, Cause::Request.name());
        self.build(commit).instrument(span).await
    }

    async fn build(&self, commit: &str) -> Result<Arc<Snapshot>, RevisionError> {
        let git = self.git()?;
        let permit = self.permit(&self.driver.engine.index_runs).await?;
        let progress = Arc::new(Progress::default());
        // If this future is dropped, the blocking work is cancelled.
        let _guard = progress.stop().clone().drop_guard();
        let driver = self.driver.clone();
        let (commit, warm) = (commit.to_owned(), self.warm());
        let work = self.blocking(move || {
            let snapshot = driver.engine.pools.install(|| {
                let (files, nearest) =
                    files_of_commit(&git, &commit, &warm, &driver.repository.blobs, &progress)?;
                if driver.local_clone.is_some() {
                    refuse_lost_files(&files)?;
                }
                let input = IndexInput {
                    cause: Cause::Request,
                    revision: Revision::of_commit(commit),
                    files,
                    history: None,
                };
                build(input, 1, nearest).map_err(|error| GitError::Unavailable(error.to_string()))
            });
            drop(permit);
            snapshot
        });
        tokio::select! {
            () = self.driver.tasks.stop.cancelled() => Err(RevisionError::RepositoryClosed),
            snapshot = work => Ok(Arc::new(snapshot?)),
        }
    }

    fn warm(&self) -> LoadedSnapshots {
        let basis = self.driver.repository.current_unless_stale();
        let basis = basis.map(|basis| Arc::clone(&basis.snapshot));
        let is_tree = matches!(self.driver.repository.source, Source::WorkingTree { .. });
        let tree = basis.clone().filter(|_| is_tree);
        let commit = basis.filter(|_| !is_tree);
        let asked = self.driver.repository.revisions.warm();
        LoadedSnapshots {
            tree,
            commits: commit.into_iter().chain(asked).collect(),
        }
    }

    /// Waits until no revision was requested for a while, at most [`MAX_WAIT`], and until no other
    /// revision's history is being added.
    async fn history_permit(&self) -> Option<OwnedSemaphorePermit> {
        let until_idle = async {
            let mut working = self.working.subscribe();
            loop {
                let idle = working.wait_for(|working| *working == 0).await.is_ok();
                if !idle
                    || tokio::time::timeout(IDLE_TIME, working.changed())
                        .await
                        .is_err()
                {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(MAX_WAIT, until_idle).await;
        Arc::clone(&self.histories).acquire_owned().await.ok()
    }

    /// Replaces the snapshot by one with the commit's history, for later questions: first with the files
    /// that past commits touched, then with the functions.
    async fn add_history(&self, handle: &BuildHandle, mut snapshot: Arc<Snapshot>) {
        let permit = tokio::select! {
            () = self.driver.tasks.stop.cancelled() => return,
            () = handle.abandoned() => return,
            permit = self.history_permit() => permit,
        };
        let Some(_permit) = permit else { return };
        for step in [HistoryStep::Files, HistoryStep::Functions] {
            snapshot = match self.with_history(&snapshot, step).await {
                Ok(_) if handle.is_abandoned() => return,
                Ok(full) => Arc::new(full),
                Err(RevisionError::RepositoryClosed) => return,
                Err(error) => {
                    let repo = &self.driver.repository.name;
                    tracing::warn!(%repo, %error, "cannot load the history of a revision");
                    return;
                }
            };
            handle.fulfil(Arc::clone(&snapshot));
            if snapshot.touched_functions != TouchedFunctions::Reading {
                return;
            }
        }
    }

    async fn with_history(
        &self,
        before: &Arc<Snapshot>,
        step: HistoryStep,
    ) -> Result<Snapshot, RevisionError> {
        let commit = before.revision.commit.clone();
        let history = self.driver.read_history(self.git()?, commit, step).await;
        let history = history.map_err(|error| self.failed(error))?;
        let (engine, before) = (Arc::clone(&self.driver.engine), Arc::clone(before));
        self.blocking(move || {
            let input = IndexInput {
                cause: Cause::History,
                revision: before.revision.clone(),
                files: before.files.as_slice().to_vec(),
                history: Some(history),
            };
            engine
                .pools
                .add_history(|| build(input, before.generation + 1, Some(&before)))
                .map_err(|error| GitError::Unavailable(error.to_string()))
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, GitError> + Send + 'static,
    ) -> Result<T, RevisionError> {
        match self.driver.tasks.blocking(work).await {
            Ok(done) => done.map_err(|error| self.failed(error)),
            Err(error) => {
                tracing::error!(%error, "reading a revision panicked");
                Err(RevisionError::Failed(
                    "internal error while reading the revision".to_owned(),
                ))
            }
        }
    }

    /// Returns the error for a client. If the clone is damaged, requests another one.
    fn failed(&self, error: GitError) -> RevisionError {
        match &self.driver.local_clone {
            Some(clone) if error.is_damage() => {
                let repo = &self.driver.repository.name;
                tracing::warn!(%repo, %error, "the local clone seems damaged");
                clone.report_damage();
                self.driver.repository.syncs.request();
                RevisionError::Damaged
            }
            _ => revision_error(error),
        }
    }
}

/// Returns the files of a commit in path order, and the snapshot that differs least. If one of the most
/// recently used snapshots differs in few files, only these are read; otherwise all files are listed.
fn files_of_commit<'a>(
    git: &GitRepo,
    commit: &str,
    warm: &'a LoadedSnapshots,
    blobs: &BlobCache,
    progress: &Progress,
) -> Result<(Vec<SourceFile>, Option<&'a Snapshot>), GitError> {
    // The differences from a single snapshot are needed in any case.
    let is_alone = warm.tree.is_none() && warm.commits.len() == 1;
    let limit = if is_alone { usize::MAX } else { NEAR_LIMIT };
    if let Some((near, differences)) = find_near(git, commit, &warm.commits, limit, progress.stop())
    {
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

/// Finds a snapshot that differs from a commit in fewer than `limit` files, and returns the differences.
/// A call of git costs more the more files differ, so only a few snapshots are compared.
fn find_near<'a>(
    git: &GitRepo,
    commit: &str,
    commits: &'a [Arc<Snapshot>],
    limit: usize,
    stop: &CancellationToken,
) -> Option<(&'a Snapshot, Differences)> {
    let mut nearest: Option<(&Snapshot, Differences)> = None;
    for warm in commits.iter().rev().take(MAX_COMPARED) {
        // The commit may be gone from the repository; the files are listed then.
        let Ok(differences) = git.differences(&warm.revision.commit, commit, stop) else {
            continue;
        };
        let found = differences.len();
        let limit = nearest.as_ref().map_or(limit, |(_, nearest)| nearest.len());
        if found < limit {
            nearest = Some((warm, differences));
        }
        if found <= NEAR_ENOUGH {
            break;
        }
    }
    nearest
}

fn revision_error(error: GitError) -> RevisionError {
    match error {
        GitError::UnknownRef(reference) => RevisionError::UnknownRef(reference),
        GitError::NoCommits => RevisionError::UnknownRef("HEAD".to_owned()),
        GitError::MalformedRef { .. } => RevisionError::MalformedRef(error.to_string()),
        GitError::Timeout { .. } => RevisionError::TooLong(error.to_string()),
        GitError::RequestLimit(_) => RevisionError::Unavailable(error.to_string()),
        GitError::NotAllowed(_) => RevisionError::NotAllowed(error.to_string()),
        GitError::TooLarge(_) => RevisionError::TooLarge(error.to_string()),
        GitError::Shallow { .. } => RevisionError::MalformedRef(format!(
            "{error}: `git fetch --unshallow` in it fetches them"
        )),
        GitError::Partial | GitError::Treeless => RevisionError::MalformedRef(error.to_string()),
        GitError::Cancelled(_) => RevisionError::RepositoryClosed,
        other => RevisionError::Failed(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn request_that_panics_is_not_in_progress_any_more() {
        let count = Arc::new(watch::Sender::new(0));
        let request = tokio::spawn({
            let count = Arc::clone(&count);
            async move {
                let _working = Working::begin(&count);
                let begun = *count.borrow();
                assert_eq!(begun, 0, "a defect");
            }
        });
        assert!(request.await.is_err());
        assert_eq!(*count.borrow(), 0);
    }

    #[test]
    fn commit_that_the_server_is_not_asked_for_is_not_unknown() {
        let error = revision_error(GitError::RequestLimit(100));
        assert!(matches!(error, RevisionError::Unavailable(_)), "{error}");
    }
}
