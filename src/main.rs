//! The `foveate` program.

fn main() {}
