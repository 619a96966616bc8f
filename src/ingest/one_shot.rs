//! Reads and indexes a directory or a commit once, for a program that answers once and exits. Reuses data
//! that earlier runs stored. It watches nothing and registers nothing. Start at [`OneShotIndexer::index`].

mod missing_parts;
mod repository;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_index::{Revision, Snapshot};
use foveate_model::{SourceFile, TouchedFunctions};
use tokio_util::sync::CancellationToken;

use super::git::{CommitRecordCache, GitError, GitRepo, HistoryLimits, HistoryStep};
use super::tree::{Stats, TreeError, WorkingTree};
use crate::disk::MaxWaste;
use crate::engine::{
    BlobCache, Cause, CommitHistory, HistoryIndex, IndexInput, IndexStore, Parsers, Phase,
    Progress, PublishError, StoreLocation, build_once,
};
pub use repository::Repository;

/// Ref of the checked-out commit.
const HEAD: &str = "HEAD";

/// Why no index could be built.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum OneShotError {
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("{} is not in a git repository, so it has no revision {reference:?}", .path.display())]
    NoRevisions { path: PathBuf, reference: String },
    #[error("{}", explain(.0))]
    Git(GitError),
    /// The repository exists, but git cannot be used for it.
    #[error("{}", explain(.0))]
    Unusable(Arc<GitError>),
    /// A shallow clone does not have a commit. It may lack the commit, or the name may be wrong.
    #[error("{}", explain_shallow(.0))]
    LacksCommits(GitError),
    #[error(transparent)]
    Tree(TreeError),
    #[error(transparent)]
    Index(#[from] PublishError),
}

impl From<GitError> for OneShotError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl From<TreeError> for OneShotError {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Git(error) => Self::Git(error),
            error => Self::Tree(error),
        }
    }
}

/// Explains why git failed. A timeout names no setting: the limits of a run on the command line have none.
pub fn explain(error: &GitError) -> String {
    match error {
        GitError::Timeout {
            subcommand, limit, ..
        } => format!(
            "git did not answer within {} s (git {subcommand}): see whether `git status` works in the directory, and \
             whether its disk or network hangs",
            limit.as_secs()
        ),
        error => error.to_string(),
    }
}

/// Explains which commit a shallow clone does not have, and how to fetch it. The name comes first: it may be misspelt, or
/// be that of a branch that was not cloned.
fn explain_shallow(error: &GitError) -> String {
    const FETCH: &str = "fetch them with `git fetch --unshallow`, in GitHub's CI by `fetch-depth: 0` of \
                         actions/checkout, in GitLab's by the variable `GIT_DEPTH: 0`";
    let GitError::UnknownRef(name) = error else {
        return format!("{error}: {FETCH}");
    };
    let branch = name.strip_prefix("origin/");
    // `origin/main~2` is no name that can be fetched.
    let branch = branch.filter(|branch| !branch.contains(['~', '^', '@', ':']));
    let advice = branch.map(|branch| {
        format!("; fetch the branch with `git fetch origin {branch}:refs/remotes/origin/{branch}`")
    });
    let advice = advice.unwrap_or_default();
    format!("{error}{advice}; this shallow clone also lacks old commits: {FETCH}")
}

/// What to read, and how.
#[derive(Debug)]
pub struct OneShotSettings {
    /// The directory.
    pub repository: Repository,
    /// Commit, branch or tag to read instead of the working tree.
    pub reference: Option<String>,
    /// Limits of the history that is read.
    pub history: HistoryLimits,
    /// How far the history is read: touched files only, or touched functions as well.
    pub step: HistoryStep,
    /// A directory that is never indexed, even inside the repository.
    pub excluded: Option<PathBuf>,
    /// Parsers of the files.
    pub parsers: Parsers,
    /// Where data are stored between runs, and the name of the directory there.
    pub location: (StoreLocation, String),
}

/// One directory or commit, to be indexed once.
#[derive(Debug)]
pub struct OneShotIndexer {
    settings: OneShotSettings,
    blobs: BlobCache,
    store: Arc<IndexStore>,
    /// Blob ids of a working tree's files by their stats.
    stats: Arc<Stats>,
    records: Arc<CommitRecordCache>,
    progress: Arc<Progress>,
}

/// An index, and the data about it that [`OneShotIndexer::save`] needs.
#[derive(Debug)]
pub struct BuiltIndex {
    /// The index.
    pub snapshot: Arc<Snapshot>,
    /// Why past commits could not be read.
    pub history_error: Option<GitError>,
    /// Messages about files of the commit that the clone lacks, each with a remedy.
    pub missing_parts: Vec<String>,
    /// Key under which a newly read history is to be stored; `None` if there is none to store.
    new_history: Option<String>,
}

/// Returns the canonical path of a directory.
///
/// # Errors
/// When it is not a directory.
pub fn canonical(directory: &Path) -> Result<PathBuf, OneShotError> {
    std::fs::canonicalize(directory)
        .ok()
        .filter(|root| root.is_dir())
        .ok_or_else(|| OneShotError::NotADirectory(directory.to_owned()))
}

impl OneShotIndexer {
    /// Prepares a run. Reads nothing yet.
    pub fn new(settings: OneShotSettings) -> Self {
        let parsers = settings.parsers.clone();
        let (location, name) = &settings.location;
        let store = Arc::new(IndexStore::new(location, name, &parsers.limits));
        Self {
            blobs: BlobCache::new(parsers, 0).with(Arc::clone(&store)),
            stats: Arc::new(Stats::of(&store)),
            records: Arc::new(CommitRecordCache::of(&store)),
            progress: Arc::default(),
            store,
            settings,
        }
    }

    /// Returns a function that reports progress from any thread: the phase of the run, its steps done, and
    /// its total steps (0: unknown).
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

    /// Indexes the files and the history of the working tree, or of the configured revision. A bare
    /// repository is read at its `HEAD`. Parses on the current rayon pool.
    pub fn index(&self) -> Result<BuiltIndex, OneShotError> {
        let repository = &self.settings.repository;
        match &self.settings.reference {
            Some(reference) => self.commit(repository.with_revision(reference)?, reference),
            None if repository.is_bare() => self.commit(repository.with_revision(HEAD)?, HEAD),
            None => self.tree(),
        }
    }

    /// Stores the index data for the next run. Does nothing if the store is not writable.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save(&self, indexed: &BuiltIndex) -> io::Result<()> {
        if !self.store.is_writable() {
            return Ok(());
        }
        let snapshot = &indexed.snapshot;
        // The next run may be about another revision, whose data are kept longer.
        self.store.save(snapshot, &[], MaxWaste::ThreeQuarters)?;
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

    fn commit(&self, git: &GitRepo, reference: &str) -> Result<BuiltIndex, OneShotError> {
        let resolved = git.resolve(reference);
        let commit = resolved.map_err(|error| self.settings.repository.classify(error))?;
        let (files, history) = std::thread::scope(|threads| {
            let history = threads.spawn(|| self.history_of(git, &commit));
            let files = git.files(&commit, &[], &self.blobs, &self.progress);
            self.progress.enter(Phase::History, 0);
            (files, history.join())
        });
        let history = history.unwrap_or_else(|_| FoundHistory::defect());
        let revision = Revision::of_commit(commit);
        let files = files?;
        let missing_parts = missing_parts::of_commit(&files).into_iter().collect();
        self.build(revision, files, history, missing_parts)
    }

    fn tree(&self) -> Result<BuiltIndex, OneShotError> {
        let repository = &self.settings.repository;
        let (root, git) = (repository.root().to_owned(), repository.git());
        let excluded = self.settings.excluded.iter().cloned().collect();
        let tree = WorkingTree::for_one_run(root, excluded, git.cloned());
        let mut tree = tree.with_stats(Arc::clone(&self.stats));
        let (scanned, history) = std::thread::scope(|threads| {
            let history = threads.spawn(|| self.history_of_head(git));
            let scanned = tree.rescan(&self.blobs, &self.progress, None);
            self.progress.enter(Phase::History, 0);
            (scanned, history.join())
        });
        scanned?;
        let revision = tree.revision();
        let history = match (history, git) {
            // Another commit was checked out during the scan.
            (Ok(history), Some(git)) if history.commit != revision.commit => {
                self.history_of(git, &revision.commit)
            }
            (history, _) => history.unwrap_or_else(|_| FoundHistory::defect()),
        };
        let missing_parts = missing_parts::of_tree(&tree);
        self.build(revision, tree.files(), history, missing_parts)
    }

    fn build(
        &self,
        revision: Revision,
        files: Vec<SourceFile>,
        history: FoundHistory,
        mut missing_parts: Vec<String>,
    ) -> Result<BuiltIndex, OneShotError> {
        self.progress.enter(Phase::Building, 0);
        let FoundHistory {
            key, read, stored, ..
        } = history;
        let new_history = key.filter(|_| read.is_some());
        let input = IndexInput {
            cause: Cause::Request,
            revision,
            files,
            history: read,
        };
        let snapshot = build_once(input, stored, &self.store)?;
        if missing_parts.is_empty() && snapshot.touched_functions == TouchedFunctions::Unreadable {
            missing_parts.extend(
                self.settings
                    .repository
                    .git()
                    .and_then(missing_parts::of_history),
            );
        }
        Ok(BuiltIndex {
            snapshot: Arc::new(snapshot),
            history_error: history.error,
            missing_parts,
            new_history,
        })
    }

    /// Finds the history of `HEAD`; empty if there is no commit.
    fn history_of_head(&self, git: Option<&GitRepo>) -> FoundHistory {
        let Some(git) = git else {
            return FoundHistory::empty();
        };
        match git.resolve(HEAD) {
            Ok(commit) => self.history_of(git, &commit),
            Err(GitError::NoCommits) => FoundHistory::empty(),
            Err(error) => FoundHistory::failed(error),
        }
    }

    fn history_of(&self, git: &GitRepo, commit: &str) -> FoundHistory {
        let mut found = FoundHistory {
            commit: commit.to_owned(),
            ..FoundHistory::default()
        };
        let OneShotSettings { history, step, .. } = &self.settings;
        if self.store.directory().is_some() {
            found.key = Some(git.history_key(commit, history));
        }
        let stored = found
            .key
            .as_ref()
            .and_then(|key| self.store.history_index(key));
        let is_enough = |history: &HistoryIndex| {
            *step == HistoryStep::Files || history.functions == TouchedFunctions::Read
        };
        found.stored = stored.filter(is_enough);
        if found.stored.is_none() {
            let stop = CancellationToken::new();
            match git.history(commit, history, &self.records, *step, &stop) {
                Ok(history) => found.read = Some(history),
                Err(error) => found.error = Some(error),
            }
        }
        found
    }
}

/// The history of a commit, read or found stored.
#[derive(Default)]
struct FoundHistory {
    commit: String,
    /// Key of the stored history; `None` if it cannot be stored.
    key: Option<String>,
    /// Read through git.
    read: Option<CommitHistory>,
    /// Stored by an earlier run.
    stored: Option<HistoryIndex>,
    /// Why it could not be read.
    error: Option<GitError>,
}

impl FoundHistory {
    /// The empty history, without a commit.
    fn empty() -> Self {
        Self {
            read: Some(CommitHistory::default()),
            ..Self::default()
        }
    }

    fn failed(error: GitError) -> Self {
        Self {
            error: Some(error),
            ..Self::default()
        }
    }

    fn defect() -> Self {
        let reason = "internal error while reading past commits";
        Self::failed(GitError::Unavailable(reason.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeout_says_what_to_do_and_names_no_setting() {
        let timeout = || GitError::Timeout {
            subcommand: "rev-parse".to_owned(),
            limit: std::time::Duration::from_secs(10),
            setting: "answer.deadline_ms",
        };
        for error in [
            OneShotError::from(timeout()),
            OneShotError::from(TreeError::from(timeout())),
            OneShotError::Unusable(Arc::new(timeout())),
        ] {
            let text = error.to_string();
            assert!(
                text.contains("10 s") && text.contains("`git status`"),
                "{text}"
            );
            assert!(!text.contains("answer."), "{text}");
        }
    }
}
