//! The `foveate` program.

use std::process::ExitCode;

/// It gives back what is free while the program runs, also from between what is in use; with the system's
/// a server of months grows (docs/performance.md). It serves the C libraries, too.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    foveate::app::main()
}
