//! Tests log lines of requests and indexing runs: they can be followed by an id, and contain no query, source
//! code or token.

use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::app::{SHOP, commit, tree};
use crate::index_report::Service as _;
use crate::process::Process;

/// Starts a server that logs everything as JSON, and returns it with its log file.
fn server() -> (Process, PathBuf, TempDir) {
    server_with("FOVEATE__LOG__FILTER=debug")
}

/// As [`server`], with a setting.
fn server_with(setting: &str) -> (Process, PathBuf, TempDir) {
    let keep = tempfile::tempdir().unwrap();
    let log = keep.path().join("log");
    let redirect = format!("exec \"$@\" 2>'{}'", log.display());
    let [format, filter] = ["FOVEATE__LOG__FORMAT=json", "FOVEATE__LOG__FILTER=debug"];
    let before = ["sh", "-c", &redirect, "sh", "env", format, filter, setting];
    (Process::start(&before, None), log, keep)
}

fn lines(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON lines")
}

/// The enclosing span of a log line with this name.
fn span<'l>(line: &'l Value, name: &str) -> Option<&'l Value> {
    let mut spans = line["spans"].as_array()?.iter();
    spans.find(|span| span["name"] == name)
}

async fn send(server: &Process, path: &str, id: &str, body: &Value) -> Value {
    let request = server.client().post(format!("{}{path}", server.url()));
    let request = request.header("x-request-id", id).json(body);
    let request = request.header("authorization", "Bearer hidden-token");
    request.send().await.unwrap().json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_of_a_request_carry_its_id() {
    let (server, log, _keep) = server();
    let (_tree, root) = tree(SHOP);
    let first = commit(&root, "first");
    std::fs::write(root.join("late.py"), "def comes_late():\n    pass\n").unwrap();
    commit(&root, "second");
    let body = json!({"name": "shop", "source": {"path": root}});
    send(&server, "/repos", "register-1", &body).await;
    server
        .repo_until("history", |repo| repo["history"] == true)
        .await;
    let query = "the hidden_word of `total_price` fails";
    let body = json!({"repo": "shop", "ref": first, "query": query});
    let answer = send(&server, "/context", "ask-1", &body).await;
    assert_eq!(answer["commit"], first.as_str(), "{answer}");
    let body = json!({"repo": "hidden-name", "query": query});
    let unknown = send(&server, "/context", "ask-2", &body).await;
    assert_eq!(unknown["code"], "unknown_repo");
    for (id, repo) in [("agent-1", "shop"), ("agent-2", "hidden-name")] {
        let arguments = json!({"repo": repo, "query": query});
        let params = json!({"name": "context", "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let request = server.client().post(format!("{}/mcp", server.url()));
        let request = request.header("accept", "application/json, text/event-stream");
        let request = request.header("authorization", "Bearer hidden-token");
        let sent = request.header("x-request-id", id).json(&call).send().await;
        assert_eq!(sent.unwrap().status(), 200);
    }
    drop(server);

    let lines = lines(&log);
    let of = |id: &str| -> Vec<&Value> {
        let is_of = |line: &&Value| span(line, "request").is_some_and(|s| s["request_id"] == id);
        lines.iter().filter(is_of).collect()
    };
    let last = |id: &str| {
        let all = of(id);
        let line = all.iter().find(|line| line["message"] == "request");
        (*line.expect("a line for the request")).clone()
    };
    let asked = last("ask-1");
    assert_eq!(asked["status"], 200);
    assert!(asked["ms"].as_f64() > Some(0.0));
    let request = span(&asked, "request").unwrap();
    assert_eq!(request["route"], "/context");
    assert_eq!(request["repo"], "shop");
    assert_eq!(request["intent"], "BUG_FIX");
    for stage in ["intent_ms", "resolve_ms", "rank_ms", "assemble_ms"] {
        assert!(request[stage].as_f64() > Some(0.0), "{stage}: {request}");
    }
    // A tool of agents runs in a task of the protocol's library.
    let asked = last("agent-1");
    let request = span(&asked, "request").unwrap();
    assert_eq!(
        (&request["repo"], &request["intent"]),
        (&json!("shop"), &json!("BUG_FIX"))
    );
    for (id, outcome) in [("agent-1", "done"), ("agent-2", "unknown")] {
        let audited = of(id).into_iter().find(|line| line["message"] == "audit");
        assert_eq!(audited.expect("an audit line")["outcome"], outcome);
    }
    let refused = last("ask-2");
    assert_eq!(
        (&refused["status"], &refused["code"]),
        (&json!(404), &json!("unknown_repo"))
    );

    // Lines of the answering threads, of git, and of the run that indexed the commit.
    let of_answer = of("ask-1");
    let is_there = |what: &dyn Fn(&Value) -> bool| of_answer.iter().any(|line| what(line));
    assert!(is_there(
        &|line| line["message"] == "answered" && line["commit"] == first.as_str()
    ));
    assert!(is_there(&|line| span(line, "git").is_some()));
    assert!(is_there(&|line| {
        let run = span(line, "index");
        run.is_some_and(|run| run["cause"] == "request" && run["repo"] == "shop")
            && span(line, "git").is_some()
    }));
    // Lines that the database library logs for the store.
    assert!(of("register-1").iter().any(|line| {
        let store = span(line, "store");
        store.is_some_and(|store| store["operation"] == "insert")
    }));

    let text = std::fs::read_to_string(&log).unwrap();
    for secret in ["hidden", "def total_price", "Sum of the prices"] {
        assert!(!text.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_of_an_indexing_run_carry_its_number() {
    let (server, log, _keep) = server();
    let (_tree, root) = tree(SHOP);
    commit(&root, "first");
    let body = json!({"name": "shop", "source": {"git": root}});
    server.call(Method::POST, "/repos", body).await;
    let ready = |repo: &Value| repo["state"] == "ready" && repo["history"] == true;
    server.repo_until("history", ready).await;
    std::fs::write(root.join("late.py"), "def comes_late():\n    pass\n").unwrap();
    let second = commit(&root, "second");
    server
        .call(Method::POST, "/repos/shop/sync", Value::Null)
        .await;
    server
        .repo_until("second", |repo| {
            repo["commit"] == second.as_str() && ready(repo)
        })
        .await;
    drop(server);

    let lines = lines(&log);
    let runs = |cause: &str| -> Vec<u64> {
        let indexed = lines.iter().filter(|line| line["message"] == "indexed");
        let runs = indexed.filter_map(|line| span(line, "index"));
        let runs = runs.filter(|run| run["cause"] == cause && run["repo"] == "shop");
        runs.map(|run| run["run"].as_u64().unwrap()).collect()
    };
    let (first, second) = (runs("registered"), runs("sync"));
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    for run in [first[0], second[0]] {
        let of_run: Vec<&Value> = lines
            .iter()
            .filter(|line| span(line, "index").is_some_and(|index| index["run"] == run))
            .collect();
        let states = ["read", "being_read"];
        let is_loaded = |line: &Value| {
            let is_state = states.iter().any(|state| line["functions"] == *state);
            line["message"] == "history loaded" && is_state
        };
        assert!(of_run.iter().any(|line| is_loaded(line)));
        let commands = of_run.iter().filter_map(|line| span(line, "git"));
        let commands: Vec<&str> = commands.filter_map(|git| git["command"].as_str()).collect();
        assert!(commands.contains(&"log"), "{commands:?}");
        assert!(
            commands
                .iter()
                .any(|c| ["ls-tree", "diff-tree"].contains(c)),
            "{commands:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_secret_is_logged_at_the_start() {
    let (_server, log, _keep) = server_with("FOVEATE__FORGE__GITLAB__WEBHOOK_SECRET=env:NOT_SET");
    let text = std::fs::read_to_string(&log).unwrap();
    let warning = "forge.gitlab.webhook_secret: cannot read a secret from env:NOT_SET";
    assert!(text.contains(warning), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_tree_logs_one_warning() {
    let (server, log, _keep) = server();
    let (keep, root) = tree("//- a/b/c/d.py\ndef deep(): pass\n//- e/f.py\ndef flat(): pass\n");
    let body = json!({"name": "shop", "source": {"path": root}});
    server.call(Method::POST, "/repos", body).await;
    server
        .repo_until("ready", |repo| repo["state"] == "ready")
        .await;
    drop(keep);
    server
        .repo_until("failed", |repo| repo["state"] == "failed")
        .await;
    let lines = lines(&log);
    let warnings: Vec<_> = lines
        .iter()
        .filter(|line| line["level"] == "WARN")
        .collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}
