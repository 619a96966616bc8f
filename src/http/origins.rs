//! Protects against cross-site request forgery. Browsers send some requests of any page to any server without
//! a preflight: those without a body, for example. The page cannot read the answer, but the request is
//! carried out. So an unsafe request is refused if the browser says that it comes from a page of another
//! origin, by `Sec-Fetch-Site` (<https://www.w3.org/TR/fetch-metadata/>) or, in older browsers, by `Origin`.
//! Programs that are not browsers send neither.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HeaderName, ORIGIN};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::hosts;
use super::problem::Problem;

/// The header in which browsers tell where a request comes from; pages cannot set it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses requests with an unsafe method from pages of other origins, except those in `origins`.
pub async fn check(State(origins): State<Arc<[String]>>, request: Request, next: Next) -> Response {
    if request.method().is_safe() || is_allowed(&request, &origins) {
        return next.run(request).await;
    }
    Problem::new(
        StatusCode::FORBIDDEN,
        "origin_not_allowed",
        "pages of other origins may not send this request; add their origins to server.allow_origins",
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
        // `none`: started by the user, for example by typing a URL.
        Some(site) => site == "same-origin" || site == "none",
        None => named.iter().all(|origin| is_own(origin, request)),
    }
}

/// Whether an origin is that of the server, by the host that the request names.
fn is_own(origin: &HeaderValue, request: &Request) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let origin = ["http://", "https://"]
        .iter()
        .find_map(|scheme| origin.strip_prefix(scheme));
    let host = hosts::host(request).unwrap_or_default();
    origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
}
