//! What survives a restart, and what a restart finds changed.

use std::fs;

use reqwest::StatusCode;

use crate::app::{SHOP, TestApp, commit, tree};

#[tokio::test(flavor = "multi_thread")]
async fn repositories_survive_and_are_read_again() {
    let data = tempfile::tempdir().unwrap();
    let (_a, root) = tree(SHOP);
    let (_b, other) = tree(SHOP);
    commit(&other, "first");
    let app = TestApp::start_on(data.path()).await;
    app.add_tree("shop", &root, true).await;
    app.add_git("other", &other, Some("main")).await;
    app.add_tree("gone", &other, false).await;
    assert_eq!(
        app.delete("/repos/gone").await.status,
        StatusCode::NO_CONTENT
    );
    app.end().await;

    fs::write(
        root.join("shop/while_down.py"),
        "def while_down():\n    pass\n",
    )
    .unwrap();
    let app = TestApp::start_on(data.path()).await;
    app.ready("shop").await;
    app.ready("other").await;
    assert_eq!(app.get("/repos/gone").await.status, StatusCode::NOT_FOUND);
    let repo = app.get("/repos/other").await.json();
    assert_eq!(repo["source"]["ref"], "main");
    assert_eq!(
        app.places_of("shop", "while_down").await,
        ["shop/while_down.py"]
    );
    assert_eq!(
        app.get("/repos/shop").await.json()["watch"]["mode"],
        "events"
    );
    app.end().await;

    // A source that is gone by the next start is told, and nothing else is lost.
    fs::remove_dir_all(&root).unwrap();
    let app = TestApp::start_on(data.path()).await;
    app.ready("other").await;
    let repo = app
        .repo_until("shop", |repo| repo["state"] == "failed")
        .await;
    assert!(
        repo["error"].as_str().unwrap().contains("not a directory"),
        "{repo}"
    );
    let ready = app.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::OK);
    assert_eq!(ready.json()["failed"], serde_json::json!(["shop"]));
    app.end().await;
}
