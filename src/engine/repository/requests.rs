//! Carries requests for revisions and diffs to the task that drives a repository, which belongs to the layer above, and
//! the replies back. Permits bound how many are worked on.

use std::sync::Arc;

use foveate_index::Snapshot;
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use crate::engine::{Diff, DiffEnds, Permit, Queue};

/// Maximum number of requests that are worked on at a time.
const MAX_RUNNING: usize = 8;
/// Maximum number of queued requests.
const MAX_QUEUED: usize = 64;

/// A request of the engine to the layer above.
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
    /// A shallow clone lacks the commit, or the name is wrong.
    #[error(
        "no commit, branch or tag {0:?} in the repository, a shallow clone, which lacks old commits: \
         `git fetch --unshallow` in it fetches them"
    )]
    LacksCommits(String),
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
    #[error("the local clone of the repository is damaged and is cloned again")]
    Damaged,
    /// Reading or indexing it failed.
    #[error("{0}")]
    Failed(String),
    #[error("the server is stopping, or the repository was removed")]
    RepositoryClosed,
}

/// A request that has a permit.
#[derive(Debug)]
pub struct AdmittedRequest {
    /// The request.
    pub request: RevisionRequest,
    /// The span of the question that needs it.
    pub span: Span,
    /// Held until it is answered.
    pub permit: Permit,
}

/// The requests to the task that drives a repository.
#[derive(Debug)]
pub struct RevisionRequests {
    /// The queue for a permit.
    pub queue: Queue,
    sender: mpsc::UnboundedSender<AdmittedRequest>,
}

impl RevisionRequests {
    /// Returns them with the receiver for the task.
    pub fn new() -> (Self, mpsc::UnboundedReceiver<AdmittedRequest>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let requests = Self {
            queue: Queue::new(MAX_RUNNING, MAX_QUEUED),
            sender,
        };
        (requests, receiver)
    }

    /// Sends a request, which `request` makes from the channel for the reply, and waits for the reply.
    pub async fn send<T>(
        &self,
        permit: Permit,
        request: impl FnOnce(Reply<T>) -> RevisionRequest,
    ) -> Result<T, RevisionError> {
        let (reply, answer) = oneshot::channel();
        let requested = AdmittedRequest {
            request: request(reply),
            span: Span::current(),
            permit,
        };
        if self.sender.send(requested).is_err() {
            return Err(RevisionError::RepositoryClosed);
        }
        answer.await.unwrap_or(Err(RevisionError::RepositoryClosed))
    }

    /// Waits until no task drives the repository any more: the server stops, or it was removed.
    pub async fn closed(&self) {
        self.sender.closed().await;
    }
}
