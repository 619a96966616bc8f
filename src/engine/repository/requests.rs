//! Carries requests for revisions and diffs to the task that drives a repository, which belongs to the layer above, and
//! the replies back. Permits bound how many are worked on.

use std::sync::Arc;

use foveate_index::Snapshot;
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use crate::engine::{Diff, DiffEnds, Permit, Queue, RevisionError};

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
