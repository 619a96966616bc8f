//! A program that parses differently from the one that stored the index. Other limits make it one.

use std::fs;
use std::path::{Path, PathBuf};

use foveate::config::Config;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, places, tree, until};

const KINDS: [&str; 2] = ["tree", "bare"];

/// Room for one repository, so that the others are evicted and nothing is made before they are asked.
fn earlier(config: &mut Config) {
    config.index.memory_bytes = 1;
    config.index.blob_cache_bytes = 0;
    config.storage.write_after_ms = 1;
}

fn later(config: &mut Config) {
    earlier(config);
    config.index.max_depth += 1;
}

/// Two repositories of the shop, and one that was asked last. Both are unloaded at the next start.
async fn stored(data: &Path) -> [(tempfile::TempDir, PathBuf); 2] {
    let app = TestApp::start_on_with(data, earlier).await;
    let [shop, other] = [tree(SHOP), tree("//- other.py\ndef other(): pass\n")];
    commit(&shop.1, "open the shop");
    app.add_tree(KINDS[0], &shop.1, false).await;
    app.add_git(KINDS[1], &shop.1, None).await;
    app.add_tree("other", &other.1, false).await;
    app.places_of("other", "other").await;
    until("both are evicted", async || {
        let mut repos = Vec::new();
        for kind in KINDS {
            repos.push(app.get(&format!("/repos/{kind}")).await.json());
        }
        let is_unloaded = |repo: &Value| repo["memory"]["resident"] == false;
        repos.iter().all(is_unloaded).then_some(())
    })
    .await;
    app.end().await;
    [shop, other]
}

async fn ask(app: &TestApp, repo: &str, name: &str) -> (Vec<String>, bool) {
    let body = json!({"repo": repo, "query": format!("`{name}`")});
    let response = app.post("/context", body).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text);
    let answer = response.json();
    let issues = answer["issues"].as_array().unwrap();
    let is_outdated = issues.iter().any(|issue| issue["code"] == "outdated");
    (places(&answer, name), is_outdated)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_earlier_program_stored_answers_until_the_index_is_made() {
    let data = tempfile::tempdir().unwrap();
    let [(_shop, root), _other] = stored(data.path()).await;
    fs::write(root.join("shop/late.py"), "def late():\n    pass\n").unwrap();
    commit(&root, "stay open");

    let app = TestApp::start_on_with(data.path(), later).await;
    app.ready("other").await;
    // Who is waited for may read; what comes after that waits.
    let runs = app.engine.index_runs().clone();
    let others = runs.acquire_many_owned(2).await.unwrap();
    for kind in KINDS {
        let parsed = app.engine.blobs().stats().parsed;
        let price = vec!["shop/price.py".to_owned()];
        assert_eq!(
            ask(&app, kind, "total_price").await,
            (price, true),
            "{kind}"
        );
        assert_eq!(ask(&app, kind, "late").await, (vec![], true), "{kind}");
        assert_eq!(app.engine.blobs().stats().parsed, parsed, "{kind}");
    }
    drop(others);
    for kind in KINDS {
        let late = vec!["shop/late.py".to_owned()];
        until("the index", async || {
            (ask(&app, kind, "late").await == (late.clone(), false)).then_some(())
        })
        .await;
    }
    let repo = app.get("/repos/tree").await.json();
    let parsed = app.engine.blobs().stats().parsed;
    let is_all = Some(parsed) >= repo["files"].as_u64();
    assert!(is_all, "nothing old is used or stored: {parsed}, {repo}");
    app.end().await;

    let app = TestApp::start_on_with(data.path(), later).await;
    for kind in KINDS {
        assert!(!ask(&app, kind, "total_price").await.1, "{kind}");
    }
    assert_eq!(
        app.engine.blobs().stats().parsed,
        0,
        "the new one is stored"
    );
    app.end().await;
}
