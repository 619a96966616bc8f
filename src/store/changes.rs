//! Notifies of table changes made by this process, another server or the command line. SQLite is polled every
//! [`POLL_INTERVAL`]. PostgreSQL sends notifications (`LISTEN`), and everything counts as changed every
//! [`FALLBACK_INTERVAL`] without one, in case that a notification was lost.

use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, SqliteConnection};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::location::PostgresUrl;
use super::{DatabaseLocation, OPERATION_TIMEOUT, PING_TIMEOUT, Store, StoreError};

/// Time between two polls of SQLite.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Time without a notification of PostgreSQL after which it is pinged and all tables count as changed.
const FALLBACK_INTERVAL: Duration = Duration::from_secs(10);
/// Time between two attempts while the database fails.
const RETRY: Duration = Duration::from_secs(1);
/// The notification channel that the triggers of the schema use.
const CHANNEL: &str = "foveate";

/// Version counters of tables; each grows when its table may have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableVersions {
    /// Version of the API keys.
    pub keys: u64,
    /// Version of the repositories.
    pub repositories: u64,
    /// Version of the jobs.
    pub jobs: u64,
}

/// What changed.
enum Change {
    Nothing,
    /// The table of this name, perhaps one of a later version of the program.
    Table(String),
    /// Possibly all tables.
    Anything,
}

impl Change {
    /// Counts the changed tables. Returns whether there is one.
    fn count(&self, versions: &mut TableVersions) -> bool {
        let before = *versions;
        for (table, version) in [
            ("keys", &mut versions.keys),
            ("repositories", &mut versions.repositories),
            ("jobs", &mut versions.jobs),
        ] {
            *version += match self {
                Self::Nothing => 0,
                Self::Table(name) => u64::from(name == table),
                Self::Anything => 1,
            };
        }
        *versions != before
    }
}

/// The source of notifications.
enum Source {
    /// `version` is SQLite's `data_version`, which does not count changes by the same connection; this one makes none.
    Sqlite {
        connection: SqliteConnection,
        version: Option<i64>,
    },
    Postgres(PgListener),
}

impl Store {
    /// Returns a receiver of table versions, which change only while [`Self::follow`] runs.
    pub fn subscribe(&self) -> watch::Receiver<TableVersions> {
        self.inner.versions.subscribe()
    }

    /// Watches the database for changes until `stop` is cancelled, and notifies subscribers. Logs once when the
    /// database cannot be reached, and once when it is back.
    pub async fn follow(self, stop: CancellationToken) {
        let mut source: Option<Source> = None;
        let mut is_lost = false;
        loop {
            let Some(change) = stop.run_until_cancelled(self.next_event(&mut source)).await else {
                return;
            };
            self.inner.is_up.store(change.is_ok(), Ordering::Relaxed);
            match change {
                Ok(changed) => {
                    if std::mem::replace(&mut is_lost, false) {
                        tracing::info!("the database answers again");
                    }
                    self.inner
                        .versions
                        .send_if_modified(|versions| changed.count(versions));
                }
                Err(error) => {
                    source = None;
                    if !std::mem::replace(&mut is_lost, true) {
                        tracing::error!(
                            %error,
                            "the database does not answer: questions are still answered, but nothing can be \
                             registered, and the keys read last stay in force"
                        );
                    }
                    let pause = tokio::time::sleep(RETRY);
                    if stop.run_until_cancelled(pause).await.is_none() {
                        return;
                    }
                }
            }
        }
    }

    /// Waits for the next notification, poll or fallback, and returns the change.
    async fn next_event(&self, source: &mut Option<Source>) -> Result<Change, StoreError> {
        self.check_file()?;
        let Some(open) = source else {
            // Changes before the source was opened were missed.
            *source = Some(self.open_source().await?);
            return Ok(Change::Anything);
        };
        match open {
            Source::Sqlite {
                connection,
                version,
            } => {
                tokio::time::sleep(POLL_INTERVAL).await;
                let now: i64 = sqlx::query_scalar("pragma data_version")
                    .fetch_one(connection)
                    .await?;
                Ok(match version.replace(now) == Some(now) {
                    true => Change::Nothing,
                    false => Change::Anything,
                })
            }
            Source::Postgres(listener) => {
                match tokio::time::timeout(FALLBACK_INTERVAL, listener.try_recv()).await {
                    Ok(Ok(Some(notification))) => Ok(Change::Table(notification.payload().into())),
                    Ok(Ok(None)) => {
                        // The connection is gone, and notifications are lost with it.
                        *source = None;
                        Ok(Change::Nothing)
                    }
                    Ok(Err(error)) => Err(error.into()),
                    Err(_) => self.ping().await.map(|()| Change::Anything),
                }
            }
        }
    }

    async fn open_source(&self) -> Result<Source, StoreError> {
        match &self.inner.location {
            DatabaseLocation::Sqlite(file) => {
                let options = SqliteConnectOptions::new().filename(file);
                Ok(Source::Sqlite {
                    connection: options.disable_statement_logging().connect().await?,
                    version: None,
                })
            }
            DatabaseLocation::Postgres(url) => {
                let listen = tokio::time::timeout(OPERATION_TIMEOUT, listen(url)).await;
                listen.map_err(|_| StoreError::Silent)?
            }
        }
    }
}

async fn listen(url: &PostgresUrl) -> Result<Source, StoreError> {
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(PING_TIMEOUT)
        .max_lifetime(None)
        .idle_timeout(None)
        .connect_lazy_with(url.options()?);
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    Ok(Source::Postgres(listener))
}

#[cfg(test)]
mod tests {
    use super::super::NewKeyRow;
    use super::super::testing::{locations, repository};
    use super::*;

    #[tokio::test]
    async fn changes_by_another_process_are_notified() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location.clone()).await?;
            let stop = CancellationToken::new();
            let mut changes = store.subscribe();
            let following = tokio::spawn(store.clone().follow(stop.clone()));
            let anything = TableVersions {
                keys: 1,
                repositories: 1,
                jobs: 1,
            };
            let seen = changes.wait_for(|versions| *versions == anything).await;
            drop(seen.expect("it follows"));

            let other = Store::open_at(location).await?;
            let key = NewKeyRow {
                name: "ci".to_owned(),
                hash: [1; 32].to_vec(),
                scope: "read",
                repositories: None,
                expires_in: None,
            };
            other.insert_key(&key).await?;
            let seen = changes.wait_for(|versions| versions.keys > 1).await;
            drop(seen.expect("it follows"));
            let before = changes.borrow_and_update().repositories;
            let repository = repository("a", "/srv/a");
            other.insert(&repository).await?;
            let seen = changes
                .wait_for(|versions| versions.repositories > before)
                .await;
            drop(seen.expect("it follows"));
            stop.cancel();
            following.await.expect("it ends");
        }
        Ok(())
    }
}
