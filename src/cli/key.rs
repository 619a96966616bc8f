//! `foveate key`: creates, lists and revokes API keys. It works on the database of a server, also while the
//! server runs, which applies the change within a second.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use serde_json::json;

use super::database::{self, DatabaseArgs};
use super::{NotFound, UsageError, print_json, stdout};
use crate::access::{Scope, TokenHash, check_name, random_token};
use crate::disk;
use crate::engine::RepoName;
use crate::store::{DatabaseLocation, KeyRow, NewKeyRow, Store, now_millis};

/// Create, list and revoke the API keys of a data directory, also while a server uses it.
#[derive(Debug, clap::Args)]
pub struct KeyArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Debug, clap::Subcommand)]
enum KeyCommand {
    /// Create a key and print its token, which is not shown again.
    Create(CreateArgs),
    /// List all keys, revoked and expired ones, too.
    List {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key: its token is no longer accepted.
    Revoke {
        /// The key's name.
        name: String,
    },
    /// Delete all keys, so that a server without a token file needs no token on a loopback address.
    Clear,
}

#[derive(Debug, clap::Args)]
struct CreateArgs {
    /// What the key permits. `read`: ask and look up; `admin`: also register, sync and remove repositories.
    #[arg(long, default_value = "read", value_parser = PossibleValuesParser::new(["read", "admin"]).try_map(scope), hide_possible_values = true)]
    scope: Scope,
    /// The repositories that the key can access, registered yet or not; others are hidden from it [default: all].
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = RepoName::new)]
    repo: Vec<RepoName>,
    /// How long the key is valid, such as 12h, 30d or 8w [default: until it is revoked].
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    expires: Option<u32>,
    /// The key's name, for logs and for revoking it [default: key-1, key-2, …].
    #[arg(long, value_parser = name)]
    name: Option<String>,
}

fn scope(text: String) -> Result<Scope, String> {
    Scope::named(&text).ok_or_else(|| "expected `read` or `admin`".to_owned())
}

fn name(text: &str) -> Result<String, String> {
    check_name(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

/// The longest validity of a key: 100 years.
const MAX_SECONDS: u32 = 100 * 365 * 86_400;

/// Parses a duration such as `30d` into seconds.
fn seconds(text: &str) -> Result<u32, String> {
    let units = [('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];
    let parsed = units.iter().find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(*unit)?.parse().ok()?;
        number.checked_mul(*seconds)
    });
    let seconds = parsed.filter(|seconds| (1..=MAX_SECONDS).contains(seconds));
    seconds.ok_or_else(|| {
        "expected a number and m, h, d or w, such as 30d, up to 100 years".to_owned()
    })
}

/// Runs one `key` command.
///
/// # Errors
/// When the data directory cannot be used, or the name is taken.
pub fn run(args: &KeyArgs) -> anyhow::Result<ExitCode> {
    let database = &args.database;
    match &args.command {
        KeyCommand::Create(create) => {
            let storage = database.settings()?.storage;
            let location = database::location(&storage)?;
            if matches!(location, DatabaseLocation::Sqlite(_)) {
                disk::restrict_umask();
                disk::create_directory(&storage.data_dir)?;
            }
            database::with_store_at(location, async |store| self::create(store, create).await)
        }
        KeyCommand::List { json } => database.with_store(async |store| list(store, *json).await),
        KeyCommand::Revoke { name } => database.with_store(async |store| revoke(store, name).await),
        KeyCommand::Clear => database.with_store(clear),
    }
}

async fn create(store: &Store, args: &CreateArgs) -> anyhow::Result<ExitCode> {
    let token = random_token()?;
    let mut number = store.keys().await?.len() + 1;
    let free = || format!("key-{number}");
    let names = args.repo.iter().map(RepoName::to_string);
    let mut row = NewKeyRow {
        name: args.name.clone().unwrap_or_else(free),
        hash: TokenHash::of(token.reveal()).bytes().to_vec(),
        scope: args.scope.name(),
        repositories: (!args.repo.is_empty()).then(|| names.collect()),
        expires_in: args.expires,
    };
    while !store.insert_key(&row).await? {
        if let Some(name) = &args.name {
            bail!(UsageError(format!(
                "a key named {name:?} already exists: choose another name, or revoke that one first"
            )));
        }
        number += 1;
        row.name = format!("key-{number}");
    }
    let repositories = reach(row.repositories.as_deref());
    // On standard error, so that standard output holds nothing but the token, for scripts.
    let _ = writeln!(
        std::io::stderr(),
        "key {}: {}, {repositories}; the token is not shown again",
        row.name,
        row.scope
    );
    writeln!(stdout(), "{}", token.reveal())?;
    Ok(ExitCode::SUCCESS)
}

async fn list(store: &Store, is_json: bool) -> anyhow::Result<ExitCode> {
    let keys = store.keys().await?;
    let mut out = stdout();
    if is_json {
        let keys: Vec<_> = keys.iter().map(as_json).collect();
        print_json(&mut out, &keys)?;
        return Ok(ExitCode::SUCCESS);
    }
    if keys.is_empty() {
        writeln!(out, "there is no key; create one with `foveate key create`")?;
    }
    for key in &keys {
        let repositories = reach(key.repositories.as_deref());
        let expires = key.expires_at.as_ref();
        let expires = expires.map(|(time, _)| format!(" expires {time}"));
        writeln!(
            out,
            "{:24} {:6} {:8} created {}{}  {repositories}",
            key.name,
            key.scope,
            state(key),
            key.created_at,
            expires.unwrap_or_default(),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn reach(repositories: Option<&[String]>) -> String {
    repositories.map_or_else(|| "all repositories".to_owned(), |names| names.join(", "))
}

fn as_json(key: &KeyRow) -> serde_json::Value {
    json!({
        "name": key.name,
        "scope": key.scope,
        "repos": key.repositories,
        "state": state(key),
        "created_at": key.created_at,
        "expires_at": key.expires_at.as_ref().map(|(time, _)| time),
        "revoked_at": key.revoked_at,
    })
}

/// Returns whether the key is valid, revoked or expired.
fn state(key: &KeyRow) -> &'static str {
    let now = now_millis() / 1000;
    match (&key.revoked_at, &key.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some((_, expires))) if *expires <= now => "expired",
        (None, _) => "valid",
    }
}

async fn revoke(store: &Store, name: &str) -> anyhow::Result<ExitCode> {
    if store.revoke_key(name).await? {
        writeln!(stdout(), "revoked {name}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let reason = format!(
        "no key named {name} exists, or it is already revoked; `foveate key list` shows all keys"
    );
    Err(NotFound(reason).into())
}

async fn clear(store: &Store) -> anyhow::Result<ExitCode> {
    let deleted = store.delete_keys().await?;
    writeln!(stdout(), "deleted {deleted} keys")?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        for (text, wanted) in [
            ("30m", 1800),
            ("12h", 43_200),
            ("30d", 2_592_000),
            ("2w", 1_209_600),
        ] {
            assert_eq!(seconds(text), Ok(wanted));
        }
        for bad in [
            "", "30", "d", "0d", "-1d", "1.5h", "30 d", "30y", "99999999999w", "7000w",
        ] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
