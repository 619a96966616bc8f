//! Gives finished spans the names and attributes of OpenTelemetry's semantic conventions, off the threads that created
//! them, and sends them.

use std::borrow::Cow;

use opentelemetry::trace::SpanKind;
use opentelemetry::{Key, KeyValue};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use prost::Message as _;

use super::sender::Sender;

/// Fields of spans, and the names of their attributes in the semantic conventions.
const ATTRIBUTES: [(&str, &str); 4] = [
    ("method", "http.request.method"),
    ("route", "http.route"),
    ("who", "enduser.id"),
    ("request_id", "http.request.header.x-request-id"),
];
/// Prefix of the attributes that are specific to this program.
const OWN: &str = "foveate.";

/// Exports the SDK's batches of spans.
#[derive(Debug)]
pub struct SpanSender {
    /// Sends to the collector.
    pub sender: Sender,
    /// Describes this process; the SDK sets it.
    pub resource: ResourceAttributesWithSchema,
}

impl SpanExporter for SpanSender {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        batch.iter_mut().for_each(apply_conventions);
        let request = ExportTraceServiceRequest {
            resource_spans: group_spans_by_resource_and_scope(batch, &self.resource),
        };
        let sent = self.sender.send(request.encode_to_vec()).await;
        sent.map_err(|error| OTelSdkError::InternalFailure(error.to_string()))
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.into();
    }
}

/// Renames a span and its attributes according to the semantic conventions.
fn apply_conventions(span: &mut SpanData) {
    let text = |key: &str| {
        let mut attributes = span.attributes.iter();
        let found = attributes.find(|attribute| attribute.key.as_str() == key);
        found.map(|attribute| attribute.value.as_str().into_owned())
    };
    if span.name == "request" {
        span.span_kind = SpanKind::Server;
        let (method, route) = (text("method"), text("route"));
        let (method, route) = (method.unwrap_or_default(), route.unwrap_or_default());
        span.name = Cow::Owned(match &*route {
            "none" => method,
            route => format!("{method} {route}"),
        });
    } else if let Some(detail) = text("command").or_else(|| text("operation")) {
        span.name = Cow::Owned(format!("{} {detail}", span.name));
    }
    // Every span has the trace id in its context.
    span.attributes
        .retain(|attribute| attribute.key.as_str() != "trace_id");
    for KeyValue { key, .. } in &mut span.attributes {
        let standard = ATTRIBUTES.iter().find(|(own, _)| *own == key.as_str());
        *key = match standard {
            Some((_, standard)) => Key::from_static_str(standard),
            None if key.as_str().contains('.') => continue,
            None => Key::from(format!("{OWN}{}", key.as_str())),
        };
    }
}
