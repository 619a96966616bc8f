//! Runs a service in a process of its own, for tests that need another user, process limits or environment
//! variables.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::app::{places, until};
use crate::{database, index_report};

/// The id of a user without privileges; `None` unless root runs the tests.
pub fn unprivileged_user() -> Option<u32> {
    rustix::process::geteuid().is_root().then_some(65_534)
}

/// A running server, killed at the end of the test.
pub struct Process {
    child: Child,
    url: String,
    client: reqwest::Client,
    data: Option<TempDir>,
}

impl index_report::Service for Process {
    fn client(&self) -> &reqwest::Client {
        &self.client
    }

    fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::CONT);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// Starts the program with `before` (such as `env NAME=value`) in front of its command line, as the user with
    /// this id.
    pub fn start(before: &[&str], user: Option<u32>) -> Self {
        Self::start_on(tempfile::tempdir().unwrap(), before, user)
    }

    /// As [`Self::start`], with this data directory.
    pub fn start_on(data: TempDir, before: &[&str], user: Option<u32>) -> Self {
        fs::set_permissions(data.path(), fs::Permissions::from_mode(0o777)).unwrap();
        foveate::telemetry::install_tls();
        let words = [before, &[env!("CARGO_BIN_EXE_foveate")]].concat();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data.path())
            .env("FOVEATE__WATCH__POLL_SECONDS", "1")
            .env("FOVEATE__WATCH__AUDIT_SECONDS", "0")
            .env("FOVEATE__ANSWER__DEADLINE_MS", "60000")
            .env("FOVEATE__INDEX__PARSE_TIMEOUT_MS", "60000")
            .env("FOVEATE__SERVER__REQUEST_TIMEOUT_MS", "60000")
            .env("FOVEATE__GIT__SCHEMES", "[file, ssh]")
            .env("FOVEATE__GIT__RETRY_SECONDS", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        database::configure_command(&mut command, data.path());
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let url = line
            .split_whitespace()
            .last()
            .expect("an address")
            .to_owned();
        Self {
            child,
            url,
            client: reqwest::Client::new(),
            data: Some(data),
        }
    }

    /// Sends `SIGTERM`, waits for the exit, and returns the data directory.
    pub fn stop(self) -> TempDir {
        self.signal(Signal::TERM);
        self.wait_for_exit()
    }

    /// Waits for the exit, which must be a success, and returns the data directory.
    pub fn wait_for_exit(mut self) -> TempDir {
        assert!(self.child.wait().unwrap().success());
        self.data.take().unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(self.id().cast_signed()).unwrap();
        let _ = kill_process(process, signal);
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub async fn call(&self, method: Method, path: &str, body: Value) -> Value {
        let request = self.client.request(method, format!("{}{path}", self.url));
        request
            .json(&body)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap_or(Value::Null)
    }

    pub async fn add(&self, root: &Path) -> Value {
        let body = json!({"name": "shop", "source": {"path": root}});
        self.call(Method::POST, "/repos", body).await;
        self.repo_until("ready", |repo| repo["state"] == "ready")
            .await
    }

    pub async fn repo_until(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        until(what, async || {
            let repo = self
                .call(Method::GET, "/repos/shop?skipped=true", Value::Null)
                .await;
            wanted(&repo).then_some(repo)
        })
        .await
    }

    pub async fn ask(&self, name: &str) -> Value {
        let body = json!({"repo": "shop", "query": format!("`{name}`")});
        self.call(Method::POST, "/context", body).await
    }

    /// Waits until it reports the same as an empty service that `user` runs on the same directory.
    pub async fn equals_fresh_service(&self, user: Option<u32>, root: &Path) {
        let other = Self::start(&["env"], user);
        other.add(root).await;
        let wanted = until("another index", async || {
            index_report::index_report(&other, "shop").await
        });
        index_report::reports_become(self, "shop", &wanted.await, "what another index tells").await;
    }

    pub async fn places_become(&self, name: &str, wanted: &[&str]) {
        until(&format!("{name} at {wanted:?}"), async || {
            (places(&self.ask(name).await, name) == wanted).then_some(())
        })
        .await;
    }
}
