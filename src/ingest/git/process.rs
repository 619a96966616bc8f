//! Git as a group of processes that ends with its first: when its time is over, or the work is to
//! stop, all of them are told to end, and a moment later they are ended.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio_util::sync::CancellationToken;

use super::{GitError, command};
use crate::engine::Cancelled;

/// How soon a stop is noticed.
const GLANCE: Duration = Duration::from_millis(50);
/// Time in which git may remove its locks and unfinished files.
const GRACE: Duration = Duration::from_secs(2);

/// Until when a piece of work may go on.
#[derive(Debug)]
pub struct Patience<'a> {
    stop: &'a CancellationToken,
    limit: Duration,
    deadline: Instant,
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
            subcommand,
            setting,
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
                seconds: self.limit.as_secs(),
                setting: self.setting,
            });
        }
        Ok(())
    }
}

/// Starts a command in a group of its own.
///
/// # Errors
/// When git is not installed or the process cannot be started.
pub fn start(command: &mut Command) -> Result<Child, GitError> {
    command
        .process_group(0)
        .spawn()
        .map_err(command::start_error)
}

/// Ends a group when patience does; returns when `is_done` says so, or the group has ended.
pub fn watch(child: &mut Child, is_done: &mpsc::Receiver<()>, patience: &Patience<'_>) {
    while is_done.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
        if patience.check().is_err() {
            end(child);
            return;
        }
    }
}

/// Ends a group that was started with [`start`]. Its first process is still to be waited for.
pub fn end(child: &mut Child) {
    // It was not waited for, so that its number is still its own.
    let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
        return;
    };
    let _ = kill_process_group(group, Signal::TERM);
    let latest = Instant::now() + GRACE;
    while Instant::now() < latest && !has_ended(group) {
        std::thread::sleep(GLANCE / 5);
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
        let mut child = start(&mut command).unwrap();
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
}
