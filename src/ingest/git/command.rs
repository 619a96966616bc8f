//! Builds git commands. They never run a hook, a prompt, a pager or an external program named by the
//! repository's own settings, and never silently fetch missing objects. Commands that read a repository
//! cannot use the network; commands that use the network only touch this program's own clones. This file
//! knows no particular repository.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::GitError;

/// Settings given on the command line. They override a repository's own, which cannot be trusted:
/// some of those name programs to run.
const SETTINGS: [&str; 9] = [
    "safe.directory=*",
    "safe.bareRepository=explicit",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "diff.orderFile=/dev/null",
    "advice.graftFileDeprecated=false",
    "log.showSignature=false",
    "gc.auto=0",
];

/// A setting that makes git treat large files as binary ones, without lines. They are not indexed.
pub const LARGE_FILES: &str = "core.bigFileThreshold=2m";

/// Largest part of git's error output that is kept, in bytes.
pub const MAX_ERROR_BYTES: usize = 4096;

/// Environment of every call.
const ENVIRONMENT: [(&str, &str); 7] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
];

/// Environment variables that a reading command inherits.
const INHERITED: [&str; 4] = ["PATH", "LD_LIBRARY_PATH", "TMPDIR", "GIT_EXEC_PATH"];

/// Prefixes of the git variables that configure connections; no other variables of git are passed on.
const CONNECTION_PREFIXES: [&str; 6] = [
    "GIT_CONFIG", "GIT_SSH", "GIT_SSL", "GIT_PROXY", "GIT_ASKPASS", "GIT_EXEC_PATH",
];

/// Ssh without password prompts, with timeouts for a host that does not answer.
const SSH: &str = "ssh -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 \
                   -oServerAliveCountMax=3";

/// Creates a git command, without its subcommand, that reads a repository on this machine. The settings
/// of users and of the machine do not apply.
pub fn git() -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = Command::new(program(&path));
    command.env_clear();
    for name in INHERITED {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        // A clone that lacks objects must not fetch them, even with a git that ignores GIT_NO_LAZY_FETCH.
        .env("GIT_ALLOW_PROTOCOL", "none");
    with_settings(command)
}

/// Finds git in a search path and returns its absolute path, or the bare name if there is none. With a bare
/// name and an own environment, each start of a process would copy this whole process.
fn program(path: &OsStr) -> PathBuf {
    let is_program = |file: &PathBuf| {
        let metadata = file.metadata();
        metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join("git"))
        .find(is_program)
        .unwrap_or_else(|| PathBuf::from("git"))
}

/// Creates a git command that reads the repository at `git_dir`.
pub fn git_in(git_dir: &Path) -> Command {
    let mut command = git();
    command.arg(in_directory(git_dir));
    command
}

/// Creates a git command that may connect to remotes over `schemes`, with this user's settings, credential
/// helpers and proxies.
pub fn connecting(schemes: &[String]) -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("GIT_")
            && !CONNECTION_PREFIXES
                .iter()
                .any(|known| text.starts_with(known))
        {
            command.env_remove(name);
        }
    }
    command.env("GIT_ALLOW_PROTOCOL", schemes.join(":"));
    if std::env::var_os("GIT_SSH_COMMAND").is_none() {
        command.env("GIT_SSH_COMMAND", SSH);
    }
    with_settings(command)
}

/// Returns the argument that names a repository.
pub fn in_directory(git_dir: &Path) -> OsString {
    let mut flag = OsString::from("--git-dir=");
    flag.push(git_dir);
    flag
}

fn with_settings(mut command: Command) -> Command {
    command.arg("--no-pager").stdin(Stdio::null());
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    for (name, value) in ENVIRONMENT {
        command.env(name, value);
    }
    command
}

/// Returns the error for a process that could not be started.
pub fn start_error(error: io::Error) -> GitError {
    if error.kind() == io::ErrorKind::NotFound {
        GitError::NotInstalled
    } else {
        GitError::Io(error)
    }
}

/// Returns the error for a command that failed. It names only the subcommand: arguments may hold
/// addresses.
pub fn failure(command: &Command, stderr: &[u8]) -> GitError {
    GitError::Failed {
        subcommand: subcommand(command),
        stderr: first_lines(stderr),
    }
}

/// Returns the first argument that is not an option.
pub fn subcommand(command: &Command) -> String {
    let mut arguments = command.get_args();
    while let Some(argument) = arguments.next() {
        if argument == OsStr::new("-c") || argument == OsStr::new("-C") {
            arguments.next();
        } else if !argument.as_encoded_bytes().starts_with(b"-") {
            return argument.to_string_lossy().into_owned();
        }
    }
    String::new()
}

/// Returns the first lines of git's error message, without the credentials that it may repeat from a URL.
pub fn first_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(3)
        .collect();
    // A server may have written parts of it.
    let printable = |c: &char| !c.is_control();
    let short: String = lines
        .join("; ")
        .chars()
        .filter(printable)
        .take(400)
        .collect();
    let mut short = super::location::without_credentials(&short);
    if short.to_ascii_lowercase().contains("out of memory") {
        short += " (`git.memory_bytes` limits the memory of one git process)";
    }
    // The system ends the process that writes too large a file by SIGXFSZ, and git says only that its pipe has ended.
    if short.contains("died of signal 25") || short.contains("invalid index-pack output") {
        short += " (is the pack larger than `git.max_bytes`?)";
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_names_subcommand_without_arguments() {
        let mut command = git_in(Path::new("/srv/a.git"));
        command.args(["-c", "a.b=c", "fetch", "--", "https://example.org"]);
        let error = failure(&command, b"fatal: \x1b[31mno\n\nmore\n").to_string();
        assert_eq!(error, "git fetch failed: fatal: [31mno; more");
    }

    #[test]
    fn git_is_found_as_absolute_path() {
        let keep = tempfile::tempdir().unwrap();
        let path = |name: &str| keep.path().join(name);
        for (directory, mode) in [("a", 0o644), ("b", 0o755), ("c", 0o755)] {
            std::fs::create_dir(path(directory)).unwrap();
            let git = path(directory).join("git");
            std::fs::write(&git, "").unwrap();
            std::fs::set_permissions(&git, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let searched = std::env::join_paths([path("none"), path("a"), path("b"), path("c")]);
        assert_eq!(program(&searched.unwrap()), path("b").join("git"));
        assert_eq!(program(path("a").as_os_str()), Path::new("git"));
    }

    #[test]
    fn reading_command_has_no_settings_or_network() {
        let command = git();
        let value = |name: &str| {
            let mut all = command.get_envs();
            all.find(|(known, _)| *known == name).and_then(|(_, v)| v)
        };
        assert_eq!(value("GIT_ALLOW_PROTOCOL"), Some(OsStr::new("none")));
        assert_eq!(value("GIT_CONFIG_GLOBAL"), Some(OsStr::new("/dev/null")));
        assert_eq!(value("HOME"), None);
    }
}
