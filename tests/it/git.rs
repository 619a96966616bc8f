//! Tests repositories read from git objects: bare repositories, commits, branches, tags, unusual trees.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate::access::Grant;
use foveate::ingest::git::GitRepo;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::app::{SHOP, TestApp, commit, git, path_with_git, places, tree, until};
use crate::cli::{foveate, stderr};
use crate::process::Process;

/// Creates a working tree with three commits, and a bare clone of it.
fn history() -> (TempDir, PathBuf, TempDir, PathBuf, [String; 3]) {
    let (keep, root) = tree(SHOP);
    let first = commit(&root, "open the shop");
    std::fs::write(
        root.join("shop/gift.py"),
        "def wrap_gift(item):\n    return item\n",
    )
    .unwrap();
    let second = commit(&root, "wrap gifts");
    git(&root, &["tag", "v2"]);
    git(&root, &["mv", "shop/gift.py", "shop/present.py"]);
    std::fs::remove_file(root.join("shop/price.py")).unwrap();
    let third = commit(&root, "rename gifts");
    let bare_keep = tempfile::tempdir().unwrap();
    let bare = bare_keep.path().canonicalize().unwrap().join("shop.git");
    git(
        &root,
        &["clone", "-q", "--bare", ".", bare.to_str().unwrap()],
    );
    (keep, root, bare_keep, bare, [first, second, third])
}

async fn ask_at(app: &TestApp, reference: &str, name: &str) -> Value {
    let body = json!({"repo": "shop", "ref": reference, "query": format!("`{name}`")});
    let response = app.post("/context", body).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text);
    response.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn bare_repository_answers_at_every_commit() {
    let app = TestApp::start().await;
    let (_a, _root, _b, bare, [first, second, third]) = history();
    app.add_git("shop", &bare, None).await;
    let repo = app.repo_until("shop", |repo| repo["history"] == true).await;
    assert_eq!(repo["commit"], third.as_str());
    assert_eq!(repo["generation"], 2, "the second one has the history");

    for (reference, commit, gift, price) in [
        (first.as_str(), &first, &[][..], &["shop/price.py"][..]),
        ("v2", &second, &["shop/gift.py"], &["shop/price.py"]),
        ("main~1", &second, &["shop/gift.py"], &["shop/price.py"]),
        ("main", &third, &["shop/present.py"], &[]),
        (&third[..10], &third, &["shop/present.py"], &[]),
    ] {
        let answer = ask_at(&app, reference, "wrap_gift").await;
        assert_eq!(answer["commit"], commit.as_str(), "{reference}");
        assert_eq!(answer["tree"]["dirty"], false);
        assert_eq!(places(&answer, "wrap_gift"), gift, "{reference}");
        let answer = ask_at(&app, reference, "total_price").await;
        assert_eq!(places(&answer, "total_price"), price, "{reference}");
    }
    for (reference, status, code) in [
        ("nowhere", 404, "unknown_ref"),
        (&"f".repeat(40), 404, "unknown_ref"),
        (&"F".repeat(40), 404, "unknown_ref"),
        ("main:shop", 400, "invalid_field"),
        ("main..v2", 400, "invalid_field"),
        ("--all", 400, "invalid_field"),
    ] {
        let body = json!({"repo": "shop", "ref": reference, "query": "x"});
        let response = app.post("/context", body).await;
        let got = (response.status.as_u16(), response.code());
        assert_eq!(got, (status, code.to_owned()), "{reference}");
        assert_eq!(response.json()["field"], "ref");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bare_repository_is_refused_as_a_working_tree() {
    let app = TestApp::start().await;
    let (_a, root, _b, bare, _) = history();
    for path in [bare.clone(), root.join(".git")] {
        let body = json!({"name": "shop", "source": {"path": path}});
        let refused = app.post("/repos", body).await;
        assert_eq!(refused.code(), "invalid_field", "{}", refused.text);
        assert_eq!(refused.json()["field"], "source.path");
        assert!(
            refused.text.contains("register it as `git`"),
            "{}",
            refused.text
        );
    }
    app.end().await;
    let data = tempfile::tempdir().unwrap();
    let served = foveate(&["serve", "--listen", "127.0.0.1:0", "--watch"])
        .arg(&bare)
        .arg("--data-dir")
        .arg(data.path())
        .output()
        .unwrap();
    let told = stderr(&served);
    assert_eq!(served.status.code(), Some(2), "{told}");
    assert!(told.contains("is a bare git repository"), "{told}");
}

/// Script of a git that creates the branch `late` as soon as its commit was looked for in vain.
const LATE_BRANCH_GIT: &str = r#"#!/bin/sh
REAL "$@"
status=$?
case " $* " in *" late^{commit} "*) REAL --git-dir='BARE' update-ref refs/heads/late COMMIT ;; esac
exit $status
"#;

#[tokio::test(flavor = "multi_thread")]
async fn branch_that_appears_while_it_is_looked_for_is_found() {
    let (_a, _root, _b, bare, [first, ..]) = history();
    let script = LATE_BRANCH_GIT.replace("BARE", bare.to_str().unwrap());
    let bin = tempfile::tempdir().unwrap();
    let path = path_with_git(&bin.path().join("bin"), &script.replace("COMMIT", &first));
    let server = Process::start(&["env", &path], None);
    let body = json!({"name": "shop", "source": {"git": bare}});
    server.call(Method::POST, "/repos", body).await;
    server
        .repo_until("ready", |repo| repo["state"] == "ready")
        .await;
    let body = json!({"repo": "shop", "ref": "late", "query": "`total_price`"});
    let answer = server.call(Method::POST, "/context", body).await;
    assert_eq!(answer["commit"], first.as_str(), "{answer}");
}

/// Script of a git that cannot open a repository the first time.
const GIT_THAT_FAILS_ONCE: &str = r#"#!/bin/sh
case " $* " in *" --show-prefix "*) [ -e MARK ] || { : > MARK; kill -KILL $$; } ;; esac
exec REAL "$@"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn repository_around_a_subdirectory_is_opened_when_git_works_again() {
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    let bin = tempfile::tempdir().unwrap();
    let mark = bin.path().join("mark");
    let script = GIT_THAT_FAILS_ONCE.replace("MARK", mark.to_str().unwrap());
    let path = path_with_git(&bin.path().join("bin"), &script);
    let server = Process::start(&["env", &path], None);
    server.add(&root.join("shop")).await;
    assert!(mark.exists(), "git has failed");
    server
        .repo_until("the commit", |repo| repo["commit"] == first.as_str())
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tracked_but_ignored_file_is_indexed() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    std::fs::write(root.join("made.py"), "def made():\n    pass\n").unwrap();
    let first = commit(&root, "open the shop");
    std::fs::write(root.join(".gitignore"), "made.py\n").unwrap();
    let second = commit(&root, "ignore what is made");
    std::fs::write(root.join("shop/late.py"), "def late():\n    pass\n").unwrap();
    commit(&root, "stay open");
    app.add_tree("shop", &root, false).await;
    assert_eq!(app.get("/repos/shop").await.json()["dirty"], false);
    assert_eq!(app.places_of("shop", "made").await, ["made.py"]);
    for reference in [first, second] {
        let answer = ask_at(&app, &reference, "made").await;
        assert_eq!(places(&answer, "made"), ["made.py"]);
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn blob_is_parsed_once_for_all_revisions() {
    let app = TestApp::start().await;
    let (_a, root, _b, bare, [first, second, _]) = history();
    app.add_git("shop", &bare, None).await;
    let before = app.engine.blobs.stats().parsed;
    ask_at(&app, &second, "wrap_gift").await;
    let after = app.engine.blobs.stats().parsed;
    assert_eq!(
        after - before,
        1,
        "of the second commit only price.py is new"
    );
    ask_at(&app, &first, "checkout").await;
    app.add_tree("tree", &root, false).await;
    assert_eq!(
        app.engine.blobs.stats().parsed,
        after,
        "everything was seen before"
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn history_of_a_revision_contains_only_its_ancestors() {
    let app = TestApp::start().await;
    let (_a, _root, _b, bare, [first, ..]) = history();
    app.add_git("shop", &bare, None).await;
    let answer = ask_at(&app, &first, "checkout").await;
    let codes = answer["issues"].to_string();
    assert!(codes.contains("history_loading"), "{codes}");
    until("the history of the first commit", async || {
        let answer = ask_at(&app, &first, "checkout").await;
        (answer["generation"] == 2 && !answer["issues"].to_string().contains("history"))
            .then_some(())
    })
    .await;
    let repository = app.engine.get(&Grant::unrestricted(), "shop").unwrap();
    let snapshot = repository.revisions.get(&first).unwrap();
    let messages: Vec<&str> = snapshot
        .history
        .as_ref()
        .unwrap()
        .commits
        .iter()
        .map(|c| c.message.as_str())
        .collect();
    assert_eq!(messages, ["open the shop"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_questions_build_a_revision_once() {
    let app = TestApp::start().await;
    let (_a, _root, _b, bare, [first, ..]) = history();
    app.add_git("shop", &bare, None).await;
    let busy = app
        .engine
        .index_runs
        .clone()
        .acquire_many_owned(2)
        .await
        .unwrap();
    let asks = join_all(8, || ask_at(&app, &first, "checkout"));
    let release = async {
        until("the revision to be claimed", async || {
            let repository = app.engine.get(&Grant::unrestricted(), "shop").unwrap();
            (repository.revisions.count() == 1).then_some(())
        })
        .await;
        drop(busy);
    };
    let (answers, ()) = tokio::join!(asks, release);
    assert!(answers.iter().all(|a| a["commit"] == first.as_str()));
    assert_eq!(
        app.engine
            .get(&Grant::unrestricted(), "shop")
            .unwrap()
            .revisions
            .count(),
        1
    );
    app.end().await;
}

/// Runs `count` futures at once.
async fn join_all<T, F: Future<Output = T>>(count: usize, start: impl Fn() -> F) -> Vec<T> {
    let mut pending: Vec<_> = (0..count).map(|_| Box::pin(start())).collect();
    let mut done = Vec::new();
    std::future::poll_fn(|context| {
        pending.retain_mut(|future| match future.as_mut().poll(context) {
            std::task::Poll::Ready(value) => {
                done.push(value);
                false
            }
            std::task::Poll::Pending => true,
        });
        if pending.is_empty() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_revision_is_refused_with_retry_after_then_answered() {
    let app = TestApp::start_with(|config| config.answer.build_deadline_ms = 50).await;
    let (_a, _root, _b, bare, [first, ..]) = history();
    app.add_git("shop", &bare, None).await;
    let busy = app
        .engine
        .index_runs
        .clone()
        .acquire_many_owned(2)
        .await
        .unwrap();
    let body = json!({"repo": "shop", "ref": first, "query": "checkout"});
    let response = app.post("/context", body.clone()).await;
    assert_eq!(
        (response.status.as_u16(), response.code().as_str()),
        (503, "indexing")
    );
    assert_eq!(response.header("retry-after"), "2");
    drop(busy);
    until("the revision", async || {
        (app.post("/context", body.clone()).await.status == StatusCode::OK).then_some(())
    })
    .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn moved_branch_is_seen_after_a_sync() {
    let app = TestApp::start().await;
    let (_a, root, _b, bare, [_, _, third]) = history();
    app.add_git("shop", &bare, Some("main")).await;
    assert_eq!(
        app.get("/repos/shop").await.json()["commit"],
        third.as_str()
    );
    std::fs::write(root.join("shop/new.py"), "def brand_new():\n    pass\n").unwrap();
    let fourth = commit(&root, "new");
    git(&root, &["push", "-q", bare.to_str().unwrap(), "main"]);
    app.post("/repos/shop/sync", Value::Null).await;
    app.repo_until("shop", |repo| repo["commit"] == fourth.as_str())
        .await;
    assert_eq!(app.places_of("shop", "brand_new").await, ["shop/new.py"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn remote_repository_is_cloned_fetched_and_removed() {
    let app = TestApp::start_with(|config| config.git.schemes.push("file".to_owned())).await;
    let (_a, root, _b, bare, [_, _, third]) = history();
    let url = format!("file://{}", bare.display());
    let body = json!({"name": "shop", "source": {"git": url}});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    app.ready("shop").await;
    assert_eq!(
        app.get("/repos/shop").await.json()["commit"],
        third.as_str()
    );
    let copy = app.data().join("git/shop.git");
    assert!(copy.join("HEAD").exists());
    let fourth = commit(&root, "nothing new");
    git(&root, &["push", "-q", bare.to_str().unwrap(), "main"]);
    app.post("/repos/shop/sync", Value::Null).await;
    app.repo_until("shop", |repo| repo["commit"] == fourth.as_str())
        .await;
    app.delete("/repos/shop").await;
    assert!(!copy.exists());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_without_commits_fails_until_the_first() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    git(&root, &["init", "-q"]);
    let body = json!({"name": "shop", "source": {"git": root}});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    let repo = app
        .repo_until("shop", |repo| repo["state"] == "failed")
        .await;
    assert!(
        repo["error"].as_str().unwrap().contains("no commit"),
        "{repo}"
    );
    app.add_tree("tree", &root, false).await;
    assert_eq!(app.get("/repos/tree").await.json()["commit"], "");
    assert_eq!(
        app.places_of("tree", "total_price").await,
        ["shop/price.py"]
    );
    commit(&root, "first");
    app.post("/repos/shop/sync", Value::Null).await;
    app.ready("shop").await;
    app.end().await;
}

/// Commits a tree with files that cannot or must not be indexed: binary, too large, a link, a missing object.
fn commit_odd_tree(root: &Path) -> String {
    git(root, &["init", "-q"]);
    std::fs::write(root.join("good.py"), "def good():\n    pass\n").unwrap();
    std::fs::write(root.join("binary.py"), b"\0\x01\x02").unwrap();
    std::fs::write(root.join("legacy.py"), b"# caf\xe9\x01\n").unwrap();
    std::fs::write(root.join("large.py"), "x = 1\n".repeat(400_000)).unwrap();
    std::fs::write(root.join("lost.py"), "def lost():\n    pass\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("link.py")).unwrap();
    git(root, &["add", "-A"]);
    let other = "1".repeat(40);
    let gitlink = format!("160000,{other},sub/module");
    git(root, &["update-index", "--add", "--cacheinfo", &gitlink]);
    git(root, &["commit", "-q", "-m", "odd"]);
    let blob = git(root, &["rev-parse", "HEAD:lost.py"]);
    let object = root.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    std::fs::remove_file(object).unwrap();
    git(root, &["rev-parse", "HEAD"])
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_objects_are_listed_with_the_reason() {
    let app = TestApp::start().await;
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    commit_odd_tree(&root);
    app.add_git("odd", &root, None).await;
    assert_eq!(app.places_of("odd", "good").await, ["good.py"]);
    let repo = app.get("/repos/odd?skipped=true").await.json();
    let skipped: Vec<(&str, &str)> = repo["skipped_files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["path"].as_str().unwrap(), f["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(
        skipped,
        [
            ("binary.py", "binary"),
            ("large.py", "too_large"),
            ("legacy.py", "not_utf8"),
            ("link.py", "symlink"),
            ("lost.py", "unreadable"),
            ("sub/module", "submodule"),
        ]
    );
    assert_eq!(repo["files"], 7);
    assert_eq!(repo["skipped"]["too_large"], 1);
    let legacy = app.get("/repos/odd/files/legacy.py").await;
    let says_what = legacy
        .text
        .contains("its name or its text is in an unknown");
    assert!(says_what, "{}", legacy.text);
    app.end().await;
}

/// Git settings that name programs to run. The test does something that would trigger each of them.
const PROGRAM_SETTINGS: [&str; 17] = [
    "core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand",
    "core.alternateRefsCommand", "credential.helper", "diff.external", "diff.evil.command",
    "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
    "gpg.program", "pager.log", "remote.origin.uploadpack", "uploadpack.packObjectsHook",
];

#[tokio::test(flavor = "multi_thread")]
async fn programs_in_repository_settings_are_not_run() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    std::fs::write(root.join(".gitattributes"), "*.py diff=evil filter=evil\n").unwrap();
    std::fs::write(root.join("shop/gift.py"), "def wrap_gift():\n    pass\n").unwrap();
    commit(&root, "second");
    let mark = tempfile::tempdir().unwrap();
    let executed = mark.path().join("executed");
    let program = format!("touch {}", executed.display());
    let mut included = String::new();
    for key in PROGRAM_SETTINGS {
        git(&root, &["config", key, &program]);
        let (section, name) = key.rsplit_once('.').unwrap();
        let section = match section.split_once('.') {
            Some((section, part)) => format!("{section} {part:?}"),
            None => section.to_owned(),
        };
        included += &format!("[{section}]\n\t{name} = {program}\n");
    }
    let hooks = root.join("hooks");
    std::fs::create_dir(&hooks).unwrap();
    for hook in [
        "reference-transaction", "post-index-change", "post-checkout",
    ] {
        use std::os::unix::fs::PermissionsExt as _;
        let hook = hooks.join(hook);
        std::fs::write(&hook, format!("#!/bin/sh\n{program}\n")).unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let other = mark.path().join("config");
    std::fs::write(&other, included).unwrap();
    for (key, value) in [
        ("include.path", other.to_str().unwrap()),
        ("core.hooksPath", hooks.to_str().unwrap()),
        ("log.showSignature", "true"),
        ("diff.orderFile", ".gitorder"),
        ("remote.origin.url", "ssh://example.invalid/x"),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
    ] {
        git(&root, &["config", key, value]);
    }
    // A missing object, which git would fetch from the promisor remote if it were allowed to.
    let lost = git(&root, &["rev-parse", &format!("{first}:README.md")]);
    std::fs::remove_file(root.join(".git/objects").join(&lost[..2]).join(&lost[2..])).unwrap();
    // The repository may belong to another user.
    if rustix::process::geteuid().is_root() {
        let status = std::process::Command::new("chown")
            .args(["-R", "12345", root.to_str().unwrap()])
            .status();
        assert!(status.unwrap().success());
    }
    let _ = std::fs::remove_file(&executed);
    app.add_git("git", &root, None).await;
    app.add_tree("tree", &root, true).await;
    for name in ["git", "tree"] {
        let whole = async || {
            let answer = app.ask(name, "`wrap_gift`").await;
            assert_eq!(places(&answer, "wrap_gift"), ["shop/gift.py"]);
            let issues = answer["issues"].to_string();
            assert!(!issues.contains("history_unavailable"), "{issues}");
            (!issues.contains("loading")).then_some(())
        };
        until("the history", whole).await;
        let body = json!({"repo": name, "ref": first, "query": "`total_price`"});
        let answer = app.post("/context", body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    }
    assert!(!executed.exists());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sha256_repository_works_like_any_other() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    git(&root, &["init", "-q", "--object-format=sha256"]);
    let first = commit(&root, "first");
    assert_eq!(first.len(), 64);
    std::fs::write(root.join("shop/gift.py"), "def wrap_gift():\n    pass\n").unwrap();
    let second = commit(&root, "second");
    app.add_git("shop", &root, None).await;
    app.add_tree("tree", &root, true).await;
    for name in ["shop", "tree"] {
        let repo = app.repo_until(name, |repo| repo["history"] == true).await;
        assert_eq!(
            (&repo["commit"], &repo["dirty"]),
            (&json!(second), &json!(false))
        );
        for reference in [&first, &first[..12], "HEAD~1"] {
            let body = json!({"repo": name, "ref": reference, "query": "`wrap_gift`"});
            let answer = app.post("/context", body).await.json();
            assert_eq!(answer["commit"], first.as_str(), "{reference}");
            assert!(places(&answer, "wrap_gift").is_empty());
        }
    }
    let parsed = app.engine.blobs.stats().parsed;
    assert_eq!(parsed, 5, "each content once, whoever read it first");
    std::fs::write(root.join("README.md"), "# Store\n").unwrap();
    app.repo_until("tree", |repo| repo["dirty"] == true).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lfs_pointers_are_listed_and_not_searched() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n";
    std::fs::write(root.join("model.py"), pointer).unwrap();
    commit(&root, "first");
    app.add_git("git", &root, None).await;
    app.add_tree("tree", &root, false).await;
    for name in ["git", "tree"] {
        let repo = app.get(&format!("/repos/{name}?skipped=true")).await.json();
        assert_eq!(repo["skipped"], json!({"lfs_pointer": 1}));
        assert_eq!(repo["skipped_files"][0]["path"], "model.py");
        let answer = app
            .ask(name, "git-lfs.github.com oid sha256 4d7a2146")
            .await;
        assert!(
            !answer["context"].as_str().unwrap().contains("4d7a2146"),
            "{answer}"
        );
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn partial_clones_answer_from_existing_objects() {
    let app = TestApp::start().await;
    let (_a, _root, _b, bare, [first, second, third]) = history();
    git(&bare, &["config", "uploadpack.allowFilter", "true"]);
    let keep = tempfile::tempdir().unwrap();
    let at = |name: &str| keep.path().canonicalize().unwrap().join(name);
    let url = format!("file://{}", bare.display());
    let clone = |name: &str, how: &str| {
        let to = at(name);
        let how = ["clone", "-q", "--bare", how, &url, to.to_str().unwrap()];
        git(keep.path(), &how);
    };
    clone("shallow", "--depth=1");
    clone("blobless", "--filter=blob:none");
    clone("treeless", "--filter=tree:0");

    app.add_git("shallow", &at("shallow"), None).await;
    let answer = app.ask("shallow", "`wrap_gift`").await;
    assert_eq!(answer["commit"], third.as_str());
    assert_eq!(places(&answer, "wrap_gift"), ["shop/present.py"]);
    for reference in [&*first, &second, "HEAD~1"] {
        let body = json!({"repo": "shallow", "ref": reference, "query": "x"});
        let response = app.post("/context", body).await;
        assert_eq!(response.code(), "unknown_ref");
        let says_what_to_do = response.text.contains("`git fetch --unshallow`");
        assert!(says_what_to_do, "{}", response.text);
        let body = json!({"repo": "shallow", "diff": {"base": reference, "head": "HEAD"}});
        assert_eq!(
            app.post("/context", body).await.json()["field"],
            "diff.base"
        );
    }
    // Commits whose common ancestor is beyond the boundary.
    let tag = "refs/tags/v2:refs/tags/v2";
    git(&at("shallow"), &["fetch", "-q", "--depth=1", "origin", tag]);
    let body = json!({"repo": "shallow", "diff": {"base": "v2", "head": "HEAD"}});
    let response = app.post("/context", body).await;
    assert_eq!(response.json()["field"], "diff", "{}", response.text);
    assert!(response.text.contains("`git fetch --unshallow`"));

    let packs = |name: &str| {
        std::fs::read_dir(at(name).join("objects/pack"))
            .unwrap()
            .count()
    };
    let before = (packs("blobless"), packs("treeless"));
    app.add_git("blobless", &at("blobless"), None).await;
    let repo = app
        .repo_until("blobless", |repo| repo["history"] == true)
        .await;
    assert_eq!(repo["skipped"]["unreadable"], 4, "{repo}");
    let source = json!({"git": at("treeless")});
    app.post("/repos", json!({"name": "treeless", "source": source}))
        .await;
    app.repo_until("treeless", |repo| repo["state"] == "failed")
        .await;
    assert_eq!(
        (packs("blobless"), packs("treeless")),
        before,
        "nothing was fetched"
    );
    // The files that somebody fetches are read at the next sync, although the commit is the same.
    git(
        &at("blobless"),
        &["fetch", "-q", "--refetch", "--no-filter", "origin", "HEAD"],
    );
    app.post("/repos/blobless/sync", json!({})).await;
    app.repo_until("blobless", |repo| repo["skipped"]["unreadable"].is_null())
        .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn working_tree_answers_at_every_revision() {
    let app = TestApp::start().await;
    let (_a, root, _b, _bare, [first, second, third]) = history();
    app.add_tree("shop", &root, true).await;
    git(&root, &["branch", "side", &first]);
    for (reference, commit) in [
        (&*first, &first),
        (&second[..9], &second),
        ("v2", &second),
        ("side", &first),
        ("HEAD", &third),
        ("HEAD~2", &first),
        ("main^", &second),
        ("refs/heads/side", &first),
    ] {
        let answer = ask_at(&app, reference, "checkout").await;
        assert_eq!(answer["commit"], commit.as_str(), "{reference}");
    }
    for (reference, code) in [("HEAD~9", "unknown_ref"), ("main:shop", "invalid_field")] {
        let body = json!({"repo": "shop", "ref": reference, "query": "x"});
        assert_eq!(app.post("/context", body).await.code(), code, "{reference}");
    }
    // A branch without a commit.
    git(&root, &["checkout", "-q", "--orphan", "empty"]);
    app.repo_until("shop", |repo| repo["commit"] == "").await;
    assert_eq!(
        app.places_of("shop", "wrap_gift").await,
        ["shop/present.py"]
    );
    assert_eq!(
        ask_at(&app, &third, "checkout").await["commit"],
        third.as_str()
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commit_without_the_registered_directory_has_no_files() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "open the shop");
    let gifts = root.join("gifts");
    std::fs::create_dir(&gifts).unwrap();
    let source = "def wrap_gift(item):\n    return item\n";
    std::fs::write(gifts.join("wrap.py"), source).unwrap();
    app.add_tree("shop", &gifts, false).await;
    app.repo_until("shop", |repo| repo["history"] == true).await;
    let answer = app.ask("shop", "`wrap_gift`").await;
    assert_eq!(places(&answer, "wrap_gift"), ["wrap.py"]);
    let issues = answer["issues"].to_string();
    assert!(!issues.contains("history_unavailable"), "{issues}");
    let second = commit(&root, "wrap gifts");
    for (reference, files) in [(&first, &[][..]), (&second, &["wrap.py"]), (&first, &[])] {
        let answer = ask_at(&app, reference, "wrap_gift").await;
        assert_eq!(answer["commit"], reference.as_str());
        assert_eq!(places(&answer, "wrap_gift"), files);
    }
    app.end().await;
}

#[test]
fn lost_directory_of_a_commit_is_no_missing_one() {
    let (_keep, root) = tree(SHOP);
    let commit = commit(&root, "open the shop");
    let repo = GitRepo::discover(&root.join("shop"), &Arc::default());
    let repo = repo.unwrap().unwrap();
    let stop = CancellationToken::new();
    assert_eq!(repo.list(&commit, &stop).unwrap().len(), 2);
    let id = git(&root, &["rev-parse", "HEAD:shop"]);
    std::fs::remove_file(root.join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    let error = repo.list(&commit, &stop).unwrap_err();
    assert!(error.is_damage(), "{error}");
}

/// Creates a repository with `count` commits that each change the same file.
fn make_many_commits(root: &Path, count: usize) {
    git(root, &["init", "-q"]);
    let mut import = String::new();
    for n in 0..count {
        let source = format!("def latest():\n    return {n}\n");
        import += &format!(
            "commit refs/heads/main\ncommitter t <t@example.org> {} +0000\ndata 4\nmore\n\
             M 100644 inline latest.py\ndata {}\n{source}\n",
            1_700_000_000 + n,
            source.len()
        );
    }
    let file = root.join("import");
    std::fs::write(&file, import).unwrap();
    let status = std::process::Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["fast-import", "--quiet"])
        .stdin(std::fs::File::open(&file).unwrap())
        .status();
    assert!(status.unwrap().success());
    std::fs::remove_file(file).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_do_not_wait_for_touched_functions() {
    let app = TestApp::start().await;
    let turns = app.engine.history_runs.clone();
    let busy = turns.acquire_many_owned(1).await.unwrap();
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    make_many_commits(&root, 320);
    app.add_git("shop", &root, None).await;
    app.repo_until("shop", |repo| repo["history"] == true).await;
    let answer = app.ask("shop", "`latest`").await;
    assert_eq!(places(&answer, "latest"), ["latest.py"]);
    assert!(answer["issues"].to_string().contains("history_loading"));
    drop(busy);
    until("the functions", async || {
        let answer = app.ask("shop", "`latest`").await;
        (!answer["issues"].to_string().contains("history")).then_some(())
    })
    .await;
    app.end().await;
}
