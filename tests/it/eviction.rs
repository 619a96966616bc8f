//! Tests many repositories under a small memory budget: they are evicted, and reloaded when a question needs them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use foveate::access::Grant;
use foveate::config::Config;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::app::{TestApp, commit, places, tree, until};
use crate::git_server::Mood;
use crate::index_report::Service as _;
use crate::process::Process;
use crate::remote::{self, serve_shop};

const COUNT: usize = 6;

/// Sets a memory budget with room for one repository only.
fn little_memory(config: &mut Config) {
    config.index.memory_bytes = 1;
    config.index.blob_cache_bytes = 0;
    config.storage.write_after_ms = 1;
}

/// Creates a repository with one function, named by its number.
fn repository(number: usize) -> (TempDir, PathBuf) {
    let (keep, root) = tree(&format!(
        "//- a{number}.py\ndef only_in_{number}():\n    return {number}\n"
    ));
    commit(&root, "first");
    (keep, root)
}

fn name(number: usize) -> String {
    format!("repo{number}")
}

async fn repos(app: &TestApp) -> Vec<Value> {
    let listed = app.get("/repos").await.json();
    listed["repos"].as_array().unwrap().clone()
}

fn residents(repos: &[Value]) -> BTreeSet<&str> {
    let resident = repos
        .iter()
        .filter(|repo| repo["memory"]["resident"] == true);
    resident
        .map(|repo| repo["name"].as_str().unwrap())
        .collect()
}

/// Waits until exactly one repository is in memory.
async fn wait_for_one_resident(app: &TestApp) {
    until("one repository in memory", async || {
        (residents(&repos(app).await).len() == 1).then_some(())
    })
    .await;
}

async fn assert_finds_own_function(app: &TestApp, number: usize) {
    let function = format!("only_in_{number}");
    let found = app.places_of(&name(number), &function).await;
    assert_eq!(found, [format!("a{number}.py")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn evicted_repository_is_reloaded_when_asked() {
    let data = tempfile::tempdir().unwrap();
    let app = TestApp::start_in(data.path(), None, little_memory).await;
    let mut trees = Vec::new();
    for number in 0..COUNT {
        let (keep, root) = repository(number);
        if number % 2 == 0 {
            app.add_tree(&name(number), &root, true).await;
        } else {
            app.add_git(&name(number), &root, None).await;
        }
        trees.push((keep, root));
    }
    wait_for_one_resident(&app).await;
    for repo in repos(&app).await {
        assert_eq!(repo["state"], "ready", "{repo}");
        assert_eq!(repo["files"], 1, "{repo}");
        assert_eq!(repo["definitions"], 1, "{repo}");
        let bytes = repo["memory"]["bytes"].as_u64().unwrap();
        assert_eq!(bytes > 0, repo["memory"]["resident"] == true, "{repo}");
    }
    assert_eq!(app.get("/readyz").await.status, StatusCode::OK);
    assert_eq!(app.metric("foveate_repositories_in_memory", "").await, 1.0);
    assert!(app.metric("foveate_memory_bytes", "").await > 0.0);
    let evicted = app.metric("foveate_repositories_evicted_total", "").await;
    assert!(evicted >= (COUNT - 1) as f64, "{evicted}");

    // All repositories are asked at once, each by several clients.
    let parsed = app.engine.blobs.stats().parsed;
    let app = Arc::new(app);
    let asked = (0..COUNT * 5).map(|n| {
        let app = Arc::clone(&app);
        tokio::spawn(async move { assert_finds_own_function(&app, n % COUNT).await })
    });
    for asked in asked.collect::<Vec<_>>() {
        asked.await.unwrap();
    }
    assert_eq!(app.engine.blobs.stats().parsed, parsed, "all from disk");

    // A change made while the repository was unloaded is found; its revisions can be asked.
    wait_for_one_resident(&app).await;
    assert_finds_own_function(&app, 1).await;
    wait_for_one_resident(&app).await;
    let unloaded = app.get("/repos/repo0").await.json();
    assert_eq!(unloaded["memory"]["resident"], false, "{unloaded}");
    let generation = unloaded["generation"].as_u64();
    let (_, root) = &trees[0];
    let first = unloaded["commit"].as_str().unwrap();
    fs::write(root.join("a0.py"), "def changed():\n    pass\n").unwrap();
    assert_eq!(app.places_of("repo0", "changed").await, ["a0.py"]);
    assert!(app.get("/repos/repo0").await.json()["generation"].as_u64() > generation);
    assert_finds_own_function(&app, 1).await;
    wait_for_one_resident(&app).await;
    let body = json!({"repo": "repo0", "ref": first, "query": "`only_in_0`"});
    let answer = app.post("/context", body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(places(&answer.json(), "only_in_0"), ["a0.py"]);

    // After a restart, the repository asked last is in memory; the others answer.
    wait_for_one_resident(&app).await;
    assert_finds_own_function(&app, 3).await;
    wait_for_one_resident(&app).await;
    let app = Arc::into_inner(app).unwrap();
    app.end().await;
    let app = TestApp::start_in(data.path(), None, little_memory).await;
    app.ready("repo3").await;
    let listed = repos(&app).await;
    assert!(
        residents(&listed).is_subset(&BTreeSet::from(["repo3"])),
        "{listed:?}"
    );
    for number in [1, 2, 4, 5] {
        assert_finds_own_function(&app, number).await;
    }
    assert_eq!(app.engine.blobs.stats().parsed, 0);
    // An unloaded repository can be removed, and its name registered again.
    wait_for_one_resident(&app).await;
    assert_eq!(
        app.delete("/repos/repo2").await.status,
        StatusCode::NO_CONTENT
    );
    let (_, root) = &trees[4];
    app.add_tree("repo2", root, false).await;
    assert_eq!(app.places_of("repo2", "only_in_4").await, ["a4.py"]);
    app.end().await;
}

/// Starts a service with little memory that neither polls nor, within a test, retries a failed fetch.
async fn app_without_polls() -> TestApp {
    TestApp::start_with(|config| {
        little_memory(config);
        config.git.schemes.push("http".to_owned());
        config.git.poll_seconds = 0;
        config.git.retry_seconds = 3600;
    })
    .await
}

/// Has the repository `shop` evicted by a new one, which is returned.
async fn evict_shop(app: &TestApp) -> TempDir {
    let (keep, root) = repository(0);
    app.add_tree("repo0", &root, false).await;
    assert_finds_own_function(app, 0).await;
    wait_for_one_resident(app).await;
    let shop = app.get("/repos/shop").await.json();
    assert_eq!(shop["memory"]["resident"], false, "{shop}");
    keep
}

#[tokio::test(flavor = "multi_thread")]
async fn push_before_an_eviction_is_in_the_next_answer() {
    let (_keep, root, hub) = serve_shop().await;
    let app = app_without_polls().await;
    remote::add(&app, &hub.url, None).await;
    app.ready("shop").await;
    remote::write(&root, "pushed");
    hub.push(&root, "main");
    hub.set_mood(Mood::Silent);
    let before = hub.seen().len();
    app.post("/repos/shop/sync", json!({})).await;
    until("the push is fetched", async || {
        (hub.seen().len() > before).then_some(())
    })
    .await;
    let _other = evict_shop(&app).await;
    hub.set_mood(Mood::Normal);
    let found = app.places_of("shop", "pushed").await;
    assert_eq!(found, ["shop/pushed.py"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failure_outlasts_an_eviction() {
    let (_keep, _root, hub) = serve_shop().await;
    let app = app_without_polls().await;
    remote::add(&app, &hub.url, None).await;
    app.ready("shop").await;
    hub.set_mood(Mood::RequireLogin("Basic other"));
    app.post("/repos/shop/sync", json!({})).await;
    let failure = remote::wait_for_failure(&app).await;
    let _other = evict_shop(&app).await;
    // While it is not in memory, too.
    let shop = app.get("/repos/shop").await.json();
    assert_eq!(shop["state"], "failed", "{shop}");
    assert_eq!(shop["error"], failure.as_str(), "{shop}");
    assert!(shop["generation"].as_u64() > Some(0), "{shop}");
    let ready = app.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::OK);
    assert_eq!(ready.json()["failed"], json!(["shop"]));
    let asked = hub.seen().len();
    let found = app.places_of("shop", "total_price").await;
    assert_eq!(found, ["shop/price.py"]);
    // It waits for its retry.
    assert_eq!(remote::wait_for_failure(&app).await, failure);
    remote::assert_degraded(&app).await;
    assert_eq!(hub.seen().len(), asked, "the old index answers at once");
    hub.set_mood(Mood::Normal);
    app.post("/repos/shop/sync", json!({})).await;
    app.ready("shop").await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn push_to_an_evicted_repository_is_in_its_next_answer() {
    let (_keep, root, hub) = serve_shop().await;
    let app = app_without_polls().await;
    remote::add(&app, &hub.url, None).await;
    app.ready("shop").await;
    let _other = evict_shop(&app).await;
    remote::write(&root, "pushed");
    hub.push(&root, "main");
    app.post("/repos/shop/sync", json!({})).await;
    let found = app.places_of("shop", "pushed").await;
    assert_eq!(found, ["shop/pushed.py"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_asked_last_is_loaded_first_after_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let app = TestApp::start_on(data.path()).await;
    let mut keep = Vec::new();
    for number in 0..2 {
        let (directory, root) = repository(number);
        app.add_tree(&name(number), &root, false).await;
        keep.push(directory);
    }
    app.end().await;
    let summary = |number| data.path().join(format!("index/repo{number}/summary.pack"));
    let stored = |number| fs::metadata(summary(number)).unwrap().len();
    let before = [stored(0), stored(1)];
    let write_soon = |config: &mut Config| config.storage.write_after_ms = 1;
    let app = TestApp::start_on_with(data.path(), write_soon).await;
    until("both are stored again", async || {
        (stored(0) > before[0] && stored(1) > before[1]).then_some(())
    })
    .await;
    // This changes no index.
    assert_finds_own_function(&app, 0).await;
    app.end().await;
    let app = TestApp::start_in(data.path(), None, little_memory).await;
    app.ready("repo0").await;
    assert_eq!(residents(&repos(&app).await), BTreeSet::from(["repo0"]));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_questions_reload_a_repository_once() {
    let app = TestApp::start_with(little_memory).await;
    let mut keep = Vec::new();
    for number in 0..2 {
        let (directory, root) = repository(number);
        app.add_tree(&name(number), &root, true).await;
        keep.push(directory);
    }
    wait_for_one_resident(&app).await;
    let unloaded = usize::from(residents(&repos(&app).await).contains("repo0"));
    let before = app
        .engine
        .get(&Grant::unrestricted(), &name(unloaded))
        .unwrap();
    let restored = app.engine.blobs.stats().restored;
    let app = Arc::new(app);
    let asked = (0..20).map(|_| {
        let app = Arc::clone(&app);
        tokio::spawn(async move { assert_finds_own_function(&app, unloaded).await })
    });
    for asked in asked.collect::<Vec<_>>() {
        asked.await.unwrap();
    }
    assert_eq!(app.engine.blobs.stats().restored, restored + 1);
    // The reloaded repository is the same object, so that it has one writer.
    assert!(Arc::ptr_eq(
        &before,
        &app.engine
            .get(&Grant::unrestricted(), &name(unloaded))
            .unwrap()
    ));
    Arc::into_inner(app).unwrap().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_reload_is_reported() {
    let app = TestApp::start_with(little_memory).await;
    let (_a, root) = repository(0);
    let (gone, gone_root) = repository(1);
    app.add_tree("repo1", &gone_root, true).await;
    app.add_tree("repo0", &root, true).await;
    assert_finds_own_function(&app, 0).await;
    until("repo1 is evicted", async || {
        (residents(&repos(&app).await) == BTreeSet::from(["repo0"])).then_some(())
    })
    .await;
    drop(gone);
    let answer = app
        .post("/context", json!({"repo": "repo1", "query": "x"}))
        .await;
    assert_eq!(answer.code(), "repo_failed", "{}", answer.text);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_for_a_question_needs_no_indexing_permit() {
    let app = TestApp::start_with(little_memory).await;
    let (_a, first) = repository(0);
    let (_b, second) = repository(1);
    app.add_tree("repo0", &first, true).await;
    app.add_tree("repo1", &second, true).await;
    wait_for_one_resident(&app).await;
    let listed = repos(&app).await;
    let unloaded = usize::from(residents(&listed).contains("repo0"));
    // All indexing permits are taken and not given back.
    let runs = &app.engine.index_runs;
    let all = u32::try_from(runs.available_permits()).unwrap();
    let taken = runs.acquire_many(all).await.unwrap();
    assert_finds_own_function(&app, unloaded).await;
    drop(taken);
    app.end().await;
}

/// Creates a tree whose index takes some megabytes.
fn large_tree(number: usize) -> (TempDir, PathBuf) {
    let (keep, root) = repository(number);
    for file in 0..100 {
        let function = |n| {
            format!(
                "def f{n}_{file}_{number}(a{n}, b):\n    return a{n} + {number} * b.c{file}\n\n\n"
            )
        };
        let source: String = (0..60).map(function).collect();
        fs::write(root.join(format!("m{file}.py")), source).unwrap();
    }
    (keep, root)
}

async fn add_and_ask(server: &Process, number: usize, root: &Path) {
    let body = json!({"name": name(number), "source": {"path": root}});
    server.call(Method::POST, "/repos", body).await;
    wait_for_own_function(server, number).await;
}

async fn wait_for_own_function(server: &Process, number: usize) {
    let function = format!("only_in_{number}");
    until(&function, async || {
        let body = json!({"repo": name(number), "query": format!("`{function}`")});
        let answer = server.call(Method::POST, "/context", body).await;
        // No answer until it is indexed.
        answer.get("functions")?;
        (places(&answer, &function) == [format!("a{number}.py")]).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn process_memory_stays_within_the_budget() {
    let trees: Vec<_> = (0..12).map(large_tree).collect();
    let one = Process::start(&["env"], None);
    add_and_ask(&one, 0, &trees[0].1).await;
    let held = one.metric("foveate_memory_held_bytes").await;
    drop(one);
    if held == 0.0 {
        eprintln!("not tested: the system does not say what a process holds");
        return;
    }

    // Room for four to six repositories. The counted size of all indexes together is below the budget.
    let budget = held + 44e6;
    let variable = format!("FOVEATE__INDEX__MEMORY_BYTES={budget}");
    let server = Process::start(&["env", &variable], None);
    for (number, (_, root)) in trees.iter().enumerate() {
        add_and_ask(&server, number, root).await;
        assert!(server.metric("foveate_memory_bytes").await < budget);
    }
    for number in 0..trees.len() {
        wait_for_own_function(&server, number).await;
    }
    until("within the budget", async || {
        (server.metric("foveate_memory_held_bytes").await <= budget).then_some(())
    })
    .await;
    let left = server.metric("foveate_repositories_evicted_total").await;
    assert!(left > 0.0);
    let stay = server.metric("foveate_repositories_in_memory").await;
    let now = server.metric("foveate_memory_held_bytes").await;
    assert!(
        stay > 1.0,
        "{stay} stay, {left} have left, {now} bytes of {budget}, {held} with one"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn question_during_shutdown_does_not_wait_for_a_reload() {
    let app = TestApp::start_with(little_memory).await;
    let trees: Vec<_> = (0..2).map(repository).collect();
    for (number, (_keep, root)) in trees.iter().enumerate() {
        app.add_tree(&name(number), root, true).await;
    }
    wait_for_one_resident(&app).await;
    let listed = repos(&app).await;
    let unloaded = listed
        .iter()
        .find(|repo| repo["memory"]["resident"] == false);
    let repo = unloaded.unwrap()["name"].as_str().unwrap();
    let body = json!({"repo": repo, "query": "a"}).to_string();
    let address = app.url.strip_prefix("http://").unwrap().to_owned();
    let mut connection = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /context HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    // The server has read the head, and waits for the body.
    tokio::time::sleep(Duration::from_millis(300)).await;
    app.stop.cancel();
    tokio::time::sleep(Duration::from_millis(300)).await;
    connection.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // Long before the deadline for building an index.
    let answered = tokio::time::timeout(
        Duration::from_secs(10),
        connection.read_to_string(&mut answer),
    );
    answered.await.expect("it waits").unwrap();
    assert!(answer.contains("stopping"), "{answer}");
    app.end().await;
}
