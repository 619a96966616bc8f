//! Git as a group of processes that ends with its first: when its time is over, or the work is to
//! stop, all of them are told to end, and a moment later they are ended. What they may allocate and
//! compute is bounded by the system, also where this process is gone.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, waitid,
};
use tokio_util::sync::CancellationToken;

use super::{GitError, command};
use crate::engine::Cancelled;
use crate::telemetry::spans::Timed;

/// How soon a stop is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Time in which git may remove its locks and unfinished files.
const GRACE: Duration = Duration::from_secs(2);
/// Most bytes of what git wrote that are held at a time: the listing of some four million files.
const MAX_OUTPUT: usize = 512 << 20;

/// Until when a piece of work may go on, and what one process may take for it.
#[derive(Debug)]
pub struct Patience<'a> {
    stop: &'a CancellationToken,
    limit: Duration,
    deadline: Instant,
    memory_bytes: u64,
    subcommand: &'static str,
    setting: &'static str,
}

impl<'a> Patience<'a> {
    /// From now on for `limit`, unless `stop` comes first. `subcommand` and the `setting` with the
    /// limit are what its error names.
    pub fn new(
        stop: &'a CancellationToken,
        limit: Duration,
        subcommand: &'static str,
        setting: &'static str,
    ) -> Self {
        Self {
            stop,
            limit,
            deadline: Instant::now() + limit,
            memory_bytes: 0,
            subcommand,
            setting,
        }
    }

    /// The same, for processes that allocate no more than so many bytes; 0: any.
    pub fn with_memory(self, memory_bytes: u64) -> Self {
        Self {
            memory_bytes,
            ..self
        }
    }

    /// # Errors
    /// When it is over.
    pub fn check(&self) -> Result<(), GitError> {
        if self.stop.is_cancelled() {
            return Err(Cancelled.into());
        }
        if Instant::now() >= self.deadline {
            return Err(GitError::Timeout {
                subcommand: self.subcommand,
                limit: self.limit,
                setting: self.setting,
            });
        }
        Ok(())
    }

    /// Bounds a process that was just started, and all that it starts. Processor time is bounded for
    /// the case that nobody is there any more to watch the clock.
    fn bound(&self, child: &Child) {
        let cpu_seconds = 2 * self.limit.as_secs() + 1;
        limit(child, Resource::Cpu, cpu_seconds);
        // A process that is ended for its time writes its memory to a file otherwise.
        limit(child, Resource::Core, 0);
        if self.memory_bytes > 0 {
            // Not the address space: packs are mapped into it, however large.
            limit(child, Resource::Data, self.memory_bytes);
        }
    }
}

#[cfg(target_os = "linux")]
fn limit(child: &Child, resource: Resource, most: u64) {
    let most = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    // One that has ended by now needs no limit.
    let _ = rustix::process::prlimit(process_of(child), resource, most);
}

/// Other systems set no limits from outside; the clock is watched all the same.
#[cfg(not(target_os = "linux"))]
fn limit(_: &Child, _: Resource, _: u64) {}

fn process_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// The span of a git command, from now until it is dropped.
pub fn timed(patience: &Patience<'_>) -> Timed {
    Timed::new(tracing::debug_span!("git", command = patience.subcommand))
}

/// Starts a command in a group of its own, within the limits of `patience`.
///
/// # Errors
/// When git is not installed or the process cannot be started.
pub fn start(command: &mut Command, patience: &Patience<'_>) -> Result<Child, GitError> {
    let child = command
        .process_group(0)
        .spawn()
        .map_err(command::start_error)?;
    patience.bound(&child);
    Ok(child)
}

/// Runs a command to its end, or to that of `patience`.
///
/// # Errors
/// When it cannot be started, has to be ended, or writes more than is held. A command that reports a
/// failure is none.
pub fn output(command: &mut Command, patience: &Patience<'_>) -> Result<Output, GitError> {
    patience.check()?;
    let _timed = timed(patience);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(command, patience)?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (done, is_done) = mpsc::channel();
    let (stdout, stderr) = std::thread::scope(|threads| {
        let stderr = threads.spawn(move || err.map_or(Ok(Vec::new()), read));
        let running = &mut child;
        let watch = threads.spawn(move || watch(running, &is_done, patience));
        let stdout = out.map_or(Ok(Vec::new()), read);
        let stderr = stderr.join().unwrap_or_else(|_| Ok(Vec::new()));
        drop(done);
        let _ = watch.join();
        (stdout, stderr)
    });
    let status = child.wait()?;
    let (stdout, stderr) = (stdout?, stderr?);
    if !status.success() {
        patience.check()?;
    }
    if status.signal() == Some(Signal::XCPU.as_raw()) {
        return Err(GitError::Exhausted(command::subcommand(command)));
    }
    if stdout.len() > MAX_OUTPUT {
        return Err(GitError::TooMuch {
            subcommand: command::subcommand(command),
            megabytes: MAX_OUTPUT >> 20,
        });
    }
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

/// Runs a command to its end and gives what it wrote.
///
/// # Errors
/// As [`output`], and when git reports a failure.
pub fn stdout(command: &mut Command, patience: &Patience<'_>) -> Result<Vec<u8>, GitError> {
    let output = output(command, patience)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(command::failure(command, &output.stderr))
}

/// Reads a pipe to its end, or one byte further than is held: its writer is stopped by the next one.
fn read(pipe: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.take(MAX_OUTPUT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Ends a group when patience does; returns when `is_done` says so, or the group has ended.
pub fn watch(child: &mut Child, is_done: &mpsc::Receiver<()>, patience: &Patience<'_>) {
    while is_done.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        if patience.check().is_err() {
            end(child);
            return;
        }
    }
}

/// Ends a group that was started with [`start`]. Its first process is still to be waited for.
pub fn end(child: &mut Child) {
    // It was not waited for, so that its number is still its own.
    let Some(group) = process_of(child) else {
        return;
    };
    let _ = kill_process_group(group, Signal::TERM);
    let latest = Instant::now() + GRACE;
    while Instant::now() < latest && !has_ended(group) {
        std::thread::sleep(POLL_INTERVAL / 5);
    }
    let _ = kill_process_group(group, Signal::KILL);
}

fn has_ended(process: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;

    use super::*;

    #[test]
    fn what_does_not_listen_is_ended_with_all_that_it_started() {
        // The pipe stays open as long as any of them lives.
        let mut command = Command::new("sh");
        let script = "trap '' TERM; sh -c 'trap \"\" TERM; echo up; sleep 1000' & wait; sleep 1000";
        command.args(["-c", script]).stdout(Stdio::piped());
        let stop = CancellationToken::new();
        let patience = Patience::new(&stop, GRACE * 1000, "sh", "a test");
        let mut child = start(&mut command, &patience).unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut said = [0; 3];
        stdout.read_exact(&mut said).unwrap();
        end(&mut child);
        stdout.read_to_end(&mut Vec::new()).unwrap();
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn patience_ends_by_time_and_by_word() {
        let stop = CancellationToken::new();
        let none = Patience::new(&stop, Duration::ZERO, "fetch", "git.timeout_seconds");
        assert!(matches!(none.check(), Err(GitError::Timeout { .. })));
        let long = Patience::new(&stop, GRACE * 1000, "fetch", "git.timeout_seconds");
        assert!(long.check().is_ok());
        stop.cancel();
        assert!(matches!(long.check(), Err(GitError::Cancelled(_))));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_and_time_of_a_process_are_bounded_from_outside() {
        let stop = CancellationToken::new();
        let patience = Patience::new(&stop, GRACE * 30, "sh", "a test").with_memory(64 << 20);
        // A variable of 256 MiB: the shell cannot allocate it and fails.
        let mut hungry = Command::new("sh");
        hungry.args([
            "-c",
            "read -r _; x=$(head -c 268435456 /dev/zero | tr '\\0' a); echo ${#x}",
        ]);
        let limits = |mut command: Command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            command.stderr(Stdio::null());
            let mut child = start(&mut command, &patience).unwrap();
            // It begins once its limits are set.
            drop(child.stdin.take());
            let mut said = String::new();
            let out = child.stdout.take().unwrap();
            out.take(64).read_to_string(&mut said).unwrap();
            (child.wait().unwrap().success(), said)
        };
        assert_ne!(limits(hungry), (true, "268435456\n".to_owned()));
        let mut told = Command::new("sh");
        told.args(["-c", "read -r _; ulimit -t; ulimit -c"]);
        assert_eq!(limits(told).1, "121\n0\n");
    }

    #[test]
    fn a_command_ends_with_patience() {
        let stop = CancellationToken::new();
        let soon = Duration::from_millis(60);
        let patience = Patience::new(&stop, soon, "sh", "a test");
        let mut endless = Command::new("sh");
        endless.args(["-c", "sleep 1000 & wait"]);
        let ended = output(&mut endless, &patience);
        assert!(matches!(ended, Err(GitError::Timeout { .. })), "{ended:?}");
    }
}
