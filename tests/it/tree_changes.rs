//! Tests that after anything git, editors and builds do to a watched tree, its answers equal those of an index
//! built from nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::app::{SHOP, TestApp, commit, git, save, tree, until};
use crate::index_report::{index_report, reports_become};

/// Waits until the watched index reports the same as one built now. The blobs are already parsed; everything
/// else is built from nothing.
async fn equals_rebuilt_index(app: &TestApp, name: &str, root: &Path, what: &str) {
    app.add_tree("rebuilt", root, false).await;
    let rebuilt = until("the rebuilt index", async || {
        index_report(app, "rebuilt").await
    })
    .await;
    reports_become(app, name, &rebuilt, what).await;
    app.delete("/repos/rebuilt").await;
}

async fn generation(app: &TestApp) -> u64 {
    let repo = app.get("/repos/shop").await.json();
    repo["generation"].as_u64().unwrap()
}

/// Creates a repository whose second commit changes `count` files. Returns the ids of both commits.
fn two_versions(count: usize) -> (TempDir, PathBuf, [String; 2]) {
    let (keep, root) = tree(SHOP);
    let parts = |text: &str| {
        for n in 0..count {
            let directory = root.join(format!("shop/d{}", n % 50));
            fs::create_dir_all(&directory).unwrap();
            let source = format!("def value_{n}():\n    return {text:?}\n");
            fs::write(directory.join(format!("part_{n}.py")), source).unwrap();
        }
    };
    parts("old");
    let first = commit(&root, "first");
    parts("new");
    let second = commit(&root, "second");
    (keep, root, [first, second])
}

#[tokio::test(flavor = "multi_thread")]
async fn git_change_of_many_files_is_one_generation() {
    let app = TestApp::start().await;
    let (_keep, root, [first, second]) = two_versions(5000);
    app.add_tree("shop", &root, true).await;
    let settled = async |commit: &str, dirty: bool| {
        until("the history", async || {
            let repo = app.get("/repos/shop").await.json();
            let is_there = repo["commit"] == commit
                && repo["dirty"] == dirty
                && repo["history"] == true
                && repo["watch"]["pending_files"] == 0;
            let issues = app.ask("shop", "x").await["issues"].to_string();
            (is_there && !issues.contains("history_loading")).then_some(())
        })
        .await;
    };
    settled(&second, false).await;
    // Git arguments, `HEAD` afterwards, and whether the files then differ from it.
    let steps: [(&[&str], &str, bool); 5] = [
        (&["checkout", "-q", &first], &first, false),
        (&["checkout", "-q", "-b", "side", &second], &second, false),
        (&["checkout", "-q", &first, "--", "shop"], &second, true),
        (&["stash", "-q"], &second, false),
        (&["stash", "pop", "-q"], &second, true),
    ];
    let (mut before, mut strays) = (second.as_str(), 0);
    for (arguments, commit, dirty) in steps {
        let generations = generation(&app).await;
        git(&root, arguments);
        settled(commit, dirty).await;
        let plans = generation(&app).await - generations;
        // A new `HEAD` has another history, which is published as a second generation.
        let wanted = 1 + u64::from(commit != before);
        eprintln!(
            "git {}: {plans} generations, {wanted} are needed",
            arguments[0]
        );
        strays += plans.saturating_sub(wanted);
        before = commit;
    }
    // The watcher stops waiting for a git that makes no progress for half a second. Without waiting for
    // git at all there are more than twenty extra generations.
    assert!(strays <= 5, "{strays} plans too many");
    equals_rebuilt_index(&app, "shop", &root, "all of it").await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn git_operations_are_followed() {
    let app = TestApp::start().await;
    let (_keep, root, [first, _]) = two_versions(60);
    app.add_tree("shop", &root, true).await;
    let steps: [&[&str]; 13] = [
        &["checkout", "-q", "-b", "side", &first],
        &["mv", "shop/d1", "shop/moved"],
        &["commit", "-q", "-a", "-m", "move a directory"],
        &["checkout", "-q", "main"],
        &["rm", "-q", "-r", "shop/d2"],
        &["stash", "-q"],
        &["stash", "pop", "-q"],
        &["reset", "-q", "--hard"],
        &["mv", "shop/cart.py", "shop/Cart.py"],
        &["mv", "shop/Cart.py", "shop/cart.py"],
        &["merge", "-q", "side", "-X", "ours", "-m", "merge"],
        &["clean", "-q", "-d", "-x", "-f"],
        &["checkout", "-q", "--detach", "HEAD~1"],
    ];
    for step in steps {
        git(&root, step);
        equals_rebuilt_index(&app, "shop", &root, &format!("git {step:?}")).await;
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_by_editors_and_shells_are_followed() {
    let app = TestApp::start().await;
    let (keep, root) = tree(SHOP);
    commit(&root, "first");
    app.add_tree("shop", &root, true).await;
    let source = |name: &str| {
        format!(
            "from shop.price import total_price\n\n\ndef {name}():\n    return total_price([])\n"
        )
    };
    let cart = root.join("shop/cart.py");
    type Step<'a> = (&'a str, Box<dyn Fn() + 'a>);
    let steps: [Step; 13] = [
        (
            "write beside and rename over",
            Box::new(|| {
                fs::write(root.join("shop/.cart.py.swp"), source("swapped")).unwrap();
                fs::rename(root.join("shop/.cart.py.swp"), &cart).unwrap();
            }),
        ),
        (
            "move away, write anew, remove",
            Box::new(|| {
                fs::rename(&cart, root.join("shop/cart.py~")).unwrap();
                fs::write(&cart, source("anew")).unwrap();
                fs::remove_file(root.join("shop/cart.py~")).unwrap();
            }),
        ),
        (
            "save again and again",
            Box::new(|| {
                for n in 0..200 {
                    fs::write(&cart, source(&format!("saved_{n}"))).unwrap();
                }
            }),
        ),
        (
            "another case",
            Box::new(|| fs::rename(&cart, root.join("shop/CART.py")).unwrap()),
        ),
        (
            "and back",
            Box::new(|| fs::rename(root.join("shop/CART.py"), &cart).unwrap()),
        ),
        (
            "a directory moves",
            Box::new(|| fs::rename(root.join("shop"), root.join("store")).unwrap()),
        ),
        (
            "and another takes its place",
            Box::new(|| {
                fs::create_dir(root.join("shop")).unwrap();
                fs::write(&cart, source("second_shop")).unwrap();
            }),
        ),
        (
            "out of the tree",
            Box::new(|| {
                let away = tempfile::tempdir_in(keep.path().parent().unwrap()).unwrap();
                fs::rename(root.join("store"), away.path().join("store")).unwrap();
            }),
        ),
        (
            "rules that leave out",
            Box::new(|| fs::write(root.join(".gitignore"), "/shop/*.py\n!cart.py\n").unwrap()),
        ),
        (
            "a file becomes a directory",
            Box::new(|| {
                fs::remove_file(&cart).unwrap();
                fs::create_dir(&cart).unwrap();
                fs::write(cart.join("cart.py"), source("inside")).unwrap();
            }),
        ),
        (
            "rules change",
            Box::new(|| fs::write(root.join(".gitignore"), "*.md\n").unwrap()),
        ),
        (
            "a directory becomes a link",
            Box::new(|| {
                fs::rename(root.join("tests"), root.join("checks")).unwrap();
                symlink("checks", root.join("tests")).unwrap();
            }),
        ),
        (
            "another repository inside",
            Box::new(|| {
                commit(&root.join("checks"), "inner");
            }),
        ),
    ];
    for (what, step) in steps {
        step();
        equals_rebuilt_index(&app, "shop", &root, what).await;
    }
    // A nested repository is not watched: only an audit or a sync notices that it is gone.
    fs::remove_dir_all(root.join("checks/.git")).unwrap();
    app.post("/repos/shop/sync", Value::Null).await;
    equals_rebuilt_index(&app, "shop", &root, "and no longer").await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn submodule_files_are_not_indexed() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let (_other, library) = tree("//- library.py\ndef library_code():\n    pass\n");
    commit(&library, "library");
    app.add_tree("shop", &root, true).await;
    let allow = ["-c", "protocol.file.allow=always", "submodule"];
    let add = ["add", "-q", library.to_str().unwrap(), "vendor/library"];
    git(&root, &[&allow[..], &add[..]].concat());
    commit(&root, "add a submodule");
    equals_rebuilt_index(&app, "shop", &root, "a submodule").await;
    assert!(app.places_of("shop", "library_code").await.is_empty());
    let inside = root.join("vendor/library");
    fs::write(inside.join("more.py"), "def more_code():\n    pass\n").unwrap();
    commit(&inside, "more");
    git(&root, &["submodule", "-q", "update", "--force"]);
    git(
        &root,
        &["submodule", "-q", "deinit", "--force", "vendor/library"],
    );
    equals_rebuilt_index(&app, "shop", &root, "an empty submodule").await;
    git(&root, &["rm", "-q", "vendor/library"]);
    equals_rebuilt_index(&app, "shop", &root, "no submodule").await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ignored_files_cause_no_updates() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    fs::write(root.join(".gitignore"), "build/\n").unwrap();
    commit(&root, "first");
    app.add_tree("shop", &root, true).await;
    app.repo_until("shop", |repo| repo["history"] == true).await;
    let before = app.get("/repos/shop").await.json();
    for n in 0..10_000 {
        let directory = root.join(format!("build/d{}", n / 200));
        if n % 200 == 0 {
            fs::create_dir_all(&directory).unwrap();
        }
        fs::write(directory.join(format!("{n}.py")), "x = 1\n").unwrap();
    }
    // The event of this change comes after all events of the build that might have been noticed.
    save(&root.join("shop/mark.py"), "def mark():\n    pass\n");
    app.places_become("shop", "mark", &["shop/mark.py"]).await;
    let after = app
        .repo_until("shop", |repo| repo["watch"]["pending_files"] == 0)
        .await;
    assert_eq!(
        after["watch"]["directories"],
        before["watch"]["directories"]
    );
    let plans = after["generation"].as_u64().unwrap() - before["generation"].as_u64().unwrap();
    assert_eq!(plans, 1, "the mark alone");
    equals_rebuilt_index(&app, "shop", &root, "a build").await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_finds_changes_without_events() {
    let app = TestApp::start_with(|config| config.watch.audit_seconds = 1).await;
    let (_keep, root) = tree(SHOP);
    let (_other, outside) = tree("//- other.py\ndef under_another_name():\n    pass\n");
    fs::hard_link(outside.join("other.py"), root.join("shop/linked.py")).unwrap();
    app.add_tree("shop", &root, true).await;
    assert_eq!(
        app.get("/repos/shop").await.json()["watch"]["mode"],
        "events"
    );
    // Written through the other hard link, whose directory is not watched.
    fs::write(
        outside.join("other.py"),
        "def written_elsewhere():\n    pass\n",
    )
    .unwrap();
    app.places_become("shop", "written_elsewhere", &["shop/linked.py"])
        .await;
    equals_rebuilt_index(&app, "shop", &root, "an audit").await;
    let metrics = app.get("/metrics").await.text;
    let counted = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|n| n.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    assert!(counted("foveate_audits_total") > 0);
    assert!(counted("foveate_audit_repaired_files_total") > 0);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_events_files_are_polled_and_answers_say_so() {
    let app = TestApp::start_with(|config| config.watch.events = false).await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, true).await;
    let repo = app.get("/repos/shop").await.json();
    assert_eq!(repo["watch"]["mode"], "polling");
    assert!(
        repo["watch"]["reason"]
            .as_str()
            .unwrap()
            .contains("watch.events")
    );
    fs::write(root.join("shop/late.py"), "def comes_late():\n    pass\n").unwrap();
    app.places_become("shop", "comes_late", &["shop/late.py"])
        .await;
    let answer = app.ask("shop", "x").await;
    assert!(
        answer["issues"].to_string().contains("\"polling\""),
        "{answer}"
    );
    let metrics = app.get("/metrics").await.text;
    assert!(metrics.contains("foveate_repositories_watched{mode=\"polling\"} 1"));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn restored_directory_keeps_its_tracked_ignored_files() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    fs::create_dir_all(root.join("api/build")).unwrap();
    fs::write(root.join("api/plain.py"), "def plain():\n    pass\n").unwrap();
    fs::write(root.join("api/build/made.py"), "def made():\n    pass\n").unwrap();
    fs::write(root.join(".gitignore"), "build/\n").unwrap();
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-f", "api/build/made.py"]);
    commit(&root, "with what was built");
    app.add_tree("shop", &root, true).await;
    assert_eq!(app.places_of("shop", "made").await, ["api/build/made.py"]);
    fs::remove_dir_all(root.join("api")).unwrap();
    until("the directory is gone", async || {
        app.places_of("shop", "plain")
            .await
            .is_empty()
            .then_some(())
    })
    .await;
    git(&root, &["checkout", "-q", "--", "api"]);
    until("the directory is back", async || {
        let plain = app.places_of("shop", "plain").await;
        (plain == ["api/plain.py"]).then_some(())
    })
    .await;
    assert_eq!(app.places_of("shop", "made").await, ["api/build/made.py"]);
    app.end().await;
}
