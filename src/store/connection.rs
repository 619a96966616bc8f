//! Opens connections to a database. A start waits for a database server that is not up yet.

use std::io::ErrorKind;
use std::sync::Once;
use std::time::{Duration, Instant};

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyConnection, AnyPool, ConnectOptions as _, Connection as _};

use super::{DatabaseLocation, PING_TIMEOUT, StoreError};

/// How long a start waits for a database that is not up yet, or is locked.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Time between two connection attempts at a start.
const RETRY: Duration = Duration::from_millis(500);
/// SQLite's code of an error that another connection's lock causes (<https://sqlite.org/rescode.html#busy>).
const SQLITE_BUSY: &str = "5";
/// SQLite's codes of errors that the disk or its permissions cause: READONLY, IOERR and FULL.
const SQLITE_DISK: [u32; 3] = [8, 10, 13];
/// Length of the codes of PostgreSQL; those of SQLite are shorter.
const POSTGRES_CODE_LEN: usize = 5;

pub(super) fn install_drivers() {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);
}

/// Returns the text of an error, with advice where SQLite cannot use its file.
pub(super) fn with_advice(error: &sqlx::Error) -> String {
    let code = error.as_database_error().and_then(|error| error.code());
    let code = code.filter(|code| code.len() < POSTGRES_CODE_LEN);
    let code: Option<u32> = code.and_then(|code| code.parse().ok());
    // The low byte of an extended code is its plain code.
    if code.is_some_and(|code| SQLITE_DISK.contains(&(code & 0xff))) {
        return format!("{error}; the disk may be full or read-only: run `foveate doctor`");
    }
    error.to_string()
}

/// Creates a pool of connections to a database, opened on demand.
pub(super) fn new_pool(location: &DatabaseLocation) -> Result<AnyPool, sqlx::Error> {
    install_drivers();
    let options = AnyPoolOptions::new();
    let options = match location {
        DatabaseLocation::Sqlite(_) => options
            .max_connections(4)
            // Opening the file may take long on a busy disk, and a start should wait for that.
            .acquire_timeout(Duration::from_secs(30))
            .after_connect(|connection, _| Box::pin(set_pragmas(connection))),
        DatabaseLocation::Postgres(_) => options.max_connections(8).acquire_timeout(PING_TIMEOUT),
    };
    Ok(options.connect_lazy_with(location.options()?))
}

async fn set_pragmas(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    for pragma in [
        "pragma journal_mode = wal", "pragma synchronous = normal",
        // Overwrite deleted rows with zeros.
        "pragma secure_delete = on",
    ] {
        sqlx::query(pragma).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Opens the first connection. Retries for [`START_TIMEOUT`] while a database server is not up yet, or a file is locked.
pub(super) async fn open(pool: &AnyPool, location: &DatabaseLocation) -> Result<(), StoreError> {
    let start = Instant::now();
    let mut is_logged = false;
    loop {
        let Err(reason) = try_open(pool, location).await else {
            return Ok(());
        };
        let may_recover = match &reason {
            // `InvalidData`: the certificate is not trusted.
            sqlx::Error::Io(error) => error.kind() != ErrorKind::InvalidData,
            sqlx::Error::PoolTimedOut => true,
            sqlx::Error::Database(error) => error.code().as_deref() == Some(SQLITE_BUSY),
            _ => false,
        };
        if !may_recover || start.elapsed() > START_TIMEOUT {
            let location = location.to_string();
            return Err(StoreError::Unreachable { location, reason });
        }
        if !std::mem::replace(&mut is_logged, true) {
            tracing::warn!(place = %location, error = %reason, "waiting for the database");
        }
        tokio::time::sleep(RETRY).await;
    }
}

async fn try_open(pool: &AnyPool, location: &DatabaseLocation) -> Result<(), sqlx::Error> {
    if let DatabaseLocation::Sqlite(_) = location {
        // The pool would retry until its timeout, whatever the reason, and then report the timeout.
        let mut connection = location.options()?.connect().await?;
        set_pragmas(&mut connection).await?;
        return connection.close().await;
    }
    pool.acquire().await.map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Store;
    use super::super::testing::repository;
    use super::*;

    #[tokio::test]
    async fn file_that_is_no_database_is_refused_with_its_cause() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("foveate.db");
        fs::write(&file, "not a database".repeat(100)).expect("it is written");
        let error = Store::open(directory.path())
            .await
            .expect_err("no database");
        assert!(
            error.to_string().contains("file is not a database"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn file_that_cannot_be_written_is_refused_with_advice() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).await.expect("it opens");
        let location = DatabaseLocation::in_directory(directory.path());
        let options = location.options().expect("a file");
        let mut connection = options.connect().await.expect("it is connected");
        let read_only = sqlx::query("pragma query_only = on");
        let set = read_only.execute(&mut connection).await;
        set.expect("it is set");
        for (sql, is_of_disk) in [("create table t (x)", true), ("no sql", false)] {
            let failed = sqlx::query(sql).execute(&mut connection).await;
            let told = StoreError::from(failed.expect_err(sql)).to_string();
            assert_eq!(told.contains("run `foveate doctor`"), is_of_disk, "{told}");
        }
        store.close().await;
    }

    #[tokio::test]
    async fn deleted_or_replaced_file_is_refused_until_it_is_back() {
        let directory = tempfile::tempdir().expect("a directory");
        let location = DatabaseLocation::in_directory(directory.path());
        let file = directory.path().join("foveate.db");
        let store = Store::open_at(location.clone()).await.expect("it opens");
        let row = repository("a", "/srv/a");

        let aside = directory.path().join("aside");
        fs::rename(&file, &aside).expect("it is moved");
        let refused = store.insert(&row).await;
        assert!(
            matches!(refused, Err(StoreError::Replaced { .. })),
            "{refused:?}"
        );
        fs::copy(&aside, &file).expect("it is copied");
        assert!(matches!(
            store.ping().await,
            Err(StoreError::Replaced { .. })
        ));

        fs::rename(&aside, &file).expect("it is moved back");
        store
            .ping()
            .await
            .expect("the file is the one that was opened");
        store.insert(&row).await.expect("it is written");
    }
}
