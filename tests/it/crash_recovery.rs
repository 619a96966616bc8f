//! Kills the real program many times while it builds, updates and stores its index. The data it leaves behind must
//! be either complete or ignored, and two servers never share a data directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use foveate_index::lexical::MAX_SEGMENTS;
use notify::{RecursiveMode, Watcher as _};
use serde_json::{Value, json};

use crate::app::{TIMEOUT, commit, git, tree};
use crate::index_report::{self, Service as _, fresh_build_report, reports_become};

/// The number of kills, and the number of data directories that share them and are tested concurrently.
const KILLS: u64 = 120;
const DIRECTORIES: u64 = 4;

fn foveate(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    for (name, _) in std::env::vars() {
        if name.starts_with("FOVEATE__") {
            command.env_remove(name);
        }
    }
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data)
        .env("FOVEATE__STORAGE__WRITE_AFTER_MS", "1")
        .env("FOVEATE__WATCH__DEBOUNCE_MS", "1")
        .env("FOVEATE__INDEX__THREADS", "1")
        .env("FOVEATE__ANSWER__DEADLINE_MS", "60000")
        .env("FOVEATE__SERVER__REQUEST_TIMEOUT_MS", "60000")
        .env("FOVEATE__INDEX__PARSE_TIMEOUT_MS", "60000")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// A running server.
struct Server {
    child: Child,
    url: String,
    client: reqwest::Client,
}

impl Server {
    fn start(data: &Path) -> Self {
        foveate::telemetry::install_tls();
        let mut child = foveate(data).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        let url = line.rsplit(' ').next().unwrap().trim().to_owned();
        assert!(url.starts_with("http://"), "it listens: {line:?}");
        Self {
            child,
            url,
            client: reqwest::Client::new(),
        }
    }

    async fn get(&self, path: &str) -> Value {
        let response = self.client.get(format!("{}{path}", self.url)).send();
        response.await.unwrap().json().await.unwrap()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let request = self.client.post(format!("{}{path}", self.url)).json(&body);
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Polls the repository as fast as possible until `inspect` returns something.
    async fn watch<T>(&self, what: &str, mut inspect: impl FnMut(&Value) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            let repo = self.get("/repos/shop").await;
            if let Some(seen) = inspect(&repo) {
                return seen;
            }
            assert!(start.elapsed() < TIMEOUT, "no {what}: {repo}");
            tokio::task::yield_now().await;
        }
    }

    async fn has_history(&self) {
        let seen = |repo: &Value| (repo["history"] == true).then_some(());
        self.watch("history", seen).await;
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn stop(mut self) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(status.success() && self.child.wait().unwrap().success());
    }
}

impl index_report::Service for Server {
    fn client(&self) -> &reqwest::Client {
        &self.client
    }

    fn url(&self) -> &str {
        &self.url
    }
}

const FILES: usize = 30;

/// Writes all files, with contents that depend on `version`.
fn write_all(root: &Path, version: u64) {
    for n in 0..FILES {
        let source = format!(
            "def f{n}(a):\n    \"\"\"Whether the number {n} is even.\"\"\"\n    \
             return {n} % {version}\n\n\nclass C{n}:\n    def even(self):\n        \
             return f{n}(self)\n"
        );
        fs::write(root.join(format!("m{n}.py")), source).unwrap();
    }
}

/// Makes one edit, commit or checkout, chosen by `round`.
fn edit(root: &Path, round: u64) {
    let path = root.join(format!("m{}.py", round % 7));
    match round % 5 {
        0 => fs::write(path, format!("def newest_{round}():\n    return {round}\n")).unwrap(),
        1 => fs::write(
            root.join(format!("extra{round}.py")),
            "def extra():\n    pass\n",
        )
        .unwrap(),
        2 => drop(fs::remove_file(root.join(format!("extra{}.py", round - 1)))),
        3 => drop(commit(root, &format!("change {round}"))),
        _ => drop(git(root, &["checkout", "-q", "--", "."])),
    }
}

/// The work during which a server is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// The first index after the start; every file differs from the stored index.
    Indexing,
    /// The first index was already complete.
    Indexed,
    /// The index after a change, including its segments.
    Updating,
    /// The index after a change that merges segments.
    Merging,
    /// Rewriting a stored file without its unused entries.
    Rewriting,
}

/// Starts a server, gives it work, kills it, and returns the work during which it was killed.
async fn kill_once(data: &Path, root: &Path, at: Work, round: u64) -> Work {
    if at == Work::Indexing {
        write_all(root, round);
    }
    let server = Server::start(data);
    let hit = match at {
        Work::Indexing | Work::Indexed => reach_indexing(&server, round % 3).await,
        Work::Updating => reach_update(&server, root, round).await,
        Work::Merging => reach_merging(&server, root, round).await,
        Work::Rewriting => reach_rewriting(&server, &data.join("index/shop"), root, round).await,
    };
    server.kill();
    hit
}

/// Waits until the server is seen building its first index, and for `more` further polls.
async fn reach_indexing(server: &Server, mut more: u64) -> Work {
    let seen = |repo: &Value| {
        if repo["state"] == "ready" {
            return Some(Work::Indexed);
        }
        let is_enough = more == 0;
        more = more.saturating_sub(1);
        is_enough.then_some(Work::Indexing)
    };
    server.watch("index", seen).await
}

/// Changes files until the server is seen updating its index.
async fn reach_update(server: &Server, root: &Path, round: u64) -> Work {
    server.has_history().await;
    for round in round.. {
        edit(root, round);
        let mut polls = 0..50;
        let seen = |repo: &Value| match repo["progress"]["phase"] == "idle" {
            false => Some(true),
            true => polls.next().is_none().then_some(false),
        };
        if server.watch("update", seen).await {
            break;
        }
    }
    Work::Updating
}

/// Changes one file after the other until there are too many segments, and then until the server is
/// seen building the index that merges them.
async fn reach_merging(server: &Server, root: &Path, round: u64) -> Work {
    server.has_history().await;
    for round in round.. {
        let is_next = has_too_many_segments(server).await;
        let before = server.get("/repos/shop").await["generation"].as_u64();
        let path = root.join(format!("m{}.py", round % FILES as u64));
        fs::write(path, format!("def only_{round}():\n    return {round}\n")).unwrap();
        let seen = |repo: &Value| {
            if is_next && repo["progress"]["phase"] == "building" {
                return Some(true);
            }
            (repo["generation"].as_u64() > before).then_some(false)
        };
        if server.watch("change", seen).await {
            break;
        }
        assert!(!is_next || !has_too_many_segments(server).await, "merged");
    }
    Work::Merging
}

/// Whether the next change merges segments.
async fn has_too_many_segments(server: &Server) -> bool {
    server.metric("foveate_repository_segments").await > MAX_SEGMENTS as f64
}

/// Changes all files until the server is seen rewriting a stored file.
async fn reach_rewriting(server: &Server, stored: &Path, root: &Path, round: u64) -> Work {
    server.has_history().await;
    let (sender, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let is_new_pack = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        ["facts.unfinished", "lexical.unfinished"].contains(&name.unwrap_or(""))
    };
    let tell = move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| event.kind.is_create() && event.paths.iter().any(is_new_pack)) {
            let _ = sender.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(tell).unwrap();
    watcher.watch(stored, RecursiveMode::NonRecursive).unwrap();
    for version in round.. {
        write_all(root, version);
        // One change may not leave enough unused entries for a rewrite.
        let patience = Duration::from_secs(1);
        if tokio::time::timeout(patience, begun.recv()).await.is_ok() {
            break;
        }
    }
    Work::Rewriting
}

async fn kill_often(place: u64) -> BTreeMap<Work, u64> {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree("");
    write_all(&root, 2);
    commit(&root, "first");
    let server = Server::start(data.path());
    let body = json!({"name": "shop", "source": {"path": root}});
    let registered = server.post("/repos", body.clone()).await;
    assert_eq!(registered["name"], "shop", "{registered}");
    server.kill();
    let mut hits = BTreeMap::new();
    for round in 0..KILLS / DIRECTORIES {
        let at = [
            Work::Indexing,
            Work::Updating,
            Work::Merging,
            Work::Rewriting,
        ][(round % 4) as usize];
        // Versions that are never repeated.
        let version = 1000 * (round + 1) + place;
        let hit = kill_once(data.path(), &root, at, version).await;
        *hits.entry(hit).or_default() += 1;
    }

    let wanted = fresh_build_report(&root).await;
    let server = Server::start(data.path());
    reports_become(&server, "shop", &wanted, "as if it had never been killed").await;
    server.stop();
    let server = Server::start(data.path());
    reports_become(&server, "shop", &wanted, "and from what was stored").await;
    let restored = server.metric("foveate_blobs_restored_total").await;
    let parsed = server.metric("foveate_blobs_parsed_total").await;
    assert!(restored > 20.0 && parsed == 0.0, "{restored} {parsed}");
    server.stop();
    hits
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_server_recovers_like_a_fresh_build() {
    let places: Vec<_> = (0..DIRECTORIES)
        .map(|place| tokio::spawn(kill_often(place)))
        .collect();
    let mut hits = BTreeMap::<Work, u64>::new();
    for place in places {
        for (at, count) in place.await.unwrap() {
            *hits.entry(at).or_default() += count;
        }
    }
    eprintln!("killed at: {hits:?}");
    for at in [
        Work::Indexing,
        Work::Updating,
        Work::Merging,
        Work::Rewriting,
    ] {
        assert!(hits.contains_key(&at), "never killed at {at:?}: {hits:?}");
    }
}

#[test]
fn second_server_on_a_data_directory_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let first = Server::start(data.path());
    let second = foveate(data.path()).output().unwrap();
    let message = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(2), "{message}");
    let process = format!("(process {})", first.child.id());
    assert!(message.contains(&process), "{message}");
    assert!(message.contains("--data-dir"), "{message}");
    // The lock ends with the process that held it.
    first.kill();
    Server::start(data.path()).stop();
}
