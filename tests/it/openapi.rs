//! Tests that the committed OpenAPI document is the generated one, and that the document is complete.

use std::collections::BTreeSet;
use std::path::Path;

use foveate::http::router::document;
use serde_json::{Value, json};

use crate::app::TestApp;

fn generated() -> String {
    document().to_yaml().unwrap()
}

/// If this fails, review the difference; if it is intended, run
/// `cargo run -- openapi > openapi.yaml`.
#[test]
fn committed_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.yaml");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let generated = generated();
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

/// Client generators refuse a document with a dangling reference.
#[test]
fn yaml_references_name_existing_components() {
    let document = generated();
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
async fn document_is_served_and_names_every_route() {
    let app = TestApp::start().await;
    let response = app.get("/openapi.yaml").await;
    assert_eq!(response.header("content-type"), "application/yaml");
    let generated = generated();
    assert_eq!(response.text, generated);
    for text in [
        "openapi: 3.1", "  /repos:", "  /repos/{repo}:", "  /repos/{repo}/sync:",
        "  /repos/{repo}/context:", "  /context:", "  /healthz:", "  /readyz:", "  /metrics:",
        "  /openapi.yaml:", "identifier: Apache-2.0", "application/problem+json",
    ] {
        assert!(generated.contains(text), "{text}");
    }
    app.end().await;
}

fn json() -> Value {
    serde_json::to_value(document()).expect("a document")
}

/// The statuses that an operation documents.
fn statuses(operation: &Value) -> BTreeSet<&str> {
    let responses = operation["responses"].as_object().expect("responses");
    responses.keys().map(String::as_str).collect()
}

#[test]
fn every_operation_documents_its_statuses() {
    let document = json();
    let paths = document["paths"].as_object().expect("paths");
    assert_eq!(paths.len(), 18);
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("a path item") {
            let named = statuses(operation);
            let mut wanted = vec!["401", "403", "408", "429", "500"];
            if path.contains("{repo}") {
                wanted.extend(["400", "404"]);
            }
            if !operation["requestBody"].is_null() {
                wanted.extend(["400", "413", "503"]);
            }
            // Webhooks are accepted with any content type.
            if !operation["requestBody"].is_null() && !path.starts_with("/webhooks/") {
                wanted.push("415");
            }
            if operation["tags"][0] == "lookups" {
                wanted.extend(["409", "429", "503"]);
            }
            if path.ends_with("/context") {
                wanted.extend(["404", "406", "409", "503"]);
            }
            for status in wanted {
                assert!(named.contains(status), "{method} {path}: {status}");
            }
        }
    }
}

#[test]
fn json_references_resolve() {
    fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let document = json();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 50);
    for reference in found {
        let pointer = reference.strip_prefix('#').expect(reference);
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn context_schemas_name_the_repository_once() {
    let document = json();
    let schema = |name: &str| document["components"]["schemas"][name].clone();
    let (anywhere, by_path) = (schema("ContextBody"), schema("RepoContextBody"));
    assert_eq!(anywhere["required"], json!(["repo"]));
    assert!(by_path["required"].is_null());
    assert_eq!(anywhere["additionalProperties"], json!(false));
    assert_eq!(by_path["additionalProperties"], json!(false));
    let mut fields = anywhere["properties"].clone();
    fields.as_object_mut().expect("fields").remove("repo");
    assert_eq!(by_path["properties"], fields);
    assert!(fields["signals"].is_object());

    let kinds = &schema("RegisterBody")["oneOf"];
    assert_eq!(kinds.as_array().map(Vec::len), Some(2));
    for (kind, source, has) in [
        ("RegisterTree", "TreeSource", ["watch", "path"]),
        ("RegisterGit", "GitSource", ["poll_seconds", "git"]),
    ] {
        let (kind, source) = (schema(kind), schema(source));
        assert!(kind["properties"][has[0]].is_object(), "{kind}");
        assert_eq!(source["required"], json!([has[1]]));
        for object in [kind, source] {
            assert_eq!(object["additionalProperties"], json!(false), "{object}");
        }
    }
}
