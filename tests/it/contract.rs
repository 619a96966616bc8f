//! The contract: every route, every refusal, by status and code.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, places, tree};

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_lives_from_registration_to_removal() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let head = commit(&root, "first");
    let body = json!({"name": "shop", "source": {"path": root}, "watch": true});
    let created = app.post("/repos", body.clone()).await;
    assert_eq!(created.status, StatusCode::CREATED);
    assert_eq!(created.header("location"), "/repos/shop");
    assert_eq!(created.json()["name"], "shop");

    let repo = app
        .repo_until("shop", |repo| {
            repo["state"] == "ready" && repo["history"] == true
        })
        .await;
    assert_eq!(repo["source"], json!({"path": root}));
    assert_eq!(repo["commit"], head.as_str());
    assert_eq!(repo["dirty"], false);
    assert_eq!(repo["files"], 4);
    assert_eq!(repo["languages"]["python"], 3);
    assert!(repo["definitions"].as_u64().unwrap() >= 6);
    assert!(repo["generation"].as_u64().unwrap() >= 1);
    assert_eq!(repo["watch"]["mode"], "events");
    assert_eq!(repo["watch"]["pending_files"], 0);
    assert_eq!(repo["error"], Value::Null);

    let again = app.post("/repos", body).await;
    assert_eq!(
        (again.status, again.code().as_str()),
        (StatusCode::CONFLICT, "repo_exists")
    );
    let list = app.get("/repos").await.json();
    assert_eq!(list["repos"].as_array().unwrap().len(), 1);

    let sync = app.call(Method::POST, "/repos/shop/sync", None).await;
    assert_eq!(sync.status, StatusCode::ACCEPTED);
    assert_eq!(
        app.delete("/repos/shop").await.status,
        StatusCode::NO_CONTENT
    );
    for response in [
        app.delete("/repos/shop").await,
        app.get("/repos/shop").await,
        app.call(Method::POST, "/repos/shop/sync", None).await,
        app.post("/context", json!({"repo": "shop", "query": "x"}))
            .await,
    ] {
        assert_eq!(response.status, StatusCode::NOT_FOUND);
        assert_eq!(response.code(), "unknown_repo");
    }
    assert!(root.join("shop/cart.py").exists(), "the files are not ours");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_may_have_an_owner() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let app = TestApp::start_on(data.path()).await;
    let body = json!({"name": "acme/shop", "source": {"path": root}, "watch": false});
    let created = app.post("/repos", body).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    assert_eq!(created.header("location"), "/repos/acme%2Fshop");
    assert_eq!(created.json()["name"], "acme/shop");
    // One that differs in nothing but the slash is another one.
    app.add_git("acme-shop", &root, None).await;
    app.repo_until("acme/shop", |repo| repo["history"] == true)
        .await;
    let by_path = app
        .post(
            "/repos/acme%2Fshop/context",
            json!({"query": "`total_price`"}),
        )
        .await;
    assert_eq!(by_path.json()["repo"], "acme/shop", "{}", by_path.text);
    let by_body = app.ask("acme/shop", "`total_price`").await;
    assert_eq!(places(&by_body, "total_price"), ["shop/price.py"]);
    let sync = app
        .call(Method::POST, "/repos/acme%2fshop/sync", None)
        .await;
    assert_eq!(sync.status, StatusCode::ACCEPTED);
    assert!(
        app.metric("foveate_repository_files", "repo=\"acme/shop\"")
            .await
            > 0.0
    );
    assert_eq!(app.get("/repos/acme/shop").await.code(), "not_found");
    app.end().await;

    // What is stored of it lies in one place of its own, and is found again.
    let stored = data.path().join("index/acme%2Fshop");
    assert!(stored.join("facts.pack").exists());
    let records = stored.join("history.pack");
    assert!(records.exists() && !data.path().join("index/acme").exists());
    // What is left of names that are gone.
    for gone in ["gone%2Faway", "shop.pack"] {
        std::fs::create_dir(data.path().join("index").join(gone)).unwrap();
        std::fs::write(
            data.path().join("index").join(gone).join("facts.pack"),
            "1234",
        )
        .unwrap();
    }
    let app = TestApp::start_on(data.path()).await;
    app.ready("acme/shop").await;
    let freed = app.post("/gc", json!({})).await.json()["repos"].clone();
    assert_eq!(
        (&freed["gone/away"], &freed["shop.pack"]),
        (&json!(4), &json!(4))
    );
    assert!(stored.exists() && records.exists());
    let removed = app.delete("/repos/acme%2Fshop").await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    assert!(!stored.exists() && !records.exists());
    assert!(data.path().join("index/acme-shop").exists());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_every_field_of_the_contract() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let head = commit(&root, "first");
    app.add_tree("shop", &root, false).await;
    app.repo_until("shop", |repo| repo["history"] == true).await;
    let body = json!({
        "repo": "shop", "query": "`Cart.checkout` raises TypeError in total_price",
        "budget_tokens": 2000, "format": "markdown", "intent": null, "limit": 5,
        "focus": {"paths": ["./shop/price.py"], "symbols": ["Cart"]}, "explain": true, "ref": null
    });
    let request = app.client().post(format!("{}/context", app.url));
    let response = app
        .send(request.header("x-request-id", "mine-1").json(&body))
        .await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text);
    assert_eq!(response.header("x-request-id"), "mine-1");
    let answer = response.json();
    assert_eq!(answer["request_id"], "mine-1");
    assert_eq!(answer["repo"], "shop");
    assert_eq!(answer["commit"], head.as_str());
    assert_eq!(
        answer["tree"],
        json!({"commit": head, "dirty": false, "pending_files": 0})
    );
    assert_eq!(answer["tokens"]["budget"], 2000);
    assert_eq!(answer["tokens"]["tokenizer"], "o200k_base");
    assert!(answer["tokens"]["used"].as_u64().unwrap() <= 2000);
    assert_eq!(places(&answer, "Cart.checkout"), ["shop/cart.py"]);
    assert_eq!(places(&answer, "total_price"), ["shop/price.py"]);
    assert!(answer["files"].as_array().unwrap().len() <= 5);
    for (field, inner) in [
        ("intent", &["kind", "confidence", "signals"][..]),
        (
            "timings_ms",
            &["intent", "resolve", "rank", "assemble", "total"],
        ),
    ] {
        for name in inner {
            assert!(!answer[field][name].is_null(), "{field}.{name}");
        }
    }
    for (list, fields) in [
        ("symbols", &["name", "from", "resolved"][..]),
        (
            "files",
            &["path", "score", "probability", "role", "signals"],
        ),
        (
            "places",
            &["path", "kind", "start_line", "end_line", "probability"],
        ),
        (
            "functions",
            &[
                "path",
                "name",
                "kind",
                "start_line",
                "end_line",
                "score",
                "signals",
            ],
        ),
        ("sections", &["name", "budget", "used", "items"]),
    ] {
        let first = &answer[list][0];
        for name in fields {
            assert!(!first[name].is_null(), "{list}[0].{name} in {first}");
        }
    }
    assert!(answer["confidence"].as_f64().unwrap() <= 1.0);
    assert!(answer["dropped"].is_array() && answer["issues"].is_array());
    assert!(!answer["context"].as_str().unwrap().is_empty());

    let mut by_path = body.clone();
    by_path.as_object_mut().unwrap().remove("repo");
    let same = app.post("/repos/shop/context", by_path).await;
    assert_eq!(same.json()["files"], answer["files"]);
    let twice = app.post("/repos/shop/context", body).await;
    assert_eq!(
        (twice.code().as_str(), &twice.json()["field"]),
        ("unknown_field", &json!("repo"))
    );

    let nothing = app.ask("shop", "qqqqzzzz").await;
    let codes = nothing["issues"].as_array().unwrap();
    assert!(
        codes.iter().any(|issue| issue["code"] == "no_match"),
        "an answer that found nothing says why: {nothing}"
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_refused_by_the_name_of_the_field() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let cases: [(Value, &str, &str); 21] = [
        (json!({"query": "x"}), "invalid_field", "repo"),
        (json!({"repo": "shop"}), "invalid_field", "query"),
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
    let unknown = app
        .post("/context", json!({"repo": "../shop", "query": "x"}))
        .await;
    assert_eq!(unknown.code(), "unknown_repo");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_checked_before_they_are_read() {
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
    let large = json!({"repo": "shop", "query": "x".repeat(2 << 20)});
    let response = app.post("/context", large).await;
    assert_eq!(response.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(response.code(), "body_too_large");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_routes_and_methods_are_problems_too() {
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
        "/repos/..%2Fx",
        "/repos/%2e%2e%2Fx",
        "/repos/a%2Fb",
        "/repos/%00",
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
async fn sources_that_cannot_be_read_are_refused() {
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

#[tokio::test(flavor = "multi_thread")]
async fn paths_may_be_confined() {
    let (_keep, allowed) = tree(SHOP);
    let (_other, outside) = tree(SHOP);
    std::os::unix::fs::symlink(&outside, allowed.join("way-out")).unwrap();
    let inside = allowed.join("shop");
    let app = TestApp::start_with(|config| config.repos.allow_paths = vec![allowed.clone()]).await;
    app.add_tree("inside", &inside, false).await;
    for path in [
        outside.clone(),
        allowed.join("way-out"),
        allowed.join("shop/../../.."),
        "/no/such".into(),
    ] {
        let body = json!({"name": "x", "source": {"path": path}});
        let response = app.post("/repos", body).await;
        assert_eq!(response.status, StatusCode::FORBIDDEN, "{path:?}");
        assert_eq!(response.code(), "path_not_allowed");
        assert_eq!(response.json()["field"], "source.path");
        let body = json!({"name": "x", "source": {"git": path}});
        let response = app.post("/repos", body).await;
        assert_eq!(response.code(), "path_not_allowed");
        assert_eq!(response.json()["field"], "source.git");
    }
    let missing = json!({"name": "x", "source": {"path": allowed.join("missing")}});
    assert_eq!(app.post("/repos", missing).await.code(), "invalid_field");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_is_being_indexed_says_so() {
    let app = TestApp::start_with(|config| config.index.runs = 1).await;
    let (_keep, root) = tree(SHOP);
    let busy = app
        .engine
        .index_runs()
        .clone()
        .acquire_owned()
        .await
        .unwrap();
    let body = json!({"name": "shop", "source": {"path": root}});
    assert_eq!(app.post("/repos", body).await.json()["state"], "indexing");
    let response = app
        .post("/context", json!({"repo": "shop", "query": "x"}))
        .await;
    assert_eq!(response.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        (response.code().as_str(), response.header("retry-after")),
        ("indexing", "1")
    );
    let ready = app.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ready.json()["indexing"], json!(["shop"]));
    drop(busy);
    app.ready("shop").await;
    let ready = app.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::OK, "{}", ready.text);
    assert_eq!(app.get("/healthz").await.json()["status"], "ok");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_questions_than_there_is_room_for_are_turned_away() {
    let app = TestApp::start_with(|config| {
        config.answer.concurrency = 1;
        config.answer.queue = 1;
    })
    .await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let question = json!({"repo": "shop", "query": "checkout"});
    let busy = app
        .engine
        .permits()
        .queue()
        .acquire("another", std::time::Duration::ZERO)
        .await
        .unwrap();
    let (waiting, turned_away) = tokio::join!(app.post("/context", question.clone()), async {
        crate::app::until("a waiting question", async || {
            (app.engine.permits().queue().waiting() == 1).then_some(())
        })
        .await;
        let turned_away = app.post("/context", question.clone()).await;
        drop(busy);
        turned_away
    });
    assert_eq!(turned_away.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(
        (
            turned_away.code().as_str(),
            turned_away.header("retry-after")
        ),
        ("overloaded", "1")
    );
    assert_eq!(waiting.status, StatusCode::OK, "{}", waiting.text);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_whose_turn_does_not_come_is_given_up() {
    let app = TestApp::start_with(|config| {
        config.answer.concurrency = 1;
        config.answer.deadline_ms = 20;
    })
    .await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let permits = app.engine.permits().queue();
    let _busy = permits
        .acquire("another", std::time::Duration::ZERO)
        .await
        .unwrap();
    let question = json!({"repo": "shop", "query": "checkout"});
    let given_up = app.post("/context", question).await;
    assert_eq!(given_up.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(given_up.code(), "deadline");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_whose_turn_comes_late_is_answered_with_less() {
    let app = TestApp::start_with(|config| {
        config.answer.concurrency = 1;
        config.answer.deadline_ms = 6_000;
    })
    .await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let permits = app.engine.permits().queue();
    let busy = permits
        .acquire("another", std::time::Duration::ZERO)
        .await
        .unwrap();
    let question = json!({"repo": "shop", "query": "`checkout` fails"});
    let (late, ()) = tokio::join!(app.post("/context", question), async {
        // Four fifths of the time are over; what is left is enough for what cannot be left out.
        tokio::time::sleep(std::time::Duration::from_millis(4_900)).await;
        drop(busy);
    });
    assert_eq!(late.status, StatusCode::OK, "{}", late.text);
    let answer = late.json();
    let issues = answer["issues"].as_array().unwrap();
    assert!(
        issues.iter().any(|issue| issue["code"] == "deadline"),
        "{issues:?}"
    );
    assert_eq!(answer["files"][0]["path"], "shop/cart.py", "{answer}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_never_ends_is_given_up() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let app = TestApp::start_with(|config| config.server.request_timeout_ms = 100).await;
    let address = app.url.strip_prefix("http://").unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = "POST /context HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: 10\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(
        text.starts_with("HTTP/1.1 408") && text.contains("request_timeout"),
        "{text}"
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_can_be_bounded_and_linked() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let head = commit(&root, "open the shop");
    app.add_git("shop", &root, None).await;
    let ask = async |field: &str, value: Value| {
        let mut body = json!({"repo": "shop", "query": "`Cart.checkout` and total_price differ"});
        body[field] = value;
        app.post("/context", body).await
    };
    let items = |answer: &Value| -> Vec<Value> {
        let sections = answer["sections"].as_array().unwrap().iter();
        let items = sections.flat_map(|section| section["items"].as_array().unwrap());
        items.cloned().collect()
    };
    let wide = ask("breadth", json!("wide")).await.json();
    let precise = ask("breadth", json!("precise")).await.json();
    assert!(items(&precise).len() < items(&wide).len(), "{precise}");
    let likely = ask("min_probability", json!(1)).await.json();
    assert!(items(&likely).len() < items(&wide).len(), "{likely}");
    let one = ask("max_files", json!(1)).await.json();
    let first = items(&one)[0]["path"].clone();
    assert!(
        items(&one).iter().all(|item| item["path"] == first),
        "{one}"
    );
    let seen = ask("seen", json!({"paths": [first]})).await.json();
    assert!(
        items(&seen).iter().all(|item| item["path"] != first),
        "{seen}"
    );
    let page = "https://git.example.com/ada/shop";
    let linked = ask("link_base", json!(page)).await.json();
    let link = items(&linked)[0]["link"].as_str().unwrap().to_owned();
    assert!(link.starts_with(&format!("{page}/blob/{head}/")), "{link}");
    for (field, value) in [
        ("breadth", json!("narrow")),
        ("min_probability", json!(1.5)),
        ("max_files", json!(0)),
        ("max_chars", json!(10)),
        ("link_base", json!("javascript:alert(1)")),
    ] {
        let refused = ask(field, value).await;
        assert_eq!(refused.json()["field"], field, "{}", refused.text);
    }
    app.end().await;
}
