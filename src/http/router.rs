//! The map of all routes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state, map_request, map_response};
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use tower_http::decompression::RequestDecompressionLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::hosts::{self, Hosts};
use super::{HttpLimits, HttpState, context, layers, operations, problem, repos};

/// Every route with its handler; the OpenAPI document is made from the same map.
pub fn routes() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .merge(with_a_body())
        .routes(routes!(repos::list))
        .routes(routes!(repos::show, repos::remove))
        .routes(routes!(repos::sync))
        .routes(routes!(repos::collect))
        .routes(routes!(operations::health))
        .routes(routes!(operations::ready))
        .routes(routes!(operations::metrics))
        .routes(routes!(operations::openapi))
}

/// The routes whose requests have a body, which may be compressed.
fn with_a_body() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(context::context))
        .routes(routes!(context::repo_context))
        .routes(routes!(repos::register))
        .layer(RequestDecompressionLayer::new())
        .layer(map_request(layers::limit_encoded))
        .layer(map_response(layers::refused_coding))
}

/// The whole service.
pub fn router(state: HttpState) -> Router {
    let limits = state.limits;
    let (router, _) = routes().split_for_parts();
    bordered(router, &state.hosts, limits).with_state(state)
}

/// Responses with fewer bytes are not worth compressing.
const COMPRESSED_FROM: u64 = 1024;

/// The routes with what happens to every request, the innermost first.
fn bordered<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    hosts: &Hosts,
    limits: HttpLimits,
) -> Router<S> {
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(COMPRESSED_FROM));
    router
        .fallback(problem::not_found)
        .method_not_allowed_fallback(problem::method_not_allowed)
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(from_fn_with_state(hosts.clone(), hosts::check))
        .layer(from_fn(layers::keep_reserve))
        .layer(CatchPanicLayer::custom(layers::after_panic))
        .layer(from_fn_with_state(limits.request_timeout, layers::observe))
        .layer(compression)
        .layer(map_response(layers::as_answered))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::{Body, to_bytes};
    use axum::http::{Request, StatusCode};
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    async fn broken() -> &'static str {
        panic!("inner words")
    }

    #[tokio::test]
    async fn a_panic_is_one_problem_and_the_next_request_is_served() {
        let limits = HttpLimits {
            body_bytes: 1024,
            max_query_bytes: 1024,
            request_timeout: Duration::from_secs(60),
        };
        let routes = Router::new()
            .route("/broken", get(broken))
            .route("/sound", get(|| async { "sound" }));
        let app: Router = bordered(routes, &Hosts::Any, limits);
        let ask = |path: &str| {
            let request = Request::get(path).body(Body::empty());
            app.clone().oneshot(request.expect("a request"))
        };
        let response = ask("/broken").await.expect("an answer");
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let body = to_bytes(response.into_body(), 4096).await.expect("a body");
        let text = String::from_utf8_lossy(&body);
        assert!(text.contains("\"code\":\"internal\"") && text.contains("request_id"));
        assert!(!text.contains("inner words"), "what failed is for the log");
        let response = ask("/sound").await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
    }
}
