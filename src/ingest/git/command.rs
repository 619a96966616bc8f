//! How git is called: never with a hook, a prompt, a pager, an external program named by the
//! repository's own settings, or a silent fetch of missing objects. What reads a repository knows
//! no network; what talks to one knows no repository but our copies. It knows no repository.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::GitError;

/// Settings given on the command line win over a repository's own, which are not to be trusted:
/// some of them name programs to run.
const SETTINGS: [&str; 8] = [
    "safe.directory=*",
    "safe.bareRepository=explicit",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "advice.graftFileDeprecated=false",
    "log.showSignature=false",
    "gc.auto=0",
];

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

/// What of our own environment a call that only reads gets.
const READING: [&str; 4] = ["PATH", "LD_LIBRARY_PATH", "TMPDIR", "GIT_EXEC_PATH"];

/// Beginnings of the git variables that say how to connect; no others of git's are passed on.
const CONNECTING: [&str; 6] = [
    "GIT_CONFIG",
    "GIT_SSH",
    "GIT_SSL",
    "GIT_PROXY",
    "GIT_ASKPASS",
    "GIT_EXEC_PATH",
];

/// Nobody is there to type a password, and a machine that is silent is given up.
const SSH: &str = "ssh -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 \
                   -oServerAliveCountMax=3";

/// A git command that reads a repository on this machine, without its subcommand. The settings of
/// users and of the machine do not count.
pub fn git() -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = Command::new(program(&path));
    command.env_clear();
    for name in READING {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        // A clone that lacks objects must not fetch them, whatever its git knows of lazy fetches.
        .env("GIT_ALLOW_PROTOCOL", "none");
    with_settings(command)
}

/// The git that a search path leads to, as an absolute path: a bare name beside an environment of its
/// own would have this whole process copied for every start of one. A bare name where there is none.
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

/// A git command on the repository at `git_dir`.
pub fn git_in(git_dir: &Path) -> Command {
    let mut command = git();
    command.arg(in_directory(git_dir));
    command
}

/// A git command that may talk to others over `schemes`: with this user's settings, credential
/// helpers and proxies.
pub fn connecting(schemes: &[String]) -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("GIT_") && !CONNECTING.iter().any(|known| text.starts_with(known)) {
            command.env_remove(name);
        }
    }
    command.env("GIT_ALLOW_PROTOCOL", schemes.join(":"));
    if std::env::var_os("GIT_SSH_COMMAND").is_none() {
        command.env("GIT_SSH_COMMAND", SSH);
    }
    with_settings(command)
}

/// The argument that names a repository.
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

/// The error for a process that could not be started.
pub fn start_error(error: io::Error) -> GitError {
    if error.kind() == io::ErrorKind::NotFound {
        GitError::NotInstalled
    } else {
        GitError::Io(error)
    }
}

/// The error for a command that failed. It names the subcommand alone: arguments may hold
/// addresses.
pub fn failure(command: &Command, stderr: &[u8]) -> GitError {
    GitError::Failed {
        subcommand: subcommand(command),
        stderr: first_lines(stderr),
    }
}

/// The first argument that is no option.
pub fn subcommand(command: &Command) -> String {
    let mut arguments = command.get_args();
    while let Some(argument) = arguments.next() {
        if argument == OsStr::new("-c") {
            arguments.next();
        } else if !argument.as_encoded_bytes().starts_with(b"-") {
            return argument.to_string_lossy().into_owned();
        }
    }
    String::new()
}

/// What git complained of, short and without the credentials that it may repeat from a URL.
pub fn first_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(3)
        .collect();
    // A server has a say in it.
    let printable = |c: &char| !c.is_control();
    let short: String = lines
        .join("; ")
        .chars()
        .filter(printable)
        .take(400)
        .collect();
    let mut short = super::location::without_credentials(&short);
    if short.to_ascii_lowercase().contains("out of memory") {
        short += " (`git.memory_bytes` bounds what one git process may allocate)";
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_name_the_subcommand_and_no_arguments() {
        let mut command = git_in(Path::new("/srv/a.git"));
        command.args(["-c", "a.b=c", "fetch", "--", "https://example.org"]);
        let error = failure(&command, b"fatal: \x1b[31mno\n\nmore\n").to_string();
        assert_eq!(error, "git fetch failed: fatal: [31mno; more");
    }

    #[test]
    fn the_first_program_of_the_search_path_is_called_by_its_place() {
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
    fn reading_gets_no_settings_and_no_network() {
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
