//! Git repositories read from their objects, without a checkout, through the git command line. A
//! commit's files come from one `ls-tree` and one `cat-file --batch`; blobs that the cache knows
//! are not read. Nothing in a repository is executed. Start at [`GitRepo`].

pub mod address;
mod command;
pub mod connection;
mod head;
pub mod history;
pub mod location;
mod objects;
mod process;
pub mod remote;
mod transfer;

use std::ops::Range;
use std::path::{Path, PathBuf};

use foveate_model::{ObjectId, SourceFile};
use tokio_util::sync::CancellationToken;

use crate::engine::{BlobCache, Cancelled, Past, Progress};
pub use head::HeadMark;
pub use history::records::Records;
pub use history::{CommitChange, HistoryLimits, Step};
pub use location::{Location, LocationError, without_credentials};
pub use objects::{Differences, Entry, EntryKind};

/// Why git could not give what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git.
    #[error("git was not found on the PATH: install git 2.41 or newer")]
    NotInstalled,
    /// The path holds no repository.
    #[error("{} is not a git repository", .0.display())]
    NotARepository(PathBuf),
    /// The text cannot be a ref.
    #[error("{reference:?} is not a ref: {reason}")]
    MalformedRef {
        /// What was given.
        reference: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No such commit, branch or tag.
    #[error("no commit, branch or tag {0:?} in the repository")]
    UnknownRef(String),
    /// The repository is empty.
    #[error("the repository has no commit yet")]
    NoCommits,
    /// Git said no.
    #[error("git {subcommand} failed: {stderr}")]
    Failed {
        /// Its subcommand.
        subcommand: String,
        /// Its complaint.
        stderr: String,
    },
    /// It took longer than allowed.
    #[error("git {subcommand} took longer than {seconds} s (`{setting}`)")]
    Timeout {
        /// Its subcommand.
        subcommand: &'static str,
        /// The limit.
        seconds: u64,
        /// The setting that gives it.
        setting: &'static str,
    },
    /// The machine is one of a private network.
    #[error(
        "{0} is an address of this machine or of a private network: name it in `git.private_hosts` to allow it"
    )]
    PrivateHost(String),
    /// A branch or tag leads nowhere.
    #[error("{0:?} names a commit that the repository has lost: `git fsck` says more")]
    Lost(String),
    /// Our copy of a remote repository has lost objects.
    #[error("the copy has lost {lost} files and is made again")]
    Damaged {
        /// How many files cannot be read.
        lost: usize,
    },
    /// There is no copy to read, or no index to answer from.
    #[error("{0}")]
    Unavailable(String),
    /// Its output was not understood.
    #[error("unexpected output of git {0}")]
    Output(&'static str),
    /// The process or its pipes failed.
    #[error("cannot run git: {0}")]
    Io(#[from] std::io::Error),
    /// The work was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl GitError {
    /// Whether a repository that nobody else writes to must be broken to give it.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Lost(_)
                | Self::Damaged { .. }
                | Self::NotARepository(_)
                | Self::Output(_)
                | Self::Failed { .. }
        )
    }
}

/// A repository on this machine, read through its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitRepo {
    /// The directory with `objects` and `refs`.
    git_dir: PathBuf,
    /// The part of the tree that is looked at, with a trailing `/`; empty for all of it.
    prefix: String,
}

impl GitRepo {
    /// Opens a bare repository or the repository of a clone, given by its own directory.
    ///
    /// # Errors
    /// When git is missing or the directory is no repository.
    pub fn open(path: &Path) -> Result<Self, GitError> {
        let not_one = || GitError::NotARepository(path.to_owned());
        let dot_git = path.join(".git");
        if dot_git.exists() {
            return Self::around(path)?.ok_or_else(not_one);
        }
        if !path.join("objects").is_dir() || !path.join("HEAD").exists() {
            return Err(not_one());
        }
        Ok(Self {
            git_dir: path.to_owned(),
            prefix: String::new(),
        })
    }

    /// The repository that a working directory belongs to, looked at below that directory; `None`
    /// where it belongs to none.
    ///
    /// # Errors
    /// When git is missing.
    pub fn around(directory: &Path) -> Result<Option<Self>, GitError> {
        let mut command = command::git();
        command
            .arg("-C")
            .arg(directory)
            .args(["rev-parse", "--absolute-git-dir", "--show-prefix"]);
        let output = command::run(&mut command)?;
        if !output.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines();
        let Some(git_dir) = lines.next().filter(|l| !l.is_empty()) else {
            return Ok(None);
        };
        Ok(Some(Self {
            git_dir: PathBuf::from(git_dir),
            prefix: lines.next().unwrap_or("").to_owned(),
        }))
    }

    /// The directory with the repository's `HEAD`.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The full id of the commit that a commit id, branch, tag or `HEAD` names now.
    ///
    /// # Errors
    /// When it names none, or the text is no ref.
    pub fn resolve(&self, reference: &str) -> Result<String, GitError> {
        Self::check_reference(reference)?;
        let mut command = command::git_in(&self.git_dir);
        command
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .arg(format!("{reference}^{{commit}}"));
        let output = command::run(&mut command)?;
        let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() && ObjectId::from_hex(&id).is_ok() {
            return Ok(id);
        }
        if self.is_lost(reference)? {
            return Err(GitError::Lost(reference.to_owned()));
        }
        if reference == "HEAD" {
            return Err(GitError::NoCommits);
        }
        Err(GitError::UnknownRef(reference.to_owned()))
    }

    /// Whether a name, as opposed to an id, leads to an object that cannot be read.
    fn is_lost(&self, reference: &str) -> Result<bool, GitError> {
        let mut command = command::git_in(&self.git_dir);
        command.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let named = command::run(command.arg(reference))?;
        let id = String::from_utf8_lossy(&named.stdout).trim().to_owned();
        if !named.status.success() || id == reference || ObjectId::from_hex(&id).is_err() {
            return Ok(false);
        }
        let mut command = command::git_in(&self.git_dir);
        let kind = command::run(command.args(["cat-file", "-t", &id]))?;
        // A commit that is no commit is spoiled.
        Ok(!kind.status.success() || kind.stdout.starts_with(b"commit"))
    }

    /// When a commit was made, in seconds since 1970.
    ///
    /// # Errors
    /// When the repository has no such commit.
    pub fn commit_time(&self, commit: &str) -> Result<i64, GitError> {
        let commit = self.resolve(commit)?;
        let mut command = command::git_in(&self.git_dir);
        command.args(["log", "--max-count=1", "--format=%ct", "--end-of-options"]);
        command.args([&commit, "--"]);
        let output = command::stdout(&mut command)?;
        String::from_utf8_lossy(&output)
            .trim()
            .parse()
            .map_err(|_| GitError::Output("log"))
    }

    /// The files of a commit, in no particular order; those that cannot be indexed carry the
    /// reason. Blobs that `blobs` knows are not read. What a file has in common with the one at its path
    /// in `before`, which are in path order, may not be parsed again. Parses on the current rayon pool.
    ///
    /// # Errors
    /// When the commit's tree cannot be listed, or the work is asked to stop.
    pub fn files(
        &self,
        commit: &str,
        before: &[SourceFile],
        blobs: &BlobCache,
        progress: &Progress,
    ) -> Result<Vec<SourceFile>, GitError> {
        objects::files(self, commit, before, blobs, progress)
    }

    /// What differs between the files of two commits.
    ///
    /// # Errors
    /// When the tree of one of them cannot be read.
    pub fn differences(&self, before: &str, after: &str) -> Result<Differences, GitError> {
        objects::differences(self, before, after)
    }

    /// [`Self::files`], in path order, of a commit that differs so much from one whose files are
    /// `before`.
    ///
    /// # Errors
    /// When objects cannot be asked for, or the work is asked to stop.
    pub fn files_with(
        &self,
        before: &[SourceFile],
        differences: Differences,
        blobs: &BlobCache,
        progress: &Progress,
    ) -> Result<Vec<SourceFile>, GitError> {
        objects::files_with(self, before, differences, blobs, progress)
    }

    /// Path, blob id and size of every file of a commit (`None` for the size of a blob that the
    /// repository lacks), without submodules.
    ///
    /// # Errors
    /// When the commit's tree cannot be listed.
    pub fn list(&self, commit: &str) -> Result<Vec<Entry>, GitError> {
        objects::list(self, commit)
    }

    /// The ancestors of a commit, newest first, as far as `step` goes. What `records` know is not
    /// read again.
    ///
    /// # Errors
    /// When git fails, takes too long, or the work is asked to stop. Functions that cannot be read
    /// are no error.
    pub fn history(
        &self,
        commit: &str,
        limits: &HistoryLimits,
        records: &Records,
        step: Step,
        stop: &CancellationToken,
    ) -> Result<Past, GitError> {
        history::load(self, commit, limits, records, (step, stop))
    }

    /// All that [`Self::history`] of a commit depends on beside the objects of the repository, as a text.
    ///
    /// # Errors
    /// When git fails.
    pub fn history_key(&self, commit: &str, limits: &HistoryLimits) -> Result<String, GitError> {
        history::key(self, commit, limits)
    }

    /// The ancestors of a commit that have one parent, newest first, each with the files that it
    /// changed: those of a range of positions among them.
    ///
    /// # Errors
    /// When git fails, takes too long, or the work is asked to stop.
    pub fn changes(
        &self,
        commit: &str,
        positions: Range<usize>,
        stop: &CancellationToken,
    ) -> Result<Vec<CommitChange>, GitError> {
        history::changes(self, commit, positions, stop)
    }

    /// `commit` itself, or `commit:prefix` where only a part of the tree is looked at.
    fn tree_of(&self, commit: &str) -> String {
        match self.prefix.trim_end_matches('/') {
            "" => commit.to_owned(),
            prefix => format!("{commit}:{prefix}"),
        }
    }

    /// Refuses what git would read as an option, a path in a tree, a range or a search.
    ///
    /// # Errors
    /// When the text cannot be a ref.
    pub fn check_reference(reference: &str) -> Result<(), GitError> {
        let reason = if reference.is_empty() {
            "it is empty"
        } else if reference.len() > 255 {
            "it is longer than 255 bytes"
        } else if reference.starts_with('-') {
            "it begins with `-`"
        } else if reference.contains("..") {
            "it contains `..`"
        } else if reference.contains(|c: char| c.is_control() || " :?*[\\".contains(c)) {
            "it contains a space, a control character or one of `:?*[\\`"
        } else {
            return Ok(());
        };
        Err(GitError::MalformedRef {
            reference: reference.chars().take(255).collect(),
            reason,
        })
    }
}
