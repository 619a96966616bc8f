//! Which web pages may have something done. Browsers send some requests of any page to any server, without asking
//! it first: those without a body, for example. They cannot read the answer, but the request is carried out. So a
//! request that does more than look is refused where the browser says that it comes from another origin's page, by
//! `Sec-Fetch-Site` (<https://www.w3.org/TR/fetch-metadata/>) or, where it is too old for that, by `Origin`.
//! Programs that are no browsers send neither.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HeaderName, ORIGIN};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::hosts;
use super::problem::Problem;

/// The header in which browsers say where a request comes from; pages cannot set it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses requests of other origins' pages that do more than look, but for those of `origins`.
pub async fn check(State(origins): State<Arc<[String]>>, request: Request, next: Next) -> Response {
    if request.method().is_safe() || is_allowed(&request, &origins) {
        return next.run(request).await;
    }
    Problem::new(
        StatusCode::FORBIDDEN,
        "origin_not_allowed",
        "pages of other origins may not do this; add theirs to server.allow_origins",
    )
    .into_response()
}

fn is_allowed(request: &Request, origins: &[String]) -> bool {
    let named: Vec<&HeaderValue> = request.headers().get_all(ORIGIN).iter().collect();
    let is_listed = |named: &&HeaderValue| origins.iter().any(|origin| *named == origin);
    if !named.is_empty() && named.iter().all(is_listed) {
        return true;
    }
    match request.headers().get(SEC_FETCH_SITE) {
        // `none`: the user's own doing, such as an address that was typed.
        Some(site) => site == "same-origin" || site == "none",
        None => named.iter().all(|origin| is_own(origin, request)),
    }
}

/// Whether an origin is that of the server, as the request calls it.
fn is_own(origin: &HeaderValue, request: &Request) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let origin = ["http://", "https://"]
        .iter()
        .find_map(|scheme| origin.strip_prefix(scheme));
    let host = hosts::host(request).unwrap_or_default();
    origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
}
