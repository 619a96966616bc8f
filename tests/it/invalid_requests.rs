//! Tests refused requests: status, code and field.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, tree};

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_name_the_field() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let cases: [(Value, &str, &str); 23] = [
        (json!({"query": "x"}), "invalid_field", "repo"),
        (json!({"repo": "shop"}), "empty_query", "query"),
        (
            json!({"repo": "shop", "query": null}),
            "empty_query",
            "query",
        ),
        (json!({"repo": "shop", "query": ""}), "empty_query", "query"),
        (
            json!({"repo": "shop", "query": " \n\t"}),
            "empty_query",
            "query",
        ),
        (
            json!({"repo": "shop", "query": 7}),
            "invalid_field",
            "query",
        ),
        (
            json!({"repo": "shop", "query": "x", "budget": 9}),
            "unknown_field",
            "budget",
        ),
        (
            json!({"repo": "shop", "query": "x", "budget_tokens": 0}),
            "invalid_field",
            "budget_tokens",
        ),
        (
            json!({"repo": "shop", "query": "x", "budget_tokens": 1_000_000}),
            "invalid_field",
            "budget_tokens",
        ),
        (
            json!({"repo": "shop", "query": "x", "budget_tokens": -1}),
            "invalid_field",
            "budget_tokens",
        ),
        (
            json!({"repo": "shop", "query": "x", "budget_tokens": "8k"}),
            "invalid_field",
            "budget_tokens",
        ),
        (
            json!({"repo": "shop", "query": "x", "limit": 0}),
            "invalid_field",
            "limit",
        ),
        (
            json!({"repo": "shop", "query": "x", "limit": 101}),
            "invalid_field",
            "limit",
        ),
        (
            json!({"repo": "shop", "query": "x", "format": "pdf"}),
            "invalid_field",
            "format",
        ),
        (
            json!({"repo": "shop", "query": "x", "intent": "CHAT"}),
            "invalid_field",
            "intent",
        ),
        (
            json!({"repo": "shop", "query": "x", "focus": {"path": []}}),
            "unknown_field",
            "focus.path",
        ),
        (
            json!({"repo": "shop", "query": "x", "focus": [["cart.py"], []]}),
            "invalid_field",
            "focus",
        ),
        (
            json!({"repo": "shop", "query": "x", "focus": {"paths": ["../secret"]}}),
            "invalid_field",
            "focus.paths",
        ),
        (
            json!({"repo": "shop", "query": "x", "focus": {"paths": ["/etc/passwd"]}}),
            "invalid_field",
            "focus.paths",
        ),
        (
            json!({"repo": "shop", "query": "x", "ref": "-n"}),
            "invalid_field",
            "ref",
        ),
        (
            json!({"repo": "shop", "query": "x", "ref": "main"}),
            "invalid_field",
            "ref",
        ),
        (
            json!({"repo": "shop", "query": "x", "explain": "yes"}),
            "invalid_field",
            "explain",
        ),
        (
            json!({"repo": "shop", "query": "x".repeat(300_000)}),
            "invalid_field",
            "query",
        ),
    ];
    for (body, code, field) in cases {
        let shown: String = body.to_string().chars().take(200).collect();
        let response = app.post("/context", body).await;
        assert_eq!(
            response.status,
            StatusCode::BAD_REQUEST,
            "{shown}: {}",
            response.text
        );
        let problem = response.json();
        assert_eq!(
            (&problem["code"], &problem["field"]),
            (&json!(code), &json!(field)),
            "{shown}"
        );
        assert_eq!(response.header("content-type"), "application/problem+json");
        assert_eq!(problem["request_id"], response.header("x-request-id"));
        assert_eq!(problem["status"], 400);
        assert!(problem["detail"].as_str().unwrap().contains('`') || code == "invalid_field");
    }
    for (field, detail) in [
        (
            "budget",
            "`budget` is not a field of this request: did you mean `budget_tokens`?",
        ),
        (
            "zzz",
            "`zzz` is not a field of this request: expected one of `repo`, `ref`, `query`",
        ),
    ] {
        let body = json!({"repo": "shop", "query": "x", field: 9});
        let problem = app.post("/context", body).await.json();
        let told = problem["detail"].as_str().unwrap();
        assert!(told.starts_with(detail), "{told}");
        assert!(!told.contains("unknown field"), "{told}");
    }
    for (body, detail) in [
        (
            json!({"repo": "shop", "diff": "main..fix"}),
            "`diff`: expected an object (fields: `base`, `head`), not \"main..fix\"",
        ),
        (
            json!({"repo": "shop", "query": "x", "seen": ["a.py"]}),
            "`seen`: expected an object (fields: `paths`, `places`), not a list",
        ),
    ] {
        let problem = app.post("/context", body).await.json();
        assert_eq!(problem["detail"], detail);
    }
    // The fields of an object in their order.
    let array = app.post("/context", json!(["shop", null, "x"])).await;
    assert_eq!(
        (array.status.as_u16(), array.code()),
        (400, "invalid_field".into())
    );
    let unknown = app
        .post("/context", json!({"repo": "../shop", "query": "x"}))
        .await;
    assert_eq!(unknown.code(), "unknown_repo");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_or_oversized_bodies_are_refused() {
    let app = TestApp::start().await;
    let url = format!("{}/context", app.url);
    let post = |body: &'static str, kind: Option<&str>| {
        let request = app.client().post(&url).body(body);
        match kind {
            Some(kind) => request.header("content-type", kind),
            None => request,
        }
    };
    let json_type = Some("application/json");
    for (request, status, code) in [
        (post("{", json_type), 400, "invalid_json"),
        (post("", json_type), 400, "invalid_json"),
        (post("[]", json_type), 400, "invalid_field"),
        (
            post("{}", Some("text/plain")),
            415,
            "unsupported_media_type",
        ),
        (post("{}", None), 415, "unsupported_media_type"),
        (
            post("{\"query\": \"\\ud800\"}", json_type),
            400,
            "invalid_json",
        ),
    ] {
        let response = app.send(request).await;
        assert_eq!(
            (response.status.as_u16(), response.code().as_str()),
            (status, code)
        );
    }
    // An accepted body gets as far as the repository, which does not exist.
    for (body, kind) in [
        ("\u{feff}{\"repo\": \"shop\", \"query\": \"x\"}", json_type),
        (
            "{\"repo\": \"shop\", \"query\": \"x\"}",
            Some("Application/JSON; charset=utf-8"),
        ),
        (
            "{\"repo\": \"shop\", \"query\": \"x\"}",
            Some("application/vnd.shop+json"),
        ),
    ] {
        let response = app.send(post(body, kind)).await;
        assert_eq!(response.code(), "unknown_repo", "{body} {kind:?}");
    }
    let empty = app.send(post("\u{feff}\n", json_type)).await;
    assert!(empty.text.contains("it is empty"), "{}", empty.text);
    let large = json!({"repo": "shop", "query": "x".repeat(2 << 20)});
    let response = app.post("/context", large).await;
    assert_eq!(response.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(response.code(), "body_too_large");
    assert!(response.text.contains("1048576 bytes"), "{}", response.text);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_routes_and_methods_are_problems() {
    let app = TestApp::start().await;
    let response = app.get("/nothing/here").await;
    assert_eq!(
        (response.status.as_u16(), response.code().as_str()),
        (404, "not_found")
    );
    assert_eq!(response.header("content-type"), "application/problem+json");
    let response = app.call(Method::PUT, "/context", None).await;
    assert_eq!(
        (response.status.as_u16(), response.code().as_str()),
        (405, "method_not_allowed")
    );
    assert_eq!(response.header("allow"), "POST");
    for path in [
        "/repos/..%2Fx", "/repos/%2e%2e%2Fx", "/repos/a%2Fb", "/repos/%00",
    ] {
        let response = app.get(path).await;
        assert_eq!(response.status, StatusCode::NOT_FOUND, "{path}");
    }
    let response = app.get("/repos/%ff").await;
    assert_eq!(
        (response.status.as_u16(), response.code().as_str()),
        (400, "invalid_path")
    );
    let response = app.get("/repos/x?skiped=true").await;
    assert_eq!(
        (response.status.as_u16(), response.code().as_str()),
        (400, "unknown_field")
    );
    let request = app.client().get(format!("{}/healthz", app.url));
    let response = app
        .send(request.header("x-request-id", "not safe\u{fe}".replace('\u{fe}', "!")))
        .await;
    assert_ne!(
        response.header("x-request-id"),
        "not safe!",
        "unsafe ids are replaced"
    );
    assert!(!response.header("x-request-id").is_empty());
    let request = app.client().get(format!("{}/repos", app.url));
    let response = app.send(request.header("host", "evil.example.org")).await;
    let got = (response.status.as_u16(), response.code());
    assert_eq!(got, (403, "host_not_allowed".to_owned()));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_repository_sources_are_refused() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let file = root.join("README.md");
    let own = app.data().join("x");
    std::fs::create_dir_all(&own).unwrap();
    let cases: [(Value, u16, &str, &str); 24] = [
        (
            json!({"name": "a", "source": {"git": "//evil/x"}}),
            400,
            "invalid_field",
            "source.git",
        ),
        (
            json!({"name": "a", "source": {"git": "/no/such/dir.git"}}),
            400,
            "invalid_field",
            "source.git",
        ),
        (
            json!({"name": "a", "source": {"git": file}}),
            400,
            "invalid_field",
            "source.git",
        ),
        (
            json!({"name": "a", "source": {"path": "/no/such/dir"}}),
            400,
            "invalid_field",
            "source.path",
        ),
        (
            json!({"name": "a", "source": {"path": "relative"}}),
            400,
            "invalid_field",
            "source.path",
        ),
        (
            json!({"name": "a", "source": {"path": file}}),
            400,
            "invalid_field",
            "source.path",
        ),
        (
            json!({"name": "a", "source": {"path": own}}),
            400,
            "invalid_field",
            "source.path",
        ),
        (
            json!({"name": "a", "source": {"git": root}}),
            400,
            "invalid_field",
            "source.git",
        ),
        (
            json!({"name": "a", "source": {"git": "ext::sh -c id"}}),
            400,
            "invalid_field",
            "source.git",
        ),
        (
            json!({"name": "a", "source": {"git": "file:///etc"}}),
            400,
            "invalid_field",
            "source.git",
        ),
        (
            json!({"name": "a", "source": {"git": "--upload-pack=x"}}),
            400,
            "invalid_field",
            "source.git",
        ),
        (
            json!({"name": "a", "source": {"git": "https://example.org/a", "ref": "--x"}}),
            400,
            "invalid_field",
            "source.ref",
        ),
        (
            json!({"name": "a", "source": {}}),
            400,
            "invalid_field",
            "source",
        ),
        (
            json!({"name": "a", "source": {"path": root, "git": root}}),
            400,
            "invalid_field",
            "source",
        ),
        (
            json!({"name": "a", "source": {"path": root, "ref": "main"}}),
            400,
            "invalid_field",
            "source.ref",
        ),
        (
            json!({"name": "a", "source": {"git": root}, "watch": true}),
            400,
            "invalid_field",
            "watch",
        ),
        (
            json!({"name": "a", "source": {"git": root}, "watch": false}),
            400,
            "invalid_field",
            "watch",
        ),
        (
            json!({"name": "a", "source": {"path": root}, "poll_seconds": 9}),
            400,
            "invalid_field",
            "poll_seconds",
        ),
        (
            json!({"name": "a", "source": {"git": root}, "poll_seconds": -9}),
            400,
            "invalid_field",
            "poll_seconds",
        ),
        (
            json!({"name": "a", "source": {"url": "x"}}),
            400,
            "unknown_field",
            "source.url",
        ),
        (json!({"name": "a"}), 400, "invalid_field", "source"),
        (
            json!({"name": "../a", "source": {"path": root}}),
            400,
            "invalid_field",
            "name",
        ),
        (
            json!({"name": "", "source": {"path": root}}),
            400,
            "invalid_field",
            "name",
        ),
        (
            json!({"name": "a//c", "source": {"path": root}}),
            400,
            "invalid_field",
            "name",
        ),
    ];
    for (body, status, code, field) in cases {
        let response = app.post("/repos", body.clone()).await;
        let problem = response.json();
        assert_eq!(
            (
                response.status.as_u16(),
                &problem["code"],
                &problem["field"]
            ),
            (status, &json!(code), &json!(field)),
            "{body}: {}",
            response.text
        );
    }
    assert_eq!(app.get("/repos").await.json()["repos"], json!([]));
    app.end().await;
}
