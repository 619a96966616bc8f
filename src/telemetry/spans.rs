//! Spans: what a line of the log belongs to. A request has one, a run of indexing has one,
//! and so has each git command below them. A span is that of a thread or task: whoever
//! hands work to another one carries it along, with [`carried`] or [`spawn_blocking`].

use std::fmt::Display;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::task::JoinHandle;
use tracing::Span;
use tracing::span::EnteredSpan;

/// The span of one run that brings an index up to date, with a number that no other run of this process
/// has. At the level of errors, so that it is there whatever the filter lets through.
pub fn index_run(repo: &impl Display, cause: &'static str) -> Span {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let run = NEXT.fetch_add(1, Ordering::Relaxed);
    tracing::error_span!("index", %repo, run, cause)
}

/// `work` for another thread, in the span of this one.
pub fn carried<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let span = Span::current();
    move || span.in_scope(work)
}

/// Runs blocking work off the async threads, in the span of this task.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that carries the span"
)]
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    tokio::task::spawn_blocking(carried(work))
}

/// A piece of work in a span of its own, whose time is logged at its end, at DEBUG.
#[derive(Debug)]
pub struct Timed {
    start: Instant,
    _span: EnteredSpan,
}

impl Timed {
    /// Begins now. What the work is stands in the span.
    pub fn new(span: Span) -> Self {
        Self {
            start: Instant::now(),
            _span: span.entered(),
        }
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        tracing::debug!(ms = self.start.elapsed().as_secs_f64() * 1000.0, "done");
    }
}

/// Has every panic counted, and logged in the span that it happens in, beside what the standard library prints: so
/// the log says under a request's id where it failed. The message is left out, since it may hold what was
/// being read.
pub fn log_panics() {
    let printed = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic: &PanicHookInfo<'_>| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "a defect: this thread panicked");
        metrics::counter!("foveate_panics_total").increment(1);
        printed(panic);
    }));
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::Kept;
    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::registry;

    use super::*;

    #[test]
    fn a_panic_is_logged_in_its_span_without_its_message() {
        log_panics();
        let kept = Kept::default();
        let writer = kept.clone();
        let subscriber = registry().with(super::super::json_lines(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, || {
            let _request = tracing::error_span!("request", request_id = "a-1").entered();
            let broken = carried(|| panic!("what was being read"));
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(broken)).is_err());
        });
        let line: serde_json::Value = serde_json::from_str(&kept.text()).unwrap();
        assert_eq!(line["level"], "ERROR");
        assert_eq!(line["spans"][0]["request_id"], "a-1");
        assert!(line["location"].as_str().unwrap().contains("spans.rs:"));
        assert!(!kept.text().contains("what was being read"));
    }
}
