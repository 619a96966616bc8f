//! The map of all routes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{HttpState, context, layers, operations, problem, repos};

/// Every route with its handler; the OpenAPI document is made from the same map.
pub fn routes() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(context::context))
        .routes(routes!(context::repo_context))
        .routes(routes!(repos::list, repos::register))
        .routes(routes!(repos::show, repos::remove))
        .routes(routes!(repos::sync))
        .routes(routes!(operations::health))
        .routes(routes!(operations::ready))
        .routes(routes!(operations::metrics))
        .routes(routes!(operations::openapi))
}

/// The whole service.
pub fn router(state: HttpState) -> Router {
    let limits = state.limits;
    let (router, _) = routes().split_for_parts();
    router
        .fallback(problem::not_found)
        .method_not_allowed_fallback(problem::method_not_allowed)
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(CatchPanicLayer::custom(layers::after_panic))
        .layer(from_fn_with_state(limits.request_timeout, layers::observe))
        .with_state(state)
}
