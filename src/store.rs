//! All SQL: what must outlive the process. It knows rows and nothing of what they mean elsewhere. Each
//! operation has a span, in which sqlx logs its statements, without their values, at DEBUG.

mod feedback;
mod inspect;
mod jobs;
mod keys;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
};
use sqlx::{FromRow, Row as _, SqlStr, SqlitePool};
use tempfile::TempDir;

pub use feedback::{
    AnswerRow, ChangeCounts, DayRow, FeedbackRow, FeedbackSource, NewAnswerRow, OldAnswers,
};
pub use inspect::Inspection;
pub use jobs::{Delivered, JobCounts, JobRow, NewJobRow};
pub use keys::{KeyRow, NewKeyRow, StoreChanges};

/// How long a database that answers may take.
const PING: Duration = Duration::from_secs(5);

/// The file of the database in the data directory.
pub const FILE: &str = "foveate.db";

/// The schema's versions, oldest first: number, name and statements. Not by the macros of sqlx, for which
/// sqlx and SQLite are built twice.
const MIGRATIONS: [(i64, &str, &str); 5] = [
    (
        1,
        "repositories",
        include_str!("../migrations/sqlite/0001_repositories.sql"),
    ),
    (
        2,
        "poll",
        include_str!("../migrations/sqlite/0002_poll.sql"),
    ),
    (
        3,
        "keys",
        include_str!("../migrations/sqlite/0003_keys.sql"),
    ),
    (
        4,
        "jobs",
        include_str!("../migrations/sqlite/0004_jobs.sql"),
    ),
    (
        5,
        "feedback",
        include_str!("../migrations/sqlite/0005_feedback.sql"),
    ),
];

/// The version of the schema that this program makes and uses.
pub fn schema() -> i64 {
    MIGRATIONS.last().map_or(0, |(version, _, _)| *version)
}

fn migrator() -> Migrator {
    let migrations = MIGRATIONS.map(|(version, name, sql)| {
        let sql = SqlStr::from_static(sql);
        Migration::new(version, name.into(), MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(migrations.into())
}

/// The program's database.
#[derive(Clone, Debug)]
pub struct Store {
    pool: SqlitePool,
    /// Where the file is, if not in the data directory.
    copy: Option<Arc<TempDir>>,
}

/// Whose files a repository's row points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepositoryKind {
    /// A working tree.
    Path,
    /// A git repository.
    Git,
}

impl RepositoryKind {
    fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Git => "git",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Path, Self::Git]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A registered repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryRow {
    /// Its name.
    pub name: String,
    /// What `location` is.
    pub kind: RepositoryKind,
    /// An absolute path or a URL.
    pub location: String,
    /// The ref that is kept warm.
    pub reference: Option<String>,
    /// Whether changes are followed.
    pub watch: bool,
    /// Seconds between two looks at a git repository, where it has a number of its own.
    pub poll_seconds: Option<u32>,
}

impl FromRow<'_, SqliteRow> for RepositoryRow {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let kind: &str = row.try_get("kind")?;
        let unknown = || sqlx::Error::Decode(format!("no kind of repository is {kind:?}").into());
        Ok(Self {
            name: row.try_get("name")?,
            kind: RepositoryKind::named(kind).ok_or_else(unknown)?,
            location: row.try_get("location")?,
            reference: row.try_get("reference")?,
            watch: row.try_get("watch")?,
            poll_seconds: row.try_get("poll_seconds")?,
        })
    }
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
    /// A statement failed.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("the database cannot be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
}

/// The file of a database, and how long to wait for others who use it.
fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(Duration::from_secs(5))
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
        let options = options(&data_dir.join(FILE))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            // What is deleted is gone.
            .pragma("secure_delete", "on");
        let pool = SqlitePoolOptions::new()
            .max_connections(4)
            // A busy disk may take long to open the file; a start that gives up helps nobody.
            .acquire_timeout(Duration::from_secs(30))
            .connect_with(options)
            .await?;
        migrator().run(&pool).await?;
        Ok(Self { pool, copy: None })
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
        let store = Self::open(copy.path()).await?;
        Ok(Self {
            copy: Some(Arc::new(copy)),
            ..store
        })
    }

    /// All repositories, by name.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "repositories")
    )]
    pub async fn repositories(&self) -> Result<Vec<RepositoryRow>, StoreError> {
        let rows = sqlx::query_as(
            "select name, kind, location, reference, watch, poll_seconds
             from repositories order by name",
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows)
    }

    /// Adds a repository. Returns whether the name was free.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "insert")
    )]
    pub async fn insert(&self, row: &RepositoryRow) -> Result<bool, StoreError> {
        let result = sqlx::query(
            "insert into repositories (name, kind, location, reference, watch, poll_seconds)
             values ($1, $2, $3, $4, $5, $6) on conflict (name) do nothing",
        )
        .bind(&row.name)
        .bind(row.kind.name())
        .bind(&row.location)
        .bind(&row.reference)
        .bind(row.watch)
        .bind(row.poll_seconds)
        .execute(&self.pool)
        .await?;
        Ok(result.rows_affected() == 1)
    }

    /// Replaces where a repository is.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "set_location")
    )]
    pub async fn set_location(&self, name: &str, location: &str) -> Result<(), StoreError> {
        sqlx::query("update repositories set location = $1 where name = $2")
            .bind(location)
            .bind(name)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Removes every trace of what was replaced or deleted from the files.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(name = "store", level = "debug", skip_all, fields(operation = "scrub"))]
    pub async fn scrub(&self) -> Result<(), StoreError> {
        for statement in ["vacuum", "pragma wal_checkpoint(truncate)"] {
            sqlx::query(statement).execute(&self.pool).await?;
        }
        Ok(())
    }

    /// Whether what is changed is lost at the end.
    pub fn is_copy(&self) -> bool {
        self.copy.is_some()
    }

    /// Takes a repository off the list. Returns whether it was there. See [`Self::remove`].
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "delete")
    )]
    pub async fn delete(&self, name: &str) -> Result<bool, StoreError> {
        let result = sqlx::query("delete from repositories where name = $1")
            .bind(name)
            .execute(&self.pool)
            .await?;
        Ok(result.rows_affected() == 1)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    #[tracing::instrument(name = "store", level = "debug", skip_all, fields(operation = "ping"))]
    pub async fn ping(&self) -> Result<(), StoreError> {
        let answer = sqlx::query("select 1").execute(&self.pool);
        tokio::time::timeout(PING, answer)
            .await
            .map_err(|_| sqlx::Error::PoolTimedOut)??;
        Ok(())
    }

    /// Writes what is pending and closes the file.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_is_run() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite");
        let files = std::fs::read_dir(directory).expect("the migrations");
        let names = files.map(|file| file.expect("a file").file_name());
        let mut names: Vec<_> = names
            .map(|name| name.into_string().expect("a name"))
            .collect();
        names.sort();
        let listed = MIGRATIONS.map(|(version, name, _)| format!("{version:04}_{name}.sql"));
        assert_eq!(names, listed);
    }

    #[tokio::test]
    async fn rows_survive_closing() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let row = RepositoryRow {
            name: "a".to_owned(),
            kind: RepositoryKind::Git,
            location: "/srv/a.git".to_owned(),
            reference: Some("main".to_owned()),
            watch: false,
            poll_seconds: Some(60),
        };
        let store = Store::open(directory.path()).await?;
        assert!(store.insert(&row).await?);
        assert!(!store.insert(&row).await?, "the name is taken");
        store.close().await;
        assert!(store.ping().await.is_err(), "it is closed");

        let copy = Store::open_copy(directory.path()).await?;
        assert!(copy.delete("a").await?);
        copy.close().await;

        let store = Store::open(directory.path()).await?;
        assert_eq!(store.repositories().await?, [row]);
        assert!(store.delete("a").await?);
        assert!(!store.delete("a").await?);
        assert!(store.repositories().await?.is_empty());
        Ok(())
    }
}
