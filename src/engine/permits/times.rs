//! How long answers have taken lately.

use std::time::Duration;

/// Answers that are remembered.
const REMEMBERED: usize = 128;
/// Answers after which the figures are made again.
const BATCH: usize = 16;

/// The times of the last answers.
#[derive(Debug, Default)]
pub(super) struct Times {
    seconds: Vec<f64>,
    at: usize,
    since_made: usize,
    mean: Option<Duration>,
    /// The 95th percentile over the mean.
    long_over_mean: Option<f64>,
}

impl Times {
    /// Remembers an answer.
    pub fn add(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        match self.seconds.get_mut(self.at) {
            Some(slot) => *slot = seconds,
            None => self.seconds.push(seconds),
        }
        self.at = (self.at + 1) % REMEMBERED;
        self.since_made += 1;
        if self.since_made >= BATCH {
            self.since_made = 0;
            self.make();
        }
    }

    fn make(&mut self) {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        self.mean = Duration::try_from_secs_f64(mean).ok();
        let long = sorted.get(sorted.len() * 95 / 100);
        self.long_over_mean = long.filter(|_| mean > 0.0).map(|long| long / mean);
    }

    /// The time of one answer; `None` where little is known yet.
    pub fn mean(&self) -> Option<Duration> {
        self.mean
    }

    /// How many may wait behind `total` threads to be begun in the time of one answer that takes long;
    /// `None` where little is known yet. None may where all answers take as long.
    pub fn waiting_within_a_long_one(&self, total: usize) -> Option<usize> {
        let ratio = self.long_over_mean? - 1.0;
        Some((total as f64 * ratio) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_the_last_answers() {
        let mut times = Times::default();
        for _ in 0..BATCH - 1 {
            times.add(Duration::from_millis(1));
        }
        assert_eq!(times.waiting_within_a_long_one(2), None);
        times.add(Duration::from_millis(1));
        assert_eq!(times.waiting_within_a_long_one(2), Some(0));
        assert_eq!(times.mean(), Some(Duration::from_millis(1)));
        for n in 0..REMEMBERED {
            // One of ten takes ten times as long: 1.9 ms on average.
            times.add(Duration::from_millis(if n % 10 == 0 { 10 } else { 1 }));
        }
        assert_eq!(times.waiting_within_a_long_one(2), Some(8));
        for _ in 0..REMEMBERED {
            times.add(Duration::from_millis(3));
        }
        assert_eq!(times.waiting_within_a_long_one(4), Some(0));
    }
}
