//! `foveate parse-worker`: the process that parses files. The program starts it itself.

use std::process::ExitCode;
use std::time::Duration;

use foveate_parse::Limits;

use crate::engine::parse_worker;

/// Parse the files that another process of this program sends on standard input
#[derive(Clone, Debug, clap::Args)]
pub struct ParseWorkerArgs {
    /// See `index.max_file_bytes`.
    #[arg(long)]
    max_bytes: u64,
    /// See `index.max_parse_steps`.
    #[arg(long)]
    max_steps: u64,
    /// See `index.parse_timeout_ms`.
    #[arg(long)]
    timeout_ms: u64,
    /// See `index.max_depth`.
    #[arg(long)]
    max_depth: u32,
}

impl From<&ParseWorkerArgs> for Limits {
    fn from(args: &ParseWorkerArgs) -> Self {
        Self {
            max_bytes: args.max_bytes,
            max_steps: args.max_steps,
            timeout: Duration::from_millis(args.timeout_ms),
            max_depth: args.max_depth,
        }
    }
}

/// Runs the worker.
///
/// # Errors
/// When its memory cannot be limited, or the process that started it has ended.
pub fn run(args: &ParseWorkerArgs) -> anyhow::Result<ExitCode> {
    parse_worker::serve(&args.into())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Arguments, Command, Local};

    #[test]
    fn limits_round_trip_through_worker_arguments() {
        let limits = Limits {
            max_bytes: 1,
            max_steps: 2,
            timeout: Duration::from_millis(3),
            max_depth: 4,
        };
        let arguments = ["foveate".to_owned()].into_iter();
        let parsed = Arguments::parse_from(arguments.chain(parse_worker::arguments(&limits)));
        let Command::Local(Local::ParseWorker(args)) = parsed.command else {
            panic!("another command");
        };
        assert_eq!(Limits::from(&args), limits);
    }
}
