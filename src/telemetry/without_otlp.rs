//! Replaces `otlp` and `trace` in a program that was built without the feature `otlp`: nothing is sent, and trace
//! headers are ignored.

/// Sends nothing.
pub mod otlp {
    use std::time::Duration;

    use tokio::runtime::Handle;
    use tracing_subscriber::layer::Identity;

    /// Never created.
    #[derive(Debug)]
    pub enum Otlp {}

    /// Never created.
    #[derive(Debug)]
    pub enum MetricsSender {}

    impl Otlp {
        /// Returns `None`.
        ///
        /// # Errors
        /// When an address is configured: this program cannot send to it.
        pub fn from_environment(
            endpoint: &str,
            _: &str,
            _: &Handle,
        ) -> Result<Option<Self>, String> {
            if endpoint.is_empty() {
                return Ok(None);
            }
            Err(
                "telemetry.otlp.endpoint: this program was built without the feature `otlp`"
                    .to_owned(),
            )
        }

        /// Never called.
        pub(in crate::telemetry) fn layer(&self) -> Option<Identity> {
            match *self {}
        }

        /// Never called.
        pub fn metrics(&mut self) -> Option<MetricsSender> {
            match *self {}
        }

        /// Never called.
        pub fn finish(&self) {
            match *self {}
        }
    }

    impl MetricsSender {
        /// Never called.
        pub fn interval(&self) -> Duration {
            match *self {}
        }

        /// Never called.
        pub async fn send(&self, _: &str) {
            match *self {}
        }
    }
}

/// Ignores traces.
pub mod trace {
    use std::time::{Duration, SystemTime};

    use axum::http::{HeaderMap, HeaderName, HeaderValue};
    use tracing::Span;

    /// The header that identifies the trace and the parent span.
    pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
    /// The header with data of tracing vendors.
    pub const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

    /// Does nothing.
    pub fn begin(_: &Span, _: &HeaderMap) {}

    /// Does nothing.
    pub fn resume(_: &Span, _: Option<&str>) {}

    /// Returns `None`.
    pub fn parent(_: &Span) -> Option<HeaderValue> {
        None
    }

    /// Returns no headers.
    pub fn headers(_: &Span) -> HeaderMap {
        HeaderMap::new()
    }

    /// Returns `None`.
    pub fn sampled_id(_: &Span) -> Option<String> {
        None
    }

    /// Does nothing.
    pub fn end(_: &Span, _: u16, _: Option<&'static str>) {}

    /// Does nothing.
    pub fn stages(_: SystemTime, _: &[(&'static str, Duration)]) {}
}
