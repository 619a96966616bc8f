//! The committed OpenAPI document is the generated one.

use std::path::Path;

use crate::app::TestApp;

/// When this fails, look at the difference, and if it is wanted:
/// `cargo run -- openapi > openapi.yaml`.
#[test]
fn the_committed_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.yaml");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let generated = foveate::http::openapi::yaml().unwrap();
    let first = committed
        .lines()
        .zip(generated.lines())
        .position(|(a, b)| a != b);
    assert!(
        committed == generated,
        "openapi.yaml differs from line {:?} on; run: cargo run -- openapi > openapi.yaml",
        first.map(|n| n + 1)
    );
}

/// Generators of clients refuse a document with such a reference.
#[test]
fn no_reference_leads_nowhere() {
    let document = foveate::http::openapi::yaml().unwrap();
    let mut count = 0;
    for reference in document.split("#/components/").skip(1) {
        let path = reference.split(['\'', '\n']).next().unwrap();
        let (kind, name) = path.split_once('/').unwrap();
        let part = document.split(&format!("\n  {kind}:\n")).nth(1).unwrap();
        assert!(part.contains(&format!("    {name}:\n")), "{path}");
        count += 1;
    }
    assert!(count > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_served_and_names_every_route() {
    let app = TestApp::start().await;
    let response = app.get("/openapi.yaml").await;
    assert_eq!(response.header("content-type"), "application/yaml");
    let generated = foveate::http::openapi::yaml().unwrap();
    assert_eq!(response.text, generated);
    for text in [
        "openapi: 3.1",
        "  /repos:",
        "  /repos/{repo}:",
        "  /repos/{repo}/sync:",
        "  /repos/{repo}/context:",
        "  /context:",
        "  /healthz:",
        "  /readyz:",
        "  /metrics:",
        "  /openapi.yaml:",
        "identifier: Apache-2.0",
        "application/problem+json",
    ] {
        assert!(generated.contains(text), "{text}");
    }
    app.end().await;
}
