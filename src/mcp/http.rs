//! Serves `/mcp`: the streamable HTTP transport. Every request is independent, so that no client state is
//! kept between requests. Hosts, origins, tokens, sizes and request rates are checked by the surrounding
//! layers.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest as _, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tracing::Span;

use super::McpService;
use super::message::{self, Refusal};

/// Path of the endpoint.
pub const PATH: &str = "/mcp";

/// Builds the route. Calls in flight end with the connections of the server: the SDK would answer them with an error at the
/// beginning of a graceful stop.
pub fn route<S: Clone + Send + Sync + 'static>(
    service: McpService,
    max_body_bytes: usize,
) -> Router<S> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(max_body_bytes)
        // Layers around all routes check both.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let endpoint = StreamableHttpService::new(
        move || Ok(service.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new()
        .route_service(PATH, endpoint)
        .layer(from_fn(refuse_unusable))
}

/// Refuses bodies that are not a valid message. The SDK would report a wrong media type instead.
async fn refuse_unusable(request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !is_json(request.headers()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    // The SDK handles each request in a task of its own, outside of the span.
    parts.extensions.insert(Span::current());
    let with_limits = Request::from_parts(parts.clone(), body);
    let bytes = match Bytes::from_request(with_limits, &()).await {
        Ok(bytes) => bytes,
        Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return rejection.into_response();
        }
        // A layer around this route decoded it.
        Err(_) => return refused(&Refusal::unreadable("the body ended early")),
    };
    match message::read(&bytes) {
        Ok(_) => {
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
        Err(refusal) => refused(&refusal),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let named = headers
        .get(CONTENT_TYPE)
        .and_then(|named| named.to_str().ok());
    let kind = named.and_then(|named| named.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// Errors of a request with an id get status 200, where clients read them like those of calls.
fn refused(refusal: &Refusal) -> Response {
    let status = match refusal.error.code {
        ErrorCode::INVALID_PARAMS => StatusCode::OK,
        _ => StatusCode::BAD_REQUEST,
    };
    (status, Json(refusal.answer())).into_response()
}
