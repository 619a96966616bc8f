//! The command line: raw arguments to validated ones, and which room does the work. Exit codes: 0
//! done, 1 a command's own "no" (documented there), 2 arguments that cannot be used.

use std::process::ExitCode;

use clap::Parser as _;

mod eval;

/// Answers which code a reader must see for an issue, from a warm index of a repository.
#[derive(Debug, clap::Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Eval(eval::EvalArgs),
}

/// Reads the program's arguments and runs the command.
///
/// # Errors
/// Those of the command.
pub fn run() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Eval(args) => eval::run(&args),
    }
}
