//! Measures the processor time of a thread, for tests that work takes linear time.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time of the current thread so far. Time in which the machine does other work does not count.
pub(crate) fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
}
