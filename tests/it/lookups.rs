//! Tests direct lookups over HTTP: answers, pages, revisions and refusals.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, tree};

async fn get(app: &TestApp, path: &str) -> Value {
    let response = app.get(path).await;
    assert_eq!(response.status, StatusCode::OK, "{path}: {}", response.text);
    response.json()
}

fn texts<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|entry| entry[field].as_str().unwrap_or(""))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_lookup_is_answered() {
    let (_keep, root) = tree(SHOP);
    let app = TestApp::start().await;
    app.add_tree("acme/shop", &root, false).await;
    let base = "/repos/acme%2Fshop";

    let found = get(&app, &format!("{base}/definitions?name=Cart.checkout")).await;
    assert_eq!(found["found"], "exact");
    let definition = &found["definitions"][0];
    assert_eq!(definition["path"], "shop/cart.py");
    assert_eq!(definition["signature"], "def checkout(self):");
    assert_eq!(definition["start_line"], 13);
    assert_eq!(found["revision"]["repo"], "acme/shop");

    let found = get(&app, &format!("{base}/references?name=total_price")).await;
    let calls = found["references"].as_array().expect("references").iter();
    let calls: Vec<_> = calls.filter(|r| r["kind"] == "call").collect();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0]["caller"], "Cart.checkout");
    assert_eq!(calls[0]["confidence"], "certain");
    assert_eq!(
        (&calls[0]["path"], &calls[0]["line"]),
        (&json!("shop/cart.py"), &json!(14))
    );
    let at = get(
        &app,
        &format!("{base}/references?path=shop/price.py&line=3"),
    )
    .await;
    assert_eq!(at["references"], found["references"]);

    let found = get(&app, &format!("{base}/outline?path=shop/cart.py")).await;
    let names = texts(&found["entries"], "name");
    assert_eq!(names, ["Cart", "__init__", "items", "add_item", "checkout"]);
    assert_eq!(found["entries"][4]["depth"], 1);

    let found = get(&app, &format!("{base}/search?q=self%5C.%5Cw%2B&kind=regex")).await;
    assert_eq!(found["matches"].as_array().map(Vec::len), Some(3));
    let found = get(&app, &format!("{base}/search?q=CART&kind=paths")).await;
    assert_eq!(
        texts(&found["matches"], "path"),
        ["shop/cart.py", "tests/test_cart.py"]
    );

    for path in ["shop/price.py", "shop%2Fprice.py"] {
        let found = get(&app, &format!("{base}/files/{path}?lines=1-2")).await;
        assert_eq!(found["line_count"], 3);
        let text = found["text"].as_str().expect("a text");
        assert!(text.starts_with("def total_price(items):\n") && text.ends_with("\"\"\"\n"));
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lookup_with_a_ref_uses_its_commit() {
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    std::fs::write(
        root.join("shop/price.py"),
        "def price_of_all(items):\n    return 0\n",
    )
    .unwrap();
    let second = commit(&root, "second");
    let app = TestApp::start().await;
    app.add_tree("shop", &root, false).await;
    for (reference, name, commit) in [
        (first.as_str(), "total_price", &first),
        ("HEAD", "price_of_all", &second),
        ("HEAD~1", "total_price", &first),
    ] {
        let path = format!("/repos/shop/definitions?name={name}&ref={reference}");
        let found = get(&app, &path).await;
        assert_eq!(found["revision"]["commit"], **commit, "{reference}");
        assert_eq!(found["found"], "exact", "{reference}");
        let path = format!("/repos/shop/files/shop/price.py?ref={reference}");
        let text = get(&app, &path).await["text"]
            .as_str()
            .unwrap_or("")
            .to_owned();
        assert!(text.contains(name), "{reference}: {text}");
    }
    let response = app
        .get("/repos/shop/outline?path=shop/cart.py&ref=nowhere")
        .await;
    assert_eq!(
        (response.status, &*response.code()),
        (StatusCode::NOT_FOUND, "unknown_ref")
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cursors_page_through_the_whole_list() {
    let (_keep, root) = tree(SHOP);
    let app = TestApp::start().await;
    app.add_tree("shop", &root, false).await;
    let lookups = [
        ("search?q=total&", "matches"),
        ("search?q=t&kind=names&", "matches"),
        ("search?q=item&", "matches"),
        ("outline?path=shop/cart.py&", "entries"),
    ];
    for (lookup, list) in lookups {
        let whole = get(&app, &format!("/repos/shop/{lookup}")).await;
        let whole = whole[list].as_array().expect("a list").clone();
        assert!(whole.len() > 1, "{lookup}");
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = get(&app, &format!("/repos/shop/{lookup}limit=1{cursor}")).await;
            all.extend(page[list].as_array().expect("a list").clone());
            let Some(next) = page["next_cursor"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(all, whole, "{lookup}");
        // A cursor is refused by another lookup.
        let other = format!("/repos/shop/definitions?name=Cart{cursor}");
        let refused = app.get(&other).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        assert_eq!(refused.json()["field"], "cursor");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_lookups_name_their_field() {
    let (_keep, root) = tree(SHOP);
    std::fs::write(root.join("logo.png"), b"\x89PNG\r\n\0\0").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("passwd")).unwrap();
    let app = TestApp::start().await;
    app.add_tree("shop", &root, false).await;
    let long = "x".repeat(1001);
    let long = format!("search?q={long}");
    for (path, status, code, field) in [
        ("definitions", 400, "invalid_field", "name"),
        ("definitions?name=%20", 400, "invalid_field", "name"),
        ("definitions?nome=Cart", 400, "unknown_field", "nome"),
        (
            "definitions?name=Cart&limit=0",
            400,
            "invalid_field",
            "limit",
        ),
        (
            "definitions?name=Cart&limit=101",
            400,
            "invalid_field",
            "limit",
        ),
        (
            "definitions?name=Cart&cursor=x",
            400,
            "invalid_field",
            "cursor",
        ),
        (
            "definitions?name=Cart&ref=a..b",
            400,
            "invalid_field",
            "ref",
        ),
        ("references", 400, "invalid_field", "name"),
        ("references?path=shop/cart.py", 400, "invalid_field", "line"),
        (
            "references?path=shop/cart.py&line=0",
            400,
            "invalid_field",
            "line",
        ),
        (
            "references?path=shop/cart.py&line=99",
            404,
            "unknown_line",
            "",
        ),
        (
            "references?path=shop/cart.py&line=2",
            404,
            "no_definition",
            "line",
        ),
        ("references?path=../x&line=2", 400, "invalid_field", "path"),
        ("outline?path=/etc/passwd", 400, "invalid_field", "path"),
        ("outline?path=shop/../../x", 400, "invalid_field", "path"),
        ("outline?path=nowhere.py", 404, "unknown_path", "path"),
        ("search?q=(&kind=regex", 400, "invalid_field", "q"),
        ("search?q=x&kind=fuzzy", 400, "invalid_field", "kind"),
        ("search?q=x&path=/etc", 400, "invalid_field", "path"),
        (&long, 400, "invalid_field", "q"),
        ("files/nowhere.py", 404, "unknown_path", "path"),
        ("files/..%2F..%2Fetc%2Fpasswd", 400, "invalid_field", "path"),
        ("files/%2Fetc%2Fpasswd", 400, "invalid_field", "path"),
        (
            "files/shop/cart.py?lines=9-3", 400, "invalid_field", "lines",
        ),
        ("files/shop/cart.py?lines=0", 400, "invalid_field", "lines"),
        ("files/shop/cart.py?lines=99", 404, "unknown_line", ""),
        ("files/logo.png", 404, "file_not_indexed", "path"),
        ("files/passwd", 404, "file_not_indexed", "path"),
    ] {
        let refused = app.get(&format!("/repos/shop/{path}")).await;
        let problem = refused.json();
        let got = (
            refused.status.as_u16(),
            problem["code"].as_str().unwrap_or(""),
            problem["field"].as_str().unwrap_or(""),
        );
        assert_eq!(got, (status, code, field), "{path}: {}", refused.text);
    }
    let link = app.get("/repos/shop/files/passwd").await;
    assert!(
        link.text.contains("(symlink): it is a link; request"),
        "{}",
        link.text
    );
    for number in ["x", "2.0", "2e1", "-1", "", "99999999999999999999"] {
        for (lookup, field) in [
            ("definitions?name=Cart", "limit"),
            ("references?path=a.py", "line"),
        ] {
            let path = format!("/repos/shop/{lookup}&{field}={number}");
            let refused = app.get(&path).await;
            assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path}");
            let problem = refused.json();
            assert_eq!(
                (&problem["code"], &problem["field"]),
                (&json!("invalid_field"), &json!(field))
            );
            let detail = problem["detail"].as_str().unwrap();
            assert!(
                detail.ends_with("expected a whole number of 0 or more, in digits only"),
                "{path}: {detail}"
            );
        }
    }
    for (lines, reason) in [
        ("9-2", "9 is after 2"),
        ("0-2", "such as 12-40"),
        ("2-0", "such as 12-40"),
        ("2-x", "such as 12-40"),
    ] {
        let path = format!("/repos/shop/files/shop/cart.py?lines={lines}");
        let problem = app.get(&path).await.json();
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(reason), "{lines}: {detail}");
    }
    let binary = app.get("/repos/shop/files/logo.png").await.json();
    let detail = binary["detail"].as_str().unwrap_or("");
    assert!(detail.contains("binary"), "{detail}");
    let unknown = app.get("/repos/other/definitions?name=Cart").await;
    assert_eq!(
        (unknown.status, &*unknown.code()),
        (StatusCode::NOT_FOUND, "unknown_repo")
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lookups_use_the_question_queue() {
    let (_keep, root) = tree(SHOP);
    let app = TestApp::start_with(|config| {
        config.answer.concurrency = 1;
        config.answer.queue = 0;
    })
    .await;
    app.add_tree("shop", &root, false).await;
    let turn = app
        .engine
        .permits
        .queue
        .acquire("another", std::time::Duration::ZERO)
        .await
        .unwrap();
    let refused = app.get("/repos/shop/search?q=total").await;
    assert_eq!(
        (refused.status.as_u16(), &*refused.code()),
        (429, "overloaded")
    );
    drop(turn);
    get(&app, "/repos/shop/search?q=total").await;
    app.end().await;
}
