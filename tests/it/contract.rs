//! Tests the contract of the HTTP API: the routes, and the fields that programs read.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, places, tree};

#[tokio::test(flavor = "multi_thread")]
async fn repository_is_registered_synced_and_removed() {
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
async fn repository_name_may_contain_an_owner() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let app = TestApp::start_on(data.path()).await;
    let body = json!({"name": "acme/shop", "source": {"path": root}, "watch": false});
    let created = app.post("/repos", body).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    assert_eq!(created.header("location"), "/repos/acme%2Fshop");
    assert_eq!(created.json()["name"], "acme/shop");
    // A name that differs only in the slash is another repository.
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

    // Its stored data is in a directory of its own, and is read after a restart.
    let stored = data.path().join("index/acme%2Fshop");
    assert!(stored.join("facts.pack").exists());
    let records = stored.join("history.pack");
    assert!(records.exists() && !data.path().join("index/acme").exists());
    // Leftovers of repositories that no longer exist.
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
async fn answer_has_every_field_of_the_contract() {
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
                "path", "name", "kind", "start_line", "end_line", "score", "signals",
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
async fn question_during_indexing_is_refused_with_retry_after() {
    let app = TestApp::start_with(|config| config.index.runs = 1).await;
    let (_keep, root) = tree(SHOP);
    let busy = app.engine.index_runs.clone().acquire_owned().await.unwrap();
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
async fn context_can_be_bounded_and_linked() {
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
    let place = format!("./{}:1-9999", first.as_str().unwrap());
    let places = json!({"places": [place, "shop/gone.py:1-2"]});
    let seen = ask("seen", places).await.json();
    assert!(
        items(&seen).iter().all(|item| item["path"] != first),
        "{seen}"
    );
    let issues = seen["issues"].to_string();
    assert!(issues.contains("unknown_seen"), "{issues}");
    assert!(issues.contains("(shop/gone.py:1-2)"), "{issues}");
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
