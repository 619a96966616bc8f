//! Tests content negotiation: codings of request bodies, codings and media types of answers, optional fields.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::app::{Response, SHOP, TestApp, commit, tree};

async fn shop() -> (TestApp, tempfile::TempDir, String) {
    let app = TestApp::start().await;
    let (keep, root) = tree(SHOP);
    let head = commit(&root, "first");
    app.add_tree("acme/shop", &root, false).await;
    app.repo_until("acme/shop", |repo| repo["history"] == true)
        .await;
    (app, keep, head)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

async fn send_as(app: &TestApp, coding: &str, body: Vec<u8>) -> Response {
    let request = app.client().post(format!("{}/context", app.url));
    let request = request
        .header("content-type", "application/json")
        .header("content-encoding", coding);
    app.send(request.body(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn compressed_bodies_are_decoded_within_the_limit() {
    let (app, _keep, _) = shop().await;
    let body = json!({"repo": "acme/shop", "query": "`total_price`"}).to_string();
    let body = body.as_bytes();
    let (first, second) = body.split_at(20);
    let members = [gzip(first), gzip(b""), gzip(second)].concat();
    for (coding, sent) in [
        ("gzip", gzip(body)),
        ("GZIP", gzip(body)),
        ("x-gzip", gzip(body)),
        ("gzip", members.clone()),
        ("identity", body.to_vec()),
        ("Identity", body.to_vec()),
    ] {
        let response = send_as(&app, coding, sent).await;
        assert_eq!(response.status, 200, "{coding}: {}", response.text);
        assert_eq!(response.json()["repo"], "acme/shop");
    }
    // Small when sent, far too large when decoded.
    let bomb = vec![b' '; 64 << 20];
    let half = &gzip(body)[..20];
    for (coding, sent, status, code) in [
        ("gzip", gzip(&bomb), 413, "body_too_large"),
        ("GZIP", gzip(&bomb), 413, "body_too_large"),
        (
            "gzip",
            [&*gzip(b" "), &gzip(&bomb)].concat(),
            413,
            "body_too_large",
        ),
        (
            "gzip",
            [&*gzip(body), b"rest"].concat(),
            400,
            "invalid_body",
        ),
        (
            "gzip",
            members[..members.len() - 4].to_vec(),
            400,
            "invalid_body",
        ),
        // Each empty member takes time.
        ("gzip", gzip(b"").repeat(65), 400, "invalid_body"),
        ("gzip", body.to_vec(), 400, "invalid_body"),
        ("gzip", half.to_vec(), 400, "invalid_body"),
        ("gzip", gzip(b"{"), 400, "invalid_json"),
        ("br", body.to_vec(), 415, "unsupported_encoding"),
        ("zstd", body.to_vec(), 415, "unsupported_encoding"),
        ("gzip, gzip", gzip(&gzip(body)), 415, "unsupported_encoding"),
    ] {
        let bytes = sent.len();
        let response = send_as(&app, coding, sent).await;
        let got = (response.status.as_u16(), response.code());
        assert_eq!(got, (status, code.to_owned()), "{coding}, {bytes} bytes");
        let names_limit = response.text.contains("1048576 bytes");
        assert_eq!(names_limit, status == 413, "{}", response.text);
        assert_eq!(response.header("content-type"), "application/problem+json");
        // A connection whose body was not read to its end cannot be used for another request.
        let closes = if code == "invalid_json" { "" } else { "close" };
        assert_eq!(response.header("connection"), closes);
        if status == 415 {
            assert_eq!(response.header("accept-encoding"), "gzip");
        }
    }
    // Very many empty deflate blocks.
    let mut nothing = gzip(b"");
    nothing.truncate(10);
    nothing.extend([0, 0, 0, 0xff, 0xff].repeat(1 << 20));
    let response = send_as(&app, "gzip", nothing).await;
    assert_eq!(response.code(), "body_too_large", "{}", response.text);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_compressed_if_accepted() {
    let (app, _keep, _) = shop().await;
    let question = json!({"query": "`total_price`"});
    let url = format!("{}/repos/acme%2Fshop/context", app.url);
    let ask = async |accepted: &str| {
        let request = app.client().post(&url).json(&question);
        let request = request.header("accept-encoding", accepted);
        let response = request.send().await.unwrap();
        let headers = response.headers().clone();
        (headers, response.bytes().await.unwrap().to_vec())
    };
    let text = |headers: &HeaderMap, name: &str| -> Vec<String> {
        let values = headers.get_all(name).iter();
        values.map(|v| v.to_str().unwrap().to_owned()).collect()
    };
    let (plain, bytes) = ask("identity").await;
    assert!(plain.get("content-encoding").is_none());
    let length = bytes.len();
    let (headers, bytes) = ask("gzip").await;
    assert_eq!(text(&headers, "content-encoding"), ["gzip"]);
    assert_eq!(text(&headers, "vary"), ["accept", "accept-encoding"]);
    assert!(bytes.len() * 2 < length, "{} of {length}", bytes.len());
    let mut decoded = Vec::new();
    GzDecoder::new(&*bytes).read_to_end(&mut decoded).unwrap();
    let answer: Value = serde_json::from_slice(&decoded).unwrap();
    assert_eq!(answer["repo"], "acme/shop");
    // A small answer is not compressed.
    let request = app.client().get(format!("{}/healthz", app.url));
    let response = app.send(request.header("accept-encoding", "gzip")).await;
    assert_eq!(response.header("content-encoding"), "");
    // A change is not refused because its answer cannot be encoded as requested: the answer is sent unencoded.
    let (_other, root) = tree(SHOP);
    let body = json!({"name": "other", "source": {"path": root}});
    let request = app.client().post(format!("{}/repos", app.url)).json(&body);
    let response = app
        .send(request.header("accept-encoding", "br, identity;q=0"))
        .await;
    assert_eq!(response.status, 201, "{}", response.text);
    assert_eq!(response.json()["name"], "other");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn media_type_selects_the_bare_context() {
    let (app, _keep, head) = shop().await;
    let ask = async |accept: &str, body: Value| {
        let request = app
            .client()
            .post(format!("{}/context", app.url))
            .json(&body);
        let request = request.header("accept", accept);
        app.send(request.header("x-request-id", "mine-7")).await
    };
    let question =
        |format: Value| json!({"repo": "acme/shop", "query": "`total_price`", "format": format});
    for (accept, format, kind, begins, holds) in [
        (
            "text/markdown",
            Value::Null,
            "text/markdown; charset=utf-8",
            "<!-- intent: ",
            "\n## ",
        ),
        (
            "application/xml",
            Value::Null,
            "application/xml; charset=utf-8",
            "<!-- intent: ",
            "<definitions>",
        ),
        (
            "text/plain",
            Value::Null,
            "text/plain; charset=utf-8",
            "<!-- intent: ",
            "<definitions>",
        ),
        (
            "text/plain",
            json!("markdown"),
            "text/plain; charset=utf-8",
            "<!-- intent: ",
            "\n## ",
        ),
        (
            "text/plain",
            json!("json"),
            "text/plain; charset=utf-8",
            "{",
            "\"definitions\"",
        ),
        (
            "text/markdown",
            json!("markdown"),
            "text/markdown; charset=utf-8",
            "<!-- intent: ",
            "\n## ",
        ),
        // The body asks for XML, so the answer cannot be Markdown and comes as JSON, which is also accepted.
        (
            "text/markdown, application/json;q=0.5",
            json!("xml"),
            "application/json",
            "{\"request_id\"",
            "<definitions>",
        ),
        (
            "*/*",
            json!("markdown"),
            "application/json",
            "{\"request_id\"",
            "## ",
        ),
    ] {
        let response = ask(accept, question(format.clone())).await;
        let shown = format!("{accept} {format}: {}", response.text);
        assert_eq!(response.status, 200, "{shown}");
        assert_eq!(response.header("content-type"), kind, "{shown}");
        assert!(
            response.text.starts_with(begins) && response.text.contains(holds),
            "{shown}"
        );
        // The headers carry the same values as the JSON answer.
        let answer = ask("application/json", question(format)).await.json();
        assert_eq!(response.header("x-request-id"), "mine-7");
        assert_eq!(response.header("foveate-repo"), "acme/shop");
        assert_eq!(response.header("foveate-commit"), head);
        assert_eq!(
            response.header("foveate-generation"),
            answer["generation"].to_string()
        );
        assert_eq!(response.header("foveate-issues"), "");
        assert_eq!(response.header("vary"), "accept");
        if kind.starts_with("text/plain") || begins.starts_with('<') {
            let used: usize = response.header("foveate-tokens").parse().unwrap();
            assert_eq!(
                used,
                foveate_query::tokenizer::count(&response.text),
                "{shown}"
            );
        }
    }
    let nothing = ask(
        "text/markdown",
        json!({"repo": "acme/shop", "query": "qqqqzzzz"}),
    )
    .await;
    assert_eq!(nothing.header("foveate-issues"), "no_match");

    for (accept, format) in [
        ("text/html", Value::Null),
        ("text/markdown", json!("xml")),
        ("application/json;q=0", Value::Null),
    ] {
        let response = ask(accept, question(format)).await;
        let got = (response.status.as_u16(), response.code());
        assert_eq!(got, (406, "not_acceptable".to_owned()), "{accept}");
        assert!(
            response.json()["detail"]
                .as_str()
                .unwrap()
                .contains("text/plain")
        );
    }
    // Problems are JSON, whatever `accept` says.
    let unknown = ask("text/markdown", json!({"repo": "none", "query": "x"})).await;
    assert_eq!(
        (unknown.status.as_u16(), unknown.code()),
        (404, "unknown_repo".to_owned())
    );
    assert_eq!(unknown.header("content-type"), "application/problem+json");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unwanted_answer_fields_are_omitted() {
    let (app, _keep, _) = shop().await;
    let ask = async |more: Value| {
        let mut body = json!({"query": "`Cart.checkout` and `total_price`"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let response = app.post("/repos/acme%2Fshop/context", body).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response
    };
    let lists = |answer: &Response, name: &str| answer.json()[name].as_array().unwrap().clone();
    let all = ask(json!({"explain": true})).await;
    assert!(lists(&all, "files")[0]["signals"][0]["value"].is_number());
    assert!(lists(&all, "functions")[0]["signals"][0]["value"].is_number());
    let usual = ask(json!({})).await;
    assert!(lists(&usual, "files")[0]["signals"].is_array());
    assert!(lists(&usual, "functions")[0].get("signals").is_none());
    let short = ask(json!({"signals": false, "explain": true})).await;
    for name in ["files", "functions"] {
        let (long, short) = (lists(&all, name), lists(&short, name));
        assert_eq!(long.len(), short.len());
        for (with, without) in long.iter().zip(short) {
            assert!(without.get("signals").is_none(), "{without}");
            assert_eq!(
                (&with["path"], &with["score"]),
                (&without["path"], &without["score"])
            );
        }
    }
    let one = ask(json!({"limit": 1, "signals": false})).await;
    assert_eq!(
        (lists(&one, "files").len(), lists(&one, "functions").len()),
        (1, 1)
    );
    assert_eq!(one.json()["context"], all.json()["context"]);
    assert!(one.text.len() < short.text.len() && short.text.len() < usual.text.len());
    app.end().await;
}
