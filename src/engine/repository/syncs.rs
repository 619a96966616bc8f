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
    /// Orders to the task that drives the repository.
    orders: mpsc::Sender<()>,
    requested: u64,
    /// Value of `requested` when the last finished sync began.
    finished: u64,
}

impl SyncRequests {
    /// Returns them with the receiver of the orders. The channel holds one order, which covers all further ones.
    pub(super) fn new() -> (Self, mpsc::Receiver<()>) {
        let (orders, receiver) = mpsc::channel(1);
        let shared = Shared {
            orders,
            requested: 0,
            finished: 0,
        };
        let syncs = Self {
            shared: Arc::new(Mutex::new(shared)),
        };
        (syncs, receiver)
    }

    /// Orders the source to be read again; an order still queued covers this one. While the repository is being evicted
    /// nobody takes orders; its unloaded form repeats this one.
    pub fn request(&self) {
        let mut shared = self.shared.lock();
        shared.requested += 1;
        let _ = shared.orders.try_send(());
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
    pub(super) fn take_over(&mut self, evicted: &Self) {
        let orders = self.shared.lock().orders.clone();
        evicted.shared.lock().orders = orders;
        self.shared = Arc::clone(&evicted.shared);
    }

    /// Orders a sync again that did not finish.
    pub(super) fn repeat_unfinished(&self) {
        let shared = self.shared.lock();
        if shared.finished < shared.requested {
            let _ = shared.orders.try_send(());
        }
    }
}
