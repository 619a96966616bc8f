//! Tests shutdown: requests in flight finish, new ones are not accepted, nothing hangs.

use std::os::unix::net::UnixDatagram;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use foveate::config::Config;

use crate::app::{SHOP, TIMEOUT, TestApp, tree, until};
use crate::process::Process;

#[tokio::test(flavor = "multi_thread")]
async fn request_in_flight_finishes() {
    finishes("127.0.0.77:0", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_call_in_flight_finishes() {
    finishes("127.0.0.78:0", true).await;
}

/// Stops a service while it waits for the body of a question. The loopback address is the test's own, so that no other
/// test's server can get its port.
async fn finishes(listen: &str, over_mcp: bool) {
    let own = |config: &mut Config| config.server.listen = listen.parse().unwrap();
    let app = TestApp::start_with(own).await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, true).await;
    let arguments = json!({"repo": "shop", "query": "`total_price`"});
    let (path, body) = match over_mcp {
        false => ("/context", arguments),
        true => (
            "/mcp",
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": "context", "arguments": arguments}}),
        ),
    };
    let body = body.to_string();
    let address = app.url.strip_prefix("http://").unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: 100-continue\r\n\
         accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server asks for the body: the handler runs and waits for it.
    let mut buffer = [0; 256];
    let read = stream.read(&mut buffer).await.unwrap();
    assert!(buffer[..read].starts_with(b"HTTP/1.1 100 Continue"));

    app.stop.cancel();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains("shop/price.py"));
    let ended = tokio::time::timeout(TIMEOUT, app.running).await;
    ended.expect("it ends").unwrap();
    // A process just forked by another test may hold the socket for a moment.
    until("nobody listens", async || {
        TcpStream::connect(&address).await.err()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn indexing_does_not_delay_shutdown() {
    let app = TestApp::start().await;
    let mut text = String::new();
    for n in 0..3000 {
        text.push_str(&format!("//- m{n}.py\n"));
        for f in 0..20 {
            text.push_str(&format!(
                "def f{n}_{f}(a, b):\n    return [a + b for _ in range({f})]\n"
            ));
        }
    }
    let (_keep, root) = tree(&text);
    let body = json!({"name": "big", "source": {"path": root}});
    app.post("/repos", body).await;
    app.repo_until("big", |repo| repo["progress"]["phase"] != "waiting")
        .await;
    app.stop.cancel();
    let ended = tokio::time::timeout(TIMEOUT, app.running).await;
    ended.expect("it ends").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_request_is_dropped_after_the_grace_period() {
    let app = TestApp::start_with(|config| config.server.shutdown_grace_ms = 50).await;
    let address = app.url.strip_prefix("http://").unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = "POST /context HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n\
         content-type: application/json\r\ncontent-length: 10\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut buffer = [0; 256];
    assert!(stream.read(&mut buffer).await.unwrap() > 0);
    app.stop.cancel();
    let ended = tokio::time::timeout(TIMEOUT, app.running).await;
    ended.expect("it ends").unwrap();
}

#[test]
fn systemd_is_notified_of_start_and_stop() {
    let keep = tempfile::tempdir().unwrap();
    let path = keep.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let variable = format!("NOTIFY_SOCKET={}", path.display());
    let server = Process::start(&["env", &variable], None);
    let notification = || {
        let mut buffer = [0; 256];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    assert_eq!(notification(), "READY=1\n");
    server.stop();
    assert_eq!(notification(), "STOPPING=1\n");
}

#[test]
fn signals_to_the_process_and_its_group_are_one() {
    let server = Process::start(&[], None);
    server.signal(rustix::process::Signal::TERM);
    server.signal(rustix::process::Signal::INT);
    server.wait_for_exit();
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_terminal_stops_the_server_cleanly() {
    // The tests may run under `nohup`, and a server there outlives its terminal.
    let server = Process::start(&["env", "--default-signal=HUP"], None);
    server.signal(rustix::process::Signal::HUP);
    server.wait_for_exit();
}
