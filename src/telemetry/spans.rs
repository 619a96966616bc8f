//! Creates spans, which give log lines their context: one for each request and each indexing run, and one for each git
//! command in them. A span belongs to a thread or task: work that moves to another one takes the span along with
//! [`carried`] or [`spawn_blocking`].

use std::fmt::Display;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::task::JoinHandle;
use tracing::Span;
use tracing::span::EnteredSpan;

use super::milliseconds;

/// Creates the span of one run that updates an index, with a number that is unique in this process. Its level is ERROR,
/// so that every filter lets it through.
pub fn index_run(repo: &impl Display, cause: &'static str) -> Span {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let run = NEXT.fetch_add(1, Ordering::Relaxed);
    tracing::error_span!("index", %repo, run, cause)
}

/// Wraps `work` for another thread, where it runs in the current span.
pub fn carried<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let span = Span::current();
    move || span.in_scope(work)
}

/// Runs blocking work off the async threads, in the span of this task.
#[expect(
    clippy::disallowed_methods,
    reason = "the only place that carries the span"
)]
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    tokio::task::spawn_blocking(carried(work))
}

/// Work in its own span, whose duration is logged at the end, at DEBUG.
#[derive(Debug)]
pub struct TimedSpan {
    start: Instant,
    _span: EnteredSpan,
}

impl TimedSpan {
    /// Starts now. The span describes the work.
    pub fn new(span: Span) -> Self {
        Self {
            start: Instant::now(),
            _span: span.entered(),
        }
    }
}

impl Drop for TimedSpan {
    fn drop(&mut self) {
        tracing::debug!(ms = milliseconds(self.start.elapsed()), "done");
    }
}

/// Installs a panic hook that counts every panic and logs it in its span, in addition to the output of the standard
/// library, so that the log shows under a request's id where it failed. The message is left out, because it may hold
/// content that was being read.
pub fn log_panics() {
    let printed = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic: &PanicHookInfo<'_>| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "a thread panicked; this is a bug");
        metrics::counter!("foveate_panics_total").increment(1);
        printed(panic);
    }));
}

#[cfg(test)]
mod tests {
    use super::super::log_lines::tests::CapturedLog;
    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::registry;

    use super::*;

    #[test]
    fn a_panic_is_logged_in_its_span_without_its_message() {
        log_panics();
        let captured = CapturedLog::default();
        let writer = captured.clone();
        let subscriber = registry().with(super::super::json_lines(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, || {
            let _request = tracing::error_span!("request", request_id = "a-1").entered();
            let broken = carried(|| panic!("what was being read"));
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(broken)).is_err());
        });
        let line: serde_json::Value = serde_json::from_str(&captured.text()).unwrap();
        assert_eq!(line["level"], "ERROR");
        assert_eq!(line["spans"][0]["request_id"], "a-1");
        assert!(line["location"].as_str().unwrap().contains("spans.rs:"));
        assert!(!captured.text().contains("what was being read"));
    }
}
