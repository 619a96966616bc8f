//! The composition root.

use std::process::ExitCode;

use crate::cli::{self, Command};

/// Runs the program.
pub fn main() -> ExitCode {
    let result = match cli::parse() {
        Command::Local(command) => cli::run(command),
        Command::Serve(_) | Command::Openapi => Ok(ExitCode::FAILURE),
    };
    match result {
        Ok(code) => code,
        Err(error) => cli::report(&error),
    }
}
