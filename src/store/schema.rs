//! Migrates the schema. A version number means the same schema in SQLite and PostgreSQL, so that rows can be moved
//! between them; PostgreSQL support came later and begins with the number that SQLite had then.

use std::cmp::Ordering;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyPool, SqlStr};

use super::{DatabaseLocation, StoreError};

/// A migration: its number, its name and its file.
macro_rules! migration {
    ($number:literal, $name:literal, $file:literal) => {
        (
            $number,
            $name,
            include_str!(concat!("../../migrations/", $file)),
        )
    };
}

/// The migrations, oldest first. The macros of sqlx are not used, because they make cargo build sqlx and SQLite twice.
const SQLITE: &[(i64, &str, &str)] = &[
    migration!(1, "repositories", "sqlite/0001_repositories.sql"),
    migration!(2, "poll", "sqlite/0002_poll.sql"),
    migration!(3, "keys", "sqlite/0003_keys.sql"),
    migration!(4, "jobs", "sqlite/0004_jobs.sql"),
    migration!(5, "feedback", "sqlite/0005_feedback.sql"),
    migration!(6, "leases", "sqlite/0006_leases.sql"),
];
const POSTGRES: &[(i64, &str, &str)] = &[migration!(6, "first", "postgres/0006_first.sql")];

/// Further attempts where another process may be migrating at the same time, and the time between attempts.
const RETRIES: u32 = 20;
const RETRY: Duration = Duration::from_millis(50);

fn migrator(location: &DatabaseLocation) -> Migrator {
    let migrations = match location {
        DatabaseLocation::Sqlite(_) => SQLITE,
        DatabaseLocation::Postgres(_) => POSTGRES,
    };
    let migrations = migrations.iter().map(|&(version, name, sql)| {
        let sql = SqlStr::from_static(sql);
        Migration::new(version, name.into(), MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(migrations.collect())
}

/// Brings the schema up to date. Of several concurrent processes one migrates and the others wait.
pub(super) async fn migrate(pool: &AnyPool, location: &DatabaseLocation) -> Result<(), StoreError> {
    let migrator = migrator(location);
    let mut retries = match location {
        // SQLite has no migration lock. A migration that another process ran first fails here, and counts as done at
        // the next attempt.
        DatabaseLocation::Sqlite(_) => RETRIES,
        DatabaseLocation::Postgres(_) => 0,
    };
    loop {
        match migrator.run(pool).await {
            Ok(()) => return Ok(()),
            Err(MigrateError::VersionMissing(found)) if found > latest() => {
                return Err(newer(location, found));
            }
            Err(MigrateError::ExecuteMigration(..)) if retries > 0 => retries -= 1,
            Err(error) => return Err(error.into()),
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Returns an error unless the schema has the version of this program.
pub(super) async fn check(pool: &AnyPool, location: &DatabaseLocation) -> Result<(), StoreError> {
    let found: Option<i64> = sqlx::query_scalar("select max(version) from _sqlx_migrations")
        .fetch_one(pool)
        .await?;
    let (found, known) = (found.unwrap_or_default(), latest());
    match found.cmp(&known) {
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err(newer(location, found)),
        Ordering::Less => Err(StoreError::Older {
            location: location.to_string(),
            found,
            known,
        }),
    }
}

/// Returns the version of the schema that this program creates and uses.
pub(super) fn latest() -> i64 {
    SQLITE.last().map_or(0, |(version, ..)| *version)
}

fn newer(location: &DatabaseLocation, found: i64) -> StoreError {
    StoreError::Newer {
        location: location.to_string(),
        found,
        known: latest(),
    }
}

#[cfg(test)]
mod tests {
    use sqlx::AssertSqlSafe;

    use super::super::connection::new_pool;
    use super::super::testing::locations;
    use super::super::{RepositoryKind, Store};
    use super::*;

    /// Checksums of released migrations: a database records the checksums of its migrations, and a program whose
    /// migrations differ cannot open it.
    const RELEASED: [(&str, &str); 7] = [
        ("sqlite/0001", "c805607bd2ae2332"),
        ("sqlite/0002", "172dc7ee9856b85e"),
        ("sqlite/0003", "5c962731d41397b9"),
        ("sqlite/0004", "1185bb97b054f1fe"),
        ("sqlite/0005", "23ad24fe78407085"),
        ("sqlite/0006", "58d1a351cf790601"),
        ("postgres/0006", "0641fb7e74d69b60"),
    ];

    /// Statements that fill a schema with rows, each with the first version that it works with.
    const ROWS: [(i64, &str); 6] = [
        (
            1,
            "insert into repositories (name, kind, location, reference, watch, created_at)
             values ('a', 'git', '/srv/a.git', 'main', 0, '2026-01-02T03:04:05Z')",
        ),
        (2, "update repositories set poll_seconds = 7"),
        (
            3,
            "insert into keys (name, hash, scope, repositories, created_at, expires_at)
             select 'ci', HASH, 'read', '[\"a\"]', '2026-01-02T03:04:05Z', '2100-01-02T03:04:05Z'",
        ),
        (
            4,
            "insert into jobs (subject, task, state, attempts, created_at, due_at)
             values ('s', '{}', 'pending', 2, 5, 5)",
        ),
        (
            5,
            "insert into answers (request_id, repo, commit_id, created_at, intent, confidence,
                 used_tokens, ranking)
             values ('r', 'a', 'c', 5, 'BUG_FIX', 0.5, 7, '{}')",
        ),
        (
            5,
            "insert into feedback (answer, source, origin, created_at, useful, changed, files,
                 files_in_context, functions, functions_in_context)
             select id, 'caller', 'ci', 6, '[]', '[]', 1, 1, 1, 1 from answers",
        ),
    ];

    fn names(migrations: &[(i64, &str, &str)], directory: &str) -> Vec<String> {
        let name = |(version, name, _): &(i64, &str, &str)| {
            format!("migrations/{directory}/{version:04}_{name}.sql")
        };
        migrations.iter().map(name).collect()
    }

    #[test]
    fn every_migration_is_run() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        for (migrations, directory) in [(SQLITE, "sqlite"), (POSTGRES, "postgres")] {
            let files = std::fs::read_dir(root.join("migrations").join(directory));
            let mut files: Vec<String> = files
                .expect("the migrations")
                .map(|file| file.expect("a file").file_name())
                .map(|name| format!("migrations/{directory}/{}", name.display()))
                .collect();
            files.sort();
            assert_eq!(files, names(migrations, directory));
        }
        let last = |migrations: &[(i64, &str, &str)]| migrations.last().map(|last| last.0);
        assert_eq!(last(SQLITE), last(POSTGRES), "a number means the same");
    }

    #[test]
    fn released_migrations_do_not_change() {
        let mut found = Vec::new();
        for (location, directory) in [
            (DatabaseLocation::Sqlite("x".into()), "sqlite"),
            (
                DatabaseLocation::parse("postgres://x").expect("a URL"),
                "postgres",
            ),
        ] {
            for migration in migrator(&location).iter() {
                let checksum = hex::encode(&migration.checksum[..8]);
                found.push((format!("{directory}/{:04}", migration.version), checksum));
            }
        }
        let known = RELEASED.map(|(name, sum)| (name.to_owned(), sum.to_owned()));
        assert_eq!(found, known, "add a new migration instead");
    }

    #[tokio::test]
    async fn every_earlier_schema_is_brought_up_to_date() -> Result<(), StoreError> {
        for version in 1..=latest() {
            let (_directory, locations) = locations().await;
            for location in locations {
                let migrator = migrator(&location);
                if !migrator.version_exists(version) {
                    continue;
                }
                let earlier = new_pool(&location)?;
                migrator.run_to(version, &earlier).await?;
                let hash = match location {
                    DatabaseLocation::Sqlite(_) => "randomblob(32)",
                    DatabaseLocation::Postgres(_) => "decode(repeat('00', 32), 'hex')",
                };
                for (since, statement) in ROWS {
                    if since <= version {
                        let statement = statement.replace("HASH", hash);
                        sqlx::query(AssertSqlSafe(statement))
                            .execute(&earlier)
                            .await?;
                    }
                }
                earlier.close().await;

                let refused = Store::open_unchanged(location.clone()).await;
                assert_eq!(refused.is_err(), version < latest(), "{version}");
                let store = Store::open_at(location.clone()).await?;
                let repository = store.repositories().await?.remove(0);
                assert_eq!(
                    (repository.kind, repository.poll_seconds),
                    (RepositoryKind::Git, (version >= 2).then_some(7))
                );
                let keys = store.keys().await?;
                assert_eq!(keys.len(), usize::from(version >= 3), "{version}");
                if let Some(key) = keys.first() {
                    let expires = key.expires_at.as_ref().map(|(_, seconds)| *seconds);
                    assert_eq!(expires, Some(4_102_542_245));
                }
                let answers = store.answers(0, None, 9).await?;
                let feedback = store.feedback(0, 9).await?;
                let wanted = usize::from(version >= 5);
                assert_eq!((answers.len(), feedback.len()), (wanted, wanted));
                let job = store.take_job(9, 10).await?;
                let seen = job.map(|job| (job.attempts, job.thread));
                let thread = if version < 6 { "s" } else { "" };
                let wanted = (version >= 4).then(|| (3, thread.to_owned()));
                assert_eq!(seen, wanted, "{version}");
            }
        }
        Ok(())
    }

    #[tokio::test]
    async fn newer_schema_is_refused() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            Store::open_at(location.clone()).await?.close().await;
            let later = new_pool(&location)?;
            sqlx::query(
                "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 select 99, 'later', success, checksum, 0 from _sqlx_migrations where version = 6",
            )
            .execute(&later)
            .await?;
            let error = Store::open_at(location.clone())
                .await
                .expect_err("it is newer");
            let error = error.to_string();
            assert!(
                error.contains("a later version of this program") && error.contains("is 99"),
                "{error}"
            );
            assert!(Store::open_unchanged(location).await.is_err());
        }
        Ok(())
    }

    #[tokio::test]
    async fn concurrent_starts_migrate_once() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let mut starts = tokio::task::JoinSet::new();
            for _ in 0..5 {
                starts.spawn(Store::open_at(location.clone()));
            }
            while let Some(started) = starts.join_next().await {
                assert!(started.expect("it ends")?.keys().await?.is_empty());
            }
        }
        Ok(())
    }
}
