//! `foveate database move`: copies all rows of one database to another, such as from SQLite to PostgreSQL.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use super::{UsageError, block_on, stdout};
use crate::config::DatabaseUrl;
use crate::disk::{self, LockHolder};
use crate::store::{DatabaseLocation, Store, StoreError};

/// Copy all rows of one database to another.
#[derive(Debug, clap::Args)]
pub struct TransferArgs {
    #[command(subcommand)]
    command: TransferCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TransferCommand {
    /// Copy all rows to an empty database, all or none; stop the server first.
    ///
    /// A database is given as `sqlite:FILE` (the file foveate.db in the server's data directory) or
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; `env:NAME` and `file:/path` read such a URL from an
    /// environment variable or a file, so that other users of the machine do not see the password. The first
    /// database keeps its rows; its schema is brought up to date.
    Move {
        /// The database to read.
        #[arg(long, value_name = "URL")]
        from: String,
        /// The database to write: an empty one, or a file that does not exist yet.
        #[arg(long, value_name = "URL")]
        to: String,
    },
}

/// Runs the command.
///
/// # Errors
/// When a database cannot be used, or the target has rows.
pub fn run(args: &TransferArgs) -> anyhow::Result<ExitCode> {
    let TransferCommand::Move { from, to } = &args.command;
    let (from, to) = (location("--from", from)?, location("--to", to)?);
    if from == to {
        bail!(UsageError("--from and --to are the same".to_owned()));
    }
    refuse_running_server(&from)?;
    refuse_running_server(&to)?;
    if let DatabaseLocation::Sqlite(file) = &from
        && !file.is_file()
    {
        let file = file.display();
        bail!(UsageError(format!("--from: there is no file {file}")));
    }
    disk::restrict_umask();
    let copied = block_on(copy(from, to.clone()))??;
    let mut out = stdout();
    for (table, rows) in copied {
        writeln!(out, "{table}: {rows} rows")?;
    }
    writeln!(out, "moved to {to}")?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses the file of a running server, which would not notice the move.
fn refuse_running_server(location: &DatabaseLocation) -> Result<(), UsageError> {
    let DatabaseLocation::Sqlite(file) = location else {
        return Ok(());
    };
    let directory = file.parent().unwrap_or(Path::new("."));
    match disk::holder(directory) {
        LockHolder::Nobody => Ok(()),
        LockHolder::Process(_) => Err(UsageError(format!(
            "a server uses {}: stop it first",
            directory.display()
        ))),
    }
}

async fn copy(
    from: DatabaseLocation,
    to: DatabaseLocation,
) -> Result<Vec<(&'static str, u64)>, StoreError> {
    let from = Store::open_at(from).await?;
    let to = Store::open_at(to).await?;
    let copied = from.copy_to(&to).await;
    from.close().await;
    to.close().await;
    copied
}

fn location(argument: &str, text: &str) -> Result<DatabaseLocation, UsageError> {
    let refuse = |reason: String| UsageError(format!("{argument}: {reason}"));
    let text = DatabaseUrl::new(text).read();
    let text = text.map_err(|error| refuse(error.to_string()))?;
    DatabaseLocation::parse(text.reveal()).map_err(|error| refuse(error.to_string()))
}
