//! Defines the status of a repository: whether it answers, and how changes of its source are noticed.

use std::time::{Duration, Instant};

foveate_model::named_enum! {
    /// Whether a repository answers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum State {
        /// Its first snapshot is being built.
        #[default]
        Indexing = "indexing",
        /// It answers.
        Ready = "ready",
        /// The last attempt to read its source failed. Where it has an older snapshot, in memory or stored, it still answers
        /// from that, and the answers say so.
        Failed = "failed",
    }
}

/// How changes of a working tree are noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Watching {
    /// Not noticed; files are read only when a synchronization is requested.
    #[default]
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
pub struct PollStatus {
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Whether it answers.
    pub state: State,
    /// Why it failed.
    pub error: Option<String>,
    /// How changes of a working tree are noticed.
    pub watching: Watching,
    /// How changes of a git repository are noticed.
    pub polling: Option<PollStatus>,
    /// Why the history could not be loaded.
    pub history_error: Option<String>,
    /// Why the commit of a working tree cannot be read, and so no history either.
    pub git_error: Option<String>,
}
