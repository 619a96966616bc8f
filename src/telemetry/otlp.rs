//! Sends spans and metrics to an OpenTelemetry collector by OTLP over HTTP, as protobuf. Spans are those of `tracing`;
//! metrics are those of `/metrics`, so that nothing is measured twice. Nothing waits for the collector: what it
//! refuses is dropped. Start at [`Otlp::from_environment`].

mod metrics;
mod sender;
mod settings;
mod spans;

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::metrics::v1::{ResourceMetrics, ScopeMetrics};
use opentelemetry_proto::tonic::resource::v1::Resource as ProtoResource;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SdkTracer, SdkTracerProvider};
use prost::Message as _;
use tokio::runtime::Handle;
use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{LevelFilter, dynamic_filter_fn};
use tracing_subscriber::layer::Layer;
use tracing_subscriber::registry::LookupSpan;

use super::metrics::families;
use sender::Sender;
use settings::{OtlpSettings, Signal};
use spans::SpanSender;

/// The instrumentation scope of all spans and metrics.
const SCOPE: &str = "foveate";
/// Time limit for sending the rest when the program ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Creates spans that do not come from `tracing`; set if spans are sent.
static TRACER: OnceLock<SdkTracer> = OnceLock::new();

/// Returns the tracer, if spans are sent.
pub(super) fn tracer() -> Option<&'static SdkTracer> {
    TRACER.get()
}

fn is_own(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && *metadata.level() <= Level::DEBUG && metadata.target().starts_with(SCOPE)
}

/// Sends spans and metrics; either may be off.
#[derive(Debug)]
pub struct Otlp {
    provider: Option<SdkTracerProvider>,
    metrics: Option<MetricsSender>,
}

impl Otlp {
    /// Starts sending, on `runtime`, to the address in the configuration or else in the standard environment variables;
    /// `None` if neither is set. See [`OtlpSettings::new`].
    ///
    /// # Errors
    /// When a variable is invalid, or the HTTP client cannot be created.
    pub fn from_environment(
        endpoint: &str,
        service_name: &str,
        runtime: &Handle,
    ) -> Result<Option<Self>, String> {
        let variable = |name: &str| std::env::var(name).ok();
        match OtlpSettings::new(endpoint, service_name, variable)? {
            Some(settings) => Self::start(&settings, runtime).map(Some),
            None => Ok(None),
        }
    }

    fn start(settings: &OtlpSettings, runtime: &Handle) -> Result<Self, String> {
        let mut resource = Resource::builder();
        if let Some(name) = &settings.service_name {
            resource = resource.with_service_name(name.clone());
        }
        let resource = resource.build();
        super::install_tls();
        let sender = |signal: &Signal| Sender::new(signal, runtime.clone());
        let provider = match &settings.traces {
            None => None,
            Some(signal) => {
                let exporter = SpanSender {
                    sender: sender(signal)?,
                    resource: ResourceAttributesWithSchema::default(),
                };
                let processor = BatchSpanProcessor::builder(exporter).build();
                let provider = SdkTracerProvider::builder()
                    .with_resource(resource.clone())
                    .with_span_processor(processor);
                Some(provider.build())
            }
        };
        let metrics = match &settings.metrics {
            None => None,
            Some(signal) => Some(MetricsSender {
                sender: sender(signal)?,
                resource: ResourceAttributesWithSchema::from(&resource),
                interval: settings.interval,
                start: SystemTime::now(),
            }),
        };
        Ok(Self { provider, metrics })
    }

    /// Returns the layer that sends `tracing` spans: only this program's own, without their events, so that nothing
    /// is sent that the log would not contain.
    pub(super) fn layer<S>(&self) -> Option<impl Layer<S> + Send + Sync + use<S>>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let tracer = self.provider.as_ref()?.tracer(SCOPE);
        let tracer = TRACER.get_or_init(|| tracer).clone();
        let layer = tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_context_activation(false)
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false);
        // Sends the spans of requests, jobs and indexing runs, which have level ERROR, and the spans within them.
        // Others, such as those of a database poll every second, would each be a trace of its own.
        let filter = dynamic_filter_fn(|metadata, context| {
            is_own(metadata)
                && (*metadata.level() == Level::ERROR || context.lookup_current().is_some())
        });
        let filter = filter
            .with_max_level_hint(LevelFilter::DEBUG)
            .with_callsite_filter(|metadata| match is_own(metadata) {
                true => Interest::sometimes(),
                false => Interest::never(),
            });
        Some(layer.with_filter(filter))
    }

    /// Takes the sender of metrics; `None` if metrics are not sent, or after the first call.
    pub fn metrics(&mut self) -> Option<MetricsSender> {
        self.metrics.take()
    }

    /// Sends the remaining spans, for at most three seconds. Blocks: not for async threads.
    pub fn finish(&self) {
        if let Some(provider) = &self.provider {
            // The sender logged spans that could not be sent.
            let _ = provider.shutdown_with_timeout(SHUTDOWN_TIMEOUT);
        }
    }
}

/// Sends metrics.
#[derive(Debug)]
pub struct MetricsSender {
    sender: Sender,
    resource: ResourceAttributesWithSchema,
    interval: Duration,
    /// The start of counting for all counters.
    start: SystemTime,
}

impl MetricsSender {
    /// Returns the time between two exports.
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// Sends the metrics of an exposition in the Prometheus text format. If that fails, it is logged and the metrics
    /// are dropped: the next export has the cumulative values.
    pub async fn send(&self, exposition: &str) {
        let metrics = metrics::convert(&families::parse(exposition), self.start);
        let metrics = ScopeMetrics {
            scope: Some(InstrumentationScope {
                name: SCOPE.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..InstrumentationScope::default()
            }),
            metrics,
            ..ScopeMetrics::default()
        };
        let request = ExportMetricsServiceRequest {
            resource_metrics: vec![ResourceMetrics {
                resource: Some(ProtoResource {
                    attributes: self.resource.attributes.0.clone(),
                    ..ProtoResource::default()
                }),
                scope_metrics: vec![metrics],
                schema_url: self.resource.schema_url.clone().unwrap_or_default(),
            }],
        };
        let _ = self.sender.send(request.encode_to_vec()).await;
    }
}
