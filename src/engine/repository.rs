//! Holds one registered repository as readers see it: its current snapshot, its status, and the channels to the task
//! that drives it, in the layer above. Reading takes no lock that a writer holds while it works.

mod requests;
mod residency;
mod status;
mod syncs;
mod visible;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::published::PublishedSnapshot;
use super::{BlobCache, IndexStore, Phase, Progress, RepoName, Revisions, UnloadedRepository};
use requests::RevisionRequests;
pub use requests::{AdmittedRequest, Reply, RevisionRequest};
use residency::Residency;
pub use status::{PollStatus, State, Status, Watching};
use syncs::SyncRequests;
use visible::VisibleState;

/// Where a repository's files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A directory with files.
    WorkingTree {
        /// Its canonical path.
        path: PathBuf,
        /// Whether to follow its changes.
        watch: bool,
    },
    /// A git repository, read from its objects.
    Git {
        /// An absolute path or a URL, which may hold credentials.
        location: String,
        /// Commit, branch or tag; `None` for the repository's `HEAD`.
        reference: Option<String>,
        /// Poll interval, where it differs from the configured one; zero: never.
        poll: Option<Duration>,
    },
}

/// The commands to the task that drives a repository.
#[derive(Debug)]
pub struct Commands {
    /// Requests for revisions that are not warm, and for diffs. Permits bound their number.
    pub requests: mpsc::UnboundedReceiver<AdmittedRequest>,
    /// Requests to read the source again. The channel holds one, which covers all further ones.
    pub syncs: mpsc::Receiver<()>,
}

/// One registered repository.
#[derive(Debug)]
pub struct Repository {
    /// Its name.
    pub name: RepoName,
    /// Where its files come from.
    pub source: Source,
    visible: VisibleState,
    residency: Residency,
    /// The progress of its indexing.
    pub progress: Arc<Progress>,
    /// Number of files noticed as changed that are not in the current snapshot yet.
    pub pending: Arc<AtomicUsize>,
    /// Warm revisions other than the current one.
    pub revisions: Revisions,
    /// The cache of its parsed blobs.
    pub blobs: BlobCache,
    /// Its on-disk index.
    pub store: Arc<IndexStore>,
    /// Bytes of the commit data kept outside the snapshots.
    records: AtomicUsize,
    /// Requests for revisions and diffs.
    pub(super) requests: RevisionRequests,
    /// The syncs that were requested.
    pub syncs: SyncRequests,
}

impl Repository {
    pub(super) fn new(
        name: RepoName,
        source: Source,
        revisions: usize,
        blobs: BlobCache,
        store: Arc<IndexStore>,
        unloaded: Option<UnloadedRepository>,
    ) -> (Self, Commands) {
        let (requests, requests_out) = RevisionRequests::new();
        let (syncs, syncs_out) = SyncRequests::new();
        let mut status = Status::default();
        if unloaded.is_some() {
            status.state = State::Ready;
        }
        let repository = Self {
            name,
            source,
            visible: VisibleState::new(status),
            residency: Residency::new(unloaded),
            progress: Arc::default(),
            pending: Arc::default(),
            revisions: Revisions::new(revisions),
            blobs,
            store,
            records: AtomicUsize::new(0),
            requests,
            syncs,
        };
        let commands = Commands {
            requests: requests_out,
            syncs: syncs_out,
        };
        (repository, commands)
    }

    /// Makes this the unloaded form of `evicted`: inherits its requests for syncs and the failure to read its source.
    /// A sync that did not finish is requested again, unless the source is a working tree, which is read completely
    /// whenever it is loaded.
    pub(super) fn inherit(&mut self, evicted: &Self) {
        self.syncs.share(&evicted.syncs);
        if matches!(self.source, Source::Git { .. }) {
            self.syncs.repeat_unfinished();
        }
        let status = evicted.status();
        if status.state == State::Failed {
            (self.residency.earlier_failure).clone_from(&status.error);
        }
    }

    /// The current snapshot; `None` until the first one is built.
    pub fn current(&self) -> Option<Arc<PublishedSnapshot>> {
        self.visible.current()
    }

    /// Its status as clients see it. While it is unloaded, its source is not read, so a failure from before the
    /// eviction still holds.
    pub fn status(&self) -> Arc<Status> {
        let status = self.visible.status();
        let holds = |_: &&str| status.state == State::Ready && self.unloaded().is_some();
        match self.earlier_failure().filter(holds) {
            Some(error) => Arc::new(Status {
                state: State::Failed,
                error: Some(error.to_owned()),
                ..Status::clone(&status)
            }),
            None => status,
        }
    }

    /// Why its source could not be read when it was evicted. Holds until the source is contacted again.
    pub fn earlier_failure(&self) -> Option<&str> {
        self.residency.earlier_failure.as_deref()
    }

    /// Whether its source could not be read, apart from a failure from before an eviction.
    pub(super) fn has_failed(&self) -> bool {
        self.visible.status().state == State::Failed
    }

    /// The present value of [`Self::pending`].
    pub fn pending_files(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    /// Whether a request for a revision or a diff is being served.
    pub fn is_building_revision(&self) -> bool {
        self.requests.queue.in_use() > 0
    }

    /// Its summary from the eviction on, until it is reloaded.
    pub fn unloaded(&self) -> Option<&UnloadedRepository> {
        let summary = self.residency.summary.as_ref();
        summary.filter(|_| self.current().is_none())
    }

    /// The current snapshot, unless it is a stale index: a stale index must not be stored, and no other index may be
    /// derived from it.
    pub fn current_unless_stale(&self) -> Option<Arc<PublishedSnapshot>> {
        self.current()
            .filter(|current| !current.snapshot.is_outdated)
    }

    /// The generation of the last snapshot; 0 before the first.
    pub fn generation(&self) -> u64 {
        let current = self.current().map(|current| current.snapshot.generation);
        let summary = self.residency.summary.as_ref();
        let unloaded = || summary.map_or(0, |last| last.generation);
        current.unwrap_or_else(unloaded)
    }

    /// Its summary if it were evicted now; `None` before its first index.
    pub fn summary(&self) -> Option<UnloadedRepository> {
        let current = self.current()?;
        Some(UnloadedRepository::of(&current, self.bytes(), self.used()))
    }

    /// Stores its [`Self::summary`]. Blocks.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save_summary(&self) -> std::io::Result<()> {
        self.summary()
            .map_or(Ok(()), |summary| summary.write(&self.store))
    }

    /// Estimated bytes of memory: its index, the parts of the other warm revisions that are not shared with it, and its
    /// commit data. 0 while it is not in memory.
    pub fn bytes(&self) -> usize {
        let Some(current) = self.current() else {
            return 0;
        };
        let memory = current.memory();
        memory.total() + self.revisions.count() * memory.unshared() + self.records_bytes()
    }

    /// Estimated bytes of the commit data kept outside the snapshots.
    pub fn records_bytes(&self) -> usize {
        self.records.load(Ordering::Relaxed)
    }

    /// Sets [`Self::records_bytes`].
    pub fn set_records_bytes(&self, bytes: usize) {
        self.records.store(bytes, Ordering::Relaxed);
    }

    /// When it was last asked, in milliseconds since 1970.
    pub fn used(&self) -> u64 {
        self.residency.used()
    }

    pub(super) fn touch(&self) {
        self.residency.touch();
    }

    pub(super) fn request_reload(&self) {
        self.residency.request_reload(true);
        self.notify_changes();
    }

    /// Whether a question waits for it to be reloaded.
    pub fn is_reload_requested(&self) -> bool {
        self.residency.is_reload_requested()
    }

    /// Notifies the receivers of [`Self::changes`].
    pub fn notify_changes(&self) {
        self.visible.notify();
    }

    /// Notifies of new snapshots, changes of status, added revisions, and questions that wait for a reload.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.visible.changes()
    }

    pub(super) fn set_current(&self, published: PublishedSnapshot) {
        self.visible.set_current(published);
        self.residency.request_reload(false);
    }

    /// Marks it as failed because its writer ended by a defect: nothing follows the source any more.
    pub fn fail_on_defect(&self) {
        self.progress.enter(Phase::Idle, 0);
        self.set_status(|status| {
            status.state = State::Failed;
            status.error = Some(
                "an internal error ended the indexing of the repository (see the server's log): restart the server, \
                 or remove the repository and register it again"
                    .to_owned(),
            );
        });
    }

    /// Changes the status. Concurrent changes could get lost: only the one writer may call this.
    pub(super) fn set_status(&self, change: impl FnOnce(&mut Status)) {
        self.visible.set_status(change);
    }
}
