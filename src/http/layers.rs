//! The functions and layers that the stack around all routes is made of ([`super::router`]), where
//! tower and tower-http leave something to us: our problems, our metrics, the fields of our log lines.
//! None looks into a body.

use std::any::Any;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::header::{
    ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Method, Response as HttpResponse, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower::BoxError;
use tower_http::request_id::RequestId;
use tracing::Span;
use tracing::field::Empty;

use super::problem::Problem;
use crate::telemetry::metrics::request_seconds;
use crate::telemetry::trace;

/// The header that carries a request's id in both directions.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request as text. Ours are, and a client's is only kept where it is safe to repeat.
pub fn id_text(id: &RequestId) -> &str {
    id.header_value().to_str().unwrap_or_default()
}

/// Removes a client's request id that is not safe to repeat, so that the request gets a new one.
pub fn strip_unsafe_id<B>(mut request: HttpRequest<B>) -> HttpRequest<B> {
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

type HttpRequest<B> = axum::http::Request<B>;

/// The span of a request. Every line that is logged below it, on whatever thread, has its fields;
/// those that are empty here are filled in where they become known. At the level of errors, so that it
/// is there whatever the filter lets through.
pub fn request_span<B>(request: &HttpRequest<B>) -> Span {
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

/// Routes that machines ask every few seconds: nobody wants to read that all is well.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Marks the response to a probe.
#[derive(Clone, Copy, Debug)]
struct Probe;

/// Logs that a request was answered, in its span.
pub fn log_response<B>(response: &HttpResponse<B>, time: Duration, span: &Span) {
    let code = response.extensions().get::<ProblemCode>();
    let code = code.map(|code| code.0);
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                status = response.status().as_u16(),
                code,
                ms = time.as_secs_f64() * 1000.0,
                "request"
            )
        };
    }
    if response.extensions().get::<Probe>().is_some() && response.status().is_success() {
        line!(debug);
    } else {
        line!(info);
    }
    trace::end(span, response.status().as_u16(), code);
}

/// The code of the problem that a response is.
#[derive(Clone, Copy, Debug)]
struct ProblemCode(&'static str);

/// Counts a request and its time. Ours, since tower-http counts requests in flight alone, and not by
/// route, status and code.
pub async fn measure(request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = method_name(request.method());
    let route = route(&request).to_owned();
    let mut response = next.run(request).await;
    if PROBES.contains(&&*route) {
        response.extensions_mut().insert(Probe);
    }
    let span = Span::current();
    request_seconds(&route, start.elapsed(), trace::sampled_id(&span));
    if let Some(parent) = trace::parent(&span) {
        response.headers_mut().insert(trace::TRACEPARENT, parent);
    }
    let status = response.status().as_u16().to_string();
    let labels = [
        ("route", route),
        ("method", method.to_owned()),
        ("status", status),
    ];
    metrics::counter!("foveate_http_requests_total", &labels).increment(1);
    if let Some(ProblemCode(code)) = response.extensions().get() {
        metrics::counter!("foveate_problems_total", "code" => *code).increment(1);
    }
    response
}

/// Writes out the problem that a handler or a layer of ours answered with, or that a bare response of
/// tower-http's layers stands for. No standard layer knows our problems.
pub async fn render_problems(request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let version = request.version();
    let mut bare = next.run(request).await;
    let problem = bare.extensions_mut().remove::<Problem>();
    let mut response = match problem.or_else(|| problem_of_layer(&bare)) {
        Some(problem) => rendered(problem, &bare, id.as_ref().map_or("", id_text), version),
        None => bare,
    };
    let status = response.status();
    response.extensions_mut().insert(status);
    response
}

/// What a layer of tower-http, or the SDK behind `/mcp`, refused. Handlers give each of these statuses with a problem.
fn problem_of_layer(response: &Response) -> Option<Problem> {
    match response.status() {
        StatusCode::REQUEST_TIMEOUT => Some(Problem::request_timeout()),
        StatusCode::PAYLOAD_TOO_LARGE => Some(Problem::body_too_large()),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Some(Problem::unsupported_media_type()),
        _ => None,
    }
}

fn rendered(problem: Problem, bare: &Response, id: &str, version: Version) -> Response {
    let code = problem.code;
    let mut response = problem.render(id);
    response.extensions_mut().insert(ProblemCode(code));
    let headers = response.headers_mut();
    for name in [ALLOW, ACCEPT_ENCODING] {
        if let Some(value) = bare.headers().get(&name) {
            headers.insert(name, value.clone());
        }
    }
    // The server closes the connection on what it has not read: the client must know.
    if UNREAD.contains(&code) && version < Version::HTTP_2 {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Problems of bodies that may not have been read to their end.
const UNREAD: [&str; 12] = [
    "body_too_large",
    "host_not_allowed",
    "invalid_body",
    "invalid_host",
    "invalid_token",
    "missing_token",
    "origin_not_allowed",
    "rate_limited",
    "request_timeout",
    "too_many_connections",
    "unsupported_encoding",
    "unsupported_media_type",
];

/// Gives a response the status back that the request was answered with. Compression makes 406 of what
/// it can send in no accepted coding, when the request has long been carried out; it is sent as it is.
pub fn as_answered<B>(mut response: HttpResponse<B>) -> HttpResponse<B> {
    if let Some(status) = response.extensions().get::<StatusCode>().copied() {
        *response.status_mut() = status;
    }
    response
}

/// Tells browsers that a response is data: nothing of what repositories and clients wrote is guessed to be markup
/// or run, and no page shows it in a frame. The page at `/` says for itself what may run in it.
pub fn as_data<B>(mut response: HttpResponse<B>) -> HttpResponse<B> {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(NOTHING));
    response
}

/// The content security policy of what is no page.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

/// The response to a request beyond the limit of requests in flight.
pub async fn shed(_: BoxError) -> Problem {
    Problem::too_many_connections()
}

/// The response to a handler that panicked.
pub fn after_panic(_: Box<dyn Any + Send + 'static>) -> Response {
    Problem::internal().into_response()
}

/// The route that a request was found to have, with its parameters as they are declared.
fn route<B>(request: &HttpRequest<B>) -> &str {
    let path = request.extensions().get::<MatchedPath>();
    path.map_or("none", MatchedPath::as_str)
}

/// Methods as a label with few values.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
