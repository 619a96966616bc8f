//! Tests the audit log: it records who did what to which repository, without queries, source code or tokens.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::access::create;
use crate::app::{SHOP, commit, tree, until};
use crate::index_report::Service as _;
use crate::process::Process;

fn audited(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    let lines = text.lines().map(serde_json::from_str::<Value>);
    let lines = lines.collect::<Result<Vec<_>, _>>().expect("JSON lines");
    let audit = lines.into_iter().filter(|line| line["message"] == "audit");
    audit.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_log_records_actions_without_their_content() {
    let keep = tempfile::tempdir().unwrap();
    let log = keep.path().join("log");
    let redirect = format!("exec \"$@\" 2>'{}'", log.display());
    let settings = [
        "FOVEATE__LOG__FORMAT=json",
        "FOVEATE__LOG__FILTER=warn,audit=info",
    ];
    let before = [&["sh", "-c", &redirect, "sh", "env"][..], &settings].concat();
    let data = tempfile::tempdir().unwrap();
    let path = data.path().to_owned();
    let admin = create(&path, &["--scope", "admin", "--name", "ops"]);
    let reader = create(&path, &["--repo", "shop", "--name", "bot"]);
    let server = Process::start_on(data, &before, None);
    let (_tree, root) = tree(SHOP);
    commit(&root, "open the shop");
    let call = async |token: &str, method: Method, path: &str, body: Value| -> Value {
        let request = server
            .client()
            .request(method, format!("{}{path}", server.url()));
        let request = request
            .bearer_auth(token)
            .header("x-request-id", "id-1")
            .json(&body);
        request
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap_or(Value::Null)
    };
    for name in ["shop", "hidden"] {
        let body = json!({"name": name, "source": {"path": root}});
        call(&admin, Method::POST, "/repos", body).await;
        until("an index", async || {
            let path = format!("/repos/{name}");
            let repo = call(&admin, Method::GET, &path, Value::Null).await;
            (repo["state"] == "ready").then_some(())
        })
        .await;
    }
    let ask = |repo: &str| json!({"repo": repo, "query": "hidden_words of `total_price`"});
    call(&reader, Method::POST, "/context", ask("shop")).await;
    call(&reader, Method::POST, "/context", ask("hidden")).await;
    call(&reader, Method::GET, "/repos", Value::Null).await;
    call(&reader, Method::DELETE, "/repos/shop", Value::Null).await;
    call(&admin, Method::POST, "/repos/shop/sync", Value::Null).await;
    call(&admin, Method::POST, "/gc", Value::Null).await;
    call(&admin, Method::DELETE, "/repos/hidden", Value::Null).await;
    call("hidden-token", Method::GET, "/repos", Value::Null).await;
    drop(server);

    let lines = audited(&log);
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or("-").to_owned();
    let mut actions: Vec<[String; 4]> = lines
        .iter()
        .map(|line| ["who", "action", "repo", "outcome"].map(|field| text(line, field)))
        .filter(|[_, action, ..]| action != "show")
        .collect();
    actions.dedup();
    assert_eq!(
        actions,
        [
            ["ops", "register", "shop", "done"],
            ["ops", "register", "hidden", "done"],
            ["bot", "ask", "shop", "done"],
            ["bot", "ask", "-", "unknown"],
            ["bot", "list", "-", "done"],
            ["bot", "remove", "-", "denied"],
            ["ops", "sync", "shop", "done"],
            ["ops", "collect", "-", "done"],
            ["ops", "remove", "hidden", "done"],
            ["-", "authenticate", "-", "denied"],
        ]
    );
    let request = &lines[0]["spans"][0];
    assert_eq!(request["request_id"], "id-1");
    let whole = std::fs::read_to_string(&log).unwrap();
    for secret in [
        "hidden_words", "total_price", "hidden-token", &admin, &reader,
    ] {
        assert!(!whole.contains(secret), "{secret}");
    }
}
