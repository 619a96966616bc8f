//! How much there is to do, beside how much can be done, and not just in a burst: whether permits were in use all
//! the time lately, and whether more was asked than they can answer.

use std::time::{Duration, Instant};

/// Time over which it is decided.
pub(super) const WINDOW: Duration = Duration::from_secs(1);
/// Where permits are in use all the time, one is free for less than this part of it: work comes in pieces, with
/// breaks between.
const FREE_PART: u32 = 5;

/// In an overload so many times as much is asked as can be answered. Clients that ask again once they are answered
/// make none.
const EXCESS: f64 = 1.25;

/// How much there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Permits are free now and then.
    Calm,
    /// They are in use all the time.
    Busy,
    /// More is asked than can be answered.
    Overload,
}

/// How busy the permits were.
#[derive(Debug)]
pub(super) struct Load {
    window: Instant,
    /// Time in this window in which a permit was free, up to `free_since`.
    free: Duration,
    free_since: Option<Instant>,
    /// Questions that came in this window, whatever became of them.
    asked: u32,
    level: Level,
}

impl Load {
    /// Nothing to do until now.
    pub fn new(now: Instant) -> Self {
        Self {
            window: now,
            free: Duration::ZERO,
            free_since: Some(now),
            asked: 0,
            level: Level::Calm,
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

    /// A question came.
    pub fn asked(&mut self) {
        self.asked = self.asked.saturating_add(1);
    }

    /// That of the last whole window, where `total` permits answer in the time `mean` each.
    pub fn level(&mut self, now: Instant, total: usize, mean: Option<Duration>) -> Level {
        let passed = now.saturating_duration_since(self.window);
        if passed >= WINDOW {
            let since = self.free_since.map(|since| since.max(self.window));
            let free = since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
            // As a part of the time that passed, which is longer where nobody asked.
            let is_busy = (self.free + free) * FREE_PART < passed;
            let work = mean.unwrap_or_default().as_secs_f64() * f64::from(self.asked);
            let is_too_much = work > EXCESS * passed.as_secs_f64() * total as f64;
            self.level = match self.level {
                // Where nobody waits, permits come free between two answers.
                Level::Overload if is_too_much => Level::Overload,
                _ if is_busy && is_too_much => Level::Overload,
                _ if is_busy => Level::Busy,
                _ => Level::Calm,
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

    /// With one permit that answers in 10 ms.
    fn level(load: &mut Load, now: Instant) -> Level {
        load.level(now, 1, Some(Duration::from_millis(10)))
    }

    #[test]
    fn short_breaks_do_not_end_it_and_long_ones_do() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut load = Load::new(start);
        load.busy(at(0));
        assert_eq!(level(&mut load, at(999)), Level::Calm, "it may be a burst");
        load.free(at(900));
        load.busy(at(1000));
        assert_eq!(level(&mut load, at(1001)), Level::Busy);
        load.free(at(1500));
        assert_eq!(
            level(&mut load, at(1900)),
            Level::Busy,
            "this window is not over"
        );
        assert_eq!(level(&mut load, at(2100)), Level::Calm);
        load.busy(at(2200));
        assert_eq!(level(&mut load, at(3101)), Level::Busy);
        load.free(at(3102));
        assert_eq!(level(&mut load, at(60_000)), Level::Calm, "nobody asked");
    }

    #[test]
    fn an_overload_lasts_while_too_much_is_asked_though_permits_come_free() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut load = Load::new(start);
        let asked = |load: &mut Load, times| (0..times).for_each(|_| load.asked());
        asked(&mut load, 150);
        assert_eq!(
            level(&mut load, at(1001)),
            Level::Calm,
            "nothing had to wait"
        );
        load.busy(at(1001));
        asked(&mut load, 100);
        assert_eq!(
            level(&mut load, at(2002)),
            Level::Busy,
            "all of it can be answered"
        );
        asked(&mut load, 150);
        assert_eq!(level(&mut load, at(3003)), Level::Overload);
        load.free(at(3100));
        asked(&mut load, 150);
        assert_eq!(level(&mut load, at(4004)), Level::Overload);
        asked(&mut load, 90);
        assert_eq!(level(&mut load, at(5005)), Level::Calm);
    }
}
