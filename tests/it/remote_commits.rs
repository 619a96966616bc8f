//! Tests commits of remote repositories that no branch has: each is asked for by its id.

use std::fs;
use std::path::Path;

use foveate::config::Config;
use foveate::engine::Progress;
use foveate::ingest::git::GitError;
use reqwest::StatusCode;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::remote::{add, clone, copy_of, poll_quickly, serve_shop, write};
use crate::app::{Response, SHOP, TestApp, commit, git, places, tree, until};
use crate::git_server::{Hub, Mood};

/// Runs git with standard input.
fn git_with_input(directory: &Path, arguments: &[&str], input: &str) {
    let mut git = std::process::Command::new("git");
    git.arg("-C").arg(directory).args(arguments);
    let mut git = git.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = git.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap();
    drop(stdin);
    assert!(git.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_commit_is_fetched_once() {
    let (_keep, root, hub) = serve_shop().await;
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.poll_seconds = 0;
    })
    .await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    let lost = push_unreachable(&root, &hub);
    let ask = async |reference: &str| ask_for_lost_work(&app, reference).await;
    // Only the latest of the refs for requested commits are kept.
    let copy = app.data().join("git/shop.git");
    let old = (0..1010).map(|n| format!("create refs/foveate/asked/{n:040x} HEAD\n"));
    git_with_input(&copy, &["update-ref", "--stdin"], &old.collect::<String>());
    let answer = ask(&lost).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(places(&answer.json(), "lost_work"), ["shop/lost_work.py"]);
    let kept = git(&copy, &["for-each-ref", "refs/foveate/asked/"]);
    assert_eq!(kept.lines().count(), 1001);
    assert!(kept.contains(&format!("refs/foveate/asked/{lost}")));
    assert_eq!(
        ask(&lost[..12]).await.status,
        StatusCode::OK,
        "it is there now"
    );
    let unknown = "1".repeat(40);
    assert_eq!(ask(&unknown).await.code(), "unknown_ref");
    let asked = hub.seen().len();
    for _ in 0..3 {
        assert_eq!(ask(&unknown).await.code(), "unknown_ref");
    }
    assert_eq!(hub.seen().len(), asked, "the server is not asked again");
    app.end().await;
}

/// Commits a function on no branch, and pushes the commit so that no branch of the served repository contains it.
fn push_unreachable(root: &Path, hub: &Hub) -> String {
    git(root, &["checkout", "-q", "--detach"]);
    let lost = write(root, "lost_work");
    hub.push(root, &format!("{lost}:refs/heads/short"));
    git(&hub.bare, &["branch", "-q", "-D", "short"]);
    lost
}

async fn ask_for_lost_work(app: &TestApp, reference: &str) -> Response {
    let body = json!({"repo": "shop", "ref": reference, "query": "`lost_work`"});
    app.post("/context", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn commit_is_not_unknown_because_the_server_cannot_be_asked() {
    let (_keep, root, hub) = serve_shop().await;
    let data = tempfile::tempdir().unwrap();
    let change = |config: &mut Config| {
        poll_quickly(config);
        config.git.poll_seconds = 0;
    };
    let app = TestApp::start_on_with(data.path(), change).await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    let lost = push_unreachable(&root, &hub);
    hub.set_mood(Mood::RequireLogin("Basic other"));
    let refused = ask_for_lost_work(&app, &lost).await;
    assert_eq!(
        refused.status,
        StatusCode::INTERNAL_SERVER_ERROR,
        "{}",
        refused.text
    );
    assert_eq!(refused.code(), "revision_failed");
    let asked = hub.seen().len();
    let again = ask_for_lost_work(&app, &lost).await;
    assert_eq!(again.code(), "revision_failed");
    assert_eq!(hub.seen().len(), asked, "the server is not asked at once");
    assert_eq!(app.get("/repos/shop").await.json()["state"], "ready");
    app.end().await;
    hub.set_mood(Mood::Normal);
    let app = TestApp::start_on_with(data.path(), change).await;
    app.ready("shop").await;
    let answer = ask_for_lost_work(&app, &lost).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    app.end().await;
}

#[test]
fn failed_request_for_a_commit_is_not_repeated_at_once() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let keep = tempfile::tempdir().unwrap();
    let (stop, progress) = (CancellationToken::new(), Progress::default());
    clone(&root, keep.path(), 0, &progress).unwrap();
    let late = write(&root, "late");
    let copy = copy_of(&root, keep.path(), 0);
    let (away, back) = (root.join("away"), root.join(".git"));
    fs::rename(&back, &away).unwrap();
    let failed = copy.fetch_commit(&late, &stop).unwrap_err();
    assert!(matches!(failed, GitError::Unavailable(_)), "{failed}");
    assert!(!failed.is_damage());
    fs::rename(&away, &back).unwrap();
    let paused = copy.may_request(&late).unwrap_err();
    assert_eq!(paused.to_string(), failed.to_string());
    // A new handle knows of no failure.
    let copy = copy_of(&root, keep.path(), 0);
    assert!(copy.may_request(&late).unwrap());
    copy.fetch_commit(&late, &stop).unwrap();
    git(copy.directory(), &["cat-file", "-e", &late]);
    let unknown = "1".repeat(40);
    copy.fetch_commit(&unknown, &stop).unwrap();
    assert!(!copy.may_request(&unknown).unwrap());
    assert!(!copy.may_request("main").unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn fetch_of_a_commit_waits_for_a_free_slot() {
    let (_a, _root, silent) = serve_shop().await;
    let (_b, _root, hub) = serve_shop().await;
    silent.set_mood(Mood::Silent);
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.poll_seconds = 0;
        config.git.transfers = 1;
        config.answer.build_deadline_ms = 1000;
    })
    .await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    let body = json!({"name": "silent", "source": {"git": silent.url}});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    until("the silent server is asked", async || {
        (!silent.seen().is_empty()).then_some(())
    })
    .await;
    let asked = hub.seen().len();
    let unknown = "1".repeat(40);
    assert_eq!(ask_for_lost_work(&app, &unknown).await.code(), "indexing");
    assert_eq!(hub.seen().len(), asked);
    app.delete("/repos/silent").await;
    until("the server is asked", async || {
        let answer = ask_for_lost_work(&app, &unknown).await;
        (answer.code() == "unknown_ref").then_some(())
    })
    .await;
    assert!(hub.seen().len() > asked);
    app.end().await;
}
