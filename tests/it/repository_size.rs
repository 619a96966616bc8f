//! Tests repositories above the size limits: they fail with a message, keep the previous index, and are indexed
//! once they are small enough.

use std::fs;

use axum::http::StatusCode;
use serde_json::json;

use crate::app::{TestApp, commit, git, tree};

const THREE: &str = "
//- a.py
def alpha(): return 1
//- b.py
def beta(): return 2
//- c.png
";

#[tokio::test(flavor = "multi_thread")]
async fn tree_with_too_many_files_fails_until_it_shrinks() {
    let app = TestApp::start_with(|config| config.index.max_files = 2).await;
    let (_keep, root) = tree(THREE);
    let body = json!({"name": "tree", "source": {"path": root}, "watch": true});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    let failed = app.repo_until("tree", |repo| repo["state"] == "failed");
    let error = failed.await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("more than 2 files"), "{error}");
    assert!(error.contains("index.max_files"), "{error}");
    fs::remove_file(root.join("c.png")).unwrap();
    app.ready("tree").await;
    assert_eq!(app.places_of("tree", "beta").await, ["b.py"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tree_that_cannot_be_indexed_is_reported_as_polled() {
    let app = TestApp::start_with(|config| config.index.max_files = 2).await;
    let (_keep, root) = tree(THREE);
    let body = json!({"name": "tree", "source": {"path": root}, "watch": true});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    let polled = app.repo_until("tree", |repo| {
        repo["state"] == "failed" && repo["watch"]["mode"] == "polling"
    });
    let reason = polled.await["watch"]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("index.max_files"), "{reason}");
    fs::remove_file(root.join("c.png")).unwrap();
    app.ready("tree").await;
    let repo = app.get("/repos/tree").await.json();
    assert_eq!(repo["watch"]["mode"], "events", "{repo}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tree_that_grows_too_large_keeps_its_last_index() {
    let app = TestApp::start_with(|config| config.index.max_files = 4).await;
    let (_keep, root) = tree(THREE);
    app.add_tree("tree", &root, true).await;
    let more = tempfile::tempdir_in(root.parent().unwrap()).unwrap();
    for name in ["d.py", "e.py"] {
        fs::write(more.path().join(name), "def late(): pass\n").unwrap();
    }
    fs::rename(more.path(), root.join("more")).unwrap();
    let failed = app.repo_until("tree", |repo| repo["state"] == "failed");
    let error = failed.await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("more than 4 files"), "{error}");
    assert_eq!(app.places_of("tree", "beta").await, ["b.py"]);
    fs::remove_file(root.join("more/d.py")).unwrap();
    app.ready("tree").await;
    app.places_become("tree", "late", &["more/e.py"]).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn file_deleted_while_the_tree_is_too_large_leaves_the_index() {
    let app = TestApp::start_with(|config| config.index.max_files = 4).await;
    let (_keep, root) = tree(THREE);
    app.add_tree("tree", &root, true).await;
    let more = tempfile::tempdir_in(root.parent().unwrap()).unwrap();
    for name in ["d.py", "e.py", "f.py"] {
        fs::write(more.path().join(name), "def late(): pass\n").unwrap();
    }
    fs::remove_file(root.join("b.py")).unwrap();
    fs::rename(more.path(), root.join("more")).unwrap();
    app.repo_until("tree", |repo| repo["state"] == "failed")
        .await;
    fs::remove_dir_all(root.join("more")).unwrap();
    app.ready("tree").await;
    app.places_become("tree", "beta", &[]).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tree_with_too_many_directories_fails() {
    let app = TestApp::start_with(|config| config.index.max_files = 4).await;
    let (_keep, root) = tree(THREE);
    for number in 0..5 {
        fs::create_dir(root.join(number.to_string())).unwrap();
    }
    let body = json!({"name": "tree", "source": {"path": root}, "watch": true});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    let failed = app.repo_until("tree", |repo| repo["state"] == "failed");
    let error = failed.await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("4 files or directories"), "{error}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_large_commit_keeps_the_previous_index() {
    let app = TestApp::start_with(|config| config.index.max_bytes = 100).await;
    let (_keep, root) = tree(THREE);
    // Not text, and therefore not counted.
    fs::write(root.join("c.png"), [0; 200]).unwrap();
    let first = commit(&root, "first");
    app.add_git("shop", &root, None).await;
    fs::write(root.join("b.py"), format!("def beta(): return {:060}\n", 1)).unwrap();
    let second = commit(&root, "second");
    app.post("/repos/shop/sync", json!(null)).await;
    let failed = app.repo_until("shop", |repo| repo["state"] == "failed");
    let error = failed.await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("index.max_bytes"), "{error}");
    assert_eq!(app.ask("shop", "`beta`").await["commit"], first.as_str());
    let body = json!({"repo": "shop", "query": "`beta`", "ref": second});
    let refused = app.post("/context", body).await;
    assert!(!refused.status.is_success());
    assert!(refused.text.contains("index.max_bytes"), "{}", refused.text);
    git(&root, &["reset", "-q", "--hard", &first]);
    app.post("/repos/shop/sync", json!(null)).await;
    app.ready("shop").await;
    app.end().await;
}
