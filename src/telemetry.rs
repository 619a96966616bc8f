//! What the program says of itself: log lines on standard error and metrics. It never sees bodies,
//! queries, source code or credentials. Start at [`init_logging`] and [`metrics`].

pub mod metrics;
pub mod process;

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

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
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false);
    let _ = match format {
        LogFormat::Text => builder
            .with_ansi(std::io::stderr().is_terminal())
            .try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    Ok(())
}

/// Chooses the cryptography of TLS connections for the whole process, once.
pub fn install_tls() {
    // Fails only where one was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
