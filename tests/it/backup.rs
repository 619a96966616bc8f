//! Tests backups made while the server runs, servers started from them, and `database move` between SQLite and
//! PostgreSQL.

use std::path::Path;
use std::process::{Command, Output};

use foveate::store::{
    DatabaseLocation, NewJobRow, NewKeyRow, RepositoryKind, RepositoryRow, Store,
};
use reqwest::StatusCode;
use serde_json::json;

use crate::access::{call, create, wait_until_token_is_valid};
use crate::app::{SHOP, TestApp, commit, tree, until};
use crate::database;
use crate::git_server::{Hub, Mood};

fn foveate(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.args(arguments);
    if arguments[0] == "backup" {
        command.arg("--data-dir").arg(data);
        database::configure_command(&mut command, data);
    }
    command.output().unwrap()
}

fn succeeded(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A login for the hub, and the `authorization` header that a client sends for it.
const LOGIN: (&str, &str) = ("me:word", "Basic bWU6d29yZA==");

#[tokio::test(flavor = "multi_thread")]
async fn server_starts_from_an_online_backup() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let hub = Hub::serving(&root).await;
    hub.set_mood(Mood::RequireLogin(LOGIN.1));
    let app = TestApp::start_with(|config| {
        config.git.schemes = vec!["http".to_owned()];
    })
    .await;
    app.add_tree("tree", &root, false).await;
    let url = hub.url.replace("http://", &format!("http://{}@", LOGIN.0));
    let body = json!({"name": "remote", "source": {"git": url}});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    app.ready("remote").await;

    // The database is written to during the backup.
    let keep = tempfile::tempdir().unwrap();
    let (busy, address) = (app.client().clone(), format!("{}/repos", app.url));
    let source = json!({"path": root});
    let writer = tokio::spawn(async move {
        for number in 0.. {
            let body = json!({"name": format!("busy-{number}"), "source": source});
            let sent = busy.post(&address).json(&body).send().await;
            if !sent.is_ok_and(|answer| answer.status() == StatusCode::CREATED) {
                return number;
            }
        }
        0
    });
    let directory = keep.path().join("backup");
    let name = directory.to_str().unwrap();
    until("a repository", async || {
        let found = app.get("/repos/busy-1").await.status;
        (found == StatusCode::OK).then_some(())
    })
    .await;
    let told = succeeded(&foveate(app.data(), &["backup", name]));
    assert!(told.contains("credentials: 1 files"), "{told}");
    let again = foveate(app.data(), &["backup", name]);
    assert_eq!(again.status.code(), Some(2), "it is there already");
    let token = create(app.data(), &["--scope", "admin"]);
    wait_until_token_is_valid(&app, &token).await;
    assert!(writer.await.unwrap() > 1, "the key ended it");
    let later = keep.path().join("later");
    let arguments = ["backup", later.to_str().unwrap(), "--without-credentials"];
    let told = succeeded(&foveate(app.data(), &arguments));
    assert!(told.contains("keys: 1 rows") && told.contains("credentials: 0 files"));
    assert!(!later.join("credentials").exists());
    let left = std::fs::read_dir(keep.path()).unwrap().count();
    assert_eq!(left, 2, "nothing unfinished is left");
    app.end().await;

    let app = TestApp::start_in(&directory, None, |config| {
        config.git.schemes = vec!["http".to_owned()];
        config.storage.database_url = foveate::config::DatabaseUrl::default();
    })
    .await;
    for name in ["tree", "remote", "busy-1"] {
        app.ready(name).await;
        let found = app.places_of(name, "total_price").await;
        assert_eq!(found, ["shop/price.py"], "{name}");
    }
    app.end().await;

    let app = TestApp::start_in(&later, None, |config| {
        config.storage.database_url = foveate::config::DatabaseUrl::default();
    })
    .await;
    let refused = app.get("/repos").await.status;
    assert_eq!(refused, StatusCode::UNAUTHORIZED, "the key is there");
    let listed = call(&app, &token, reqwest::Method::GET, "/repos", None).await;
    assert_eq!(listed.status, StatusCode::OK);
    app.end().await;
}

/// Creates a database with rows in all tables.
async fn filled(location: DatabaseLocation) -> Store {
    let store = Store::open_at(location).await.unwrap();
    for (name, kind) in [("a/ä", RepositoryKind::Git), ("b", RepositoryKind::Path)] {
        let row = RepositoryRow {
            name: name.to_owned(),
            kind,
            location: format!("/srv/{name}"),
            reference: (kind == RepositoryKind::Git).then(|| "main".to_owned()),
            watch: kind == RepositoryKind::Path,
            poll_seconds: (kind == RepositoryKind::Git).then_some(9),
        };
        assert!(store.insert(&row).await.unwrap());
    }
    for number in 0..3_u8 {
        let key = NewKeyRow {
            name: "ci".to_owned(),
            hash: vec![number; 32],
            scope: "read",
            repositories: (number == 1).then(|| vec!["b".to_owned()]),
            expires_in: (number == 2).then_some(3600),
        };
        assert!(store.insert_key(&key).await.unwrap());
        if number < 2 {
            assert!(store.revoke_key("ci").await.unwrap());
        }
    }
    for number in 0..250 {
        let job = NewJobRow {
            subject: format!("subject {number}"),
            thread: format!("thread {number}"),
            task: "{\"text\": \"'\\\\ \u{1f600}\"}".to_owned(),
        };
        let digests = [format!("d{number}"), format!("e{number}")];
        store
            .deliver(&digests, Some(&job), number, 999)
            .await
            .unwrap();
    }
    let mut job = store.take_job(0, 1).await.unwrap().unwrap();
    job.is_dead = true;
    job.error = Some("no".to_owned());
    store.postpone_job(&job).await.unwrap();
    store
}

/// A text of all rows and row counts of a database.
async fn contents(store: &Store) -> String {
    let (repositories, keys, jobs) = (
        store.repositories().await.unwrap(),
        store.keys().await.unwrap(),
        store.jobs().await.unwrap(),
    );
    let counts = store.count_rows().await.unwrap();
    format!("{repositories:#?}\n{keys:#?}\n{jobs:#?}\n{counts:?}")
}

#[tokio::test(flavor = "multi_thread")]
async fn database_of_a_running_server_is_not_moved() {
    let data = tempfile::tempdir().unwrap();
    let app = TestApp::start_on(data.path()).await;
    let from = format!("sqlite:{}", data.path().join("foveate.db").display());
    let to = format!("sqlite:{}", data.path().join("other.db").display());
    let arguments = ["database", "move", "--from", &from, "--to", &to];
    let refused = foveate(data.path(), &arguments);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(told.contains("stop it first"), "{told}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn database_move_preserves_all_rows_both_ways() {
    let Some(postgres) = database::fresh() else {
        return;
    };
    let keep = tempfile::tempdir().unwrap();
    let [first, second] = ["first.db", "second.db"].map(|name| keep.path().join(name));
    let store = filled(DatabaseLocation::Sqlite(first.clone())).await;
    let wanted = contents(&store).await;
    store.close().await;
    let url = |file: &Path| format!("sqlite:{}", file.display());
    let secret = keep.path().join("url");
    std::fs::write(&secret, &postgres).unwrap();
    let there = format!("file:{}", secret.display());
    let to = |from: &str, to: &str| {
        foveate(
            keep.path(),
            &["database", "move", "--from", from, "--to", to],
        )
    };

    let told = succeeded(&to(&url(&first), &there));
    assert!(
        told.contains("jobs: 250 rows\ndeliveries: 500 rows"),
        "{told}"
    );
    assert!(!told.contains("p4ssw0rd"), "{told}");
    let store = Store::open_at(DatabaseLocation::parse(&postgres).unwrap())
        .await
        .unwrap();
    assert_eq!(contents(&store).await, wanted);
    // The id sequence continues after the moved rows.
    let job = NewJobRow {
        subject: "new".to_owned(),
        thread: "new".to_owned(),
        task: "{}".to_owned(),
    };
    store
        .deliver(&["n".to_owned()], Some(&job), 0, 999)
        .await
        .unwrap();
    let newest = store.jobs().await.unwrap().pop().unwrap();
    assert_eq!((&*newest.subject, newest.id > 250), ("new", true));
    store.finish_job(&newest).await.unwrap();
    let wanted = contents(&store).await;

    let refused = to(&url(&first), &there);
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && stderr.contains("is not empty"),
        "{stderr}"
    );
    assert!(!stderr.contains("p4ssw0rd"), "{stderr}");
    assert_eq!(contents(&store).await, wanted, "nothing was added");

    succeeded(&to(&there, &url(&second)));
    let back = Store::open_at(DatabaseLocation::Sqlite(second.clone()))
        .await
        .unwrap();
    assert_eq!(contents(&back).await, wanted);

    let missing = keep.path().join("missing.db");
    for (from, to_) in [
        (url(&missing), there.clone()),
        (there.clone(), there.clone()),
        ("nowhere".to_owned(), there.clone()),
    ] {
        assert_eq!(to(&from, &to_).status.code(), Some(2), "{from}");
    }
    assert!(!missing.exists());
}
