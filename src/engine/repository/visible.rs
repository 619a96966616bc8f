//! Holds what readers see of a repository, and notifies them of its changes.

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use tokio::sync::watch;

use super::Status;
use crate::engine::published::PublishedSnapshot;

/// The current snapshot and the status. Reading them takes no lock.
#[derive(Debug)]
pub(super) struct VisibleState {
    current: ArcSwapOption<PublishedSnapshot>,
    status: ArcSwap<Status>,
    changed: watch::Sender<()>,
}

impl VisibleState {
    pub fn new(status: Status) -> Self {
        Self {
            current: ArcSwapOption::empty(),
            status: ArcSwap::from_pointee(status),
            changed: watch::Sender::new(()),
        }
    }

    pub fn current(&self) -> Option<Arc<PublishedSnapshot>> {
        self.current.load_full()
    }

    /// Sets the current snapshot without notifying anyone: the status that goes with it does.
    pub fn set_current(&self, published: PublishedSnapshot) {
        self.current.store(Some(Arc::new(published)));
    }

    pub fn status(&self) -> Arc<Status> {
        self.status.load_full()
    }

    /// Changes the status. Concurrent changes could get lost.
    pub fn set_status(&self, change: impl FnOnce(&mut Status)) {
        let mut status = Status::clone(&self.status.load());
        change(&mut status);
        self.status.store(Arc::new(status));
        self.notify();
    }

    pub fn notify(&self) {
        self.changed.send_replace(());
    }

    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}
