//! Bounds the cost of reading a file.

use std::time::Duration;

/// Limits on the cost of parsing one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Size in bytes above which a file is listed but not read.
    pub max_bytes: u64,
    /// Parser steps after which parsing is abandoned and the file is kept as text. The number of steps is
    /// the same on every machine. A file usually takes less than one step per byte, at most five.
    pub max_steps: u64,
    /// CPU time after which parsing is abandoned too, if steps are slow. A file within `max_steps` takes a
    /// fraction of it, even beside other programs, which make parsing slower.
    pub timeout: Duration,
    /// Depth below which nodes of the syntax tree are ignored.
    pub max_depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 20,
            max_steps: 8_000_000,
            timeout: Duration::from_secs(4),
            max_depth: 1_000,
        }
    }
}
