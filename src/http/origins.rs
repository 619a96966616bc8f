//! Which web pages may have something done. Browsers send some requests of any page to any server, without asking
//! it first: those without a body, for example. They cannot read the answer, but the request is carried out. So a
//! request that does more than look is refused where the browser says that it comes from another origin's page
//! (<https://www.w3.org/TR/fetch-metadata/>). Programs that are no browsers do not send the header.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HeaderName, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::problem::Problem;

/// The header in which browsers say where a request comes from; pages cannot set it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses requests of other origins' pages that do more than look, but for those of `origins`.
pub async fn check(State(origins): State<Arc<[String]>>, request: Request, next: Next) -> Response {
    if request.method().is_safe() || is_allowed(request.headers(), &origins) {
        return next.run(request).await;
    }
    Problem::new(
        StatusCode::FORBIDDEN,
        "origin_not_allowed",
        "pages of other origins may not do this; add theirs to server.allow_origins",
    )
    .into_response()
}

fn is_allowed(headers: &HeaderMap, origins: &[String]) -> bool {
    let Some(site) = headers.get(SEC_FETCH_SITE) else {
        return true;
    };
    let is_named = |origin: &String| headers.get(ORIGIN).is_some_and(|named| named == origin);
    // `none`: the user's own doing, such as an address that was typed.
    site == "same-origin" || site == "none" || origins.iter().any(is_named)
}
