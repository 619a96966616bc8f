//! Holds all SQL, for state that must outlive the process. It must not interpret rows. Each operation has a span, in
//! which sqlx logs its statements, without their values, at DEBUG.
//!
//! The database is SQLite or PostgreSQL ([`DatabaseLocation`]). Statements are written once, for both; where the two
//! differ, [`Store::is_shared`] tells which it is. Columns are integers, floating-point numbers, texts and bytes, which
//! sqlx can read from either.

mod changes;
mod connection;
mod feedback;
mod inspect;
mod jobs;
mod keys;
mod location;
mod repositories;
mod schema;
#[cfg(test)]
mod testing;
mod transfer;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::{Query, QueryAs};
use sqlx::{Any, AnyPool, FromRow};
use tempfile::TempDir;
use tokio::sync::watch;
use tracing::{Instrument as _, Span};

pub use changes::TableVersions;
pub use feedback::{
    AnswerFilter, AnswerRow, ChangeCounts, FeedbackDayRow, FeedbackRow, FeedbackSource,
    NewAnswerRow,
};
pub use inspect::DatabaseReport;
pub use jobs::{DeliveryOutcome, JobCounts, JobRow, NewJobRow};
pub use keys::{KeyRow, NewKeyRow};
pub use location::{DatabaseLocation, DatabaseLocationError};
pub use repositories::{RepositoryKind, RepositoryRow};
pub use transfer::copy_file;

/// Timeout of a ping, and of connecting to a database server.
const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of an operation on a database server. An operation that takes longer waits for a server that is gone
/// without having closed the connection.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(10);

/// The file of the database in the data directory.
pub const FILE: &str = "foveate.db";

/// Returns the version of the schema that this program creates and uses.
pub fn schema() -> i64 {
    schema::latest()
}

/// Returns the current time as rows store it: in milliseconds since 1970.
pub fn now_millis() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
}

/// The program's database.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    location: DatabaseLocation,
    pool: ArcSwap<AnyPool>,
    /// The SQLite file as it was opened.
    file: Option<FileId>,
    /// The temporary directory of the file, where it is a copy of that in the data directory.
    copy: Option<TempDir>,
    /// Counts changes, by this process or others.
    versions: watch::Sender<TableVersions>,
    /// Whether the database answered when it was polled last.
    is_up: AtomicBool,
}

/// The device and the inode of a file.
type FileId = (u64, u64);

/// What to do with a schema that is not up to date.
enum Schema {
    /// Bring it up to date.
    Migrate,
    /// Refuse it.
    Keep,
}

/// Why a database operation failed. Locations have no password.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum StoreError {
    #[error("cannot use the data directory {path}: {reason}")]
    Directory { path: String, reason: String },
    #[error("the database {location} cannot be opened: {}", connection::with_advice(.reason))]
    Unreachable {
        location: String,
        reason: sqlx::Error,
    },
    #[error(
        "the file of the database {location} was deleted or replaced after it was opened, so that changes would be \
         lost: put it back, or restart the server to use what is there now"
    )]
    Replaced { location: String },
    #[error("the database did not answer within {} s", OPERATION_TIMEOUT.as_secs())]
    Silent,
    #[error("the database failed: {}", connection::with_advice(.0))]
    Database(#[from] sqlx::Error),
    #[error("the database cannot be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    #[error("the database {location} is not empty (it has {table}): name another one")]
    NotEmpty {
        location: String,
        table: &'static str,
    },
    /// The schema is older than this program's, and must not be changed because servers use it.
    #[error(
        "the schema of the database {location} is {found}, but this program needs {known}: use the version that the \
         server has, or start a server of this version first"
    )]
    Older {
        location: String,
        found: i64,
        known: i64,
    },
    #[error(
        "the database {location} was changed by a later version of this program (its schema is {found}, this \
         program supports up to {known}): use that version, or restore an earlier backup"
    )]
    Newer {
        location: String,
        found: i64,
        known: i64,
    },
}

impl Store {
    /// Opens the database in `data_dir`, which must exist, and brings its schema up to date.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub async fn open(data_dir: &Path) -> Result<Self, StoreError> {
        Self::open_at(DatabaseLocation::in_directory(data_dir)).await
    }

    /// Opens the database at `location` and brings its schema up to date. Waits for a database server that is
    /// not up yet, a minute at most.
    ///
    /// # Errors
    /// When it cannot be opened, or a later program has changed its schema.
    pub async fn open_at(location: DatabaseLocation) -> Result<Self, StoreError> {
        Self::open_with(location, None, Schema::Migrate).await
    }

    /// Opens a database as [`Self::open_at`], but leaves its schema unchanged, since servers use it.
    ///
    /// # Errors
    /// As [`Self::open_at`]; and when the schema is not that of this program.
    pub async fn open_unchanged(location: DatabaseLocation) -> Result<Self, StoreError> {
        Self::open_with(location, None, Schema::Keep).await
    }

    async fn open_with(
        location: DatabaseLocation,
        copy: Option<TempDir>,
        schema: Schema,
    ) -> Result<Self, StoreError> {
        let pool = connection::new_pool(&location)?;
        let opened = async {
            connection::open(&pool, &location).await?;
            match schema {
                Schema::Migrate => schema::migrate(&pool, &location).await,
                Schema::Keep => schema::check(&pool, &location).await,
            }
        };
        if let Err(error) = opened.await {
            // A failed connection may still hold the migration lock.
            pool.close().await;
            return Err(error);
        }
        Ok(Self::on(location, pool, copy))
    }

    fn on(location: DatabaseLocation, pool: AnyPool, copy: Option<TempDir>) -> Self {
        let inner = Inner {
            file: location.file_id(),
            location,
            pool: ArcSwap::from_pointee(pool),
            copy,
            versions: watch::Sender::default(),
            is_up: AtomicBool::new(true),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Opens a temporary copy of the database of a `data_dir` that cannot be written: changes are lost when the process
    /// ends.
    ///
    /// # Errors
    /// When the database cannot be copied or opened.
    pub async fn open_copy(data_dir: &Path) -> Result<Self, StoreError> {
        let refuse = |error: std::io::Error| StoreError::Directory {
            path: data_dir.display().to_string(),
            reason: format!("it cannot be written, and its database cannot be copied: {error}"),
        };
        let copy = tempfile::tempdir().map_err(refuse)?;
        // The write-ahead log holds changes that are not in the file yet.
        for name in [FILE.to_owned(), format!("{FILE}-wal")] {
            match tokio::fs::copy(data_dir.join(&name), copy.path().join(&name)).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(refuse(error));
                }
                _ => {}
            }
        }
        let location = DatabaseLocation::in_directory(copy.path());
        Self::open_with(location, Some(copy), Schema::Migrate).await
    }

    /// Whether the database is a temporary copy, whose changes are lost when the process ends.
    pub fn is_copy(&self) -> bool {
        self.inner.copy.is_some()
    }

    /// Whether the database is PostgreSQL, which other servers may use, too.
    pub fn is_shared(&self) -> bool {
        matches!(self.inner.location, DatabaseLocation::Postgres(_))
    }

    /// Whether the database answered when [`Self::follow`] polled it last.
    pub fn is_up(&self) -> bool {
        self.inner.is_up.load(Ordering::Relaxed)
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    /// When it does not answer in time, or with an error.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.check_file()?;
        let pool = self.pool();
        let answer = sqlx::query("select 1")
            .execute(&pool)
            .instrument(span("ping"));
        match tokio::time::timeout(PING_TIMEOUT, answer).await {
            Ok(answer) => Ok(answer.map(drop)?),
            Err(_) => {
                if self.is_shared() {
                    self.replace_pool(&pool);
                }
                Err(StoreError::Silent)
            }
        }
    }

    /// Writes pending changes and closes the connections.
    pub async fn close(&self) {
        let closed = self.inner.pool.load_full();
        // With a timeout: the server may be gone.
        let _ = tokio::time::timeout(PING_TIMEOUT, closed.close()).await;
    }

    fn pool(&self) -> AnyPool {
        AnyPool::clone(&self.inner.pool.load())
    }

    /// Checks that the SQLite file is the one that was opened. SQLite itself would go on to write to a deleted file.
    fn check_file(&self) -> Result<(), StoreError> {
        let Inner { location, file, .. } = &*self.inner;
        match file.is_some() && location.file_id() != *file {
            true => Err(StoreError::Replaced {
                location: location.to_string(),
            }),
            false => Ok(()),
        }
    }

    /// Runs `statements` in a span that names the operation; on a database server with a timeout. A failed operation
    /// may replace the connection pool.
    async fn run<T, F>(
        &self,
        operation: &'static str,
        statements: impl FnOnce(AnyPool) -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        self.check_file()?;
        let pool = self.pool();
        let done = statements(pool.clone()).instrument(span(operation));
        if self.is_shared() {
            let done = tokio::time::timeout(OPERATION_TIMEOUT, done).await;
            return done.unwrap_or_else(|_| {
                self.replace_pool(&pool);
                Err(StoreError::Silent)
            });
        }
        // On a full disk, SQLite aborts a transaction by itself, and sqlx takes it for still open: later writes of
        // that connection are never committed.
        done.await.inspect_err(|_| self.replace_pool(&pool))
    }

    /// Runs one statement and returns the number of rows that it changed.
    async fn execute(
        &self,
        operation: &'static str,
        statement: Query<'_, Any, AnyArguments>,
    ) -> Result<u64, StoreError> {
        self.run(operation, async |pool| {
            Ok(statement.execute(&pool).await?.rows_affected())
        })
        .await
    }

    /// Runs one query and returns its rows.
    async fn rows<R: for<'r> FromRow<'r, AnyRow> + Send + Unpin>(
        &self,
        operation: &'static str,
        query: QueryAs<'_, Any, R, AnyArguments>,
    ) -> Result<Vec<R>, StoreError> {
        self.run(operation, async |pool| Ok(query.fetch_all(&pool).await?))
            .await
    }

    /// Stops using the connections of a failed pool: the next operation opens new ones.
    fn replace_pool(&self, failed: &AnyPool) {
        if !failed.is_closed()
            && let Ok(new) = connection::new_pool(&self.inner.location)
        {
            self.inner.pool.store(Arc::new(new));
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.inner.location).finish()
    }
}

/// The span of an operation, in which sqlx logs its statements.
fn span(operation: &'static str) -> Span {
    tracing::debug_span!("store", operation)
}
