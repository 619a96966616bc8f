//! Counts the progress of an indexing run and carries its cancellation. Shared between the thread that works and
//! those that report; it decides nothing.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

foveate_model::named_enum! {
    /// What an indexing run is doing.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Phase {
        /// Not started, or waiting for a permit.
        Waiting = "waiting",
        /// Cloning or fetching a remote repository; its steps are objects, once git reports their number.
        Fetching = "fetching",
        /// Unpacking the received objects; its steps are deltas.
        Unpacking = "unpacking",
        /// Listing the files.
        Listing = "listing",
        /// Reading and parsing files.
        Reading = "reading",
        /// Reading past commits, only where an answer waits for them.
        History = "history",
        /// Building the index from the facts.
        Building = "building",
        /// Nothing to do.
        Idle = "idle",
    }
}

/// The work was cancelled before it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was stopped")]
pub struct Cancelled;

/// Counters of one repository's indexing.
#[derive(Debug, Default)]
pub struct Progress {
    /// Number of the phase; 0 is [`Phase::Waiting`].
    phase: AtomicU8,
    done: AtomicUsize,
    total: AtomicUsize,
    stop: CancellationToken,
}

impl Progress {
    /// Enters a phase with `total` steps (0 where it is not known).
    pub fn enter(&self, phase: Phase, total: usize) {
        self.set(phase, 0, total);
    }

    /// Sets the phase and that `done` of its `total` steps are done.
    pub fn set(&self, phase: Phase, done: usize, total: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Counts one more step of the phase as done.
    ///
    /// # Errors
    /// When the work was cancelled.
    pub fn step(&self) -> Result<(), Cancelled> {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.check()
    }

    /// Checks that the work may go on.
    ///
    /// # Errors
    /// When the work was cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.stop.is_cancelled() {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }

    /// Cancels the work at its next step.
    pub fn cancel(&self) {
        self.stop.cancel();
    }

    /// The token that is cancelled when the work has to stop.
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Returns the phase, its steps done, and its steps in all.
    pub fn read(&self) -> (Phase, usize, usize) {
        let position = usize::from(self.phase.load(Ordering::Relaxed));
        let phase = Phase::ALL.get(position).copied().unwrap_or(Phase::Idle);
        let done = self.done.load(Ordering::Relaxed);
        (phase, done, self.total.load(Ordering::Relaxed))
    }
}
