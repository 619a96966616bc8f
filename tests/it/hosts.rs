//! Which hosts a request may name: no page whose host name points here by DNS rebinding reads answers.

use reqwest::{Method, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::access::{counts, counts_no_more, create};
use crate::app::{Response, TestApp};

/// A server that other machines reach, without a key.
async fn open_to_others(allow_hosts: &[&str]) -> TestApp {
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
async fn where_no_token_is_needed_a_page_cannot_name_the_server_by_its_own_host() {
    let app = open_to_others(&["code.example.org"]).await;
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
async fn who_has_a_token_may_call_the_server_as_they_like() {
    let read = async |app: &TestApp, token: Option<&str>| {
        let request = app.client().get(format!("{}/repos", app.url));
        let request = request.header("host", "code.example.org");
        let request = match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        app.send(request).await.status
    };
    let app = open_to_others(&[]).await;
    // Without a key nothing is a token.
    assert_eq!(read(&app, Some("anything")).await, StatusCode::FORBIDDEN);
    let token = create(app.data(), &[]);
    counts(&app, &token).await;
    counts_no_more(&app, "no token").await;
    assert_eq!(read(&app, Some(&token)).await, StatusCode::OK);
    assert_eq!(read(&app, None).await, StatusCode::UNAUTHORIZED);
    app.end().await;

    // The setting counts everywhere.
    let app = open_to_others(&["other.example.org"]).await;
    let token = create(app.data(), &[]);
    counts(&app, &token).await;
    counts_no_more(&app, "no token").await;
    assert_eq!(read(&app, Some(&token)).await, StatusCode::OK);
    assert_eq!(read(&app, Some("unknown")).await, StatusCode::FORBIDDEN);
    assert_eq!(read(&app, None).await, StatusCode::FORBIDDEN);
    app.end().await;
}

/// Sends a head as it stands, and gives what comes back.
async fn say(app: &TestApp, head: &str) -> String {
    let address = app.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("{head}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).await.unwrap();
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn who_names_two_hosts_is_refused() {
    let app = TestApp::start().await;
    for head in [
        "GET /repos HTTP/1.1\r\nhost: localhost\r\nhost: evil.example.org",
        "GET /repos HTTP/1.1\r\nhost: localhost\r\nhost: localhost",
        "GET http://evil.example.org/repos HTTP/1.1\r\nhost: localhost",
        "GET http://localhost/repos HTTP/1.1\r\nhost: evil.example.org",
    ] {
        let said = say(&app, head).await;
        assert!(said.starts_with("HTTP/1.1 400"), "{head}: {said}");
        assert!(said.contains("invalid_host"), "{head}: {said}");
    }
    for head in [
        "GET /repos HTTP/1.1\r\nhost: localhost",
        "GET http://localhost/repos HTTP/1.1\r\nhost: localhost",
        "GET http://localhost/repos HTTP/1.1\r\nhost: LOCALHOST:80",
    ] {
        let said = say(&app, head).await;
        assert!(said.starts_with("HTTP/1.1 200"), "{head}: {said}");
    }
    app.end().await;
}
