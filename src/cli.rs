//! The command line: validates raw arguments and calls the component that does the work. Commands that run the service
//! itself are passed to the layer above. Output for people and machines goes to standard output, everything else to
//! standard error.

mod backup;
mod cache;
mod cases;
mod client;
mod config;
mod context;
pub mod database;
mod database_move;
pub mod doctor;
mod eval;
mod feedback;
mod feedback_cases;
mod jobs;
mod key;
mod mcp;
mod parse_worker;
pub mod progress;
mod repo;
mod serve;
mod shell;
mod stdout;
mod train;
mod version;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};
use foveate_model::escape::{self, escape_lines};
use foveate_query::RankingConfig;

pub use cache::RunCache;
pub use config::print_mistakes;
pub use mcp::McpArgs;
pub use serve::ServeArgs;
pub use stdout::stdout;

/// The exit code of a command whose arguments cannot be used.
pub const USAGE: u8 = 2;
/// The exit code of a command that found nothing to show, or not what it names, or had nothing to ask.
pub const NOTHING_FOUND: u8 = 3;
/// The exit code of a command that could not reach its server.
pub const UNREACHABLE: u8 = 4;

const EXIT_CODES: &str = "Exit codes:
  0  done
  1  failed; standard error says why
  2  the arguments or the configuration cannot be used
  3  nothing was found, or what is named does not exist, or there is nothing to ask (for example, no test failed)
  4  the server cannot be reached";

/// Answers which code a reader must see for an issue, from an index of its repository.
#[derive(Debug, clap::Parser)]
#[command(name = "foveate", version, long_version = version::long(), after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// All commands of the program.
#[derive(Debug, clap::Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command have its help")]
pub enum Command {
    /// Serve answers over HTTP and keep the repositories' indexes current.
    Serve(ServeArgs),
    Mcp(Box<McpArgs>),
    Doctor(doctor::DoctorArgs),
    /// Print the OpenAPI document of the HTTP interface.
    Openapi,
    /// Commands that run without the service.
    #[command(flatten)]
    Local(Local),
}

/// Commands that this module runs itself.
#[derive(Debug, clap::Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command have its help")]
pub enum Local {
    Context(Box<context::ContextArgs>),
    Cache(cache::CacheCommandArgs),
    Repo(repo::RepoArgs),
    Jobs(jobs::JobsArgs),
    Feedback(feedback::FeedbackArgs),
    Key(key::KeyArgs),
    Backup(backup::BackupArgs),
    Database(database_move::TransferArgs),
    Eval(Box<eval::EvalArgs>),
    Train(Box<train::TrainArgs>),
    Config(config::ConfigArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
    #[command(hide = true)]
    Health(repo::HealthArgs),
    #[command(hide = true)]
    ParseWorker(parse_worker::ParseWorkerArgs),
}

/// Arguments or settings that cannot be used; the text says what to change.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// The input contains no question: no test failed, a branch was deleted.
#[derive(Debug, thiserror::Error)]
#[error("nothing to ask: {0}")]
pub struct NothingToAsk(pub String);

/// What a command names does not exist.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotFound(pub String);

/// Parses the program's arguments. Prints help or the error and exits where they ask for help or are invalid.
pub fn parse() -> Command {
    let raw: Vec<OsString> = std::env::args_os().collect();
    let parsed = parse_from(&raw).or_else(|error| {
        let is_unknown = error.kind() == ErrorKind::UnknownArgument;
        let text_last = context::with_text_last(&raw).filter(|_| is_unknown);
        text_last.map_or(Err(error), |arguments| parse_from(&arguments))
    });
    let parsed = parsed.map_err(|error| context::with_quoting_tip(&raw, error));
    parsed.unwrap_or_else(|error| error.exit()).command
}

fn parse_from(arguments: &[OsString]) -> Result<Arguments, clap::Error> {
    let command = ignoring_empty_variables(Arguments::command());
    let mut matches = command.try_get_matches_from(arguments)?;
    let parsed = Arguments::from_arg_matches_mut(&mut matches);
    parsed.map_err(|error| error.format(&mut Arguments::command()))
}

/// Makes empty environment variables count as unset: CI systems set those that have no value.
fn ignoring_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    let command = command.mut_args(|argument| {
        if argument.get_env().is_some_and(is_empty) {
            argument.env(None::<&str>)
        } else {
            argument
        }
    });
    command.mut_subcommands(ignoring_empty_variables)
}

/// Runs a command.
pub fn run(command: Local) -> anyhow::Result<ExitCode> {
    match command {
        Local::Context(args) => context::run(*args),
        Local::Cache(args) => cache::run(&args),
        Local::Repo(args) => repo::run(&args),
        Local::Jobs(args) => jobs::run(&args),
        Local::Feedback(args) => feedback::run(&args),
        Local::Key(args) => key::run(&args),
        Local::Backup(args) => backup::run(&args),
        Local::Database(args) => database_move::run(&args),
        Local::Eval(args) => eval::run(&args),
        Local::Train(args) => train::run(&args),
        Local::Config(args) => config::run(&args),
        Local::Completions(args) => shell::completions(&args),
        Local::Man(args) => shell::man(&args),
        Local::Health(args) => repo::health(&args),
        Local::ParseWorker(args) => parse_worker::run(&args),
    }
}

/// Prints an error on standard error and returns its exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    use io::Write as _;
    if stdout::is_closed(error) {
        // No failure: its reader has seen enough.
        return ExitCode::SUCCESS;
    }
    // A failure to write to standard error cannot be reported anywhere.
    let text = escape_lines(&with_causes(error));
    let _ = writeln!(io::stderr(), "error: {text}");
    if error.is::<UsageError>() {
        ExitCode::from(USAGE)
    } else if error.is::<client::ServerUnreachable>() {
        ExitCode::from(UNREACHABLE)
    } else if error.is::<NothingToAsk>() || error.is::<NotFound>() {
        ExitCode::from(NOTHING_FOUND)
    } else {
        ExitCode::FAILURE
    }
}

/// Returns the text of an error and its causes, without those that the text before them already has.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// Runs a future to its end on this thread.
fn block_on<T>(future: impl Future<Output = T>) -> io::Result<T> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    Ok(runtime.enable_all().build()?.block_on(future))
}

/// Prints a value as JSON over several lines, escaped because people read it, too: see [`escape::json`].
fn print_json(out: &mut impl io::Write, value: &impl serde::Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    writeln!(out, "{}", escape::json(&text))?;
    Ok(())
}

/// Reads the ranking numbers of a file; without a file, returns the built-in ones.
///
/// # Errors
/// When the file cannot be read or used.
pub fn ranking(file: Option<&Path>) -> Result<RankingConfig, UsageError> {
    let Some(path) = file.filter(|path| !path.as_os_str().is_empty()) else {
        return Ok(RankingConfig::default());
    };
    let refuse = |error: String| {
        UsageError(format!(
            "cannot use the ranking file {}: {error}",
            path.display()
        ))
    };
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    RankingConfig::parse(&text).map_err(|error| refuse(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_place_of_a_number_is_explained() {
        for arguments in [
            &["context", ".", "x", "--budget", "8k"][..],
            &["context", ".", "x", "--limit=-1"],
            &["context", ".", "x", "--max-files=2.5"],
            &["context", ".", "x", "--max-chars", "all"],
            &["context", ".", "x", "--cache-max-bytes", "5GB"],
            &["eval", "a.jsonl", "--repos", "x", "--jobs", "two"],
            &["feedback", "delete", "--older-than", "week"],
            &["repo", "add", "x", "--poll", "5m"],
            &["jobs", "retry", "last"],
        ] {
            let arguments = [&["foveate"], arguments].concat();
            let refused = Arguments::command().try_get_matches_from(&arguments);
            let error = refused.unwrap_err().to_string();
            assert!(
                error.contains("expected a whole number"),
                "{arguments:?}: {error}"
            );
        }
    }

    #[test]
    fn each_cause_of_an_error_is_told_once() {
        let error = anyhow::Error::new(io::Error::other("disk full"));
        let error = error.context("the database failed: disk full");
        let error = error.context("cannot write the backup");
        assert_eq!(
            with_causes(&error),
            "cannot write the backup: the database failed: disk full"
        );
    }
}
