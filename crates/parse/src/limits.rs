//! What reading a file may cost.

use std::time::Duration;

/// What parsing one file may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Size in bytes above which a file is listed, not read.
    pub max_bytes: u64,
    /// Steps of the parser after which a file's syntax is given up and it is kept as text: the same on
    /// every machine. A file takes less than one for each byte, at most five.
    pub max_steps: u64,
    /// CPU time after which it is given up, too, where steps are slow. What `max_steps` lets pass
    /// takes a part of it, also beside other programs, which make parsing slower.
    pub timeout: Duration,
    /// Depth of the syntax tree below which nothing is looked at.
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
