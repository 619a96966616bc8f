//! All SQL: what must outlive the process. It knows rows and nothing of what they mean elsewhere. Each
//! operation has a span, in which sqlx logs its statements, without their values, at DEBUG.
//!
//! The database is SQLite or PostgreSQL ([`Place`]). Statements are written once, for both; where the two
//! differ, [`Store::is_shared`] says which it is. Rows are integers, texts and bytes, which is what sqlx can
//! read from either.

mod changes;
mod feedback;
mod inspect;
mod jobs;
mod keys;
mod place;
mod repositories;
mod schema;
#[cfg(test)]
mod testing;
mod transfer;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use sqlx::AnyPool;
use sqlx::any::AnyPoolOptions;
use tempfile::TempDir;
use tokio::sync::watch;
use tracing::{Instrument as _, Span};

pub use changes::Versions;
pub use feedback::{
    AnswerRow, ChangeCounts, DayRow, FeedbackRow, FeedbackSource, NewAnswerRow, OldAnswers,
};
pub use inspect::Inspection;
pub use jobs::{Delivered, JobCounts, JobRow, NewJobRow};
pub use keys::{KeyRow, NewKeyRow};
pub use place::{Place, PlaceError};
pub use repositories::{RepositoryKind, RepositoryRow};
pub use transfer::copy_file;

/// How long a database that answers may take.
const PING: Duration = Duration::from_secs(5);
/// How long an operation on a database server may take. One that has not ended then waits for a server
/// that is gone and did not say so.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a start waits for a database server that is not up yet.
const START_PATIENCE: Duration = Duration::from_secs(60);
/// Time between two attempts to reach it.
const RETRY: Duration = Duration::from_millis(500);

/// The file of the database in the data directory.
pub const FILE: &str = "foveate.db";

/// The version of the schema that this program makes and uses.
pub fn schema() -> i64 {
    schema::latest()
}

/// The program's database.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    place: Place,
    pool: ArcSwap<AnyPool>,
    /// Where the file is, if not in the data directory.
    copy: Option<TempDir>,
    /// What was changed, here or by others.
    versions: watch::Sender<Versions>,
    /// Whether it answered when it was asked last.
    is_up: AtomicBool,
}

/// What becomes of a schema that is not up to date.
enum Schema {
    /// It is brought up to date.
    Migrate,
    /// It is refused.
    Keep,
}

/// The database could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data directory cannot be made or opened.
    #[error("cannot use the data directory {path}: {reason}")]
    Directory {
        /// Which.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// The database server cannot be reached, or does not let this program in.
    #[error("the database {place} cannot be opened: {reason}")]
    Unreachable {
        /// Where it is, without a password.
        place: String,
        /// What it or the system says.
        reason: sqlx::Error,
    },
    /// The database server does not answer.
    #[error("the database did not answer within {} s", PATIENCE.as_secs())]
    Silent,
    /// A statement failed.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("the database cannot be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The database to copy to has rows.
    #[error("the database {place} is not empty (there are {table}): name another one")]
    NotEmpty {
        /// Where it is, without a password.
        place: String,
        /// A table that has rows.
        table: &'static str,
    },
    /// The schema is not brought up to date, because others use it.
    #[error(
        "the schema of the database {place} is {found}, and this program needs {known}: use the version of the \
         server, or start a server of this version first"
    )]
    Older {
        /// Where it is, without a password.
        place: String,
        /// The schema's number.
        found: i64,
        /// The number that is needed.
        known: i64,
    },
    /// A later program has changed the schema.
    #[error(
        "the database {place} was changed by a later version of this program (its schema is {found}, this \
         program knows {known}): use that version, or restore a backup from before"
    )]
    Newer {
        /// Where it is.
        place: String,
        /// The schema's number.
        found: i64,
        /// The highest number known here.
        known: i64,
    },
}

impl Store {
    /// Opens the database in `data_dir`, which is created if need be, and brings its schema up to
    /// date.
    ///
    /// # Errors
    /// When the directory or the file cannot be used.
    pub async fn open(data_dir: &Path) -> Result<Self, StoreError> {
        tokio::fs::create_dir_all(data_dir)
            .await
            .map_err(|error| StoreError::Directory {
                path: data_dir.display().to_string(),
                reason: error.to_string(),
            })?;
        Self::open_at(Place::in_directory(data_dir)).await
    }

    /// Opens the database at `place` and brings its schema up to date. Waits for a database server that is
    /// not up yet, a minute at most.
    ///
    /// # Errors
    /// When it cannot be opened, or a later program has changed its schema.
    pub async fn open_at(place: Place) -> Result<Self, StoreError> {
        Self::open_with(place, None, Schema::Migrate).await
    }

    /// As [`Self::open_at`], for a database that servers use: its schema is left as it is.
    ///
    /// # Errors
    /// See there; and when the schema is not that of this program.
    pub async fn open_unchanged(place: Place) -> Result<Self, StoreError> {
        Self::open_with(place, None, Schema::Keep).await
    }

    async fn open_with(
        place: Place,
        copy: Option<TempDir>,
        schema: Schema,
    ) -> Result<Self, StoreError> {
        let pool = pool(&place)?;
        let opened = async {
            reach(&pool, &place).await?;
            match schema {
                Schema::Migrate => schema::migrate(&pool, &place).await,
                Schema::Keep => schema::check(&pool, &place).await,
            }
        };
        if let Err(error) = opened.await {
            // A connection that failed may hold the lock of the schema.
            pool.close().await;
            return Err(error);
        }
        Ok(Self::on(place, pool, copy))
    }

    fn on(place: Place, pool: AnyPool, copy: Option<TempDir>) -> Self {
        let inner = Inner {
            place,
            pool: ArcSwap::from_pointee(pool),
            copy,
            versions: watch::Sender::default(),
            is_up: AtomicBool::new(true),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Opens a copy of the database of a `data_dir` that cannot be written: what is changed is lost
    /// at the end.
    ///
    /// # Errors
    /// When it can be copied nowhere.
    pub async fn open_copy(data_dir: &Path) -> Result<Self, StoreError> {
        let refuse = |error: std::io::Error| StoreError::Directory {
            path: data_dir.display().to_string(),
            reason: format!("it cannot be written, and its database cannot be copied: {error}"),
        };
        let copy = tempfile::tempdir().map_err(refuse)?;
        // What was not merged into the file yet stands beside it.
        for name in [FILE.to_owned(), format!("{FILE}-wal")] {
            match tokio::fs::copy(data_dir.join(&name), copy.path().join(&name)).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(refuse(error));
                }
                _ => {}
            }
        }
        let place = Place::in_directory(copy.path());
        Self::open_with(place, Some(copy), Schema::Migrate).await
    }

    /// Whether what is changed is lost at the end.
    pub fn is_copy(&self) -> bool {
        self.inner.copy.is_some()
    }

    /// Whether other servers may use the database, too.
    pub fn is_shared(&self) -> bool {
        matches!(self.inner.place, Place::Postgres(_))
    }

    /// Whether the database answered when [`Self::follow`] looked at it last.
    pub fn is_up(&self) -> bool {
        self.inner.is_up.load(Ordering::Relaxed)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let pool = self.pool();
        let answer = sqlx::query("select 1")
            .execute(&pool)
            .instrument(span("ping"));
        match tokio::time::timeout(PING, answer).await {
            Ok(answer) => Ok(answer.map(drop)?),
            Err(_) => {
                if self.is_shared() {
                    self.leave_behind(&pool);
                }
                Err(StoreError::Silent)
            }
        }
    }

    /// Writes what is pending and closes the connections.
    pub async fn close(&self) {
        let closed = self.inner.pool.load_full();
        // A server that is gone is not waited for.
        let _ = tokio::time::timeout(PING, closed.close()).await;
    }

    fn pool(&self) -> AnyPool {
        AnyPool::clone(&self.inner.pool.load())
    }

    /// Does something with the database, in a span that names the operation; on a server for a limited time.
    async fn run<T, F>(
        &self,
        operation: &'static str,
        statements: impl FnOnce(AnyPool) -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let pool = self.pool();
        let done = statements(pool.clone()).instrument(span(operation));
        if self.is_shared() {
            let done = tokio::time::timeout(PATIENCE, done).await;
            return done.unwrap_or_else(|_| {
                self.leave_behind(&pool);
                Err(StoreError::Silent)
            });
        }
        // Where a disk is full, SQLite ends a transaction by itself, and sqlx believes that it is still
        // open: what such a connection writes afterwards is never committed.
        done.await.inspect_err(|_| self.leave_behind(&pool))
    }

    /// Uses the connections of a pool no more: the next operation makes new ones.
    fn leave_behind(&self, failed: &AnyPool) {
        if !failed.is_closed()
            && let Ok(new) = pool(&self.inner.place)
        {
            self.inner.pool.store(Arc::new(new));
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.inner.place).finish()
    }
}

/// What sqlx logs of an operation stands in its span.
fn span(operation: &'static str) -> Span {
    tracing::debug_span!("store", operation)
}

fn install_drivers() {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);
}

/// Connections to a place, made when they are needed.
fn pool(place: &Place) -> Result<AnyPool, StoreError> {
    install_drivers();
    let options = AnyPoolOptions::new();
    let options = match place {
        Place::Sqlite(_) => options
            .max_connections(4)
            // A busy disk may take long to open the file; a start that gives up helps nobody.
            .acquire_timeout(Duration::from_secs(30))
            .after_connect(|connection, _| {
                Box::pin(async move {
                    for pragma in [
                        "pragma journal_mode = wal",
                        "pragma synchronous = normal",
                        // What is deleted is gone.
                        "pragma secure_delete = on",
                    ] {
                        sqlx::query(pragma).execute(&mut *connection).await?;
                    }
                    Ok(())
                })
            }),
        Place::Postgres(_) => options.max_connections(8).acquire_timeout(PING),
    };
    Ok(options.connect_lazy_with(place.options()?))
}

/// Makes the first connection. A server that starts at the same time is waited for.
async fn reach(pool: &AnyPool, place: &Place) -> Result<(), StoreError> {
    let start = Instant::now();
    let mut is_told = false;
    loop {
        let reason = match pool.acquire().await {
            Ok(_) => return Ok(()),
            Err(error) if matches!(place, Place::Sqlite(_)) => return Err(error.into()),
            Err(error) => error,
        };
        let may_come = match &reason {
            // A certificate that is not trusted.
            sqlx::Error::Io(error) => error.kind() != std::io::ErrorKind::InvalidData,
            sqlx::Error::PoolTimedOut => true,
            _ => false,
        };
        if !may_come || start.elapsed() > START_PATIENCE {
            let place = place.to_string();
            return Err(StoreError::Unreachable { place, reason });
        }
        if !std::mem::replace(&mut is_told, true) {
            tracing::warn!(%place, error = %reason, "waiting for the database");
        }
        tokio::time::sleep(RETRY).await;
    }
}
