//! Creates databases for tests: SQLite, and PostgreSQL where a server is configured.

use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use tempfile::TempDir;

use super::{DatabaseLocation, RepositoryKind, RepositoryRow, StoreError};

/// The variable with the URL of a PostgreSQL database whose user may create others.
pub const POSTGRES: &str = "FOVEATE_TEST_POSTGRES_URL";

/// Creates empty databases, one of each kind; they exist as long as the returned directory.
pub async fn locations() -> (TempDir, Vec<DatabaseLocation>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut locations = vec![DatabaseLocation::in_directory(directory.path())];
    locations.extend(postgres().await.expect("a database"));
    (directory, locations)
}

/// Creates an empty PostgreSQL database; `None`, with a message, where no server is configured.
pub async fn postgres() -> Result<Option<DatabaseLocation>, StoreError> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Ok(url) = std::env::var(POSTGRES) else {
        eprintln!("skipping PostgreSQL: {POSTGRES} is not set");
        return Ok(None);
    };
    let Ok(DatabaseLocation::Postgres(server)) = DatabaseLocation::parse(&url) else {
        panic!("{POSTGRES} is not a PostgreSQL URL");
    };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("unit_{}_{number}", std::process::id());
    let mut connection = server.options()?.connect().await?;
    let create = format!("create database {name}");
    sqlx::query(AssertSqlSafe(create))
        .execute(&mut connection)
        .await?;
    connection.close().await?;
    let mut url = url::Url::parse(&url).expect("a URL");
    url.set_path(&name);
    Ok(Some(DatabaseLocation::parse(url.as_str()).expect("a URL")))
}

/// Returns the row of a working tree that is not watched.
pub fn repository(name: &str, location: &str) -> RepositoryRow {
    RepositoryRow {
        name: name.to_owned(),
        kind: RepositoryKind::Path,
        location: location.to_owned(),
        reference: None,
        watch: false,
        poll_seconds: None,
    }
}
