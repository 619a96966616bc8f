//! Tests unusual messages of the Model Context Protocol: malformed, of other protocol versions, in other notations.
//! Each request gets an answer with its id, and the session goes on.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{Response, SHOP, TestApp, tree};
use crate::mcp::{Session, call, post, refusal, tool_call};

/// A request with an unpaired surrogate in a string.
const UNPAIRED_SURROGATE: &str = r#"{"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": {"name": "search", "arguments": {"q": "\ud83d"}}}"#;

/// Invalid messages, each with the expected error code and id.
fn invalid_messages() -> Vec<(String, i64, Value)> {
    let request = |id: u64, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    vec![
        (
            "{\"jsonrpc\": \"2.0\", \"id\": 1,".to_owned(),
            -32700,
            json!(null),
        ),
        ("hello".to_owned(), -32700, json!(null)),
        (UNPAIRED_SURROGATE.to_owned(), -32600, json!(70)),
        (
            r#"{"id": 71, "method": "tools/list"}"#.to_owned(),
            -32600,
            json!(71),
        ),
        (
            r#"[{"jsonrpc": "2.0", "id": 72, "method": "ping"}]"#.to_owned(),
            -32600,
            json!(null),
        ),
        (request(73, "tools/call", json!([])), -32602, json!(73)),
        (
            request(74, "tools/call", json!({"name": "search", "arguments": 5})),
            -32602,
            json!(74),
        ),
        (request(75, "no/such", json!({})), -32601, json!(75)),
    ]
}

#[test]
fn invalid_message_is_answered_and_the_session_continues() {
    let (_keep, root) = tree(SHOP);
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start_uninitialized(&root, cache.path());
    // Also before the session is initialized.
    session.send_line("{");
    assert_eq!(session.receive()["error"]["code"], -32700);
    let hello = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let answer = session.ask("initialize", hello);
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    for (message, code, id) in invalid_messages() {
        session.send_line(&message);
        let answer = session.receive();
        assert_eq!(answer["error"]["code"], code, "{message}: {answer}");
        assert_eq!(answer.get("id"), Some(&id), "{message}: {answer}");
        let found = session.call("search", json!({"q": "total_price"}));
        assert_ne!(found["isError"], true, "{found}");
    }
    session.end();
}

#[test]
fn last_line_needs_no_line_end() {
    let (_keep, root) = tree(SHOP);
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start(&root, cache.path());
    session.send_last("{\"jsonrpc\"");
    assert_eq!(session.receive()["error"]["code"], -32700);
    session.end();
}

async fn send_body(app: &TestApp, body: String) -> Response {
    let request = post(app, &json!({})).body(body);
    app.send(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_http_message_gets_a_json_rpc_error() {
    let app = TestApp::start().await;
    for (message, code, id) in invalid_messages() {
        let response = send_body(&app, message.clone()).await;
        let answer = response.json();
        assert_eq!(answer["error"]["code"], code, "{message}: {answer}");
        assert_eq!(answer.get("id"), Some(&id), "{message}: {answer}");
        assert_eq!(response.header("content-type"), "application/json");
        let status = match code {
            -32700 | -32600 => StatusCode::BAD_REQUEST,
            _ => StatusCode::OK,
        };
        assert_eq!(response.status, status, "{message}");
    }
    // An unsupported media type, and an unsupported content coding.
    let request = app.client().post(format!("{}/mcp", app.url)).body("{}");
    let request = request.header("accept", "application/json, text/event-stream");
    let plain = request
        .try_clone()
        .unwrap()
        .header("content-type", "text/plain");
    let response = app.send(plain).await;
    let got = (response.status.as_u16(), response.code());
    assert_eq!(got, (415, "unsupported_media_type".to_owned()));
    let coded = request.header("content-type", "application/json");
    let response = app.send(coded.header("content-encoding", "br")).await;
    let got = (response.status.as_u16(), response.code());
    assert_eq!(got, (415, "unsupported_encoding".to_owned()));
    app.end().await;
}

fn initialize_params(version: &str) -> Value {
    let client = json!({"name": "test", "version": "1"});
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client})
}

/// The requested protocol version, and the version that the server agrees to.
const VERSIONS: [(&str, &str); 6] = [
    ("2024-11-05", "2024-11-05"),
    // This version requires batches, which are not supported.
    ("2025-03-26", "2024-11-05"),
    ("2025-06-18", "2025-06-18"),
    ("2025-11-25", "2025-11-25"),
    ("2026-07-28", "2025-11-25"),
    ("2099-01-01", "2025-11-25"),
];

#[tokio::test(flavor = "multi_thread")]
async fn version_requiring_batches_is_not_agreed_to() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let cache = tempfile::tempdir().unwrap();
    for (asked, agreed) in VERSIONS {
        let mut session = Session::start_uninitialized(&root, cache.path());
        let answer = session.ask("initialize", initialize_params(asked));
        assert_eq!(
            answer["result"]["protocolVersion"], agreed,
            "{asked}: {answer}"
        );
        session.end();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params(asked)});
        let request = app.client().post(format!("{}/mcp", app.url)).json(&message);
        let request = request.header("accept", "application/json, text/event-stream");
        let answer = app.send(request).await.json();
        assert_eq!(
            answer["result"]["protocolVersion"], agreed,
            "{asked}: {answer}"
        );
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_numbers_are_accepted_in_float_notation() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let line = json!({"path": "shop/price.py", "line": 2.0, "limit": 5.0});
    let found = call(&app, "references", line).await;
    assert_ne!(found["isError"], true, "{found}");
    let question = json!({"query": "total_price", "budget_tokens": 8000.0});
    let found = call(&app, "context", question).await;
    assert_ne!(found["isError"], true, "{found}");
    for limit in [json!(1.5), json!(-1), json!("five")] {
        let message = tool_call("search", &json!({"q": "x", "limit": limit}));
        let refused = app.send(post(&app, &message)).await.json();
        let told = refusal(&refused["result"]).to_owned();
        assert!(told.contains("a whole number of 0 or more"), "{told}");
    }
    app.end().await;
}
