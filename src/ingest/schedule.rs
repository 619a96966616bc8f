//! When a git repository is looked at again: after the polling interval, after a failure sooner or
//! later by how often it failed in a row. Times are spread, so that many repositories do not ask
//! one server at once.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use super::PollSettings;
use crate::engine::Polling;

/// Longest time after a failure.
const LONGEST: Duration = Duration::from_secs(3600);
/// After a start the first look comes within this time.
const SOON: Duration = Duration::from_secs(60);

/// The next look at one repository.
#[derive(Debug)]
pub(super) struct Schedule {
    settings: PollSettings,
    failures: u32,
    checked: Option<Instant>,
    next: Option<Instant>,
}

impl Schedule {
    pub fn new(settings: PollSettings) -> Self {
        Self {
            settings,
            failures: 0,
            checked: None,
            next: None,
        }
    }

    /// What is there was not looked at again yet.
    pub fn started(&mut self) {
        let interval = self.settings.interval;
        self.next = (!interval.is_zero()).then(|| Instant::now() + spread(interval.min(SOON)));
    }

    pub fn succeeded(&mut self) {
        let interval = self.settings.interval;
        let now = Instant::now();
        self.failures = 0;
        self.checked = Some(now);
        // Nine to eleven tenths.
        let wait = interval - interval / 10 + spread(interval / 5);
        self.next = (!interval.is_zero()).then(|| now + wait);
    }

    /// Also what is not polled is tried again after a failure.
    pub fn failed(&mut self) {
        let wait = backoff(self.settings.retry, self.failures);
        self.failures = self.failures.saturating_add(1);
        self.next = Some(Instant::now() + wait / 2 + spread(wait / 2));
    }

    /// Waits until it is time.
    pub async fn due(&self) {
        match self.next {
            Some(next) => tokio::time::sleep_until(next.into()).await,
            None => std::future::pending().await,
        }
    }

    /// What is told of it.
    pub fn polling(&self) -> Polling {
        Polling {
            interval: self.settings.interval,
            failures: self.failures,
            checked: self.checked,
            next: self.next,
        }
    }
}

fn backoff(retry: Duration, failures: u32) -> Duration {
    retry.saturating_mul(1 << failures.min(16)).min(LONGEST)
}

/// Any time below `longest`.
fn spread(longest: Duration) -> Duration {
    let any = RandomState::new().hash_one(0) >> 11;
    longest.mul_f64(any as f64 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: PollSettings = PollSettings {
        interval: Duration::from_secs(300),
        retry: Duration::from_secs(15),
        transfers: 1,
    };

    fn wait(schedule: &Schedule) -> Option<u64> {
        let next = schedule.polling().next?;
        Some(next.saturating_duration_since(Instant::now()).as_secs())
    }

    #[test]
    fn failures_are_tried_again_later_and_later_but_not_for_ever() {
        let mut schedule = Schedule::new(SETTINGS);
        for longest in [15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600] {
            schedule.failed();
            let wait = wait(&schedule).unwrap();
            assert!(
                wait + 1 >= longest / 2 && wait <= longest,
                "{wait} of {longest}"
            );
        }
        assert_eq!(schedule.polling().failures, 10);
        schedule.succeeded();
        assert_eq!(schedule.polling().failures, 0);
        assert!((269..=330).contains(&wait(&schedule).unwrap()));
    }

    #[test]
    fn what_is_not_polled_is_looked_at_again_after_a_failure_alone() {
        let mut schedule = Schedule::new(PollSettings {
            interval: Duration::ZERO,
            ..SETTINGS
        });
        schedule.started();
        assert_eq!(wait(&schedule), None);
        schedule.failed();
        assert!(wait(&schedule).is_some());
        schedule.succeeded();
        assert_eq!(wait(&schedule), None);
    }

    #[test]
    fn times_are_spread() {
        let some: std::collections::HashSet<_> = (0..8).map(|_| spread(LONGEST)).collect();
        assert!(some.len() > 1 && some.iter().all(|time| *time < LONGEST));
    }
}
