//! Measures a server that gets five times the requests that it can answer. `cargo bench --bench overload` starts the
//! program on a generated repository, measures its latency without other load and its capacity, and then sends
//! five times as many requests: nearly all with one token, a few with another one.
//! `SERVER_CPUS=0 taskset -c 1 cargo bench --bench overload` gives the server its own core.
//! `FOVEATE_BENCH_TREE=DIRECTORY FOVEATE_BENCH_QUERIES=FILE` asks about a directory instead, with the `query` of each
//! line of the file, which the cases of `foveate eval` have. docs/performance.md has the figures.

#![allow(clippy::print_stdout)] // The output is for the person who runs it.

mod corpus;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;

const MODULES: usize = 240;
/// The token that overloads the server, and the one that asks a little.
const BUSY: &str = "busy-busy-busy-busy-busy-busy-busy-busy";
const CALM: &str = "calm-calm-calm-calm-calm-calm-calm-calm";
const TIMES: u32 = 5;
const UNLOADED: usize = 400;
const CAPACITY: Duration = Duration::from_secs(5);
const OVERLOAD: Duration = Duration::from_secs(30);
/// Time between two requests of the calm token.
const CALM_PAUSE: Duration = Duration::from_millis(100);
const QUERIES: [&str; 4] = [
    "Cancelling an order twice raises InvoiceError in `cancel_invoice`",
    "where is the session of a customer validated?",
    "ValueError: cannot merge the payment of a closed report",
    "the token of `Schedule9` is rendered with the wrong template",
];

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let server = Server::start()?;
    server.register().await?;
    let unloaded = unloaded(&server).await?;
    println!("unloaded:   {unloaded}");
    let capacity = capacity(&server).await?;
    println!("capacity:   {capacity:.0} answers a second");
    let memory = server.memory();
    let answered = server.answered().await?;
    let (busy, calm) = overload(&server, capacity * f64::from(TIMES)).await?;
    println!("busy token: {busy}");
    println!("calm token: {calm}");
    let given = server.answered().await? - answered;
    println!(
        "answers given {given}, answers received {}",
        busy.times.len() + calm.times.len()
    );
    println!(
        "memory:     {memory} MB before, {} MB after",
        server.memory()
    );
    for (token, outcome) in [("busy", &busy), ("calm", &calm)] {
        let times = outcome.percentile(99) / unloaded.percentile(99);
        println!("p99 of the {token} token: {times:.1} times that of the unloaded server");
    }
    Ok(())
}

/// The responses to many requests.
#[derive(Default)]
struct Outcome {
    /// Milliseconds of each answer.
    times: Vec<f64>,
    turned_away: usize,
    /// Responses other than an answer or 429.
    failed: usize,
}

impl Outcome {
    fn add(&mut self, status: StatusCode, time: Duration) {
        match status {
            StatusCode::OK => self.times.push(time.as_secs_f64() * 1000.0),
            StatusCode::TOO_MANY_REQUESTS => self.turned_away += 1,
            _ => self.failed += 1,
        }
    }

    fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.times.clone();
        sorted.sort_by(f64::total_cmp);
        let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} answers, p50 {:.1} ms, p99 {:.1} ms; {} turned away, {} failed",
            self.times.len(),
            self.percentile(50),
            self.percentile(99),
            self.turned_away,
            self.failed
        )
    }
}

/// Asks one question after the other.
async fn unloaded(server: &Server) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    for number in 0..UNLOADED {
        let (status, time) = server.ask(BUSY, number).await?;
        outcome.add(status, time);
    }
    Ok(outcome)
}

/// Measures answers a second, with twice as many clients as cores, each of which asks again after its answer.
async fn capacity(server: &Server) -> Result<f64, Failure> {
    let start = Instant::now();
    let mut clients = JoinSet::new();
    for client in 0..2 * std::thread::available_parallelism()?.get() {
        let server = server.clone();
        clients.spawn(async move {
            let mut answers = 0;
            while start.elapsed() < CAPACITY {
                let (status, _) = server.ask(BUSY, client + answers).await?;
                answers += usize::from(status == StatusCode::OK);
            }
            Ok::<_, Failure>(answers)
        });
    }
    let mut answers = 0;
    while let Some(client) = clients.join_next().await {
        answers += client??;
    }
    Ok(answers as f64 / start.elapsed().as_secs_f64())
}

/// Sends this many requests a second, whether or not they are answered, and those of the calm token at the same time.
async fn overload(server: &Server, per_second: f64) -> Result<(Outcome, Outcome), Failure> {
    let is_over = Arc::new(AtomicBool::new(false));
    let calm = tokio::spawn({
        let (server, is_over) = (server.clone(), Arc::clone(&is_over));
        async move {
            let mut outcome = Outcome::default();
            while !is_over.load(Ordering::Relaxed) {
                let (status, time) = server.ask(CALM, outcome.times.len()).await?;
                outcome.add(status, time);
                tokio::time::sleep(CALM_PAUSE).await;
            }
            Ok::<_, Failure>(outcome)
        }
    });
    let mut asked = JoinSet::new();
    let (mut sent, start) = (0, Instant::now());
    let mut busy = Outcome::default();
    while start.elapsed() < OVERLOAD {
        let due = (start.elapsed().as_secs_f64() * per_second) as usize;
        for number in sent..due {
            let server = server.clone();
            asked.spawn(async move { server.ask(BUSY, number).await });
        }
        sent = due;
        while let Some(answer) = asked.try_join_next() {
            let (status, time) = answer??;
            busy.add(status, time);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    while let Some(answer) = asked.join_next().await {
        let (status, time) = answer??;
        busy.add(status, time);
    }
    is_over.store(true, Ordering::Relaxed);
    Ok((busy, calm.await??))
}

/// Writes the generated repository below a directory.
fn written(root: PathBuf) -> Result<PathBuf, Failure> {
    for (path, text) in corpus::texts(MODULES) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().ok_or("a directory")?)?;
        std::fs::write(path, text)?;
    }
    Ok(root)
}

/// Returns the queries to ask.
fn queries() -> Result<Vec<String>, Failure> {
    let Some(file) = std::env::var_os("FOVEATE_BENCH_QUERIES") else {
        return Ok(QUERIES.map(str::to_owned).to_vec());
    };
    let text = std::fs::read_to_string(Path::new(&file))?;
    let queries = text.lines().map(|line| {
        let case: Value = serde_json::from_str(line)?;
        Ok(case["query"]
            .as_str()
            .ok_or("a case has a `query`")?
            .to_owned())
    });
    queries.collect()
}

/// A server in a separate process.
#[derive(Clone)]
struct Server {
    url: String,
    client: Client,
    queries: Arc<Vec<String>>,
    process: Arc<Process>,
}

struct Process {
    child: parking_lot::Mutex<Child>,
    id: u32,
    /// The temporary directory, deleted after the process has ended.
    _place: TempDir,
    tree: PathBuf,
}

impl Drop for Process {
    fn drop(&mut self) {
        let mut child = self.child.lock();
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Server {
    fn start() -> Result<Self, Failure> {
        foveate::telemetry::install_tls();
        let place = tempfile::tempdir()?;
        let tree = match std::env::var_os("FOVEATE_BENCH_TREE") {
            Some(directory) => std::fs::canonicalize(directory)?,
            None => written(place.path().join("shop"))?,
        };
        let tokens = format!(
            "[busy]\ntoken = \"{BUSY}\"\nscope = \"admin\"\n[calm]\ntoken = \"{CALM}\"\nscope = \"read\"\n"
        );
        let file = place.path().join("tokens.toml");
        std::fs::write(&file, tokens)?;
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        let program = env!("CARGO_BIN_EXE_foveate");
        let mut command = match std::env::var("SERVER_CPUS") {
            Ok(cpus) => {
                let mut command = Command::new("taskset");
                command.args(["-c", &cpus, program]);
                command
            }
            Err(_) => Command::new(program),
        };
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(place.path().join("data"))
            .env("FOVEATE__ACCESS__TOKEN_FILE", &file)
            // The queue is measured, not the limits of a key.
            .env("FOVEATE__ACCESS__RATE_PER_SECOND", "0")
            .env("FOVEATE__ACCESS__MAX_IN_FLIGHT", "0")
            .env("FOVEATE__LOG__FILTER", "warn")
            .env("FOVEATE__REPOS__ALLOW_PATHS", "[/]")
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or("standard output")?;
        BufReader::new(out).read_line(&mut line)?;
        let url = line.split_whitespace().last().ok_or("an address")?;
        Ok(Self {
            url: url.to_owned(),
            client: Client::new(),
            queries: Arc::new(queries()?),
            process: Arc::new(Process {
                id: child.id(),
                child: parking_lot::Mutex::new(child),
                _place: place,
                tree,
            }),
        })
    }

    async fn register(&self) -> Result<(), Failure> {
        let body = json!({"name": "shop", "source": {"path": self.process.tree}});
        let repos = format!("{}/repos", self.url);
        let request = self.client.post(&repos).bearer_auth(BUSY).json(&body);
        request.send().await?.error_for_status()?;
        loop {
            let request = self.client.get(format!("{repos}/shop")).bearer_auth(BUSY);
            let repo: Value = request.send().await?.json().await?;
            let has_history = repo["history"] == true || !self.process.tree.join(".git").exists();
            if repo["state"] == "ready" && has_history {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn ask(&self, token: &str, number: usize) -> Result<(StatusCode, Duration), Failure> {
        let query = &self.queries[number % self.queries.len()];
        let body = json!({"repo": "shop", "query": query});
        let request = self.client.post(format!("{}/context", self.url));
        let start = Instant::now();
        let answer = request.bearer_auth(token).json(&body).send().await?;
        let status = answer.status();
        answer.bytes().await?;
        Ok((status, start.elapsed()))
    }

    /// Returns the number of answers that the server has given.
    async fn answered(&self) -> Result<usize, Failure> {
        let text = self.client.get(format!("{}/metrics", self.url)).send();
        let text = text.await?.text().await?;
        let is_total = |line: &&str| {
            line.starts_with("foveate_stage_seconds_count") && line.contains("stage=\"total\"")
        };
        let counts = text.lines().filter(is_total);
        let counts = counts.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok());
        Ok(counts.sum())
    }

    /// Returns its resident memory in MB.
    fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
        kilobytes.unwrap_or(0) / 1024
    }
}
