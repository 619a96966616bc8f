//! The database of a server's data directory, for commands that work on it whether a server uses it or not.

use std::path::{Path, PathBuf};

use super::UsageError;
use crate::config::{Config, Overrides};
use crate::store::{self, Store};

/// The arguments that name a data directory.
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
        let directory = self.settings()?.storage.data_dir;
        if !directory.join(store::FILE).exists() {
            let shown = directory.display();
            return Err(UsageError(format!(
                "{shown} is no data directory of a server: name it with --data-dir"
            ))
            .into());
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let store = Store::open(&directory).await?;
            let done = work(&store).await;
            store.close().await;
            done
        })
    }
}
