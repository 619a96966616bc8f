//! Reads working trees and git repositories: the files and past commits that the engine indexes. One task per
//! repository drives the engine. Knows no HTTP. Start at [`Catalog`] for a service, at [`one_shot::OneShotIndexer`] for
//! a program that answers once and exits.

pub mod catalog;
mod data_layout;
mod driver;
mod flush;
pub mod git;
pub mod max_size;
pub mod one_shot;
mod revisions;
mod schedule;
mod task_group;
pub mod tree;
pub mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use catalog::{Catalog, ManageError, RegisterError, Registration};
pub use data_layout::{CREDENTIALS, INDEX, clone_path};
use git::connection::{Connection, ConnectionSettings};
use git::{HistoryLimits, Location, LocationError, ReadLimits};

use crate::engine::{CloneAddress, Login};

/// Settings of reading: directories, limits and intervals.
#[derive(Clone, Debug)]
pub struct IngestSettings {
    /// The program's own directory, canonical.
    pub data_dir: PathBuf,
    /// Local directories that clients may register, and the time and size limits of reading them.
    pub read_limits: Arc<ReadLimits>,
    /// How remote repositories are reached.
    pub connection: ConnectionSettings,
    /// When git repositories are polled.
    pub poll: PollSettings,
    /// How much of the commit history is loaded.
    pub history: HistoryLimits,
    /// Debounce time: changes are read after this long without an event.
    pub debounce: Duration,
    /// Longest debounce: changes are read after this long although events keep coming.
    pub max_delay: Duration,
    /// Whether file system events are used.
    pub events: bool,
    /// Time between two scans of the whole tree where there are no events.
    pub poll_interval: Duration,
    /// Time between two audits, which scan the whole tree for changes that events missed; zero: never.
    pub audit: Duration,
    /// Memory budget of the process in bytes: above it, repositories are evicted until one is left.
    pub memory_bytes: usize,
    /// An index is stored after this long without a change.
    pub write_after: Duration,
}

/// When git repositories are polled.
#[derive(Clone, Copy, Debug)]
pub struct PollSettings {
    /// Time between two polls; zero: never.
    pub interval: Duration,
    /// Wait before the retry after a first failure; it doubles with each further one.
    pub retry: Duration,
    /// Maximum number of concurrent clones and fetches.
    pub transfers: usize,
}

impl IngestSettings {
    /// Returns the connection to a git repository, with the credentials of its URL or the `stored` ones; `None` for a
    /// repository on this machine.
    ///
    /// # Errors
    /// When its address is not allowed, or no longer.
    fn connection_to(
        &self,
        location: &str,
        stored: impl FnOnce() -> Option<Login>,
    ) -> Result<Option<Connection>, LocationError> {
        let Location::Remote(remote) = Location::parse(location, &self.connection.schemes)? else {
            return Ok(None);
        };
        let login = remote.login.clone().or_else(stored);
        let remote = CloneAddress { login, ..remote };
        Ok(Some(Connection::new(remote, self.connection.clone())))
    }
}
