//! Holds one registered repository as readers see it: its current snapshot, its state, and the channels for requests
//! to the floor above. Reading takes no lock that a writer holds while it works.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, ArcSwapOption};
use foveate_index::Snapshot;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{mpsc, oneshot, watch};
use tracing::Span;

use super::published::PublishedSnapshot;
use super::{
    Admission, BlobCache, Diff, DiffEnds, IndexStore, Progress, Queue, RepoName, Revisions,
    UnloadedRepository, unloaded,
};

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

foveate_model::named_enum! {
    /// Whether a repository answers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum State {
        /// Its first snapshot is being built.
        Indexing = "indexing",
        /// It answers.
        Ready = "ready",
        /// The last attempt to read its source failed. Where it has an older snapshot, in memory or stored, it still answers
        /// from that, and the answers say so.
        Failed = "failed",
    }
}

/// How changes of a working tree are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watching {
    /// Not noticed; files are read only when a synchronization is requested.
    Off,
    /// By events of the file system.
    Events {
        /// Directories watched.
        directories: usize,
    },
    /// By polling all files, since events are not available.
    Polling {
        /// Why.
        reason: String,
    },
}

impl Watching {
    /// The stable lower-case name used on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Events { .. } => "events",
            Self::Polling { .. } => "polling",
        }
    }
}

/// The polling of a git repository's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polling {
    /// Poll interval; zero: never.
    pub interval: Duration,
    /// Consecutive polls that failed.
    pub failures: u32,
    /// When the index was last found to be current.
    pub checked: Option<Instant>,
    /// When the source is polled next.
    pub next: Option<Instant>,
}

/// The status of a repository, apart from its snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Whether it answers.
    pub state: State,
    /// Why it failed.
    pub error: Option<String>,
    /// How changes of a working tree are noticed.
    pub watching: Watching,
    /// How changes of a git repository are noticed.
    pub polling: Option<Polling>,
    /// Why the history could not be loaded.
    pub history_error: Option<String>,
}

/// A request of the engine to the floor above.
#[derive(Debug)]
pub enum RevisionRequest {
    /// The index of a revision.
    Revision {
        /// Commit, branch or tag.
        reference: String,
        /// The sender of the reply.
        reply: Reply<Arc<Snapshot>>,
    },
    /// The changes of one revision since it left another.
    Diff {
        /// The two ends.
        ends: DiffEnds,
        /// The sender of the reply.
        reply: Reply<Diff>,
    },
}

/// The sender of the reply to a request.
pub type Reply<T> = oneshot::Sender<Result<T, RevisionError>>;

/// Why a revision or diff is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum RevisionError {
    #[error("no commit, branch or tag {0:?} in the repository")]
    UnknownRef(String),
    /// The text cannot be a ref.
    #[error("{0}")]
    MalformedRef(String),
    #[error("the repository is a directory without git, so it has no revisions")]
    NoRevisions,
    /// A part of the repository lies outside the paths that may be read.
    #[error("{0}")]
    NotAllowed(String),
    /// Git took longer than it may.
    #[error("{0}")]
    TooLong(String),
    /// Its commit is not fetched now, but may be later.
    #[error("{0}")]
    Unavailable(String),
    /// It exceeds the limits of what is indexed.
    #[error("{0}")]
    TooLarge(String),
    #[error("the local copy of the repository is damaged and is cloned again")]
    Damaged,
    /// Reading or indexing it failed.
    #[error("{0}")]
    Failed(String),
    #[error("the server is stopping, or the repository was removed")]
    Gone,
}

/// A request that has a permit.
#[derive(Debug)]
pub struct AdmittedRequest {
    /// The request.
    pub request: RevisionRequest,
    /// The span of the question that needs it.
    pub span: Span,
    /// Held until it is answered.
    pub admission: Admission,
}

/// The commands to the task that drives a repository.
#[derive(Debug)]
pub struct Commands {
    /// Requests for revisions that are not warm, and for diffs. Permits bound their number.
    pub requests: mpsc::UnboundedReceiver<AdmittedRequest>,
    /// Orders to read the source again. Holds at most one: further ones are covered by it.
    pub syncs: mpsc::Receiver<()>,
}

/// The syncs that were requested of a repository. A repository and its unloaded form share them, so that a request to
/// either reaches the task that drives it.
#[derive(Debug)]
struct Syncs {
    /// Orders to the task that drives the repository.
    orders: mpsc::Sender<()>,
    /// Number of requests.
    requested: u64,
    /// Value of `requested` when the last finished sync began.
    finished: u64,
}

/// Requests that are worked on at a time.
const REQUESTS_AT_A_TIME: usize = 8;
/// Maximum number of queued requests.
const MAX_REQUESTS: usize = 64;

/// One registered repository.
#[derive(Debug)]
pub struct Repository {
    /// Its name.
    pub name: RepoName,
    /// Where its files come from.
    pub source: Source,
    current: ArcSwapOption<PublishedSnapshot>,
    status: ArcSwap<Status>,
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
    /// Held from reading the state in memory until it is stored.
    storing: Mutex<()>,
    /// Its summary until it is reloaded.
    unloaded: Option<UnloadedRepository>,
    /// Bytes of the commit data kept outside the snapshots.
    records: AtomicUsize,
    /// Whether a question waits for it to be reloaded.
    reload_requested: AtomicBool,
    used: AtomicU64,
    /// The queue of requests to the floor above.
    pub(super) request_queue: Queue,
    requests: mpsc::UnboundedSender<AdmittedRequest>,
    syncs: Arc<Mutex<Syncs>>,
    /// Why its source could not be read when it was evicted.
    earlier_failure: Option<String>,
    changed: watch::Sender<()>,
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
        let (requests, requests_out) = mpsc::unbounded_channel();
        let (orders, syncs_out) = mpsc::channel(1);
        let repository = Self {
            name,
            source,
            current: ArcSwapOption::empty(),
            status: ArcSwap::from_pointee(Status {
                state: if unloaded.is_some() {
                    State::Ready
                } else {
                    State::Indexing
                },
                error: None,
                watching: Watching::Off,
                polling: None,
                history_error: None,
            }),
            progress: Arc::default(),
            pending: Arc::default(),
            revisions: Revisions::new(revisions),
            blobs,
            store,
            storing: Mutex::default(),
            used: AtomicU64::new(
                unloaded
                    .as_ref()
                    .map_or_else(unloaded::now, |unloaded| unloaded.used),
            ),
            unloaded,
            records: AtomicUsize::new(0),
            reload_requested: AtomicBool::new(false),
            request_queue: Queue::new(REQUESTS_AT_A_TIME, MAX_REQUESTS),
            requests,
            syncs: Arc::new(Mutex::new(Syncs {
                orders,
                requested: 0,
                finished: 0,
            })),
            earlier_failure: None,
            changed: watch::Sender::new(()),
        };
        let commands = Commands {
            requests: requests_out,
            syncs: syncs_out,
        };
        (repository, commands)
    }

    /// Makes this the unloaded form of `evicted`: takes over its requests for syncs and the failure to read its source.
    /// A sync that did not finish is ordered again, unless the source is a working tree, which is read completely
    /// whenever it is loaded.
    pub(super) fn take_over(&mut self, evicted: &Self) {
        let orders = self.syncs.lock().orders.clone();
        let shared = Arc::clone(&evicted.syncs);
        {
            let mut syncs = shared.lock();
            syncs.orders = orders;
            let is_git = matches!(self.source, Source::Git { .. });
            if is_git && syncs.finished < syncs.requested {
                let _ = syncs.orders.try_send(());
            }
        }
        self.syncs = shared;
        let status = evicted.status();
        if status.state == State::Failed {
            self.earlier_failure.clone_from(&status.error);
        }
    }

    /// The current snapshot; `None` until the first one is built.
    pub fn current(&self) -> Option<Arc<PublishedSnapshot>> {
        self.current.load_full()
    }

    /// Its status as clients see it: while it is unloaded, with the failure from before the eviction, because its source
    /// was not read again.
    pub fn status(&self) -> Arc<Status> {
        let status = self.status.load_full();
        let holds = |_: &&String| status.state == State::Ready && self.unloaded().is_some();
        match self.earlier_failure.as_ref().filter(holds) {
            Some(error) => Arc::new(Status {
                state: State::Failed,
                error: Some(error.clone()),
                ..Status::clone(&status)
            }),
            None => status,
        }
    }

    /// Whether its source could not be read, apart from a failure from before an eviction.
    pub(super) fn has_failed(&self) -> bool {
        self.status.load().state == State::Failed
    }

    /// The present value of [`Self::pending`].
    pub fn pending_files(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    /// Returns a lock that is held from reading the state in memory until it is stored. Blocks.
    pub fn storing(&self) -> MutexGuard<'_, ()> {
        self.storing.lock()
    }

    /// Whether a request for a revision or a diff is being served.
    pub fn is_building_revision(&self) -> bool {
        self.request_queue.in_use() > 0
    }

    /// Its summary from the eviction on, until it is reloaded.
    pub fn unloaded(&self) -> Option<&UnloadedRepository> {
        self.unloaded.as_ref().filter(|_| self.current().is_none())
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
        let unloaded = || self.unloaded.as_ref().map_or(0, |last| last.generation);
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
        self.used.load(Ordering::Relaxed)
    }

    pub(super) fn touch(&self) {
        self.used.store(unloaded::now(), Ordering::Relaxed);
    }

    pub(super) fn request_reload(&self) {
        self.reload_requested.store(true, Ordering::Relaxed);
        self.notify_changes();
    }

    /// Whether a question waits for it to be reloaded.
    pub fn is_reload_requested(&self) -> bool {
        self.reload_requested.load(Ordering::Relaxed)
    }

    /// Waits until no task drives it any more: the server stops, or it was removed.
    pub(super) async fn closed(&self) {
        self.requests.closed().await;
    }

    /// Orders the source to be read again; an order still queued covers this one. While the repository is being evicted
    /// nobody takes orders; its unloaded form repeats this one.
    pub fn request_sync(&self) {
        let mut syncs = self.syncs.lock();
        syncs.requested += 1;
        let _ = syncs.orders.try_send(());
    }

    /// Number of syncs that were requested so far.
    pub fn requested_syncs(&self) -> u64 {
        self.syncs.lock().requested
    }

    /// Records that the first `requested` of the requested syncs are done, whether or not the source could be read. A
    /// failure is in the status, and the task that drives the repository retries it.
    pub fn finish_syncs(&self, requested: u64) {
        self.syncs.lock().finished = requested;
    }

    /// Why its source could not be read when it was evicted. Holds until the source is contacted again.
    pub fn earlier_failure(&self) -> Option<&str> {
        self.earlier_failure.as_deref()
    }

    /// Notifies the receivers of [`Self::changes`], after a revision was added or a question began to wait.
    pub fn notify_changes(&self) {
        self.changed.send_replace(());
    }

    /// Notifies of new snapshots, changes of status, added revisions, and questions that wait for a reload.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Sends a request, which `request` makes from the channel for the reply, and waits for the reply.
    pub(super) async fn request<T>(
        &self,
        admission: Admission,
        request: impl FnOnce(Reply<T>) -> RevisionRequest,
    ) -> Result<T, RevisionError> {
        let (reply, answer) = oneshot::channel();
        let requested = AdmittedRequest {
            request: request(reply),
            span: Span::current(),
            admission,
        };
        if self.requests.send(requested).is_err() {
            return Err(RevisionError::Gone);
        }
        answer.await.unwrap_or(Err(RevisionError::Gone))
    }

    pub(super) fn set_current(&self, published: PublishedSnapshot) {
        self.current.store(Some(Arc::new(published)));
        self.reload_requested.store(false, Ordering::Relaxed);
    }

    /// Marks it as failed because its writer ended by a defect: nothing follows the source any more.
    pub fn fail_on_defect(&self) {
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
        let mut status = Status::clone(&self.status.load());
        change(&mut status);
        self.status.store(Arc::new(status));
        self.changed.send_replace(());
    }
}
