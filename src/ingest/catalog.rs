//! Which repositories there are: registers, removes and restores them, and starts the tasks that
//! keep them current. The list outlives the process; what `--watch` names does not.

mod credentials;
mod listed;
mod memory;
mod orphans;
pub mod reach;
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use dashmap::DashMap;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::driver::{Driver, GitSource, Origin};
use super::flush::Flusher;
use super::git::location::Remote;
use super::git::remote::{self, RemoteCopy};
use super::git::{Access, GitError, LocalPaths, Location, LocationError, Records};
use super::history_reader::HistoryReader;
use super::revisions::RevisionBuilder;
use super::tree::Stats;
use super::{CREDENTIALS, IngestSettings};
use crate::access::audit::{self, Action, Outcome};
use crate::access::{Denied, Grant, Scope};
use crate::engine::{Commands, Engine, NameError, RepoName, Repository, Source, Writer};
use crate::store::{OldAnswers, RepositoryKind, RepositoryRow, Store, StoreError};
use crate::telemetry::spans::{carried, spawn_blocking};
use credentials::Credentials;

/// A repository to register, as it was asked for.
#[derive(Clone, Debug)]
pub struct Registration {
    /// Its name.
    pub name: String,
    /// Where its files come from; paths need not be canonical.
    pub source: Source,
}

/// Why a repository was not registered.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The name cannot be used.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The grant does not reach so far.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The name is in use.
    #[error("a repository is already called {0:?}: choose another name, or remove that one first")]
    Taken(String),
    /// The path is none.
    #[error("{path} is not a directory that this server can read: {reason}")]
    NotADirectory {
        /// What it was given as.
        kind: RepositoryKind,
        /// As given.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// The path is not absolute.
    #[error("{0:?} is not an absolute path")]
    NotAbsolute(PathBuf),
    /// The path lies where none may be registered.
    #[error("{path} may not be registered: it lies outside `repos.allow_paths`")]
    NotAllowed {
        /// What it was given as.
        kind: RepositoryKind,
        /// As given.
        path: String,
    },
    /// The path is the program's own directory.
    #[error("{0} is the data directory or lies in it: choose another --data-dir")]
    OwnData(String),
    /// The git location cannot be used.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// The git repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The list cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The secret of a URL cannot be kept.
    #[error("the credentials of the URL cannot be stored: {0}")]
    Credentials(std::io::Error),
    /// A defect.
    #[error("checking the source failed")]
    Defect,
}

/// Why a repository was not removed or synchronized.
#[derive(Debug, thiserror::Error)]
pub enum ManageError {
    /// The grant does not reach so far.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// No repository has this name.
    #[error("no repository is called {0:?}")]
    UnknownRepo(String),
    /// The list cannot be changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// All repositories and the tasks that keep them current.
#[derive(Debug)]
pub struct Catalog {
    engine: Arc<Engine>,
    store: Store,
    settings: Arc<IngestSettings>,
    stop: CancellationToken,
    tracker: TaskTracker,
    /// The right to one clone or fetch.
    transfers: Arc<Semaphore>,
    /// Stops the tasks of one repository.
    stops: DashMap<RepoName, (CancellationToken, TaskTracker)>,
    /// Where those may lie that the operator named at the start.
    trusted: DashMap<RepoName, Arc<Access>>,
    credentials: Arc<Credentials>,
    /// Held while the list and the repositories that are served differ.
    listing: tokio::sync::Mutex<()>,
    /// What drives unloaded repositories, once they are wanted.
    unloaded: DashMap<RepoName, (Writer, Commands)>,
}

impl Catalog {
    /// A catalog whose tasks end when `stop` is cancelled.
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
            stop,
            tracker: TaskTracker::new(),
            stops: DashMap::new(),
            unloaded: DashMap::new(),
        }
    }

    /// Starts the repositories that were registered before.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub async fn restore(&self) -> Result<(), StoreError> {
        self.move_credentials_out_of_rows().await?;
        let mut registered = Vec::new();
        for row in self.store.repositories().await? {
            match RepoName::new(&row.name) {
                Ok(name) => registered.push((name, source_of(row))),
                Err(_) => tracing::error!(repo = row.name, "a registered name cannot be used"),
            }
        }
        self.start_those_that_fit(registered).await;
        Ok(())
    }

    /// Earlier programs stored URLs as they were given: what they hold of secrets is moved.
    async fn move_credentials_out_of_rows(&self) -> Result<(), StoreError> {
        let mut is_any = false;
        for row in self.store.repositories().await? {
            let parsed = Location::parse(&row.location, &self.settings.connection.schemes);
            let Ok(Location::Remote(remote)) = parsed else {
                continue;
            };
            let (location, Some(login)) = source::without_login(row.location, remote) else {
                continue;
            };
            let Ok(name) = RepoName::new(&row.name) else {
                continue;
            };
            if let Err(error) = self.credentials.set(&name, Some(login), true) {
                tracing::warn!(repo = row.name, %error, "its credentials stay in the database");
                continue;
            }
            self.store.set_location(&row.name, &location).await?;
            is_any = true;
        }
        match is_any {
            true => self.store.scrub().await,
            false => Ok(()),
        }
    }

    /// Registers a repository and starts indexing it.
    ///
    /// # Errors
    /// See [`RegisterError`].
    pub async fn register(
        &self,
        grant: &Grant,
        registration: Registration,
    ) -> Result<Arc<Repository>, RegisterError> {
        let registered = self.register_unaudited(grant, registration).await;
        let outcome = match &registered {
            Ok(_) => Outcome::Done,
            Err(RegisterError::Denied(_)) => Outcome::Denied,
            Err(_) => Outcome::Failed,
        };
        let repo = registered.as_ref().ok().map(|new| new.name().as_str());
        audit::record(grant, Action::Register, repo, outcome);
        registered
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
        let (source, login) = checked.await.map_err(|_| RegisterError::Defect)??;
        let taken = || RegisterError::Taken(name.to_string());
        if self.engine.get(grant, name.as_str()).is_some() {
            return Err(taken());
        }
        let is_lasting = !self.store.is_copy();
        let _alone = self.listing.lock().await;
        if !self.store.insert(&row_of(&name, &source)).await? {
            return Err(taken());
        }
        // Only now is the name ours: another repository's secret must not be replaced.
        if let Err(error) = self.credentials.set(&name, login, is_lasting) {
            self.store.delete(name.as_str()).await?;
            return Err(RegisterError::Credentials(error));
        }
        if let Some(repository) = self.start(name.clone(), source) {
            return Ok(repository);
        }
        // Taken in between by a directory that is watched for the life of the process.
        self.store.delete(name.as_str()).await?;
        Err(taken())
    }

    /// Indexes and follows a directory for the life of this process, under the name of the
    /// directory. One that is registered already is used as it is.
    ///
    /// # Errors
    /// When it is no directory.
    pub async fn watch(&self, directory: &Path) -> Result<Arc<Repository>, RegisterError> {
        let path = source::canonical_directory(directory, RepositoryKind::Path)?;
        source::refuse_own_data(&path, &self.settings.data_dir)?;
        let is_same = |repository: &Arc<Repository>| matches!(repository.source(), Source::WorkingTree { path: known, .. } if *known == path);
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
        let (access, root) = (Arc::clone(&self.settings.access), path.clone());
        let access = spawn_blocking(move || access.trusting(&root));
        let access = access.await.map_err(|_| RegisterError::Defect)?;
        for number in 1..100 {
            let name = match number {
                1 => base.clone(),
                _ => RepoName::new(&format!("{base}-{number}"))?,
            };
            let source = Source::WorkingTree {
                path: path.clone(),
                watch: true,
            };
            if let Some((writer, commands)) = self.engine.add(name.clone(), source) {
                self.trusted.insert(name, access);
                return Ok(self.drive(writer, commands));
            }
        }
        Err(RegisterError::Taken(base.to_string()))
    }

    /// The repository to change, where the holder of the grant may.
    fn to_manage(&self, grant: &Grant, name: &str) -> Result<Arc<Repository>, ManageError> {
        grant.require(Scope::Admin)?;
        let found = self.engine.get(grant, name);
        found.ok_or_else(|| ManageError::UnknownRepo(name.to_owned()))
    }

    /// Looks at a repository's source again; fetches a remote one. Does not wait for the result.
    ///
    /// # Errors
    /// See [`ManageError`].
    pub fn sync(&self, grant: &Grant, name: &str) -> Result<Arc<Repository>, ManageError> {
        let found = self.to_manage(grant, name);
        if let Ok(repository) = &found {
            repository.order_sync();
        }
        let repo = found.as_ref().ok().map(|found| found.name().as_str());
        audit::record(grant, Action::Sync, repo, outcome(&found));
        found
    }

    /// Removes a repository and what was copied for it. Questions in flight finish.
    ///
    /// # Errors
    /// See [`ManageError`]. When the list cannot be changed, the repository stays.
    pub async fn remove(&self, grant: &Grant, name: &str) -> Result<(), ManageError> {
        let found = self.to_manage(grant, name);
        let repo = found.as_ref().ok().map(|found| found.name().clone());
        let removed = match found {
            Ok(_) => self.remove_known(name).await,
            Err(error) => Err(error),
        };
        let repo = repo.as_ref().map(RepoName::as_str);
        audit::record(grant, Action::Remove, repo, outcome(&removed));
        removed
    }

    async fn remove_known(&self, name: &str) -> Result<(), ManageError> {
        let removed = {
            let _alone = self.listing.lock().await;
            self.store.delete_with_answers(name).await?;
            self.engine.remove(name)
        };
        // What was answered between the two.
        if let Err(error) = self.store.delete_answers(OldAnswers::Of(name)).await {
            tracing::warn!(repo = name, %error, "its last answers were not deleted");
        }
        match removed {
            Some(repository) => {
                self.clear(repository).await;
                Ok(())
            }
            None => Err(ManageError::UnknownRepo(name.to_owned())),
        }
    }

    /// Ends the tasks of a repository that is not served any more, and removes what is stored for it.
    async fn clear(&self, repository: Arc<Repository>) {
        let name = repository.name().clone();
        let name = name.as_str();
        if let Some((_, (stop, tracker))) = self.stops.remove(name) {
            stop.cancel();
            tracker.close();
            tracker.wait().await;
        }
        self.unloaded.remove(name);
        self.trusted.remove(name);
        if let Err(error) = self.credentials.remove(repository.name()) {
            tracing::warn!(repo = name, %error, "its credentials were not removed");
        }
        let copy = self.settings.copy_at(repository.name());
        let removed = spawn_blocking(move || remote::remove_copy(&copy)).await;
        if let Ok(Err(error)) = removed {
            tracing::warn!(repo = name, %error, "the copy was not removed");
        }
        if let Some(directory) = repository.store().directory() {
            match tokio::fs::remove_dir_all(directory).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    tracing::warn!(repo = name, %error, "the stored index was not removed");
                }
                _ => {}
            }
        }
        self.free(repository);
        tracing::info!(repo = name, "removed");
    }

    /// Frees what a repository holds, off the async threads: a large index takes a second and more.
    fn free(&self, repository: Arc<Repository>) -> JoinHandle<()> {
        self.tracker
            .spawn_blocking(carried(move || drop(repository)))
    }

    /// Drops what is stored and no revision that is warm holds, and what is stored of repositories
    /// that there are no more, as far as the grant sees them. Returns the bytes freed, by name.
    ///
    /// # Errors
    /// When the grant does not reach so far.
    pub async fn collect(&self, grant: &Grant) -> Result<BTreeMap<String, u64>, Denied> {
        if let Err(denied) = grant.require(Scope::Admin) {
            audit::record(grant, Action::Collect, None, Outcome::Denied);
            return Err(denied);
        }
        audit::record(grant, Action::Collect, None, Outcome::Done);
        let mut freed = BTreeMap::new();
        for repository in self.engine.repositories(grant) {
            let name = repository.name().to_string();
            let collected = spawn_blocking(move || {
                let basis = repository.basis()?;
                let others = repository.revisions().warm();
                Some(repository.store().collect(&basis.snapshot, &others))
            });
            match collected.await {
                Ok(Some(Ok(bytes))) => drop(freed.insert(name, bytes)),
                Ok(Some(Err(error))) => tracing::warn!(repo = name, %error, "nothing was dropped"),
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

    /// Whether the list can be read and written.
    ///
    /// # Errors
    /// When it cannot.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.store.ping().await
    }

    /// Waits until every task has ended, after the stop signal was given, and closes the list.
    pub async fn close(&self) {
        for repository in self.engine.repositories(&Grant::unrestricted()) {
            repository.progress().cancel();
        }
        self.tracker.close();
        self.tracker.wait().await;
        self.store.close().await;
    }

    /// Takes a repository in and starts its tasks; `None` when the name is in use.
    fn start(&self, name: RepoName, source: Source) -> Option<Arc<Repository>> {
        let (writer, commands) = self.engine.add(name, source)?;
        Some(self.drive(writer, commands))
    }

    /// Starts the tasks of a repository.
    fn drive(&self, writer: Writer, commands: Commands) -> Arc<Repository> {
        let repository = Arc::clone(writer.repository());
        let stop = self.stop.child_token();
        let tracker = TaskTracker::new();
        let (name, source) = (repository.name().clone(), repository.source().clone());
        self.spawn(source, writer, commands, &stop, &tracker);
        tracker.close();
        // The catalog's own tracker waits for all of them.
        self.tracker.spawn({
            let tracker = tracker.clone();
            async move { tracker.wait().await }
        });
        self.stops.insert(name, (stop, tracker));
        repository
    }

    fn spawn(
        &self,
        source: Source,
        writer: Writer,
        commands: Commands,
        stop: &CancellationToken,
        tracker: &TaskTracker,
    ) {
        let git = Arc::new(ArcSwapOption::empty());
        let name = writer.repository().name().clone();
        let store = Arc::clone(writer.repository().store());
        let history = HistoryReader {
            engine: Arc::clone(&self.engine),
            repository: Arc::clone(writer.repository()),
            limits: self.settings.history,
            records: Arc::new(Records::of(&store)),
            stop: stop.clone(),
            tracker: tracker.clone(),
        };
        let copy = self.copy_of(&source, &name).map(Arc::new);
        let builder = RevisionBuilder {
            engine: Arc::clone(&self.engine),
            repository: Arc::clone(writer.repository()),
            git: Arc::clone(&git),
            copy: copy.clone(),
            history: history.clone(),
            stop: stop.clone(),
            tracker: tracker.clone(),
            working: Arc::new(watch::Sender::new(0)),
            histories: Arc::new(Semaphore::new(1)),
        };
        tracker.spawn(builder.serve(commands.requests));
        let flusher = Flusher {
            repository: Arc::clone(writer.repository()),
            stats: Arc::new(Stats::of(&store)),
            quiet: self.settings.write_after,
            stop: stop.clone(),
            tracker: tracker.clone(),
        };
        let stats = Arc::clone(&flusher.stats);
        tracker.spawn(flusher.run());
        let driver = Driver {
            engine: Arc::clone(&self.engine),
            settings: Arc::clone(&self.settings),
            access: self.access_of(&name, copy.is_some()),
            transfers: Arc::clone(&self.transfers),
            stop: stop.clone(),
            tracker: tracker.clone(),
            git,
            history,
            stats,
        };
        self.follow(source, copy, driver, writer, commands.syncs);
    }

    /// Starts the task that follows the source of a repository.
    fn follow(
        &self,
        source: Source,
        copy: Option<Arc<RemoteCopy>>,
        driver: Driver,
        mut writer: Writer,
        syncs: mpsc::Receiver<()>,
    ) {
        let tracker = driver.tracker.clone();
        match source {
            Source::WorkingTree { path, watch } => {
                tracker.spawn(driver.drive_tree(path, watch, writer, syncs));
            }
            Source::Git {
                location,
                reference,
                poll,
            } => {
                let known = Location::parse(&location, &self.settings.connection.schemes);
                let origin = match (copy, known) {
                    (Some(copy), _) => Origin::Remote(copy),
                    (None, Ok(_)) => Origin::Local(PathBuf::from(location)),
                    // Allowed when it was registered, and not any more.
                    (None, Err(error)) => return writer.fail(error.to_string()),
                };
                let source = GitSource {
                    origin,
                    reference: reference.unwrap_or_else(|| "HEAD".to_owned()),
                    poll,
                };
                tracker.spawn(driver.drive_git(source, writer, syncs));
            }
        }
    }

    /// Where a repository may lie, with everything that it is made of.
    fn access_of(&self, name: &RepoName, is_copy: bool) -> Arc<Access> {
        if is_copy {
            // Git made it here, and nobody else writes to it.
            return Arc::new(Access {
                places: LocalPaths::Anywhere,
                ..Access::clone(&self.settings.access)
            });
        }
        let trusted = self.trusted.get(name);
        Arc::clone(trusted.as_deref().unwrap_or(&self.settings.access))
    }

    /// The copy that is made of a remote repository.
    fn copy_of(&self, source: &Source, name: &RepoName) -> Option<RemoteCopy> {
        let Source::Git { location, .. } = source else {
            return None;
        };
        match Location::parse(location, &self.settings.connection.schemes) {
            Ok(Location::Remote(remote)) => {
                let login = remote.login.clone().or_else(|| self.credentials.of(name));
                Some(self.settings.copy_of(Remote { login, ..remote }, name))
            }
            _ => None,
        }
    }
}

fn outcome<T>(result: &Result<T, ManageError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(ManageError::Denied(_)) => Outcome::Denied,
        Err(ManageError::UnknownRepo(_)) => Outcome::Unknown,
        Err(ManageError::Store(_)) => Outcome::Failed,
    }
}

fn row_of(name: &RepoName, source: &Source) -> RepositoryRow {
    let name = name.to_string();
    match source {
        Source::WorkingTree { path, watch } => RepositoryRow {
            name,
            kind: RepositoryKind::Path,
            location: path.display().to_string(),
            reference: None,
            watch: *watch,
            poll_seconds: None,
        },
        Source::Git {
            location,
            reference,
            poll,
        } => RepositoryRow {
            name,
            kind: RepositoryKind::Git,
            location: location.clone(),
            reference: reference.clone(),
            watch: false,
            poll_seconds: poll.map(|poll| u32::try_from(poll.as_secs()).unwrap_or(u32::MAX)),
        },
    }
}

fn source_of(row: RepositoryRow) -> Source {
    match row.kind {
        RepositoryKind::Path => Source::WorkingTree {
            path: PathBuf::from(row.location),
            watch: row.watch,
        },
        RepositoryKind::Git => Source::Git {
            location: row.location,
            reference: row.reference,
            poll: row.poll_seconds.map(|n| Duration::from_secs(n.into())),
        },
    }
}
