//! Tests several servers on one PostgreSQL database: shared repositories and keys, the jobs of a server that died,
//! and an unreachable database. Without a PostgreSQL server these tests print that they are skipped.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveate::config::{Config, DatabaseUrl};
use foveate::store::{DatabaseLocation, DeliveryOutcome, NewJobRow, Store};
use reqwest::{Method, StatusCode};
use serde_json::json;
use sqlx::Connection as _;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::access::{call, wait_until_token_is_refused, wait_until_token_is_valid};
use crate::app::{SHOP, TestApp, commit, tree, until};
use crate::database;
use crate::index_report::Service as _;
use crate::process::Process;
use crate::stub_forge::{Mood, StubForge};
use crate::webhooks::{SECRET, SHOP_PROJECT, fixture, settings, sign};

/// Starts a server on a database, with a data directory of its own.
async fn start(url: &str) -> TestApp {
    TestApp::start_with(|config| config.storage.database_url = DatabaseUrl::new(url)).await
}

fn foveate(url: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_foveate"))
        .args(arguments)
        .env("FOVEATE__STORAGE__DATABASE_URL", url)
        .output()
        .unwrap()
}

/// Waits until a repository is gone.
async fn wait_until_gone(app: &TestApp, token: &str, name: &str) {
    until("a repository that is gone", async || {
        let path = format!("/repos/{name}");
        let found = call(app, token, Method::GET, &path, None).await.status;
        (found == StatusCode::NOT_FOUND).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_share_repositories_and_keys() {
    let Some(url) = database::fresh() else {
        return;
    };
    let (one, two) = (start(&url).await, start(&url).await);
    let [(_first, first), (_second, second)] = [SHOP, "//- b.py\ndef other(): pass\n"].map(tree);
    commit(&first, "open the shop");
    one.add_tree("shop", &first, false).await;
    two.ready("shop").await;
    let price = ["shop/price.py"];
    assert_eq!(two.places_of("shop", "total_price").await, price);
    let body = json!({"name": "shop", "source": {"path": second}});
    assert_eq!(two.post("/repos", body).await.status, StatusCode::CONFLICT);
    two.add_tree("other", &second, false).await;
    one.ready("other").await;

    // A name that is removed and at once registered with another source.
    assert_eq!(
        one.delete("/repos/other").await.status,
        StatusCode::NO_CONTENT
    );
    one.add_git("other", &first, None).await;
    until("the new source", async || {
        let found = two.post(
            "/context",
            json!({"repo": "other", "query": "`total_price`"}),
        );
        let found = found.await;
        (found.status == StatusCode::OK && found.text.contains("shop/price.py")).then_some(())
    })
    .await;

    let made = foveate(
        &url,
        &["key", "create", "--scope", "admin", "--name", "ops"],
    );
    let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    for app in [&one, &two] {
        wait_until_token_is_valid(app, &token).await;
    }
    let removed = call(&one, &token, Method::DELETE, "/repos/shop", None).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    wait_until_gone(&two, &token, "shop").await;
    until("its index is gone", async || {
        (!two.data().join("index/shop").exists()).then_some(())
    })
    .await;
    assert!(foveate(&url, &["key", "revoke", "ops"]).status.success());
    for app in [&one, &two] {
        wait_until_token_is_refused(app, &token).await;
    }
    one.end().await;
    two.end().await;
}

/// Starts a forge with the shop, and `count` servers on a database that have it registered.
async fn start_servers(url: &str, secrets: &Path, count: usize) -> (StubForge, Vec<TestApp>) {
    let forge = StubForge::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    forge.host(SHOP_PROJECT, &root);
    let mut apps = Vec::new();
    for _ in 0..count {
        let change = |config: &mut Config| {
            settings(config, &forge, secrets);
            config.storage.database_url = DatabaseUrl::new(url);
        };
        apps.push(TestApp::start_with(change).await);
    }
    let source = json!({"git": format!("{}/{SHOP_PROJECT}.git", forge.url)});
    let body = json!({"name": SHOP_PROJECT, "source": source});
    assert_eq!(
        apps[0].post("/repos", body).await.status,
        StatusCode::CREATED
    );
    for app in &apps {
        app.ready(SHOP_PROJECT).await;
    }
    (forge, apps)
}

/// Sends a server the event of an issue. Returns its outcome.
async fn send_issue_event(app: &TestApp, number: usize) -> String {
    let mut issue = fixture("github/issues");
    issue["issue"]["number"] = json!(number);
    let body = issue.to_string();
    let signature = format!("sha256={}", sign(SECRET, &body));
    let request = app.client().post(format!("{}/webhooks/github", app.url));
    let request = request
        .header("x-github-event", "issues")
        .header("x-hub-signature-256", signature)
        .body(body);
    let response = app.send(request).await;
    assert_eq!(response.status, StatusCode::ACCEPTED, "{}", response.text);
    response.json()["outcome"].as_str().unwrap().to_owned()
}

async fn wait_until_idle(url: &str) {
    let store = Store::open_at(DatabaseLocation::parse(url).unwrap())
        .await
        .unwrap();
    until("an empty queue", async || {
        store.jobs().await.unwrap().is_empty().then_some(())
    })
    .await;
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn job_runs_once_across_servers() {
    let Some(url) = database::fresh() else {
        return;
    };
    let secrets = tempfile::tempdir().unwrap();
    let (forge, apps) = start_servers(&url, secrets.path(), 2).await;
    for number in 0..12 {
        assert_eq!(send_issue_event(&apps[number % 2], number).await, "queued");
        assert_eq!(
            send_issue_event(&apps[(number + 1) % 2], number).await,
            "repeated"
        );
    }
    wait_until_idle(&url).await;
    for number in 0..12 {
        let comments = forge.comments(&format!("{SHOP_PROJECT}/{number}"));
        assert_eq!(comments.len(), 1, "{number}");
    }
    assert_eq!(forge.count("POST", "/comments"), 12);
    for app in apps {
        app.end().await;
    }
}

/// Servers that take jobs at the same moment do not see each other's leases.
#[tokio::test(flavor = "multi_thread")]
async fn one_job_per_thread_is_taken_at_a_time() {
    let Some(url) = database::fresh() else {
        return;
    };
    let location = DatabaseLocation::parse(&url).unwrap();
    let one = Store::open_at(location.clone()).await.unwrap();
    let other = Store::open_at(location).await.unwrap();
    for round in 0..40 {
        for subject in ["issue", "label"] {
            let job = NewJobRow {
                subject: format!("{round} {subject}"),
                thread: round.to_string(),
                task: "{}".to_owned(),
            };
            let digests = [job.subject.clone()];
            let queued = one.deliver(&digests, Some(&job), 1, 1_000).await;
            assert_eq!(queued.unwrap(), DeliveryOutcome::Accepted);
        }
        let (first, second) = tokio::join!(one.take_job(2, 1_000), other.take_job(2, 1_000));
        let taken = [first.unwrap(), second.unwrap()];
        assert_eq!(taken.iter().flatten().count(), 1, "{taken:?}");
    }
    one.close().await;
    other.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn job_of_a_dead_server_is_taken_over() {
    let Some(url) = database::fresh() else {
        return;
    };
    let secrets = tempfile::tempdir().unwrap();
    let (forge, apps) = start_servers(&url, secrets.path(), 2).await;
    forge.queue_moods(&[Mood::Silent]);
    assert_eq!(send_issue_event(&apps[0], 7).await, "queued");
    until("a server that does it", async || {
        (forge.moods_left() == 0).then_some(())
    })
    .await;
    // No other server takes the job.
    let store = Store::open_at(DatabaseLocation::parse(&url).unwrap())
        .await
        .unwrap();
    let job = store.jobs().await.unwrap().remove(0);
    let until_then = job.leased_until.expect("it is taken");
    assert_eq!(
        store.take_job(until_then - 1, until_then).await.unwrap(),
        None
    );
    // As if the server had died and the lease had expired. The first server hangs; its late writes are ignored.
    database::execute(&url, "update jobs set leased_until = 1").await;
    wait_until_idle(&url).await;
    assert_eq!(forge.comments(&format!("{SHOP_PROJECT}/7")).len(), 1);
    store.close().await;
    for app in apps {
        app.stop.cancel();
    }
}

/// How the proxy treats connections.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProxyState {
    Open,
    /// Connections are closed, and new ones are closed at once.
    Cut,
    /// Connections stay open, but nothing is forwarded and no error is reported.
    Dead,
}

/// A proxy to the database that can interrupt connections.
struct Proxy {
    url: String,
    state: watch::Sender<ProxyState>,
}

impl Proxy {
    async fn start(url: &str) -> Self {
        let mut through = url::Url::parse(url).unwrap();
        let server = format!("127.0.0.1:{}", through.port().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        through.set_port(Some(port)).unwrap();
        let state = watch::Sender::new(ProxyState::Open);
        let states = state.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *states.borrow() == ProxyState::Open {
                    let server = TcpStream::connect(&server).await.unwrap();
                    tokio::spawn(forward(client, server, states.clone()));
                }
            }
        });
        let url = through.into();
        Self { url, state }
    }
}

async fn forward(
    mut client: TcpStream,
    mut server: TcpStream,
    mut state: watch::Receiver<ProxyState>,
) {
    tokio::select! {
        _ = state.wait_for(|state| *state != ProxyState::Open) => {}
        _ = copy_bidirectional(&mut client, &mut server) => return,
    }
    // A dead connection stays open and dead until it is cut.
    let _ = state.wait_for(|state| *state == ProxyState::Cut).await;
}

async fn wait_for_readiness(app: &TestApp, wanted: StatusCode) {
    until("readiness", async || {
        let answer = app.get("/readyz").await;
        let has_store = wanted == StatusCode::OK;
        (answer.status == wanted && answer.json()["store"] == has_store).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_recovers_from_a_lost_database() {
    let Some(url) = database::fresh() else {
        return;
    };
    let proxy = Proxy::start(&url).await;
    let app = Arc::new(start(&proxy.url).await);
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    app.add_tree("shop", &root, false).await;
    wait_for_readiness(&app, StatusCode::OK).await;
    for (number, fault) in [ProxyState::Cut, ProxyState::Dead].into_iter().enumerate() {
        let name = format!("late-{number}");
        let body = json!({"name": name, "source": {"path": root}});
        proxy.state.send_replace(fault);
        wait_for_readiness(&app, StatusCode::SERVICE_UNAVAILABLE).await;
        // Questions need no database; other requests are refused after a while instead of hanging.
        let price = ["shop/price.py"];
        assert_eq!(app.places_of("shop", "total_price").await, price);
        let refused = app.post("/repos", body.clone()).await;
        assert_eq!(
            (refused.status, &*refused.code()),
            (StatusCode::SERVICE_UNAVAILABLE, "store_unavailable")
        );
        until("the metric", async || {
            (app.metric("foveate_database_up", "").await == 0.0).then_some(())
        })
        .await;
        // Another server, which reaches the database, registers a repository meanwhile.
        let other = start(&url).await;
        other
            .add_tree(&format!("meanwhile-{number}"), &root, false)
            .await;
        other.end().await;

        proxy.state.send_replace(ProxyState::Cut);
        proxy.state.send_replace(ProxyState::Open);
        wait_for_readiness(&app, StatusCode::OK).await;
        app.ready(&format!("meanwhile-{number}")).await;
        let made = app.post("/repos", body).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
        until("the metric", async || {
            (app.metric("foveate_database_up", "").await == 1.0).then_some(())
        })
        .await;
    }
    Arc::into_inner(app).unwrap().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_database_is_logged_once() {
    let Some(url) = database::fresh() else {
        return;
    };
    let proxy = Proxy::start(&url).await;
    let data = tempfile::tempdir().unwrap();
    let log = data.path().join("log");
    let redirect = format!("exec \"$@\" 2>'{}'", log.display());
    let setting = format!("FOVEATE__STORAGE__DATABASE_URL={}", proxy.url);
    let server = Process::start_on(data, &["sh", "-c", &redirect, "sh", "env", &setting], None);
    let count = |text: &str| std::fs::read_to_string(&log).unwrap().matches(text).count();
    proxy.state.send_replace(ProxyState::Dead);
    for message in ["the database does not answer", "cannot read the job queue"] {
        until(message, async || (count(message) > 0).then_some(())).await;
    }
    // Long enough for several polls.
    let start = Instant::now();
    until("more polls", async || {
        let request = server.client().get(format!("{}/stats", server.url()));
        let refused = request.send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        (start.elapsed() > Duration::from_secs(3)).then_some(())
    })
    .await;
    assert_eq!(count("the database does not answer"), 1);
    assert_eq!(count("cannot read the job queue"), 1);
    assert!(count("action=\"stats\" outcome=\"failed\"") > 0);
    assert_eq!(count("action=\"stats\" outcome=\"done\""), 0);
    proxy.state.send_replace(ProxyState::Cut);
    proxy.state.send_replace(ProxyState::Open);
    until("the database", async || {
        (count("the database answers again") == 1).then_some(())
    })
    .await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn connection_is_encrypted_and_verified() {
    let Some(url) = database::fresh() else {
        return;
    };
    let Ok(authority) = std::env::var("FOVEATE_TEST_POSTGRES_CA") else {
        eprintln!("skipped: FOVEATE_TEST_POSTGRES_CA names no certificate");
        return;
    };
    let trusting = format!("{url}?sslmode=verify-full&sslrootcert={authority}");
    let store = Store::open_at(DatabaseLocation::parse(&trusting).unwrap())
        .await
        .unwrap();
    let mut connection = database::connect(&url).await;
    let encrypted: Vec<bool> = sqlx::query_scalar(
        "select ssl from pg_stat_ssl join pg_stat_activity using (pid)
         where application_name = 'foveate' and datname = current_database()",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert!(!encrypted.is_empty() && encrypted.iter().all(|&ssl| ssl));
    store.close().await;
    connection.close().await.unwrap();
    for refused in [
        format!("{url}?sslmode=verify-full"),
        // The certificate is not valid for this name.
        trusting.replace("127.0.0.1", "localhost"),
    ] {
        let opened = Store::open_at(DatabaseLocation::parse(&refused).unwrap()).await;
        assert!(opened.is_err(), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn database_password_is_never_shown() {
    let Some(url) = database::fresh() else {
        return;
    };
    let wrong = url.replace("p4ssw0rd", "wr0ng");
    let data = tempfile::tempdir().unwrap();
    let directory = data.path().to_str().unwrap();
    for (url, arguments, message) in [
        (
            &wrong,
            vec!["serve", "--listen", "127.0.0.1:0", "--data-dir", directory],
            "password authentication failed",
        ),
        (
            &wrong,
            vec!["key", "list"],
            "password authentication failed",
        ),
        (
            &format!("{wrong}?pasword=wr0ng"),
            vec!["jobs", "list"],
            "unknown parameter \"pasword\"",
        ),
        (
            &format!("{wrong}?sslmode=wr0ng"),
            vec!["key", "list"],
            "storage.database_url",
        ),
        (
            &wrong.replace("postgres:", "mysql:"),
            vec!["key", "list"],
            "storage.database_url",
        ),
    ] {
        let output = foveate(url, &arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && stderr.contains(message),
            "{stderr}"
        );
        assert!(!stderr.contains("wr0ng"), "{stderr}");
    }
}
