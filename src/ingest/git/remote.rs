//! Copies of remote repositories in the data directory. The only place that talks to a network; a
//! copy appears whole or not at all, and what an interrupted run of git left is removed before the
//! next. All of it blocks.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use foveate_model::ObjectId;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::process::{self, Patience};
use super::transfer::Transfer;
use super::{GitError, command};
use crate::engine::Progress;

/// The copy of a remote repository.
#[derive(Debug)]
pub struct RemoteCopy {
    connection: Connection,
    directory: PathBuf,
    /// Two runs of git would be in each other's way.
    turn: Mutex<()>,
    /// Commits that the server was asked for, and when.
    asked: Mutex<HashMap<String, Instant>>,
}

/// Loose objects and packs past which a copy is packed anew.
const PACKING: [&str; 3] = ["gc.auto=6700", "gc.autoPackLimit=40", "gc.autoDetach=false"];
/// Time after which a server is asked for a commit again that it did not give.
const ASK_AGAIN: Duration = Duration::from_secs(300);
/// Commits that a server is asked for in that time.
const MAX_ASKED: usize = 100;
/// Where those are that it gave, by id.
const ASKED: &str = "refs/foveate/asked/";
/// How many of them are kept, and how many dropped at a time.
const MAX_KEPT: usize = 1000;
const MAX_DROPPED: usize = 20;
/// Longest answer that is kept, in bytes: more than the names of all these.
const ANSWER_BYTES: u64 = 1 << 18;

impl RemoteCopy {
    /// The copy at `directory`, which need not exist yet.
    pub fn new(connection: Connection, directory: PathBuf) -> Self {
        Self {
            connection,
            directory,
            turn: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether it was made before.
    pub fn exists(&self) -> bool {
        self.directory.join("HEAD").exists()
    }

    /// Removes a copy of another address: one that was left of a repository of this name. Blocks.
    ///
    /// # Errors
    /// When git cannot be asked, the work is to stop, or files cannot be removed.
    pub fn remove_if_other_address(&self, stop: &CancellationToken) -> Result<(), GitError> {
        let _turn = self.turn.lock();
        if !self.exists() {
            return Ok(());
        }
        let mut command = command::git_in(&self.directory);
        command.args(["config", "--get", "remote.origin.url"]);
        let address = match self.run("config", command, &Progress::default(), stop) {
            // It has none.
            Err(GitError::Failed { .. }) => Vec::new(),
            address => address?,
        };
        if address.trim_ascii_end() != self.connection.address().as_bytes() {
            tracing::warn!(copy = %self.directory.display(), "a copy of another address is removed");
            remove_copy(&self.directory)?;
        }
        Ok(())
    }

    /// Makes the copy, in the place of one that may be there.
    ///
    /// # Errors
    /// When git fails, takes too long, or is to stop; a copy from before then stays.
    pub fn make(&self, progress: &Progress, stop: &CancellationToken) -> Result<(), GitError> {
        let _turn = self.turn.lock();
        let unfinished = self.directory.with_extension("unfinished");
        let damaged = self.directory.with_extension("damaged");
        remove(&unfinished)?;
        if let Some(parent) = self.directory.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut command = self.connection.command()?;
        command
            .args(["clone", "--bare", "--progress", "--no-hardlinks"])
            .args(["--template=", "--", self.connection.address()])
            .arg(&unfinished);
        let cloned = self.run("clone", command, progress, stop);
        if cloned.is_err() {
            remove(&unfinished)?;
        }
        cloned?;
        remove(&damaged)?;
        if self.directory.exists() {
            fs::rename(&self.directory, &damaged)?;
        }
        fs::rename(&unfinished, &self.directory)?;
        remove(&damaged)?;
        Ok(())
    }

    /// Brings branches, tags and `HEAD` up to date.
    ///
    /// # Errors
    /// As [`Self::make`].
    pub fn fetch(&self, progress: &Progress, stop: &CancellationToken) -> Result<(), GitError> {
        let refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        let _turn = self.turn.lock();
        self.fetch_refs(&["--prune"], &refs, progress, stop)?;
        self.follow_head(progress, stop)?;
        let mut command = command::git_in(&self.directory);
        for setting in PACKING {
            command.args(["-c", setting]);
        }
        command.args(["gc", "--auto", "--quiet"]);
        if let Err(error) = self.run("gc", command, progress, stop) {
            tracing::warn!(copy = %self.directory.display(), %error, "not packed anew");
        }
        Ok(())
    }

    /// Fetches a commit that no branch or tag of the copy leads to, if the server gives it and the
    /// text is a whole id. The server is asked for each once in a while.
    ///
    /// # Errors
    /// When git takes too long or is to stop.
    pub fn fetch_commit(&self, id: &str, stop: &CancellationToken) -> Result<(), GitError> {
        if ObjectId::from_hex(id).is_err() {
            return Ok(());
        }
        // Who asks at the same time waits here, and then finds that it was asked for.
        let _turn = self.turn.lock();
        let mut asked = self.asked.lock();
        asked.retain(|_, time| time.elapsed() < ASK_AGAIN);
        if asked.contains_key(id) || asked.len() >= MAX_ASKED {
            return Ok(());
        }
        asked.insert(id.to_owned(), Instant::now());
        drop(asked);
        let kept = format!("+{id}:{ASKED}{id}");
        match self.fetch_refs(&[], &[&kept], &Progress::default(), stop) {
            // What servers say of commits that they lack or do not give differs.
            Err(GitError::Failed { .. }) => Ok(()),
            Ok(()) => {
                if let Err(error) = self.drop_old_asked(id, stop) {
                    tracing::warn!(copy = %self.directory.display(), %error, "old commits are kept");
                }
                Ok(())
            }
            failed => failed,
        }
    }

    /// Lets go of commits that were asked for by their id, the oldest first, where there are too many: of some at a
    /// time, each of which takes a process.
    fn drop_old_asked(&self, newest: &str, stop: &CancellationToken) -> Result<(), GitError> {
        let mut command = command::git_in(&self.directory);
        command.args([
            "for-each-ref",
            "--sort=-committerdate",
            "--format=%(refname)",
        ]);
        command.arg(format!("--count={}", MAX_KEPT + MAX_DROPPED + 1));
        command.arg(ASKED);
        let listed = self.run("for-each-ref", command, &Progress::default(), stop)?;
        let listed = String::from_utf8_lossy(&listed);
        let is_newest = |name: &&str| name.strip_prefix(ASKED) == Some(newest);
        for name in listed
            .lines()
            .filter(|name| !is_newest(name))
            .skip(MAX_KEPT)
        {
            let mut command = command::git_in(&self.directory);
            command.args(["update-ref", "-d", name]);
            self.run("update-ref", command, &Progress::default(), stop)?;
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
        let fetched = self.run("fetch", command, progress, stop);
        if fetched.is_err() {
            remove_leftovers(&self.directory)?;
        }
        fetched.map(drop)
    }

    /// Makes `HEAD` name the branch that the remote's `HEAD` names by now.
    fn follow_head(&self, progress: &Progress, stop: &CancellationToken) -> Result<(), GitError> {
        let answer = self.run("ls-remote", ask_head(&self.connection)?, progress, stop)?;
        let answer = String::from_utf8_lossy(&answer);
        let mut command = command::git_in(&self.directory);
        let head = answer.lines().find_map(|line| line.strip_suffix("\tHEAD"));
        match head {
            Some(line) => match line.strip_prefix("ref: ") {
                Some(branch) if branch.starts_with("refs/heads/") => {
                    command.args(["symbolic-ref", "HEAD", branch]);
                }
                _ if ObjectId::from_hex(line).is_ok() => {
                    command.args(["update-ref", "--no-deref", "HEAD", line]);
                }
                _ => return Err(GitError::Output("ls-remote")),
            },
            // The remote's own `HEAD` names nothing.
            None => return Ok(()),
        }
        self.run("symbolic-ref", command, progress, stop).map(drop)
    }

    fn run(
        &self,
        subcommand: &'static str,
        mut command: Command,
        progress: &Progress,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, GitError> {
        let timeout = self.connection.timeout();
        let patience = Patience::new(stop, timeout, subcommand, "git.timeout_seconds")
            .with_memory(self.connection.access().memory_bytes);
        patience.check()?;
        let _timed = process::timed(&patience);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = process::start(&mut command, &patience)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (done, is_done) = mpsc::channel();
        let mut transfer = Transfer::new(progress);
        let answer = std::thread::scope(|threads| {
            let answer = threads.spawn(move || {
                let mut answer = Vec::new();
                // What is cut here fails to be understood later.
                let read = stdout.map(|out| out.take(ANSWER_BYTES).read_to_end(&mut answer));
                read.map_or(Ok(0), |read| read).map(|_| answer)
            });
            let (running, patience) = (&mut child, &patience);
            let watch = threads.spawn(move || process::watch(running, &is_done, patience));
            if let Some(stderr) = stderr {
                transfer.read(stderr);
            }
            let answer = answer.join().unwrap_or_else(|_| Ok(Vec::new()));
            drop(done);
            let _ = watch.join();
            answer
        });
        let status = child.wait()?;
        if status.success() {
            return Ok(answer?);
        }
        patience.check()?;
        let complaint = command::first_lines(transfer.complaints().as_bytes());
        Err(GitError::Failed {
            subcommand: subcommand.to_owned(),
            stderr: self.connection.explained(&complaint),
        })
    }
}

/// Asks a remote for its `HEAD`. Blocks.
///
/// # Errors
/// When the remote may not be asked, does not answer, or refuses.
pub fn ask(connection: &Connection, stop: &CancellationToken) -> Result<(), GitError> {
    let mut command = ask_head(connection)?;
    let timeout = connection.timeout();
    let patience = Patience::new(stop, timeout, "ls-remote", "git.timeout_seconds")
        .with_memory(connection.access().memory_bytes);
    let output = process::output(&mut command, &patience)?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = command::first_lines(&output.stderr);
    Err(GitError::Failed {
        subcommand: "ls-remote".to_owned(),
        stderr: connection.explained(&complaint),
    })
}

/// Git, asking a remote what its `HEAD` names.
fn ask_head(connection: &Connection) -> Result<Command, GitError> {
    let mut command = connection.command()?;
    command.args(["ls-remote", "--symref", "--", connection.address(), "HEAD"]);
    Ok(command)
}

/// Removes a copy that nothing uses any more.
///
/// # Errors
/// When files cannot be removed.
pub fn remove_copy(directory: &Path) -> io::Result<()> {
    remove(&directory.with_extension("unfinished"))?;
    remove(&directory.with_extension("damaged"))?;
    remove(directory)
}

fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes what a git that was killed leaves behind: locks, which would stop the next one, and parts
/// of packs. Nobody else writes to the copy.
fn remove_leftovers(copy: &Path) -> io::Result<()> {
    let is_lock = |name: &str| name.ends_with(".lock");
    remove_files(copy, &is_lock)?;
    let mut directories = vec![copy.join("refs")];
    while let Some(directory) = directories.pop() {
        remove_files(&directory, &is_lock)?;
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                directories.push(entry.path());
            }
        }
    }
    let objects = copy.join("objects");
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
