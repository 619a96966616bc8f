//! The table of API keys, and the news that it, or anything else in the database, was changed by another
//! process.

use sqlx::sqlite::SqliteRow;
use sqlx::{ConnectOptions as _, FromRow, Row as _, SqliteConnection};

use super::{Store, StoreError};

/// An API key; times are RFC 3339 in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// Its name, which no other key has that is not revoked.
    pub name: String,
    /// SHA-256 of its token.
    pub hash: Vec<u8>,
    /// The name of its scope.
    pub scope: String,
    /// The names of its repositories; `None`: all.
    pub repositories: Option<Vec<String>>,
    /// When it was made.
    pub created_at: String,
    /// When it expires, in words and in seconds since 1970.
    pub expires_at: Option<(String, i64)>,
    /// When it was revoked.
    pub revoked_at: Option<String>,
}

/// An API key to add.
#[derive(Clone, Debug)]
pub struct NewKeyRow {
    /// See [`KeyRow`].
    pub name: String,
    /// See [`KeyRow`].
    pub hash: Vec<u8>,
    /// See [`KeyRow`].
    pub scope: &'static str,
    /// See [`KeyRow`].
    pub repositories: Option<Vec<String>>,
    /// Seconds from now; `None`: never.
    pub expires_in: Option<u32>,
}

impl FromRow<'_, SqliteRow> for KeyRow {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let repositories: Option<String> = row.try_get("repositories")?;
        let repositories = repositories
            .map(|json| serde_json::from_str(&json))
            .transpose();
        let expires_at: Option<String> = row.try_get("expires_at")?;
        let expires: Option<i64> = row.try_get("expires")?;
        Ok(Self {
            name: row.try_get("name")?,
            hash: row.try_get("hash")?,
            scope: row.try_get("scope")?,
            repositories: repositories.map_err(|error| sqlx::Error::Decode(error.into()))?,
            created_at: row.try_get("created_at")?,
            expires_at: expires_at.zip(expires),
            revoked_at: row.try_get("revoked_at")?,
        })
    }
}

impl Store {
    /// All keys that were ever made, by name; of one name the latest last.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(name = "store", level = "debug", skip_all, fields(operation = "keys"))]
    pub async fn keys(&self) -> Result<Vec<KeyRow>, StoreError> {
        let rows = sqlx::query_as(
            "select name, hash, scope, repositories, created_at, expires_at, revoked_at,
                 cast(strftime('%s', expires_at) as integer) as expires
             from keys order by name, id",
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows)
    }

    /// Adds a key. Returns whether the name was free.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "insert_key")
    )]
    pub async fn insert_key(&self, key: &NewKeyRow) -> Result<bool, StoreError> {
        let repositories = key
            .repositories
            .as_ref()
            .map(|names| serde_json::json!(names));
        let result = sqlx::query(
            "insert into keys (name, hash, scope, repositories, expires_at)
             values ($1, $2, $3, $4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now', $5 || ' seconds'))
             on conflict (name) where revoked_at is null do nothing",
        )
        .bind(&key.name)
        .bind(&key.hash)
        .bind(key.scope)
        .bind(repositories.map(|names| names.to_string()))
        .bind(key.expires_in.map(|seconds| format!("+{seconds}")))
        .execute(&self.pool)
        .await?;
        Ok(result.rows_affected() == 1)
    }

    /// Revokes the key of this name. Returns whether there was one that was not revoked.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "revoke_key")
    )]
    pub async fn revoke_key(&self, name: &str) -> Result<bool, StoreError> {
        let result = sqlx::query(
            "update keys set revoked_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
             where name = $1 and revoked_at is null",
        )
        .bind(name)
        .execute(&self.pool)
        .await?;
        Ok(result.rows_affected() == 1)
    }

    /// Deletes all keys, revoked ones, too. Returns how many there were.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "delete_keys")
    )]
    pub async fn delete_keys(&self) -> Result<u64, StoreError> {
        let result = sqlx::query("delete from keys").execute(&self.pool).await?;
        Ok(result.rows_affected())
    }

    /// Watches the database for changes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn changes(&self) -> Result<StoreChanges, StoreError> {
        let options = self.pool.connect_options();
        let options = options.as_ref().clone().disable_statement_logging();
        let connection = options.connect().await?;
        Ok(StoreChanges {
            connection,
            version: None,
        })
    }
}

/// A connection that notices what others write to the database.
#[derive(Debug)]
pub struct StoreChanges {
    /// The number is that of a connection, and its own changes do not count: it makes none.
    connection: SqliteConnection,
    version: Option<i64>,
}

impl StoreChanges {
    /// Whether anything was written since the last call; true at the first. Costs no read of the disk.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn any(&mut self) -> Result<bool, StoreError> {
        let version: i64 = sqlx::query_scalar("pragma data_version")
            .fetch_one(&mut self.connection)
            .await?;
        Ok(self.version.replace(version) != Some(version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, first: u8) -> NewKeyRow {
        NewKeyRow {
            name: name.to_owned(),
            hash: [first; 32].to_vec(),
            scope: "read",
            repositories: Some(vec!["a".to_owned(), "b/c".to_owned()]),
            expires_in: None,
        }
    }

    #[tokio::test]
    async fn keys_are_kept_and_their_names_come_free() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(directory.path()).await?;
        assert!(store.insert_key(&key("ci", 1)).await?);
        assert!(!store.insert_key(&key("ci", 2)).await?, "the name is taken");
        assert!(store.revoke_key("ci").await?);
        assert!(!store.revoke_key("ci").await?, "it is revoked already");
        let second = NewKeyRow {
            expires_in: Some(60),
            repositories: None,
            ..key("ci", 2)
        };
        assert!(store.insert_key(&second).await?);
        let keys = store.keys().await?;
        let shown: Vec<_> = keys
            .iter()
            .map(|key| {
                (
                    key.hash[0],
                    key.revoked_at.is_some(),
                    key.expires_at.is_some(),
                )
            })
            .collect();
        assert_eq!(shown, [(1, true, false), (2, false, true)]);
        assert_eq!(
            keys[0].repositories,
            Some(vec!["a".to_owned(), "b/c".to_owned()])
        );
        assert_eq!(keys[1].repositories, None);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = i64::try_from(now.expect("after 1970").as_secs()).expect("a time");
        let (_, expires) = keys[1].expires_at.clone().expect("it expires");
        assert!((now..=now + 61).contains(&expires));
        assert_eq!(store.delete_keys().await?, 2);
        assert!(store.keys().await?.is_empty());
        Ok(())
    }

    #[tokio::test]
    async fn what_another_process_writes_is_noticed() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(directory.path()).await?;
        let mut changes = store.changes().await?;
        assert!(changes.any().await?);
        assert!(!changes.any().await?);
        let other = Store::open(directory.path()).await?;
        other.insert_key(&key("ci", 1)).await?;
        assert!(changes.any().await?);
        assert!(!changes.any().await?);
        Ok(())
    }
}
