//! Implements those functions and layers of the stack around all routes ([`super::router`]) that tower and
//! tower-http do not provide: for this project's problems, metrics and log lines. None reads a body.

use std::any::Any;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Method, Response as HttpResponse, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower_http::request_id::RequestId;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use super::problem::Problem;
use crate::telemetry::metrics::request_seconds;
use crate::telemetry::{milliseconds, trace};

/// The header that carries a request's id in both directions.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Returns the id of a request as text. Generated ids are text, and a client's id is only kept if it is safe
/// to repeat.
pub fn id_text(id: &RequestId) -> &str {
    id.header_value().to_str().unwrap_or_default()
}

/// Removes a client's request id that is not safe to repeat, so that a new one is generated.
pub fn strip_unsafe_id(mut request: Request) -> Request {
    let is_safe = |id: &HeaderValue| {
        let id = id.as_bytes();
        let is_allowed = |b: &u8| b.is_ascii_alphanumeric() || b"._:-".contains(b);
        (1..=128).contains(&id.len()) && id.iter().all(is_allowed)
    };
    let mut ids = request.headers().get_all(REQUEST_ID).iter();
    if !(ids.next().is_none_or(is_safe) && ids.next().is_none()) {
        request.headers_mut().remove(REQUEST_ID);
    }
    request
}

/// Creates the span of a request. Every line logged in it, on any thread, has its fields; the empty ones are
/// recorded as they become known. It has the error level so that no log filter drops it.
fn request_span(request: &Request) -> Span {
    let id = request.extensions().get::<RequestId>();
    let span = tracing::error_span!(
        "request",
        request_id = id.map(id_text),
        method = method_name(request.method()),
        route = route(request),
        trace_id = Empty,
        who = Empty,
        repo = Empty,
        intent = Empty,
        intent_ms = Empty,
        resolve_ms = Empty,
        rank_ms = Empty,
        assemble_ms = Empty,
    );
    trace::begin(&span, request.headers());
    span
}

/// Routes that machines poll every few seconds. Their successes are logged at the debug level.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Code of the problem in a response.
#[derive(Clone, Copy, Debug)]
struct ProblemCode(&'static str);

/// Handles a request in a span of its own, measures its duration, counts it by route, status and code, and logs that it
/// was answered.
pub async fn observe(request: Request, next: Next) -> Response {
    let start = Instant::now();
    let span = request_span(&request);
    let method = method_name(request.method());
    let route = route(&request).to_owned();
    let mut response = next.run(request).instrument(span.clone()).await;
    let time = start.elapsed();
    request_seconds(&route, time, trace::sampled_id(&span));
    if let Some(parent) = trace::parent(&span) {
        response.headers_mut().insert(trace::TRACEPARENT, parent);
    }
    let status = response.status();
    let code = response.extensions().get::<ProblemCode>();
    let code = code.map(|code| code.0);
    if let Some(code) = code {
        metrics::counter!("foveate_problems_total", "code" => code).increment(1);
    }
    let is_probed = PROBES.contains(&&*route) && status.is_success();
    let labels = [
        ("route", route),
        ("method", method.to_owned()),
        ("status", status.as_u16().to_string()),
    ];
    metrics::counter!("foveate_http_requests_total", &labels).increment(1);
    span.in_scope(|| {
        let (status, ms) = (status.as_u16(), milliseconds(time));
        if is_probed {
            tracing::debug!(status, code, ms, "request");
        } else {
            tracing::info!(status, code, ms, "request");
        }
    });
    trace::end(&span, status.as_u16(), code);
    response
}

/// Renders the problem of a handler or of a layer in this file, and converts bare error responses of
/// tower-http's layers to problems. `max_body_bytes` is the limit that these enforce.
pub async fn render_problems(
    State(max_body_bytes): State<usize>,
    request: Request,
    next: Next,
) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let version = request.version();
    let mut bare = next.run(request).await;
    let problem = bare.extensions_mut().remove::<Problem>();
    let mut response = match problem.or_else(|| problem_of_layer(&bare, max_body_bytes)) {
        Some(problem) => rendered(problem, &bare, id.as_ref().map_or("", id_text), version),
        None => bare,
    };
    let status = response.status();
    response.extensions_mut().insert(status);
    response
}

/// Returns the problem for an error status of a layer of tower-http or of the SDK behind `/mcp`. Handlers
/// always attach a problem to these statuses.
fn problem_of_layer(response: &Response, max_body_bytes: usize) -> Option<Problem> {
    match response.status() {
        StatusCode::REQUEST_TIMEOUT => Some(Problem::request_timeout()),
        StatusCode::PAYLOAD_TOO_LARGE => Some(Problem::body_too_large(max_body_bytes)),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Some(Problem::unsupported_media_type()),
        _ => None,
    }
}

fn rendered(problem: Problem, bare: &Response, id: &str, version: Version) -> Response {
    let code = problem.code;
    let is_unread = problem.may_leave_body_unread();
    let mut response = problem.render(id);
    response.extensions_mut().insert(ProblemCode(code));
    let headers = response.headers_mut();
    for name in [ALLOW, ACCEPT_ENCODING] {
        if let Some(value) = bare.headers().get(&name) {
            headers.insert(name, value.clone());
        }
    }
    // The server closes a connection with unread bytes, which this header announces.
    if is_unread && version < Version::HTTP_2 {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Restores the status that the handler answered with. The compression layer turns a response into 406 if no
/// content coding is acceptable, although the request was already carried out; the response is sent
/// uncompressed.
pub fn restore_status<B>(mut response: HttpResponse<B>) -> HttpResponse<B> {
    if let Some(status) = response.extensions().get::<StatusCode>().copied() {
        *response.status_mut() = status;
    }
    response
}

/// Tells browsers that a response is data: content from repositories and clients must not be interpreted as
/// markup, run, or shown in a frame. The page at `/` sets its own content security policy.
pub fn mark_as_data<B>(mut response: HttpResponse<B>) -> HttpResponse<B> {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(DATA_POLICY));
    response
}

/// The content security policy of responses that are not the page.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Builds the response for a handler that panicked.
pub fn after_panic(_: Box<dyn Any + Send + 'static>) -> Response {
    Problem::internal().into_response()
}

/// Returns the matched route, with its parameters as declared.
fn route(request: &Request) -> &str {
    let path = request.extensions().get::<MatchedPath>();
    path.map_or("none", MatchedPath::as_str)
}

/// Returns the method as a metric label with few values.
fn method_name(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"];
    let found = known.into_iter().find(|known| *known == method.as_str());
    found.unwrap_or("other")
}
