//! The map of all routes, and the stack of layers around them.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::error_handling::HandleErrorLayer;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE};
use axum::http::{HeaderName, Method};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::{Extension, Router};
use tokio::sync::Semaphore;
use tower::ServiceBuilder;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::authorize::{self, Doorkeeper};
use super::hosts::{self, HostCheck, Hosts};
use super::{
    HttpLimits, HttpState, context, encoding, feedback, layers, lookup, openapi, operations,
    origins, page, problem, repos, webhooks,
};
use crate::access::Authenticator;
use crate::config::ProbeAccess;
use crate::telemetry::trace;

/// The OpenAPI document.
pub fn document() -> OpenApi {
    openapi::complete(routes().into_openapi())
}

/// Every route with its handler.
fn routes() -> OpenApiRouter<HttpState> {
    let probes = health().merge(metrics());
    with_a_body()
        .merge(without_a_body())
        .merge(deliveries())
        .merge(probes)
}

/// The routes whose requests have a body.
fn with_a_body() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(context::context))
        .routes(routes!(context::repo_context))
        .routes(routes!(repos::register))
        .routes(routes!(feedback::give))
}

/// Webhooks, whose bodies are signed as they are sent.
fn deliveries() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new().routes(routes!(webhooks::take))
}

fn without_a_body() -> OpenApiRouter<HttpState> {
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
        .routes(routes!(operations::openapi))
}

/// Probes, which are answered however many requests are in flight.
fn health() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(operations::health))
        .routes(routes!(operations::ready))
}

/// The probe that names repositories.
fn metrics() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new().routes(routes!(operations::metrics))
}

/// What decides about a request before its handler does.
#[derive(Clone, Debug)]
pub struct Border {
    /// Which hosts a request may name.
    pub hosts: Hosts,
    /// The origins whose pages may send requests from a browser.
    pub origins: Vec<String>,
    /// Whose request it is.
    pub authenticator: Arc<Authenticator>,
    /// Who may ask for health without a token.
    pub health: ProbeAccess,
    /// Who may ask for metrics without a token.
    pub metrics: ProbeAccess,
}

impl Border {
    /// What tells browsers whose pages may ask; without it they let no other page.
    fn cors(&self) -> Option<CorsLayer> {
        if self.origins.is_empty() {
            return None;
        }
        let origins = self.origins.iter().filter_map(|origin| origin.parse().ok());
        let shown = ["foveate-repo", "foveate-commit", "foveate-generation"]
            .into_iter()
            .chain([
                "foveate-tokens",
                "foveate-issues",
                "retry-after",
                "x-request-id",
                "traceparent",
            ]);
        let layer = CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_methods([Method::GET, Method::POST, Method::DELETE])
            .allow_headers([
                ACCEPT,
                AUTHORIZATION,
                CONTENT_TYPE,
                layers::REQUEST_ID,
                // What tracing in browsers adds.
                trace::TRACEPARENT,
                trace::TRACESTATE,
            ])
            .expose_headers(shown.map(HeaderName::from_static).collect::<Vec<_>>())
            .max_age(PREFLIGHT);
        Some(layer)
    }
}

/// How long browsers keep what they were told.
const PREFLIGHT: Duration = Duration::from_secs(600);

/// The whole service, with `others`, routes of other rooms whose requests have a body. `in_flight` has a
/// permit for each request that may be in flight, probes aside.
pub fn router(
    state: HttpState,
    others: Router<HttpState>,
    border: &Border,
    in_flight: Arc<Semaphore>,
) -> Router {
    let limits = state.limits;
    let caller = |without_token| {
        let doorkeeper = Doorkeeper {
            authenticator: Arc::clone(&border.authenticator),
            without_token,
        };
        from_fn_with_state(doorkeeper, authorize::identify)
    };
    let bodies = ServiceBuilder::new()
        // What is sent, which may go on without end and decode to nothing.
        .layer(RequestBodyLimitLayer::new(limits.body_bytes))
        .map_request(|request: Request<_>| request.map(Body::new))
        .layer(from_fn(encoding::decode))
        // What it is decoded to.
        .layer(DefaultBodyLimit::max(limits.body_bytes));
    let whole_deliveries = DefaultBodyLimit::max(state.forges.body_limit());
    let load = ServiceBuilder::new()
        .layer(HandleErrorLayer::new(layers::shed))
        .load_shed()
        .layer(GlobalConcurrencyLimitLayer::with_semaphore(in_flight));
    let routes = with_a_body()
        .merge(OpenApiRouter::from(others))
        .layer(bodies)
        .merge(without_a_body())
        .layer(load.clone())
        .layer(caller(ProbeAccess::Token))
        .merge(deliveries().layer(whole_deliveries).layer(load.clone()))
        .merge(health().layer(caller(border.health)))
        .merge(metrics().layer(caller(border.metrics)));
    let (router, document) = routes.split_for_parts();
    let document = Arc::new(openapi::complete(document));
    let origins: Arc<[String]> = border.origins.clone().into();
    let router = router
        .layer(Extension(document))
        .layer(from_fn_with_state(origins, origins::check))
        .merge(page::routes().layer(load));
    let hosts = HostCheck {
        hosts: border.hosts.clone(),
        authenticator: Arc::clone(&border.authenticator),
    };
    with_stack(router, border.cors(), Some(hosts), limits).with_state(state)
}

/// Responses with fewer bytes are not worth compressing.
const COMPRESSED_FROM: u64 = 1024;

/// The routes in the stack that every request passes, from the outside to the inside.
fn with_stack<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    cors: Option<CorsLayer>,
    hosts: Option<HostCheck>,
    limits: HttpLimits,
) -> Router<S> {
    let trace = TraceLayer::new_for_http()
        .make_span_with(layers::request_span)
        .on_request(())
        .on_response(layers::log_response)
        .on_body_chunk(())
        .on_eos(())
        // A status of 500 and more is in the line of the response.
        .on_failure(());
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(COMPRESSED_FROM).and(NotForContentType::SSE));
    let stack = ServiceBuilder::new()
        .layer(SetSensitiveRequestHeadersLayer::new([
            AUTHORIZATION,
            COOKIE,
            HeaderName::from_static("x-gitlab-token"),
        ]))
        .map_request(layers::strip_unsafe_id)
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .map_response(layers::as_answered)
        .map_response(layers::as_data)
        .layer(compression)
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(trace)
        .layer(from_fn(layers::measure))
        .option_layer(cors)
        .layer(from_fn(layers::render_problems))
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

    async fn broken() -> &'static str {
        panic!("inner words")
    }

    /// The headers of a request as a careless line of the log would show them.
    async fn headers(headers: HeaderMap) -> String {
        format!("{headers:?}")
    }

    fn app(request_timeout: Duration) -> Router {
        let limits = HttpLimits {
            body_bytes: 1024,
            max_query_bytes: 1024,
            request_timeout,
        };
        let routes = Router::new()
            .route("/broken", get(broken))
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
    async fn a_panic_is_one_problem_and_the_next_request_is_served() {
        let app = app(Duration::from_secs(60));
        let (status, text) = ask(&app, Request::get("/broken")).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(text.contains("\"code\":\"internal\"") && text.contains("request_id"));
        assert!(!text.contains("inner words"), "what failed is for the log");
        let (status, _) = ask(&app, Request::get("/headers")).await;
        assert_eq!(status, StatusCode::OK);
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_is_a_problem() {
        let app = app(Duration::from_millis(1));
        let (status, text) =
            ask(&app, Request::get("/endless").header("x-request-id", "a-1")).await;
        assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
        assert!(text.contains("\"code\":\"request_timeout\""), "{text}");
        assert!(text.contains("\"request_id\":\"a-1\""), "{text}");
    }

    #[tokio::test]
    async fn credentials_in_headers_are_not_shown() {
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
