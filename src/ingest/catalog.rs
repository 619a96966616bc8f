//! Holds the list of repositories: registers and removes them, and starts those of an earlier process. [`tasks`] keeps
//! them current. The list outlives the process; directories named by `--watch` are not in it.

pub mod connectivity;
mod credentials;
mod eviction;
mod orphans;
mod removal;
mod row;
mod shared_list;
mod source;
mod tasks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use dashmap::{DashMap, DashSet};
use tokio::sync::{Notify, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use super::data_layout::CLONES;
use super::git::{GitError, LocationError, ReadLimits, remote};
use super::task_group::TaskGroup;
use super::{CREDENTIALS, IngestSettings};
use crate::access::audit::{self, Action, Outcome};
use crate::access::{AccessDenied, Grant, Scope};
use crate::disk::MaxWaste;
use crate::engine::{Commands, Engine, NameError, RepoName, Repository, Source, Writer};
use crate::store::{RepositoryKind, Store, StoreError};
use crate::telemetry::spans::spawn_blocking;
use credentials::Credentials;
use row::{row_of, source_of};

/// Time that the repositories' tasks have to end at shutdown.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A request to register a repository.
#[derive(Clone, Debug)]
pub struct Registration {
    /// Its name.
    pub name: String,
    /// Source of its files; paths need not be canonical.
    pub source: Source,
}

/// Why a repository was not registered.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum RegisterError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Denied(#[from] AccessDenied),
    #[error("a repository is already called {0:?}: choose another name, or remove that one first")]
    Taken(String),
    #[error("{0:?} is still being removed: try again in a moment")]
    BeingRemoved(String),
    #[error("{path} is not a directory that this server can read: {reason}")]
    NotADirectory {
        /// Whether the request named it as a working tree or as a git repository.
        kind: RepositoryKind,
        path: String,
        reason: String,
    },
    #[error("{0:?} is not an absolute path")]
    NotAbsolute(PathBuf),
    #[error(
        "{} is a bare git repository, without files of its own: register it as `git`, not as `path` (`foveate repo add --git`)",
        .0.display()
    )]
    Bare(PathBuf),
    #[error("{path} may not be registered: it lies outside `repos.allow_paths`")]
    NotAllowed {
        /// Whether the request named it as a working tree or as a git repository.
        kind: RepositoryKind,
        path: String,
    },
    #[error("{path} is the data directory or lies in it: choose another --data-dir")]
    OwnData {
        /// Whether the request named it as a working tree or as a git repository.
        kind: RepositoryKind,
        path: String,
    },
    #[error(transparent)]
    Location(#[from] LocationError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the credentials of the URL cannot be stored: {0}")]
    Credentials(std::io::Error),
    /// The task panicked.
    #[error("internal error while checking the source")]
    Internal,
}

/// Why a repository was not removed or synchronized.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum ManageError {
    #[error(transparent)]
    Denied(#[from] AccessDenied),
    #[error("no repository is called {0:?}")]
    UnknownRepo(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The task panicked.
    #[error("the repository was not removed completely: see the server's log")]
    Internal,
}

/// All repositories and the tasks that keep them current.
#[derive(Debug)]
pub struct Catalog {
    engine: Arc<Engine>,
    store: Store,
    settings: Arc<IngestSettings>,
    stop: CancellationToken,
    tracker: TaskTracker,
    /// Limits concurrent clones and fetches.
    transfers: Arc<Semaphore>,
    /// The tasks of each loaded repository.
    tasks: DashMap<RepoName, TaskGroup>,
    /// Allowed paths of the repositories that the operator named at startup.
    trusted: DashMap<RepoName, Arc<ReadLimits>>,
    credentials: Arc<Credentials>,
    /// Held while the stored list and the served repositories may differ.
    listing: tokio::sync::Mutex<()>,
    /// Names of repositories that are being removed. A name cannot be reused before its files are deleted.
    being_removed: DashSet<RepoName>,
    /// Notified when a removal is complete.
    removal_done: Notify,
    /// Writer and commands of each unloaded repository, from which its tasks are started on demand.
    unloaded: DashMap<RepoName, (Writer, Commands)>,
}

impl Catalog {
    /// Creates a catalog whose tasks end when `stop` is cancelled.
    pub fn new(
        engine: Arc<Engine>,
        store: Store,
        settings: IngestSettings,
        stop: CancellationToken,
    ) -> Self {
        Self {
            engine,
            store,
            transfers: Arc::new(Semaphore::new(settings.poll.transfers.max(1))),
            trusted: DashMap::new(),
            credentials: Arc::new(Credentials::new(settings.data_dir.join(CREDENTIALS))),
            settings: Arc::new(settings),
            listing: tokio::sync::Mutex::default(),
            being_removed: DashSet::new(),
            removal_done: Notify::new(),
            stop,
            tracker: TaskTracker::new(),
            tasks: DashMap::new(),
            unloaded: DashMap::new(),
        }
    }

    /// Starts the repositories in the stored list, and deletes the clones that an earlier process did not finish.
    /// Of a listed directory that is also in `watched`, the files are followed for the life of this process.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub async fn start_registered(&self, watched: &[PathBuf]) -> Result<(), StoreError> {
        let clones = self.settings.data_dir.join(CLONES);
        // Before the first clone of this process.
        let _ = spawn_blocking(move || remote::remove_unfinished(&clones)).await;
        let watched: Vec<PathBuf> = watched
            .iter()
            .filter_map(|directory| std::fs::canonicalize(directory).ok())
            .collect();
        let mut registered = Vec::new();
        for row in self.store.repositories().await? {
            match RepoName::new(&row.name) {
                Ok(name) => {
                    let mut source = source_of(row);
                    if let Source::WorkingTree { path, watch } = &mut source
                        && watched.contains(path)
                    {
                        *watch = true;
                        self.trust(name.clone(), path).await;
                    }
                    registered.push((name, source));
                }
                Err(_) => tracing::error!(
                    repo = row.name,
                    "ignored a registered repository: its name is invalid"
                ),
            }
        }
        self.start_fitting(registered).await;
        Ok(())
    }

    /// Registers a repository and starts indexing it.
    pub async fn register(
        self: &Arc<Self>,
        grant: &Grant,
        registration: Registration,
    ) -> Result<Arc<Repository>, RegisterError> {
        let (catalog, grant) = (Arc::clone(self), grant.clone());
        let registering = async move {
            let registered = catalog.register_unaudited(&grant, registration).await;
            let outcome = match &registered {
                Ok(_) => Outcome::Done,
                Err(RegisterError::Denied(_)) => Outcome::Denied,
                Err(_) => Outcome::Failed,
            };
            let repo = registered.as_ref().ok().map(|new| new.name.as_str());
            audit::record(&grant, Action::Register, repo, outcome);
            registered
        };
        // In its own task: if the client disconnects, a listed repository must still be served.
        let registering = self.tracker.spawn(registering.in_current_span());
        registering.await.unwrap_or(Err(RegisterError::Internal))
    }

    async fn register_unaudited(
        &self,
        grant: &Grant,
        registration: Registration,
    ) -> Result<Arc<Repository>, RegisterError> {
        let name = RepoName::new(&registration.name)?;
        grant.require_registering(name.as_str())?;
        let settings = Arc::clone(&self.settings);
        let source = registration.source;
        let checked = spawn_blocking(move || source::checked(source, &settings));
        let (source, login) = checked.await.map_err(|_| RegisterError::Internal)??;
        let taken = || RegisterError::Taken(name.to_string());
        let is_persistent = !self.store.is_copy();
        let _alone = self.listing.lock().await;
        if self.being_removed.contains(&name) {
            return Err(RegisterError::BeingRemoved(name.to_string()));
        }
        // A directory that is watched for the life of the process has no row.
        let everything = Grant::unrestricted();
        let is_served = self.engine.get(&everything, name.as_str()).is_some();
        if is_served || !self.store.insert(&row_of(&name, &source)).await? {
            return Err(taken());
        }
        // Only after the insert: earlier, this could replace another repository's credentials.
        if let Err(error) = self.credentials.set(&name, login, is_persistent) {
            self.store.delete(name.as_str()).await?;
            return Err(RegisterError::Credentials(error));
        }
        self.start(name.clone(), source).ok_or_else(taken)
    }

    /// Indexes and watches a directory for the life of this process, under the directory's name.
    /// Returns the existing repository if the directory is registered already.
    ///
    /// # Errors
    /// When it is not a directory, or it is a bare repository.
    pub async fn watch(&self, directory: &Path) -> Result<Arc<Repository>, RegisterError> {
        let path = source::canonical_directory(directory, RepositoryKind::Path)?;
        source::refuse_own_data(&path, RepositoryKind::Path, &self.settings.data_dir)?;
        source::refuse_bare(&path)?;
        // Another server's change of the list must not remove the directory before it is trusted.
        let _alone = self.listing.lock().await;
        let is_same = |repository: &Arc<Repository>| matches!(&repository.source, Source::WorkingTree { path: known, .. } if *known == path);
        if let Some(known) = self
            .engine
            .repositories(&Grant::unrestricted())
            .into_iter()
            .find(is_same)
        {
            return Ok(known);
        }
        let base = path.file_name().unwrap_or_default().to_string_lossy();
        let base = RepoName::from_directory(&base);
        for number in 1..100 {
            let name = match number {
                1 => base.clone(),
                _ => RepoName::new(&format!("{base}-{number}"))?,
            };
            let source = Source::WorkingTree {
                path: path.clone(),
                watch: true,
            };
            if let Some((writer, commands)) = self.engine.add(name.clone(), source, None) {
                self.trust(name, &path).await;
                return Ok(self.drive(writer, commands));
            }
        }
        Err(RegisterError::Taken(base.to_string()))
    }

    /// Allows a repository to read a directory that the operator named at startup.
    async fn trust(&self, name: RepoName, path: &Path) {
        let (read_limits, root) = (Arc::clone(&self.settings.read_limits), path.to_owned());
        match spawn_blocking(move || read_limits.trusting(&root)).await {
            Ok(read_limits) => drop(self.trusted.insert(name, read_limits)),
            Err(error) => tracing::error!(repo = %name, %error, "cannot check the directory"),
        }
    }

    /// Returns the repository if the grant may manage it.
    fn get_manageable(&self, grant: &Grant, name: &str) -> Result<Arc<Repository>, ManageError> {
        grant.require(Scope::Admin)?;
        let found = self.engine.get(grant, name);
        found.ok_or_else(|| ManageError::UnknownRepo(name.to_owned()))
    }

    /// Orders a rescan of a repository's source, or a fetch of a remote one. Does not wait for the result.
    pub fn sync(&self, grant: &Grant, name: &str) -> Result<Arc<Repository>, ManageError> {
        let found = self.get_manageable(grant, name);
        if let Ok(repository) = &found {
            repository.syncs.request();
        }
        let repo = found.as_ref().ok().map(|found| found.name.as_str());
        audit::record(grant, Action::Sync, repo, outcome(&found));
        found
    }

    /// Deletes stored data that no warm revision uses, and data of repositories that no longer
    /// exist, among those that the grant sees. Returns the bytes freed by repository name.
    ///
    /// # Errors
    /// When the grant does not allow it.
    pub async fn collect_garbage(
        &self,
        grant: &Grant,
    ) -> Result<BTreeMap<String, u64>, AccessDenied> {
        if let Err(denied) = grant.require(Scope::Admin) {
            audit::record(grant, Action::Collect, None, Outcome::Denied);
            return Err(denied);
        }
        audit::record(grant, Action::Collect, None, Outcome::Done);
        let mut freed = BTreeMap::new();
        for repository in self.engine.repositories(grant) {
            let name = repository.name.to_string();
            // An unloaded repository has nothing in memory to compare with.
            let Some(tasks) = self.tasks_of(&repository.name) else {
                continue;
            };
            // Counts as one of its tasks, so that eviction and removal wait for it.
            let running = tasks.tracker.token();
            if tasks.stop.is_cancelled() {
                continue;
            }
            let collected = spawn_blocking(move || {
                let _running = running;
                let _alone = repository.store.lock();
                let basis = repository.current_unless_stale()?;
                let (store, others) = (&repository.store, repository.revisions.warm());
                Some(store.save(&basis.snapshot, &others, MaxWaste::None))
            });
            match collected.await {
                Ok(Some(Ok(bytes))) => drop(freed.insert(name, bytes)),
                Ok(Some(Err(error))) => {
                    tracing::warn!(repo = name, %error, "cannot drop unused data of the repository");
                }
                // Without an index there is nothing to compare with.
                Ok(None) | Err(_) => {}
            }
        }
        let (engine, settings) = (Arc::clone(&self.engine), Arc::clone(&self.settings));
        let grant = grant.clone();
        let orphans = spawn_blocking(move || {
            let is_kept = |name: &str| !grant.sees(name) || engine.get(&grant, name).is_some();
            orphans::remove(&settings, is_kept)
        });
        freed.extend(orphans.await.unwrap_or_default());
        Ok(freed)
    }

    /// Checks that the list can be read and written.
    ///
    /// # Errors
    /// When it cannot.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.store.ping().await
    }

    /// Waits until every task has ended, after the stop signal, and closes the list. Tasks that are still building
    /// a large index are abandoned: a partial index is never stored.
    pub async fn close(&self) {
        for repository in self.engine.repositories(&Grant::unrestricted()) {
            repository.progress.cancel();
        }
        self.tracker.close();
        if timeout(CLOSE_TIMEOUT, self.tracker.wait()).await.is_err() {
            tracing::warn!("indexing took too long to stop and was abandoned");
        }
        self.store.close().await;
    }
}

fn outcome<T>(result: &Result<T, ManageError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(ManageError::Denied(_)) => Outcome::Denied,
        Err(ManageError::UnknownRepo(_)) => Outcome::Unknown,
        Err(ManageError::Store(_) | ManageError::Internal) => Outcome::Failed,
    }
}
