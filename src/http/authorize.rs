//! Whose request it is. [`identify`] turns the token of a request into a [`Grant`] and takes a place in the
//! key's share; handlers take the grant as [`Caller`] and hand it to the rooms below, which decide by it.
//! tower-http has such a layer for one fixed token only.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{AUTHORIZATION, FORWARDED, HeaderName, VIA};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Span;

use super::connections::Peer;
use super::problem::Problem;
use crate::access::audit::{self, Action, Outcome};
use crate::access::{Authenticator, Grant, Unauthenticated};
use crate::config::ProbeAccess;

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

/// What decides who a request is from.
#[derive(Clone, Debug)]
pub struct Doorkeeper {
    /// Knows the keys.
    pub authenticator: Arc<Authenticator>,
    /// Who needs no token.
    pub without_token: ProbeAccess,
}

/// Gives a request its grant, or refuses it before its body is read.
pub async fn identify(
    State(doorkeeper): State<Doorkeeper>,
    mut request: Request,
    next: Next,
) -> Response {
    let grant = match doorkeeper.grant(&request) {
        Ok(grant) => grant,
        Err(error) => {
            audit::record_stranger();
            return Problem::from(error).into_response();
        }
    };
    Span::current().record("who", grant.who());
    let place = match grant.enter() {
        Ok(place) => place,
        Err(limited) => {
            audit::record(&grant, Action::Authenticate, None, Outcome::Limited);
            return Problem::from(limited).into_response();
        }
    };
    request.extensions_mut().insert(grant);
    let mut response = next.run(request).await;
    // It is in flight until its client has taken the answer.
    response.extensions_mut().insert(place);
    response
}

impl Doorkeeper {
    fn grant(&self, request: &Request) -> Result<Grant, Unauthenticated> {
        let token = token(request);
        if token.is_none() && self.lets_in(request) {
            return Ok(Grant::probe());
        }
        self.authenticator.grant(token)
    }

    fn lets_in(&self, request: &Request) -> bool {
        match self.without_token {
            ProbeAccess::Open => true,
            ProbeAccess::Loopback => is_from_this_machine(request),
            ProbeAccess::Token => false,
        }
    }
}

/// The token that a request shows.
pub(super) fn token(request: &Request) -> Option<&str> {
    let mut headers = request.headers().get_all(AUTHORIZATION).iter();
    // Of two, a proxy may have checked the other one.
    let (Some(header), None) = (headers.next(), headers.next()) else {
        return None;
    };
    let (scheme, token) = header.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// What proxies add to requests that they pass on.
const PASSED_ON: [HeaderName; 5] = [
    FORWARDED,
    VIA,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-real-ip"),
];

/// Whether a request was made on this machine, as far as it can be known: a proxy on this machine may pass
/// on those of others.
fn is_from_this_machine(request: &Request) -> bool {
    let peer = request.extensions().get::<Peer>();
    let is_passed_on = PASSED_ON
        .iter()
        .any(|name| request.headers().contains_key(name));
    peer.is_some_and(|Peer(address)| address.is_loopback()) && !is_passed_on
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(headers: &[(&str, &str)]) -> Request {
        let request = Request::get("/metrics");
        let add = |request: axum::http::request::Builder, (name, value): &(&str, &str)| {
            request.header(*name, *value)
        };
        let request = headers.iter().fold(request, add);
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn a_token_is_what_follows_bearer() {
        for (headers, wanted) in [
            (&[("authorization", "Bearer abc")][..], Some("abc")),
            (&[("authorization", "bearer  abc ")], Some("abc")),
            (&[("authorization", "Basic abc")], None),
            (&[("authorization", "Bearer ")], None),
            (&[("authorization", "Bearer")], None),
            (&[("authorization", "abc")], None),
            (&[], None),
            (
                &[("authorization", "Bearer a"), ("authorization", "Bearer b")],
                None,
            ),
        ] {
            assert_eq!(token(&request(headers)), wanted, "{headers:?}");
        }
    }

    #[tokio::test]
    async fn a_request_without_a_grant_fails() {
        let (mut parts, ()) = Request::new(()).into_parts();
        let problem = Caller::from_request_parts(&mut parts, &()).await;
        assert_eq!(problem.unwrap_err().code, "internal");
        parts.extensions.insert(Grant::unrestricted());
        let caller = Caller::from_request_parts(&mut parts, &()).await;
        assert!(caller.is_ok());
    }

    #[test]
    fn what_a_proxy_passes_on_is_not_from_this_machine() {
        let from = |peer: &str, headers: &[(&str, &str)]| {
            let mut request = request(headers);
            let peer = Peer(peer.parse().unwrap());
            request.extensions_mut().insert(peer);
            is_from_this_machine(&request)
        };
        assert!(from("127.0.0.1", &[]) && from("::1", &[]));
        assert!(!from("10.0.0.1", &[]));
        assert!(!is_from_this_machine(&request(&[])));
        for name in PASSED_ON {
            assert!(!from("127.0.0.1", &[(name.as_str(), "10.0.0.1")]));
        }
    }
}
