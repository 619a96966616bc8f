//! Tests that the same request gives the same bytes: repeated, with another number of threads, after a restart.

use std::path::Path;

use reqwest::StatusCode;
use serde_json::json;

use crate::app::{SHOP, TestApp, commit, tree};

/// A fixture with enough files for several threads.
fn large_shop() -> String {
    let mut text = SHOP.to_owned();
    for n in 0..60 {
        text.push_str(&format!(
            "//- shop/shelf_{n}.py\nfrom shop.cart import Cart\n\n\ndef shelf_{n}(cart):\n    \
             \"\"\"Add an item to the cart.\"\"\"\n    return Cart().checkout()\n"
        ));
    }
    text
}

/// Answers of a service with `threads` indexing threads, without request ids and timings.
async fn answers(root: &Path, data: &Path, threads: usize) -> Vec<String> {
    let app = TestApp::start_with(|config| {
        config.storage.data_dir = data.to_owned();
        config.index.threads = threads;
    })
    .await;
    if app.get("/repos/shop").await.status == StatusCode::NOT_FOUND {
        app.add_tree("shop", root, false).await;
    }
    app.repo_until("shop", |repo| repo["history"] == true).await;
    let mut answers = Vec::new();
    for query in [
        "The cart adds an item twice\n\n`Cart.add_item` and #12, regression since checkout",
        "shelf",
    ] {
        for format in ["xml", "markdown", "json"] {
            for _ in 0..2 {
                let body = json!({
                    "repo": "shop", "query": query, "format": format, "budget_tokens": 2000,
                    "explain": true,
                });
                let response = app.post("/context", body).await;
                assert_eq!(response.status, StatusCode::OK, "{}", response.text);
                let mut answer = response.json();
                let fields = answer.as_object_mut().unwrap();
                fields.remove("request_id").unwrap();
                fields.remove("timings_ms").unwrap();
                answers.push(answer.to_string());
            }
        }
    }
    app.end().await;
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_identical_across_threads_and_restarts() {
    let (_keep, root) = tree(&large_shop());
    commit(&root, "open the shop (#12)");
    std::fs::write(
        root.join("shop/gift.py"),
        "def wrap(item):\n    return item\n",
    )
    .unwrap();
    commit(&root, "add an item to the cart as a gift");
    let data = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let first = answers(&root, data[0].path(), 1).await;
    for pair in first.chunks(2) {
        assert_eq!(pair[0], pair[1], "again");
    }
    assert_eq!(
        first,
        answers(&root, data[1].path(), 4).await,
        "other threads"
    );
    assert_eq!(
        first,
        answers(&root, data[0].path(), 3).await,
        "after a restart"
    );
}
