//! Counts the syncs that were requested of a repository, and passes them on to the task that drives it. None is lost
//! when the repository is evicted.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::mpsc;

/// The requested syncs. A repository and its unloaded form share them, so that a request to either reaches the task
/// that drives it.
#[derive(Debug)]
pub struct SyncRequests {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug)]
struct Shared {
    /// Wakes the task that drives the repository.
    wake: mpsc::Sender<()>,
    requested: u64,
    /// Value of `requested` when the last finished sync began.
    finished: u64,
}

impl SyncRequests {
    /// Returns them with the receiver that wakes the task. The channel holds one message, which covers all further ones.
    pub(super) fn new() -> (Self, mpsc::Receiver<()>) {
        let (wake, receiver) = mpsc::channel(1);
        let shared = Shared {
            wake,
            requested: 0,
            finished: 0,
        };
        let syncs = Self {
            shared: Arc::new(Mutex::new(shared)),
        };
        (syncs, receiver)
    }

    /// Requests that the source is read again; a message still queued covers this request. While the repository is being
    /// evicted nobody receives; its unloaded form repeats the request.
    pub fn request(&self) {
        let mut shared = self.shared.lock();
        shared.requested += 1;
        let _ = shared.wake.try_send(());
    }

    /// Number of syncs that were requested so far.
    pub fn requested(&self) -> u64 {
        self.shared.lock().requested
    }

    /// Records that the first `requested` of the requested syncs are done, whether or not the source could be read. A
    /// failure is in the status, and the task that drives the repository retries it.
    pub fn finish(&self, requested: u64) {
        self.shared.lock().finished = requested;
    }

    /// Shares the requests of `evicted`, which go to the receiver of this one from now on.
    pub(super) fn share(&mut self, evicted: &Self) {
        let wake = self.shared.lock().wake.clone();
        evicted.shared.lock().wake = wake;
        self.shared = Arc::clone(&evicted.shared);
    }

    /// Requests a sync again that did not finish.
    pub(super) fn repeat_unfinished(&self) {
        let shared = self.shared.lock();
        if shared.finished < shared.requested {
            let _ = shared.wake.try_send(());
        }
    }
}
