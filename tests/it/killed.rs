//! The real program, killed without warning again and again: what it leaves behind is as good as
//! nothing or as good as everything, and two of them never share a data directory.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::{PATIENCE, commit, git, tree};
use crate::kept::essence;

/// Kills in all, and the directories that they are spread over, which are worked on side by side.
const KILLS: u64 = 200;
const PLACES: u64 = 4;

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
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// A server that listens.
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

    async fn until(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let repo = self.get("/repos/shop").await;
            if wanted(&repo) {
                return repo;
            }
            assert!(start.elapsed() < PATIENCE, "no {what}: {repo}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn answers(&self) -> Vec<Value> {
        self.until("history", |repo| repo["history"] == true).await;
        let mut answers = Vec::new();
        for query in [
            "`f3` gives a wrong value",
            "which number is even?",
            "the newest change",
        ] {
            let answer = self
                .post("/context", json!({"repo": "shop", "query": query}))
                .await;
            answers.push(essence(answer));
        }
        answers
    }

    /// The value of a metric without labels.
    async fn metric(&self, name: &str) -> f64 {
        let response = self.client.get(format!("{}/metrics", self.url)).send();
        let text = response.await.unwrap().text().await.unwrap();
        let line = text
            .lines()
            .find(|line| line.split(' ').next() == Some(name));
        line.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
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

fn repository() -> (tempfile::TempDir, std::path::PathBuf) {
    let file = |n: usize| {
        let body = format!("    \"\"\"Whether the number {n} is even.\"\"\"\n    return {n} % 2\n");
        format!(
            "//- m{n}.py\ndef f{n}(a):\n{body}\n\nclass C{n}:\n    def even(self):\n        return f{n}(self)\n"
        )
    };
    let (keep, root) = tree(&(0..30).map(file).collect::<String>());
    commit(&root, "first");
    (keep, root)
}

/// Does what people do to a repository; `round` says what.
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

async fn kill_often(place: u64) {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = repository();
    let server = Server::start(data.path());
    let body = json!({"name": "shop", "source": {"path": root}});
    let registered = server.post("/repos", body.clone()).await;
    assert_eq!(registered["name"], "shop", "{registered}");
    server.kill();
    for round in 1..=KILLS / PLACES {
        let server = Server::start(data.path());
        edit(&root, round);
        // Spread over what a server does in its first moments: reading, building, writing.
        let moment = (round * 37 + place * 11) % 160;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        server.kill();
    }

    let server = Server::start(data.path());
    let mended = server.answers().await;
    server.stop();
    let fresh = tempfile::tempdir().unwrap();
    let server = Server::start(fresh.path());
    server.post("/repos", body).await;
    assert_eq!(
        mended,
        server.answers().await,
        "as if it had never been killed"
    );
    server.stop();
    let server = Server::start(data.path());
    assert_eq!(mended, server.answers().await);
    let restored = server.metric("foveate_blobs_restored_total").await;
    let parsed = server.metric("foveate_blobs_parsed_total").await;
    assert!(restored > 20.0 && parsed == 0.0, "{restored} {parsed}");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_it_answers_as_if_built_from_nothing() {
    let places: Vec<_> = (0..PLACES)
        .map(|place| tokio::spawn(kill_often(place)))
        .collect();
    for place in places {
        place.await.unwrap();
    }
}

#[test]
fn a_second_server_on_one_data_directory_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let first = Server::start(data.path());
    let second = foveate(data.path()).output().unwrap();
    let complaint = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(2), "{complaint}");
    let process = format!("(process {})", first.child.id());
    assert!(complaint.contains(&process), "{complaint}");
    assert!(complaint.contains("--data-dir"), "{complaint}");
    // A lock does not outlive the process that held it.
    first.kill();
    Server::start(data.path()).stop();
}
