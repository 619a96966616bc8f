//! Reads and writes the table of registered repositories. Every operation fails when the database does.

use sqlx::any::AnyRow;
use sqlx::{FromRow, Row as _};
use tracing::Instrument as _;

use super::{Store, StoreError, keys, span};

foveate_model::named_enum! {
    /// The kind of source that a repository's row points to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RepositoryKind {
        /// A working tree.
        Path = "path",
        /// A git repository.
        Git = "git",
    }
}

/// A registered repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryRow {
    /// Its name.
    pub name: String,
    /// The kind of source at `location`.
    pub kind: RepositoryKind,
    /// An absolute path or a URL.
    pub location: String,
    /// The ref that is kept indexed.
    pub reference: Option<String>,
    /// Whether changes are watched.
    pub watch: bool,
    /// Poll interval of a git repository in seconds, where it differs from the configured one.
    pub poll_seconds: Option<u32>,
}

impl FromRow<'_, AnyRow> for RepositoryRow {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        let kind: &str = row.try_get("kind")?;
        let unknown = || sqlx::Error::Decode(format!("unknown kind of repository {kind:?}").into());
        let poll_seconds: Option<i64> = row.try_get("poll_seconds")?;
        Ok(Self {
            name: row.try_get("name")?,
            kind: RepositoryKind::named(kind).ok_or_else(unknown)?,
            location: row.try_get("location")?,
            reference: row.try_get("reference")?,
            watch: row.try_get::<i64, _>("watch")? != 0,
            poll_seconds: poll_seconds.map(|seconds| u32::try_from(seconds).unwrap_or(u32::MAX)),
        })
    }
}

impl Store {
    /// Returns all repositories, sorted by name.
    pub async fn repositories(&self) -> Result<Vec<RepositoryRow>, StoreError> {
        let rows = sqlx::query_as(
            "select name, kind, location, reference, watch, poll_seconds
             from repositories order by name",
        );
        self.rows("repositories", rows).await
    }

    /// Adds a repository. Returns whether the name was free.
    pub async fn insert(&self, row: &RepositoryRow) -> Result<bool, StoreError> {
        let statement = sqlx::query(
            "insert into repositories
                 (name, kind, location, reference, watch, poll_seconds, created_at)
             values ($1, $2, $3, $4, $5, $6, $7) on conflict (name) do nothing",
        )
        .bind(&row.name)
        .bind(row.kind.name())
        .bind(&row.location)
        .bind(row.reference.as_deref())
        .bind(i64::from(row.watch))
        .bind(row.poll_seconds.map(i64::from))
        .bind(keys::now());
        Ok(self.execute("insert", statement).await? == 1)
    }

    /// Removes every trace of replaced and deleted rows from the files.
    pub async fn scrub(&self) -> Result<(), StoreError> {
        let statements: &[&str] = match self.is_shared() {
            true => &["vacuum full repositories, answers, feedback"],
            false => &["vacuum", "pragma wal_checkpoint(truncate)"],
        };
        let pool = self.pool();
        // Not through `run`, which has a timeout: this takes longer the larger the tables are.
        for &statement in statements {
            let done = sqlx::query(statement).execute(&pool);
            done.instrument(span("scrub")).await?;
        }
        Ok(())
    }

    /// Removes a repository and all answers from it. Returns whether the repository was there.
    ///
    /// # Errors
    /// When the database fails; nothing is removed then.
    pub async fn delete_with_answers(&self, repo: &str) -> Result<bool, StoreError> {
        self.run("delete_with_answers", async |pool| {
            let mut transaction = pool.begin().await?;
            let removed = sqlx::query("delete from repositories where name = $1")
                .bind(repo)
                .execute(&mut *transaction)
                .await?;
            sqlx::query("delete from answers where repo = $1")
                .bind(repo)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(removed.rows_affected() == 1)
        })
        .await
    }

    /// Removes a repository, but not its answers. Returns whether it was there.
    pub async fn delete(&self, name: &str) -> Result<bool, StoreError> {
        let statement = sqlx::query("delete from repositories where name = $1").bind(name);
        Ok(self.execute("delete", statement).await? == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{locations, repository};
    use super::*;

    #[tokio::test]
    async fn rows_survive_closing() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let row = RepositoryRow {
                name: "a".to_owned(),
                kind: RepositoryKind::Git,
                location: "/srv/a.git".to_owned(),
                reference: Some("main".to_owned()),
                watch: false,
                poll_seconds: Some(60),
            };
            let tree = RepositoryRow {
                name: "b".to_owned(),
                kind: RepositoryKind::Path,
                location: "/srv/b".to_owned(),
                reference: None,
                watch: true,
                poll_seconds: None,
            };
            let store = Store::open_at(location.clone()).await?;
            assert!(store.insert(&row).await? && store.insert(&tree).await?);
            assert!(!store.insert(&row).await?, "the name is taken");
            store.close().await;
            assert!(store.ping().await.is_err(), "it is closed");

            let store = Store::open_at(location).await?;
            assert_eq!(store.repositories().await?, [row, tree]);
            assert!(store.delete("a").await? && store.delete("b").await?);
            assert!(!store.delete("a").await?);
            assert!(store.repositories().await?.is_empty());
            store.scrub().await?;
        }
        Ok(())
    }

    #[tokio::test]
    async fn changes_to_a_copy_leave_the_original() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(directory.path()).await?;
        let row = repository("a", "/srv/a");
        store.insert(&row).await?;
        let copy = Store::open_copy(directory.path()).await?;
        assert!(copy.is_copy() && copy.delete("a").await?);
        copy.close().await;
        assert_eq!(store.repositories().await?, [row]);
        Ok(())
    }
}
