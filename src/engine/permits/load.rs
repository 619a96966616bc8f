//! Whether there is more to do than can be done, and not just a burst: whether permits were in use all the
//! time lately.

use std::time::{Duration, Instant};

/// Time over which it is decided.
const WINDOW: Duration = Duration::from_secs(1);
/// In an overload, a permit is free for less than this part of the time: work comes in pieces, with breaks
/// between.
const FREE_PART: u32 = 5;

/// How busy the permits were.
#[derive(Debug)]
pub(super) struct Load {
    window: Instant,
    /// Time in this window in which a permit was free, up to `free_since`.
    free: Duration,
    free_since: Option<Instant>,
    is_overload: bool,
}

impl Load {
    /// Nothing to do until now.
    pub fn new(now: Instant) -> Self {
        Self {
            window: now,
            free: Duration::ZERO,
            free_since: Some(now),
            is_overload: false,
        }
    }

    /// All permits are in use.
    pub fn busy(&mut self, now: Instant) {
        if let Some(since) = self.free_since.take() {
            self.free += now.saturating_duration_since(since.max(self.window));
        }
    }

    /// A permit is free.
    pub fn free(&mut self, now: Instant) {
        self.free_since.get_or_insert(now);
    }

    /// Whether the last whole window was one of overload.
    pub fn is_overload(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.window);
        if passed >= WINDOW {
            let since = self.free_since.map(|since| since.max(self.window));
            let free = since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
            // As a part of the time that passed, which is longer where nobody asked.
            self.is_overload = (self.free + free) * FREE_PART < passed;
            self.window = now;
            self.free = Duration::ZERO;
        }
        self.is_overload
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_breaks_end_no_overload_and_long_ones_do() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut load = Load::new(start);
        load.busy(at(0));
        assert!(!load.is_overload(at(999)), "it may be a burst");
        load.free(at(900));
        load.busy(at(1000));
        assert!(load.is_overload(at(1001)));
        load.free(at(1500));
        assert!(load.is_overload(at(1900)), "this window is not over");
        assert!(!load.is_overload(at(2100)));
        load.busy(at(2200));
        assert!(load.is_overload(at(3101)));
        load.free(at(3102));
        assert!(!load.is_overload(at(60_000)), "nobody asked");
    }
}
