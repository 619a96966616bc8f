//! Tests what survives a restart, and which changes a restart detects.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::SystemTime;

use foveate::access::Grant;
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::app::{SHOP, TestApp, commit, save, tree, until};
use crate::index_report::equals_fresh_build;
use crate::process::{Process, unprivileged_user};

#[tokio::test(flavor = "multi_thread")]
async fn repositories_survive_a_restart_and_are_updated() {
    let data = tempfile::tempdir().unwrap();
    let (_a, root) = tree(SHOP);
    let (_b, other) = tree(SHOP);
    commit(&other, "first");
    let app = TestApp::start_on(data.path()).await;
    app.add_tree("shop", &root, true).await;
    app.add_git("other", &other, Some("main")).await;
    app.add_tree("gone", &other, false).await;
    assert_eq!(
        app.delete("/repos/gone").await.status,
        StatusCode::NO_CONTENT
    );
    app.end().await;

    fs::write(
        root.join("shop/while_down.py"),
        "def while_down():\n    pass\n",
    )
    .unwrap();
    let app = TestApp::start_on(data.path()).await;
    app.ready("shop").await;
    app.ready("other").await;
    assert_eq!(app.get("/repos/gone").await.status, StatusCode::NOT_FOUND);
    let repo = app.get("/repos/other").await.json();
    assert_eq!(repo["source"]["ref"], "main");
    assert_eq!(
        app.places_of("shop", "while_down").await,
        ["shop/while_down.py"]
    );
    assert_eq!(
        app.get("/repos/shop").await.json()["watch"]["mode"],
        "events"
    );
    app.end().await;

    // A source that is missing at the next start is reported, and other repositories are unaffected.
    fs::remove_dir_all(&root).unwrap();
    let app = TestApp::start_on(data.path()).await;
    app.ready("other").await;
    let repo = app
        .repo_until("shop", |repo| repo["state"] == "failed")
        .await;
    assert!(
        repo["error"].as_str().unwrap().contains("not a directory"),
        "{repo}"
    );
    let ready = app.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::OK);
    assert_eq!(ready.json()["failed"], serde_json::json!(["shop"]));
    app.end().await;
}

/// Eight files of the same length.
const SAME_SIZE_FILES: &str = "
//- in_place.py
def f_1(): pass
//- renamed_over.py
def f_2(): pass
//- one.py
def f_3(): pass
//- other.py
def f_4(): pass
//- moved.py
def f_5(): pass
//- gone.py
def f_6(): pass
//- inner/hidden.py
def f_7(): pass
//- locked.py
def f_8(): pass
";

/// Waits until the stat of a file is old enough to be trusted.
async fn wait_until_stat_is_trusted(path: &Path) {
    let written = path.metadata().unwrap().ctime();
    until("the next seconds", async || {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        (now.unwrap().as_secs().cast_signed() > written + 2).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn same_size_same_mtime_changes_are_found_after_restart() {
    let (keep, root) = tree(SAME_SIZE_FILES);
    let at = |path: &str| root.join(path);
    // All files have the same size and modification time, also after they are rewritten.
    let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let backdate = |path: &str| {
        let file = fs::File::options().append(true).open(at(path)).unwrap();
        file.set_modified(time).unwrap();
    };
    let may = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let paths = [
        "in_place.py", "renamed_over.py", "one.py", "other.py", "moved.py", "gone.py",
        "inner/hidden.py", "locked.py",
    ];
    for path in paths {
        backdate(path);
        may(&at(path), 0o666);
    }
    for path in [keep.path(), &root, &at("inner")] {
        may(path, 0o777);
    }
    wait_until_stat_is_trusted(&at("locked.py")).await;
    let user = unprivileged_user();
    let server = Process::start(&["env"], user);
    server.add(&root).await;
    server.equals_fresh_service(user, &root).await;
    let data = server.stop();

    fs::write(at("in_place.py"), "def g_1(): pass\n").unwrap();
    backdate("in_place.py");
    save(&at("renamed_over.py"), "def g_2(): pass\n");
    backdate("renamed_over.py");
    may(&at("renamed_over.py"), 0o666);
    fs::rename(at("one.py"), at("between.py")).unwrap();
    fs::rename(at("other.py"), at("one.py")).unwrap();
    fs::rename(at("between.py"), at("other.py")).unwrap();
    fs::rename(at("moved.py"), at("inner/moved.py")).unwrap();
    fs::remove_file(at("gone.py")).unwrap();
    fs::rename(at("inner"), at("outer")).unwrap();
    may(&at("locked.py"), 0o000);
    let server = Process::start_on(data, &["env"], user);
    server
        .repo_until("ready", |repo| repo["state"] == "ready")
        .await;
    // The first answers show the current files.
    for (name, places) in [
        ("f_1", &[][..]),
        ("g_1", &["in_place.py"]),
        ("f_2", &[]),
        ("g_2", &["renamed_over.py"]),
        ("f_3", &["other.py"]),
        ("f_4", &["one.py"]),
        ("f_5", &["outer/moved.py"]),
        ("f_6", &[]),
        ("f_7", &["outer/hidden.py"]),
        ("f_8", &[]),
    ] {
        let answer = server.ask(name).await;
        assert_eq!(crate::app::places(&answer, name), places, "{name}");
    }
    server.equals_fresh_service(user, &root).await;
    let data = server.stop();

    may(&at("locked.py"), 0o666);
    let server = Process::start_on(data, &["env"], user);
    server.places_become("f_8", &["locked.py"]).await;
    equals_fresh_build(&server, "shop", &root).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn few_changed_stats_are_stored_when_the_server_stops() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    fs::create_dir(root.join("many")).unwrap();
    for n in 0..100 {
        fs::write(root.join(format!("many/m{n}.py")), "x = 1\n").unwrap();
    }
    let app = TestApp::start_on_with(data.path(), |config| config.storage.write_after_ms = 1);
    let app = app.await;
    app.add_tree("shop", &root, true).await;
    let stored = |name: &str| fs::read(data.path().join("index/shop").join(name)).ok();
    // It is written after the stats.
    let first = until("the first index on disk", async || stored("summary.pack")).await;
    let stats = stored("tree.pack");
    assert!(stats.is_some());
    save(
        &root.join("tests/test_cart.py"),
        "def test_nothing():\n    pass\n",
    );
    until("the next index on disk", async || {
        stored("summary.pack").filter(|now| *now != first)
    })
    .await;
    assert!(
        stored("tree.pack") == stats,
        "one changed file is not worth it"
    );
    app.end().await;
    assert!(stored("tree.pack") != stats, "the end is");
}

/// The functions changed by the newest commit, as the current snapshot has them.
fn newest_functions(app: &TestApp) -> Vec<String> {
    let current = app
        .engine
        .get(&Grant::unrestricted(), "shop")
        .unwrap()
        .current()
        .unwrap();
    let history = current.snapshot.history.clone().unwrap();
    let touched = &history.commits[0].touched;
    let functions = touched.iter().flat_map(|touched| &touched.functions);
    functions.map(|name| name.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn commit_records_survive_restarts_until_removal() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let price = fs::read_to_string(root.join("shop/price.py")).unwrap();
    let price = price.replace("item.price", "item.cost");
    fs::write(root.join("shop/price.py"), price).unwrap();
    commit(&root, "sum costs");
    let records = data.path().join("index/shop/history.pack");
    let mut written = 0;
    for _ in 0..2 {
        let app = TestApp::start_on(data.path()).await;
        if written == 0 {
            app.add_git("shop", &root, None).await;
        }
        app.repo_until("shop", |repo| repo["history"] == true).await;
        assert_eq!(newest_functions(&app), ["total_price"]);
        app.end().await;
        let now = fs::metadata(&records).unwrap().len();
        assert!(written == 0 || written == now, "nothing was read again");
        written = now;
    }

    fs::write(&records, "not what it was").unwrap();
    let app = TestApp::start_on(data.path()).await;
    app.repo_until("shop", |repo| repo["history"] == true).await;
    assert_eq!(newest_functions(&app), ["total_price"]);
    assert_eq!(fs::metadata(&records).unwrap().len(), written);
    app.delete("/repos/shop").await;
    assert!(!records.exists());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_directory_that_is_named_at_startup_is_watched_and_trusted() {
    let (_keep, root) = tree(SHOP);
    let server = Process::start(&["env"], None);
    let body = json!({"name": "shop", "source": {"path": root}, "watch": false});
    server.call(Method::POST, "/repos", body).await;
    let mut data = server.stop();
    let watch = format!("exec \"$0\" \"$@\" --watch {}", root.display());
    let elsewhere = "FOVEATE__REPOS__ALLOW_PATHS=[\"/usr\"]";
    for (before, state, mode) in [
        (&["env", elsewhere][..], "failed", "off"),
        (&["env", elsewhere, "sh", "-c", &watch], "ready", "events"),
    ] {
        let server = Process::start_on(data, before, None);
        server
            .repo_until(state, |repo| {
                repo["state"] == state && repo["watch"]["mode"] == mode
            })
            .await;
        data = server.stop();
    }
}
