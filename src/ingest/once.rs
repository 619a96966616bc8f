//! Reads and indexes a directory or a commit once, for a program that answers and ends, with what earlier
//! runs left of it. It watches nothing and registers nothing. Start at [`Once::index`].

mod absent;
mod repository;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_index::{Revision, Snapshot};
use foveate_model::{SourceFile, TouchedFunctions};
use tokio_util::sync::CancellationToken;

use super::git::{GitError, GitRepo, HistoryLimits, Records, Step};
use super::tree::{Stats, TreeError, WorkingTree};
use crate::engine::{
    BlobCache, Cause, CommitHistory, HistoryIndex, IndexStore, Parsers, Phase, Plan, Progress,
    PublishError, StoreLocation, build_once,
};
pub use repository::{Repository, is_bare};

/// The commit that is checked out.
const HEAD: &str = "HEAD";

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
pub enum OnceError {
    /// The path is no directory.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// It holds no repository, so it has no revisions.
    #[error("{} is not in a git repository, so it has no revision {reference:?}", .path.display())]
    NoRevisions {
        /// The directory.
        path: PathBuf,
        /// The revision asked for.
        reference: String,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The repository is there, and git cannot be used for it.
    #[error(transparent)]
    Unusable(Arc<GitError>),
    /// The files could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The index could not be built.
    #[error(transparent)]
    Index(#[from] PublishError),
}

/// What to read, and how.
#[derive(Debug)]
pub struct OnceSettings {
    /// The directory.
    pub repository: Repository,
    /// A commit, branch or tag to read instead of the files as they are.
    pub reference: Option<String>,
    /// How much of the history counts.
    pub history: HistoryLimits,
    /// Whether functions of past commits are waited for.
    pub step: Step,
    /// A directory whose files are not indexed wherever it lies.
    pub excluded: Option<PathBuf>,
    /// What parses the files.
    pub parsers: Parsers,
    /// Where earlier runs stored what they read, in a directory with the given name.
    pub location: (StoreLocation, String),
}

/// One directory or commit, to be indexed once.
#[derive(Debug)]
pub struct Once {
    settings: OnceSettings,
    blobs: BlobCache,
    store: Arc<IndexStore>,
    /// Blobs of a working tree's files.
    stats: Arc<Stats>,
    records: Arc<Records>,
    progress: Arc<Progress>,
}

/// An index and what is to be stored of it.
#[derive(Debug)]
pub struct Indexed {
    /// The index.
    pub snapshot: Arc<Snapshot>,
    /// Why past commits could not be read.
    pub history_error: Option<GitError>,
    /// What the clone lacks of its commit's files, each with what to do.
    pub absent: Vec<String>,
    /// The history that was not found stored, by what names it there.
    new_history: Option<String>,
}

/// The real path of a directory.
///
/// # Errors
/// When it is none.
pub fn canonical(directory: &Path) -> Result<PathBuf, OnceError> {
    std::fs::canonicalize(directory)
        .ok()
        .filter(|root| root.is_dir())
        .ok_or_else(|| OnceError::NotADirectory(directory.to_owned()))
}

impl Once {
    /// Prepares a run. Reads nothing yet.
    pub fn new(settings: OnceSettings) -> Self {
        let parsers = settings.parsers.clone();
        let (location, name) = &settings.location;
        let store = Arc::new(IndexStore::new(location, name, parsers.limits()));
        Self {
            blobs: BlobCache::new(parsers, 0).with(Arc::clone(&store)),
            stats: Arc::new(Stats::of(&store)),
            records: Arc::new(Records::of(&store)),
            progress: Arc::default(),
            store,
            settings,
        }
    }

    /// What tells, from any thread, the phase of the run and how many of its steps are done, of how many;
    /// 0 where that is not known.
    pub fn progress(&self) -> impl Fn() -> (Phase, usize, usize) + Send + use<> {
        let (progress, records) = (Arc::clone(&self.progress), Arc::clone(&self.records));
        move || match progress.read() {
            (Phase::History, ..) => {
                let (done, total) = records.progress();
                (Phase::History, done, total)
            }
            other => other,
        }
    }

    /// Indexes the files and the history of the working tree, or of the commit that was named. A bare
    /// repository is read at its `HEAD`. Parses on the current rayon pool.
    ///
    /// # Errors
    /// See [`OnceError`].
    pub fn index(&self) -> Result<Indexed, OnceError> {
        let repository = &self.settings.repository;
        match &self.settings.reference {
            Some(reference) => self.commit(repository.with_revision(reference)?, reference),
            None if repository.is_bare() => self.commit(repository.with_revision(HEAD)?, HEAD),
            None => self.tree(),
        }
    }

    /// Stores what was read, for the next run. Where nothing is to be stored it does nothing.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save(&self, indexed: &Indexed) -> io::Result<()> {
        if !self.store.is_writable() {
            return Ok(());
        }
        let snapshot = &indexed.snapshot;
        self.store.save_one_of_many(snapshot)?;
        self.stats
            .save(|path| snapshot.files.find(path.as_str()).is_some())?;
        let Some(key) = &indexed.new_history else {
            return Ok(());
        };
        let index = HistoryIndex {
            commits: Arc::clone(snapshot.lexical.commits().index()),
            functions: snapshot.touched_functions,
        };
        self.store.save_history_index(key, &index)
    }

    fn commit(&self, git: &GitRepo, reference: &str) -> Result<Indexed, OnceError> {
        let commit = git.resolve(reference)?;
        let (files, history) = std::thread::scope(|threads| {
            let history = threads.spawn(|| self.history_of(git, &commit));
            let files = git.files(&commit, &[], &self.blobs, &self.progress);
            self.progress.enter(Phase::History, 0);
            (files, history.join())
        });
        let history = history.unwrap_or_else(|_| FoundHistory::defect());
        let revision = Revision {
            commit,
            dirty: false,
        };
        let files = files?;
        let absent = absent::of_commit(&files).into_iter().collect();
        self.build(revision, files, history, absent)
    }

    fn tree(&self) -> Result<Indexed, OnceError> {
        let repository = &self.settings.repository;
        let (root, git) = (repository.root().to_owned(), repository.git());
        let excluded = self.settings.excluded.iter().cloned().collect();
        let tree = WorkingTree::of_one_run(root, excluded, git.cloned());
        let mut tree = tree.knowing(Arc::clone(&self.stats));
        let (scanned, history) = std::thread::scope(|threads| {
            let history = threads.spawn(|| self.history_of_head(git));
            let scanned = tree.rescan(&self.blobs, &self.progress, None);
            self.progress.enter(Phase::History, 0);
            (scanned, history.join())
        });
        scanned?;
        let revision = tree.revision();
        let history = match (history, git) {
            // Another commit was checked out meanwhile.
            (Ok(history), Some(git)) if history.commit != revision.commit => {
                self.history_of(git, &revision.commit)
            }
            (history, _) => history.unwrap_or_else(|_| FoundHistory::defect()),
        };
        let absent = absent::of_tree(&tree);
        self.build(revision, tree.files(), history, absent)
    }

    fn build(
        &self,
        revision: Revision,
        files: Vec<SourceFile>,
        history: FoundHistory,
        mut absent: Vec<String>,
    ) -> Result<Indexed, OnceError> {
        self.progress.enter(Phase::Building, 0);
        let (read, indexed, history_error) = match history.outcome {
            Outcome::Read(history) => (Some(history), None, None),
            Outcome::Stored(history) => (None, Some(history), None),
            Outcome::Failed(error) => (None, None, Some(error)),
        };
        let new_history = history.key.filter(|_| read.is_some());
        let plan = Plan {
            cause: Cause::Request,
            revision,
            files,
            history: read,
        };
        let snapshot = build_once(plan, indexed, &self.store)?;
        if absent.is_empty() && snapshot.touched_functions == TouchedFunctions::Unreadable {
            absent.extend(self.settings.repository.git().and_then(absent::of_history));
        }
        Ok(Indexed {
            snapshot: Arc::new(snapshot),
            history_error,
            absent,
            new_history,
        })
    }

    /// The history of `HEAD`; empty where there is none.
    fn history_of_head(&self, git: Option<&GitRepo>) -> FoundHistory {
        let Some(git) = git else {
            return FoundHistory::none();
        };
        match git.resolve(HEAD) {
            Ok(commit) => self.history_of(git, &commit),
            Err(GitError::NoCommits) => FoundHistory::none(),
            Err(error) => FoundHistory::failed(error),
        }
    }

    fn history_of(&self, git: &GitRepo, commit: &str) -> FoundHistory {
        let mut found = FoundHistory {
            commit: commit.to_owned(),
            ..FoundHistory::none()
        };
        let OnceSettings { history, step, .. } = &self.settings;
        if self.store.directory().is_some() {
            found.key = git.history_key(commit, history).ok();
        }
        let stored = found
            .key
            .as_ref()
            .and_then(|key| self.store.history_index(key));
        let is_enough = |history: &HistoryIndex| {
            *step == Step::Files || history.functions == TouchedFunctions::Read
        };
        found.outcome = match stored.filter(is_enough) {
            Some(history) => Outcome::Stored(history),
            None => {
                let stop = CancellationToken::new();
                match git.history(commit, history, &self.records, *step, &stop) {
                    Ok(history) => Outcome::Read(history),
                    Err(error) => Outcome::Failed(error),
                }
            }
        };
        found
    }
}

/// What was found of a commit's history.
struct FoundHistory {
    commit: String,
    /// What names it where it is stored.
    key: Option<String>,
    outcome: Outcome,
}

enum Outcome {
    /// Read through git.
    Read(CommitHistory),
    /// Found as an earlier run stored it.
    Stored(HistoryIndex),
    Failed(GitError),
}

impl FoundHistory {
    /// That of no commit.
    fn none() -> Self {
        Self {
            commit: String::new(),
            key: None,
            outcome: Outcome::Read(CommitHistory::default()),
        }
    }

    fn failed(error: GitError) -> Self {
        Self {
            outcome: Outcome::Failed(error),
            ..Self::none()
        }
    }

    fn defect() -> Self {
        let reason = "reading them failed on a defect";
        Self::failed(GitError::Unavailable(reason.to_owned()))
    }
}
