//! Measures how long recent answers took.

use std::collections::VecDeque;
use std::time::Duration;

/// Number of recent answers measured.
const MAX_TIMES: usize = 128;
/// Number of answers without which there are no figures.
const MIN_TIMES: usize = 16;

/// The durations of the last answers.
#[derive(Debug, Default)]
pub(super) struct AnswerTimes {
    seconds: VecDeque<f64>,
    mean: Option<Duration>,
    /// The 95th percentile over the mean.
    long_over_mean: Option<f64>,
}

impl AnswerTimes {
    /// Adds the duration of an answer.
    pub fn add(&mut self, time: Duration) {
        self.seconds.push_back(time.as_secs_f64());
        if self.seconds.len() < MIN_TIMES {
            return;
        }
        if self.seconds.len() > MAX_TIMES {
            self.seconds.pop_front();
        }
        let mut sorted: Vec<f64> = self.seconds.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        self.mean = Duration::try_from_secs_f64(mean).ok();
        let long = sorted.get(sorted.len() * 95 / 100);
        self.long_over_mean = long.filter(|_| mean > 0.0).map(|long| long / mean);
    }

    /// The mean duration of an answer; `None` before there are figures.
    pub fn mean(&self) -> Option<Duration> {
        self.mean
    }

    /// Returns how many questions may be queued for `total` threads so that each is started within the time of one
    /// slow answer; `None` before there are figures. 0 where all answers take equally long.
    pub fn max_waiting_for_slow_answer(&self, total: usize) -> Option<usize> {
        let ratio = self.long_over_mean? - 1.0;
        Some((total as f64 * ratio) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_cover_only_recent_answers() {
        let mut times = AnswerTimes::default();
        for _ in 0..MIN_TIMES - 1 {
            times.add(Duration::from_millis(1));
        }
        assert_eq!(times.max_waiting_for_slow_answer(2), None);
        times.add(Duration::from_millis(1));
        assert_eq!(times.max_waiting_for_slow_answer(2), Some(0));
        assert_eq!(times.mean(), Some(Duration::from_millis(1)));
        for n in 0..MAX_TIMES {
            // One of ten takes ten times as long: 1.9 ms on average.
            times.add(Duration::from_millis(if n % 10 == 0 { 10 } else { 1 }));
        }
        assert_eq!(times.max_waiting_for_slow_answer(2), Some(8));
        for _ in 0..MAX_TIMES {
            times.add(Duration::from_millis(3));
        }
        assert_eq!(times.max_waiting_for_slow_answer(4), Some(0));
    }
}
