//! A watched working tree: what is saved is what is answered.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::time::Duration;

use crate::app::{SHOP, TestApp, commit, git, save, tree, until};
use crate::rebuilt::is_as_built_from_nothing;

#[tokio::test(flavor = "multi_thread")]
async fn edits_renames_and_deletions_become_visible() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, true).await;
    let before = app.get("/repos/shop").await.json()["generation"]
        .as_u64()
        .unwrap();
    let parsed = app.engine.blobs().stats().parsed;

    let source = "def discounted_price(items):\n    return 0\n";
    save(&root.join("shop/price.py"), source);
    app.places_become("shop", "discounted_price", &["shop/price.py"])
        .await;
    app.places_become("shop", "total_price", &[]).await;
    let repo = app.get("/repos/shop").await.json();
    assert!(repo["generation"].as_u64().unwrap() > before);
    assert_eq!(
        app.engine.blobs().stats().parsed,
        parsed + 1,
        "only the changed file"
    );

    fs::write(root.join("shop/added.py"), "def newly_added():\n    pass\n").unwrap();
    app.places_become("shop", "newly_added", &["shop/added.py"])
        .await;

    fs::rename(root.join("shop/added.py"), root.join("shop/moved.py")).unwrap();
    app.places_become("shop", "newly_added", &["shop/moved.py"])
        .await;

    // The way many editors save: write beside, then rename over.
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
async fn what_happens_while_a_tree_is_looked_at_first_is_found() {
    let (_keep, root) = tree("");
    let directories: Vec<_> = (0..400).map(|n| root.join(format!("d{n}"))).collect();
    let write = |path: &std::path::Path, what: &str, n: usize| {
        fs::write(path, format!("def {what}_{n}():\n    pass\n")).unwrap();
    };
    for (n, directory) in directories.iter().enumerate() {
        fs::create_dir(directory).unwrap();
        write(&directory.join("f.py"), "before", n);
    }
    // What was written just now is looked at twice in any case.
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let app = TestApp::start().await;
    let writer = std::thread::spawn(move || {
        // So few that they do not lead to a look at everything.
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
    is_as_built_from_nothing(&app, "shop", &root).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_come_move_and_go() {
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
    // The directory under its new name is watched under its new name.
    fs::write(
        root.join("shallow/er/still/b.py"),
        "def after_move():\n    pass\n",
    )
    .unwrap();
    app.places_become("shop", "after_move", &["shallow/er/still/b.py"])
        .await;
    // And another directory under the old name is another one.
    fs::create_dir_all(root.join("deep/er")).unwrap();
    fs::write(root.join("deep/er/c.py"), "def second_deep():\n    pass\n").unwrap();
    app.places_become("shop", "second_deep", &["deep/er/c.py"])
        .await;
    fs::write(root.join("deep/er/c.py"), "def third_deep():\n    pass\n").unwrap();
    app.places_become("shop", "third_deep", &["deep/er/c.py"])
        .await;

    // From outside, already full.
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
async fn a_directory_without_a_name_in_utf8_changes_nothing_else() {
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
    // What changes at the root itself would have all of it looked at.
    save(&root.join("sub/mark.py"), "def mark():\n    pass\n");
    app.places_become("shop", "mark", &["sub/mark.py"]).await;
    assert_eq!(app.places_of("shop", "at_the_top").await, ["top.py"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ignore_files_count_when_they_change() {
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
    // In an ignored place nothing is noticed, and what is noticed beside it is still right.
    fs::write(root.join("build/more.py"), "def more_code():\n    pass\n").unwrap();
    fs::write(root.join("shop/beside.py"), "def beside():\n    pass\n").unwrap();
    app.places_become("shop", "beside", &["shop/beside.py"])
        .await;
    assert!(app.places_of("shop", "more_code").await.is_empty());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_and_checkouts_move_the_commit() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    app.add_tree("shop", &root, true).await;
    fs::write(root.join("shop/new.py"), "def brand_new():\n    pass\n").unwrap();
    let dirty = app.repo_until("shop", |repo| repo["dirty"] == true).await;
    assert_eq!(dirty["commit"], first.as_str());
    let second = commit(&root, "second");
    // The commit may be there a moment before the file is known as it was committed.
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
async fn a_directory_may_become_a_repository() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, true).await;
    assert_eq!(app.get("/repos/shop").await.json()["commit"], "");
    let first = commit(&root, "first");
    app.repo_until("shop", |repo| repo["commit"] == first.as_str())
        .await;
    // No file changes with this one: only `HEAD` tells.
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
async fn a_tree_that_vanishes_still_answers_and_comes_back() {
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
    // Other tests of this process may count too, so only that it is counted is sure.
    let metrics = app.get("/metrics").await.text;
    assert!(metrics.contains("foveate_degraded_answers_total{code=\"degraded\"}"));
    fs::rename(&away, &shop).unwrap();
    app.ready("shop").await;
    fs::write(shop.join("back.py"), "def back_again():\n    pass\n").unwrap();
    app.places_become("shop", "back_again", &["back.py"]).await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_directory_inside_a_watched_tree_is_left_out() {
    let (_keep, root) = tree(SHOP);
    let data = root.join(".foveate");
    let app = TestApp::start_with(|config| config.storage.data_dir = data.clone()).await;
    app.add_tree("shop", &root, true).await;
    let repo = app.get("/repos/shop?skipped=true").await.json();
    assert_eq!(repo["files"], 4, "{repo}");
    // Writing to the database is no change of the repository.
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
async fn without_watching_a_sync_is_needed() {
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
async fn what_is_made_anew_at_the_same_place_is_watched() {
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
    // The system often gives the inodes of what was removed to what is made next.
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
    // Away and back, and what is below it with it.
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
async fn a_root_that_is_made_anew_is_watched() {
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
async fn a_repository_that_is_replaced_is_followed() {
    for format in ["files", "reftable"] {
        let app = TestApp::start().await;
        let (keep, root) = tree(SHOP);
        commit(&root, "first");
        app.add_tree("shop", &root, true).await;
        let is_at = async |commit: &str| {
            app.repo_until("shop", |repo| repo["commit"] == commit)
                .await;
        };
        // No file changes with any of these: only git tells.
        fs::rename(root.join(".git"), keep.path().join("away")).unwrap();
        is_at("").await;
        fs::rename(keep.path().join("away"), root.join(".git")).unwrap();
        let second = commit(&root, "second");
        is_at(&second).await;
        fs::remove_dir_all(root.join(".git")).unwrap();
        if !makes_repository(&root, format) {
            // A git that does not know the format.
            return app.end().await;
        }
        for message in ["anew", "once more"] {
            let made = commit(&root, message);
            is_at(&made).await;
        }
        app.end().await;
    }
}

fn makes_repository(root: &std::path::Path, format: &str) -> bool {
    let format = format!("--ref-format={format}");
    let made = std::process::Command::new("git")
        .args(["init", "-q", "-b", "main", &format])
        .current_dir(root)
        .output();
    made.is_ok_and(|made| made.status.success())
}
