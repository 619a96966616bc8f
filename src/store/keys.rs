//! Reads and writes the table of API keys. Every operation fails when the database does.

use sqlx::any::AnyRow;
use sqlx::{FromRow, Row as _};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use super::{Store, StoreError};

/// An API key; times are RFC 3339 in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// Its name, unique among keys that are not revoked.
    pub name: String,
    /// SHA-256 of its token.
    pub hash: Vec<u8>,
    /// The name of its scope.
    pub scope: String,
    /// The names of its repositories; `None`: all.
    pub repositories: Option<Vec<String>>,
    /// When it was made.
    pub created_at: String,
    /// When it expires, as RFC 3339 and in seconds since 1970; `None`: never.
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

impl FromRow<'_, AnyRow> for KeyRow {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        let repositories: Option<String> = row.try_get("repositories")?;
        let repositories = repositories
            .map(|json| serde_json::from_str(&json))
            .transpose();
        let expires_at: Option<String> = row.try_get("expires_at")?;
        let expires = expires_at
            .as_ref()
            .map(|time| OffsetDateTime::parse(time, &Rfc3339))
            .transpose()
            .map_err(|error| sqlx::Error::Decode(error.into()))?;
        Ok(Self {
            name: row.try_get("name")?,
            hash: row.try_get("hash")?,
            scope: row.try_get("scope")?,
            repositories: repositories.map_err(|error| sqlx::Error::Decode(error.into()))?,
            created_at: row.try_get("created_at")?,
            expires_at: expires_at.zip(expires.map(OffsetDateTime::unix_timestamp)),
            revoked_at: row.try_get("revoked_at")?,
        })
    }
}

impl Store {
    /// Returns all keys, including revoked ones, sorted by name; keys of one name in the order of creation.
    pub async fn keys(&self) -> Result<Vec<KeyRow>, StoreError> {
        let rows = sqlx::query_as(
            "select name, hash, scope, repositories, created_at, expires_at, revoked_at
             from keys order by name, id",
        );
        self.rows("keys", rows).await
    }

    /// Adds a key. Returns whether the name was free.
    pub async fn insert_key(&self, key: &NewKeyRow) -> Result<bool, StoreError> {
        let repositories = key
            .repositories
            .as_ref()
            .map(|names| serde_json::json!(names));
        let statement = sqlx::query(
            "insert into keys (name, hash, scope, repositories, created_at, expires_at)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (name) where revoked_at is null do nothing",
        )
        .bind(&key.name)
        .bind(&key.hash)
        .bind(key.scope)
        .bind(repositories.map(|names| names.to_string()))
        .bind(now())
        .bind(key.expires_in.map(in_seconds));
        Ok(self.execute("insert_key", statement).await? == 1)
    }

    /// Revokes the key of this name. Returns whether there was one that was not revoked.
    pub async fn revoke_key(&self, name: &str) -> Result<bool, StoreError> {
        let statement =
            sqlx::query("update keys set revoked_at = $1 where name = $2 and revoked_at is null")
                .bind(now())
                .bind(name);
        Ok(self.execute("revoke_key", statement).await? == 1)
    }

    /// Deletes all keys, including revoked ones. Returns how many there were.
    pub async fn delete_keys(&self) -> Result<u64, StoreError> {
        let statement = sqlx::query("delete from keys");
        self.execute("delete_keys", statement).await
    }
}

/// Returns the current time in the stored form.
pub(super) fn now() -> String {
    in_seconds(0)
}

/// Returns the time `seconds` from now in the stored form: RFC 3339 in UTC, to the second.
fn in_seconds(seconds: u32) -> String {
    let time = OffsetDateTime::now_utc().replace_nanosecond(0);
    let time = time.unwrap_or(OffsetDateTime::UNIX_EPOCH) + Duration::seconds(seconds.into());
    // Fails only for years beyond 9999.
    time.format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::testing::locations;
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
    async fn revoked_key_is_kept_and_its_name_is_free_again() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location).await?;
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
        }
        Ok(())
    }
}
