//! Tests that a history which git could not read, or not all of it, is read again.

use std::path::PathBuf;

use foveate::access::Grant;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::app::{SHOP, TestApp, commit, git, tree, until};
use crate::missing_data::{replaced_git, search_path};
use crate::process::Process;

#[tokio::test(flavor = "multi_thread")]
async fn history_that_could_not_be_read_is_read_again_at_a_sync() {
    let server = ServerWithoutHistory::start("3600").await;
    let added = "def added_rate():\n    return 1\n";
    std::fs::write(server.root.join("shop/added.py"), added).unwrap();
    let query = json!({"repo": "tree", "query": "`added_rate`"});
    until("the saved file", async || {
        let answer = server.process.call(Method::POST, "/context", query.clone());
        let context = answer.await["context"].to_string();
        context.contains("added_rate():").then_some(())
    })
    .await;
    assert!(
        server.lacks_history("tree").await,
        "a save does not change that"
    );
    server.repair();
    for name in REPOSITORIES {
        let sync = format!("/repos/{name}/sync");
        server.process.call(Method::POST, &sync, Value::Null).await;
        server.wait_for_history(name).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn history_that_could_not_be_read_is_read_again_after_a_wait() {
    let server = ServerWithoutHistory::start("1").await;
    server.repair();
    for name in REPOSITORIES {
        server.wait_for_history(name).await;
        // In a run of its own, which began after the wait.
        let cause = server.cause_of_history(name);
        assert_eq!(cause.as_deref(), Some("history"), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn history_is_read_again_when_a_shallow_clone_gets_older_commits() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    for name in ["gift", "present"] {
        std::fs::write(root.join(format!("{name}.py")), "x = 1\n").unwrap();
        commit(&root, name);
    }
    let keep = tempfile::tempdir().unwrap();
    let clones = REPOSITORIES.map(|name| keep.path().canonicalize().unwrap().join(name));
    let url = format!("file://{}", root.display());
    for clone in &clones {
        let clone = clone.to_str().unwrap();
        git(&root, &["clone", "-q", "--depth", "2", &url, clone]);
    }
    let [tree, bare] = &clones;
    app.add_tree("tree", tree, true).await;
    app.add_git("git", bare, None).await;
    let commits_become = async |name: &str, commits: usize| {
        until("all commits and functions", async || {
            let repository = app.engine.get(&Grant::unrestricted(), name).unwrap();
            let current = repository.current().unwrap();
            let history = current.snapshot.history.as_ref();
            let read = history.map_or(0, |history| history.commits.len());
            let is_complete = !app.ask(name, "checkout").await["issues"]
                .to_string()
                .contains("history");
            (read == commits && is_complete).then_some(())
        })
        .await;
    };
    let parents_commits_become = async |name: &str, parent: &str, commits: usize| {
        until("the history of the parent", async || {
            let body = json!({"repo": name, "ref": parent, "query": "checkout"});
            assert_eq!(app.post("/context", body).await.status, StatusCode::OK);
            let repository = app.engine.get(&Grant::unrestricted(), name).unwrap();
            let snapshot = repository.revisions.get(parent)?;
            let read = snapshot.history.as_ref()?.commits.len();
            (read == commits).then_some(())
        })
        .await;
    };
    for (name, clone) in REPOSITORIES.iter().zip(&clones) {
        let parent = git(clone, &["rev-parse", "HEAD~1"]);
        commits_become(name, 2).await;
        parents_commits_become(name, &parent, 1).await;
        git(clone, &["fetch", "-q", "--unshallow"]);
        if *name == "git" {
            app.post("/repos/git/sync", Value::Null).await;
        }
        commits_become(name, 3).await;
        parents_commits_become(name, &parent, 2).await;
    }
    app.end().await;
}

/// A working tree and a git repository.
const REPOSITORIES: [&str; 2] = ["tree", "git"];

/// A server on which `git log` fails until [`Self::repair`] is called.
struct ServerWithoutHistory {
    process: Process,
    root: PathBuf,
    flag: PathBuf,
    log: PathBuf,
    _directories: [TempDir; 3],
}

impl ServerWithoutHistory {
    async fn start(retry_seconds: &str) -> Self {
        let (tree, root) = tree(SHOP);
        commit(&root, "open the shop");
        let path = search_path();
        let flags = tempfile::tempdir().unwrap();
        let [flag, log] = ["broken", "log"].map(|name| flags.path().join(name));
        std::fs::write(&flag, "").unwrap();
        let (git, _) = replaced_git(&format!(
            "PATH='{path}'; case \"$*\" in *' log '*) if [ -e {} ]; then exit 1; fi;; esac; exec git \"$@\"",
            flag.display()
        ));
        let path = format!("PATH={}:{path}", git.path().display());
        let retry = format!("FOVEATE__GIT__RETRY_SECONDS={retry_seconds}");
        let redirect = format!("exec \"$@\" 2>'{}'", log.display());
        let json_log = "FOVEATE__LOG__FORMAT=json";
        let command = ["sh", "-c", &redirect, "sh", "env", json_log, &path, &retry];
        let process = Process::start(&command, None);
        for (name, source) in REPOSITORIES
            .iter()
            .zip([json!({"path": root}), json!({"git": root})])
        {
            let body = json!({"name": name, "source": source});
            process.call(Method::POST, "/repos", body).await;
        }
        let server = Self {
            process,
            root,
            flag,
            log,
            _directories: [tree, flags, git],
        };
        for name in REPOSITORIES {
            until("a history that is unavailable", async || {
                server.lacks_history(name).await.then_some(())
            })
            .await;
        }
        server
    }

    fn repair(&self) {
        std::fs::remove_file(&self.flag).unwrap();
    }

    async fn lacks_history(&self, name: &str) -> bool {
        let body = json!({"repo": name, "query": "`total_price`"});
        let answer = self.process.call(Method::POST, "/context", body).await;
        answer["issues"].to_string().contains("history_unavailable")
    }

    /// Returns the cause of the run that loaded the history of a repository, from the log.
    fn cause_of_history(&self, name: &str) -> Option<String> {
        let log = std::fs::read_to_string(&self.log).unwrap();
        let lines = log
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let mut loaded = lines.filter(|line: &Value| line["message"] == "history loaded");
        loaded.find_map(|line| {
            let run = line["spans"]
                .as_array()?
                .iter()
                .find(|s| s["name"] == "index")?;
            let cause = run["cause"].as_str().filter(|_| run["repo"] == name)?;
            Some(cause.to_owned())
        })
    }

    async fn wait_for_history(&self, name: &str) {
        until("the history", async || {
            (!self.lacks_history(name).await).then_some(())
        })
        .await;
    }
}
