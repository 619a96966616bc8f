//! Opens the database of a server, for commands that work on it whether the server runs or not.

use std::path::{Path, PathBuf};

use super::{UsageError, block_on};
use crate::config::{Config, Overrides, StorageConfig};
use crate::store::{DatabaseLocation, Store};

/// Returns the location of the database of a server with these settings.
///
/// # Errors
/// When `storage.database_url` is invalid.
pub fn location(storage: &StorageConfig) -> Result<DatabaseLocation, UsageError> {
    let refuse = |reason: String| UsageError(format!("storage.database_url: {reason}"));
    if storage.database_url.is_empty() {
        return Ok(DatabaseLocation::in_directory(&storage.data_dir));
    }
    let url = storage.database_url.read();
    let url = url.map_err(|error| refuse(error.to_string()))?;
    match DatabaseLocation::parse(url.reveal()) {
        Ok(location @ DatabaseLocation::Postgres(_)) => Ok(location),
        Ok(DatabaseLocation::Sqlite(_)) => Err(refuse(
            "an SQLite database is always in storage.data_dir: leave this setting empty".to_owned(),
        )),
        Err(error) => Err(refuse(error.to_string())),
    }
}

/// The arguments that locate a server's settings.
#[derive(Debug, clap::Args)]
pub struct DatabaseArgs {
    /// The server's data directory [default: as for `foveate serve`].
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// The server's TOML file with settings.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl DatabaseArgs {
    /// The server's settings.
    pub fn settings(&self) -> Result<Config, UsageError> {
        let overrides = Overrides {
            data_dir: self.data_dir.clone(),
            ..Overrides::default()
        };
        let config = Config::load(self.config.as_deref(), &overrides);
        config.map_err(|error| UsageError(error.to_string()))
    }

    /// Returns the file with the ranking numbers: the given one, else the server's, if any.
    ///
    /// # Errors
    /// When the settings cannot be used.
    pub fn ranking_file(&self, given: Option<&Path>) -> Result<Option<PathBuf>, UsageError> {
        let file = match given {
            Some(given) => given.to_owned(),
            None => self.settings()?.ranking.file,
        };
        Ok(Some(file).filter(|file| !file.as_os_str().is_empty()))
    }

    /// Runs `work` on the database and returns its result.
    ///
    /// # Errors
    /// When there is no database, or it fails, or `work` does.
    pub fn with_store<T>(
        &self,
        work: impl AsyncFnOnce(&Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        with_store_at(existing(&self.settings()?.storage)?, work)
    }
}

/// Returns the location of a server's database.
///
/// # Errors
/// When it cannot be used, or the data directory has no database.
pub fn existing(storage: &StorageConfig) -> Result<DatabaseLocation, UsageError> {
    let location = location(storage)?;
    match &location {
        DatabaseLocation::Sqlite(file) if !file.is_file() => {
            let data_dir = storage.data_dir.display();
            Err(UsageError(format!(
                "{data_dir} is not the data directory of a server: set it with --data-dir"
            )))
        }
        _ => Ok(location),
    }
}

/// Runs `work` on the database at a location and returns its result.
///
/// # Errors
/// When the database fails, or `work` does.
pub fn with_store_at<T>(
    location: DatabaseLocation,
    work: impl AsyncFnOnce(&Store) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    block_on(async {
        let store = Store::open_at(location).await?;
        let done = work(&store).await;
        store.close().await;
        done
    })?
}
