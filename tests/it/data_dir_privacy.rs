//! Tests that the data directory is private: its permissions, and which files contain secrets.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::app::{SHOP, TestApp, commit, tree, until};
use crate::git_server::{Hub, Mood};
use crate::process::Process;

/// The `authorization` header for `me:s3cret`.
const AUTHORIZATION: &str = "Basic bWU6czNjcmV0";
const SECRET: &str = "s3cret";

/// `root` and every file and directory below it.
fn all_paths(root: &Path) -> Vec<std::path::PathBuf> {
    let mut all = vec![root.to_owned()];
    let mut at = 0;
    while at < all.len() {
        if all[at].is_dir() {
            let entries = fs::read_dir(&all[at]).unwrap();
            all.extend(entries.map(|entry| entry.unwrap().path()));
        }
        at += 1;
    }
    all
}

fn paths_open_to_others(root: &Path) -> Vec<String> {
    all_paths(root)
        .iter()
        .filter_map(|path| {
            let mode = path.symlink_metadata().ok()?.permissions().mode() & 0o777;
            (mode & 0o077 != 0).then(|| format!("{mode:o} {}", path.display()))
        })
        .collect()
}

fn files_with(root: &Path, word: &str) -> Vec<String> {
    let holds = |path: &&std::path::PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes.windows(word.len()).any(|w| w == word.as_bytes())
    };
    let relative =
        |path: &std::path::PathBuf| path.strip_prefix(root).unwrap().display().to_string();
    all_paths(root).iter().filter(holds).map(relative).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn data_directory_is_private_to_its_owner() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let hub = Hub::serving(&root).await;
    let private = [
        "sh",
        "-c",
        "umask 022; export FOVEATE__GIT__SCHEMES='[http]' FOVEATE__STORAGE__WRITE_AFTER_MS=1; exec \"$@\"",
        "sh",
    ];
    let server = Process::start(&private, None);
    let body = json!({"name": "shop", "source": {"git": hub.url}});
    server.call(Method::POST, "/repos", body).await;
    server
        .repo_until("stored", |repo| {
            repo["state"] == "ready" && repo["disk"]["bytes"].as_u64() > Some(0)
        })
        .await;
    let data = server.stop();
    assert_eq!(paths_open_to_others(data.path()), [""; 0]);

    // Wider permissions, as of a copy, are fixed at the next start.
    for path in all_paths(data.path()) {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let server = Process::start_on(data, &private, None);
    let data = server.stop();
    let mode = data.path().metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn url_secret_is_stored_only_in_its_credentials_file() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let hub = Hub::serving(&root).await;
    hub.set_mood(Mood::RequireLogin(AUTHORIZATION));
    let url = hub.url.replace("http://", &format!("http://me:{SECRET}@"));
    let data = tempfile::tempdir().unwrap();
    let http = |config: &mut foveate::config::Config| config.git.schemes = vec!["http".to_owned()];
    let app = TestApp::start_on_with(data.path(), http).await;
    let body = json!({"name": "shop", "source": {"git": url}});
    let response = app.post("/repos", body).await;
    assert_eq!(response.status, StatusCode::CREATED, "{}", response.text);
    assert!(!response.text.contains(SECRET), "{}", response.text);
    app.ready("shop").await;
    assert_eq!(files_with(data.path(), SECRET), ["credentials/shop.json"]);
    let file = data.path().join("credentials/shop.json");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    app.end().await;

    // The secret is still known after a restart, and is deleted with the repository.
    let app = TestApp::start_on_with(data.path(), http).await;
    app.post("/repos/shop/sync", json!({})).await;
    until("it was asked again", async || {
        let repo = app.get("/repos/shop").await.json();
        (repo["state"] == "ready").then_some(())
    })
    .await;
    app.delete("/repos/shop").await;
    assert!(files_with(data.path(), SECRET).is_empty());
    app.end().await;
}
