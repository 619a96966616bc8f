//! Starts a service for each test, and creates repositories for it.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveate::app::service::Service;
use foveate::config::Config;
use foveate::engine::Engine;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{database, index_report};

/// Limit of each wait: long enough for a busy machine. A passing test never waits that long.
pub const TIMEOUT: Duration = Duration::from_secs(180);

/// A running service.
pub struct TestApp {
    pub url: String,
    pub engine: Arc<Engine>,
    pub stop: CancellationToken,
    pub running: JoinHandle<()>,
    client: reqwest::Client,
    data: PathBuf,
    /// Removes the data directory with the app; `None` if the caller owns it.
    _data: Option<TempDir>,
}

/// A response whose body was read.
#[derive(Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or("").to_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }
}

impl TestApp {
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Starts a service whose settings `change` adjusts.
    pub async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().to_owned();
        Self::start_in(&path, Some(data), change).await
    }

    /// Starts a service on a data directory that the caller owns.
    pub async fn start_on(data: &Path) -> Self {
        Self::start_on_with(data, |_| {}).await
    }

    /// As [`Self::start_on`], with settings that `change` adjusts.
    pub async fn start_on_with(data: &Path, change: impl FnOnce(&mut Config)) -> Self {
        Self::start_in(data, None, change).await
    }

    pub async fn start_in(
        data: &Path,
        keep: Option<TempDir>,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let mut config = Config::defaults().unwrap();
        config.server.listen = "127.0.0.1:0".parse().unwrap();
        config.storage.data_dir = data.to_owned();
        config.storage.database_url = database::setting(data);
        // Long time limits, so that none is exceeded because the machine is busy.
        config.answer.deadline_ms = 60_000;
        config.answer.build_deadline_ms = 60_000;
        config.index.parse_timeout_ms = 60_000;
        // This process is not the foveate program, so it cannot be started as a parse worker.
        config.index.parse_workers = false;
        config.server.request_timeout_ms = 60_000;
        config.watch.poll_seconds = 1;
        change(&mut config);
        let stop = CancellationToken::new();
        let service = Service::start(config, &[], stop.clone()).await.unwrap();
        Self {
            url: service.url(),
            engine: Arc::clone(&service.engine),
            running: tokio::spawn(service.run()),
            stop,
            client: reqwest::Client::new(),
            data: data.to_owned(),
            _data: keep,
        }
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Response {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if let Some(body) = &body {
            request = request.json(body);
        }
        self.send(request).await
    }

    pub async fn send(&self, request: reqwest::RequestBuilder) -> Response {
        let response = request.send().await.unwrap();
        Response {
            status: response.status(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        }
    }

    pub fn client(&self) -> &reqwest::Client {
        &self.client
    }

    pub async fn get(&self, path: &str) -> Response {
        self.call(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.call(Method::POST, path, Some(body)).await
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.call(Method::DELETE, path, None).await
    }

    /// The sum of a metric's series that have these labels. Counters of events include those of other services
    /// in this process.
    pub async fn metric(&self, family: &str, labels: &str) -> f64 {
        sum_of(&self.get("/metrics").await.text, family, labels)
    }

    /// Registers a working tree and waits for its first index.
    pub async fn add_tree(&self, name: &str, root: &Path, watch: bool) {
        let source = json!({"path": root});
        let body = json!({"name": name, "source": source, "watch": watch});
        let response = self.post("/repos", body).await;
        assert_eq!(response.status, StatusCode::CREATED, "{}", response.text);
        self.ready(name).await;
    }

    /// Registers a git repository and waits for its first index.
    pub async fn add_git(&self, name: &str, location: &Path, reference: Option<&str>) {
        let source = json!({"git": location, "ref": reference});
        let response = self
            .post("/repos", json!({"name": name, "source": source}))
            .await;
        assert_eq!(response.status, StatusCode::CREATED, "{}", response.text);
        self.ready(name).await;
    }

    pub async fn ready(&self, name: &str) {
        self.repo_until(name, |repo| repo["state"] == "ready").await;
    }

    /// Waits until `wanted` accepts the repository, and returns it.
    pub async fn repo_until(&self, name: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let path = format!("/repos/{}", name.replace('/', "%2F"));
        let start = Instant::now();
        loop {
            let repo = self.get(&path).await.json();
            if wanted(&repo) {
                return repo;
            }
            assert!(
                start.elapsed() < TIMEOUT,
                "waited in vain, last seen: {repo}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Asks a question about the current snapshot.
    pub async fn ask(&self, repo: &str, query: &str) -> Value {
        let body = json!({"repo": repo, "query": query});
        let response = self.post("/context", body).await;
        assert_eq!(response.status, StatusCode::OK, "{}", response.text);
        response.json()
    }

    /// The sorted paths of the definitions called `name` that an answer lists.
    pub async fn places_of(&self, repo: &str, name: &str) -> Vec<String> {
        places(&self.ask(repo, &format!("`{name}`")).await, name)
    }

    /// Waits until answers list the definitions called `name` at exactly these paths.
    pub async fn places_become(&self, repo: &str, name: &str, paths: &[&str]) {
        until(&format!("{name} at {paths:?}"), async || {
            (self.places_of(repo, name).await == paths).then_some(())
        })
        .await;
    }

    /// Stops the service and waits for its end.
    pub async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap();
    }
}

impl index_report::Service for TestApp {
    fn client(&self) -> &reqwest::Client {
        &self.client
    }

    fn url(&self) -> &str {
        &self.url
    }
}

/// The sorted paths of an answer's functions called `name`.
pub fn places(answer: &Value, name: &str) -> Vec<String> {
    let functions = answer["functions"].as_array().expect("functions");
    let mut paths: Vec<String> = functions
        .iter()
        .filter(|f| f["name"] == name)
        .map(|f| f["path"].as_str().unwrap().to_owned())
        .collect();
    paths.sort();
    paths
}

/// Polls `attempt` until it gives a result; panics after [`TIMEOUT`].
pub async fn until<T, F: Future<Output = Option<T>>>(
    what: &str,
    mut attempt: impl FnMut() -> F,
) -> T {
    let start = Instant::now();
    loop {
        if let Some(result) = attempt().await {
            return result;
        }
        assert!(start.elapsed() < TIMEOUT, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Creates a directory with the files of a fixture. The path is canonical.
pub fn tree(text: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    foveate_fixture::write(&root, text).unwrap();
    (directory, root)
}

/// Writes a file atomically: to a temporary file that is renamed over it.
pub fn save(path: &Path, text: &str) {
    let beside = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(beside.path(), text).unwrap();
    beside.persist(path).unwrap();
}

/// Runs git in a directory, without the user's and the system's git configuration.
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args([
            "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false",
        ])
        .arg("-C")
        .arg(directory)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .expect("git is installed");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Writes `script` as the program `git` into a new `directory`, and returns `PATH=…` with that directory first.
/// `REAL` in the script stands for the path of the real git.
pub fn path_with_git(directory: &Path, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = std::env::var("PATH").unwrap();
    let mut real = std::env::split_paths(&path).map(|directory| directory.join("git"));
    let real = real.find(|git| git.is_file()).unwrap();
    let program = directory.join("git");
    std::fs::create_dir(directory).unwrap();
    std::fs::write(&program, script.replace("REAL", real.to_str().unwrap())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("PATH={}:{path}", directory.display())
}

/// Commits everything in a working tree and returns the commit's id.
pub fn commit(root: &Path, message: &str) -> String {
    if !root.join(".git").exists() {
        git(root, &["init", "-q"]);
    }
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "--allow-empty", "-m", message]);
    git(root, &["rev-parse", "HEAD"])
}

/// A small Python repository.
pub const SHOP: &str = "
//- shop/cart.py
from shop.price import total_price


class Cart:
    \"\"\"What a customer wants to buy.\"\"\"

    def __init__(self):
        self.items = []

    def add_item(self, item):
        self.items.append(item)

    def checkout(self):
        return total_price(self.items)
//- shop/price.py
def total_price(items):
    \"\"\"Sum of the prices of all items.\"\"\"
    return sum(item.price for item in items)
//- tests/test_cart.py
from shop.cart import Cart


def test_checkout():
    assert Cart().checkout() == 0
//- README.md
# Shop
";

/// The sum of a metric's series that have these labels, from the text of `/metrics`.
pub fn sum_of(metrics: &str, family: &str, labels: &str) -> f64 {
    let series = metrics.lines().filter(|line| {
        let rest = line.strip_prefix(family);
        rest.is_some_and(|rest| rest.starts_with(['{', ' ']) && rest.contains(labels))
    });
    let values = series.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    values.sum()
}
