//! Copies of remote repositories in the data directory. The only place that talks to a network; a
//! copy appears whole or not at all, and what an interrupted run of git left is removed before the
//! next. All of it blocks.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use foveate_model::ObjectId;
use tokio_util::sync::CancellationToken;

use super::address::{self, PrivateHosts};
use super::location::Remote;
use super::process::{self, Patience};
use super::transfer::Transfer;
use super::{GitError, command};
use crate::engine::Progress;

/// How remote repositories are reached.
#[derive(Clone, Debug)]
pub struct RemoteSettings {
    /// Schemes that may be used, redirections included.
    pub schemes: Vec<String>,
    /// Time for one clone or fetch.
    pub timeout: Duration,
    /// Time without a byte after which a server is given up.
    pub stall: Duration,
    /// Whether a server may send git elsewhere.
    pub follow_redirects: bool,
    /// Which machines of private networks may be talked to.
    pub private_hosts: PrivateHosts,
    /// By host: the environment variable with the token.
    pub tokens: BTreeMap<String, String>,
}

/// The copy of a remote repository.
#[derive(Debug)]
pub struct RemoteCopy {
    remote: Remote,
    directory: PathBuf,
    settings: RemoteSettings,
    /// Two runs of git would be in each other's way.
    turn: Mutex<()>,
    /// Commits that the server was asked for, and when.
    asked: Mutex<HashMap<String, Instant>>,
}

/// What git answers with when it asks who wants to know: the environment, which no list of
/// processes shows, holds the words.
const HELPER: &str = "!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \
                      \"$FOVEATE_GIT_USER\" \"$FOVEATE_GIT_PASSWORD\"; }; f";
/// The user that a token is sent with; servers look at the token alone.
const TOKEN_USER: &str = "x-access-token";
/// Loose objects and packs past which a copy is packed anew.
const PACKING: [&str; 3] = ["gc.auto=6700", "gc.autoPackLimit=40", "gc.autoDetach=false"];
/// Time after which a server is asked for a commit again that it did not give.
const ASK_AGAIN: Duration = Duration::from_secs(300);
/// Commits that a server is asked for in that time.
const MOST_ASKED: usize = 100;
/// Longest answer that is kept, in bytes.
const ANSWER_BYTES: u64 = 1 << 16;

impl RemoteCopy {
    /// The copy of `remote` at `directory`, which need not exist yet.
    pub fn new(remote: Remote, directory: PathBuf, settings: RemoteSettings) -> Self {
        Self {
            remote,
            directory,
            settings,
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

    /// Makes the copy, in the place of one that may be there.
    ///
    /// # Errors
    /// When git fails, takes too long, or is to stop; a copy from before then stays.
    pub fn make(&self, progress: &Progress, stop: &CancellationToken) -> Result<(), GitError> {
        let _turn = self.turn();
        let unfinished = self.directory.with_extension("unfinished");
        let damaged = self.directory.with_extension("damaged");
        remove(&unfinished)?;
        if let Some(parent) = self.directory.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut command = self.command()?;
        command
            .args(["clone", "--bare", "--progress", "--no-hardlinks"])
            .args(["--template=", "--", &self.remote.address])
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
        let _turn = self.turn();
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
        let _turn = self.turn();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.retain(|_, time| time.elapsed() < ASK_AGAIN);
        if asked.contains_key(id) || asked.len() >= MOST_ASKED {
            return Ok(());
        }
        asked.insert(id.to_owned(), Instant::now());
        drop(asked);
        let kept = format!("+{id}:refs/foveate/asked/{id}");
        match self.fetch_refs(&[], &[&kept], &Progress::default(), stop) {
            // What servers say of commits that they lack or do not give differs.
            Err(GitError::Failed { .. }) => Ok(()),
            fetched => fetched,
        }
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fetch_refs(
        &self,
        options: &[&str],
        refs: &[&str],
        progress: &Progress,
        stop: &CancellationToken,
    ) -> Result<(), GitError> {
        remove_leftovers(&self.directory)?;
        let mut command = self.command()?;
        command
            .arg(command::in_directory(&self.directory))
            .args(["fetch", "--progress", "--no-write-fetch-head", "--no-tags"])
            .args(["--no-recurse-submodules"])
            .args(options)
            .args(["--", &self.remote.address])
            .args(refs);
        let fetched = self.run("fetch", command, progress, stop);
        if fetched.is_err() {
            remove_leftovers(&self.directory)?;
        }
        fetched.map(drop)
    }

    /// Makes `HEAD` name the branch that the remote's `HEAD` names by now.
    fn follow_head(&self, progress: &Progress, stop: &CancellationToken) -> Result<(), GitError> {
        let mut command = self.command()?;
        command.args(["ls-remote", "--symref", "--", &self.remote.address, "HEAD"]);
        let answer = self.run("ls-remote", command, progress, stop)?;
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
        command::stdout(&mut command).map(drop)
    }

    /// A git command that may talk to the remote's machine, and to no other.
    fn command(&self) -> Result<Command, GitError> {
        let settings = &self.settings;
        let addresses = address::check(&self.remote, &settings.private_hosts)?;
        let mut command = command::connecting(&settings.schemes);
        let redirects = if settings.follow_redirects {
            "initial"
        } else {
            "false"
        };
        for setting in [
            format!("http.followRedirects={redirects}"),
            "http.lowSpeedLimit=1".to_owned(),
            format!("http.lowSpeedTime={}", settings.stall.as_secs().max(1)),
        ] {
            command.arg("-c").arg(setting);
        }
        if !addresses.is_empty() && self.is_http() {
            let found: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            let Remote { host, port, .. } = &self.remote;
            let host = host.trim_matches(['[', ']']);
            let found = found.join(",");
            command.args(["-c", &format!("http.curloptResolve={host}:{port}:{found}")]);
        }
        if let Some((user, password, is_whole)) = self.login()? {
            // For this machine alone: where a redirection leads, git asks others.
            let key = format!("credential.{}.helper", self.origin());
            if is_whole {
                command.args(["-c", &format!("{key}=")]);
            }
            command.args(["-c", &format!("{key}={HELPER}")]);
            command.env("FOVEATE_GIT_USER", user);
            command.env("FOVEATE_GIT_PASSWORD", password);
        }
        Ok(command)
    }

    fn is_http(&self) -> bool {
        matches!(&*self.remote.scheme, "https" | "http")
    }

    /// Scheme, host and port.
    fn origin(&self) -> &str {
        let address = &self.remote.address;
        let path = address.match_indices('/').nth(2);
        path.map_or(address, |(at, _)| &address[..at])
    }

    /// User, secret, and whether they are all that is needed.
    fn login(&self) -> Result<Option<(String, String, bool)>, GitError> {
        if !self.is_http() {
            return Ok(None);
        }
        if let Some(login) = &self.remote.login {
            let password = login.password.clone();
            let is_whole = password.is_some();
            let user = login.user.clone();
            return Ok(Some((user, password.unwrap_or_default(), is_whole)));
        }
        let Some(variable) = self.settings.tokens.get(&self.remote.host) else {
            return Ok(None);
        };
        match std::env::var(variable) {
            Ok(token) if !token.is_empty() => Ok(Some((TOKEN_USER.to_owned(), token, true))),
            _ => Err(GitError::Unavailable(format!(
                "`git.tokens` takes the token for {} from ${variable}, which is not set",
                self.remote.host
            ))),
        }
    }

    fn run(
        &self,
        subcommand: &'static str,
        mut command: Command,
        progress: &Progress,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, GitError> {
        let timeout = self.settings.timeout;
        let patience = Patience::new(stop, timeout, subcommand, "git.timeout_seconds");
        patience.check()?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = process::start(&mut command)?;
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
        let mut complaint = self.hide(&command::first_lines(transfer.complaints().as_bytes()));
        if !self.settings.follow_redirects && complaint.contains("returned error: 30") {
            complaint += " (it sends git elsewhere: register that address, or see \
                          `git.follow_redirects`)";
        }
        Err(GitError::Failed {
            subcommand: subcommand.to_owned(),
            stderr: complaint,
        })
    }

    /// Takes the secret out of what a server said.
    fn hide(&self, complaint: &str) -> String {
        match self.login() {
            Ok(Some((user, password, _))) => [password, user]
                .iter()
                .filter(|word| word.len() > 3)
                .fold(complaint.to_owned(), |text, word| {
                    text.replace(&**word, "***")
                }),
            _ => complaint.to_owned(),
        }
    }
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
