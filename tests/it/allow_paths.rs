//! Tests that nothing outside `repos.allow_paths` is read, whether links or git files inside lead out when a
//! repository is registered or later; and that no ref makes git run forever.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::app::{SHOP, TIMEOUT, TestApp, commit, git, path_with_git, tree};
use crate::process::Process;

/// An allowed directory `allowed` with the repository `shop`, and beside it a repository `secret`.
struct Fixture {
    _keep: TempDir,
    root: PathBuf,
    secret: String,
}

impl Fixture {
    fn new() -> Self {
        let (_keep, root) = tree("//- secret/vault.py\ndef the_secret():\n    return 42\n");
        let shop = root.join("allowed/shop");
        foveate_fixture::write(&shop, SHOP).unwrap();
        commit(&shop, "open the shop");
        let secret = commit(&root.join("secret"), "hide it");
        Self {
            _keep,
            root,
            secret,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    async fn app(&self) -> TestApp {
        let allowed = self.at("allowed");
        TestApp::start_with(|config| config.repos.allow_paths = vec![allowed]).await
    }
}

async fn assert_refused(app: &TestApp, source: Value) {
    let body = json!({"name": "x", "source": source});
    let response = app.post("/repos", body).await;
    let shown = format!("{source}: {}", response.text);
    assert_eq!(response.status, StatusCode::FORBIDDEN, "{shown}");
    assert_eq!(response.code(), "path_not_allowed", "{shown}");
    assert!(response.text.contains("repos.allow_paths"), "{shown}");
}

fn link_to(git_dir: &Path) -> String {
    format!("gitdir: {}\n", git_dir.display())
}

#[tokio::test(flavor = "multi_thread")]
async fn git_file_leading_outside_is_refused() {
    let places = Fixture::new();
    let app = places.app().await;
    let linked = places.at("allowed/linked");
    fs::create_dir(&linked).unwrap();
    fs::write(linked.join("a.py"), "def a(): pass\n").unwrap();
    for target in ["secret/.git", "no/such/place"] {
        fs::write(linked.join(".git"), link_to(&places.at(target))).unwrap();
        assert_refused(&app, json!({"path": linked})).await;
        assert_refused(&app, json!({"git": linked})).await;
    }
    // Also when a directory below the one with the `.git` file is registered.
    let below = linked.join("src");
    fs::create_dir(&below).unwrap();
    assert_refused(&app, json!({"path": below})).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn alternates_and_common_dirs_leading_outside_are_refused() {
    let places = Fixture::new();
    let app = places.app().await;
    let shop = places.at("allowed/shop");
    let objects = places.at("secret/.git/objects");
    let alternates = shop.join(".git/objects/info/alternates");
    fs::write(&alternates, format!("{}\n", objects.display())).unwrap();
    assert_refused(&app, json!({"path": shop})).await;
    assert_refused(&app, json!({"git": shop})).await;
    fs::write(&alternates, format!("\"{}\"\n", objects.display())).unwrap();
    assert_refused(&app, json!({"git": shop})).await;
    fs::remove_file(&alternates).unwrap();

    let tree = places.at("allowed/tree");
    let secret = places.at("secret");
    git(&secret, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    assert_refused(&app, json!({"path": tree})).await;
    assert_refused(&app, json!({"git": tree})).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn worktree_and_shared_clone_inside_are_accepted() {
    let places = Fixture::new();
    let app = places.app().await;
    let (shop, tree) = (places.at("allowed/shop"), places.at("allowed/tree"));
    git(&shop, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    let clone = places.at("allowed/clone");
    git(
        &shop,
        &["clone", "-q", "--shared", ".", clone.to_str().unwrap()],
    );
    app.add_tree("tree", &tree, false).await;
    app.add_tree("clone", &clone, false).await;
    for repo in ["tree", "clone"] {
        let body = json!({"repo": repo, "query": "`total_price`", "ref": "HEAD~0"});
        let response = app.post("/context", body).await;
        assert_eq!(response.status, StatusCode::OK, "{}", response.text);
        assert!(response.text.contains("shop/price.py"));
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn escape_after_registration_is_detected_on_open() {
    let places = Fixture::new();
    let app = places.app().await;
    let shop = places.at("allowed/shop");
    app.add_tree("shop", &shop, false).await;
    app.add_git("bare", &shop, None).await;
    let objects = places.at("secret/.git/objects");
    let alternates = shop.join(".git/objects/info/alternates");
    fs::write(&alternates, format!("{}\n", objects.display())).unwrap();
    for repo in ["shop", "bare"] {
        let body = json!({"repo": repo, "query": "`the_secret`", "ref": places.secret});
        let response = app.post("/context", body).await;
        assert_eq!(response.status, StatusCode::FORBIDDEN, "{}", response.text);
        assert_eq!(response.code(), "path_not_allowed");
    }
    fs::remove_file(&alternates).unwrap();

    // The repository directory is replaced by a symbolic link to the outside.
    fs::rename(&shop, places.at("allowed/moved")).unwrap();
    symlink(places.at("secret"), &shop).unwrap();
    for repo in ["shop", "bare"] {
        app.post(&format!("/repos/{repo}/sync"), json!({})).await;
        let failed = app.repo_until(repo, |repo| repo["state"] == "failed").await;
        let error = failed["error"].as_str().unwrap_or("");
        assert!(error.contains("repos.allow_paths"), "{error}");
        let answer = app.ask(repo, "`the_secret`").await;
        assert!(!answer.to_string().contains("vault.py"), "{answer}");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_outside_new_allow_paths_is_not_read() {
    let places = Fixture::new();
    let data = tempfile::tempdir().unwrap();
    let app = TestApp::start_on(data.path()).await;
    app.add_tree("secret", &places.at("secret"), false).await;
    app.add_git("bare", &places.at("secret"), None).await;
    app.end().await;
    let allowed = places.at("allowed");
    let app = TestApp::start_on_with(data.path(), |config| {
        config.repos.allow_paths = vec![allowed];
    })
    .await;
    for repo in ["secret", "bare"] {
        let failed = app.repo_until(repo, |repo| repo["state"] == "failed").await;
        let error = failed["error"].as_str().unwrap_or("");
        assert!(error.contains("repos.allow_paths"), "{error}");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_expressions_in_refs_are_refused() {
    let places = Fixture::new();
    let app = TestApp::start().await;
    app.add_git("shop", &places.at("allowed/shop"), None).await;
    for reference in [
        "HEAD^{/((a{1,120}){1,120}){1,120}}",
        ":/open",
        "HEAD@{yesterday}",
        "HEAD^{tree}",
        "HEAD..HEAD",
    ] {
        let body = json!({"repo": "shop", "query": "x", "ref": reference});
        let response = app.post("/context", body).await;
        assert_eq!(response.status, StatusCode::BAD_REQUEST, "{reference}");
        assert_eq!(response.code(), "invalid_field", "{}", response.text);
        let name = "y";
        let source = json!({"git": places.at("allowed/shop"), "ref": reference});
        let response = app
            .post("/repos", json!({"name": name, "source": source}))
            .await;
        assert_eq!(response.status, StatusCode::BAD_REQUEST, "{reference}");
        assert_eq!(response.json()["field"], "source.ref", "{}", response.text);
    }
    for reference in [
        "HEAD",
        "main",
        "HEAD~0",
        "HEAD^0",
        &places.allowed_head()[..7],
    ] {
        let body = json!({"repo": "shop", "query": "`Cart`", "ref": reference});
        let response = app.post("/context", body).await;
        assert_eq!(
            response.status,
            StatusCode::OK,
            "{reference}: {}",
            response.text
        );
    }
    app.end().await;
}

impl Fixture {
    fn allowed_head(&self) -> String {
        git(&self.at("allowed/shop"), &["rev-parse", "HEAD"])
    }
}

/// Script of a git that hangs when it resolves the ref `slow`. It writes its process id to the file `slow` first.
const HANGING_GIT: &str = "#!/bin/sh
case \"$*\" in
  *--verify*slow*) echo $$ > \"$(dirname \"$0\")/slow\"; exec sleep 1000;;
esac
exec REAL \"$@\"
";

#[tokio::test(flavor = "multi_thread")]
async fn hanging_git_is_killed_with_the_request() {
    let places = Fixture::new();
    let path = path_with_git(&places.at("bin"), HANGING_GIT);
    let server = Process::start(&["env", &path, "FOVEATE__ANSWER__DEADLINE_MS=300"], None);
    server.add(&places.at("allowed/shop")).await;
    let body = json!({"repo": "shop", "query": "x", "ref": "slow"});
    let answer = server.call(reqwest::Method::POST, "/context", body).await;
    assert_eq!(answer["status"], 503, "{answer}");
    assert_eq!(answer["code"], "deadline", "{answer}");
    let process = fs::read_to_string(places.at("bin/slow")).unwrap();
    let process = PathBuf::from(format!("/proc/{}", process.trim()));
    let start = std::time::Instant::now();
    while process.exists() {
        assert!(start.elapsed() < TIMEOUT, "git is still there");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_outside_allow_paths_are_refused() {
    let (_keep, allowed) = tree(SHOP);
    let (_other, outside) = tree(SHOP);
    symlink(&outside, allowed.join("way-out")).unwrap();
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

/// The data directory has the copies of other repositories.
#[tokio::test(flavor = "multi_thread")]
async fn copies_of_other_repositories_are_refused() {
    let app = TestApp::start_with(|config| config.git.schemes.push("file".to_owned())).await;
    let copy = app.data().join("git/other");
    foveate_fixture::write(&copy, SHOP).unwrap();
    commit(&copy, "open the shop");
    for (source, field) in [
        (json!({"path": copy}), "source.path"),
        (json!({"git": copy}), "source.git"),
        (
            json!({"git": format!("file://{}", copy.display())}),
            "source.git",
        ),
    ] {
        let body = json!({"name": "x", "source": source});
        let response = app.post("/repos", body).await;
        assert_eq!(response.code(), "invalid_field", "{}", response.text);
        assert_eq!(response.json()["field"], field, "{}", response.text);
    }
    app.end().await;
}
