//! Holds the loaded repositories with their immutable snapshots, replaces the snapshots and answers questions
//! from them. Only this module builds and publishes indexes ([`writer`]). The layer above reads the content of
//! a repository, drives it through its [`Writer`] and serves its [`RevisionRequest`]s. It must not use HTTP,
//! SQL or git, and opens no files but its own. Start at [`Engine::ask`] for reading and at [`Writer::publish`]
//! for writing.

mod ask;
mod blobs;
mod clone_address;
mod diff;
mod index_store;
mod name;
mod parsers;
mod permits;
mod pools;
mod progress;
mod published;
mod repository;
mod revisions;
mod stale;
mod unloaded;
mod web_page;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use foveate_query::RankingConfig;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::access::Grant;
pub use ask::{
    AnswerWithSnapshot, AskError, LookupTarget, LookupWithSnapshot, Question, Target, TouchedCode,
    answer_now, history_issue, without_git,
};
pub use blobs::{BlobCache, BlobStats, skipped_file, source_file};
pub use clone_address::{AddressError, CloneAddress, Login, host_name};
pub use diff::{Diff, DiffEnds, OldLines, OmittedParts};
pub use index_store::{HistoryIndex, IndexStore, StageFormat, StoreLocation, stage_formats};
pub use name::{NameError, RepoName};
pub use parsers::{BlobReading, Parsers, this_program, worker as parse_worker};
pub use permits::{AdmissionError, Permit, Permits, Queue};
pub use pools::Pools;
pub use progress::{Cancelled, Phase, Progress};
pub use repository::{
    AdmittedRequest, Commands, PollStatus, Reply, Repository, RevisionRequest, Source, State,
    Watching,
};
pub use revisions::{BuildHandle, BuildSlot, RevisionError, Revisions};
pub use stale::StaleIndex;
pub use unloaded::UnloadedRepository;
pub use writer::{Cause, CommitHistory, IndexInput, PublishError, Writer, build, build_once};

/// Limits and sizes of the engine.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Threads of one indexing run.
    pub index_threads: usize,
    /// Whole-repository indexing runs at a time; others wait.
    pub index_runs: usize,
    /// The parser, with its limits for one file.
    pub parsers: Parsers,
    /// Capacity in bytes for recently parsed contents, which stay in memory even if no snapshot holds them.
    pub blob_cache_bytes: usize,
    /// Histories whose touched functions are read at a time; others wait.
    pub history_runs: usize,
    /// Questions answered at a time.
    pub concurrency: usize,
    /// Maximum number of queued questions.
    pub queue: usize,
    /// Time for one answer, time in the queue included.
    pub deadline: Duration,
    /// Time to wait for the index of a revision that is not warm.
    pub build_deadline: Duration,
    /// Warm revisions per repository, besides the current one.
    pub revisions: usize,
    /// Where the indexes of repositories are stored.
    pub location: StoreLocation,
    /// Directory name of the only repository, where it differs from the repository's name.
    pub stored_as: Option<String>,
}

/// All registered repositories, and the threads and permits that they share.
#[derive(Debug)]
pub struct Engine {
    settings: EngineSettings,
    ranking: Arc<RankingConfig>,
    /// The cache of parsed blobs, shared by all repositories.
    pub blobs: BlobCache,
    /// The thread pools that parse and index.
    pub pools: Arc<Pools>,
    /// The permits and the queue of questions.
    pub permits: Permits,
    /// The permits for whole-repository indexing runs.
    pub index_runs: Arc<Semaphore>,
    /// Additional permits for unloaded repositories that a question waits for.
    requested_runs: Arc<Semaphore>,
    /// The permits for reading the touched functions of a history.
    pub history_runs: Arc<Semaphore>,
    repositories: DashMap<RepoName, Arc<Repository>>,
    /// Notifies when a question needs an unloaded repository.
    pub reload_wanted: Notify,
}

impl Engine {
    /// Creates an engine without repositories.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(
        settings: EngineSettings,
        ranking: RankingConfig,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let runs = settings.index_runs.max(1);
        let history_runs = settings.history_runs.max(1);
        // One pool for each run of a whole repository, and one for requests meanwhile. Background threads read
        // histories: the touched files under the permit of an indexing run, the touched functions under that of a
        // history run.
        let pools = Pools::new(runs + 1, settings.index_threads, runs + history_runs)?;
        Ok(Self {
            ranking: Arc::new(ranking),
            blobs: BlobCache::new(settings.parsers.clone(), settings.blob_cache_bytes),
            pools: Arc::new(pools),
            permits: Permits::new(settings.concurrency, settings.queue)?,
            index_runs: Arc::new(Semaphore::new(runs)),
            requested_runs: Arc::new(Semaphore::new(runs)),
            history_runs: Arc::new(Semaphore::new(history_runs)),
            repositories: DashMap::new(),
            reload_wanted: Notify::new(),
            settings,
        })
    }

    /// Adds a repository. Returns its only writer and the receiver of commands to it. `None` when the name is
    /// taken. With `unloaded` it is not to be indexed yet; [`Self::reload_wanted`] notifies when it has to be loaded.
    pub fn add(
        &self,
        name: RepoName,
        source: Source,
        unloaded: Option<UnloadedRepository>,
    ) -> Option<(Writer, Commands)> {
        let dashmap::Entry::Vacant(vacant) = self.repositories.entry(name.clone()) else {
            return None;
        };
        let (writer, commands) = self.new_repository(name, source, unloaded, None);
        vacant.insert(Arc::clone(writer.repository()));
        Some((writer, commands))
    }

    /// Replaces a repository by its unloaded form. Its tasks must have ended. The unloaded form takes over an
    /// unfinished sync and a failure to read the source. Questions in flight finish on the old one. `None` when it was
    /// removed meanwhile, or has no index.
    pub fn evict(&self, old: &Arc<Repository>) -> Option<(Writer, Commands)> {
        let summary = old.summary()?;
        let (name, source) = (old.name.clone(), old.source.clone());
        let (writer, commands) =
            self.new_repository(name.clone(), source, Some(summary), Some(old));
        let dashmap::Entry::Occupied(mut entry) = self.repositories.entry(name) else {
            return None;
        };
        if !Arc::ptr_eq(entry.get(), old) {
            return None;
        }
        entry.insert(Arc::clone(writer.repository()));
        Some((writer, commands))
    }

    fn new_repository(
        &self,
        name: RepoName,
        source: Source,
        unloaded: Option<UnloadedRepository>,
        evicted: Option<&Repository>,
    ) -> (Writer, Commands) {
        let store = Arc::new(self.store_of(&name));
        let (mut repository, commands) = Repository::new(
            name,
            source,
            self.settings.revisions,
            self.blobs.with(Arc::clone(&store)),
            store,
            unloaded,
        );
        if let Some(evicted) = evicted {
            repository.inherit(evicted);
        }
        let writer = Writer::new(Arc::new(repository), Arc::clone(&self.pools));
        (writer, commands)
    }

    /// Returns the on-disk index of a repository, registered or not.
    pub fn store_of(&self, name: &RepoName) -> IndexStore {
        let stored_as = self.settings.stored_as.clone();
        IndexStore::new(
            &self.settings.location,
            &stored_as.unwrap_or_else(|| name.segment()),
            self.blobs.limits(),
        )
    }

    /// Estimated bytes of all repositories and of the contents that the blob cache alone keeps.
    pub fn bytes(&self) -> usize {
        let repositories = self.repositories(&Grant::unrestricted()).into_iter();
        let bytes: usize = repositories.map(|repository| repository.bytes()).sum();
        bytes + self.blobs.stats().kept_bytes
    }

    /// Returns the repository with this name, if the grant may see it.
    pub fn get(&self, grant: &Grant, name: &str) -> Option<Arc<Repository>> {
        // Both are always evaluated, so that timing does not tell "unknown" from "not visible".
        let (found, is_seen) = (self.repositories.get(name), grant.sees(name));
        found.filter(|_| is_seen).map(|found| Arc::clone(&found))
    }

    /// Removes a repository and cancels its indexing; questions in flight finish on the snapshot that they hold.
    pub fn remove(&self, name: &str) -> Option<Arc<Repository>> {
        let (_, repository) = self.repositories.remove(name)?;
        repository.progress.cancel();
        Some(repository)
    }

    /// Returns the repositories that the grant may see, sorted by name.
    pub fn repositories(&self, grant: &Grant) -> Vec<Arc<Repository>> {
        let entries = self.repositories.iter();
        let seen = entries.filter(|entry| grant.sees(entry.key().as_str()));
        let mut seen: Vec<_> = seen.map(|entry| Arc::clone(entry.value())).collect();
        seen.sort_by(|a, b| a.name.cmp(&b.name));
        seen
    }

    /// Waits for a permit to index a whole repository. An unloaded repository that a question waits for takes
    /// an additional permit, so that it is not queued behind repositories that nobody waits for.
    pub async fn index_permit(&self, repository: &Repository) -> Option<OwnedSemaphorePermit> {
        let requested = async {
            let mut changes = repository.changes();
            while !repository.is_reload_requested() {
                changes.changed().await.ok()?;
            }
            Arc::clone(&self.requested_runs).acquire_owned().await.ok()
        };
        tokio::select! {
            biased;
            permit = Arc::clone(&self.index_runs).acquire_owned() => permit.ok(),
            permit = requested => permit,
        }
    }
}

#[cfg(test)]
mod tests {
    use foveate_index::Revision;
    use foveate_parse::Limits;

    use super::*;

    fn engine() -> Engine {
        let settings = EngineSettings {
            index_threads: 1,
            index_runs: 1,
            parsers: Limits::default().into(),
            blob_cache_bytes: 0,
            history_runs: 1,
            concurrency: 1,
            queue: 1,
            deadline: Duration::from_secs(1),
            build_deadline: Duration::from_secs(1),
            revisions: 1,
            location: StoreLocation::Memory,
            stored_as: None,
        };
        Engine::new(settings, RankingConfig::default()).expect("threads")
    }

    /// Publishes an index, without which a repository is not evicted, and ends the task.
    fn publish((mut writer, commands): (Writer, Commands)) -> Arc<Repository> {
        let input = IndexInput {
            cause: Cause::Registered,
            revision: Revision::of_commit("1".repeat(40)),
            files: Vec::new(),
            history: None,
        };
        writer.publish(input).expect("an index");
        drop(commands);
        Arc::clone(writer.repository())
    }

    #[test]
    fn sync_that_did_not_finish_is_requested_again_after_eviction() {
        let engine = engine();
        let name = RepoName::new("shop").expect("a name");
        let source = Source::Git {
            location: "https://example.org/shop.git".to_owned(),
            reference: None,
            poll: None,
        };
        let first = publish(engine.add(name, source, None).expect("a free name"));
        let began_with = first.syncs.requested();
        // During the last sync, or after the end of the task.
        first.syncs.request();
        first.syncs.finish(began_with);
        let (writer, mut commands) = engine.evict(&first).expect("it was loaded");
        assert!(commands.syncs.try_recv().is_ok());
        // By a client that found it before it was evicted.
        first.syncs.request();
        assert!(commands.syncs.try_recv().is_ok());

        let second = publish((writer, commands));
        second.syncs.finish(second.syncs.requested());
        let (_, mut commands) = engine.evict(&second).expect("it was loaded");
        assert!(commands.syncs.try_recv().is_err(), "nothing is left to do");
    }

    #[test]
    fn defect_ends_the_phase_of_indexing() {
        let engine = engine();
        let name = RepoName::new("shop").expect("a name");
        let source = Source::WorkingTree {
            path: "/srv/shop".into(),
            watch: true,
        };
        let (writer, _commands) = engine.add(name, source, None).expect("a free name");
        let repository = writer.repository();
        repository.progress.enter(Phase::Building, 0);
        repository.fail_on_defect();
        assert_eq!(repository.status().state, State::Failed);
        assert_eq!(repository.progress.read().0, Phase::Idle);
    }

    #[test]
    fn failure_is_in_the_status_until_the_source_is_read_after_an_eviction() {
        let engine = engine();
        let name = RepoName::new("shop").expect("a name");
        let source = Source::Git {
            location: "https://example.org/shop.git".to_owned(),
            reference: None,
            poll: None,
        };
        let first = publish(engine.add(name, source, None).expect("a free name"));
        first.set_status(|status| {
            status.state = State::Failed;
            status.error = Some("no such host".to_owned());
        });
        let (writer, commands) = engine.evict(&first).expect("it was loaded");
        let unloaded = Arc::clone(writer.repository());
        let status = unloaded.status();
        assert_eq!(status.state, State::Failed);
        assert_eq!(status.error.as_deref(), Some("no such host"));
        // Questions wait for the index that is stored.
        assert!(!unloaded.has_failed());
        publish((writer, commands));
        let status = unloaded.status();
        assert_eq!((status.state, &status.error), (State::Ready, &None));
    }
}
