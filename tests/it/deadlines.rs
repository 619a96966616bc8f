//! Tests the question queue: its length, its timeout, and answers whose deadline is nearly over.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;

use crate::app::{SHOP, TestApp, tree, until};

#[tokio::test(flavor = "multi_thread")]
async fn question_beyond_the_queue_is_refused() {
    let app = TestApp::start_with(|config| {
        config.answer.concurrency = 1;
        config.answer.queue = 1;
    })
    .await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let question = json!({"repo": "shop", "query": "checkout"});
    let busy = app
        .engine
        .permits
        .queue
        .acquire("another", Duration::ZERO)
        .await
        .unwrap();
    let (waiting, turned_away) = tokio::join!(app.post("/context", question.clone()), async {
        until("a waiting question", async || {
            (app.engine.permits.queue.waiting() == 1).then_some(())
        })
        .await;
        let turned_away = app.post("/context", question.clone()).await;
        drop(busy);
        turned_away
    });
    assert_eq!(turned_away.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(
        (
            turned_away.code().as_str(),
            turned_away.header("retry-after")
        ),
        ("overloaded", "1")
    );
    assert_eq!(waiting.status, StatusCode::OK, "{}", waiting.text);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn queued_question_times_out() {
    let app = TestApp::start_with(|config| {
        config.answer.concurrency = 1;
        config.answer.deadline_ms = 20;
    })
    .await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let permits = &app.engine.permits.queue;
    let _busy = permits.acquire("another", Duration::ZERO).await.unwrap();
    let question = json!({"repo": "shop", "query": "checkout"});
    let given_up = app.post("/context", question).await;
    assert_eq!(given_up.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(given_up.code(), "deadline");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn late_question_gets_a_reduced_answer() {
    let app = TestApp::start_with(|config| {
        config.answer.concurrency = 1;
        config.answer.deadline_ms = 6_000;
    })
    .await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let permits = &app.engine.permits.queue;
    let busy = permits.acquire("another", Duration::ZERO).await.unwrap();
    let question = json!({"repo": "shop", "query": "`checkout` fails"});
    let (late, ()) = tokio::join!(app.post("/context", question), async {
        // Four fifths of the deadline are over; the rest suffices for the mandatory parts of an answer.
        tokio::time::sleep(Duration::from_millis(4_900)).await;
        drop(busy);
    });
    assert_eq!(late.status, StatusCode::OK, "{}", late.text);
    let answer = late.json();
    let issues = answer["issues"].as_array().unwrap();
    assert!(
        issues.iter().any(|issue| issue["code"] == "deadline"),
        "{issues:?}"
    );
    assert_eq!(answer["files"][0]["path"], "shop/cart.py", "{answer}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn incomplete_request_body_times_out() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let app = TestApp::start_with(|config| config.server.request_timeout_ms = 100).await;
    let address = app.url.strip_prefix("http://").unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = "POST /context HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: 10\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(
        text.starts_with("HTTP/1.1 408") && text.contains("request_timeout"),
        "{text}"
    );
    app.end().await;
}
