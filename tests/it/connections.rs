//! Tests connection limits: request heads that never complete, idle clients, and more connections than
//! allowed.

use std::time::{Duration, Instant};

use reqwest::StatusCode;
use rustix::process::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{SHOP, TIMEOUT, TestApp, tree};
use crate::index_report::Service as _;
use crate::process::Process;

async fn open(url: &str, text: &str) -> TcpStream {
    let address = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// Waits until the server closes the connection, and returns everything it sent.
async fn read_to_end(mut stream: TcpStream) -> String {
    let mut said = Vec::new();
    let read = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut said));
    // A reset also ends the connection.
    let _ = read.await.expect("the server closes it");
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn incomplete_request_head_times_out() {
    let app = TestApp::start_with(|config| config.server.head_timeout_ms = 100).await;
    let half = open(&app.url, "GET /healthz HTTP/1.1\r\nhost: loc").await;
    let silent = open(&app.url, "").await;
    let idle = open(&app.url, "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    read_to_end(half).await;
    read_to_end(silent).await;
    assert!(read_to_end(idle).await.starts_with("HTTP/1.1 200"));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_open_connections_do_not_block_others() {
    let few = ["sh", "-c", "ulimit -n 128; exec \"$@\"", "sh"];
    let server = Process::start(&few, None);
    let mut held = Vec::new();
    for _ in 0..300 {
        held.push(open(server.url(), "GET /healthz HTTP/1.1\r\nhost: x").await);
    }
    for path in ["/healthz", "/readyz", "/metrics", "/repos"] {
        let response = reqwest::get(format!("{}{path}", server.url())).await;
        assert_eq!(response.unwrap().status(), StatusCode::OK, "{path}");
    }
    // Open files are also left for reading repositories.
    let (_keep, root) = tree(SHOP);
    server.add(&root).await;
    drop(held);
}

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_of_strangers_take_no_slots_of_others() {
    let keep = tempfile::tempdir().unwrap();
    let secret = keep.path().join("secret");
    std::fs::write(&secret, "webhook secret").unwrap();
    let app = TestApp::start_with(|config| {
        config.forge.github.webhook_secret = format!("file:{}", secret.display());
    })
    .await;
    let head = |forge: &str, signature: &str| {
        format!(
            "POST /webhooks/{forge} HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n\
             x-hub-signature-256: sha256={signature}\r\ncontent-length: 10\r\n\r\n"
        )
    };
    let begins = async |stream: &mut TcpStream, wanted: &str| {
        let mut buffer = [0; 64];
        let read = tokio::time::timeout(TIMEOUT, stream.read(&mut buffer)).await;
        let said = String::from_utf8_lossy(&buffer[..read.unwrap().unwrap()]).into_owned();
        assert!(said.starts_with(wanted), "{said}");
    };
    // Without a sender, the body is not read.
    for (forge, status) in [("github", 403), ("gitlab", 404), ("other", 404)] {
        let mut stream = open(&app.url, &head(forge, "none")).await;
        begins(&mut stream, &format!("HTTP/1.1 {status}")).await;
    }
    // The signature may be right, so the server waits for the bodies.
    let head = head("github", &"0".repeat(64));
    let mut busy = Vec::new();
    for _ in 0..32 {
        let mut stream = open(&app.url, &head).await;
        begins(&mut stream, "HTTP/1.1 100").await;
        busy.push(stream);
    }
    let mut further = open(&app.url, &head).await;
    begins(&mut further, "HTTP/1.1 503").await;
    assert_eq!(app.get("/repos").await.status, StatusCode::OK);
    drop(busy);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_are_answered_when_all_connections_are_busy() {
    let app = TestApp::start_with(|config| config.server.max_connections = 2).await;
    // The server waits for the bodies of these requests, which never come.
    let head = "POST /context HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n\
         content-type: application/json\r\ncontent-length: 10\r\n\r\n";
    let mut busy = Vec::new();
    for _ in 0..2 {
        let mut stream = open(&app.url, head).await;
        let mut buffer = [0; 64];
        assert!(stream.read(&mut buffer).await.unwrap() > 0);
        busy.push(stream);
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        let response = reqwest::get(format!("{}{path}", app.url)).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
    }
    let response = reqwest::get(format!("{}/repos", app.url)).await.unwrap();
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.headers()["connection"], "close");
    assert_eq!(response.headers()["retry-after"], "1");
    let problem: serde_json::Value = response.json().await.unwrap();
    assert_eq!(problem["code"], "too_many_connections");
    drop(busy);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_and_half_open_connections_do_not_delay_shutdown() {
    let server = Process::start(&["env", "FOVEATE__SERVER__SHUTDOWN_GRACE_MS=60000"], None);
    let half = open(server.url(), "GET /healthz HTTP/1.1\r\nhost: loc").await;
    let silent = open(server.url(), "").await;
    let mut idle = open(
        server.url(),
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    )
    .await;
    let mut buffer = [0; 64];
    assert!(idle.read(&mut buffer).await.unwrap() > 0);
    let start = Instant::now();
    server.signal(Signal::TERM);
    read_to_end(half).await;
    read_to_end(silent).await;
    read_to_end(idle).await;
    // Far less than the grace period for requests in flight.
    assert!(start.elapsed() < Duration::from_secs(30));
    server.wait_for_exit();
}

#[tokio::test(flavor = "multi_thread")]
async fn connection_is_reused_for_several_requests() {
    let app = TestApp::start().await;
    let mut stream = open(&app.url, "").await;
    for _ in 0..3 {
        let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut said = String::new();
        while !said.ends_with('}') {
            let mut buffer = [0; 512];
            let read = stream.read(&mut buffer).await.unwrap();
            assert!(read > 0, "it was closed after {said}");
            said += &String::from_utf8_lossy(&buffer[..read]);
        }
        assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_body_gets_a_readable_refusal() {
    let app = TestApp::start().await;
    for _ in 0..20 {
        // Like many clients, sends everything before it reads a byte.
        let body = "x".repeat(8 << 20);
        let request = format!(
            "POST /context HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let said = read_to_end(open(&app.url, &request).await).await;
        assert!(said.starts_with("HTTP/1.1 413"), "{said}");
        assert!(said.contains("body_too_large"), "{said}");
    }
    app.end().await;
}
