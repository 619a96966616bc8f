//! Runs git as a process group that ends with its first process. When the time is over, or the work is to
//! stop, the group gets SIGTERM and a moment later SIGKILL. The system limits memory and processor time,
//! even if this process is gone.

use std::io::{self, BufReader, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{
    Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio,
};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, waitid,
};
use tokio_util::sync::CancellationToken;

use super::{GitError, command};
use crate::engine::Cancelled;
use crate::telemetry::spans::TimedSpan;

/// Time between two checks for a stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Time between SIGTERM and SIGKILL, in which git may remove its locks and unfinished files.
const GRACE_PERIOD: Duration = Duration::from_secs(2);
/// Largest output of git that is held in memory, in bytes: the listing of some four million files.
const MAX_OUTPUT: usize = 512 << 20;

/// Time limit, stop signal and memory limit of a run of git.
#[derive(Debug)]
pub struct RunLimits<'a> {
    stop: &'a CancellationToken,
    limit: Duration,
    deadline: Instant,
    memory_bytes: u64,
    max_file_bytes: u64,
    setting: &'static str,
}

impl<'a> RunLimits<'a> {
    /// Creates limits that end after `limit` from now, or when `stop` is cancelled. Errors name the `setting` that
    /// holds the limit. A process may allocate `memory_bytes`; 0: unlimited.
    pub fn new(
        stop: &'a CancellationToken,
        limit: Duration,
        memory_bytes: u64,
        setting: &'static str,
    ) -> Self {
        Self {
            stop,
            limit,
            deadline: Instant::now() + limit,
            memory_bytes,
            max_file_bytes: 0,
            setting,
        }
    }

    /// Limits the size of each file that a process writes, in bytes; 0: unlimited.
    #[must_use]
    pub fn with_max_file_bytes(self, max_file_bytes: u64) -> Self {
        Self {
            max_file_bytes,
            ..self
        }
    }

    /// Whether the time is over or the work was stopped.
    fn is_over(&self) -> bool {
        self.stop.is_cancelled() || Instant::now() >= self.deadline
    }

    /// Checks that a command may run, or run on.
    ///
    /// # Errors
    /// When the time is over or the work was stopped.
    fn check(&self, command: &Command) -> Result<(), GitError> {
        if self.stop.is_cancelled() {
            return Err(Cancelled.into());
        }
        if self.is_over() {
            return Err(GitError::Timeout {
                subcommand: command::subcommand(command),
                limit: self.limit,
                setting: self.setting,
            });
        }
        Ok(())
    }

    /// Sets the system's limits of a process that was just started, and of all that it starts. Processor time
    /// is limited for the case that this process ends and no longer watches the clock.
    fn bound(&self, child: &Child) {
        let cpu_seconds = 2 * self.limit.as_secs() + 1;
        limit(child, Resource::Cpu, cpu_seconds);
        // A process that exceeds its processor time would write a core dump.
        limit(child, Resource::Core, 0);
        if self.memory_bytes > 0 {
            // Not the address space: packs of any size are mapped into it.
            limit(child, Resource::Data, self.memory_bytes);
        }
        if self.max_file_bytes > 0 {
            limit(child, Resource::Fsize, self.max_file_bytes);
        }
    }
}

#[cfg(target_os = "linux")]
fn limit(child: &Child, resource: Resource, max: u64) {
    let max = Rlimit {
        current: Some(max),
        maximum: Some(max),
    };
    // Fails for a process that has ended by now, which needs no limit.
    let _ = rustix::process::prlimit(process_of(child), resource, max);
}

/// Other systems cannot limit another process; the time limit still applies.
#[cfg(not(target_os = "linux"))]
fn limit(_: &Child, _: Resource, _: u64) {}

fn process_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Starts a command in its own process group, within `run_limits`.
fn start(command: &mut Command, run_limits: &RunLimits<'_>) -> Result<Child, GitError> {
    let child = command
        .process_group(0)
        .spawn()
        .map_err(command::start_error)?;
    run_limits.bound(&child);
    Ok(child)
}

/// A process that has ended, and what was read from it.
pub struct Ended<T> {
    /// How it ended.
    pub status: ExitStatus,
    /// What was read from its standard output.
    pub output: T,
    /// What was read from its standard error.
    pub errors: Vec<u8>,
    /// Whether its input could be written.
    pub fed: io::Result<()>,
}

/// Runs a command to its end, within `run_limits`, with its pipes: `feed` writes its input if that is piped, and `read` and
/// `read_errors` read its output. Only `read` runs on this thread. A pipe is closed once it is done, so that the process
/// ends if reading ends early.
///
/// # Errors
/// When it cannot be started, has to be ended, or is ended by the system. A failure that the command itself reports is not
/// an error.
pub fn run<T>(
    command: &mut Command,
    run_limits: &RunLimits<'_>,
    feed: impl FnOnce(ChildStdin) -> io::Result<()> + Send,
    read: impl FnOnce(ChildStdout) -> T,
    read_errors: impl FnOnce(ChildStderr) -> Vec<u8> + Send,
) -> Result<Ended<T>, GitError> {
    run_limits.check(command)?;
    let subcommand = command::subcommand(command);
    let _timed = TimedSpan::new(tracing::debug_span!("git", command = subcommand));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(command, run_limits)?;
    let stdin = child.stdin.take();
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
    };
    let (done, is_done) = mpsc::channel::<()>();
    let watched = &mut child;
    let (output, fed, errors) = thread::scope(|threads| {
        threads.spawn(move || {
            while is_done.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if run_limits.is_over() {
                    return end(watched);
                }
            }
        });
        let errors = threads.spawn(move || read_errors(stderr));
        let fed = stdin.map(|stdin| threads.spawn(move || feed(stdin)));
        let output = read(stdout);
        // The process ends now, and with it whoever feeds it: its output is closed.
        let fed = fed.and_then(|fed| fed.join().ok()).unwrap_or(Ok(()));
        let errors = errors.join().unwrap_or_default();
        drop(done);
        (output, fed, errors)
    });
    let status = child.wait()?;
    if !status.success() {
        run_limits.check(command)?;
        refuse_killed(command, status)?;
    }
    Ok(Ended {
        status,
        output,
        errors,
        fed,
    })
}

/// Runs a command to its end, within `run_limits`, and returns its output, of its error output only the beginning.
///
/// # Errors
/// As [`run`], and when it writes more than [`MAX_OUTPUT`].
pub fn output(command: &mut Command, run_limits: &RunLimits<'_>) -> Result<Output, GitError> {
    let ended = run(command, run_limits, |_| Ok(()), read, drain)?;
    let stdout = ended.output?;
    if stdout.len() > MAX_OUTPUT {
        return Err(GitError::TooMuchOutput {
            subcommand: command::subcommand(command),
            megabytes: MAX_OUTPUT >> 20,
        });
    }
    Ok(Output {
        status: ended.status,
        stdout,
        stderr: ended.errors,
    })
}

/// Returns an error if a process was ended by a signal. One that writes to a closed pipe is not ended by the system.
fn refuse_killed(command: &Command, status: ExitStatus) -> Result<(), GitError> {
    match status.signal() {
        Some(signal) if signal != Signal::PIPE.as_raw() => Err(GitError::Killed {
            subcommand: command::subcommand(command),
            signal,
        }),
        _ => Ok(()),
    }
}

/// Runs a command to its end and returns its standard output.
///
/// # Errors
/// As [`output`], and when git reports a failure.
pub fn stdout(command: &mut Command, run_limits: &RunLimits<'_>) -> Result<Vec<u8>, GitError> {
    let output = output(command, run_limits)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(command::failure(command, &output.stderr))
}

/// Reads a pipe to its end, at most one byte more than [`MAX_OUTPUT`]. Closing the pipe then stops the writer.
fn read(pipe: ChildStdout) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.take(MAX_OUTPUT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads all of a process's error output, so that it never blocks on it, and returns the beginning.
pub fn drain(stderr: ChildStderr) -> Vec<u8> {
    let mut reader = BufReader::new(stderr);
    let mut kept = Vec::new();
    let kept_bytes = command::MAX_ERROR_BYTES as u64;
    let _ = reader.by_ref().take(kept_bytes).read_to_end(&mut kept);
    let _ = io::copy(&mut reader, &mut io::sink());
    kept
}

/// Ends a process group that was started with [`start`]. The caller must still wait for its first process.
fn end(child: &mut Child) {
    // It was not waited for, so its process id cannot have been reused.
    let Some(group) = process_of(child) else {
        return;
    };
    let _ = kill_process_group(group, Signal::TERM);
    let latest = Instant::now() + GRACE_PERIOD;
    while Instant::now() < latest && !has_ended(group) {
        thread::sleep(POLL_INTERVAL / 5);
    }
    let _ = kill_process_group(group, Signal::KILL);
}

fn has_ended(process: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_group_ignoring_sigterm_is_killed() {
        // The pipe stays open as long as any process of the group lives.
        let mut command = Command::new("sh");
        let script = "trap '' TERM; sh -c 'trap \"\" TERM; echo up; sleep 1000' & wait; sleep 1000";
        command.args(["-c", script]).stdout(Stdio::piped());
        let stop = CancellationToken::new();
        let run_limits = RunLimits::new(&stop, GRACE_PERIOD * 1000, 0, "a test");
        let mut child = start(&mut command, &run_limits).unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut printed = [0; 3];
        stdout.read_exact(&mut printed).unwrap();
        end(&mut child);
        stdout.read_to_end(&mut Vec::new()).unwrap();
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn run_limits_end_by_timeout_and_by_stop() {
        let stop = CancellationToken::new();
        let command = Command::new("git");
        let none = RunLimits::new(&stop, Duration::ZERO, 0, "git.timeout_seconds");
        assert!(matches!(
            none.check(&command),
            Err(GitError::Timeout { .. })
        ));
        let long = RunLimits::new(&stop, GRACE_PERIOD * 1000, 0, "git.timeout_seconds");
        assert!(long.check(&command).is_ok());
        stop.cancel();
        assert!(matches!(long.check(&command), Err(GitError::Cancelled(_))));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn system_limits_memory_and_processor_time() {
        let stop = CancellationToken::new();
        let run_limits = RunLimits::new(&stop, GRACE_PERIOD * 30, 64 << 20, "a test");
        // A variable of 256 MiB: the shell cannot allocate it and fails.
        let mut hungry = Command::new("sh");
        hungry.args([
            "-c",
            "read -r _; x=$(head -c 268435456 /dev/zero | tr '\\0' a); echo ${#x}",
        ]);
        let limits = |mut command: Command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            command.stderr(Stdio::null());
            let mut child = start(&mut command, &run_limits).unwrap();
            // The script waits for the end of its input, so that its limits are set first.
            drop(child.stdin.take());
            let mut printed = String::new();
            let out = child.stdout.take().unwrap();
            out.take(64).read_to_string(&mut printed).unwrap();
            (child.wait().unwrap().success(), printed)
        };
        assert_ne!(limits(hungry), (true, "268435456\n".to_owned()));
        let mut show_limits = Command::new("sh");
        show_limits.args(["-c", "read -r _; ulimit -t; ulimit -c"]);
        assert_eq!(limits(show_limits).1, "121\n0\n");
    }

    #[test]
    fn process_that_the_system_ends_is_no_damage() {
        let stop = CancellationToken::new();
        let run_limits = RunLimits::new(&stop, GRACE_PERIOD * 30, 0, "a test");
        let mut killed = Command::new("sh");
        killed.args(["-c", "kill -9 $$"]);
        let error = output(&mut killed, &run_limits).unwrap_err();
        assert!(matches!(error, GitError::Killed { .. }), "{error}");
        assert!(error.is_transient() && !error.is_damage());
        let failed = |stderr: &str| GitError::Failed {
            subcommand: "log".to_owned(),
            stderr: stderr.to_owned(),
        };
        assert!(!failed("fatal: Out of memory, malloc failed").is_damage());
        assert!(failed("fatal: bad object").is_damage());
    }

    #[test]
    fn command_is_ended_at_time_limit() {
        let stop = CancellationToken::new();
        let soon = Duration::from_millis(60);
        let run_limits = RunLimits::new(&stop, soon, 0, "a test");
        let mut endless = Command::new("sh");
        endless.args(["-c", "sleep 1000 & wait"]);
        let ended = output(&mut endless, &run_limits);
        assert!(matches!(ended, Err(GitError::Timeout { .. })), "{ended:?}");
    }
}
