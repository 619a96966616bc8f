//! `foveate backup`: writes the data that cannot be rebuilt, the database and the credentials of repositories, to
//! a new directory, while the server runs. A server can be started on that directory.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use super::database::{self, DatabaseArgs};
use super::{UsageError, block_on, stdout};
use crate::disk;
use crate::ingest::CREDENTIALS;
use crate::store::{self, DatabaseLocation, Store};

/// Back up the database and the credentials of a server, also while the server runs.
///
/// DIR is created by this command. A server can be started on it with `--data-dir DIR`. A PostgreSQL database is
/// written as an SQLite database; `foveate database move` copies it back. Indexes and clones are not included:
/// they are rebuilt.
#[derive(Debug, clap::Args)]
pub struct BackupArgs {
    /// The directory to write. It must not exist yet, or be empty.
    dir: PathBuf,
    #[command(flatten)]
    database: DatabaseArgs,
    /// Leave out the secrets of URLs that repositories were registered with.
    #[arg(long)]
    without_credentials: bool,
}

/// Runs the command.
///
/// # Errors
/// When there is no database, or the directory cannot be written; nothing of it is left then.
pub fn run(args: &BackupArgs) -> anyhow::Result<ExitCode> {
    let storage = args.database.settings()?.storage;
    let location = database::existing(&storage)?;
    refuse_existing_directory(&args.dir)?;
    disk::restrict_umask();
    let parent = match args.dir.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // Written beside the target and renamed, so that a partial backup never has the target's name.
    let unfinished = tempfile::Builder::new()
        .prefix(".foveate-backup-")
        .tempdir_in(parent)
        .with_context(|| format!("cannot write to {}", parent.display()))?;
    let rows = copy_database(location, unfinished.path())?;
    let secrets = match args.without_credentials {
        true => 0,
        false => copy_files(
            &storage.data_dir.join(CREDENTIALS),
            &unfinished.path().join(CREDENTIALS),
        )?,
    };
    File::open(unfinished.path())?.sync_all()?;
    let written = unfinished.keep();
    if let Err(error) = fs::rename(&written, &args.dir) {
        let _ = fs::remove_dir_all(&written);
        return Err(error).with_context(|| format!("cannot write {}", args.dir.display()));
    }
    File::open(parent)?.sync_all()?;
    let mut out = stdout();
    for (table, rows) in rows {
        writeln!(out, "{table}: {rows} rows")?;
    }
    writeln!(out, "credentials: {secrets} files")?;
    Ok(ExitCode::SUCCESS)
}

fn refuse_existing_directory(dir: &Path) -> Result<(), UsageError> {
    let is_empty = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    match is_empty {
        true => Ok(()),
        false => Err(UsageError(format!(
            "{} already exists: choose a new or empty directory",
            dir.display()
        ))),
    }
}

/// Writes the database to a directory. Returns the number of rows of each table.
fn copy_database(from: DatabaseLocation, to: &Path) -> anyhow::Result<Vec<(&'static str, u64)>> {
    let rows = block_on(async {
        let file = to.join(store::FILE);
        let from = match from {
            DatabaseLocation::Sqlite(database) => {
                store::copy_file(&database, &file).await?;
                None
            }
            location @ DatabaseLocation::Postgres(_) => {
                Some(Store::open_unchanged(location).await?)
            }
        };
        // Opening and counting the copy proves that it is readable. Its schema is brought up to date.
        let copy = Store::open(to).await?;
        let rows = match &from {
            None => copy.count_rows().await?,
            Some(from) => from.copy_to(&copy).await?,
        };
        copy.close().await;
        if let Some(from) = from {
            from.close().await;
        }
        anyhow::Ok(rows)
    })??;
    File::open(to.join(store::FILE))?.sync_all()?;
    Ok(rows)
}

/// Copies the files of a directory if it exists. Returns their number.
fn copy_files(from: &Path, to: &Path) -> anyhow::Result<usize> {
    let entries = match fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries.with_context(|| format!("cannot read {}", from.display()))?,
    };
    disk::create_directory(to)?;
    let mut copied = 0;
    for entry in entries {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match fs::copy(&from, &to) {
            Ok(_) => copied += 1,
            // Its repository was removed in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot copy {}", from.display()));
            }
        }
        File::open(&to)?.sync_all()?;
    }
    File::open(to)?.sync_all()?;
    Ok(copied)
}
