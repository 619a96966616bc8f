//! Databases of PostgreSQL for tests, on the server that `FOVEATE_TEST_POSTGRES_URL` names. Where
//! `FOVEATE_TEST_DATABASE` is `postgres`, the services of all tests use it, too.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use foveate::config::DatabaseUrl;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

/// The variable that holds the URL of the server; its user may create databases.
const SERVER: &str = "FOVEATE_TEST_POSTGRES_URL";

/// The URL of a new, empty database; `None`, which is told, where there is no server.
pub fn fresh() -> Option<String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let url = named(&format!("it_{}_{number}", std::process::id()));
    if url.is_none() {
        eprintln!("skipped: {SERVER} names no PostgreSQL server");
    }
    url
}

/// The URL of the database that goes with a data directory, where the tests run on PostgreSQL.
pub fn of(data: &Path) -> Option<String> {
    if std::env::var("FOVEATE_TEST_DATABASE").as_deref() != Ok("postgres") {
        return None;
    }
    let mut hash = DefaultHasher::new();
    data.hash(&mut hash);
    let url = named(&format!("data_{:016x}", hash.finish()));
    Some(url.expect("FOVEATE_TEST_POSTGRES_URL names a server"))
}

/// The setting that goes with a data directory.
pub fn setting(data: &Path) -> DatabaseUrl {
    DatabaseUrl::new(of(data).unwrap_or_default())
}

/// Has a command use the database that goes with a data directory.
pub fn of_command(command: &mut Command, data: &Path) {
    if let Some(url) = of(data) {
        command.env("FOVEATE__STORAGE__DATABASE_URL", url);
    }
}

/// A connection to a database.
pub async fn connect(url: &str) -> PgConnection {
    let options: PgConnectOptions = url.parse().unwrap();
    options.connect().await.unwrap()
}

/// Runs a statement.
pub async fn execute(url: &str, statement: &str) {
    let mut connection = connect(url).await;
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

/// The URL of the database with this name, which is made if need be. Callers may be inside a runtime and
/// need not be asynchronous.
fn named(name: &str) -> Option<String> {
    let server = std::env::var(SERVER).ok()?;
    let mut url = url::Url::parse(&server).unwrap();
    url.set_path(name);
    let create = format!("create database {name}");
    let made = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut connection = connect(&server).await;
            let made = sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut connection);
            let is_there = match made.await {
                Ok(_) => true,
                // "duplicate_database", or another thread is making it.
                Err(sqlx::Error::Database(error)) => {
                    ["42P04", "23505"].contains(&&*error.code().unwrap_or_default())
                }
                Err(_) => false,
            };
            connection.close().await.unwrap();
            is_there
        })
    });
    assert!(made.join().unwrap(), "{name} cannot be made");
    Some(url.into())
}
