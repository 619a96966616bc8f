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

/// What the current snapshot says of the functions that its newest commit changed.
fn newest_functions(app: &TestApp) -> Vec<String> {
    let current = app.engine.get("shop").unwrap().current().unwrap();
    let history = current.snapshot.history.clone().unwrap();
    let touched = &history.commits[0].touched;
    let functions = touched.iter().flat_map(|touched| &touched.functions);
    functions.map(|name| name.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_commits_changed_survives_and_goes_with_the_repository() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let price = fs::read_to_string(root.join("shop/price.py")).unwrap();
    let price = price.replace("item.price", "item.cost");
    fs::write(root.join("shop/price.py"), price).unwrap();
    commit(&root, "sum costs");
    let records = data.path().join("history/shop.records");
    let mut written = 0;
    for _ in 0..2 {
        let app = TestApp::start_on(data.path()).await;
        if written == 0 {
            app.add_git("shop", &root, None).await;
        }
        app.repo_until("shop", |repo| repo["history"] == true).await;
        assert_eq!(newest_functions(&app), ["total_price"]);
        app.end().await;
        let now = fs::metadata(&records).unwrap().len();
        assert!(written == 0 || written == now, "nothing was read again");
        written = now;
    }

    fs::write(&records, "not what it was").unwrap();
    let app = TestApp::start_on(data.path()).await;
    app.repo_until("shop", |repo| repo["history"] == true).await;
    assert_eq!(newest_functions(&app), ["total_price"]);
    assert_eq!(fs::metadata(&records).unwrap().len(), written);
    app.delete("/repos/shop").await;
    assert!(!records.exists());
    app.end().await;
}
