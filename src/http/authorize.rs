//! Whose request it is. The layer puts a [`Grant`] into each request; handlers take it as [`Caller`] and
//! hand it to the rooms below, which decide by it.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::problem::Problem;
use crate::access::Grant;

/// The grant of a request.
#[derive(Clone, Debug)]
pub struct Caller(pub Grant);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    /// A request that no layer gave a grant may do nothing.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let grant = parts.extensions.get::<Grant>().cloned();
        grant.map(Self).ok_or_else(Problem::internal)
    }
}
