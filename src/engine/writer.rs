//! Builds and publishes indexes; no other module does. A [`Writer`] cannot be cloned, so that each repository has
//! exactly one.

use std::sync::Arc;
use std::time::Instant;

use foveate_index::lexical::LexicalError;
use foveate_index::{Revision, Snapshot, StoredIndex};
use foveate_model::{History, SourceFile, TouchedFunctions};

use super::published::PublishedSnapshot;
use super::{HistoryIndex, IndexStore, PollStatus, Pools, Repository, StaleIndex, State, Watching};

foveate_model::named_enum! {
    /// Why a snapshot is replaced.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Cause {
        /// The repository was registered, or the server started.
        Registered = "registered",
        /// Files changed.
        Changed = "changed",
        /// A synchronization was requested.
        Sync = "sync",
        /// The source was polled.
        Poll = "poll",
        /// A periodic comparison of the index with the files on disk.
        Audit = "audit",
        /// A revision was requested.
        Request = "request",
        /// The history was loaded, or is read again after a failure.
        History = "history",
    }
}

/// What the index of a revision is built from.
#[derive(Debug)]
pub struct IndexInput {
    /// Why it is indexed.
    pub cause: Cause,
    /// The revision.
    pub revision: Revision,
    /// Its files.
    pub files: Vec<SourceFile>,
    /// Its history; `None` while it is not loaded.
    pub history: Option<CommitHistory>,
}

/// A revision's history.
#[derive(Clone, Debug, Default)]
pub struct CommitHistory {
    /// Its commits.
    pub history: Arc<History>,
    /// How complete their touched functions are.
    pub functions: TouchedFunctions,
}

impl CommitHistory {
    /// Returns the history of a snapshot, for another snapshot of the same commit.
    pub fn of(snapshot: &Snapshot) -> Option<Self> {
        Some(Self {
            history: snapshot.history.clone()?,
            functions: snapshot.touched_functions,
        })
    }
}

/// The index could not be built.
#[derive(Debug, thiserror::Error)]
#[error("cannot build the index: {0}")]
pub struct PublishError(String);

/// Builds the index of a revision. Blocks; runs on the current rayon pool.
///
/// # Errors
/// When the index cannot be written.
pub fn build(
    input: IndexInput,
    generation: u64,
    previous: Option<&Snapshot>,
) -> Result<Snapshot, PublishError> {
    index(input, |revision, files, history| {
        Snapshot::build(revision, generation, files, history, previous)
    })
}

/// Builds the only index of a one-shot command, reusing what `store` has of it. An indexed `history` replaces that of
/// the input. Blocks; runs on the current rayon pool.
///
/// # Errors
/// When the index cannot be written.
pub fn build_once(
    mut input: IndexInput,
    history: Option<HistoryIndex>,
    store: &IndexStore,
) -> Result<Snapshot, PublishError> {
    let mut stored = store.index_of(&input.files);
    if let Some(HistoryIndex { commits, functions }) = history {
        stored.commits = Some(commits);
        input.history = Some(CommitHistory {
            functions,
            ..CommitHistory::default()
        });
    }
    restore(input, 1, &stored)
}

/// Builds the first index of a revision, reusing what is stored.
fn restore(
    input: IndexInput,
    generation: u64,
    stored: &StoredIndex,
) -> Result<Snapshot, PublishError> {
    index(input, |revision, files, history| {
        Snapshot::restore(revision, generation, files, history, stored)
    })
}

fn index(
    input: IndexInput,
    build: impl FnOnce(
        Revision,
        Vec<SourceFile>,
        Option<Arc<History>>,
    ) -> Result<Snapshot, LexicalError>,
) -> Result<Snapshot, PublishError> {
    let IndexInput {
        cause,
        revision,
        files,
        history,
    } = input;
    let start = Instant::now();
    let functions = history.as_ref().map(|history| history.functions);
    let history = history.map(|history| history.history);
    let mut snapshot =
        build(revision, files, history).map_err(|error| PublishError(error.to_string()))?;
    snapshot.touched_functions = functions.unwrap_or_default();
    metrics::histogram!("foveate_index_build_seconds", "cause" => cause.name())
        .record(start.elapsed());
    Ok(snapshot)
}

/// The only writer of a repository's snapshot and status.
#[derive(Debug)]
pub struct Writer {
    repository: Arc<Repository>,
    pools: Arc<Pools>,
}

impl Writer {
    pub(super) fn new(repository: Arc<Repository>, pools: Arc<Pools>) -> Self {
        Self { repository, pools }
    }

    /// The repository that it writes.
    pub fn repository(&self) -> &Arc<Repository> {
        &self.repository
    }

    /// Builds the next generation and makes it the current one. Blocks: not for async threads.
    ///
    /// # Errors
    /// When the index cannot be built; the current snapshot stays.
    pub fn publish(&mut self, input: IndexInput) -> Result<Arc<Snapshot>, PublishError> {
        let basis = self.repository.current_unless_stale();
        let generation = self.repository.generation() + 1;
        let cause = input.cause;
        let build = || match basis {
            Some(basis) => build(input, generation, Some(&basis.snapshot)),
            None => {
                let stored = self.repository.store.index_of(&input.files);
                restore(input, generation, &stored)
            }
        };
        let snapshot = if cause == Cause::History {
            self.pools.add_history(build)
        } else {
            self.pools.install(build)
        };
        let snapshot = snapshot.map(Arc::new)?;
        self.swap_in(Arc::clone(&snapshot), cause);
        Ok(snapshot)
    }

    /// Makes the stale index the current snapshot, until the next one. Blocks.
    ///
    /// # Errors
    /// When the index cannot be built.
    pub fn publish_stale(
        &mut self,
        input: IndexInput,
        stale: &StaleIndex,
    ) -> Result<(), PublishError> {
        let generation = self.repository.generation() + 1;
        let cause = input.cause;
        let stored = stale.index();
        let restore = || restore(input, generation, &stored);
        let mut snapshot = self.pools.install(restore)?;
        snapshot.is_outdated = true;
        self.swap_in(Arc::new(snapshot), cause);
        Ok(())
    }

    /// Adds the history to the current snapshot, unless that belongs to another commit by now. Blocks.
    ///
    /// # Errors
    /// When the index cannot be built; the current snapshot stays.
    pub fn add_history(
        &mut self,
        commit: &str,
        history: CommitHistory,
    ) -> Result<(), PublishError> {
        let Some(basis) = self.repository.current_unless_stale() else {
            return Ok(());
        };
        let snapshot = &basis.snapshot;
        if snapshot.revision.commit != commit {
            return Ok(());
        }
        self.publish(IndexInput {
            cause: Cause::History,
            revision: snapshot.revision.clone(),
            files: snapshot.files.as_slice().to_vec(),
            history: Some(history),
        })?;
        Ok(())
    }

    fn swap_in(&self, snapshot: Arc<Snapshot>, cause: Cause) {
        let commit = &snapshot.revision.commit;
        let previous = self.repository.current();
        let is_same_commit = previous.is_some_and(|p| p.snapshot.revision.commit == *commit);
        let is_history_unread = is_same_commit && snapshot.history.is_none();
        self.repository
            .set_current(PublishedSnapshot::new(snapshot));
        self.repository.set_status(|status| {
            // Adding the history did not read the source: it must not clear a failure to read it.
            if cause != Cause::History {
                status.state = State::Ready;
                status.error = None;
            }
            // After a save, a history that could not be read is still unread.
            if !is_history_unread {
                status.history_error = None;
            }
        });
        // Measures the memory now, where time does not matter; the result is cached for readers.
        self.repository.bytes();
    }

    /// Marks the repository as indexing: its first index in this process is about to be built from the stored one.
    pub fn begin(&mut self) {
        self.repository
            .set_status(|status| status.state = State::Indexing);
    }

    /// Marks the repository as failed: its source could not be read. The current snapshot stays.
    pub fn fail(&mut self, error: String) {
        self.repository.set_status(|status| {
            status.state = State::Failed;
            status.error = Some(error);
        });
    }

    /// Marks the repository as ready: its source was read and equals the current snapshot.
    pub fn mark_up_to_date(&mut self) {
        self.repository.set_status(|status| {
            status.state = State::Ready;
            status.error = None;
        });
    }

    /// Sets how changes of the working tree are noticed.
    pub fn set_watching(&mut self, watching: Watching) {
        if self.repository.status().watching != watching {
            self.repository
                .set_status(|status| status.watching = watching);
        }
    }

    /// Sets why the commit of a working tree cannot be read.
    pub fn set_git_error(&mut self, error: Option<String>) {
        if self.repository.status().git_error != error {
            self.repository
                .set_status(|status| status.git_error = error);
        }
    }

    /// Sets the polling state of a git repository.
    pub fn set_polling(&mut self, polling: PollStatus) {
        self.repository
            .set_status(|status| status.polling = Some(polling));
    }

    /// Records that the history could not be loaded; answers do without it.
    pub fn fail_history(&mut self, error: String) {
        self.repository
            .set_status(|status| status.history_error = Some(error));
    }
}
