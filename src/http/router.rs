//! Defines all routes, serves the document that describes them, and builds the stack of layers around them.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::error_handling::HandleErrorLayer;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, COOKIE};
use axum::http::{HeaderName, Method};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::Semaphore;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower::{BoxError, ServiceBuilder};
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tower_http::timeout::TimeoutLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::authorize::{self, TokenCheck};
use super::hosts::{self, HostCheck, Hosts};
use super::openapi::problems::Unavailable;
use super::openapi::schemas::OpenApiDocument;
use super::problem::{self, Problem};
use super::{
    HttpLimits, HttpState, context, encoding, feedback, layers, lookup, openapi, operations,
    origins, page, repos, webhooks,
};
use crate::access::Authenticator;
use crate::config::ProbeAccess;
use crate::telemetry::trace;

/// Returns the OpenAPI document.
pub fn document() -> OpenApi {
    openapi::complete(routes().into_openapi())
}

/// The OpenAPI document of this interface.
#[utoipa::path(
    get, path = "/openapi.yaml", tag = "operations", operation_id = "openapi",
    responses((status = 200, description = "OpenAPI 3.1", body = OpenApiDocument, content_type = "application/yaml"), Unavailable)
)]
async fn serve_document() -> Result<Response, Problem> {
    // Most servers are never asked for it.
    static TEXT: LazyLock<Option<String>> = LazyLock::new(|| {
        let yaml = document().to_yaml();
        yaml.inspect_err(|error| tracing::error!(%error, "the OpenAPI document cannot be written"))
            .ok()
    });
    let text = TEXT.as_deref().ok_or_else(Problem::internal)?;
    Ok(([(CONTENT_TYPE, "application/yaml")], text).into_response())
}

/// Returns every route with its handler.
fn routes() -> OpenApiRouter<HttpState> {
    let probes = health().merge(metrics());
    body_routes()
        .merge(bodiless_routes())
        .merge(webhook_routes())
        .merge(probes)
}

/// Returns the routes whose requests have a body.
fn body_routes() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(context::context))
        .routes(routes!(context::repo_context))
        .routes(routes!(repos::register))
        .routes(routes!(feedback::submit))
}

/// Returns the webhook routes. Their bodies are not decoded, as the signature is over the bytes as sent.
fn webhook_routes() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new().routes(routes!(webhooks::receive))
}

fn bodiless_routes() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(repos::list))
        .routes(routes!(repos::show, repos::remove))
        .routes(routes!(repos::sync))
        .routes(routes!(lookup::definitions))
        .routes(routes!(lookup::references))
        .routes(routes!(lookup::outline))
        .routes(routes!(lookup::search))
        .routes(routes!(lookup::file))
        .routes(routes!(repos::collect))
        .routes(routes!(feedback::stats))
        .routes(routes!(serve_document))
}

/// Returns the health probes, which are answered regardless of the number of requests in flight.
fn health() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(operations::health))
        .routes(routes!(operations::ready))
}

/// Returns the metrics probe, whose answer names repositories.
fn metrics() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new().routes(routes!(operations::metrics))
}

/// Settings of the layers that check a request before its handler.
#[derive(Clone, Debug)]
pub struct RequestPolicy {
    /// The hosts that a request may name.
    pub hosts: Hosts,
    /// The origins whose pages may send requests from a browser.
    pub origins: Vec<String>,
    /// Checks the tokens.
    pub authenticator: Arc<Authenticator>,
    /// Who may request health without a token.
    pub health: ProbeAccess,
    /// Who may request metrics without a token.
    pub metrics: ProbeAccess,
}

impl RequestPolicy {
    /// Returns the layer that permits cross-origin requests of the listed origins; without it browsers permit
    /// none.
    fn cors(&self) -> Option<CorsLayer> {
        if self.origins.is_empty() {
            return None;
        }
        let origins = self.origins.iter().filter_map(|origin| origin.parse().ok());
        let shown = [
            "foveate-repo", "foveate-commit", "foveate-generation", "foveate-tokens",
            "foveate-issues", "retry-after", "x-request-id", "traceparent",
        ];
        let layer = CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_methods([Method::GET, Method::POST, Method::DELETE])
            .allow_headers([
                ACCEPT,
                AUTHORIZATION,
                CONTENT_ENCODING,
                CONTENT_TYPE,
                layers::REQUEST_ID,
                HeaderName::from_static("mcp-protocol-version"),
                HeaderName::from_static("mcp-method"),
                HeaderName::from_static("mcp-name"),
                // Headers that tracing in browsers adds.
                trace::TRACEPARENT,
                trace::TRACESTATE,
            ])
            .expose_headers(shown.map(HeaderName::from_static))
            .max_age(PREFLIGHT);
        Some(layer)
    }
}

/// Maximum webhooks in flight. Their senders are strangers until the body is read, and must not use up the memory or
/// the slots of others.
const MAX_WEBHOOKS: usize = 32;

/// Time for which browsers cache a preflight response.
const PREFLIGHT: Duration = Duration::from_secs(600);

/// Builds the whole service. `others` are routes of other components whose requests have a body. `in_flight` has a
/// permit for each request that may be in flight, probes excluded.
pub fn router(
    state: HttpState,
    others: Router<HttpState>,
    policy: &RequestPolicy,
    in_flight: Arc<Semaphore>,
) -> Router {
    let limits = state.limits;
    let caller = |without_token| {
        let token_check = TokenCheck {
            authenticator: Arc::clone(&policy.authenticator),
            without_token,
            hosts: policy.hosts.clone(),
        };
        from_fn_with_state(token_check, authorize::identify)
    };
    let bodies = ServiceBuilder::new()
        // Limits the bytes as sent, which may be endless and decode to nothing.
        .layer(RequestBodyLimitLayer::new(limits.max_body_bytes))
        .map_request(|request: Request<_>| request.map(Body::new))
        // For reading bodies, compressed or not: axum's own limit of 2 MB is not ours.
        .layer(DefaultBodyLimit::max(limits.max_body_bytes))
        .layer(from_fn_with_state(limits.max_body_bytes, encoding::decode));
    let webhook_limit = DefaultBodyLimit::max(state.forges.body_limit());
    let webhook_load = ServiceBuilder::new()
        .layer(HandleErrorLayer::new(|_: BoxError| async {
            Problem::too_many_webhooks()
        }))
        .load_shed()
        .layer(GlobalConcurrencyLimitLayer::new(MAX_WEBHOOKS));
    let load = ServiceBuilder::new()
        .layer(HandleErrorLayer::new(|_: BoxError| async {
            Problem::too_many_connections()
        }))
        .load_shed()
        .layer(GlobalConcurrencyLimitLayer::with_semaphore(in_flight));
    let routes = body_routes()
        .merge(OpenApiRouter::from(others))
        .layer(bodies)
        .merge(bodiless_routes())
        .layer(load.clone())
        .layer(caller(ProbeAccess::Token))
        .merge(webhook_routes().layer(webhook_limit).layer(webhook_load))
        .merge(health().layer(caller(policy.health)))
        .merge(metrics().layer(caller(policy.metrics)));
    let origins: Arc<[String]> = policy.origins.clone().into();
    let router = Router::from(routes)
        .layer(from_fn_with_state(origins, origins::check))
        .merge(page::routes().layer(load));
    let hosts = HostCheck {
        hosts: policy.hosts.clone(),
        authenticator: Arc::clone(&policy.authenticator),
    };
    with_stack(router, policy.cors(), Some(hosts), limits).with_state(state)
}

/// Smaller responses are not compressed, in bytes.
const MIN_COMPRESSED_BYTES: u64 = 1024;

/// Wraps the routes in the layers that every request passes, listed from the outermost to the innermost.
fn with_stack<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    cors: Option<CorsLayer>,
    hosts: Option<HostCheck>,
    limits: HttpLimits,
) -> Router<S> {
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(MIN_COMPRESSED_BYTES).and(NotForContentType::SSE));
    let stack = ServiceBuilder::new()
        .layer(SetSensitiveRequestHeadersLayer::new([
            AUTHORIZATION,
            COOKIE,
            HeaderName::from_static("x-gitlab-token"),
        ]))
        .map_request(layers::strip_unsafe_id)
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .map_response(layers::restore_status)
        .map_response(layers::mark_as_data)
        .layer(compression)
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(from_fn(layers::observe))
        .option_layer(cors)
        .layer(from_fn_with_state(
            limits.max_body_bytes,
            layers::render_problems,
        ))
        .layer(TimeoutLayer::with_status_code(
            axum::http::StatusCode::REQUEST_TIMEOUT,
            limits.request_timeout,
        ))
        .layer(CatchPanicLayer::custom(layers::after_panic))
        .option_layer(hosts.map(|hosts| from_fn_with_state(hosts, hosts::check)));
    router
        .fallback(problem::not_found)
        .method_not_allowed_fallback(problem::method_not_allowed)
        .layer(stack)
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use axum::http::{HeaderMap, StatusCode};
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    async fn panicking() -> &'static str {
        panic!("inner words")
    }

    /// Returns the request headers as a careless log line would show them.
    async fn headers(headers: HeaderMap) -> String {
        format!("{headers:?}")
    }

    fn app(request_timeout: Duration) -> Router {
        let limits = HttpLimits {
            max_body_bytes: 1024,
            max_query_bytes: 1024,
            request_timeout,
        };
        let routes = Router::new()
            .route("/broken", get(panicking))
            .route("/endless", get(std::future::pending::<()>))
            .route("/headers", get(headers));
        with_stack(routes, None, None, limits)
    }

    async fn ask(app: &Router, request: axum::http::request::Builder) -> (StatusCode, String) {
        let request = request.body(Body::empty()).expect("a request");
        let response = app.clone().oneshot(request).await.expect("an answer");
        let status = response.status();
        let body = to_bytes(response.into_body(), 4096).await.expect("a body");
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    #[tokio::test]
    async fn panic_becomes_a_problem_and_server_continues() {
        let app = app(Duration::from_secs(60));
        let (status, text) = ask(&app, Request::get("/broken")).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(text.contains("\"code\":\"internal\"") && text.contains("request_id"));
        assert!(!text.contains("inner words"), "what failed is for the log");
        let (status, _) = ask(&app, Request::get("/headers")).await;
        assert_eq!(status, StatusCode::OK);
    }

    #[tokio::test]
    async fn request_timeout_becomes_a_problem() {
        let app = app(Duration::from_millis(1));
        let (status, text) =
            ask(&app, Request::get("/endless").header("x-request-id", "a-1")).await;
        assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
        assert!(text.contains("\"code\":\"request_timeout\""), "{text}");
        assert!(text.contains("\"request_id\":\"a-1\""), "{text}");
    }

    #[tokio::test]
    async fn credentials_in_headers_are_redacted() {
        let app = app(Duration::from_secs(60));
        let request = Request::get("/headers")
            .header("authorization", "Bearer hidden-1")
            .header("cookie", "session=hidden-2")
            .header("user-agent", "shown");
        let (_, text) = ask(&app, request).await;
        assert!(
            text.contains("shown") && text.contains("Sensitive"),
            "{text}"
        );
        assert!(!text.contains("hidden"), "{text}");
    }
}
