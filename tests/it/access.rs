//! Tests API tokens end to end: authentication, scopes, and that repositories outside a key's grant are answered
//! like unknown names.

use std::path::Path;
use std::process::{Command, Output};

use foveate::app::service::Service;
use foveate::config::{Config, ProbeAccess};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::{Response, SHOP, TestApp, commit, save, tree, until};
use crate::database;

/// Runs `foveate key` on a data directory.
pub fn key(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    database::configure_command(&mut command, data);
    let command = command.arg("key").args(arguments);
    command.arg("--data-dir").arg(data).output().unwrap()
}

/// Creates a key and returns its token.
pub fn create(data: &Path, arguments: &[&str]) -> String {
    let made = key(data, &[&["create"], arguments].concat());
    let stderr = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{stderr}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

/// Sends a request with a token.
pub async fn call(
    app: &TestApp,
    token: &str,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Response {
    let request = app.client().request(method, format!("{}{path}", app.url));
    let request = request.bearer_auth(token).header("x-request-id", "same");
    let request = match body {
        Some(body) => request.json(body),
        None => request,
    };
    app.send(request).await
}

async fn get(app: &TestApp, token: &str, path: &str) -> Response {
    call(app, token, Method::GET, path, None).await
}

/// Waits until the server accepts a token. A change of keys takes effect within a second.
pub async fn wait_until_token_is_valid(app: &TestApp, token: &str) {
    until("a token that counts", async || {
        let other = get(app, "unknown", "/repos").await.status;
        let status = get(app, token, "/repos").await.status;
        (other == StatusCode::UNAUTHORIZED && status == StatusCode::OK).then_some(())
    })
    .await;
}

/// Waits until the server refuses a token.
pub async fn wait_until_token_is_refused(app: &TestApp, token: &str) {
    until("a token that does not count", async || {
        let status = get(app, token, "/repos").await.status;
        (status == StatusCode::UNAUTHORIZED).then_some(())
    })
    .await;
}

/// Starts a service with the repositories `seen` and `hidden`.
async fn two_repositories() -> (TestApp, [tempfile::TempDir; 2]) {
    let app = TestApp::start().await;
    let (seen, seen_root) = tree(SHOP);
    let (hidden, hidden_root) = tree(SHOP);
    commit(&hidden_root, "hide it");
    app.add_tree("seen", &seen_root, false).await;
    app.add_tree("hidden", &hidden_root, false).await;
    (app, [seen, hidden])
}

#[test]
fn only_create_makes_a_database() {
    let keep = tempfile::tempdir().unwrap();
    // SQLite, whatever database the other tests use.
    let key = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
        let command = command.arg("key").args(arguments).arg("--data-dir");
        command.arg(keep.path()).output().unwrap().status.code()
    };
    for arguments in [&["list"][..], &["revoke", "ci"], &["clear"]] {
        assert_eq!(key(arguments), Some(2));
        assert_eq!(std::fs::read_dir(keep.path()).unwrap().count(), 0);
    }
    assert_eq!(key(&["create"]), Some(0));
    assert_eq!(key(&["list"]), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn key_is_accepted_until_it_is_revoked() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/repos").await.status, StatusCode::OK);
    let token = create(app.data(), &["--name", "ci", "--expires", "30d"]);
    wait_until_token_is_valid(&app, &token).await;

    let without = until("no answer without a token", async || {
        let response = app.get("/repos").await;
        (response.status == StatusCode::UNAUTHORIZED).then_some(response)
    })
    .await;
    assert_eq!(without.code(), "missing_token");
    assert_eq!(
        without.header("www-authenticate"),
        "Bearer realm=\"foveate\""
    );
    let unknown = get(
        &app,
        &token.replace(&token[60..], "0000000000000000"),
        "/repos",
    )
    .await;
    assert_eq!(
        (unknown.status, &*unknown.code()),
        (StatusCode::UNAUTHORIZED, "invalid_token")
    );
    let challenge = "Bearer realm=\"foveate\", error=\"invalid_token\"";
    assert_eq!(unknown.header("www-authenticate"), challenge);
    let basic = app.client().get(format!("{}/repos", app.url));
    let basic = app.send(basic.basic_auth("ci", Some(&token))).await;
    assert_eq!(basic.code(), "missing_token");

    let again = key(app.data(), &["create", "--name", "ci"]);
    assert_eq!(again.status.code(), Some(2), "the name is taken");
    let listed = key(app.data(), &["list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed[0]["name"], "ci");
    assert_eq!(
        (&listed[0]["scope"], &listed[0]["state"]),
        (&json!("read"), &json!("valid"))
    );
    assert!(listed[0]["expires_at"].is_string() && listed[0]["repos"].is_null());

    assert!(key(app.data(), &["revoke", "ci"]).status.success());
    wait_until_token_is_refused(&app, &token).await;
    let revoked = get(&app, &token, "/repos").await;
    assert_eq!(
        revoked.text.replace("same", ""),
        unknown.text.replace("same", "")
    );
    assert_eq!(key(app.data(), &["revoke", "ci"]).status.code(), Some(3));
    // Also after the last key is revoked: revoking keys does not open the server.
    assert_eq!(app.get("/repos").await.status, StatusCode::UNAUTHORIZED);
    assert!(key(app.data(), &["clear"]).status.success());
    until("an open door", async || {
        (app.get("/repos").await.status == StatusCode::OK).then_some(())
    })
    .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn token_is_not_stored_in_the_data_directory() {
    let app = TestApp::start().await;
    let token = create(app.data(), &["--scope", "admin"]);
    wait_until_token_is_valid(&app, &token).await;
    let data = app.data().to_owned();
    let secret = token.as_bytes()[8..40].to_vec();
    for entry in std::fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        let found = bytes.windows(secret.len()).any(|window| window == secret);
        assert!(!found, "{}", path.display());
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_key_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let token = create(directory.path(), &["--expires", "1m"]);
    let app = TestApp::start_on(directory.path()).await;
    wait_until_token_is_valid(&app, &token).await;
    let expire = "update keys set expires_at = '2020-01-01T00:00:00Z'";
    if let Some(url) = database::url_for(app.data()) {
        database::execute(&url, expire).await;
    } else {
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(directory.path().join(foveate::store::FILE));
        let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
        sqlx::query(expire).execute(&pool).await.unwrap();
        pool.close().await;
    }
    wait_until_token_is_refused(&app, &token).await;
    let listed = key(app.data(), &["list"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("expired"));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn read_key_cannot_change_anything() {
    let (app, _keep) = two_repositories().await;
    let token = create(app.data(), &["--scope", "read"]);
    wait_until_token_is_valid(&app, &token).await;
    let registration = json!({"name": "new", "source": {"path": "/"}});
    for (method, path, body) in [
        (Method::POST, "/repos", Some(&registration)),
        (Method::POST, "/repos/seen/sync", None),
        (Method::DELETE, "/repos/seen", None),
        (Method::DELETE, "/repos/nothing", None),
        (Method::POST, "/gc", None),
    ] {
        let refused = call(&app, &token, method, path, body).await;
        assert_eq!(
            refused.status,
            StatusCode::FORBIDDEN,
            "{path}: {}",
            refused.text
        );
        assert_eq!(refused.code(), "not_permitted");
    }
    let question = json!({"repo": "seen", "query": "`total_price`"});
    let answer = call(&app, &token, Method::POST, "/context", Some(&question)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(
        get(&app, &token, "/repos/seen").await.status,
        StatusCode::OK
    );
    app.end().await;
}

/// The status, headers and body of every request that can be made about a repository.
async fn every_answer_about(
    app: &TestApp,
    token: &str,
    name: &str,
) -> Vec<(StatusCode, String, String)> {
    let question = json!({"repo": name, "query": "`total_price`"});
    let diff = json!({"repo": name, "query": "x", "diff": {"base": "HEAD", "head": "HEAD"}});
    let at_ref = json!({"query": "`total_price`", "ref": "HEAD"});
    let path = |rest: &str| format!("/repos/{name}{rest}");
    let mut told = Vec::new();
    for (method, path, body) in [
        (Method::GET, path(""), None),
        (Method::GET, path("?skipped=true"), None),
        (Method::POST, path("/sync"), None),
        (Method::DELETE, path(""), None),
        (Method::POST, path("/context"), Some(&at_ref)),
        (Method::POST, "/context".to_owned(), Some(&question)),
        (Method::POST, "/context".to_owned(), Some(&diff)),
        (Method::GET, "/repos".to_owned(), None),
        (Method::GET, "/readyz".to_owned(), None),
    ] {
        let response = call(app, token, method, &path, body).await;
        let mut headers = response.headers.clone();
        headers.remove("date");
        headers.remove("content-length");
        let text = without_sizes(response.text);
        told.push((response.status, format!("{headers:?}"), text));
    }
    told
}

/// Removes what changes in the background from a list of repositories: their sizes in memory and on disk.
fn without_sizes(text: String) -> String {
    let Ok(mut list) = serde_json::from_str::<Value>(&text) else {
        return text;
    };
    let Some(repositories) = list.get_mut("repos").and_then(Value::as_array_mut) else {
        return text;
    };
    for repository in repositories.iter_mut().filter_map(Value::as_object_mut) {
        repository.retain(|field, _| !["memory", "disk"].contains(&field.as_str()));
    }
    list.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_repository_is_answered_like_an_unknown_name() {
    let app = TestApp::start().await;
    let (_seen, root) = tree(SHOP);
    app.add_tree("seen", &root, false).await;
    let scoped = |scope| create(app.data(), &["--scope", scope, "--repo", "seen", "other"]);
    let (admin, tokens) = (
        create(app.data(), &["--scope", "admin"]),
        [scoped("read"), scoped("admin")],
    );
    wait_until_token_is_valid(&app, &tokens[1]).await;
    let mut before = Vec::new();
    for token in &tokens {
        before.push(every_answer_about(&app, token, "hidden").await);
    }
    assert_eq!(before[1][0].0, StatusCode::NOT_FOUND);
    assert!(before[1][7].2.contains("\"seen\""), "it sees its own");

    let (_hidden, root) = tree(SHOP);
    commit(&root, "hide it");
    let body = json!({"name": "hidden", "source": {"path": root}});
    let registered = call(&app, &admin, Method::POST, "/repos", Some(&body)).await;
    assert_eq!(
        registered.status,
        StatusCode::CREATED,
        "{}",
        registered.text
    );
    until("an index", async || {
        let repo = get(&app, &admin, "/repos/hidden").await.json();
        (repo["state"] == "ready").then_some(())
    })
    .await;
    for (token, before) in tokens.iter().zip(before) {
        assert_eq!(every_answer_about(&app, token, "hidden").await, before);
    }
    assert_eq!(
        get(&app, &admin, "/repos/hidden").await.status,
        StatusCode::OK,
        "nobody removed it"
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_and_readiness_omit_hidden_repositories() {
    let (app, keep) = two_repositories().await;
    let token = create(app.data(), &["--repo", "seen"]);
    let all = create(app.data(), &[]);
    wait_until_token_is_valid(&app, &all).await;
    let metrics = get(&app, &token, "/metrics").await.text;
    assert!(
        metrics.contains("repo=\"seen\"") && !metrics.contains("hidden"),
        "{metrics}"
    );
    assert!(metrics.contains("foveate_repositories{state=\"ready\"} 1"));
    let metrics = get(&app, &all, "/metrics").await.text;
    assert!(metrics.contains("repo=\"hidden\""));
    assert!(metrics.contains("foveate_repositories{state=\"ready\"} 2"));

    // A failed repository is named only to keys that may see it.
    let admin = create(app.data(), &["--scope", "admin"]);
    wait_until_token_is_valid(&app, &admin).await;
    std::fs::remove_dir_all(keep[1].path()).unwrap();
    let synced = call(&app, &admin, Method::POST, "/repos/hidden/sync", None).await;
    assert_eq!(synced.status, StatusCode::ACCEPTED, "{}", synced.text);
    until("a failure", async || {
        let ready = get(&app, &admin, "/readyz").await.json();
        (ready["failed"] == json!(["hidden"])).then_some(())
    })
    .await;
    let ready = get(&app, &token, "/readyz").await.json();
    assert_eq!(ready["failed"], json!([]));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scoped_admin_registers_only_names_of_its_grant() {
    let (app, keep) = two_repositories().await;
    let token = create(
        app.data(),
        &["--scope", "admin", "--repo", "seen", "--repo", "mine"],
    );
    wait_until_token_is_valid(&app, &token).await;
    let body = |name: &str, path: &Path| json!({"name": name, "source": {"path": path}});
    let mut answers = Vec::new();
    // The refusal is the same whether or not the name is taken and the source exists.
    for (name, path) in [
        ("hidden", keep[0].path()),
        ("nobody", keep[0].path()),
        ("nobody", Path::new("/no/such/place")),
    ] {
        let body = body(name, path);
        let response = call(&app, &token, Method::POST, "/repos", Some(&body)).await;
        assert_eq!(response.code(), "not_permitted", "{}", response.text);
        answers.push((response.status, response.text));
    }
    assert!(
        answers.iter().all(|other| *other == answers[0]),
        "{answers:?}"
    );
    let mine = body("mine", keep[0].path());
    let response = call(&app, &token, Method::POST, "/repos", Some(&mine)).await;
    assert_eq!(response.status, StatusCode::CREATED, "{}", response.text);
    let taken = call(&app, &token, Method::POST, "/repos", Some(&mine)).await;
    assert_eq!(taken.code(), "repo_exists");
    let collected = call(&app, &token, Method::POST, "/gc", None).await;
    assert_eq!(collected.status, StatusCode::OK, "{}", collected.text);
    assert!(!collected.text.contains("hidden"), "{}", collected.text);
    let removed = call(&app, &token, Method::DELETE, "/repos/mine", None).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    app.end().await;
}

/// Starts a service that listens on all addresses.
async fn start_public(data: &Path, change: impl FnOnce(&mut Config)) -> anyhow::Result<Service> {
    let mut config = Config::defaults().unwrap();
    config.server.listen = "0.0.0.0:0".parse().unwrap();
    config.storage.data_dir = data.to_owned();
    config.storage.database_url = database::setting(data);
    change(&mut config);
    Service::start(config, &[], CancellationToken::new()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn public_address_without_a_key_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let refused = start_public(directory.path(), |_| {}).await.err();
    let refused = refused.expect("there is no key").to_string();
    for told in [
        "foveate key create", "access.allow_anonymous", "access.token_file",
    ] {
        assert!(refused.contains(told), "{refused}");
    }
    let open = start_public(directory.path(), |config| {
        config.access.allow_anonymous = true
    })
    .await;
    drop(open.expect("it was asked for"));
    create(directory.path(), &[]);
    assert!(
        start_public(directory.path(), |_| {}).await.is_ok(),
        "there is a key"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn creating_a_key_ends_anonymous_access() {
    let app = TestApp::start_with(|config| {
        config.server.listen = "0.0.0.0:0".parse().unwrap();
        config.access.allow_anonymous = true;
    })
    .await;
    assert_eq!(app.get("/repos").await.status, StatusCode::OK);
    let token = create(app.data(), &[]);
    wait_until_token_is_refused(&app, "no token").await;
    assert_eq!(get(&app, &token, "/repos").await.status, StatusCode::OK);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn probe_access_follows_its_settings() {
    let probes = ["/healthz", "/readyz", "/metrics"];
    for (access, from_here, passed_on) in [
        (ProbeAccess::Open, 200, 200),
        (ProbeAccess::Loopback, 200, 401),
        (ProbeAccess::Token, 401, 401),
    ] {
        let app = TestApp::start_with(|config| {
            config.access.health = access;
            config.access.metrics = access;
        })
        .await;
        let token = create(app.data(), &[]);
        wait_until_token_is_refused(&app, "no token").await;
        for probe in probes {
            assert_eq!(app.get(probe).await.status, from_here, "{access:?} {probe}");
            let request = app.client().get(format!("{}{probe}", app.url));
            let request = request.header("x-forwarded-for", "192.0.2.1");
            assert_eq!(
                app.send(request).await.status,
                passed_on,
                "{access:?} {probe}"
            );
            assert_eq!(get(&app, &token, probe).await.status, 200);
            let wrong = get(&app, "wrong", probe).await.status;
            assert_eq!(wrong, StatusCode::UNAUTHORIZED);
        }
        app.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn token_file_is_reloaded_on_change() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("tokens.toml");
    let (first, second) = ("1".repeat(40), "2".repeat(40));
    let table = |token: &str| format!("[ci]\ntoken = \"{token}\"\nscope = \"read\"\n");
    save(&file, &table(&first));
    let app = TestApp::start_with(|config| config.access.token_file = file.clone()).await;
    assert_eq!(app.get("/repos").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(get(&app, &first, "/repos").await.status, StatusCode::OK);
    let refused = call(&app, &first, Method::POST, "/gc", None).await;
    assert_eq!(refused.code(), "not_permitted");

    save(&file, &table(&second));
    wait_until_token_is_valid(&app, &second).await;
    wait_until_token_is_refused(&app, &first).await;
    // An invalid file changes nothing. The new key shows that the file was read again meanwhile.
    save(&file, "not a table");
    let other = create(app.data(), &[]);
    wait_until_token_is_valid(&app, &other).await;
    assert_eq!(get(&app, &second, "/repos").await.status, StatusCode::OK);
    std::fs::remove_file(&file).unwrap();
    wait_until_token_is_refused(&app, &second).await;
    assert_eq!(app.get("/repos").await.status, StatusCode::UNAUTHORIZED);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_token_file_fails_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("tokens.toml");
    let secret = "3".repeat(40);
    save(&file, &format!("[ci]\ntoken = \"{secret}\"\n"));
    let path = file.clone();
    let refused = start_public(directory.path(), |config| config.access.token_file = path);
    let refused = refused.await.err().expect("it lacks a scope").to_string();
    assert!(
        refused.contains("access.token_file") && refused.contains("[ci]"),
        "{refused}"
    );
    assert!(!refused.contains(&secret), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rate_limit_applies_per_key() {
    let app = TestApp::start_with(|config| {
        config.access.rate_per_second = 1;
        config.access.rate_burst = 5;
    })
    .await;
    let (busy, calm) = (create(app.data(), &[]), create(app.data(), &[]));
    wait_until_token_is_valid(&app, &calm).await;
    let refused = until("a refusal", async || {
        let response = get(&app, &busy, "/repos").await;
        (response.status == StatusCode::TOO_MANY_REQUESTS).then_some(response)
    })
    .await;
    assert_eq!(refused.code(), "rate_limited");
    assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
    assert_eq!(get(&app, &calm, "/repos").await.status, StatusCode::OK);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_revisions_of_one_key_do_not_delay_another() {
    let app = TestApp::start_with(|config| {
        config.access.rate_per_second = 0;
        config.index.runs = 1;
    })
    .await;
    let (_tree, root) = tree(SHOP);
    let first = commit(&root, "the first");
    let commits: Vec<String> = (0..100).map(|n| commit(&root, &format!("{n}"))).collect();
    app.add_git("shop", &root, None).await;
    let (busy, calm) = (create(app.data(), &[]), create(app.data(), &[]));
    wait_until_token_is_valid(&app, &busy).await;
    wait_until_token_is_valid(&app, &calm).await;
    let asked = |token: &str, commit: &str| {
        let request = app.client().post(format!("{}/context", app.url));
        let body = json!({"repo": "shop", "query": "`Cart`", "ref": commit});
        request.bearer_auth(token).json(&body).send()
    };
    let (status, mut statuses) = tokio::sync::mpsc::unbounded_channel();
    for commit in &commits {
        let (asked, status) = (asked(&busy, commit), status.clone());
        tokio::spawn(async move { status.send(asked.await.unwrap().status()) });
    }
    let mut answers = 0;
    while statuses.recv().await.unwrap() != StatusCode::TOO_MANY_REQUESTS {
        answers += 1;
    }
    let answer = asked(&calm, &first).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    while let Ok(status) = statuses.try_recv() {
        answers += usize::from(status == StatusCode::OK);
    }
    assert!(answers < 40, "{answers} of the busy key came before");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_reads_token_from_environment_or_file() {
    let app = TestApp::start().await;
    let token = create(app.data(), &[]);
    wait_until_token_is_valid(&app, &token).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{token}\n")).unwrap();
    let file = file.path().to_str().unwrap();
    let list = async |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_foveate"));
        command
            .args(["repo", "list", "--server", &app.url])
            .args(arguments);
        command.env_remove("FOVEATE_TOKEN").envs(variables.to_vec());
        let output = command.output().await.unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), stderr)
    };
    assert_eq!(list(&[("FOVEATE_TOKEN", &token)], &[]).await.0, Some(0));
    assert_eq!(list(&[("FOVEATE_TOKEN_FILE", file)], &[]).await.0, Some(0));
    assert_eq!(list(&[], &["--token-file", file]).await.0, Some(0));
    let (code, told) = list(&[], &[]).await;
    assert_eq!(code, Some(1));
    assert!(
        told.contains("FOVEATE_TOKEN") && told.contains("missing_token"),
        "{told}"
    );
    let (code, told) = list(&[("FOVEATE_TOKEN", &token[..40])], &[]).await;
    assert_eq!(code, Some(2));
    assert!(
        told.contains("checksum") && !told.contains(&token[..40]),
        "{told}"
    );
    let (code, told) = list(&[], &["--token-file", "/no/such/file"]).await;
    assert_eq!(code, Some(2));
    assert!(
        told.contains("cannot read the token file /no/such/file"),
        "{told}"
    );
    let help = Command::new(env!("CARGO_BIN_EXE_foveate"))
        .args(["repo", "--help"])
        .output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    assert!(
        help.contains("--token-file") && !help.contains("--token "),
        "{help}"
    );
    app.end().await;
}

#[test]
fn sending_a_token_unencrypted_is_warned_about() {
    let told = |server: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
        command.args(["repo", "list", "--server", server]);
        command.env("FOVEATE_TOKEN", "x".repeat(40));
        let output = command.output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    // Nothing listens on these addresses.
    assert!(told("http://foveate.invalid").contains("sent unencrypted"));
    for safe in ["https://foveate.invalid", "http://127.0.0.1:1"] {
        assert!(!told(safe).contains("sent unencrypted"), "{safe}");
    }
}
