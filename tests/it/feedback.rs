//! Tests recorded answers: feedback of clients, what operators list and delete, retention and privacy.

use std::path::Path;
use std::process::{Command, Output};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, SqliteConnection};

use crate::access;
use crate::app::{Response, SHOP, TestApp, commit, tree, until};
use crate::database;
use crate::mcp;

/// Runs `foveate feedback` on a data directory.
pub fn feedback(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    database::configure_command(&mut command, data);
    let command = command.arg("feedback").args(arguments);
    command.arg("--data-dir").arg(data).output().unwrap()
}

/// The answers that `foveate feedback export` writes.
pub fn exported(data: &Path) -> Vec<Value> {
    let output = feedback(data, &["export"]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// Opens the database directly, without the service.
pub async fn database(data: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(data.join("foveate.db"));
    options.connect().await.unwrap()
}

/// Asks a question with a given request id.
async fn ask(app: &TestApp, token: &str, id: &str, repo: &str, query: &str) -> Response {
    let request = app.client().post(format!("{}/context", app.url));
    let request = request.bearer_auth(token).header("x-request-id", id);
    let response = app
        .send(request.json(&json!({"repo": repo, "query": query})))
        .await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text);
    response
}

fn feedback_for(id: &str) -> Value {
    json!({"request_id": id, "changed": [{"path": "shop/price.py", "name": "total_price"}]})
}

async fn shop(app: &TestApp, name: &str) -> tempfile::TempDir {
    let (keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    app.add_tree(name, &root, false).await;
    keep
}

#[tokio::test(flavor = "multi_thread")]
async fn reported_changes_are_compared_with_the_context() {
    let app = TestApp::start().await;
    let _keep = shop(&app, "feedback-shop").await;
    let answer = app
        .ask("feedback-shop", "`total_price` forgets discounts")
        .await;
    let id = answer["request_id"].as_str().unwrap();
    let given = json!({
        "request_id": id,
        "useful": [{"path": "shop/price.py"}],
        "changed": [
            {"path": "./shop/price.py", "name": "total_price"},
            {"path": "shop/price.py", "name": "no_such_function"},
            {"path": "shop/none.py", "name": null},
        ],
        "comment": "half of it",
    });
    let kept = app.post("/feedback", given).await;
    assert_eq!(kept.status, StatusCode::OK, "{}", kept.text);
    let expected = json!({
        "repo": "feedback-shop",
        "changed": {
            "files": 2, "files_in_context": 1, "file_share": 0.5,
            "functions": 2, "functions_in_context": 1, "function_share": 0.5,
        },
    });
    assert_eq!(kept.json(), expected);

    // Later feedback replaces the earlier; an answer without feedback adds nothing to the sums.
    assert_eq!(
        app.post("/feedback", feedback_for(id)).await.status,
        StatusCode::OK
    );
    app.ask("feedback-shop", "`checkout`").await;
    let stats = app.get("/stats?repo=feedback-shop&by=day").await.json();
    let total = &stats["repos"][0]["total"];
    assert_eq!(
        (&total["answers"], &total["feedback"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(total["reported"]["functions"], 1);
    assert_eq!(total["reported"]["function_share"], 1.0);
    assert_eq!(total["merges"], 0);
    assert!(total["merged"]["function_share"].is_null());
    let periods = stats["repos"][0]["periods"].as_array().unwrap();
    let sum: u64 = periods.iter().map(|p| p["answers"].as_u64().unwrap()).sum();
    assert_eq!(sum, 2, "{stats}");
    assert_eq!(
        periods[0]["start"].as_str().unwrap().len(),
        "2026-11-23".len()
    );
    let label = "repo=\"feedback-shop\"";
    assert_eq!(app.metric("foveate_repository_answers", label).await, 2.0);
    assert_eq!(app.metric("foveate_repository_feedback", label).await, 1.0);
    assert!(
        app.metric("foveate_feedback_total", "source=\"caller\"")
            .await
            >= 2.0
    );

    let kept = exported(app.data());
    assert_eq!(kept[0]["request_id"], id);
    assert_eq!(kept[0]["ranking"]["files"][0]["path"], "shop/price.py");
    assert_eq!(kept[0]["feedback"][0]["origin"], "anonymous");
    assert_eq!(kept[0]["feedback"][0]["changed"][0]["lines"], json!([1, 3]));
    assert!(kept[0]["query"].is_null());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_answer_is_recorded_under_its_request_id() {
    let app = TestApp::start().await;
    let _keep = shop(&app, "shop").await;
    let message = mcp::tool_call("context", &json!({"query": "`total_price` is wrong"}));
    let request = mcp::post(&app, &message).header("x-request-id", "agent-1");
    assert_eq!(app.send(request).await.status, StatusCode::OK);
    let kept = app.post("/feedback", feedback_for("agent-1")).await;
    assert_eq!(kept.status, StatusCode::OK, "{}", kept.text);
    assert_eq!(kept.json()["changed"]["functions_in_context"], 1);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_feedback_names_its_field() {
    let app = TestApp::start().await;
    let _keep = shop(&app, "shop").await;
    let answer = app.ask("shop", "`total_price`").await;
    let id = &answer["request_id"];
    let many: Vec<Value> = (0..201)
        .map(|n| json!({"path": format!("a{n}.py")}))
        .collect();
    for (body, code, field) in [
        (json!({"useful": []}), "invalid_field", "request_id"),
        (json!({"request_id": id}), "invalid_field", "useful"),
        (
            json!({"request_id": id, "comment": " "}),
            "invalid_field",
            "useful",
        ),
        (
            json!({"request_id": id, "rating": 5}),
            "unknown_field",
            "rating",
        ),
        (
            json!({"request_id": id, "useful": [{"path": "/etc/passwd"}]}),
            "invalid_field",
            "useful[0].path",
        ),
        (
            json!({"request_id": id, "changed": [{"path": "a.py", "line": 3}]}),
            "unknown_field",
            "changed[0].line",
        ),
        (
            json!({"request_id": id, "changed": many}),
            "invalid_field",
            "changed",
        ),
        (
            json!({"request_id": id, "comment": "x".repeat(2001)}),
            "invalid_field",
            "comment",
        ),
    ] {
        let refused = app.post("/feedback", body).await;
        let problem = (refused.status, &*refused.code(), refused.json());
        assert_eq!(problem.0, StatusCode::BAD_REQUEST, "{}", refused.text);
        assert_eq!((problem.1, &problem.2["field"]), (code, &json!(field)));
    }
    for (id, status, code) in [
        ("no-such-id", StatusCode::NOT_FOUND, "unknown_answer"),
        (
            "x'; drop table answers; --",
            StatusCode::BAD_REQUEST,
            "invalid_field",
        ),
        ("", StatusCode::BAD_REQUEST, "invalid_field"),
    ] {
        let refused = app.post("/feedback", feedback_for(id)).await;
        assert_eq!((refused.status, &*refused.code()), (status, code));
    }
    assert_eq!(
        app.get("/stats?by=year").await.status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(app.get("/stats?since=1").await.code(), "unknown_field");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_hidden_repositories_are_unknown_to_a_key() {
    let app = TestApp::start().await;
    let _seen = shop(&app, "seen").await;
    let _hidden = shop(&app, "hidden").await;
    let admin = access::create(app.data(), &["--scope", "admin"]);
    let reader = access::create(app.data(), &["--repo", "seen"]);
    access::wait_until_token_is_valid(&app, &reader).await;
    ask(&app, &admin, "hidden-1", "hidden", "`total_price`").await;
    let give = async |token: &str, id: &str| {
        access::call(
            &app,
            token,
            Method::POST,
            "/feedback",
            Some(&feedback_for(id)),
        )
        .await
    };
    let [hidden, unknown] = [
        give(&reader, "hidden-1").await,
        give(&reader, "unknown-1").await,
    ];
    assert_eq!(hidden.status, StatusCode::NOT_FOUND);
    assert_eq!(hidden.text, unknown.text);

    // A request id used by two keys leads each of them to its own answer.
    ask(&app, &reader, "twice", "seen", "`total_price`").await;
    ask(&app, &admin, "twice", "hidden", "`total_price`").await;
    assert_eq!(give(&reader, "twice").await.json()["repo"], "seen");
    assert_eq!(give(&admin, "twice").await.json()["repo"], "hidden");

    let get =
        async |token: &str, path: &str| access::call(&app, token, Method::GET, path, None).await;
    let names = |response: &Response| -> Vec<String> {
        let repos = response.json()["repos"].as_array().unwrap().clone();
        repos
            .iter()
            .map(|r| r["repo"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&get(&admin, "/stats").await), ["hidden", "seen"]);
    assert_eq!(names(&get(&reader, "/stats").await), ["seen"]);
    let [hidden, unknown] = [
        get(&reader, "/stats?repo=hidden").await,
        get(&reader, "/stats?repo=absent").await,
    ];
    assert_eq!(hidden.status, StatusCode::NOT_FOUND);
    assert_eq!(hidden.text, unknown.text.replace("absent", "hidden"));
    let metrics = get(&reader, "/metrics").await.text;
    assert!(metrics.contains("foveate_repository_answers{repo=\"seen\"} 1"));
    assert!(!metrics.contains("hidden"), "{metrics}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_survive_restarts_until_they_expire() {
    let data = tempfile::tempdir().unwrap();
    let app = TestApp::start_on(data.path()).await;
    let _keep = shop(&app, "shop").await;
    for id in ["old", "new"] {
        ask(&app, "-", id, "shop", "`total_price`").await;
    }
    app.post("/feedback", feedback_for("old")).await;
    // Queued answers are written when the server stops, at the latest.
    app.end().await;
    let mut database = database(data.path()).await;
    sqlx::query(
        "update answers set created_at = created_at - 91 * 86400000 where request_id = 'old'",
    )
    .execute(&mut database)
    .await
    .unwrap();

    let app = TestApp::start_on(data.path()).await;
    app.ready("shop").await;
    until("the end of what is too old", async || {
        let kept = exported(data.path());
        (kept.len() == 1).then_some(())
    })
    .await;
    assert_eq!(
        app.post("/feedback", feedback_for("new")).await.status,
        StatusCode::OK
    );
    assert_eq!(
        app.post("/feedback", feedback_for("old")).await.code(),
        "unknown_answer"
    );
    app.end().await;

    let few = |config: &mut foveate::config::Config| config.feedback.max_answers = 2;
    let app = TestApp::start_on_with(data.path(), few).await;
    app.ready("shop").await;
    for id in ["newer", "newest"] {
        ask(&app, "-", id, "shop", "`total_price`").await;
        assert_eq!(
            app.post("/feedback", feedback_for(id)).await.status,
            StatusCode::OK
        );
    }
    until("the end of what is too much", async || {
        let ids: Vec<Value> = exported(data.path())
            .iter()
            .map(|a| a["request_id"].clone())
            .collect();
        (ids == ["newer", "newest"]).then_some(())
    })
    .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removing_a_repository_deletes_its_answers() {
    let app = TestApp::start().await;
    let _gone = shop(&app, "gone").await;
    let _stays = shop(&app, "stays").await;
    for (id, repo) in [("a", "gone"), ("b", "stays"), ("c", "gone")] {
        ask(&app, "-", id, repo, "`total_price`").await;
    }
    app.post("/feedback", feedback_for("a")).await;
    assert_eq!(
        app.delete("/repos/gone").await.status,
        StatusCode::NO_CONTENT
    );
    let ids: Vec<Value> = exported(app.data())
        .iter()
        .map(|a| a["request_id"].clone())
        .collect();
    assert_eq!(ids, ["b"]);
    // A new repository of the same name does not bring them back.
    let _again = shop(&app, "gone").await;
    assert_eq!(
        app.post("/feedback", feedback_for("a")).await.code(),
        "unknown_answer"
    );
    assert_eq!(
        app.get("/stats?repo=gone").await.json()["repos"][0]["total"]["answers"],
        0
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_database_does_not_delay_answers() {
    let app = TestApp::start_with(|config| config.feedback.queue = 1).await;
    let _keep = shop(&app, "shop").await;
    let mut database = database(app.data()).await;
    sqlx::query("begin immediate")
        .execute(&mut database)
        .await
        .unwrap();
    let dropped = ("foveate_answers_recorded_total", "outcome=\"dropped\"");
    let before = app.metric(dropped.0, dropped.1).await;
    until("an answer that is not kept", async || {
        ask(&app, "-", "busy", "shop", "`total_price`").await;
        (app.metric(dropped.0, dropped.1).await > before).then_some(())
    })
    .await;
    sqlx::query("rollback")
        .execute(&mut database)
        .await
        .unwrap();
    // After the lock is released, new answers are recorded again.
    until("an answer that is kept", async || {
        ask(&app, "-", "later", "shop", "`total_price`").await;
        let kept = app.post("/feedback", feedback_for("later")).await;
        (kept.status == StatusCode::OK).then_some(())
    })
    .await;
    app.end().await;
}

/// The files below a directory that contain a text.
fn files_containing(directory: &Path, text: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_containing(&path, text));
        } else if std::fs::read(&path)
            .unwrap()
            .windows(text.len())
            .any(|w| w == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn query_text_is_stored_only_if_enabled() {
    const SAID: &str = "zebra_crossing";
    let query = format!("`total_price` forgets the {SAID}");
    let data = tempfile::tempdir().unwrap();
    let app = TestApp::start_on(data.path()).await;
    let _keep = shop(&app, "shop").await;
    ask(&app, "-", "quiet", "shop", &query).await;
    assert_eq!(
        app.post("/feedback", feedback_for("quiet")).await.status,
        StatusCode::OK
    );
    assert!(files_containing(data.path(), SAID).is_empty());
    app.end().await;
    assert!(files_containing(data.path(), SAID).is_empty());
    assert!(
        !files_containing(data.path(), "total_price").is_empty(),
        "the ranking is there"
    );

    let on = |config: &mut foveate::config::Config| config.feedback.queries = true;
    let app = TestApp::start_on_with(data.path(), on).await;
    app.ready("shop").await;
    ask(&app, "-", "loud", "shop", &query).await;
    app.end().await;
    let kept = exported(data.path());
    assert_eq!(
        (&kept[0]["query"], &kept[1]["query"]),
        (&Value::Null, &json!(query))
    );
    assert!(!files_containing(data.path(), SAID).is_empty());

    // Deleted answers leave no text in any file.
    let output = feedback(data.path(), &["delete", "loud"]);
    assert_eq!(output.stdout, b"1 answer deleted\n", "{output:?}");
    assert!(files_containing(data.path(), SAID).is_empty());
    assert_eq!(
        feedback(data.path(), &["delete", "loud"]).status.code(),
        Some(3)
    );
    assert_eq!(feedback(data.path(), &["delete"]).status.code(), Some(2));
    assert_eq!(
        feedback(data.path(), &["delete", "x", "--all"])
            .status
            .code(),
        Some(2)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_recorded_when_disabled() {
    let app = TestApp::start_with(|config| config.feedback.record = false).await;
    let _keep = shop(&app, "shop").await;
    ask(&app, "-", "off", "shop", "`total_price`").await;
    assert_eq!(
        app.post("/feedback", feedback_for("off")).await.code(),
        "unknown_answer"
    );
    assert!(exported(app.data()).is_empty());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_lists_and_deletes_while_the_server_runs() {
    let app = TestApp::start().await;
    let _shop = shop(&app, "shop").await;
    let _stall = shop(&app, "stall").await;
    for (id, repo) in [("a", "shop"), ("b", "stall"), ("c", "shop")] {
        ask(&app, "-", id, repo, "`total_price`").await;
        app.post("/feedback", feedback_for(id)).await;
    }
    let list = feedback(app.data(), &["list", "--repo", "shop"]);
    let list = String::from_utf8(list.stdout).unwrap();
    assert_eq!(list.lines().count(), 2, "{list}");
    let said = "caller anonymous: 1 of 1 files and 1 of 1 functions in the context";
    assert!(list.lines().all(|line| line.contains(said)), "{list}");
    let unknown = feedback(app.data(), &["list", "--repo", "nope"]);
    assert_eq!(unknown.status.code(), Some(3));
    assert_eq!(unknown.stderr, b"no answers are recorded for nope\n");
    let json = feedback(app.data(), &["list", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["answers"][1]["repo"], "stall");
    assert!(json["answers"][1]["ranking"].is_null());
    for (arguments, left) in [
        (&["delete", "--older-than", "1"][..], 3),
        (&["delete", "--repo", "shop"], 1),
        (&["delete", "--all"], 0),
    ] {
        let output = feedback(app.data(), arguments);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(exported(app.data()).len(), left, "{arguments:?}");
    }
    assert_eq!(
        app.post("/feedback", feedback_for("a")).await.code(),
        "unknown_answer"
    );
    let nowhere = tempfile::tempdir().unwrap();
    assert_eq!(feedback(nowhere.path(), &["list"]).status.code(), Some(2));
    app.end().await;
}
