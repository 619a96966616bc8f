//! Tests damaged copies of remote repositories: rejected when they arrive, cloned again when they are found later.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use foveate::config::Config;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{TestApp, git, places, until};
use crate::git_server::{Hub, Mood};
use crate::remote::{add, app, assert_degraded, poll_quickly, serve_shop, wait_for_failure, write};

fn poll_rarely(config: &mut Config) {
    poll_quickly(config);
    config.git.poll_seconds = 3600;
}

#[tokio::test(flavor = "multi_thread")]
async fn corrupted_pack_is_rejected() {
    let (_keep, root, hub) = serve_shop().await;
    let app = app().await;
    hub.set_mood(Mood::CorruptPacks);
    add(&app, &hub.url, None).await;
    wait_for_failure(&app).await;
    assert!(!app.data().join("git/shop.git").exists());
    hub.set_mood(Mood::Normal);
    app.ready("shop").await;
    for outcome in ["ok", "failed"] {
        let labels = format!("outcome=\"{outcome}\"");
        let count = app.metric("foveate_transfer_seconds_count", &labels).await;
        assert!(count > 0.0, "{outcome}");
    }
    hub.set_mood(Mood::CorruptPacks);
    let second = write(&root, "second");
    hub.push(&root, "main");
    wait_for_failure(&app).await;
    assert_degraded(&app).await;
    hub.set_mood(Mood::Normal);
    app.repo_until("shop", |repo| {
        repo["commit"] == second.as_str() && repo["state"] == "ready"
    })
    .await;
    app.end().await;
}

/// A half of a pack. Commits come first in it, contents of files last.
enum Half {
    First,
    Last,
    /// The last one, which is cut off instead of overwritten, so that git does not open the pack.
    LastCutOff,
}

/// Overwrites a half of every pack of a copy, without its header, or cuts it off. Returns the number of packs.
fn corrupt_packs(copy: &Path, half: Half) -> usize {
    let mut corrupted = 0;
    for entry in fs::read_dir(copy.join("objects/pack")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "pack") {
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            match half {
                Half::First => bytes[12..middle].fill(0x55),
                Half::Last => bytes[middle..].fill(0x55),
                Half::LastCutOff => bytes.truncate(middle),
            }
            fs::remove_file(&path).unwrap();
            fs::write(&path, bytes).unwrap();
            corrupted += 1;
        }
    }
    corrupted
}

/// Runs a server until it has cloned the repository. Returns the path of the copy.
async fn clone_once(data: &Path, hub: &Hub) -> PathBuf {
    let app = TestApp::start_on_with(data, poll_quickly).await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    app.end().await;
    data.join("git/shop.git")
}

#[tokio::test(flavor = "multi_thread")]
async fn corrupted_copy_is_cloned_again() {
    let (_keep, root, hub) = serve_shop().await;
    let data = tempfile::tempdir().unwrap();
    let copy = clone_once(data.path(), &hub).await;
    assert!(corrupt_packs(&copy, Half::First) > 0);
    // The leftovers of a killed git.
    fs::write(copy.join("packed-refs.lock"), "").unwrap();
    fs::create_dir_all(copy.join("refs/heads")).unwrap();
    fs::write(copy.join("refs/heads/main.lock"), "").unwrap();
    let second = write(&root, "second");
    hub.push(&root, "main");
    let app = TestApp::start_on_with(data.path(), poll_quickly).await;
    app.repo_until("shop", |repo| {
        repo["commit"] == second.as_str() && repo["state"] == "ready"
    })
    .await;
    assert_eq!(
        app.places_of("shop", "total_price").await,
        ["shop/price.py"]
    );
    git(&copy, &["fsck", "--strict"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_clone_that_was_interrupted_begins_again_at_the_next_start() {
    let (_keep, _root, hub) = serve_shop().await;
    hub.set_mood(Mood::Silent);
    let data = tempfile::tempdir().unwrap();
    let give_up_early = |config: &mut Config| {
        poll_quickly(config);
        config.git.stall_seconds = 1;
    };
    let is_fetching =
        |repo: &Value| repo["state"] == "indexing" && repo["progress"]["phase"] == "fetching";
    let app = TestApp::start_on_with(data.path(), give_up_early).await;
    add(&app, &hub.url, None).await;
    app.repo_until("shop", is_fetching).await;
    app.end().await;
    // A killed server does not remove it.
    let unfinished = data.path().join("git/shop.Ab12cd.unfinished");
    fs::create_dir_all(unfinished.join("objects")).unwrap();
    let app = TestApp::start_on_with(data.path(), give_up_early).await;
    app.repo_until("shop", is_fetching).await;
    assert!(!unfinished.exists());
    hub.set_mood(Mood::Normal);
    app.ready("shop").await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leftovers_of_removed_repositories_are_deleted() {
    let data = tempfile::tempdir().unwrap();
    let copies = data.path().join("git");
    for left in ["gone.Ab12cd.unfinished", "gone.damaged", "gone.git"] {
        fs::create_dir_all(copies.join(left).join("objects")).unwrap();
    }
    let app = TestApp::start_on_with(data.path(), poll_quickly).await;
    until("no unfinished clone", async || {
        (!copies.join("gone.Ab12cd.unfinished").exists()).then_some(())
    })
    .await;
    app.post("/gc", json!({})).await;
    assert_eq!(fs::read_dir(&copies).unwrap().count(), 0);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copy_with_corrupt_settings_is_cloned_again() {
    let (_keep, _root, hub) = serve_shop().await;
    let data = tempfile::tempdir().unwrap();
    let copy = clone_once(data.path(), &hub).await;
    fs::write(copy.join("config"), [0; 100]).unwrap();
    let app = TestApp::start_on_with(data.path(), poll_quickly).await;
    app.repo_until("shop", |repo| {
        repo["state"] == "ready" && repo["poll"]["failures"] == 0
    })
    .await;
    git(&copy, &["fsck", "--strict"]);
    app.end().await;
}

/// Moves the objects of a repository from its packs into files of their own.
fn unpack(repository: &Path) {
    let packs = tempfile::tempdir().unwrap();
    let from = repository.join("objects/pack");
    for entry in fs::read_dir(&from).unwrap() {
        let entry = entry.unwrap();
        let moved = packs.path().join(entry.file_name());
        fs::copy(entry.path(), &moved).unwrap();
        fs::remove_file(entry.path()).unwrap();
        if moved.extension().is_some_and(|e| e == "pack") {
            let mut git = std::process::Command::new("git");
            git.arg("-C").arg(repository).args(["unpack-objects", "-q"]);
            git.stdin(fs::File::open(&moved).unwrap());
            assert!(git.status().unwrap().success());
        }
    }
}

async fn wait_for_history(app: &TestApp) {
    app.ready("shop").await;
    let body = json!({"repo": "shop", "query": "`total_price`"});
    until("an answer with the history", async || {
        let answer = app.post("/context", body.clone()).await.json();
        (answer["issues"] == json!([])).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copy_found_damaged_by_a_question_is_cloned_again() {
    let (_keep, root, hub) = serve_shop().await;
    let first = git(&root, &["rev-parse", "HEAD"]);
    let tree = git(&root, &["rev-parse", "HEAD^{tree}"]);
    write(&root, "second");
    hub.push(&root, "main");
    let data = tempfile::tempdir().unwrap();
    let app = TestApp::start_on_with(data.path(), poll_rarely).await;
    add(&app, &hub.url, None).await;
    wait_for_history(&app).await;
    app.end().await;
    // A copy is not cloned twice within minutes by the same server.
    let app = TestApp::start_on_with(data.path(), poll_rarely).await;
    wait_for_history(&app).await;
    let copy = data.path().join("git/shop.git");
    unpack(&copy);
    let (directory, file) = tree.trim().split_at(2);
    fs::remove_file(copy.join("objects").join(directory).join(file)).unwrap();
    let body = json!({"repo": "shop", "ref": first.trim(), "query": "`total_price`"});
    let response = app.post("/context", body.clone()).await;
    assert_eq!(
        response.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "{}",
        response.text
    );
    let problem = response.json();
    assert_eq!(problem["code"], "revision_failed");
    let detail = problem["detail"].as_str().unwrap();
    assert!(!detail.contains(data.path().to_str().unwrap()), "{detail}");
    let answered = until("an answer from the new copy", async || {
        let response = app.post("/context", body.clone()).await;
        (response.status == StatusCode::OK).then_some(response)
    })
    .await;
    assert_eq!(places(&answered.json(), "total_price"), ["shop/price.py"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copy_damaged_behind_its_newest_commit_is_cloned_again_after_a_failed_fetch() {
    let (_keep, root, hub) = serve_shop().await;
    let data = tempfile::tempdir().unwrap();
    let copy = clone_once(data.path(), &hub).await;
    let app = TestApp::start_on_with(data.path(), poll_quickly).await;
    // Fetched as single objects, so that the commit and its own files stay readable.
    let second = write(&root, "second");
    hub.push(&root, "main");
    app.repo_until("shop", |repo| repo["commit"] == second.as_str())
        .await;
    wait_for_history(&app).await;
    assert!(corrupt_packs(&copy, Half::LastCutOff) > 0);
    let inode = || fs::metadata(&copy).ok().map(|copy| copy.ino());
    let damaged = inode();
    hub.set_mood(Mood::RequireLogin("nobody"));
    wait_for_failure(&app).await;
    hub.set_mood(Mood::Normal);
    until("another copy", async || {
        inode()
            .is_some_and(|inode| Some(inode) != damaged)
            .then_some(())
    })
    .await;
    app.ready("shop").await;
    git(&copy, &["fsck", "--strict"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn history_of_a_damaged_copy_is_read_after_it_is_cloned_again() {
    let (_keep, _root, hub) = serve_shop().await;
    let data = tempfile::tempdir().unwrap();
    let copy = clone_once(data.path(), &hub).await;
    assert!(corrupt_packs(&copy, Half::Last) > 0);
    let inode = || fs::metadata(&copy).ok().map(|copy| copy.ino());
    let damaged = inode();
    let app = TestApp::start_on_with(data.path(), poll_quickly).await;
    app.ready("shop").await;
    until("another copy", async || {
        inode()
            .is_some_and(|inode| Some(inode) != damaged)
            .then_some(())
    })
    .await;
    wait_for_history(&app).await;
    git(&copy, &["fsck", "--strict"]);
    app.end().await;
}
