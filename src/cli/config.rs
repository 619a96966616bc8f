//! `foveate config`: checks settings, and shows those in effect.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use foveate_model::escape::{escape, escape_lines};
use serde_json::json;

use super::{USAGE, UsageError, database, print_json, stdout};
use crate::config::{Config, Overrides, Setting};

/// Check the settings, and show those in effect.
#[derive(Debug, clap::Args)]
pub struct ConfigArgs {
    /// A TOML file with settings, as for `foveate serve`.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
    /// List the errors in the file and the environment, with their lines.
    Check,
    /// Show every setting with its source; secrets are hidden.
    Show {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Runs one `config` command.
///
/// # Errors
/// When settings are to be shown and are invalid.
pub fn run(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        ConfigCommand::Check => check(args),
        ConfigCommand::Show { json } => show(args, json),
    }
}

fn check(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let mistakes = Config::mistakes(args.config.as_deref(), &Overrides::default());
    let mut mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    if mistakes.is_empty() {
        mistakes.extend(database_mistake(args));
    }
    if mistakes.is_empty() {
        writeln!(stdout(), "the settings are valid")?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(print_mistakes(&mistakes))
}

/// Prints the errors in the settings on standard error. Returns their exit code.
pub fn print_mistakes(mistakes: &[impl std::fmt::Display]) -> ExitCode {
    let mut err = std::io::stderr().lock();
    for mistake in mistakes {
        let _ = writeln!(err, "error: {}", escape_lines(&mistake.to_string()));
    }
    ExitCode::from(USAGE)
}

/// Returns what is wrong with the database's URL. One that is kept elsewhere (`env:`, `file:`) and cannot be read here
/// may be readable where the server runs, so it is no mistake.
fn database_mistake(args: &ConfigArgs) -> Option<String> {
    let config = Config::load(args.config.as_deref(), &Overrides::default()).ok()?;
    config.storage.database_url.read().ok()?;
    let mistake = database::location(&config.storage).err()?;
    Some(mistake.to_string())
}

fn show(args: &ConfigArgs, is_json: bool) -> anyhow::Result<ExitCode> {
    let mistakes = Config::mistakes(args.config.as_deref(), &Overrides::default());
    if !mistakes.is_empty() {
        return Ok(print_mistakes(&mistakes));
    }
    let settings = Config::effective(args.config.as_deref(), &Overrides::default());
    let settings = settings.map_err(|error| UsageError(error.to_string()))?;
    let mut out = stdout();
    if is_json {
        let settings: Vec<_> = settings.iter().map(as_json).collect();
        print_json(&mut out, &json!({"settings": settings}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = "";
    for setting in &settings {
        if table != setting.table {
            let gap = if table.is_empty() { "" } else { "\n" };
            writeln!(out, "{gap}[{}]", setting.table)?;
            table = &setting.table;
        }
        let value =
            toml::Value::try_from(&setting.value).context("a setting cannot be written as TOML")?;
        let line = format!("{} = {value}", setting.name);
        writeln!(out, "{:50} # {}", escape(&line), escape(&setting.source))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(setting: &Setting) -> serde_json::Value {
    json!({
        "key": format!("{}.{}", setting.table, setting.name),
        "value": setting.value,
        "source": setting.source,
    })
}
