//! The database of a server, for commands that work on it whether a server uses it or not.

use std::path::{Path, PathBuf};

use super::UsageError;
use crate::config::{Config, Overrides, StorageConfig};
use crate::store::{Place, Store};

/// The database of the server with these settings.
///
/// # Errors
/// When they name none.
pub fn place(storage: &StorageConfig) -> Result<Place, UsageError> {
    let refuse = |reason: String| UsageError(format!("storage.database_url: {reason}"));
    if storage.database_url.is_empty() {
        return Ok(Place::in_directory(&storage.data_dir));
    }
    let url = storage.database_url.read();
    let url = url.map_err(|error| refuse(error.to_string()))?;
    match Place::parse(url.reveal()) {
        Ok(place @ Place::Postgres(_)) => Ok(place),
        Ok(Place::Sqlite(_)) => Err(refuse(
            "SQLite is used in storage.data_dir alone: leave it empty".to_owned(),
        )),
        Err(error) => Err(refuse(error.to_string())),
    }
}

/// The arguments that name a server's settings.
#[derive(Debug, clap::Args)]
pub struct DatabaseArgs {
    /// The server's data directory [default: as `foveate serve`].
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// The server's configuration, which may name the data directory.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl DatabaseArgs {
    /// The server's settings.
    ///
    /// # Errors
    /// When they cannot be used.
    pub fn settings(&self) -> Result<Config, UsageError> {
        let overrides = Overrides {
            data_dir: self.data_dir.clone(),
            ..Overrides::default()
        };
        let config = Config::load(self.config.as_deref(), &overrides);
        config.map_err(|error| UsageError(error.to_string()))
    }

    /// The file of numbers to rank with: the given one, or else that of the server, where it has one.
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

    /// Does something with the database, and gives what came out.
    ///
    /// # Errors
    /// When there is no database, or it fails.
    pub fn with_store<T>(
        &self,
        work: impl AsyncFnOnce(&Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let storage = self.settings()?.storage;
        let place = place(&storage)?;
        if let Place::Sqlite(file) = &place
            && !file.exists()
        {
            let shown = storage.data_dir.display();
            return Err(UsageError(format!(
                "{shown} is no data directory of a server: name it with --data-dir"
            ))
            .into());
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let store = Store::open_at(place).await?;
            let done = work(&store).await;
            store.close().await;
            done
        })
    }
}
