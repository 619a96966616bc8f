//! Tests a watched working tree: answers follow every change of its files.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::time::Duration;

use crate::app::{SHOP, TestApp, commit, git, save, tree, until};
use crate::index_report::equals_fresh_build;

#[tokio::test(flavor = "multi_thread")]
async fn edits_renames_and_deletions_become_visible() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, true).await;
    let before = app.get("/repos/shop").await.json()["generation"]
        .as_u64()
        .unwrap();
    let parsed = app.engine.blobs.stats().parsed;

    let source = "def discounted_price(items):\n    return 0\n";
    save(&root.join("shop/price.py"), source);
    app.places_become("shop", "discounted_price", &["shop/price.py"])
        .await;
    app.places_become("shop", "total_price", &[]).await;
    let repo = app.get("/repos/shop").await.json();
    assert!(repo["generation"].as_u64().unwrap() > before);
    assert_eq!(
        app.engine.blobs.stats().parsed,
        parsed + 1,
        "only the changed file"
    );

    fs::write(root.join("shop/added.py"), "def newly_added():\n    pass\n").unwrap();
    app.places_become("shop", "newly_added", &["shop/added.py"])
        .await;

    fs::rename(root.join("shop/added.py"), root.join("shop/moved.py")).unwrap();
    app.places_become("shop", "newly_added", &["shop/moved.py"])
        .await;

    // Many editors save this way: write a temporary file, then rename it over the old one.
    fs::write(
        root.join("shop/.moved.py.tmp"),
        "def replaced():\n    pass\n",
    )
    .unwrap();
    fs::rename(root.join("shop/.moved.py.tmp"), root.join("shop/moved.py")).unwrap();
    app.places_become("shop", "replaced", &["shop/moved.py"])
        .await;

    fs::remove_file(root.join("shop/moved.py")).unwrap();
    app.places_become("shop", "replaced", &[]).await;
    app.repo_until("shop", |repo| repo["watch"]["pending_files"] == 0)
        .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_during_the_first_scan_are_found() {
    let (_keep, root) = tree("");
    let directories: Vec<_> = (0..400).map(|n| root.join(format!("d{n}"))).collect();
    let write = |path: &std::path::Path, what: &str, n: usize| {
        fs::write(path, format!("def {what}_{n}():\n    pass\n")).unwrap();
    };
    for (n, directory) in directories.iter().enumerate() {
        fs::create_dir(directory).unwrap();
        write(&directory.join("f.py"), "before", n);
    }
    // Files written just before a scan are always read again; wait until these are older.
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let app = TestApp::start().await;
    let writer = std::thread::spawn(move || {
        // Too few changes to cause a full scan.
        for (n, directory) in directories.iter().enumerate().step_by(7) {
            match n % 2 {
                0 => write(&directory.join("f.py"), "edited", n),
                _ => write(&directory.join("late.py"), "late", n),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    app.add_tree("shop", &root, true).await;
    writer.join().unwrap();
    equals_fresh_build(&app, "shop", &root).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn saves_are_indexed_while_a_full_scan_waits_for_a_permit() {
    let app = TestApp::start_with(|config| config.index.runs = 2).await;
    let (_keep, root) = tree(SHOP);
    let (_other, outside) = tree("//- other.py\ndef under_another_name():\n    pass\n");
    fs::create_dir(root.join("linked")).unwrap();
    fs::hard_link(outside.join("other.py"), root.join("linked/other.py")).unwrap();
    app.add_tree("shop", &root, true).await;
    let permits = app.engine.index_runs.clone();
    let busy = permits.acquire_many_owned(2).await.unwrap();
    // Only a full scan finds what is written through another hard link, whose directory is not watched.
    let source = "def written_elsewhere():\n    pass\n";
    fs::write(outside.join("other.py"), source).unwrap();
    app.call(reqwest::Method::POST, "/repos/shop/sync", None)
        .await;
    for name in ["first_save", "second_save"] {
        let source = format!("def {name}():\n    pass\n");
        save(&root.join("shop/mark.py"), &source);
        app.places_become("shop", name, &["shop/mark.py"]).await;
    }
    let found = app.places_of("shop", "written_elsewhere").await;
    assert!(found.is_empty(), "the full scan waits: {found:?}");
    drop(busy);
    app.places_become("shop", "written_elsewhere", &["linked/other.py"])
        .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_are_created_moved_and_removed() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, true).await;

    fs::create_dir_all(root.join("deep/er/still")).unwrap();
    fs::write(
        root.join("deep/er/still/a.py"),
        "def deep_down():\n    pass\n",
    )
    .unwrap();
    app.places_become("shop", "deep_down", &["deep/er/still/a.py"])
        .await;

    fs::rename(root.join("deep"), root.join("shallow")).unwrap();
    app.places_become("shop", "deep_down", &["shallow/er/still/a.py"])
        .await;
    // The moved directory is watched under its new name.
    fs::write(
        root.join("shallow/er/still/b.py"),
        "def after_move():\n    pass\n",
    )
    .unwrap();
    app.places_become("shop", "after_move", &["shallow/er/still/b.py"])
        .await;
    // A new directory with the old name is watched, too.
    fs::create_dir_all(root.join("deep/er")).unwrap();
    fs::write(root.join("deep/er/c.py"), "def second_deep():\n    pass\n").unwrap();
    app.places_become("shop", "second_deep", &["deep/er/c.py"])
        .await;
    fs::write(root.join("deep/er/c.py"), "def third_deep():\n    pass\n").unwrap();
    app.places_become("shop", "third_deep", &["deep/er/c.py"])
        .await;

    // A directory with files is moved in from outside.
    let (_other, outside) = tree("//- x/y.py\ndef carried_in():\n    pass\n");
    fs::rename(outside.join("x"), root.join("carried")).unwrap_or_else(|_| {
        // Another file system: copy.
        fs::create_dir(root.join("carried")).unwrap();
        fs::copy(outside.join("x/y.py"), root.join("carried/y.py")).unwrap();
    });
    app.places_become("shop", "carried_in", &["carried/y.py"])
        .await;

    fs::remove_dir_all(root.join("shallow")).unwrap();
    app.places_become("shop", "deep_down", &[]).await;
    app.places_become("shop", "after_move", &[]).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn non_utf8_directory_does_not_affect_others() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(
        "
        //- top.py
        def at_the_top():
            pass

        //- sub/mark.py
        def before():
            pass
        ",
    );
    let odd = root.join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("a.py"), "def inside():\n    pass\n").unwrap();
    app.add_tree("shop", &root, true).await;
    fs::write(odd.join("b.py"), "def inside_too():\n    pass\n").unwrap();
    // A change in a subdirectory, because one in the root would cause a full scan.
    save(&root.join("sub/mark.py"), "def mark():\n    pass\n");
    app.places_become("shop", "mark", &["sub/mark.py"]).await;
    assert_eq!(app.places_of("shop", "at_the_top").await, ["top.py"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_ignore_files_take_effect() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    app.add_tree("shop", &root, true).await;
    fs::create_dir(root.join("build")).unwrap();
    fs::write(
        root.join("build/out.py"),
        "def generated_code():\n    pass\n",
    )
    .unwrap();
    app.places_become("shop", "generated_code", &["build/out.py"])
        .await;
    fs::write(root.join(".gitignore"), "build/\n").unwrap();
    app.places_become("shop", "generated_code", &[]).await;
    fs::remove_file(root.join(".gitignore")).unwrap();
    app.places_become("shop", "generated_code", &["build/out.py"])
        .await;
    fs::write(root.join(".git/info/exclude"), "out.py\n").unwrap();
    app.places_become("shop", "generated_code", &[]).await;
    fs::write(root.join(".git/info/exclude"), "").unwrap();
    app.places_become("shop", "generated_code", &["build/out.py"])
        .await;
    fs::write(root.join("build/.foveateignore"), "*.py\n").unwrap();
    app.places_become("shop", "generated_code", &[]).await;
    // A change in an ignored directory is not noticed; a change beside it is.
    fs::write(root.join("build/more.py"), "def more_code():\n    pass\n").unwrap();
    fs::write(root.join("shop/beside.py"), "def beside():\n    pass\n").unwrap();
    app.places_become("shop", "beside", &["shop/beside.py"])
        .await;
    assert!(app.places_of("shop", "more_code").await.is_empty());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_and_checkouts_update_the_commit() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    app.add_tree("shop", &root, true).await;
    fs::write(root.join("shop/new.py"), "def brand_new():\n    pass\n").unwrap();
    let dirty = app.repo_until("shop", |repo| repo["dirty"] == true).await;
    assert_eq!(dirty["commit"], first.as_str());
    let second = commit(&root, "second");
    // The commit may be noticed before the file is known to be clean.
    app.repo_until("shop", |repo| {
        repo["commit"] == second.as_str() && repo["dirty"] == false
    })
    .await;
    git(&root, &["checkout", "-q", "--detach", &first]);
    app.repo_until("shop", |repo| {
        repo["commit"] == first.as_str() && repo["dirty"] == false && repo["history"] == true
    })
    .await;
    app.places_become("shop", "brand_new", &[]).await;
    let answer = app.ask("shop", "checkout").await;
    assert_eq!(answer["tree"]["commit"], first.as_str());
    fs::remove_file(root.join("shop/price.py")).unwrap();
    app.repo_until("shop", |repo| repo["dirty"] == true).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn directory_that_becomes_a_repository_is_followed() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, true).await;
    assert_eq!(app.get("/repos/shop").await.json()["commit"], "");
    let first = commit(&root, "first");
    app.repo_until("shop", |repo| repo["commit"] == first.as_str())
        .await;
    // This commit changes no file: only `HEAD` shows it.
    let second = commit(&root, "second");
    app.repo_until("shop", |repo| repo["commit"] == second.as_str())
        .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bursts_collapse_into_few_generations() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, true).await;
    let before = app.get("/repos/shop").await.json()["generation"]
        .as_u64()
        .unwrap();
    fs::create_dir(root.join("many")).unwrap();
    for n in 0..300 {
        fs::write(
            root.join(format!("many/m{n}.py")),
            format!("def many_{n}():\n    pass\n"),
        )
        .unwrap();
    }
    app.places_become("shop", "many_299", &["many/m299.py"])
        .await;
    app.repo_until("shop", |repo| {
        repo["files"] == 304 && repo["watch"]["pending_files"] == 0
    })
    .await;
    let after = app.get("/repos/shop").await.json()["generation"]
        .as_u64()
        .unwrap();
    let plans = after - before;
    assert!(plans <= 300 / 10, "{plans} generations for one burst");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn vanished_tree_answers_degraded_until_it_returns() {
    let app = TestApp::start().await;
    let (keep, root) = tree(SHOP);
    let shop = root.join("shop");
    app.add_tree("shop", &shop, true).await;
    let away = keep.path().join("away");
    fs::rename(&shop, &away).unwrap();
    app.call(reqwest::Method::POST, "/repos/shop/sync", None)
        .await;
    app.repo_until("shop", |repo| repo["state"] == "failed")
        .await;
    let answer = app.ask("shop", "`total_price`").await;
    assert_eq!(crate::app::places(&answer, "total_price"), ["price.py"]);
    assert!(
        answer["issues"].to_string().contains("degraded"),
        "{answer}"
    );
    // Other tests in this process increase the counter, too, so only its presence is checked.
    let metrics = app.get("/metrics").await.text;
    assert!(metrics.contains("foveate_degraded_answers_total{code=\"degraded\"}"));
    fs::rename(&away, &shop).unwrap();
    app.ready("shop").await;
    fs::write(shop.join("back.py"), "def back_again():\n    pass\n").unwrap();
    app.places_become("shop", "back_again", &["back.py"]).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_directory_inside_a_tree_is_not_indexed() {
    let (_keep, root) = tree(SHOP);
    let data = root.join(".foveate");
    let app = TestApp::start_with(|config| config.storage.data_dir = data.clone()).await;
    app.add_tree("shop", &root, true).await;
    let repo = app.get("/repos/shop?skipped=true").await.json();
    assert_eq!(repo["files"], 4, "{repo}");
    // A write to the database is not a change of the repository.
    let (_other, other) = tree(SHOP);
    app.add_tree("other", &other, false).await;
    save(&root.join("shop/mark.py"), "def mark():\n    pass\n");
    app.places_become("shop", "mark", &["shop/mark.py"]).await;
    let after = app.get("/repos/shop").await.json();
    assert_eq!(after["files"], 5);
    assert_eq!(after["generation"], 2, "one save, one generation");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unwatched_tree_changes_only_on_sync() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    assert_eq!(app.get("/repos/shop").await.json()["watch"]["mode"], "off");
    fs::write(
        root.join("shop/price.py"),
        "def changed_price(items):\n    return 0\n",
    )
    .unwrap();
    app.call(reqwest::Method::POST, "/repos/shop/sync", None)
        .await;
    app.places_become("shop", "changed_price", &["shop/price.py"])
        .await;
    let generation = app.get("/repos/shop").await.json()["generation"].clone();
    app.call(reqwest::Method::POST, "/repos/shop/sync", None)
        .await;
    // A second change shows that the sync before it, which found nothing, published nothing.
    fs::remove_file(root.join("README.md")).unwrap();
    until("the deletion", async || {
        app.call(reqwest::Method::POST, "/repos/shop/sync", None)
            .await;
        (app.get("/repos/shop").await.json()["files"] == 3).then_some(())
    })
    .await;
    let after = app.get("/repos/shop").await.json()["generation"].as_u64();
    assert_eq!(after, generation.as_u64().map(|g| g + 1));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recreated_directory_is_watched_again() {
    let app = TestApp::start().await;
    let (keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    fs::create_dir_all(root.join("extra/deep")).unwrap();
    let file = root.join("extra/deep/e.py");
    save(&file, "def extra_code():\n    pass\n");
    commit(&root, "second");
    app.add_tree("shop", &root, true).await;
    app.places_become("shop", "extra_code", &["extra/deep/e.py"])
        .await;
    // The file system often reuses the inodes of removed directories for new ones.
    for round in 0..3 {
        git(&root, &["checkout", "-q", &first]);
        git(&root, &["checkout", "-q", "main"]);
        app.repo_until("shop", |repo| repo["watch"]["pending_files"] == 0)
            .await;
        let name = format!("later_{round}");
        save(&file, &format!("def {name}():\n    pass\n"));
        app.places_become("shop", &name, &["extra/deep/e.py"]).await;
        git(&root, &["checkout", "-q", "."]);
        app.places_become("shop", &name, &[]).await;
    }
    // A directory is moved away and back, with everything below it.
    fs::rename(root.join("extra"), keep.path().join("away")).unwrap();
    fs::rename(keep.path().join("away"), root.join("extra")).unwrap();
    app.repo_until("shop", |repo| repo["watch"]["pending_files"] == 0)
        .await;
    save(&file, "def after_return():\n    pass\n");
    app.places_become("shop", "after_return", &["extra/deep/e.py"])
        .await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recreated_root_is_watched_again() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let shop = root.join("shop");
    app.add_tree("shop", &shop, true).await;
    let source = "def total_price(items):\n    return 1\n";
    fs::remove_dir_all(&shop).unwrap();
    fs::create_dir(&shop).unwrap();
    fs::write(shop.join("price.py"), source).unwrap();
    app.places_become("shop", "checkout", &[]).await;
    app.ready("shop").await;
    for name in ["first_edit", "second_edit"] {
        save(
            &shop.join("price.py"),
            &format!("def {name}():\n    pass\n"),
        );
        app.places_become("shop", name, &["price.py"]).await;
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replaced_git_repository_is_followed() {
    for format in ["files", "reftable"] {
        let app = TestApp::start().await;
        let (keep, root) = tree(SHOP);
        commit(&root, "first");
        app.add_tree("shop", &root, true).await;
        let is_at = async |commit: &str| {
            app.repo_until("shop", |repo| repo["commit"] == commit)
                .await;
        };
        // None of these changes a file: only git shows them.
        fs::rename(root.join(".git"), keep.path().join("away")).unwrap();
        is_at("").await;
        fs::rename(keep.path().join("away"), root.join(".git")).unwrap();
        let second = commit(&root, "second");
        is_at(&second).await;
        fs::remove_dir_all(root.join(".git")).unwrap();
        if !init_repository(&root, format) {
            // This git does not know the format.
            return app.end().await;
        }
        for message in ["anew", "once more"] {
            let made = commit(&root, message);
            is_at(&made).await;
        }
        app.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn moved_git_directory_is_followed() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    app.add_tree("shop", &root, true).await;
    let elsewhere = tempfile::tempdir().unwrap();
    // The second move leads from one place outside the tree to another: the file `.git` is written again.
    for place in ["one", "two"] {
        let git_dir = elsewhere.path().join(place);
        let git_dir = git_dir.to_str().unwrap();
        git(&root, &["init", "-q", "--separate-git-dir", git_dir]);
        for message in ["moved", "once more"] {
            // It changes no file: only `HEAD` shows it.
            let made = commit(&root, message);
            app.repo_until("shop", |repo| repo["commit"] == made.as_str())
                .await;
        }
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_git_repository_is_reported_until_it_is_repaired() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    app.add_tree("shop", &root, true).await;
    let issues = async || app.ask("shop", "total_price").await["issues"].to_string();
    let head = root.join(".git/HEAD");
    let before = fs::read(&head).unwrap();
    fs::write(&head, "no ref\n").unwrap();
    app.repo_until("shop", |repo| repo["commit"] == "").await;
    let broken = issues().await;
    assert!(broken.contains("history_unavailable"), "{broken}");
    assert!(broken.contains("`git status`"), "{broken}");
    fs::write(&head, before).unwrap();
    app.repo_until("shop", |repo| repo["commit"] == first.as_str())
        .await;
    assert!(!issues().await.contains("git cannot be used"));
    // A branch without a commit is no defect.
    git(&root, &["checkout", "-q", "--orphan", "new"]);
    app.repo_until("shop", |repo| repo["commit"] == "").await;
    assert!(!issues().await.contains("git cannot be used"));
    app.end().await;
}

fn init_repository(root: &std::path::Path, format: &str) -> bool {
    let format = format!("--ref-format={format}");
    let made = std::process::Command::new("git")
        .args(["init", "-q", "-b", "main", &format])
        .current_dir(root)
        .output();
    made.is_ok_and(|made| made.status.success())
}
