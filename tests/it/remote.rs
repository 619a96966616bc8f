//! Tests remote repositories: cloned, polled and fetched, and answered from the last index while they cannot be
//! reached.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate::config::Config;
use foveate::engine::Progress;
use foveate::ingest::git::GitError;
use foveate::ingest::git::address::PrivateHosts;
use foveate::ingest::git::connection::{Connection, ConnectionSettings};
use foveate::ingest::git::location::Location;
use foveate::ingest::git::remote::LocalClone;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::app::{SHOP, TIMEOUT, TestApp, commit, git, path_with_git, places, tree, until};
use crate::git_server::{Hub, Mood};
use crate::index_report::Service as _;
use crate::process::Process;

/// Creates a repository with one commit, and serves it.
pub async fn serve_shop() -> (TempDir, PathBuf, Hub) {
    let (keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let hub = Hub::serving(&root).await;
    (keep, root, hub)
}

/// Polls and retries every second.
pub fn poll_quickly(config: &mut Config) {
    config.git.schemes.push("http".to_owned());
    config.git.poll_seconds = 1;
    config.git.retry_seconds = 1;
}

pub async fn app() -> TestApp {
    TestApp::start_with(poll_quickly).await
}

pub async fn add(app: &TestApp, url: &str, reference: Option<&str>) {
    let body = json!({"name": "shop", "source": {"git": url, "ref": reference}});
    let response = app.post("/repos", body).await;
    assert_eq!(response.status, StatusCode::CREATED, "{}", response.text);
}

/// Commits a function and returns the commit.
pub fn write(root: &Path, name: &str) -> String {
    let path = root.join(format!("shop/{name}.py"));
    fs::write(path, format!("def {name}():\n    pass\n")).unwrap();
    commit(root, name)
}

pub async fn wait_for_failure(app: &TestApp) -> String {
    let is_told = |repo: &Value| {
        let poll = &repo["poll"];
        repo["state"] == "failed"
            && poll["failures"].as_u64() > Some(0)
            && poll["next_in_seconds"].is_u64()
    };
    let repo = app.repo_until("shop", is_told).await;
    repo["error"].as_str().unwrap().to_owned()
}

/// Asserts that the last good index answers and reports itself as degraded.
pub async fn assert_degraded(app: &TestApp) {
    let answer = app.ask("shop", "`total_price`").await;
    assert_eq!(places(&answer, "total_price"), ["shop/price.py"]);
    assert!(
        answer["issues"].to_string().contains("degraded"),
        "{answer}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn remote_repository_is_polled() {
    let (_keep, root, hub) = serve_shop().await;
    let app = app().await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    let second = write(&root, "second");
    hub.push(&root, "main");
    app.repo_until("shop", |repo| repo["commit"] == second.as_str())
        .await;

    // A force push.
    git(&root, &["reset", "-q", "--hard", "HEAD~1"]);
    let other = write(&root, "other");
    hub.push(&root, "+main");
    app.repo_until("shop", |repo| repo["commit"] == other.as_str())
        .await;
    assert!(app.places_of("shop", "second").await.is_empty());

    // Another default branch.
    git(&root, &["checkout", "-q", "-b", "trunk"]);
    let third = write(&root, "third");
    hub.push(&root, "trunk");
    git(&hub.bare, &["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    git(&hub.bare, &["branch", "-q", "-D", "main"]);
    // A fetch between these commands may have failed; the next success resets the count.
    let repo = app
        .repo_until("shop", |repo| {
            repo["commit"] == third.as_str() && repo["poll"]["failures"] == 0
        })
        .await;
    assert_eq!(repo["poll"]["seconds"], 1);
    assert!(repo["poll"]["checked_seconds_ago"].is_u64());
    let gone = json!({"repo": "shop", "ref": "main", "query": "x"});
    // The fetch of the new branch may have come before the old one was deleted.
    until("no main", async || {
        let answer = app.post("/context", gone.clone()).await;
        (answer.code() == "unknown_ref").then_some(())
    })
    .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn own_poll_interval_survives_a_restart() {
    let (_keep, root, hub) = serve_shop().await;
    let data = tempfile::tempdir().unwrap();
    let change = |config: &mut Config| config.git.schemes.push("http".to_owned());
    for round in 0..2 {
        let app = TestApp::start_on_with(data.path(), change).await;
        if round == 0 {
            let source = json!({"git": hub.url});
            let body = json!({"name": "shop", "source": source, "poll_seconds": 1});
            assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
        }
        app.ready("shop").await;
        let commit = write(&root, &format!("round_{round}"));
        hub.push(&root, "main");
        app.repo_until("shop", |repo| repo["commit"] == commit.as_str())
            .await;
        app.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_branch_degrades_until_it_returns() {
    let (_keep, root, hub) = serve_shop().await;
    git(&root, &["checkout", "-q", "-b", "side"]);
    let side = write(&root, "side");
    hub.push(&root, "side");
    let app = app().await;
    add(&app, &hub.url, Some("side")).await;
    app.ready("shop").await;
    git(&hub.bare, &["branch", "-q", "-D", "side"]);
    assert!(wait_for_failure(&app).await.contains("side"));
    assert_degraded(&app).await;
    hub.push(&root, "side");
    app.ready("shop").await;
    let answer = app.ask("shop", "`side`").await;
    assert_eq!(answer["commit"], side.as_str());
    assert!(!answer["issues"].to_string().contains("degraded"));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn url_credentials_are_sent_but_never_shown() {
    let (_keep, _root, hub) = serve_shop().await;
    // me:s3cret@word
    hub.set_mood(Mood::RequireLogin("Basic bWU6czNjcmV0QHdvcmQ="));
    let app = app().await;
    let url = hub.url.replace("//", "//me:s3cret%40word@");
    add(&app, &url, None).await;
    app.ready("shop").await;
    let listed = app.get("/repos").await.text;
    assert!(listed.contains(&hub.url), "{listed}");
    hub.set_mood(Mood::RequireLogin("Basic other"));
    let error = wait_for_failure(&app).await;
    for text in [
        listed,
        error,
        hub.seen().join("\n"),
        app.get("/repos").await.text,
    ] {
        assert!(!text.contains("s3cret"), "{text}");
        assert!(!text.contains("bWU6czNj"), "{text}");
    }
    let seen = hub.seen();
    assert!(
        seen.iter().any(|line| line.contains("git-remote-http")),
        "{seen:?}"
    );
    let config = fs::read_to_string(app.data().join("git/shop.git/config")).unwrap();
    assert!(!config.contains("s3cret"), "{config}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn git_token_is_read_from_the_environment() {
    let (_keep, _root, hub) = serve_shop().await;
    // `x-access-token:foveate`. The token is read from `CARGO_PKG_NAME`, which cargo sets for tests.
    hub.set_mood(Mood::RequireLogin("Basic eC1hY2Nlc3MtdG9rZW46Zm92ZWF0ZQ=="));
    let with = |variable: &'static str| {
        TestApp::start_with(move |config| {
            poll_quickly(config);
            let token = ("127.0.0.1".to_owned(), variable.to_owned());
            config.git.tokens.extend([token]);
        })
    };
    let app = with("CARGO_PKG_NAME").await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    app.end().await;
    let app = with("FOVEATE_NO_SUCH_TOKEN").await;
    add(&app, &hub.url, None).await;
    assert!(
        wait_for_failure(&app)
            .await
            .contains("FOVEATE_NO_SUCH_TOKEN")
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_server_times_out_and_is_retried() {
    let (_keep, root, hub) = serve_shop().await;
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.stall_seconds = 1;
    })
    .await;
    hub.set_mood(Mood::Silent);
    add(&app, &hub.url, None).await;
    app.repo_until("shop", |repo| repo["progress"]["phase"] == "fetching")
        .await;
    wait_for_failure(&app).await;
    let asked = app
        .post("/context", json!({"repo": "shop", "query": "x"}))
        .await;
    assert_eq!(asked.code(), "repo_failed");
    hub.set_mood(Mood::Normal);
    app.ready("shop").await;
    hub.set_mood(Mood::Silent);
    wait_for_failure(&app).await;
    assert_degraded(&app).await;
    let second = write(&root, "second");
    hub.push(&root, "main");
    hub.set_mood(Mood::Normal);
    app.repo_until("shop", |repo| {
        repo["commit"] == second.as_str() && repo["state"] == "ready"
    })
    .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_server_delays_neither_shutdown_nor_removal() {
    let (_keep, _root, hub) = serve_shop().await;
    hub.set_mood(Mood::Silent);
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.stall_seconds = 3600;
    })
    .await;
    add(&app, &hub.url, None).await;
    let asked = async || (!hub.seen().is_empty()).then_some(());
    until("the server is asked", asked).await;
    assert_eq!(
        app.delete("/repos/shop").await.status,
        StatusCode::NO_CONTENT
    );
    let left = fs::read_dir(app.data().join("git")).unwrap().count();
    assert_eq!(left, 0, "nothing half-made stays");
    add(&app, &hub.url, None).await;
    let end = tokio::time::timeout(TIMEOUT, app.end());
    end.await
        .expect("it ends although the server does not answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn stale_git_locks_are_removed() {
    let (_keep, root, hub) = serve_shop().await;
    let app = app().await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    let copy = app.data().join("git/shop.git");
    fs::create_dir_all(copy.join("refs/heads")).unwrap();
    for lock in ["packed-refs.lock", "HEAD.lock", "refs/heads/main.lock"] {
        fs::write(copy.join(lock), "").unwrap();
    }
    fs::write(copy.join("objects/pack/tmp_pack_half"), "PACK").unwrap();
    let second = write(&root, "second");
    hub.push(&root, "main");
    app.repo_until("shop", |repo| repo["commit"] == second.as_str())
        .await;
    assert!(!copy.join("objects/pack/tmp_pack_half").exists());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_followed_only_if_allowed() {
    let (_keep, _root, target) = serve_shop().await;
    let (_keep, _root, hub) = serve_shop().await;
    let base = target.url.strip_suffix("/shop.git").unwrap();
    hub.set_mood(Mood::RedirectTo(base.to_owned()));
    let app = app().await;
    add(&app, &hub.url, None).await;
    let error = wait_for_failure(&app).await;
    assert!(error.contains("git.follow_redirects"), "{error}");
    assert!(target.seen().is_empty());
    app.end().await;
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.follow_redirects = true;
    })
    .await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn private_hosts_are_reached_only_if_allowed() {
    let (_keep, _root, hub) = serve_shop().await;
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.private_hosts = vec!["git.example.org".to_owned()];
    })
    .await;
    add(&app, &hub.url, None).await;
    assert!(wait_for_failure(&app).await.contains("git.private_hosts"));
    assert!(hub.seen().is_empty());
    app.end().await;
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.private_hosts = vec!["127.0.0.1".to_owned()];
    })
    .await;
    add(&app, &hub.url, None).await;
    app.ready("shop").await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn file_urls_obey_allow_paths() {
    let (_keep, root, hub) = serve_shop().await;
    let app = TestApp::start_with(|config| {
        config.git.schemes.push("file".to_owned());
        config.repos.allow_paths = vec![root.clone()];
    })
    .await;
    let url = format!("file://{}", hub.bare.display());
    let body = json!({"name": "shop", "source": {"git": url}});
    assert_eq!(app.post("/repos", body).await.code(), "path_not_allowed");
    // Nor is a `.git` file that points to a repository elsewhere.
    let inside = root.join("linked");
    fs::create_dir(&inside).unwrap();
    fs::write(
        inside.join(".git"),
        format!("gitdir: {}\n", hub.bare.display()),
    )
    .unwrap();
    let body = json!({"name": "shop", "source": {"git": inside}});
    assert_eq!(app.post("/repos", body).await.code(), "path_not_allowed");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn options_and_commands_are_refused_as_locations() {
    let app = TestApp::start().await;
    for url in [
        "ext::sh -c true",
        "ext::sh",
        "--upload-pack=true",
        "-x",
        "ssh://-oProxyCommand=true/x",
        "https://-x/y",
        "fd::0",
        "http://example.org/a.git",
        "https://example.org/a.git?token=s3cret",
    ] {
        let body = json!({"name": "shop", "source": {"git": url}});
        let response = app.post("/repos", body).await;
        assert_eq!(response.status, StatusCode::BAD_REQUEST, "{url}");
        assert!(!response.text.contains("s3cret"), "{}", response.text);
    }
    let source = json!({"git": "https://example.org/a.git", "ref": "--upload-pack=true"});
    let response = app
        .post("/repos", json!({"name": "shop", "source": source}))
        .await;
    assert_eq!(response.status, StatusCode::BAD_REQUEST);
    let body = json!({"name": "shop", "source": {"path": "/"}, "poll_seconds": 1});
    assert_eq!(
        app.post("/repos", body).await.json()["field"],
        "poll_seconds"
    );
    assert_eq!(
        app.get("/repos").await.json()["repos"],
        Value::Array(Vec::new())
    );
    app.end().await;
}

#[test]
fn clone_progress_counts_objects() {
    let (keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let progress = Progress::default();
    clone(&root, keep.path(), 0, &progress).unwrap();
    // One commit, three trees, four files.
    let (_, done, total) = progress.read();
    assert_eq!((done, total), (8, 8));
}

#[test]
#[cfg(target_os = "linux")]
fn clone_ends_at_the_size_limit() {
    let (keep, root) = tree(SHOP);
    let noise: Vec<u8> = (0..1 << 20).map(|_| fastrand::u8(..)).collect();
    fs::write(root.join("noise"), noise).unwrap();
    commit(&root, "open the shop");
    let refused = clone(&root, keep.path(), 1 << 16, &Progress::default());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("`git.max_bytes`"), "{message}");
    assert!(!keep.path().join("copy.git").exists());
}

#[test]
fn copy_is_removed_only_if_its_address_is_known_to_differ() {
    let (keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let (stop, progress) = (CancellationToken::new(), Progress::default());
    clone(&root, keep.path(), 0, &progress).unwrap();
    let settings = keep.path().join("copy.git/config");
    let written = fs::read(&settings).unwrap();
    let copy = || copy_of(&root, keep.path(), 0);
    let checked = |copy: &LocalClone| copy.remove_if_other_address(&stop);

    fs::remove_file(&settings).unwrap();
    fs::create_dir(&settings).unwrap();
    let message = checked(&copy()).unwrap_err().to_string();
    assert!(message.contains("git config failed"), "{message}");
    assert!(copy().exists());
    fs::remove_dir(&settings).unwrap();

    fs::write(&settings, [0; 100]).unwrap();
    let corrupt = copy();
    checked(&corrupt).unwrap();
    assert!(corrupt.exists() && corrupt.is_damaged());

    fs::write(&settings, &written).unwrap();
    let own = copy();
    checked(&own).unwrap();
    assert!(own.exists() && !own.is_damaged());

    fs::write(&settings, "[core]\n\tbare = true\n").unwrap();
    checked(&own).unwrap();
    assert!(!own.exists());
}

/// Clones the repository at `root` into `directory`, with files of at most `max_bytes`.
pub fn clone(
    root: &Path,
    directory: &Path,
    max_bytes: u64,
    progress: &Progress,
) -> Result<(), GitError> {
    copy_of(root, directory, max_bytes).create(progress, &CancellationToken::new())
}

pub fn copy_of(root: &Path, directory: &Path, max_bytes: u64) -> LocalClone {
    let schemes = ["file".to_owned()];
    let location = Location::parse(&format!("file://{}", root.display()), &schemes);
    let Ok(Location::Remote(remote)) = location else {
        panic!("{location:?}");
    };
    let settings = ConnectionSettings {
        schemes: schemes.into(),
        timeout: TIMEOUT,
        max_bytes,
        stall: TIMEOUT,
        follow_redirects: false,
        private_hosts: PrivateHosts::All,
        tokens: BTreeMap::new(),
        token_files: BTreeMap::new(),
        token_source: None,
        read_limits: Arc::default(),
    };
    LocalClone::new(
        Connection::new(remote, settings),
        directory.join("copy.git"),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn transfers_wait_for_a_free_slot() {
    let (_a, _root, silent) = serve_shop().await;
    let (_b, _root, reachable) = serve_shop().await;
    silent.set_mood(Mood::Silent);
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.transfers = 1;
    })
    .await;
    add(&app, &silent.url, None).await;
    let asked = async || (!silent.seen().is_empty()).then_some(());
    until("the silent server is asked", asked).await;
    let body = json!({"name": "second", "source": {"git": reachable.url}});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    let second = app.get("/repos/second").await.json();
    assert_eq!(second["progress"]["phase"], "waiting");
    app.delete("/repos/shop").await;
    app.ready("second").await;
    assert!(!reachable.seen().is_empty());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ssh_runs_in_batch_mode() {
    let (_keep, _root, hub) = serve_shop().await;
    // An ssh that records its arguments, and runs the command locally.
    let bin = tempfile::tempdir().unwrap();
    let (ssh, called) = (bin.path().join("ssh"), bin.path().join("called"));
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> {}\nfor last; do :; done\nexec sh -c \"$last\"\n",
        called.display()
    );
    fs::write(&ssh, script).unwrap();
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("PATH={}:{path}", bin.path().display());
    let server = Process::start(&["env", "-u", "GIT_SSH_COMMAND", &path], None);
    let path = hub.bare.display();
    for url in [
        format!("git@example.invalid:{path}"),
        format!("ssh://git@example.invalid:2222{path}"),
    ] {
        let body = json!({"name": "shop", "source": {"git": url}});
        server.call(Method::POST, "/repos", body).await;
        server
            .repo_until("ready", |repo| repo["state"] == "ready")
            .await;
        let answer = server.ask("total_price").await;
        assert_eq!(places(&answer, "total_price"), ["shop/price.py"]);
        server
            .call(Method::DELETE, "/repos/shop", Value::Null)
            .await;
    }
    let called = fs::read_to_string(called).unwrap();
    for line in called.lines() {
        assert!(
            line.starts_with("-oBatchMode=yes -oConnectTimeout="),
            "{line}"
        );
        assert!(
            line.contains(" git@example.invalid git-upload-pack "),
            "{line}"
        );
    }
    assert!(called.contains(" -p 2222 "), "{called}");
}

#[tokio::test(flavor = "multi_thread")]
async fn leftover_copy_of_another_repository_is_replaced() {
    let (_keep, _root, other) = serve_shop().await;
    let (_keep, root) = tree("//- shop/own.py\ndef own_price(): pass\n");
    let own = commit(&root, "our own");
    let hub = Hub::serving(&root).await;
    let app = TestApp::start_with(|config| {
        poll_quickly(config);
        config.git.poll_seconds = 0;
    })
    .await;
    let copy = app.data().join("git/shop.git");
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    let left = copy.to_str().unwrap();
    git(&root, &["clone", "-q", "--bare", "--", &other.url, left]);
    add(&app, &hub.url, None).await;
    let repo = app.repo_until("shop", |repo| repo["generation"] != 0).await;
    assert_eq!(repo["commit"], own.as_str(), "{repo}");
    app.end().await;
}

/// Script of a git whose clones ignore `SIGTERM`.
const UNSTOPPABLE_GIT: &str = r#"#!/bin/sh
case " $* " in *" clone "*) trap "" TERM; sleep 1000 ;; esac
exec REAL "$@"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn removal_finishes_after_its_client_disconnects() {
    let (_keep, root) = tree(SHOP);
    let bin = tempfile::tempdir().unwrap();
    let path = path_with_git(&bin.path().join("bin"), UNSTOPPABLE_GIT);
    let data = tempfile::tempdir().unwrap();
    let secrets = data.path().join("credentials");
    let schemes = "FOVEATE__GIT__SCHEMES=[\"http\"]";
    let server = Process::start_on(data, &["env", &path, schemes], None);
    let remote = json!({"git": "http://user:secret@127.0.0.1:9/shop.git"});
    let body = json!({"name": "shop", "source": remote});
    server.call(Method::POST, "/repos", body).await;
    server
        .repo_until("cloned", |repo| repo["progress"]["phase"] == "fetching")
        .await;
    assert_eq!(fs::read_dir(&secrets).unwrap().count(), 1);

    let address = server.url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("DELETE /repos/shop HTTP/1.1\r\nhost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    until("it is not served any more", async || {
        let repo = server.call(Method::GET, "/repos/shop", Value::Null).await;
        (repo["code"] == "unknown_repo").then_some(())
    })
    .await;
    drop(stream);
    let body = json!({"name": "shop", "source": {"path": root}});
    let refused = server.call(Method::POST, "/repos", body.clone()).await;
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("still being removed"), "{refused}");
    until("its name is free", async || {
        let answer = server.call(Method::POST, "/repos", body.clone()).await;
        (answer["code"] != "repo_exists").then_some(())
    })
    .await;
    assert_eq!(
        fs::read_dir(&secrets).unwrap().count(),
        0,
        "no secret stays"
    );
    server
        .repo_until("ready", |repo| repo["state"] == "ready")
        .await;
    assert_eq!(
        places(&server.ask("total_price").await, "total_price"),
        ["shop/price.py"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn detached_head_of_a_remote_is_followed() {
    let app = TestApp::start_with(|config| config.git.schemes.push("file".to_owned())).await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let url = format!("file://{}", root.display());
    let body = json!({"name": "shop", "source": {"git": url}});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    app.ready("shop").await;
    git(&root, &["checkout", "-q", "--detach"]);
    fs::write(root.join("shop/late.py"), "def late():\n    pass\n").unwrap();
    let detached = commit(&root, "of no branch");
    app.post("/repos/shop/sync", Value::Null).await;
    app.repo_until("shop", |repo| repo["commit"] == detached.as_str())
        .await;
    app.end().await;
}
