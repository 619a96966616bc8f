//! A look at the database that changes nothing: its schema is left as it is, and none is made.

use std::path::Path;

use sqlx::sqlite::SqlitePoolOptions;

use super::{FILE, KeyRow, PING, RepositoryRow, Store, StoreError};

/// What a database holds.
#[derive(Debug, Default)]
pub struct Inspection {
    /// The version of its schema; 0 where it has none yet.
    pub schema: i64,
    /// What is damaged, in SQLite's words.
    pub damage: Option<String>,
    /// The registered repositories; none where the schema is too old to be read.
    pub repositories: Vec<RepositoryRow>,
    /// The API keys; likewise.
    pub keys: Vec<KeyRow>,
}

impl Store {
    /// Looks at the database of `data_dir`, beside the server that may be using it; `None` where there is
    /// none.
    ///
    /// # Errors
    /// When it cannot be read, or is no database.
    pub async fn inspect(data_dir: &Path) -> Result<Option<Inspection>, StoreError> {
        let file = data_dir.join(FILE);
        if !file.exists() {
            return Ok(None);
        }
        // Without a log beside it nobody writes to it, and SQLite need not put one there to read it.
        let is_idle = !data_dir.join(format!("{FILE}-wal")).exists();
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(PING)
            .connect_with(super::options(&file).read_only(true).immutable(is_idle))
            .await?;
        let store = Self { pool, copy: None };
        let inspected = store.inspected().await;
        store.close().await;
        inspected.map(Some)
    }

    async fn inspected(&self) -> Result<Inspection, StoreError> {
        let check: String = sqlx::query_scalar("pragma quick_check(1)")
            .fetch_one(&self.pool)
            .await?;
        let tables: i64 = sqlx::query_scalar(
            "select count(*) from sqlite_master where name = '_sqlx_migrations'",
        )
        .fetch_one(&self.pool)
        .await?;
        if tables == 0 {
            return Ok(Inspection::default());
        }
        let schema = sqlx::query_scalar(
            "select coalesce(max(version), 0) from _sqlx_migrations where success",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(Inspection {
            schema,
            damage: (check != "ok").then_some(check),
            repositories: self.repositories().await.unwrap_or_default(),
            keys: self.keys().await.unwrap_or_default(),
        })
    }
}
