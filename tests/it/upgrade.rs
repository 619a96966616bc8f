//! Tests an index stored by a program that parsed differently. Changed limits stand for the difference.

use std::fs;
use std::path::{Path, PathBuf};

use foveate::config::Config;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, places, tree, until};

const KINDS: [&str; 2] = ["tree", "bare"];

/// Settings with memory for one repository, so that the others are evicted and are built only when asked.
fn earlier_program(config: &mut Config) {
    config.index.memory_bytes = 1;
    config.index.blob_cache_bytes = 0;
    config.storage.write_after_ms = 1;
}

fn later_program(config: &mut Config) {
    earlier_program(config);
    config.index.max_depth += 1;
}

/// Stores two repositories of the shop, and another that is asked last, so that the two are unloaded at the next
/// start.
async fn store_indexes(data: &Path) -> [(tempfile::TempDir, PathBuf); 2] {
    let app = TestApp::start_on_with(data, earlier_program).await;
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
async fn outdated_index_answers_until_the_new_one_is_built() {
    let data = tempfile::tempdir().unwrap();
    let [(_shop, root), _other] = store_indexes(data.path()).await;
    fs::write(root.join("shop/late.py"), "def late():\n    pass\n").unwrap();
    commit(&root, "stay open");

    let app = TestApp::start_on_with(data.path(), later_program).await;
    app.ready("other").await;
    // Loading the stored index for a question needs no permit. Building the new one does, and has to wait.
    let runs = app.engine.index_runs.clone();
    let others = runs.acquire_many_owned(2).await.unwrap();
    for kind in KINDS {
        let parsed = app.engine.blobs.stats().parsed;
        let price = vec!["shop/price.py".to_owned()];
        assert_eq!(
            ask(&app, kind, "total_price").await,
            (price, true),
            "{kind}"
        );
        assert_eq!(ask(&app, kind, "late").await, (vec![], true), "{kind}");
        assert_eq!(app.engine.blobs.stats().parsed, parsed, "{kind}");
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
    let parsed = app.engine.blobs.stats().parsed;
    let is_all = Some(parsed) >= repo["files"].as_u64();
    assert!(is_all, "nothing old is used or stored: {parsed}, {repo}");
    app.end().await;

    let app = TestApp::start_on_with(data.path(), later_program).await;
    for kind in KINDS {
        assert!(!ask(&app, kind, "total_price").await.1, "{kind}");
    }
    assert_eq!(app.engine.blobs.stats().parsed, 0, "the new one is stored");
    app.end().await;
}
