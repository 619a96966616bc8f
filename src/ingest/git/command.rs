//! How git is called: never with a hook, a prompt, a pager, an external program named by the
//! repository's own settings, or a silent fetch of missing objects. It knows no repository.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::GitError;

/// Settings given on the command line win over a repository's own, which are not to be trusted:
/// some of them name programs to run.
const SETTINGS: [&str; 7] = [
    "safe.directory=*",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "log.showSignature=false",
    "protocol.ext.allow=never",
    "gc.auto=0",
];

/// Environment of every call.
const ENVIRONMENT: [(&str, &str); 8] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
];

/// Variables that would point git at another repository than the one asked about.
const FOREIGN: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
];

/// A git command without its subcommand.
pub fn git() -> Command {
    let mut command = Command::new("git");
    command.arg("--no-pager").stdin(Stdio::null());
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    for (name, value) in ENVIRONMENT {
        command.env(name, value);
    }
    for name in FOREIGN {
        command.env_remove(name);
    }
    command
}

/// A git command on the repository at `git_dir`.
pub fn git_in(git_dir: &Path) -> Command {
    let mut command = git();
    let mut flag = std::ffi::OsString::from("--git-dir=");
    flag.push(git_dir);
    command.arg(flag);
    command
}

/// Runs a command to its end.
///
/// # Errors
/// When git is not installed or the process cannot be started.
pub fn run(command: &mut Command) -> Result<Output, GitError> {
    command.output().map_err(start_error)
}

/// Runs a command to its end and gives what it wrote.
///
/// # Errors
/// As [`run`], and when git reports a failure.
pub fn stdout(command: &mut Command) -> Result<Vec<u8>, GitError> {
    let output = run(command)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(failure(command, &output.stderr))
}

/// The error for a process that could not be started.
pub fn start_error(error: io::Error) -> GitError {
    if error.kind() == io::ErrorKind::NotFound {
        GitError::NotInstalled
    } else {
        GitError::Io(error)
    }
}

/// The error for a command that failed. It names the subcommand alone: arguments may hold
/// credentials.
pub fn failure(command: &Command, stderr: &[u8]) -> GitError {
    let subcommand = command
        .get_args()
        .skip_while(|arg| *arg != OsStr::new("gc.auto=0"))
        .skip(1)
        .find(|arg| !arg.as_encoded_bytes().starts_with(b"--git-dir"))
        .unwrap_or(OsStr::new(""))
        .to_string_lossy()
        .into_owned();
    GitError::Failed {
        subcommand,
        stderr: first_lines(stderr),
    }
}

/// What git complained of, short and without the credentials that it may repeat from a URL.
pub fn first_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .take(3)
        .collect();
    let short: String = lines.join("; ").chars().take(400).collect();
    super::location::without_credentials(&short)
}
