//! Creates PostgreSQL databases for tests, on the server that `FOVEATE_TEST_POSTGRES_URL` names. If
//! `FOVEATE_TEST_DATABASE` is `postgres`, the services of all tests use that server.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use foveate::config::DatabaseUrl;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

/// The environment variable with the URL of the server. Its user must be allowed to create databases.
const SERVER: &str = "FOVEATE_TEST_POSTGRES_URL";

/// Creates an empty database and returns its URL. Without a server: prints that the test is skipped, returns `None`.
pub fn fresh() -> Option<String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let url = create_if_missing(&format!("it_{}_{number}", std::process::id()));
    if url.is_none() {
        eprintln!("skipped: {SERVER} names no PostgreSQL server");
    }
    url
}

/// The URL of the database that belongs to a data directory; `None` unless the tests run on PostgreSQL.
pub fn url_for(data: &Path) -> Option<String> {
    if std::env::var("FOVEATE_TEST_DATABASE").as_deref() != Ok("postgres") {
        return None;
    }
    let mut hash = DefaultHasher::new();
    data.hash(&mut hash);
    let url = create_if_missing(&format!("data_{:016x}", hash.finish()));
    Some(url.expect("FOVEATE_TEST_POSTGRES_URL names a server"))
}

/// The setting `storage.database_url` for a data directory.
pub fn setting(data: &Path) -> DatabaseUrl {
    DatabaseUrl::new(url_for(data).unwrap_or_default())
}

/// Makes a command use the database that belongs to a data directory.
pub fn configure_command(command: &mut Command, data: &Path) {
    if let Some(url) = url_for(data) {
        command.env("FOVEATE__STORAGE__DATABASE_URL", url);
    }
}

/// Opens a connection to a database.
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

/// Returns the URL of the database with this name, creating it if it is missing. Uses a thread with a
/// runtime of its own, because callers may be synchronous and inside a runtime.
fn create_if_missing(name: &str) -> Option<String> {
    let server = std::env::var(SERVER).ok()?;
    let mut url = url::Url::parse(&server).unwrap();
    url.set_path(name);
    let create = format!("create database {name}");
    let created = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut connection = connect(&server).await;
            let created = sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut connection);
            let exists = match created.await {
                Ok(_) => true,
                // `duplicate_database`, or another thread is creating it.
                Err(sqlx::Error::Database(error)) => {
                    ["42P04", "23505"].contains(&&*error.code().unwrap_or_default())
                }
                Err(_) => false,
            };
            connection.close().await.unwrap();
            exists
        })
    });
    assert!(created.join().unwrap(), "{name} cannot be made");
    Some(url.into())
}
