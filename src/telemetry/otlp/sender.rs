//! Sends encoded telemetry to a collector. It is logged once that the collector is down, and once that it is back;
//! the content is never logged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use reqwest::header::CONTENT_TYPE;
use tokio::runtime::Handle;

use super::settings::Signal;

/// Delays before a request is sent again that a busy collector refused.
const RETRIES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// The media type of OTLP in protobuf.
const PROTOBUF: &str = "application/x-protobuf";

/// Sends one kind of telemetry.
#[derive(Clone, Debug)]
pub struct Sender {
    http: reqwest::Client,
    signal: Signal,
    runtime: Handle,
    is_down: Arc<AtomicBool>,
}

/// Why telemetry was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum SendError {
    #[error("the collector cannot be reached")]
    Unreachable,
    #[error("the collector does not answer in time")]
    TimedOut,
    #[error("the collector answered with status {0}")]
    Refused(StatusCode),
    #[error("the program is ending")]
    Ending,
}

impl Sender {
    /// Creates a sender to the signal's address, on `runtime`.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub fn new(signal: &Signal, runtime: Handle) -> Result<Self, String> {
        let http = reqwest::Client::builder()
            .user_agent(concat!("foveate/", env!("CARGO_PKG_VERSION")))
            .default_headers(signal.headers.clone())
            .timeout(signal.timeout)
            // The headers hold tokens, which must not reach another host.
            .redirect(reqwest::redirect::Policy::none());
        let _inside = runtime.enter();
        Ok(Self {
            http: http.build().map_err(|error| error.to_string())?,
            signal: signal.clone(),
            runtime,
            is_down: Arc::default(),
        })
    }

    /// Sends one request. May be awaited on threads outside of the runtime.
    ///
    /// # Errors
    /// See [`SendError`]; only the first of consecutive errors is logged.
    pub async fn send(&self, body: Vec<u8>) -> Result<(), SendError> {
        let this = self.clone();
        let sent = self.runtime.spawn(async move { this.attempts(body).await });
        let result = sent.await.unwrap_or(Err(SendError::Ending));
        self.log_change(result);
        result
    }

    async fn attempts(&self, body: Vec<u8>) -> Result<(), SendError> {
        let mut later = RETRIES.into_iter();
        loop {
            match self.attempt(body.clone()).await {
                Err(SendError::Refused(status)) if is_busy(status) => match later.next() {
                    Some(time) => tokio::time::sleep(time).await,
                    None => return Err(SendError::Refused(status)),
                },
                done => return done,
            }
        }
    }

    async fn attempt(&self, body: Vec<u8>) -> Result<(), SendError> {
        let request = self.http.post(self.signal.url.clone());
        let request = request.header(CONTENT_TYPE, PROTOBUF).body(body);
        // The body of a refusal is not read: it may be anything.
        match request.send().await {
            Ok(response) if response.status().is_success() => Ok(()),
            Ok(response) => Err(SendError::Refused(response.status())),
            Err(error) if error.is_timeout() => Err(SendError::TimedOut),
            Err(_) => Err(SendError::Unreachable),
        }
    }

    fn log_change(&self, result: Result<(), SendError>) {
        let (signal, host) = (self.signal.name, self.signal.url.host_str());
        match result {
            Ok(()) => {
                if self.is_down.swap(false, Ordering::Relaxed) {
                    tracing::info!(signal, host, "telemetry is sent again");
                }
            }
            Err(SendError::Ending) => {}
            Err(error) => {
                if !self.is_down.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        signal,
                        host,
                        %error,
                        "cannot send telemetry to the collector; dropping it until the collector accepts it again"
                    );
                }
            }
        }
    }
}

/// Whether the OTLP specification asks for a retry after this status.
fn is_busy(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}
