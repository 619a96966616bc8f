//! Computes when a git repository is polled next: after the polling interval, or after a failure with a
//! wait that doubles with each failure in a row. Waits have a random part, so that many repositories
//! do not ask one server at once.

use std::time::{Duration, Instant};

use super::PollSettings;
use crate::engine::PollStatus;

/// Longest wait after a failure.
const MAX_BACKOFF: Duration = Duration::from_secs(3600);
/// Longest wait before the first poll after startup.
const MAX_FIRST_WAIT: Duration = Duration::from_secs(60);

/// Schedules the polls of one repository.
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

    /// Schedules the first poll after startup, when the existing clone was served without asking the source.
    pub fn started(&mut self) {
        let interval = self.settings.interval;
        self.next =
            (!interval.is_zero()).then(|| Instant::now() + jitter(interval.min(MAX_FIRST_WAIT)));
    }

    pub fn succeeded(&mut self) {
        let interval = self.settings.interval;
        let now = Instant::now();
        self.failures = 0;
        self.checked = Some(now);
        // 90 to 110 % of the interval.
        let wait = interval - interval / 10 + jitter(interval / 5);
        self.next = (!interval.is_zero()).then(|| now + wait);
    }

    /// Schedules a retry, even where polling is off.
    pub fn failed(&mut self) {
        let wait = retry_wait(self.settings.retry, self.failures);
        self.failures = self.failures.saturating_add(1);
        self.next = Some(Instant::now() + wait);
    }

    /// Waits until the next poll is due.
    pub async fn due(&self) {
        sleep_until(self.next).await;
    }

    /// Returns the state of polling, for status reports.
    pub fn polling(&self) -> PollStatus {
        PollStatus {
            interval: self.settings.interval,
            failures: self.failures,
            checked: self.checked,
            next: self.next,
        }
    }
}

/// Sleeps until a time; for ever if there is none.
pub(super) async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}

/// Returns the wait after a failure that follows `failures` others: `retry`, doubled by each of them, up to
/// [`MAX_BACKOFF`]; half of it is random.
pub(super) fn retry_wait(retry: Duration, failures: u32) -> Duration {
    let wait = retry.saturating_mul(1 << failures.min(16)).min(MAX_BACKOFF);
    wait / 2 + jitter(wait / 2)
}

/// Returns a random duration below `max`.
fn jitter(max: Duration) -> Duration {
    max.mul_f64(fastrand::f64())
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
    fn backoff_doubles_up_to_limit() {
        let mut schedule = Schedule::new(SETTINGS);
        for max in [15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600] {
            schedule.failed();
            let wait = wait(&schedule).unwrap();
            assert!(wait + 1 >= max / 2 && wait <= max, "{wait} of {max}");
        }
        assert_eq!(schedule.polling().failures, 10);
        schedule.succeeded();
        assert_eq!(schedule.polling().failures, 0);
        assert!((269..=330).contains(&wait(&schedule).unwrap()));
    }

    #[test]
    fn unpolled_repository_is_retried_only_after_failure() {
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
    fn jitter_varies_below_limit() {
        let some: std::collections::HashSet<_> = (0..8).map(|_| jitter(MAX_BACKOFF)).collect();
        assert!(some.len() > 1 && some.iter().all(|time| *time < MAX_BACKOFF));
    }
}
