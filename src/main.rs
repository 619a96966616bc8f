//! The `foveate` program.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    foveate::cli::run()
}
