//! The warm repositories: a registry of immutable snapshots, the one door through which they are
//! replaced, and the door through which they are asked. It alone builds and publishes indexes
//! ([`writer`]); what is in a repository it learns from the floor above, which drives it through
//! [`Repository`]'s [`Writer`] and serves its [`RevisionRequest`]s. It knows no HTTP, no SQL, no git, and no
//! file but its own. Start at [`Engine::ask`] for reading and at [`Writer::publish`] for writing.

pub mod ask;
pub mod blobs;
pub mod diff;
pub mod index_store;
pub mod name;
pub mod parsers;
pub mod permits;
pub mod pools;
pub mod progress;
pub mod published;
pub mod repository;
pub mod revisions;
pub mod stale;
pub mod unloaded;
pub mod web;
pub mod writer;

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use foveate_query::RankingConfig;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::access::Grant;
pub use ask::{
    Answered, AskError, Changed, ChangedFunction, LookedUp, LookupPlace, Question, Target,
    answer_now, lacking, without_git,
};
pub use blobs::{BlobCache, BlobStats, Reading, skipped_file, source_file};
pub use diff::{Before, Diff, DiffEnds, LeftOut};
pub use index_store::{HistoryIndex, IndexStore, StoreLocation};
pub use name::{NameError, RepoName};
pub use parsers::Parsers;
pub use permits::{Admission, AdmissionError, Permits, Queue};
pub use pools::Pools;
pub use progress::{Cancelled, Phase, Progress};
pub use repository::{
    Commands, Polling, Reply, Repository, Requested, RevisionError, RevisionRequest, Source, State,
    Status, Watching,
};
pub use revisions::{Flight, Revisions};
pub use stale::StaleIndex;
pub use unloaded::Unloaded;
pub use writer::{Cause, CommitHistory, Plan, PublishError, Writer, build, build_once};

/// The numbers that bound the engine.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Threads that one run parses and indexes with.
    pub index_threads: usize,
    /// Whole-repository indexing runs at a time; others wait.
    pub index_runs: usize,
    /// What parses files, and what reading one may cost.
    pub parsers: Parsers,
    /// Bytes of the most recently parsed contents, which are kept alive without a snapshot, too.
    pub blob_cache_bytes: usize,
    /// Histories whose functions are read at a time; others wait.
    pub history_runs: usize,
    /// Questions answered at a time.
    pub concurrency: usize,
    /// Questions that may wait for their turn.
    pub queue: usize,
    /// Time for one answer, waiting included.
    pub deadline: Duration,
    /// Time to wait for the index of a revision that is not warm.
    pub build_deadline: Duration,
    /// Revisions other than the current one kept warm per repository.
    pub revisions: usize,
    /// Where the indexes of repositories are stored.
    pub location: StoreLocation,
    /// The directory there of an engine's only repository, where that is not called after it.
    pub stored_as: Option<String>,
}

/// All warm repositories.
#[derive(Debug)]
pub struct Engine {
    settings: EngineSettings,
    ranking: Arc<RankingConfig>,
    blobs: BlobCache,
    pools: Arc<Pools>,
    permits: Permits,
    index_runs: Arc<Semaphore>,
    /// The same for repositories that someone waits for.
    asked_runs: Arc<Semaphore>,
    history_runs: Arc<Semaphore>,
    repositories: DashMap<RepoName, Arc<Repository>>,
    wanted: Notify,
}

impl Engine {
    /// An engine without repositories.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(
        settings: EngineSettings,
        ranking: RankingConfig,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        // One for each run of a whole repository, and one for what is asked meanwhile.
        let runs = settings.index_runs.max(1);
        // The files of a past are read in a run's turn, its functions in one of a history.
        let background = runs + settings.history_runs.max(1);
        let pools = Pools::new(runs + 1, settings.index_threads, background)?;
        Ok(Self {
            ranking: Arc::new(ranking),
            blobs: BlobCache::new(settings.parsers.clone(), settings.blob_cache_bytes),
            pools: Arc::new(pools),
            permits: Permits::new(settings.concurrency, settings.queue)?,
            index_runs: Arc::new(Semaphore::new(settings.index_runs.max(1))),
            asked_runs: Arc::new(Semaphore::new(settings.index_runs.max(1))),
            history_runs: Arc::new(Semaphore::new(settings.history_runs.max(1))),
            repositories: DashMap::new(),
            wanted: Notify::new(),
            settings,
        })
    }

    /// Takes a repository in and gives the two ends that drive it: the only writer, and the commands
    /// that others give. `None` when the name is taken.
    pub fn add(&self, name: RepoName, source: Source) -> Option<(Writer, Commands)> {
        self.take_in(name, source, None)
    }

    /// As [`Self::add`], without loading it: see [`Self::wanted`].
    pub fn add_unloaded(
        &self,
        name: RepoName,
        source: Source,
        unloaded: Unloaded,
    ) -> Option<(Writer, Commands)> {
        self.take_in(name, source, Some(unloaded))
    }

    fn take_in(
        &self,
        name: RepoName,
        source: Source,
        unloaded: Option<Unloaded>,
    ) -> Option<(Writer, Commands)> {
        let dashmap::Entry::Vacant(vacant) = self.repositories.entry(name.clone()) else {
            return None;
        };
        let (repository, ends) = self.made(name, source, unloaded);
        vacant.insert(repository);
        Some(ends)
    }

    /// Puts an unloaded one in the place of a repository whose tasks have ended. Questions in flight
    /// finish on the old one. `None` when it was removed meanwhile, or has no index.
    pub fn evict(&self, old: &Arc<Repository>) -> Option<(Writer, Commands)> {
        let summary = old.summary()?;
        let (name, source) = (old.name().clone(), old.source().clone());
        let (repository, ends) = self.made(name.clone(), source, Some(summary));
        let dashmap::Entry::Occupied(mut entry) = self.repositories.entry(name) else {
            return None;
        };
        if !Arc::ptr_eq(entry.get(), old) {
            return None;
        }
        entry.insert(repository);
        Some(ends)
    }

    fn made(
        &self,
        name: RepoName,
        source: Source,
        unloaded: Option<Unloaded>,
    ) -> (Arc<Repository>, (Writer, Commands)) {
        let store = Arc::new(self.store_of(&name));
        let (repository, commands) = Repository::new(
            name,
            source,
            self.settings.revisions,
            self.blobs.with(Arc::clone(&store)),
            store,
            unloaded,
        );
        let repository = Arc::new(repository);
        let writer = Writer::new(Arc::clone(&repository), Arc::clone(&self.pools));
        (repository, (writer, commands))
    }

    /// The on-disk index of a repository, registered or not.
    pub fn store_of(&self, name: &RepoName) -> IndexStore {
        let stored_as = self.settings.stored_as.clone();
        IndexStore::new(
            &self.settings.location,
            &stored_as.unwrap_or_else(|| name.segment()),
            self.blobs.limits(),
        )
    }

    /// Tells when an unloaded repository is asked for.
    pub fn wanted(&self) -> &Notify {
        &self.wanted
    }

    /// Bytes that all repositories and the contents kept beside them take, estimated.
    pub fn bytes(&self) -> usize {
        let repositories = self.repositories(&Grant::unrestricted());
        let bytes: usize = repositories
            .iter()
            .map(|repository| repository.bytes())
            .sum();
        bytes + self.blobs.stats().kept_bytes
    }

    /// The repository with this name, if it exists for the holder of the grant.
    pub fn get(&self, grant: &Grant, name: &str) -> Option<Arc<Repository>> {
        // Both are always asked, so that no time tells which of them said no.
        let (found, is_seen) = (self.repositories.get(name), grant.sees(name));
        found.filter(|_| is_seen).map(|found| Arc::clone(&found))
    }

    /// Takes a repository out; questions in flight finish on the snapshot that they hold.
    pub fn remove(&self, name: &str) -> Option<Arc<Repository>> {
        let (_, repository) = self.repositories.remove(name)?;
        repository.progress().cancel();
        Some(repository)
    }

    /// The repositories that exist for the holder of the grant, by name.
    pub fn repositories(&self, grant: &Grant) -> Vec<Arc<Repository>> {
        let entries = self.repositories.iter();
        let seen = entries.filter(|entry| grant.sees(entry.key().as_str()));
        let mut seen: Vec<_> = seen.map(|entry| Arc::clone(entry.value())).collect();
        seen.sort_by(|a, b| a.name().cmp(b.name()));
        seen
    }

    /// The parsed blobs of all repositories.
    pub fn blobs(&self) -> &BlobCache {
        &self.blobs
    }

    /// The threads that parse and index.
    pub fn pools(&self) -> &Pools {
        &self.pools
    }

    /// The right to run one whole-repository indexing.
    pub fn index_runs(&self) -> &Arc<Semaphore> {
        &self.index_runs
    }

    /// The right to run one whole-repository indexing; an unloaded repository that someone waits
    /// for does not wait behind those that nobody asked for.
    pub async fn turn(&self, repository: &Repository) -> Option<OwnedSemaphorePermit> {
        let asked = async {
            let mut changes = repository.changes();
            while !repository.is_wanted() {
                changes.changed().await.ok()?;
            }
            Arc::clone(&self.asked_runs).acquire_owned().await.ok()
        };
        tokio::select! {
            biased;
            turn = Arc::clone(&self.index_runs).acquire_owned() => turn.ok(),
            turn = asked => turn,
        }
    }

    /// The right to read the functions of one history.
    pub fn history_runs(&self) -> &Arc<Semaphore> {
        &self.history_runs
    }

    /// Questions being answered and waiting.
    pub fn permits(&self) -> &Permits {
        &self.permits
    }
}
