//! Makes and fetches clones of remote repositories in the data directory. Only this file uses the network. A
//! clone is created completely or not at all, and leftovers of an interrupted run of git are removed before
//! the next. Everything here blocks.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use foveate_model::ObjectId;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::{GitError, command, process, refuses_commit, transfer};
use crate::engine::Progress;
use crate::ingest::data_layout::{DAMAGED, UNFINISHED};

/// The local clone of a remote repository.
#[derive(Debug)]
pub struct LocalClone {
    connection: Connection,
    directory: PathBuf,
    /// Held by each run of git that writes to the clone.
    writing: Mutex<()>,
    /// Outcomes of earlier requests for commits by id.
    requests: Mutex<CommitRequests>,
    /// The permit to fetch a commit by id.
    request_permit: Arc<Semaphore>,
    is_damaged: AtomicBool,
    /// When it was last cloned by this process.
    cloned_at: Mutex<Option<Instant>>,
}

/// Outcomes of requests for commits by id, apart from commits that the server sent.
#[derive(Debug, Default)]
struct CommitRequests {
    /// Commits that the server does not send, and when it said so.
    refused: HashMap<String, Instant>,
    /// When the server could not be asked, and why.
    failure: Option<(Instant, String)>,
}

impl CommitRequests {
    /// Whether the server may be asked for a commit, given by its full id: it did not refuse it within
    /// [`REFUSAL_LIFETIME`].
    ///
    /// # Errors
    /// When the server is not asked now: it refused [`MAX_REFUSED`] others, or could not be asked within
    /// [`FAILURE_PAUSE`].
    fn may_request(&mut self, id: &str) -> Result<bool, GitError> {
        self.refused
            .retain(|_, time| time.elapsed() < REFUSAL_LIFETIME);
        if self.refused.contains_key(id) {
            return Ok(false);
        }
        if self.refused.len() >= MAX_REFUSED {
            return Err(GitError::RequestLimit(MAX_REFUSED));
        }
        match &self.failure {
            Some((time, reason)) if time.elapsed() < FAILURE_PAUSE => {
                Err(GitError::Unavailable(reason.clone()))
            }
            _ => Ok(true),
        }
    }
}

/// Settings of `git gc`: limits of loose objects and packs above which a clone is repacked.
const PACKING: [&str; 3] = ["gc.auto=6700", "gc.autoPackLimit=40", "gc.autoDetach=false"];
/// Time after which a server is asked again for a commit that it did not send.
const REFUSAL_LIFETIME: Duration = Duration::from_secs(300);
/// After a failure to ask a server for a commit, it is asked for none for this long.
const FAILURE_PAUSE: Duration = Duration::from_secs(10);
/// A clone is not cloned again within this time, however damaged it seems.
const MIN_CLONE_INTERVAL: Duration = Duration::from_secs(600);
/// A server that did not send this many commits within [`REFUSAL_LIFETIME`] is asked for no other.
const MAX_REFUSED: usize = 100;
/// Prefix of the refs of commits that were fetched by id.
const FETCHED_REFS: &str = "refs/foveate/asked/";
/// Number of these refs that are kept.
const MAX_FETCHED_REFS: usize = 1000;
/// Maximum number of these refs that are dropped at a time.
const MAX_DROPPED_REFS: usize = 20;
/// Longest output of git that is kept, in bytes: more than the names of all these refs.
const ANSWER_BYTES: u64 = 1 << 18;
/// The ref of the commit that a remote's detached `HEAD` names.
const DETACHED: &str = "refs/foveate/head";

impl LocalClone {
    /// Creates a handle to the clone at `directory`, which need not exist yet.
    pub fn new(connection: Connection, directory: PathBuf) -> Self {
        Self {
            connection,
            directory,
            writing: Mutex::default(),
            requests: Mutex::default(),
            request_permit: Arc::new(Semaphore::new(1)),
            is_damaged: AtomicBool::new(false),
            cloned_at: Mutex::default(),
        }
    }

    /// Returns the directory of the clone.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether the clone exists.
    pub fn exists(&self) -> bool {
        self.directory.join("HEAD").exists()
    }

    /// Records that the clone lacks objects that it should have, so that it is cloned again. A clone that was
    /// cloned a short time ago stays: what is missing there is missing from the remote.
    pub fn report_damage(&self) {
        let is_new = self
            .cloned_at
            .lock()
            .is_some_and(|at| at.elapsed() < MIN_CLONE_INTERVAL);
        if !is_new {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it is to be cloned again.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Removes the clone if it is one of another address, left by an earlier repository of this name. One whose
    /// settings are corrupt counts as damaged and stays until it is cloned again. Blocks.
    ///
    /// # Errors
    /// When its address cannot be read, the work is to stop, or files cannot be removed.
    pub fn remove_if_other_address(&self, stop: &CancellationToken) -> Result<(), GitError> {
        let _writing = self.writing.lock();
        if !self.exists() {
            return Ok(());
        }
        let mut command = command::git_in(&self.directory);
        command.args(["config", "--get", "remote.origin.url"]);
        let output = process::output(&mut command, &self.connection.run_limits(stop))?;
        // The exit code of an absent setting. Git also uses it where it cannot open the file, and then says so.
        let is_absent = output.status.code() == Some(1) && output.stderr.is_empty();
        if !output.status.success() && !is_absent {
            if output.stderr.starts_with(b"fatal: bad config") {
                self.report_damage();
                return Ok(());
            }
            return Err(command::failure(&command, &output.stderr));
        }
        if output.stdout.trim_ascii_end() != self.connection.address().as_bytes() {
            tracing::warn!(
                clone = %self.directory.display(),
                "removing the local clone: it was cloned from another address"
            );
            remove_clone(&self.directory)?;
        }
        Ok(())
    }

    /// Clones the remote repository, and replaces an existing clone.
    ///
    /// # Errors
    /// When git fails, takes too long, or is to stop; an existing clone then stays.
    pub fn create(&self, progress: &Progress, stop: &CancellationToken) -> Result<(), GitError> {
        let _writing = self.writing.lock();
        let damaged = self.directory.with_extension(DAMAGED);
        let parent = self.directory.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)?;
        // Each clone has a directory of its own: the git of a server that was killed may still run, and removes its
        // directory when it fails.
        let unfinished = tempfile::Builder::new()
            .prefix(self.directory.file_stem().unwrap_or_default())
            .suffix(&format!(".{UNFINISHED}"))
            .tempdir_in(parent)?;
        let mut command = self.connection.command()?;
        command
            .args(["clone", "--bare", "--progress", "--no-hardlinks"])
            .args(["--template=", "--", self.connection.address()])
            .arg(unfinished.path());
        self.run(command, progress, stop)?;
        remove(&damaged)?;
        if self.directory.exists() {
            fs::rename(&self.directory, &damaged)?;
        }
        fs::rename(unfinished.keep(), &self.directory)?;
        self.is_damaged.store(false, Ordering::Relaxed);
        *self.cloned_at.lock() = Some(Instant::now());
        remove(&damaged)?;
        Ok(())
    }

    /// Fetches branches, tags and `HEAD`.
    pub fn fetch(&self, progress: &Progress, stop: &CancellationToken) -> Result<(), GitError> {
        let refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        let _writing = self.writing.lock();
        self.fetch_refs(&["--prune"], &refs, progress, stop)?;
        self.follow_head(progress, stop)?;
        let mut command = command::git_in(&self.directory);
        for setting in PACKING {
            command.args(["-c", setting]);
        }
        command.args(["gc", "--auto", "--quiet"]);
        if let Err(error) = self.run(command, progress, stop) {
            tracing::warn!(clone = %self.directory.display(), %error, "cannot repack the local clone");
        }
        Ok(())
    }

    /// Returns the one permit to fetch a commit by id: concurrent requests for the same commit fetch it once.
    pub fn request_permit(&self) -> &Arc<Semaphore> {
        &self.request_permit
    }

    /// Whether the server may be asked for a commit now; false unless `id` is a full id.
    ///
    /// # Errors
    /// As `CommitRequests::may_request`; the text gives the reason.
    pub fn may_request(&self, id: &str) -> Result<bool, GitError> {
        match ObjectId::from_hex(id) {
            Some(_) => self.requests.lock().may_request(id),
            None => Ok(false),
        }
    }

    /// Fetches a commit that no branch or tag of the clone contains, if the server is to be asked for it and sends it.
    ///
    /// # Errors
    /// When the server cannot be asked, or git takes too long or is to stop.
    pub fn fetch_commit(&self, id: &str, stop: &CancellationToken) -> Result<(), GitError> {
        let _writing = self.writing.lock();
        // A concurrent request may have made it meanwhile.
        if self.has_commit(id, stop)? || !self.may_request(id)? {
            return Ok(());
        }
        let kept = format!("+{id}:{FETCHED_REFS}{id}");
        match self.fetch_refs(&[], &[&kept], &Progress::default(), stop) {
            Ok(()) => {
                if let Err(error) = self.drop_old_fetched(id, stop) {
                    let clone = self.directory.display();
                    tracing::warn!(%clone, %error, "cannot drop old commits from the local clone");
                }
                Ok(())
            }
            Err(GitError::NotSent { .. }) => {
                let mut requests = self.requests.lock();
                requests.refused.insert(id.to_owned(), Instant::now());
                Ok(())
            }
            Err(error @ GitError::Cancelled(_)) => Err(error),
            Err(error) => Err(self.record_failure(error)),
        }
    }

    fn has_commit(&self, id: &str, stop: &CancellationToken) -> Result<bool, GitError> {
        let mut command = command::git_in(&self.directory);
        command
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .arg(format!("{id}^{{commit}}"));
        let run_limits = self.connection.run_limits(stop);
        let output = process::output(&mut command, &run_limits)?;
        Ok(output.status.success())
    }

    /// Records that the server could not be asked for a commit. Returns the error, as one that does not count as damage
    /// of the clone.
    fn record_failure(&self, error: GitError) -> GitError {
        let reason = error.to_string();
        let clone = self.directory.display();
        tracing::warn!(%clone, error = reason, "cannot fetch a commit");
        self.requests.lock().failure = Some((Instant::now(), reason.clone()));
        match error.is_damage() {
            true => GitError::Unavailable(reason),
            false => error,
        }
    }

    /// Drops the refs of commits that were fetched by id, the oldest first, above [`MAX_FETCHED_REFS`]. Drops only a few
    /// at a time, since each takes a process.
    fn drop_old_fetched(&self, newest: &str, stop: &CancellationToken) -> Result<(), GitError> {
        let mut command = command::git_in(&self.directory);
        command.args([
            "for-each-ref", "--sort=-committerdate", "--format=%(refname)",
        ]);
        command.arg(format!(
            "--count={}",
            MAX_FETCHED_REFS + MAX_DROPPED_REFS + 1
        ));
        command.arg(FETCHED_REFS);
        let listed = self.run(command, &Progress::default(), stop)?;
        let listed = String::from_utf8_lossy(&listed);
        let is_newest = |name: &&str| name.strip_prefix(FETCHED_REFS) == Some(newest);
        for name in listed
            .lines()
            .filter(|name| !is_newest(name))
            .skip(MAX_FETCHED_REFS)
        {
            let mut command = command::git_in(&self.directory);
            command.args(["update-ref", "-d", name]);
            self.run(command, &Progress::default(), stop)?;
        }
        Ok(())
    }

    fn fetch_refs(
        &self,
        options: &[&str],
        refs: &[&str],
        progress: &Progress,
        stop: &CancellationToken,
    ) -> Result<(), GitError> {
        remove_leftovers(&self.directory)?;
        let mut command = self.connection.command()?;
        command
            .arg(command::in_directory(&self.directory))
            .args(["fetch", "--progress", "--no-write-fetch-head", "--no-tags"])
            .args(["--no-recurse-submodules"])
            .args(options)
            .args(["--", self.connection.address()])
            .args(refs);
        let fetched = self.run(command, progress, stop);
        if fetched.is_err() {
            remove_leftovers(&self.directory)?;
        }
        fetched.map(drop)
    }

    /// Sets `HEAD` to the branch or commit that the remote's `HEAD` names now.
    fn follow_head(&self, progress: &Progress, stop: &CancellationToken) -> Result<(), GitError> {
        let answer = self.run(ask_head(&self.connection)?, progress, stop)?;
        let answer = String::from_utf8_lossy(&answer);
        let mut command = command::git_in(&self.directory);
        let head = answer.lines().find_map(|line| line.strip_suffix("\tHEAD"));
        match head {
            Some(line) => match line.strip_prefix("ref: ") {
                Some(branch) if branch.starts_with("refs/heads/") => {
                    command.args(["symbolic-ref", "HEAD", branch]);
                }
                _ if ObjectId::from_hex(line).is_some() => {
                    // No branch or tag may contain it.
                    let kept = format!("+HEAD:{DETACHED}");
                    self.fetch_refs(&[], &[&kept], progress, stop)?;
                    command.args(["update-ref", "--no-deref", "HEAD", DETACHED]);
                }
                _ => return Err(GitError::UnexpectedOutput("ls-remote")),
            },
            // The remote has no usable `HEAD`.
            None => return Ok(()),
        }
        self.run(command, progress, stop).map(drop)
    }

    fn run(
        &self,
        mut command: Command,
        progress: &Progress,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, GitError> {
        let ended = process::run(
            &mut command,
            &self.connection.run_limits(stop),
            |_| Ok(()),
            |stdout| {
                let mut answer = Vec::new();
                // A truncated answer fails to parse later.
                let read = stdout.take(ANSWER_BYTES).read_to_end(&mut answer);
                read.map(|_| answer)
            },
            |stderr| transfer::errors(stderr, progress).into_bytes(),
        )?;
        if ended.status.success() {
            return Ok(ended.output?);
        }
        let first = command::first_lines(&ended.errors);
        let stderr = self.connection.explained(&first);
        let subcommand = command::subcommand(&command);
        let errors = String::from_utf8_lossy(&ended.errors);
        Err(match refuses_commit(&errors) {
            true => GitError::NotSent { subcommand, stderr },
            false => GitError::Failed { subcommand, stderr },
        })
    }
}

/// Asks a remote for the branch that its `HEAD` names, within the time limit of a clone. Blocks.
///
/// # Errors
/// When the host is not allowed, does not answer, or refuses; the message holds no credentials.
pub fn ask(connection: &Connection) -> Result<(), GitError> {
    let mut command = ask_head(connection)?;
    let stop = CancellationToken::new();
    let output = process::output(&mut command, &connection.run_limits(&stop))?;
    if output.status.success() {
        return Ok(());
    }
    let message = command::first_lines(&output.stderr);
    Err(GitError::Failed {
        subcommand: "ls-remote".to_owned(),
        stderr: connection.explained(&message),
    })
}

/// Creates the command that asks a remote what its `HEAD` names.
fn ask_head(connection: &Connection) -> Result<Command, GitError> {
    let mut command = connection.command()?;
    command.args(["ls-remote", "--symref", "--", connection.address(), "HEAD"]);
    Ok(command)
}

/// Removes a clone that is no longer used.
///
/// # Errors
/// When files cannot be removed.
pub fn remove_clone(directory: &Path) -> io::Result<()> {
    remove(&directory.with_extension(DAMAGED))?;
    remove(directory)
}

/// Removes the unfinished clones in the directory of the clones, which killed servers left. Called before the first
/// clone of this process.
pub fn remove_unfinished(clones: &Path) {
    for entry in fs::read_dir(clones).into_iter().flatten().flatten() {
        let clone = entry.path();
        if clone.extension().is_some_and(|end| end == UNFINISHED)
            && let Err(error) = fs::remove_dir_all(&clone)
        {
            tracing::warn!(clone = %clone.display(), %error, "cannot remove an unfinished clone");
        }
    }
}

fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the leftovers of a killed git: locks, which would make the next one fail, and unfinished packs.
/// Nothing else writes to the clone.
fn remove_leftovers(clone: &Path) -> io::Result<()> {
    let is_lock = |name: &str| name.ends_with(".lock");
    remove_files(clone, &is_lock)?;
    let mut directories = vec![clone.join("refs")];
    while let Some(directory) = directories.pop() {
        remove_files(&directory, &is_lock)?;
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                directories.push(entry.path());
            }
        }
    }
    let objects = clone.join("objects");
    remove_files(&objects.join("pack"), &|name| name.starts_with("tmp_"))?;
    for entry in fs::read_dir(&objects).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("tmp_objdir-") || name.starts_with("incoming-") {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_files(directory: &Path, is_one: &dyn Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file())
            && is_one(&entry.file_name().to_string_lossy())
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refused_commits_are_unknown_at_the_limit_of_requests() {
        let mut requests = CommitRequests::default();
        for n in 0..MAX_REFUSED {
            let id = format!("{n:040x}");
            assert!(requests.may_request(&id).unwrap());
            requests.refused.insert(id, Instant::now());
        }
        assert!(!requests.may_request(&"0".repeat(40)).unwrap());
        let error = requests.may_request(&"f".repeat(40)).unwrap_err();
        assert!(
            matches!(error, GitError::RequestLimit(MAX_REFUSED)),
            "{error}"
        );
        assert!(!error.is_damage());
    }
}
