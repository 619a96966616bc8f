//! Keeps what eviction and reloading need to know of a repository: when it was last asked, and what holds while it is
//! not in memory.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::engine::unloaded::{self, UnloadedRepository};

/// Whether a repository is in memory, and whether it should be.
#[derive(Debug)]
pub(super) struct Residency {
    /// Its summary until it is reloaded.
    pub summary: Option<UnloadedRepository>,
    /// Why its source could not be read when it was evicted. Holds until the source is contacted again.
    pub earlier_failure: Option<String>,
    /// Whether a question waits for it to be reloaded.
    reload_requested: AtomicBool,
    /// When it was last asked, in milliseconds since 1970.
    used: AtomicU64,
}

impl Residency {
    /// Creates that of a repository which is loaded now, or that is unloaded and has this summary.
    pub fn new(summary: Option<UnloadedRepository>) -> Self {
        let used = summary.as_ref().map_or_else(unloaded::now, |s| s.used);
        Self {
            summary,
            earlier_failure: None,
            reload_requested: AtomicBool::new(false),
            used: AtomicU64::new(used),
        }
    }

    pub fn touch(&self) {
        self.used.store(unloaded::now(), Ordering::Relaxed);
    }

    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    pub fn request_reload(&self, requested: bool) {
        self.reload_requested.store(requested, Ordering::Relaxed);
    }

    pub fn is_reload_requested(&self) -> bool {
        self.reload_requested.load(Ordering::Relaxed)
    }
}
