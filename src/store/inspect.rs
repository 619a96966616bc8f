//! Inspects a database read-only: it neither migrates the schema nor creates a database.

use sqlx::any::AnyPoolOptions;

use super::{DatabaseLocation, KeyRow, PING_TIMEOUT, RepositoryRow, Store, StoreError};

/// The schema, health and rows of a database.
#[derive(Debug, Default)]
pub struct DatabaseReport {
    /// The version of its schema; 0 where it has none yet.
    pub schema: i64,
    /// SQLite's message where the file is damaged.
    pub damage: Option<String>,
    /// The registered repositories; empty where the schema is too old to be read.
    pub repositories: Vec<RepositoryRow>,
    /// The API keys; empty where the schema is too old to be read.
    pub keys: Vec<KeyRow>,
}

impl Store {
    /// Inspects a database, which a server may be using at the same time; `None` where its file does not exist yet.
    ///
    /// # Errors
    /// When it cannot be reached or read, or is no database.
    pub async fn inspect(location: DatabaseLocation) -> Result<Option<DatabaseReport>, StoreError> {
        if let DatabaseLocation::Sqlite(file) = &location
            && !file.exists()
        {
            return Ok(None);
        }
        super::connection::install_drivers();
        let pool = AnyPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(PING_TIMEOUT)
            .connect_with(location.read_only_options()?)
            .await
            .map_err(|reason| StoreError::Unreachable {
                location: location.to_string(),
                reason,
            })?;
        let store = Self::on(location, pool, None);
        let inspected = store.read_inspection().await;
        store.close().await;
        inspected.map(Some)
    }

    async fn read_inspection(&self) -> Result<DatabaseReport, StoreError> {
        let pool = self.pool();
        let (check, tables) = match self.is_shared() {
            true => (
                "select 'ok'",
                "select count(*) from information_schema.tables
                 where table_name = '_sqlx_migrations' and table_schema = current_schema()",
            ),
            false => (
                "pragma quick_check(1)",
                "select count(*) from sqlite_master where name = '_sqlx_migrations'",
            ),
        };
        let check: String = sqlx::query_scalar(check).fetch_one(&pool).await?;
        let tables: i64 = sqlx::query_scalar(tables).fetch_one(&pool).await?;
        if tables == 0 {
            return Ok(DatabaseReport::default());
        }
        let schema = sqlx::query_scalar(
            "select coalesce(max(version), 0) from _sqlx_migrations where success",
        )
        .fetch_one(&pool)
        .await?;
        Ok(DatabaseReport {
            schema,
            damage: (check != "ok").then_some(check),
            repositories: self.repositories().await.unwrap_or_default(),
            keys: self.keys().await.unwrap_or_default(),
        })
    }
}
