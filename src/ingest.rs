//! From places to files: working trees and git repositories become plans that the engine publishes.
//! It drives the engine, one task per repository, and knows no HTTP. Start at [`Catalog`] for a
//! service, at [`once::Once`] for a program that answers and ends.

pub mod catalog;
mod driver;
mod flush;
pub mod git;
mod history_reader;
pub mod max_size;
pub mod once;
mod revisions;
mod schedule;
pub mod tree;
pub mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use catalog::{Catalog, ManageError, RegisterError, Registration};
use git::connection::{Connection, ConnectionSettings};
use git::location::Remote;
use git::remote::RemoteCopy;
use git::{Access, HistoryLimits};

use crate::engine::RepoName;

/// The directory in the data directory for on-disk indexes, in one directory per repository.
pub const INDEX: &str = "index";
/// The directory in the data directory for copies of remote repositories, each in one of its own.
pub const COPIES: &str = "git";
/// The directory in the data directory for secrets of URLs, in one file per repository.
pub const CREDENTIALS: &str = "credentials";
/// The ending of such a file.
const SECRETS: &str = ".json";

/// The numbers and places that bound reading.
#[derive(Clone, Debug)]
pub struct IngestSettings {
    /// The program's own directory, canonical.
    pub data_dir: PathBuf,
    /// Which local directories others may register, and what git may take for reading them.
    pub access: Arc<Access>,
    /// How remote repositories are reached.
    pub connection: ConnectionSettings,
    /// When git repositories are looked at again.
    pub poll: PollSettings,
    /// How much of the past is loaded.
    pub history: HistoryLimits,
    /// Time without events after which changes are read.
    pub debounce: Duration,
    /// Time after which changes are read although events keep coming.
    pub max_delay: Duration,
    /// Whether events of the file system are to be used.
    pub events: bool,
    /// Time between two looks at every file where there are no events.
    pub poll_interval: Duration,
    /// Time between two looks at every file that prove that events told everything; zero: never.
    pub audit: Duration,
    /// Bytes that the process may hold with more than one index in memory.
    pub memory_bytes: usize,
    /// Time without changes of an index after which it is stored.
    pub write_after: Duration,
}

/// When git repositories are looked at again without being asked.
#[derive(Clone, Copy, Debug)]
pub struct PollSettings {
    /// Time between two looks; zero: never.
    pub interval: Duration,
    /// Time after a first failure; it doubles with each further one.
    pub retry: Duration,
    /// Clones and fetches at a time.
    pub transfers: usize,
}

impl IngestSettings {
    /// The copy of a remote repository that is registered as `name`.
    fn copy_of(&self, remote: Remote, name: &RepoName) -> RemoteCopy {
        let connection = Connection::new(remote, self.connection.clone());
        RemoteCopy::new(connection, self.copy_at(name))
    }

    /// Where the copy of a remote repository is.
    fn copy_at(&self, name: &RepoName) -> PathBuf {
        copy_in(&self.data_dir, name)
    }
}

/// Where in a data directory the copy of a remote repository is.
pub fn copy_in(data_dir: &Path, name: &RepoName) -> PathBuf {
    let copy = format!("{}.git", name.segment());
    data_dir.join(COPIES).join(copy)
}
