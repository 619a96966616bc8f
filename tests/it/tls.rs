//! Tests HTTPS: the server's own certificate, its replacement at runtime, and connection limits during handshakes.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Output;

use foveate::app::service::Service;
use foveate::config::Config;
use reqwest::{Certificate, Client, StatusCode};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::app::{TIMEOUT, TestApp, save, sum_of, until};

/// A certificate for `localhost` and its key, as PEM.
struct KeyPair {
    cert: String,
    key: String,
}

fn key_pair() -> KeyPair {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    KeyPair {
        cert: made.cert.pem(),
        key: made.signing_key.serialize_pem(),
    }
}

/// Paths of the files of a certificate and its key.
struct Files {
    cert: PathBuf,
    key: PathBuf,
    _keep: TempDir,
}

fn write_files(pair: &KeyPair) -> Files {
    let keep = tempfile::tempdir().unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| keep.path().join(name));
    save(&cert, &pair.cert);
    save(&key, &pair.key);
    Files {
        cert,
        key,
        _keep: keep,
    }
}

async fn app(files: &Files, change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::start_with(|config| {
        config.server.tls.cert = files.cert.clone();
        config.server.tls.key = files.key.clone();
        change(config);
    })
    .await
}

/// The app's URL with the host name of the certificate.
fn url(app: &TestApp) -> String {
    app.url.replace("127.0.0.1", "localhost")
}

/// A client that trusts only this certificate.
fn client_trusting(pair: &KeyPair) -> Client {
    let cert = Certificate::from_pem(pair.cert.as_bytes()).unwrap();
    let builder = Client::builder().tls_certs_only([cert]);
    builder
        .resolve("localhost", SocketAddr::from(([127, 0, 0, 1], 0)))
        .build()
        .unwrap()
}

async fn health(client: &Client, app: &TestApp) -> Option<StatusCode> {
    let answer = client.get(format!("{}/healthz", url(app))).send().await;
    answer.ok().map(|answer| answer.status())
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_is_reloaded_while_the_server_runs() {
    let (first, second) = (key_pair(), key_pair());
    let files = write_files(&first);
    let app = app(&files, |_| {}).await;
    assert!(app.url.starts_with("https://"));
    let early = client_trusting(&first);
    assert_eq!(health(&early, &app).await, Some(StatusCode::OK));
    assert_eq!(health(&client_trusting(&second), &app).await, None);
    let plain = app.url.replace("https:", "http:");
    assert!(reqwest::get(format!("{plain}/healthz")).await.is_err());

    // Between the two writes, certificate and key do not match, and the previous pair stays in use.
    save(&files.cert, &second.cert);
    until("a look at the files", async || {
        let metrics = early.get(format!("{}/metrics", url(&app))).send().await;
        let text = metrics.unwrap().text().await.unwrap();
        let failed = sum_of(&text, "foveate_certificate_reads_total", "failed");
        (failed > 0.0).then_some(())
    })
    .await;
    assert_eq!(
        health(&client_trusting(&first), &app).await,
        Some(StatusCode::OK)
    );
    save(&files.key, &second.key);
    until("the new certificate", async || {
        health(&client_trusting(&second), &app).await
    })
    .await;
    assert_eq!(health(&client_trusting(&first), &app).await, None);
    // The earlier connection is still open.
    assert_eq!(health(&early, &app).await, Some(StatusCode::OK));
    app.end().await;
}

/// Waits until the server closes the connection.
async fn wait_until_closed(mut stream: TcpStream) {
    let mut said = Vec::new();
    let read = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut said));
    let _ = read.await.expect("the server closes it");
}

#[tokio::test(flavor = "multi_thread")]
async fn incomplete_tls_handshake_times_out() {
    let files = write_files(&key_pair());
    let app = app(&files, |config| config.server.head_timeout_ms = 100).await;
    let address = app.url.strip_prefix("https://").unwrap();
    let silent = TcpStream::connect(address).await.unwrap();
    let mut half = TcpStream::connect(address).await.unwrap();
    // The head of a TLS record that never completes.
    half.write_all(&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
        .await
        .unwrap();
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain
        .write_all(b"GET /healthz HTTP/1.1\r\n\r\n")
        .await
        .unwrap();
    wait_until_closed(silent).await;
    wait_until_closed(half).await;
    wait_until_closed(plain).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_tls_handshakes_are_evicted_first() {
    let pair = key_pair();
    let files = write_files(&pair);
    let app = app(&files, |config| config.server.max_connections = 4).await;
    let address = app.url.strip_prefix("https://").unwrap();
    let mut silent = Vec::new();
    for _ in 0..64 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    assert_eq!(
        health(&client_trusting(&pair), &app).await,
        Some(StatusCode::OK)
    );
    app.end().await;
}

async fn foveate(arguments: &[&str], trusted: Option<&Path>) -> Output {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.args(arguments).env_remove("SSL_CERT_FILE");
    if let Some(trusted) = trusted {
        command.env("SSL_CERT_FILE", trusted);
    }
    command.output().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_verifies_certificates_except_for_local_health() {
    let files = write_files(&key_pair());
    let app = app(&files, |_| {}).await;
    let list = ["repo", "list", "--server", &url(&app)];
    let trusting = foveate(&list, Some(&files.cert)).await;
    let stderr = String::from_utf8_lossy(&trusting.stderr).into_owned();
    assert!(trusting.status.success(), "{stderr}");
    let plain = url(&app).replace("https:", "http:");
    let spoken = foveate(&["repo", "list", "--server", &plain], None).await;
    let told = String::from_utf8_lossy(&spoken.stderr).into_owned();
    assert!(
        told.contains("does not speak http") && told.contains(&url(&app)),
        "{told}"
    );
    let refused = foveate(&list, None).await;
    assert_eq!(refused.status.code(), Some(4));
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("set SSL_CERT_FILE"), "{told}");
    let health = foveate(&["health", "--server", &app.url], None).await;
    let stderr = String::from_utf8_lossy(&health.stderr).into_owned();
    assert!(health.status.success(), "{stderr}");
    app.end().await;
}

/// `openssl req -x509` makes such a certificate unless it is told otherwise.
#[tokio::test(flavor = "multi_thread")]
async fn certificate_of_an_authority_is_explained() {
    let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().unwrap();
    let files = write_files(&KeyPair {
        cert: params.self_signed(&key).unwrap().pem(),
        key: key.serialize_pem(),
    });
    let app = app(&files, |_| {}).await;
    let list = ["repo", "list", "--server", &url(&app)];
    let refused = foveate(&list, Some(&files.cert)).await;
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("CA:FALSE"), "{told}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_certificate_fails_the_start() {
    let (first, second) = (key_pair(), key_pair());
    let files = write_files(&first);
    let start = async || {
        let data = tempfile::tempdir().unwrap();
        let mut config = Config::defaults().unwrap();
        config.server.listen = "127.0.0.1:0".parse().unwrap();
        config.storage.data_dir = data.path().to_owned();
        config.server.tls.cert = files.cert.clone();
        config.server.tls.key = files.key.clone();
        let started = Service::start(config, &[], CancellationToken::new()).await;
        started.err().expect("it is refused").to_string()
    };
    save(&files.key, &second.key);
    let told = start().await;
    assert!(
        told.contains("server.tls.key") && told.contains("key.pem"),
        "{told}"
    );
    save(&files.key, &first.cert);
    let told = start().await;
    assert!(told.contains("it contains no PEM private key"), "{told}");
    save(&files.cert, "no certificate");
    let told = start().await;
    assert!(
        told.contains("server.tls.cert") && told.contains("cert.pem"),
        "{told}"
    );
}
