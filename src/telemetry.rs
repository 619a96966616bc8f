//! What the program says of itself: log lines on standard error and metrics. It never sees bodies,
//! queries, source code or credentials. Start at [`init_logging`] and [`metrics`].

mod cgroup;
mod lines;
pub mod metrics;
pub mod process;
pub mod spans;

use std::io::IsTerminal as _;

use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Colours on a terminal, plain text otherwise.
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts logging to standard error. `filter` is a `tracing` filter such as `info` or
/// `foveate=debug,warn`. A second call in one process changes nothing.
///
/// # Errors
/// When the filter cannot be read; the message names the part.
pub fn init_logging(filter: &str, format: LogFormat) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter).map_err(|error| error.to_string())?;
    let _ = match format {
        LogFormat::Text => text_lines(std::io::stderr, std::io::stderr().is_terminal())
            .with(filter)
            .try_init(),
        LogFormat::Json => json_lines(std::io::stderr).with(filter).try_init(),
    };
    Ok(())
}

/// Writes events as lines for people, in colours or without.
fn text_lines<W>(
    writer: impl Fn() -> W + Send + Sync + 'static,
    has_colours: bool,
) -> impl Subscriber + for<'a> LookupSpan<'a> + Send + Sync
where
    W: std::io::Write + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .fmt_fields(lines::escaped_fields())
        .with_target(false)
        .with_ansi(has_colours)
        .with_writer(writer);
    tracing_subscriber::registry().with(lines)
}

/// Writes events as one JSON object a line.
fn json_lines<W>(
    writer: impl Fn() -> W + Send + Sync + 'static,
) -> impl Subscriber + for<'a> LookupSpan<'a> + Send + Sync
where
    W: std::io::Write + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        // The innermost span is in the list of all.
        .with_current_span(false)
        .with_target(false)
        .with_writer(move || lines::JsonLines(writer()));
    tracing_subscriber::registry().with(lines)
}

/// Chooses the cryptography of TLS connections for the whole process, once.
pub fn install_tls() {
    // Fails only where one was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
