//! Configures git commands that connect to a remote repository: allowed hosts and schemes, timeouts and
//! credentials. Credentials are passed only through git's environment.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::address::{self, PrivateHosts};
use super::process::RunLimits;
use super::{GitError, GitRepo, ReadLimits, command};
use crate::engine::{CloneAddress, Login};

/// Source of tokens that are not in a file or variable: those of installations of an app, which expire. A higher
/// layer implements it; the command line has none.
pub trait TokenSource: fmt::Debug + Send + Sync {
    /// Returns the token for the repository at this address; `None` if it has none for the host. Blocks.
    ///
    /// # Errors
    /// When the token cannot be obtained now; the text says why.
    fn token(&self, address: &CloneAddress) -> Option<Result<String, String>>;
}

/// Settings of connections to remote repositories.
#[derive(Clone, Debug)]
pub struct ConnectionSettings {
    /// Where repositories on this machine may lie, and the limits of git.
    pub read_limits: Arc<ReadLimits>,
    /// Allowed URL schemes, also of redirections.
    pub schemes: Vec<String>,
    /// Time limit of one clone or fetch.
    pub timeout: Duration,
    /// Largest file, such as a pack, that a transfer may write, in bytes; 0: unlimited.
    pub max_bytes: u64,
    /// Time without a received byte after which the transfer is aborted.
    pub stall: Duration,
    /// Whether git follows redirections.
    pub follow_redirects: bool,
    /// Hosts of private networks to which git may connect.
    pub private_hosts: PrivateHosts,
    /// Environment variables with tokens, by host in the form of [`crate::engine::host_name`].
    pub tokens: BTreeMap<String, String>,
    /// Files with tokens, by host in the same form.
    pub token_files: BTreeMap<String, PathBuf>,
    /// Source of the tokens of hosts that neither of them names.
    pub token_source: Option<Arc<dyn TokenSource>>,
}

/// The connection to one remote repository.
#[derive(Debug)]
pub struct Connection {
    remote: CloneAddress,
    settings: ConnectionSettings,
}

/// Git credential helper that prints the user and password from the environment, which process listings do
/// not show.
const HELPER: &str = "!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \
                      \"$FOVEATE_GIT_USER\" \"$FOVEATE_GIT_PASSWORD\"; }; f";
/// The user name that is sent with a token; servers only check the token.
const TOKEN_USER: &str = "x-access-token";

impl Connection {
    /// Creates the connection to `remote`.
    pub fn new(remote: CloneAddress, settings: ConnectionSettings) -> Self {
        Self { remote, settings }
    }

    /// Returns the URL that is passed to git.
    pub fn address(&self) -> &str {
        &self.remote.address
    }

    /// Returns the limits, from now on, of one clone or fetch.
    pub(super) fn run_limits<'a>(&self, stop: &'a CancellationToken) -> RunLimits<'a> {
        let settings = &self.settings;
        let memory = settings.read_limits.memory_bytes;
        RunLimits::new(stop, settings.timeout, memory, "git.timeout_seconds")
            .with_max_file_bytes(settings.max_bytes)
    }

    /// Creates a git command that may connect to the remote's host and to no other.
    ///
    /// # Errors
    /// When the host or directory is not allowed, or a token is missing.
    pub fn command(&self) -> Result<Command, GitError> {
        let settings = &self.settings;
        if let Some(path) = self.remote.file() {
            // A clone also reads the alternates of its source.
            GitRepo::open(&path, &settings.read_limits)?;
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
        if !addresses.is_empty() && self.remote.is_http() {
            let found: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            let CloneAddress { host, port, .. } = &self.remote;
            let found = found.join(",");
            command.args(["-c", &format!("http.curloptResolve={host}:{port}:{found}")]);
        }
        if let Some(Login { user, password }) = self.login()? {
            // Only for this origin: after a redirection, git must not send it elsewhere.
            let key = format!("credential.{}.helper", self.origin());
            if password.is_some() {
                // No other helper is asked.
                command.args(["-c", &format!("{key}=")]);
            }
            command.args(["-c", &format!("{key}={HELPER}")]);
            command.env("FOVEATE_GIT_USER", user);
            command.env("FOVEATE_GIT_PASSWORD", password.unwrap_or_default());
        }
        Ok(command)
    }

    /// Returns scheme, host and port of the URL.
    fn origin(&self) -> &str {
        let address = &self.remote.address;
        let path = address.match_indices('/').nth(2);
        path.map_or(address, |(at, _)| &address[..at])
    }

    /// Returns user and password or token.
    fn login(&self) -> Result<Option<Login>, GitError> {
        if !self.remote.is_http() {
            return Ok(None);
        }
        if let Some(login) = &self.remote.login {
            return Ok(Some(login.clone()));
        }
        let token = self.token()?;
        Ok(token.map(|token| Login {
            user: TOKEN_USER.to_owned(),
            password: Some(token),
        }))
    }

    /// Returns the token that is configured for the host.
    fn token(&self) -> Result<Option<String>, GitError> {
        let host = &self.remote.host;
        let (found, failure) = if let Some(variable) = self.settings.tokens.get(host) {
            let failure =
                format!("cannot read the token for {host} from ${variable} (`git.tokens`)");
            (std::env::var(variable).ok(), failure)
        } else if let Some(file) = self.settings.token_files.get(host) {
            let shown = file.display();
            let failure =
                format!("cannot read the token for {host} from {shown} (`git.token_files`)");
            (first_line(file), failure)
        } else {
            let source = self.settings.token_source.as_ref();
            let token = source.and_then(|source| source.token(&self.remote));
            return token.transpose().map_err(GitError::Unavailable);
        };
        match found {
            Some(token) if !token.is_empty() => Ok(Some(token)),
            _ => Err(GitError::Unavailable(failure)),
        }
    }

    /// Returns a server's error message without the credentials, and with advice for known errors.
    pub fn explained(&self, message: &str) -> String {
        let mut message = self.redact(message);
        if !self.settings.follow_redirects && message.contains("returned error: 30") {
            message += " (the server redirects: register the new address, or see \
                          `git.follow_redirects`)";
        }
        message
    }

    /// Replaces the credentials in a server's error message.
    fn redact(&self, message: &str) -> String {
        match self.login() {
            Ok(Some(Login { user, password })) => [password.unwrap_or_default(), user]
                .iter()
                .filter(|word| word.len() > 3)
                .fold(message.to_owned(), |text, word| {
                    text.replace(&**word, "***")
                }),
            _ => message.to_owned(),
        }
    }
}

/// Number of bytes of a token file that are read.
const MAX_TOKEN_BYTES: u64 = 1 << 14;

fn first_line(file: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(file).ok()?;
    file.take(MAX_TOKEN_BYTES).read_to_string(&mut text).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}
