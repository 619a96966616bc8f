//! Limits what each key may use of the server: a rate of requests, and requests in flight. Each key has its own share,
//! so that the requests of one are never counted against another.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limits of every key's share; 0 means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShareLimits {
    /// Sustained requests per second.
    pub per_second: u32,
    /// Requests at once after a pause; 0: as many as `per_second`.
    pub burst: u32,
    /// Maximum number of requests in flight.
    pub in_flight: usize,
}

/// One key's share, and its present use.
#[derive(Debug)]
pub(super) struct Share {
    rate: Option<DefaultDirectRateLimiter>,
    in_flight: Option<Arc<Semaphore>>,
}

/// A request in flight; dropping the last clone ends it.
#[derive(Clone, Debug)]
pub struct InFlight {
    _permit: Option<Arc<OwnedSemaphorePermit>>,
}

/// A share is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum RateLimited {
    #[error("this token sent more requests than `access.rate_per_second` allows")]
    Rate {
        /// Time until the next request is admitted.
        retry_after: Duration,
    },
    #[error("this token has as many requests in flight as `access.max_in_flight` allows")]
    InFlight,
}

impl Share {
    /// Creates an unused share.
    pub fn new(limits: ShareLimits) -> Self {
        let rate = NonZeroU32::new(limits.per_second).map(|rate| {
            let burst = NonZeroU32::new(limits.burst).unwrap_or(rate);
            RateLimiter::direct(Quota::per_second(rate).allow_burst(burst))
        });
        let in_flight = (limits.in_flight > 0).then(|| Arc::new(Semaphore::new(limits.in_flight)));
        Self { rate, in_flight }
    }

    /// Counts a request, which is in flight until the result is dropped.
    pub fn enter(&self) -> Result<InFlight, RateLimited> {
        let permit = self.in_flight.as_ref().map(|semaphore| {
            let permit = Arc::clone(semaphore).try_acquire_owned();
            permit.map(Arc::new).map_err(|_| RateLimited::InFlight)
        });
        let permit = permit.transpose()?;
        if let Some(rate) = &self.rate {
            rate.check().map_err(|early| RateLimited::Rate {
                retry_after: early.wait_time_from(DefaultClock::default().now()),
            })?;
        }
        Ok(InFlight { _permit: permit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_flight_limit_is_released_on_drop() {
        let share = Share::new(ShareLimits {
            in_flight: 2,
            ..ShareLimits::default()
        });
        let first = share.enter().expect("a place");
        let second = share.enter().expect("a place");
        assert_eq!(share.enter().err(), Some(RateLimited::InFlight));
        let same = first.clone();
        drop(first);
        assert!(share.enter().is_err(), "its clone is in flight");
        drop((same, second));
        assert!(share.enter().is_ok());
    }

    #[test]
    fn rate_limit_allows_burst_and_gives_retry_time() {
        let share = Share::new(ShareLimits {
            per_second: 1,
            burst: 3,
            in_flight: 0,
        });
        for _ in 0..3 {
            assert!(share.enter().is_ok());
        }
        let Err(RateLimited::Rate { retry_after }) = share.enter() else {
            panic!("the burst is used up");
        };
        assert!(retry_after > Duration::ZERO && retry_after <= Duration::from_secs(1));
    }

    #[test]
    fn zero_limits_admit_everything() {
        let share = Share::new(ShareLimits::default());
        let all: Vec<_> = (0..1000).map(|_| share.enter()).collect();
        assert!(all.iter().all(Result::is_ok));
    }
}
