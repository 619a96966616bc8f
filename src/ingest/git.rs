//! Reads git repositories from their objects, without a checkout, through the git command line. A commit's
//! files come from one `ls-tree` and one `cat-file --batch`; cached blobs are not read. Nothing in a
//! repository is executed. Start at [`GitRepo`].

pub mod address;
mod command;
pub mod connection;
mod diff;
mod head;
pub mod history;
mod hunk_header;
pub mod location;
mod objects;
mod process;
mod read_limits;
pub mod reference;
pub mod remote;
mod stream;
mod transfer;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use foveate_model::{ObjectId, SkipReason, SourceFile};
use tokio_util::sync::CancellationToken;

use super::max_size::TooLarge;
use crate::disk::FileStamp;
use crate::engine::Cancelled;
pub use head::HeadFingerprint;
pub use history::record_cache::CommitRecordCache;
pub use history::{CommitChange, HistoryLimits, HistoryStep};
pub use location::{Location, LocationError, without_credentials};
pub use objects::{Differences, Entry, is_missing};
use process::RunLimits;
pub use read_limits::{LocalPaths, ReadLimits};

/// Why a git operation failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum GitError {
    #[error("git was not found on the PATH: install git 2.41 or newer")]
    NotInstalled,
    #[error("{} is not a git repository", .0.display())]
    NotARepository(PathBuf),
    /// The repository is broken, or this version of git refuses to read it.
    #[error("{}: {reason}; {advice}", .directory.display())]
    Refused {
        /// The directory from which the repository was searched.
        directory: PathBuf,
        reason: String,
        advice: &'static str,
    },
    #[error("{reference:?} is not a ref: {reason}")]
    MalformedRef {
        reference: String,
        reason: &'static str,
    },
    #[error("no commit, branch or tag {0:?} in the repository")]
    UnknownRef(String),
    #[error(
        "cannot find where {head:?} branched off {base:?}: this shallow clone lacks old commits"
    )]
    Shallow { base: String, head: String },
    #[error(
        "cannot compare the commits: this partial clone lacks the contents of changed files; \
         `git fetch --refetch --no-filter` fetches them"
    )]
    Partial,
    #[error(
        "cannot list the files of the commit: this partial clone lacks directories of it; \
         `git fetch --refetch --no-filter` fetches them"
    )]
    Treeless,
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    #[error("the repository has no commit yet")]
    NoCommits,
    #[error("git {subcommand} failed: {stderr}")]
    Failed { subcommand: String, stderr: String },
    /// The server lacks a requested commit, or does not send it because no branch or tag contains it.
    #[error("git {subcommand} failed: {stderr}")]
    NotSent { subcommand: String, stderr: String },
    #[error(
        "the server is asked for no further commit now: it did not send {0} others that were requested in the last minutes"
    )]
    RequestLimit(usize),
    #[error("git {subcommand} took longer than {limit:?} (`{setting}`)")]
    Timeout {
        subcommand: String,
        limit: Duration,
        setting: &'static str,
    },
    #[error(
        "git {subcommand} was ended by the system, for lack of memory or processor time (signal {signal})"
    )]
    Killed { subcommand: String, signal: i32 },
    #[error("git {subcommand} wrote more than {megabytes} MiB: the repository has too many files")]
    TooMuchOutput {
        subcommand: String,
        megabytes: usize,
    },
    #[error(
        "the repository may not be read: its {0} lies outside `repos.allow_paths` or cannot be checked; allow its path too, or make a separate clone inside"
    )]
    NotAllowed(&'static str),
    #[error(
        "{0} is an address of this machine or of a private network: name it in `git.private_hosts` to allow it"
    )]
    PrivateHost(String),
    #[error("{0:?} names a commit that is missing from the repository: run `git fsck` for details")]
    MissingCommit(String),
    #[error("the local clone has lost {count} files and is cloned again")]
    MissingFiles { count: usize },
    #[error("the local clone of the repository is damaged and is cloned again")]
    DamagedClone,
    /// The repository, or something needed to read it, is not available now.
    #[error("{0}")]
    Unavailable(String),
    #[error("unexpected output of git {0}")]
    UnexpectedOutput(&'static str),
    /// Git could not be started, or a pipe to it failed.
    #[error("cannot run git: {0}")]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl GitError {
    /// Whether a retry may succeed: the machine was busy, or the work was stopped.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Timeout { .. } | Self::Killed { .. } | Self::Io(_) | Self::Cancelled(_)
        )
    }

    /// Whether the error shows that the repository is damaged, provided that nothing else writes to it.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::MissingCommit(_)
                | Self::MissingFiles { .. }
                | Self::DamagedClone
                | Self::NotARepository(_)
                | Self::Refused { .. }
                | Self::UnexpectedOutput(_)
        ) || matches!(self, Self::Failed { stderr, .. } if !lacks_memory(stderr))
    }
}

/// Whether git failed because it got no memory.
fn lacks_memory(stderr: &str) -> bool {
    let text = stderr.to_ascii_lowercase();
    text.contains("out of memory") || text.contains("cannot allocate memory")
}

/// What servers say if they lack a commit, or do not send it because no branch or tag contains it: two parts of one
/// line, in this order and in lower case.
const REFUSALS: [[&str; 2]; 7] = [
    ["not our ref ", ""],
    // With a protocol older than version 2, git itself says it.
    ["does not allow request for unadvertised object ", ""],
    ["couldn't find remote ref ", ""],
    ["no such remote ref ", ""],
    // Servers based on JGit, such as Gerrit.
    ["want ", " not valid"],
    // Azure DevOps.
    ["tf401035: the object ", " does not exist"],
    // A server of plain files.
    ["unable to find ", " under "],
];

/// Whether a server answered that it does not send a commit, as opposed to failing.
fn refuses_commit(errors: &str) -> bool {
    let text = errors.to_ascii_lowercase();
    let is_in = |line: &str, [first, second]: [&str; 2]| {
        let found = line.split_once(first);
        found.is_some_and(|(_, rest)| rest.contains(second))
    };
    text.lines()
        .any(|line| REFUSALS.iter().any(|parts| is_in(line, *parts)))
}

/// Returns an error if a clone has unreadable files: clones are complete, so these objects were lost.
///
/// # Errors
/// [`GitError::MissingFiles`], with the number of files.
pub fn refuse_lost_files(files: &[SourceFile]) -> Result<(), GitError> {
    let is_lost = |file: &&SourceFile| matches!(file.skipped, Some(SkipReason::Unreadable(_)));
    match files.iter().filter(is_lost).count() {
        0 => Ok(()),
        count => Err(GitError::MissingFiles { count }),
    }
}

/// Whether a directory is a bare repository, or the git directory of a clone: it has no files to read as a working tree.
pub fn is_bare(directory: &Path) -> bool {
    let has = |name: &str| directory.join(name).symlink_metadata().is_ok();
    !has(".git") && has("HEAD") && has("refs") && directory.join("objects").is_dir()
}

/// A repository on this machine, read through its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitRepo {
    /// The directory with `objects` and `refs`.
    git_dir: PathBuf,
    /// Directory of the tree to which reading is limited, with a trailing `/`; empty for the whole tree.
    prefix: String,
    read_limits: Arc<ReadLimits>,
}

impl GitRepo {
    /// Opens a bare repository, or the repository of a clone, given by its top directory.
    ///
    /// # Errors
    /// When git is missing, the directory is not a repository, or `read_limits` do not allow all of it.
    pub fn open(path: &Path, read_limits: &Arc<ReadLimits>) -> Result<Self, GitError> {
        let not_a_repository = || GitError::NotARepository(path.to_owned());
        if path.join(".git").symlink_metadata().is_ok() {
            return Self::discover(path, read_limits)?.ok_or_else(not_a_repository);
        }
        read_limits.check(path)?;
        if !is_bare(path) {
            return Err(not_a_repository());
        }
        Ok(Self {
            git_dir: path.to_owned(),
            prefix: String::new(),
            read_limits: Arc::clone(read_limits),
        })
    }

    /// Opens the repository that a working directory belongs to, limited to that directory; returns `None`
    /// if it belongs to none.
    ///
    /// # Errors
    /// When git is missing or cannot use the repository, or `read_limits` do not allow all of the repository.
    pub fn discover(
        directory: &Path,
        read_limits: &Arc<ReadLimits>,
    ) -> Result<Option<Self>, GitError> {
        let real = std::fs::canonicalize(directory);
        if read_limits::discover_dot_git(real.as_deref().unwrap_or(directory)).is_none() {
            return Ok(None);
        }
        read_limits.check_discovered(directory)?;
        let mut command = command::git();
        command
            .arg("-C")
            .arg(directory)
            .args(["rev-parse", "--absolute-git-dir", "--show-prefix"]);
        let output = read_limits.look_up(&mut command)?;
        if !output.status.success() {
            return refusal(directory, &output.stderr).map_or(Ok(None), Err);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines();
        let Some(git_dir) = lines.next().filter(|l| !l.is_empty()) else {
            return Ok(None);
        };
        let git_dir = PathBuf::from(git_dir);
        read_limits.check(&git_dir)?;
        Ok(Some(Self {
            git_dir,
            prefix: lines.next().unwrap_or("").to_owned(),
            read_limits: Arc::clone(read_limits),
        }))
    }

    /// Returns the directory that holds the repository's `HEAD`.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Returns the full id of the commit that a commit id, branch, tag or `HEAD` names now.
    ///
    /// # Errors
    /// When it names no commit, or the text is not a valid ref.
    pub fn resolve(&self, reference: &str) -> Result<String, GitError> {
        reference::check(reference)?;
        if let Some(commit) = self.find_commit(reference)? {
            return Ok(commit);
        }
        // An id stands for itself, even if there is no such object.
        let named = self.find(reference)?;
        if let Some(id) = named.filter(|id| !id.eq_ignore_ascii_case(reference)) {
            // A fetch may have written the branch or tag since it was looked for.
            if let Some(commit) = self.find_commit(&id)? {
                return Ok(commit);
            }
            if self.is_lost_commit(&id)? {
                return Err(GitError::MissingCommit(reference.to_owned()));
            }
        }
        if reference == "HEAD" {
            return Err(GitError::NoCommits);
        }
        Err(GitError::UnknownRef(reference.to_owned()))
    }

    fn find_commit(&self, name: &str) -> Result<Option<String>, GitError> {
        self.find(&format!("{name}^{{commit}}"))
    }

    /// Returns the full id of the object that an expression of git stands for; `None` if git finds none.
    fn find(&self, expression: &str) -> Result<Option<String>, GitError> {
        let mut command = self.command()?;
        command.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let output = self.read_limits.look_up(command.arg(expression))?;
        let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let is_found = output.status.success() && ObjectId::from_hex(&id).is_some();
        Ok(is_found.then_some(id))
    }

    /// Whether an object that could not be read as a commit is a damaged or missing one, as opposed to a file or tree.
    fn is_lost_commit(&self, id: &str) -> Result<bool, GitError> {
        let mut command = self.command()?;
        let kind = self
            .read_limits
            .look_up(command.args(["cat-file", "-t", id]))?;
        Ok(!kind.status.success() || kind.stdout.starts_with(b"commit"))
    }

    /// Returns the time of a commit, in seconds since 1970.
    ///
    /// # Errors
    /// When the repository has no such commit.
    pub fn commit_time(&self, commit: &str) -> Result<i64, GitError> {
        let commit = self.resolve(commit)?;
        let mut command = self.command()?;
        command.args(["log", "--max-count=1", "--format=%ct", "--end-of-options"]);
        command.args([&commit, "--"]);
        let output = self.read_limits.look_up(&mut command)?;
        String::from_utf8_lossy(&output.stdout)
            .trim()
            .parse()
            .map_err(|_| GitError::UnexpectedOutput("log"))
    }

    /// Whether the clone is shallow, so that it lacks old commits.
    pub fn is_shallow(&self) -> bool {
        self.shallow_boundary().is_some()
    }

    /// Returns a fingerprint of the list of commits whose parents a shallow clone lacks; `None` if it is not shallow.
    /// Fetching older commits changes it, and no ref.
    pub fn shallow_boundary(&self) -> Option<FileStamp> {
        FileStamp::of(&self.shallow_file()?)
    }

    /// Returns the path of that list.
    fn shallow_file(&self) -> Option<PathBuf> {
        Some(head::common_dir(&self.git_dir)?.join("shallow"))
    }

    /// Whether the clone is partial, so that it lacks objects that were left out on purpose.
    pub fn is_partial(&self) -> bool {
        self.setting(r"^remote\..*\.partialclonefilter$").is_some()
    }

    /// Returns the first value among the settings of this repository whose names match a regular expression of git.
    pub fn setting(&self, name: &str) -> Option<String> {
        let stop = CancellationToken::new();
        let mut command = self.command().ok()?;
        command.args(["config", "--get-regexp", name]);
        let output = process::stdout(&mut command, &self.reading(&stop)).ok()?;
        let (_, value) = std::str::from_utf8(&output)
            .ok()?
            .lines()
            .next()?
            .split_once(' ')?;
        Some(value.to_owned())
    }

    /// Returns the directory to which reading is limited, with a trailing `/`; empty for the whole repository.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Creates a command that lists the files of a commit, in an output format of `ls-tree`. If reading is limited to a
    /// directory, it lists the files below, with paths that begin with [`Self::prefix`]: none if the commit lacks the
    /// directory.
    fn ls_tree(&self, format: &str, commit: &str) -> Result<Command, GitError> {
        let mut command = self.command()?;
        command.args(["ls-tree", "-r", "-z", format, "--full-tree"]);
        command.args(["--end-of-options", commit]);
        command.args(self.pathspec());
        Ok(command)
    }

    /// Returns the argument after `--` that limits a command to [`Self::prefix`]; `None` if there is no prefix.
    fn pathspec(&self) -> Option<String> {
        (!self.prefix.is_empty()).then(|| format!(":(top,literal){}", self.prefix))
    }

    /// Returns the option that makes a diff show only the paths below [`Self::prefix`], and without it.
    fn relative_option(&self) -> String {
        match self.prefix.as_str() {
            "" => "--no-relative".to_owned(),
            prefix => format!("--relative={prefix}"),
        }
    }

    /// Returns `commit`, or `commit:prefix` if reading is limited to a directory; git fails if the commit lacks it.
    fn tree_of(&self, commit: &str) -> String {
        match self.prefix.trim_end_matches('/') {
            "" => commit.to_owned(),
            prefix => format!("{commit}:{prefix}"),
        }
    }

    /// Creates a git command on this repository, after checking again that all of it may be read.
    fn command(&self) -> Result<Command, GitError> {
        self.read_limits.check(&self.git_dir)?;
        Ok(command::git_in(&self.git_dir))
    }

    /// Returns the limits, from now on, of listing or reading the files of a commit.
    fn reading<'a>(&self, stop: &'a CancellationToken) -> RunLimits<'a> {
        let setting = "git.read_timeout_seconds";
        let ReadLimits {
            read, memory_bytes, ..
        } = *self.read_limits;
        RunLimits::new(stop, read, memory_bytes, setting)
    }
}

/// Returns the error, from git's message, for a repository around a directory that git refuses to read; `None` if
/// there is no repository.
fn refusal(directory: &Path, stderr: &[u8]) -> Option<GitError> {
    let message = command::first_lines(stderr);
    // Git's advice after it does not help: settings of users do not apply here.
    let first = message.split(';').next().unwrap_or_default();
    let reason = first.strip_prefix("fatal: ").unwrap_or(first);
    let is_own = directory.join(".git").symlink_metadata().is_ok();
    let is_none = reason.contains("not a git repository") && !is_own;
    // A bare repository is read from its top directory, but not from directories inside it.
    if is_none || reason.contains("safe.bareRepository") {
        return None;
    }
    let is_of_others = ["dubious ownership", "unsafe repository"];
    let advice = match is_of_others.iter().any(|words| reason.contains(words)) {
        true => "use git 2.41 or newer, or run foveate as the owner of the repository",
        false => "repair it until `git status` works there",
    };
    Some(GitError::Refused {
        directory: directory.to_owned(),
        reason: match reason {
            "" => "git failed without a message".to_owned(),
            reason => format!("git says: {reason}"),
        },
        advice,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_commits_are_told_from_failures() {
        for refusal in [
            "fatal: git upload-pack: not our ref 1111\nfatal: remote error: upload-pack: not our ref 1111\n",
            "** a banner\n** of\n** ssh\nerror: Server does not allow request for unadvertised object 1111\n",
            "fatal: couldn't find remote ref 1111\n",
            "error: no such remote ref 1111\n",
            "fatal: remote error: want 1111 not valid\n",
            "fatal: git fetch-pack: expected ACK/NAK, got '?TF401035: The object '1111' does not exist.'\n",
            "error: Unable to find 1111 under http://example.org\nCannot obtain needed object 1111\n",
        ] {
            assert!(refuses_commit(refusal), "{refusal}");
        }
        for failure in [
            "fatal: unable to access 'https://example.org/a.git/': The requested URL returned error: 502\n",
            "fatal: unable to access 'https://example.org/a.git/': Could not resolve host: example.org\n",
            "fatal: unable to access 'http://127.0.0.1:9/': Failed to connect to 127.0.0.1 port 9\n",
            "fatal: Authentication failed for 'https://example.org/a.git/'\n",
            "fatal: could not read Username for 'https://example.org': terminal prompts disabled\n",
            "fatal: unable to find remote helper for 'x'\n",
            "fatal: remote error: GitLab is currently unavailable\n",
            "fatal: early EOF\n",
            "",
        ] {
            assert!(!refuses_commit(failure), "{failure}");
        }
    }
}
