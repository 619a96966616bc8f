//! The composition root: creates the components from the settings, connects them, and stops them in order. It is the
//! only place that knows all of them.

pub mod announce;
mod doctor;
pub mod mcp;
pub mod service;
mod settings;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sd_notify::NotifyState;
use tokio_util::sync::CancellationToken;

use crate::cli::{self, Command, ServeArgs, UsageError};
use crate::config::{Config, LogFormat, Overrides};
use crate::disk;
use crate::http;
use crate::telemetry;
use crate::telemetry::otlp::{MetricsSender, Otlp};
use service::Service;

/// Runs the program.
pub fn main() -> ExitCode {
    let result = match cli::parse() {
        Command::Local(command) => cli::run(command),
        Command::Serve(args) => serve(args),
        Command::Mcp(args) => mcp::run(*args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Openapi => openapi(),
    };
    match result {
        Ok(code) => code,
        Err(error) => cli::report(&error),
    }
}

fn openapi() -> anyhow::Result<ExitCode> {
    let text = http::router::document().to_yaml()?;
    cli::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn serve(args: ServeArgs) -> anyhow::Result<ExitCode> {
    let overrides = Overrides {
        listen: args.listen,
        data_dir: args.data_dir,
    };
    let file = args.config.as_deref();
    let mistakes = Config::mistakes(file, &overrides);
    if !mistakes.is_empty() {
        return Ok(cli::print_mistakes(&mistakes));
    }
    let config = Config::load(file, &overrides).map_err(|error| UsageError(error.to_string()))?;
    let runtime =
        tokio::runtime::Runtime::new().context("cannot start the asynchronous runtime")?;
    let otlp = &config.telemetry.otlp;
    let otlp = Otlp::from_environment(&otlp.endpoint, &otlp.service_name, runtime.handle());
    let mut otlp = otlp.map_err(UsageError)?;
    let as_json = config.log.format == LogFormat::Json;
    telemetry::init_logging(&config.log.filter, as_json, otlp.as_ref())
        .map_err(|error| UsageError(format!("log.filter: {error}")))?;
    telemetry::spans::log_panics();
    telemetry::process::raise_open_files();
    disk::restrict_umask();
    let metrics = otlp.as_mut().and_then(Otlp::metrics);
    let result = runtime.block_on(run(config, args.watch, metrics));
    if let Some(otlp) = otlp {
        otlp.finish();
    }
    // Blocking work was asked to stop; work that does not stop is abandoned.
    runtime.shutdown_timeout(Duration::from_secs(2));
    result
}

async fn run(
    config: Config,
    watch: Vec<std::path::PathBuf>,
    metrics: Option<MetricsSender>,
) -> anyhow::Result<ExitCode> {
    let stop = CancellationToken::new();
    // Before anything else starts, so that an early signal is not lost.
    let signal = tokio::spawn(wait_for_signal(stop.clone()));
    survive_file_size_limit();
    let mut service = Service::start(config, &watch, stop.clone()).await?;
    service.send_metrics(metrics);
    let url = service.url();
    let mut watched = Vec::new();
    for directory in &watch {
        let repository = service.catalog.watch(directory).await;
        watched.push(repository.map_err(|error| UsageError(error.to_string()))?);
    }
    let announcer = tokio::spawn(announce::announce(
        url,
        service.needs_token(),
        Arc::clone(&service.engine),
        watched,
        stop.clone(),
    ));
    notify_systemd(NotifyState::Ready);
    service.run().await;
    announcer.abort();
    signal.abort();
    Ok(ExitCode::SUCCESS)
}

/// Notifies systemd, if it started this process and waits for it (`Type=notify`).
fn notify_systemd(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "cannot notify systemd of the state of this process");
    }
}

/// Makes a write beyond the process's limit of file sizes fail like one to a full disk; its signal would end the
/// process.
fn survive_file_size_limit() {
    use tokio::signal::unix::{SignalKind, signal};
    let kind = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    if let Err(error) = signal(kind) {
        tracing::warn!(%error, "a limit of file sizes would end this process");
    }
}

/// Whether the process was started to ignore SIGHUP, such as by `nohup`, so that it outlives its terminal.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The first bit is that of signal 1. Where nothing is known, a handler could end what should outlive its terminal.
    ignored.is_none_or(|mask| mask & 1 == 1)
}

/// Signals that arrive this soon after the first one count as the same request to stop: `timeout` signals the process, and
/// then its group.
const REPEATED_SIGNAL_WINDOW: Duration = Duration::from_millis(500);

/// Cancels `stop` at the first SIGINT, SIGTERM or SIGHUP; exits the process at a later one.
async fn wait_for_signal(stop: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        tracing::error!("cannot receive signals; only SIGKILL ends this process");
        return;
    };
    let mut hangup = match ignores_hangup() {
        true => None,
        false => signal(SignalKind::hangup()).ok(),
    };
    let mut hung_up = async || match &mut hangup {
        Some(hangup) => hangup.recv().await,
        None => std::future::pending().await,
    };
    let mut first: Option<Instant> = None;
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hung_up() => {}
        }
        match first {
            None => {
                first = Some(Instant::now());
                tracing::info!("stopping; waiting for requests in flight");
                notify_systemd(NotifyState::Stopping);
                stop.cancel();
            }
            Some(first) if first.elapsed() < REPEATED_SIGNAL_WINDOW => {}
            Some(_) => break,
        }
    }
    tracing::warn!("stopped at the second signal");
    std::process::exit(1);
}
