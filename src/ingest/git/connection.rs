//! How git is told to reach a remote repository: which machine and over which schemes, for how long,
//! and with whose credentials. A secret goes through git's environment alone.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use super::address::{self, PrivateHosts};
use super::location::Remote;
use super::{Access, GitError, GitRepo, command};

/// Where tokens come from that are in no file: those of the installations of an app, which expire. The floor
/// above has them; the command line has none.
pub trait TokenSource: fmt::Debug + Send + Sync {
    /// The token for the repository at this address; `None` where it knows none for the machine. Blocks.
    ///
    /// # Errors
    /// Why it cannot be had now.
    fn token(&self, address: &str) -> Option<Result<String, String>>;
}

/// How remote repositories are reached.
#[derive(Clone, Debug)]
pub struct ConnectionSettings {
    /// Where repositories on this machine may lie, and what git may take.
    pub access: Arc<Access>,
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
    /// By host, as [`super::location::host_name`] writes it: the environment variable with the token.
    pub tokens: BTreeMap<String, String>,
    /// By host, in the same way: the file with the token.
    pub token_files: BTreeMap<String, PathBuf>,
    /// The tokens of machines that neither of them names.
    pub token_source: Option<Arc<dyn TokenSource>>,
}

/// The way to one remote repository.
#[derive(Debug)]
pub struct Connection {
    remote: Remote,
    settings: ConnectionSettings,
}

/// What git answers with when it asks who wants to know: the environment, which no list of
/// processes shows, holds the words.
const HELPER: &str = "!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \
                      \"$FOVEATE_GIT_USER\" \"$FOVEATE_GIT_PASSWORD\"; }; f";
/// The user that a token is sent with; servers look at the token alone.
const TOKEN_USER: &str = "x-access-token";

impl Connection {
    /// The way to `remote`.
    pub fn new(remote: Remote, settings: ConnectionSettings) -> Self {
        Self { remote, settings }
    }

    /// What git is called with.
    pub fn address(&self) -> &str {
        &self.remote.address
    }

    /// Time for one clone or fetch.
    pub fn timeout(&self) -> Duration {
        self.settings.timeout
    }

    /// What git may read of this machine, and take.
    pub fn access(&self) -> &Access {
        &self.settings.access
    }

    /// A git command that may talk to the remote's machine, and to no other.
    ///
    /// # Errors
    /// When the machine or directory may not be read from, or a token is not there.
    pub fn command(&self) -> Result<Command, GitError> {
        let settings = &self.settings;
        if let Some(path) = self.remote.file() {
            // A clone reads what its source borrows from others.
            GitRepo::open(&path, &settings.access)?;
        }
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
        let token = self.token()?;
        Ok(token.map(|token| (TOKEN_USER.to_owned(), token, true)))
    }

    /// The token that the configuration names for the machine.
    fn token(&self) -> Result<Option<String>, GitError> {
        let host = &self.remote.host;
        let (found, name) = if let Some(variable) = self.settings.tokens.get(host) {
            let name = format!("`git.tokens` takes the token for {host} from ${variable}");
            (std::env::var(variable).ok(), name)
        } else if let Some(file) = self.settings.token_files.get(host) {
            let shown = file.display();
            let name = format!("`git.token_files` takes the token for {host} from {shown}");
            (first_line(file), name)
        } else {
            let source = self.settings.token_source.as_ref();
            let token = source.and_then(|source| source.token(&self.remote.address));
            return token.transpose().map_err(GitError::Unavailable);
        };
        match found {
            Some(token) if !token.is_empty() => Ok(Some(token)),
            _ => Err(GitError::Unavailable(format!(
                "{name}, where there is none that can be read"
            ))),
        }
    }

    /// What a server said, without the secret, and with what to do where that is known.
    pub fn explained(&self, complaint: &str) -> String {
        let mut complaint = self.hide(complaint);
        if !self.settings.follow_redirects && complaint.contains("returned error: 30") {
            complaint += " (it sends git elsewhere: register that address, or see \
                          `git.follow_redirects`)";
        }
        complaint
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

/// Longest file of a token that is read, in bytes.
const MAX_TOKEN_BYTES: u64 = 1 << 14;

fn first_line(file: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(file).ok()?;
    file.take(MAX_TOKEN_BYTES).read_to_string(&mut text).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}
