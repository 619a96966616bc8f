//! The news that a table was changed: by this process, by another server, by the command line. SQLite is
//! looked at every [`LOOK`]; PostgreSQL tells (`LISTEN`), and is looked at every [`FALLBACK`] in case that a
//! message was lost.

use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{ConnectOptions as _, SqliteConnection};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::place::PostgresUrl;
use super::{PATIENCE, PING, Place, Store, StoreError};

/// Time between two looks at a file.
const LOOK: Duration = Duration::from_millis(500);
/// Time between two looks at a server that tells of changes by itself.
const FALLBACK: Duration = Duration::from_secs(10);
/// Time after which a database that failed is looked at again.
const RETRY: Duration = Duration::from_secs(1);
/// The name under which the schema tells of changes.
const CHANNEL: &str = "foveate";

/// Numbers that grow when a table may have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// That of the API keys.
    pub keys: u64,
    /// That of the repositories.
    pub repositories: u64,
    /// That of the jobs.
    pub jobs: u64,
}

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changed {
    Nothing,
    /// The keys.
    Keys,
    Repositories,
    Jobs,
    /// Perhaps everything.
    Anything,
}

impl Changed {
    fn table(name: &str) -> Self {
        match name {
            "keys" => Self::Keys,
            "repositories" => Self::Repositories,
            "jobs" => Self::Jobs,
            // A table that a later program has.
            _ => Self::Nothing,
        }
    }

    fn count(self, versions: &mut Versions) -> bool {
        let Versions {
            keys,
            repositories,
            jobs,
        } = versions;
        let counted: &mut [&mut u64] = match self {
            Self::Nothing => &mut [],
            Self::Keys => &mut [keys],
            Self::Repositories => &mut [repositories],
            Self::Jobs => &mut [jobs],
            Self::Anything => &mut [keys, repositories, jobs],
        };
        for version in counted.iter_mut() {
            **version += 1;
        }
        !counted.is_empty()
    }
}

/// Where the news come from.
enum Source {
    /// The number is that of a connection, and its own changes do not count: it makes none.
    Sqlite {
        connection: SqliteConnection,
        version: Option<i64>,
    },
    Postgres(PgListener),
}

impl Store {
    /// What changes when a table does, as far as [`Self::follow`] runs.
    pub fn subscribe(&self) -> watch::Receiver<Versions> {
        self.inner.versions.subscribe()
    }

    /// Follows what is changed until `stop` is cancelled, and tells who has subscribed. A database that
    /// cannot be reached is logged once, and again when it is back.
    pub async fn follow(self, stop: CancellationToken) {
        let mut source: Option<Source> = None;
        let mut is_lost = false;
        loop {
            let Some(looked) = stop.run_until_cancelled(self.look(&mut source)).await else {
                return;
            };
            self.inner.is_up.store(looked.is_ok(), Ordering::Relaxed);
            match looked {
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
                            "the database does not answer: questions are answered, nothing can be registered, \
                             and keys stay as they were read last"
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

    /// Waits for the next change, or until it is time to look.
    async fn look(&self, source: &mut Option<Source>) -> Result<Changed, StoreError> {
        let Some(open) = source else {
            // What was changed before was not told of.
            *source = Some(self.open_source().await?);
            return Ok(Changed::Anything);
        };
        match open {
            Source::Sqlite {
                connection,
                version,
            } => {
                tokio::time::sleep(LOOK).await;
                let now: i64 = sqlx::query_scalar("pragma data_version")
                    .fetch_one(connection)
                    .await?;
                Ok(match version.replace(now) == Some(now) {
                    true => Changed::Nothing,
                    false => Changed::Anything,
                })
            }
            Source::Postgres(listener) => {
                match tokio::time::timeout(FALLBACK, listener.try_recv()).await {
                    Ok(Ok(Some(told))) => Ok(Changed::table(told.payload())),
                    Ok(Ok(None)) => {
                        // The connection is gone, and what was told meanwhile with it.
                        *source = None;
                        Ok(Changed::Nothing)
                    }
                    Ok(Err(error)) => Err(error.into()),
                    Err(_) => self.ping().await.map(|()| Changed::Anything),
                }
            }
        }
    }

    async fn open_source(&self) -> Result<Source, StoreError> {
        match &self.inner.place {
            Place::Sqlite(file) => {
                let options = Place::sqlite_options(file).disable_statement_logging();
                Ok(Source::Sqlite {
                    connection: options.connect().await?,
                    version: None,
                })
            }
            Place::Postgres(url) => {
                let listen = tokio::time::timeout(PATIENCE, listen(url)).await;
                listen.map_err(|_| StoreError::Silent)?
            }
        }
    }
}

async fn listen(url: &PostgresUrl) -> Result<Source, StoreError> {
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(PING)
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
    use super::super::testing::places;
    use super::super::{NewKeyRow, RepositoryKind, RepositoryRow};
    use super::*;

    #[tokio::test]
    async fn what_another_process_writes_is_told() -> Result<(), StoreError> {
        let (_directory, places) = places().await;
        for place in places {
            let store = Store::open_at(place.clone()).await?;
            let stop = CancellationToken::new();
            let mut changes = store.subscribe();
            let following = tokio::spawn(store.clone().follow(stop.clone()));
            let anything = Versions {
                keys: 1,
                repositories: 1,
                jobs: 1,
            };
            let seen = changes.wait_for(|versions| *versions == anything).await;
            drop(seen.expect("it follows"));

            let other = Store::open_at(place).await?;
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
            let repository = RepositoryRow {
                name: "a".to_owned(),
                kind: RepositoryKind::Path,
                location: "/srv/a".to_owned(),
                reference: None,
                watch: false,
                poll_seconds: None,
            };
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
