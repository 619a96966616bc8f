//! Measures load against capacity over a window longer than a burst: whether all permits were in use lately, and
//! whether more questions came than they can answer.

use std::time::{Duration, Instant};

/// Length of the measured window.
pub(super) const WINDOW: Duration = Duration::from_secs(1);
/// Divisor: permits count as in use all the time if one was free for less than `1 / FREE_PART` of the window, because
/// work comes in pieces, with breaks between.
const FREE_PART: u32 = 5;

/// An overload begins where the work that is asked for exceeds what can be answered by this factor. Clients that ask
/// again only once they are answered never cause one.
const OVERLOAD_FACTOR: f64 = 1.25;

/// The load of the last window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadLevel {
    /// Permits are free now and then.
    Normal,
    /// Permits are in use all the time.
    Busy,
    /// More is asked than can be answered.
    Overload,
}

/// Measures the load, window by window.
#[derive(Debug)]
pub(super) struct Load {
    window: Instant,
    /// Time in this window in which a permit was free, up to `free_since`.
    free: Duration,
    free_since: Option<Instant>,
    /// Questions that came in this window, including rejected ones.
    asked: u32,
    level: LoadLevel,
}

impl Load {
    /// Starts with no load.
    pub fn new(now: Instant) -> Self {
        Self {
            window: now,
            free: Duration::ZERO,
            free_since: Some(now),
            asked: 0,
            level: LoadLevel::Normal,
        }
    }

    /// Records that all permits are in use.
    pub fn busy(&mut self, now: Instant) {
        if let Some(since) = self.free_since.take() {
            self.free += now.saturating_duration_since(since.max(self.window));
        }
    }

    /// Records that a permit is free.
    pub fn free(&mut self, now: Instant) {
        self.free_since.get_or_insert(now);
    }

    /// Records that a question came.
    pub fn asked(&mut self) {
        self.asked = self.asked.saturating_add(1);
    }

    /// Returns the level of the last whole window, if there are `total` permits and an answer takes `mean`.
    pub fn level(&mut self, now: Instant, total: usize, mean: Option<Duration>) -> LoadLevel {
        let passed = now.saturating_duration_since(self.window);
        if passed >= WINDOW {
            let since = self.free_since.map(|since| since.max(self.window));
            let free = since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
            // Relative to the time passed, which is longer than a window where nobody asked.
            let is_busy = (self.free + free) * FREE_PART < passed;
            let work = mean.unwrap_or_default().as_secs_f64() * f64::from(self.asked);
            let is_too_much = work > OVERLOAD_FACTOR * passed.as_secs_f64() * total as f64;
            self.level = match self.level {
                // Permits may come free between two answers, since in an overload few may wait.
                LoadLevel::Overload if is_too_much => LoadLevel::Overload,
                _ if is_busy && is_too_much => LoadLevel::Overload,
                _ if is_busy => LoadLevel::Busy,
                _ => LoadLevel::Normal,
            };
            self.window = now;
            self.free = Duration::ZERO;
            self.asked = 0;
        }
        self.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The level with one permit that answers in 10 ms.
    fn level(load: &mut Load, now: Instant) -> LoadLevel {
        load.level(now, 1, Some(Duration::from_millis(10)))
    }

    #[test]
    fn short_breaks_do_not_end_busy_level_but_long_ones_do() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut load = Load::new(start);
        load.busy(at(0));
        assert_eq!(
            level(&mut load, at(999)),
            LoadLevel::Normal,
            "it may be a burst"
        );
        load.free(at(900));
        load.busy(at(1000));
        assert_eq!(level(&mut load, at(1001)), LoadLevel::Busy);
        load.free(at(1500));
        assert_eq!(
            level(&mut load, at(1900)),
            LoadLevel::Busy,
            "this window is not over"
        );
        assert_eq!(level(&mut load, at(2100)), LoadLevel::Normal);
        load.busy(at(2200));
        assert_eq!(level(&mut load, at(3101)), LoadLevel::Busy);
        load.free(at(3102));
        assert_eq!(
            level(&mut load, at(60_000)),
            LoadLevel::Normal,
            "nobody asked"
        );
    }

    #[test]
    fn overload_lasts_despite_free_permits() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut load = Load::new(start);
        let asked = |load: &mut Load, times| (0..times).for_each(|_| load.asked());
        asked(&mut load, 150);
        assert_eq!(
            level(&mut load, at(1001)),
            LoadLevel::Normal,
            "nothing had to wait"
        );
        load.busy(at(1001));
        asked(&mut load, 100);
        assert_eq!(
            level(&mut load, at(2002)),
            LoadLevel::Busy,
            "all of it can be answered"
        );
        asked(&mut load, 150);
        assert_eq!(level(&mut load, at(3003)), LoadLevel::Overload);
        load.free(at(3100));
        asked(&mut load, 150);
        assert_eq!(level(&mut load, at(4004)), LoadLevel::Overload);
        asked(&mut load, 90);
        assert_eq!(level(&mut load, at(5005)), LoadLevel::Normal);
    }
}
