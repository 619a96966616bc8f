//! What happens to every request at the border: its id, its time limit, its log line, its metrics,
//! and its problem rendered. It never looks into a body.

use std::any::Any;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{ALLOW, CONNECTION};
use axum::http::{HeaderName, HeaderValue, Method};
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
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::request_timeout().into_response(),
    };
    let problem = response.extensions_mut().remove::<Problem>();
    let code = problem.as_ref().map(|problem| problem.code);
    if let Some(problem) = problem {
        let bare = response;
        response = problem.render(&id);
        for name in [ALLOW, CONNECTION] {
            if let Some(value) = bare.headers().get(&name) {
                response.headers_mut().insert(name, value.clone());
            }
        }
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let status = response.status().as_u16();
    record(&route, method, status, code, start.elapsed());
    tracing::info!(
        request_id = id,
        method,
        route,
        status,
        code,
        ms = start.elapsed().as_secs_f64() * 1000.0,
        "request"
    );
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
    let mut response = Problem::too_many_connections().into_response();
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}

/// The response to a handler that panicked.
pub fn after_panic(_: Box<dyn Any + Send + 'static>) -> Response {
    metrics::counter!("foveate_panics_total").increment(1);
    Problem::internal().into_response()
}

fn record(
    route: &str,
    method: &'static str,
    status: u16,
    code: Option<&'static str>,
    time: Duration,
) {
    let labels = [
        ("route", route.to_owned()),
        ("method", method.to_owned()),
        ("status", status.to_string()),
    ];
    metrics::counter!("foveate_http_requests_total", &labels).increment(1);
    metrics::histogram!("foveate_http_request_seconds", "route" => route.to_owned()).record(time);
    if let Some(code) = code {
        metrics::counter!("foveate_problems_total", "code" => code).increment(1);
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
