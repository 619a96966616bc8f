//! Propagates traces across processes, by the headers of W3C Trace Context: a request belongs to its caller's trace,
//! and this program's own requests to others belong to the request's. Without an address for spans nothing is sent,
//! and a caller's trace is only named in the log.

use std::time::{Duration, SystemTime};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator as _};
use opentelemetry::trace::{Span as _, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, TraceId};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use super::otlp::tracer;

/// The header that identifies the trace and the parent span.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// The header with data of tracing vendors.
pub const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");
/// Longest state that is propagated, in bytes: the length that the recommendation requires.
const MAX_TRACESTATE_BYTES: usize = 512;

struct Incoming<'h>(&'h HeaderMap);

impl Extractor for Incoming<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let mut values = self.0.get_all(key).iter();
        let value = values.next()?.to_str().ok()?;
        // Two values are ambiguous; a value that is too long is ignored.
        let is_fit = values.next().is_none() && value.len() <= MAX_TRACESTATE_BYTES;
        is_fit.then_some(value)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

struct Outgoing<'h>(&'h mut HeaderMap);

impl Injector for Outgoing<'_> {
    fn set(&mut self, key: &str, value: String) {
        let name = HeaderName::from_bytes(key.as_bytes());
        if let (Ok(name), Ok(value), false) =
            (name, HeaderValue::from_str(&value), value.is_empty())
        {
            self.0.insert(name, value);
        }
    }
}

/// Makes a span part of the trace in the headers, or of a new one, and fills in its field `trace_id`. Call it before
/// any work in the span.
pub fn begin(span: &Span, headers: &HeaderMap) {
    let caller =
        TraceContextPropagator::new().extract_with_context(&Context::new(), &Incoming(headers));
    let caller_id = caller.span().span_context().trace_id();
    // Fails if spans are not sent: then there is no trace to join.
    let _ = span.set_parent(caller);
    let own = span.context();
    let trace_id = match own.span().span_context() {
        own if own.is_valid() => own.trace_id(),
        _ => caller_id,
    };
    if trace_id != TraceId::INVALID {
        span.record("trace_id", tracing::field::display(trace_id));
    }
}

/// Like [`begin`], for work whose [`parent`] was recorded earlier, perhaps in another process.
pub fn resume(span: &Span, traceparent: Option<&str>) {
    let mut headers = HeaderMap::new();
    if let Some(Ok(value)) = traceparent.map(HeaderValue::from_str) {
        headers.insert(TRACEPARENT, value);
    }
    begin(span, &headers);
}

/// Returns a span's identity for others: its trace, its id, and whether it is sent. `None` if spans are not sent.
pub fn parent(span: &Span) -> Option<HeaderValue> {
    headers(span).remove(TRACEPARENT)
}

/// Returns the headers that make a request to others part of this span's trace. Empty if spans are not sent.
pub fn headers(span: &Span) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let context = span.context();
    TraceContextPropagator::new().inject_context(&context, &mut Outgoing(&mut headers));
    headers
}

/// Returns the id of a span's trace, if the span is sent.
pub fn sampled_id(span: &Span) -> Option<String> {
    let context = span.context();
    let span = context.span();
    let context = span.span_context();
    context.is_sampled().then(|| context.trace_id().to_string())
}

/// Ends the span of a request with the status of its answer, even if work that it started continues in it.
pub fn end(span: &Span, status: u16, problem: Option<&'static str>) {
    span.set_attribute("http.response.status_code", i64::from(status));
    if let Some(code) = problem {
        span.set_attribute("error.type", code);
    }
    if status >= 500 {
        span.set_status(Status::error(problem.unwrap_or_default()));
    }
    let context = span.context();
    context.span().end();
}

/// Adds spans for consecutive stages from `start` on, as children of the current span.
pub fn stages(start: SystemTime, stages: &[(&'static str, Duration)]) {
    let parent = Span::current().context();
    let Some(tracer) = tracer() else {
        return;
    };
    let mut begun = start;
    for (name, time) in stages {
        let ended = begun + *time;
        let span = tracer.span_builder(*name).with_start_time(begun);
        span.start_with_context(tracer, &parent)
            .end_with_timestamp(ended);
        begun = ended;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn caller(pairs: &[(HeaderName, &str)]) -> Context {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            headers.append(name.clone(), value);
        }
        TraceContextPropagator::new().extract_with_context(&Context::new(), &Incoming(&headers))
    }

    #[test]
    fn trace_and_state_are_propagated() {
        let context = caller(&[(TRACEPARENT, PARENT), (TRACESTATE, "shop=1")]);
        let mut written = HeaderMap::new();
        TraceContextPropagator::new().inject_context(&context, &mut Outgoing(&mut written));
        assert_eq!(written[TRACEPARENT], PARENT);
        assert_eq!(written[TRACESTATE], "shop=1");
        let context = caller(&[(TRACEPARENT, PARENT)]);
        let mut written = HeaderMap::new();
        TraceContextPropagator::new().inject_context(&context, &mut Outgoing(&mut written));
        assert!(written.get(TRACESTATE).is_none(), "nothing is no state");
    }

    #[test]
    fn invalid_headers_give_no_trace() {
        let long = format!("{PARENT}{}", "-0".repeat(MAX_TRACESTATE_BYTES));
        for pairs in [
            &[][..],
            &[(TRACEPARENT, "")],
            &[(TRACEPARENT, "00-4bf9-00f0")],
            &[(
                TRACEPARENT,
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            )],
            &[(
                TRACEPARENT,
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            )],
            &[(TRACEPARENT, "caf\u{e9}")],
            &[(TRACEPARENT, &*long)],
            &[(TRACEPARENT, PARENT), (TRACEPARENT, PARENT)],
        ] {
            let context = caller(pairs);
            assert!(!context.span().span_context().is_valid(), "{pairs:?}");
        }
        let state = format!("a={}", "x".repeat(MAX_TRACESTATE_BYTES));
        let context = caller(&[(TRACEPARENT, PARENT), (TRACESTATE, &state)]);
        let span = context.span();
        assert!(
            span.span_context().is_valid(),
            "the trace is carried on without it"
        );
        assert!(span.span_context().trace_state().header().is_empty());
    }
}
