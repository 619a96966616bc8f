//! What reading a file may cost.

use std::time::Duration;

/// What parsing one file may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Size in bytes above which a file is listed, not read.
    pub max_bytes: u64,
    /// CPU time after which a file's syntax is given up and it is kept as text. The default is about
    /// four times what a file of `max_bytes` takes: other programs make parsing slower, too.
    pub timeout: Duration,
    /// Depth of the syntax tree below which nothing is looked at.
    pub max_depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 20,
            timeout: Duration::from_millis(2_000),
            max_depth: 1_000,
        }
    }
}
