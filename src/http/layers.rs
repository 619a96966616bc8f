//! What happens to every request at the border: its id, its time limit, its log line, its metrics,
//! and its problem rendered. It never looks into a body.

use std::any::Any;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::RequestExt as _;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_ENCODING};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::connections::Reserved;
use super::problem::Problem;

/// The header that carries a request's id in both directions.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of the request at hand.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// Wraps every request.
pub async fn observe(State(limit): State<Duration>, mut request: Request, next: Next) -> Response {
    let start = Instant::now();
    let id = request_id(&request);
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let method = method_name(request.method());
    let version = request.version();
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::request_timeout().into_response(),
    };
    let code = response.extensions().get::<Problem>().map(|p| p.code);
    response = rendered(response, &id, version);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let status = response.status();
    response.extensions_mut().insert(status);
    let done = Done {
        id: &id,
        route: &route,
        method,
        status,
        code,
        time: start.elapsed(),
    };
    done.count();
    done.log();
    response
}

/// The response, its problem written out where it carries one.
fn rendered(mut bare: Response, id: &str, version: Version) -> Response {
    let Some(problem) = bare.extensions_mut().remove::<Problem>() else {
        return bare;
    };
    let is_unread = UNREAD.contains(&problem.code);
    let mut response = problem.render(id);
    let headers = response.headers_mut();
    for name in [ALLOW, ACCEPT_ENCODING] {
        if let Some(value) = bare.headers().get(&name) {
            headers.insert(name, value.clone());
        }
    }
    // The server closes the connection on what it has not read: the client must know.
    if is_unread && version < Version::HTTP_2 {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Problems of bodies that may not have been read to their end.
const UNREAD: [&str; 6] = [
    "body_too_large",
    "invalid_body",
    "request_timeout",
    "too_many_connections",
    "unsupported_encoding",
    "unsupported_media_type",
];

/// Routes that machines ask every few seconds: nobody wants to read that all is well.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Bounds an encoded body as it is sent, too, by the same limit as what it is decoded to: it may go on
/// without end and hold nothing.
pub async fn limit_encoded(request: Request) -> Request {
    match request.headers().get(CONTENT_ENCODING) {
        Some(coding) if coding != "identity" => request.with_limited_body(),
        _ => request,
    }
}

/// Names the refusal of a body whose coding is not known.
pub async fn refused_coding(response: Response) -> Response {
    let is_named = response.extensions().get::<Problem>().is_some();
    if is_named || response.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return response;
    }
    let mut refused = Problem::unsupported_encoding().into_response();
    if let Some(codings) = response.headers().get(ACCEPT_ENCODING) {
        let codings = codings.clone();
        refused.headers_mut().insert(ACCEPT_ENCODING, codings);
    }
    refused
}

/// Gives a response the status back that the request was answered with. Compression makes 406 of what
/// it can send in no accepted coding, when the request has long been carried out; it is sent as it is.
pub async fn as_answered(mut response: Response) -> Response {
    if let Some(status) = response.extensions().get::<StatusCode>().copied() {
        *response.status_mut() = status;
    }
    response
}

/// Paths that are served on the connections beyond the limit.
const RESERVED_FOR: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Refuses what is not asked by operators on a connection that is kept for them.
pub async fn keep_reserve(request: Request, next: Next) -> Response {
    let is_reserved = request.extensions().get::<Reserved>().is_some();
    if !is_reserved || RESERVED_FOR.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    Problem::too_many_connections().into_response()
}

/// The response to a handler that panicked.
pub fn after_panic(_: Box<dyn Any + Send + 'static>) -> Response {
    metrics::counter!("foveate_panics_total").increment(1);
    Problem::internal().into_response()
}

/// A request that was answered.
struct Done<'a> {
    id: &'a str,
    route: &'a str,
    method: &'static str,
    status: StatusCode,
    code: Option<&'static str>,
    time: Duration,
}

impl Done<'_> {
    fn count(&self) {
        let labels = [
            ("route", self.route.to_owned()),
            ("method", self.method.to_owned()),
            ("status", self.status.as_u16().to_string()),
        ];
        metrics::counter!("foveate_http_requests_total", &labels).increment(1);
        let seconds =
            metrics::histogram!("foveate_http_request_seconds", "route" => self.route.to_owned());
        seconds.record(self.time);
        if let Some(code) = self.code {
            metrics::counter!("foveate_problems_total", "code" => code).increment(1);
        }
    }

    fn log(&self) {
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    request_id = self.id,
                    method = self.method,
                    route = self.route,
                    status = self.status.as_u16(),
                    code = self.code,
                    ms = self.time.as_secs_f64() * 1000.0,
                    "request"
                )
            };
        }
        if PROBES.contains(&self.route) && self.status.is_success() {
            line!(debug);
        } else {
            line!(info);
        }
    }
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

/// The client's own id where it is safe to repeat, otherwise a new one.
fn request_id(request: &Request) -> String {
    let given = request.headers().get(REQUEST_ID);
    let given = given.and_then(|id| id.to_str().ok()).filter(|id| {
        (1..=128).contains(&id.len())
            && id
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b))
    });
    given.map_or_else(new_id, str::to_owned)
}

/// Unique within and, by a random start, between processes.
fn new_id() -> String {
    static START: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:016x}-{number:08x}", *START)
}
