//! The `foveate` program.

use std::process::ExitCode;

/// jemalloc returns free memory to the system while the program runs, also from between live allocations; with the
/// system's allocator, a server that runs for months grows (docs/performance.md). The C libraries use it, too.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    foveate::app::main()
}
