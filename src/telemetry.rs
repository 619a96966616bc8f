//! Reports on the running program: log lines on standard error, metrics, and both with traces to a collector. It never
//! sees bodies, queries, source code or credentials. Start at [`init_logging`] and [`metrics`].

mod cgroup;
mod log_lines;
pub mod metrics;
#[cfg(feature = "otlp")]
pub mod otlp;
pub mod process;
pub mod spans;
#[cfg(feature = "otlp")]
pub mod trace;
#[cfg(not(feature = "otlp"))]
mod without_otlp;

use std::io::IsTerminal as _;
use std::time::Duration;

use otlp::Otlp;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::Layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, registry};
#[cfg(not(feature = "otlp"))]
pub use without_otlp::{otlp, trace};

/// Returns a duration in milliseconds, rounded to microseconds.
pub fn milliseconds(duration: Duration) -> f64 {
    round_milliseconds(duration.as_secs_f64() * 1e3)
}

/// Rounds milliseconds to microseconds: further digits of a measured time are noise.
pub fn round_milliseconds(milliseconds: f64) -> f64 {
    (milliseconds * 1e3).round() / 1e3
}

/// Starts logging to standard error: one JSON object a line if `as_json`, else text, with colours on a terminal.
/// `filter` is a `tracing` filter such as `info` or `foveate=debug,warn`; of some libraries only errors pass, whatever
/// it says. Spans are also sent to `otlp`, regardless of the filter. A second call in one process has no effect.
///
/// # Errors
/// When the filter cannot be parsed; the message names the part.
pub fn init_logging(filter: &str, as_json: bool, otlp: Option<&Otlp>) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter).map_err(|error| error.to_string())?;
    let lines = match as_json {
        false => text_lines(std::io::stderr, std::io::stderr().is_terminal()).boxed(),
        true => json_lines(std::io::stderr).boxed(),
    };
    let _ = registry()
        .with(lines.with_filter(filter.and(filter_fn(is_allowed))))
        .with(otlp.and_then(Otlp::layer))
        .try_init();
    Ok(())
}

/// Libraries of which only errors are logged. The one for the Model Context Protocol logs whole messages, with
/// questions and code; the one for file events warns of each watched directory that was removed.
const ERRORS_ONLY: [&str; 2] = ["rmcp", "notify"];

/// Whether an event or span may be logged.
fn is_allowed(metadata: &Metadata<'_>) -> bool {
    let is_from = |library: &&str| metadata.target().split("::").next() == Some(library);
    *metadata.level() == Level::ERROR || !ERRORS_ONLY.iter().any(is_from)
}

/// Writes events as lines for people, with or without colours.
fn text_lines<S, W>(
    writer: impl Fn() -> W + Send + Sync + 'static,
    has_colours: bool,
) -> impl Layer<S> + Send + Sync
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: std::io::Write + 'static,
{
    tracing_subscriber::fmt::layer()
        .fmt_fields(log_lines::escaped_fields())
        .with_target(false)
        .with_ansi(has_colours)
        .with_writer(writer)
}

/// Writes events as one JSON object a line.
fn json_lines<S, W>(writer: impl Fn() -> W + Send + Sync + 'static) -> impl Layer<S> + Send + Sync
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: std::io::Write + 'static,
{
    tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        // The list of spans already has the innermost one.
        .with_current_span(false)
        .with_target(false)
        .with_writer(move || log_lines::JsonLines(writer()))
}

/// Selects the cryptography provider of TLS connections for the whole process, once.
pub fn install_tls() {
    // Fails only if one was selected before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
