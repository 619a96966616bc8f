//! The `foveate` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    foveate::app::main()
}
