//! Bounds the cost of reading a file.

use std::time::Duration;

use foveate_model::Language;

use crate::languages;

/// Steps and CPU time that any text may take, and more for each of its bytes: about ten times as much as code written
/// by people takes. Thus a repository of many small files that each break a parser costs a fraction of a second for
/// each of them.
const STEPS: u64 = 200_000;
const STEPS_PER_BYTE: u64 = 16;
const TIME: Duration = Duration::from_millis(250);
const TIME_PER_BYTE: Duration = Duration::from_micros(16);

/// How many times as large a file may be of which only the embedded text is read: most of the bytes of a notebook are
/// its pictures.
const EMBEDDING_FACTOR: u64 = 16;

/// Limits on the cost of parsing one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Size in bytes above which a text is not indexed; see [`Limits::max_bytes_of`].
    pub max_bytes: u64,
    /// Parser steps after which parsing is abandoned and the file is kept as text. The number of steps is
    /// the same on every machine. A file usually takes less than one step per byte, at most five. Small files may
    /// take fewer ([`Limits::for_text`]).
    pub max_steps: u64,
    /// CPU time after which parsing is abandoned too, if steps are slow. A file within `max_steps` takes a
    /// fraction of it, even beside other programs, which make parsing slower.
    pub timeout: Duration,
    /// Depth below which nodes of the syntax tree are ignored.
    pub max_depth: u32,
}

impl Limits {
    /// Returns the size in bytes above which a file is listed but not read. `by_name` is the language that its name
    /// tells.
    pub fn max_bytes_of(&self, by_name: Option<Language>) -> u64 {
        let has_embedded_text = |language| languages::spec(language).embedded_text.is_some();
        match by_name.is_some_and(has_embedded_text) {
            true => self.max_bytes.saturating_mul(EMBEDDING_FACTOR),
            false => self.max_bytes,
        }
    }

    /// Returns the limits for a text of this many bytes: small texts get fewer steps and less time.
    #[must_use]
    pub fn for_text(&self, bytes: usize) -> Self {
        let count = u32::try_from(bytes).unwrap_or(u32::MAX);
        let steps = STEPS.saturating_add(STEPS_PER_BYTE.saturating_mul(u64::from(count)));
        let time = TIME.saturating_add(TIME_PER_BYTE.saturating_mul(count));
        Self {
            max_steps: self.max_steps.min(steps),
            timeout: self.timeout.min(time),
            ..*self
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_grow_with_the_text() {
        let limits = Limits::default();
        assert_eq!(limits.for_text(1 << 20), limits);
        let small = limits.for_text(1000);
        assert_eq!(small.max_steps, 216_000);
        assert_eq!(small.timeout, Duration::from_millis(266));
        let strict = Limits {
            max_steps: 10,
            timeout: Duration::from_millis(1),
            ..limits
        };
        assert_eq!(strict.for_text(1000), strict);
    }
}
