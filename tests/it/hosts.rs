//! Tests which `Host` headers are accepted: a page that reaches the server by DNS rebinding cannot read answers.

use reqwest::{Method, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::access::{create, wait_until_token_is_refused, wait_until_token_is_valid};
use crate::app::{Response, TestApp};

/// Starts a server that listens on all addresses and has no key.
async fn start_public(allow_hosts: &[&str]) -> TestApp {
    let named = allow_hosts.iter().map(|&host| host.to_owned()).collect();
    TestApp::start_with(|config| {
        config.server.listen = "0.0.0.0:0".parse().unwrap();
        config.access.allow_anonymous = true;
        config.server.allow_hosts = named;
    })
    .await
}

async fn ask_as(app: &TestApp, method: Method, path: &str, host: &str) -> Response {
    let request = app.client().request(method, format!("{}{path}", app.url));
    app.send(request.header("host", host)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_host_is_refused_without_a_token() {
    let app = start_public(&["code.example.org"]).await;
    let port = app.url.rsplit_once(':').unwrap().1;
    for (method, path) in [
        (Method::GET, "/repos"),
        (Method::GET, "/"),
        (Method::GET, "/healthz"),
        (Method::POST, "/context"),
        (Method::POST, "/mcp"),
        (Method::POST, "/webhooks/github"),
    ] {
        for host in [
            "evil.example",
            "evil.example:7878",
            "code.example.org.evil.example",
        ] {
            let refused = ask_as(&app, method.clone(), path, host).await;
            let got = (refused.status, refused.code());
            let wanted = (StatusCode::FORBIDDEN, "host_not_allowed".to_owned());
            assert_eq!(got, wanted, "{path} {host}");
            assert!(
                refused.text.contains("server.allow_hosts"),
                "{}",
                refused.text
            );
        }
    }
    for host in [
        &*format!("127.0.0.1:{port}"),
        &format!("localhost:{port}"),
        &format!("[::1]:{port}"),
        "10.1.2.3:7878",
        "foveate:8080",
        "code.example.org",
        "Code.Example.org:443",
    ] {
        let allowed = ask_as(&app, Method::GET, "/repos", host).await;
        assert_eq!(allowed.status, StatusCode::OK, "{host}: {}", allowed.text);
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn valid_token_allows_any_host() {
    let read_path = async |app: &TestApp, path: &str, token: Option<&str>| {
        let request = app.client().get(format!("{}{path}", app.url));
        let request = request.header("host", "code.example.org");
        let request = match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        app.send(request).await.status
    };
    let read = async |app: &TestApp, token| read_path(app, "/repos", token).await;
    let app = start_public(&[]).await;
    // While there is no key, no token is valid.
    assert_eq!(read(&app, Some("anything")).await, StatusCode::FORBIDDEN);
    let token = create(app.data(), &[]);
    wait_until_token_is_valid(&app, &token).await;
    wait_until_token_is_refused(&app, "no token").await;
    assert_eq!(read(&app, Some(&token)).await, StatusCode::OK);
    assert_eq!(read(&app, None).await, StatusCode::UNAUTHORIZED);
    // Probes of this machine need no token, but one in a browser may be a page's.
    assert_eq!(app.get("/metrics").await.status, StatusCode::OK);
    let probe = read_path(&app, "/metrics", None).await;
    assert_eq!(probe, StatusCode::UNAUTHORIZED);
    app.end().await;

    // The setting applies with and without a token.
    let app = start_public(&["other.example.org"]).await;
    let token = create(app.data(), &[]);
    wait_until_token_is_valid(&app, &token).await;
    wait_until_token_is_refused(&app, "no token").await;
    assert_eq!(read(&app, Some(&token)).await, StatusCode::OK);
    assert_eq!(read(&app, Some("unknown")).await, StatusCode::FORBIDDEN);
    assert_eq!(read(&app, None).await, StatusCode::FORBIDDEN);
    app.end().await;
}

/// Sends a raw request head, and returns the response.
async fn send_raw(app: &TestApp, head: &str) -> String {
    let address = app.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("{head}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).await.unwrap();
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicting_or_repeated_hosts_are_refused() {
    let app = TestApp::start().await;
    for head in [
        "GET /repos HTTP/1.1\r\nhost: localhost\r\nhost: evil.example.org",
        "GET /repos HTTP/1.1\r\nhost: localhost\r\nhost: localhost",
        "GET http://evil.example.org/repos HTTP/1.1\r\nhost: localhost",
        "GET http://localhost/repos HTTP/1.1\r\nhost: evil.example.org",
    ] {
        let said = send_raw(&app, head).await;
        assert!(said.starts_with("HTTP/1.1 400"), "{head}: {said}");
        assert!(said.contains("invalid_host"), "{head}: {said}");
    }
    for head in [
        "GET /repos HTTP/1.1\r\nhost: localhost",
        "GET http://localhost/repos HTTP/1.1\r\nhost: localhost",
        "GET http://localhost/repos HTTP/1.1\r\nhost: LOCALHOST:80",
    ] {
        let said = send_raw(&app, head).await;
        assert!(said.starts_with("HTTP/1.1 200"), "{head}: {said}");
    }
    app.end().await;
}
