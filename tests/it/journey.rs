//! Tests the whole life of a server with real processes: keys, two repositories, webhooks, comments, a CI job, an
//! agent, a kill with a job pending, metrics, a revoked key. Secrets appear neither in its log nor in its
//! answers.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use prometheus_parse::{Scrape, Value as Sample};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::access;
use crate::app::{SHOP, commit, git, save, tree, until};
use crate::database;
use crate::stub_forge::{Mood, StubForge, TOKEN};
use crate::webhooks::{SECRET, SHOP_PROJECT, fixture, sign};

/// Headers sent to the telemetry collector with every request.
const COLLECTOR_HEADER: &str = "authorization=Bearer%20collector-secret";

struct Server {
    child: Child,
    url: String,
    client: reqwest::Client,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(data: &Path, config: &Path, log: &Path) -> Self {
        foveate::telemetry::install_tls();
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(log)
            .unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
        database::configure_command(&mut command, data);
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data)
            .arg("--config")
            .arg(config)
            // Nothing listens there: telemetry that cannot be sent must not be logged either.
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
            .env("OTEL_EXPORTER_OTLP_HEADERS", COLLECTOR_HEADER)
            .env("OTEL_BSP_SCHEDULE_DELAY", "50")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let url = line.split_whitespace().last().expect("an address");
        Self {
            child,
            url: url.to_owned(),
            client: reqwest::Client::new(),
        }
    }

    async fn call(
        &self,
        token: &str,
        method: Method,
        path: &str,
        body: Value,
    ) -> (StatusCode, String) {
        let request = self.client.request(method, format!("{}{path}", self.url));
        let request = match body {
            Value::Null => request,
            body => request.json(&body),
        };
        let response = request.bearer_auth(token).send().await.unwrap();
        (response.status(), response.text().await.unwrap())
    }

    async fn register(&self, token: &str, name: &str, source: Value) {
        let body = json!({"name": name, "source": source});
        let (status, text) = self.call(token, Method::POST, "/repos", body).await;
        assert_eq!(status, StatusCode::CREATED, "{text}");
        let path = format!("/repos/{}", name.replace('/', "%2F"));
        until("an index", async || {
            let (_, text) = self.call(token, Method::GET, &path, Value::Null).await;
            let repo: Value = serde_json::from_str(&text).unwrap();
            (repo["state"] == "ready" && repo["history"] == true).then_some(())
        })
        .await;
    }

    /// Sends a webhook, which needs no token, and returns its outcome.
    async fn send_event(&self, event: &str, delivery: &str, payload: &Value) -> Value {
        let body = payload.to_string();
        let request = self.client.post(format!("{}/webhooks/github", self.url));
        let request = request
            .header("x-github-event", event)
            .header("x-github-delivery", delivery)
            .header(
                "x-hub-signature-256",
                format!("sha256={}", sign(SECRET, &body)),
            )
            .body(body);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        let answer: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        answer["outcome"].clone()
    }

    /// The answer that the command line prints in a CI job started by this event.
    async fn ask_by_ci(&self, token: &str, name: &str, event: &Path) -> Value {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_foveate"));
        let output = command
            .args(["context", name, "--json", "--server", &self.url])
            .arg("--github-event")
            .arg(event)
            .env("FOVEATE_TOKEN", token)
            .output()
            .await
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The structured result of the tool `context` for an agent.
    async fn ask_by_agent(&self, token: &str, arguments: Value) -> Value {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "context", "arguments": arguments},
        });
        let request = self.client.post(format!("{}/mcp", self.url));
        let request = request.header("accept", "application/json, text/event-stream");
        let response = request.bearer_auth(token).json(&call).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let answer: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        answer["result"]["structuredContent"].clone()
    }

    async fn metric(&self, token: &str, name: &str, label: (&str, &str)) -> f64 {
        let (_, text) = self.call(token, Method::GET, "/metrics", Value::Null).await;
        let lines = text.lines().map(|line| Ok(line.to_owned()));
        let samples = Scrape::parse(lines).unwrap().samples;
        let is_one = |sample: &&prometheus_parse::Sample| {
            sample.metric == name && sample.labels.get(label.0) == Some(label.1)
        };
        match samples.iter().find(is_one).map(|sample| &sample.value) {
            Some(Sample::Counter(value) | Sample::Gauge(value)) => *value,
            _ => 0.0,
        }
    }
}

fn write_config(directory: &Path, forge: &str) -> std::path::PathBuf {
    for (name, secret) in [("hook", SECRET), ("token", TOKEN)] {
        std::fs::write(directory.join(name), secret).unwrap();
    }
    let shown = directory.display();
    let path = directory.join("foveate.toml");
    let text = format!(
        "[log]\nfilter = \"trace\"\n[git]\nschemes = [\"http\"]\npoll_seconds = 0\n\
         [forge]\nmin_confidence = 0.0\nretry_seconds = 1\ntimeout_seconds = 600\n\
         [forge.github]\nurl = \"{forge}\"\nwebhook_secret = \"file:{shown}/hook\"\ntoken = \"file:{shown}/token\"\n"
    );
    std::fs::write(&path, text).unwrap();
    path
}

async fn comments(
    forge: &StubForge,
    thread: &str,
    wanted: impl Fn(&[String]) -> bool,
) -> Vec<String> {
    until("a comment", async || {
        let bodies: Vec<String> = forge.comments(thread).into_iter().map(|c| c.body).collect();
        wanted(&bodies).then_some(bodies)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn server_works_through_its_whole_life() {
    let forge = StubForge::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    forge.host(SHOP_PROJECT, &root);
    forge.make_private();
    let (_keep_tree, stall) = tree(SHOP);
    let (data, etc) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let config = write_config(etc.path(), &forge.url);
    let log = etc.path().join("log");
    File::create(&log).unwrap();

    // A key, and two repositories: one over HTTP with the forge's token, one working tree.
    let admin = access::create(data.path(), &["--scope", "admin", "--name", "operator"]);
    let server = Server::start(data.path(), &config, &log);
    let (status, _) = server
        .call("nobody", Method::GET, "/repos", Value::Null)
        .await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let url = format!("{}/{SHOP_PROJECT}.git", forge.url);
    server
        .register(&admin, SHOP_PROJECT, json!({"git": url}))
        .await;
    server
        .register(&admin, "stall", json!({"path": stall}))
        .await;

    // A push is fetched, an issue answered, its comment updated.
    save(
        &root.join("shop/gift.py"),
        "def wrap_gift(cart):\n    return cart\n",
    );
    commit(&root, "gifts");
    forge.push(SHOP_PROJECT, &root, "main");
    assert_eq!(
        server
            .send_event("push", "1", &fixture("github/push"))
            .await,
        "synced"
    );
    let ask = json!({"repo": SHOP_PROJECT, "query": "`wrap_gift`"});
    until("the pushed file", async || {
        let (_, text) = server
            .call(&admin, Method::POST, "/context", ask.clone())
            .await;
        text.contains("shop/gift.py").then_some(())
    })
    .await;
    let mut issue = fixture("github/issues");
    assert_eq!(server.send_event("issues", "2", &issue).await, "queued");
    let first = comments(&forge, "corner/shop/12", |bodies| bodies.len() == 1).await;
    issue["action"] = json!("edited");
    issue["issue"]["body"] = json!("`wrap_gift` forgets the ribbon.");
    assert_eq!(server.send_event("issues", "3", &issue).await, "queued");
    let second = comments(&forge, "corner/shop/12", |bodies| bodies != first).await;
    assert!(
        second.len() == 1 && second[0].contains("wrap_gift"),
        "{second:?}"
    );

    // A pull request of a fork.
    let base = git(&root, &["rev-parse", "HEAD"]);
    git(&root, &["checkout", "-q", "-b", "ribbon"]);
    save(
        &root.join("shop/price.py"),
        "def total_price(items):\n    return 0\n",
    );
    let head = commit(&root, "all is free");
    forge.push(SHOP_PROJECT, &root, "ribbon:refs/pull/13/head");
    let mut pull_request = fixture("github/pull_request");
    pull_request["pull_request"]["base"]["sha"] = json!(base);
    pull_request["pull_request"]["head"]["sha"] = json!(head);
    assert_eq!(
        server.send_event("pull_request", "4", &pull_request).await,
        "queued"
    );
    let shown = comments(&forge, "corner/shop/13", |bodies| bodies.len() == 1).await;
    assert!(
        shown[0].contains("Cart.checkout"),
        "the caller: {}",
        shown[0]
    );
    until("three jobs that are done", async || {
        let done = ("outcome", "done");
        let count = server.metric(&admin, "foveate_jobs_total", done).await;
        (count == 3.0).then_some(())
    })
    .await;

    // The CI job of the pull request asks the server about the change.
    let event = etc.path().join("event.json");
    std::fs::write(&event, pull_request.to_string()).unwrap();
    let asked = server.ask_by_ci(&admin, SHOP_PROJECT, &event).await;
    assert_eq!(
        (&asked["commit"], &asked["files"][0]["path"]),
        (&json!(head), &json!("shop/price.py")),
        "{asked}"
    );

    // An agent asks twice; the second answer omits the places already shown.
    let mut question = json!({"repo": SHOP_PROJECT, "query": "Cart.checkout total_price"});
    let found = server.ask_by_agent(&admin, question.clone()).await;
    let shown = found["shown"].as_array().expect("places").clone();
    assert!(found["context"].to_string().contains("def checkout(self)"));
    question["seen"] = json!(shown);
    let fresh = server.ask_by_agent(&admin, question).await;
    let fresh = fresh["shown"].as_array().expect("places");
    assert!(
        fresh.iter().all(|place| !shown.contains(place)),
        "{fresh:?}"
    );

    // The pull request is merged: its changes are compared with the answer to its issue.
    pull_request["action"] = json!("closed");
    pull_request["pull_request"]["state"] = json!("closed");
    pull_request["pull_request"]["merged"] = json!(true);
    let told = server
        .send_event("pull_request", "merged", &pull_request)
        .await;
    assert_eq!(told, "queued");
    until("a merge that is counted", async || {
        let path = format!("/stats?repo={SHOP_PROJECT}");
        let (_, text) = server.call(&admin, Method::GET, &path, Value::Null).await;
        let stats: Value = serde_json::from_str(&text).unwrap();
        let total = &stats["repos"][0]["total"];
        (total["merges"] == 1 && total["merged"]["functions"] == 1).then_some(())
    })
    .await;

    // The server is killed while a job runs.
    forge.queue_moods(&[Mood::Silent]);
    issue["issue"]["number"] = json!(14);
    assert_eq!(server.send_event("issues", "5", &issue).await, "queued");
    until("a request that hangs", async || {
        (forge.moods_left() == 0).then_some(())
    })
    .await;
    drop(server);
    let server = Server::start(data.path(), &config, &log);
    comments(&forge, "corner/shop/14", |bodies| bodies.len() == 1).await;
    until("an empty queue", async || {
        let pending = server
            .metric(&admin, "foveate_queued_jobs", ("state", "pending"))
            .await;
        (pending == 0.0).then_some(())
    })
    .await;
    assert_eq!(forge.comments("corner/shop/12").len(), 1);
    let dead = server
        .metric(&admin, "foveate_queued_jobs", ("state", "dead"))
        .await;
    assert_eq!(dead, 0.0);

    // The key is revoked while the server runs.
    assert!(
        access::key(data.path(), &["revoke", "operator"])
            .status
            .success()
    );
    until("the end of the key", async || {
        let (status, _) = server
            .call(&admin, Method::GET, "/repos", Value::Null)
            .await;
        (status == StatusCode::UNAUTHORIZED).then_some(())
    })
    .await;
    drop(server);
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("job done"));
    assert!(log.contains(" TRACE "), "libraries say all that they can");
    assert!(log.contains("cannot send telemetry"));
    let digest = admin.trim_start_matches("fov_");
    for secret in [
        SECRET, TOKEN, &admin, digest, "collector-secret", "Bearer ", "Basic ",
        // Words of issues, of questions, of comments, of code.
        "forgets the ribbon", "forgets discounts", "Cart.checkout", "def checkout",
        "sum(item.price", "return cart",
    ] {
        assert!(!log.contains(secret), "the log holds {secret:?}");
    }
}
