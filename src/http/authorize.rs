//! Authenticates requests. [`identify`] turns the token of a request into a [`Grant`] and counts the request
//! against the key's limits; handlers take the grant as [`Caller`] and pass it to the layers below, which check it. The
//! similar layer of tower-http accepts only one fixed token.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{FORWARDED, HeaderName, VIA};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Span;

use super::bearer;
use super::connections::PeerAddress;
use super::hosts::{self, Hosts};
use super::problem::Problem;
use crate::access::audit::{self, Action, Outcome};
use crate::access::{Authenticator, Grant, Unauthenticated};
use crate::config::ProbeAccess;

/// The grant of a request.
#[derive(Clone, Debug)]
pub struct Caller(pub Grant);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    /// Fails if no layer set a grant: that is a bug of the router.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let grant = parts.extensions.get::<Grant>().cloned();
        grant.map(Self).ok_or_else(Problem::internal)
    }
}

/// State of [`identify`].
#[derive(Clone, Debug)]
pub struct TokenCheck {
    /// Checks the keys.
    pub authenticator: Arc<Authenticator>,
    /// Who needs no token.
    pub without_token: ProbeAccess,
    /// The hosts that a request without a token may name.
    pub hosts: Hosts,
}

/// Attaches the grant to a request, or refuses the request before its body is read.
pub async fn identify(
    State(token_check): State<TokenCheck>,
    mut request: Request,
    next: Next,
) -> Response {
    let grant = match token_check.grant(&request) {
        Ok(grant) => grant,
        Err(error) => {
            audit::record_unauthenticated();
            return Problem::from(error).into_response();
        }
    };
    Span::current().record("who", grant.who());
    let slot = match grant.enter() {
        Ok(slot) => slot,
        Err(limited) => {
            audit::record(&grant, Action::Authenticate, None, Outcome::Limited);
            return Problem::from(limited).into_response();
        }
    };
    request.extensions_mut().insert(grant);
    let mut response = next.run(request).await;
    // The request counts as in flight until its client has received the answer.
    response.extensions_mut().insert(slot);
    response
}

impl TokenCheck {
    fn grant(&self, request: &Request) -> Result<Grant, Unauthenticated> {
        let token = bearer::token(request);
        if token.is_none() && self.needs_no_token(request) {
            return Ok(Grant::probe());
        }
        self.authenticator.grant(token)
    }

    fn needs_no_token(&self, request: &Request) -> bool {
        match self.without_token {
            ProbeAccess::Open => true,
            // A browser on this machine may send the request for a page that rebinds its own host name.
            ProbeAccess::Loopback => {
                let host = hosts::host(request);
                is_from_this_machine(request) && host.is_some_and(|host| self.hosts.allow(host))
            }
            ProbeAccess::Token => false,
        }
    }
}

/// Headers that proxies add to forwarded requests.
const FORWARDING_HEADERS: [HeaderName; 5] = [
    FORWARDED,
    VIA,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-real-ip"),
];

/// Whether a request was made on this machine, as far as this can be known: a proxy on this machine may
/// forward requests of others.
fn is_from_this_machine(request: &Request) -> bool {
    let peer = request.extensions().get::<PeerAddress>();
    let is_forwarded = FORWARDING_HEADERS
        .iter()
        .any(|name| request.headers().contains_key(name));
    peer.is_some_and(|PeerAddress(address)| address.is_loopback()) && !is_forwarded
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

    #[tokio::test]
    async fn request_without_a_grant_fails() {
        let (mut parts, ()) = Request::new(()).into_parts();
        let problem = Caller::from_request_parts(&mut parts, &()).await;
        assert_eq!(problem.unwrap_err().code, "internal");
        parts.extensions.insert(Grant::unrestricted());
        let caller = Caller::from_request_parts(&mut parts, &()).await;
        assert!(caller.is_ok());
    }

    #[test]
    fn forwarded_request_is_not_from_this_machine() {
        let from = |peer: &str, headers: &[(&str, &str)]| {
            let mut request = request(headers);
            let peer = PeerAddress(peer.parse().unwrap());
            request.extensions_mut().insert(peer);
            is_from_this_machine(&request)
        };
        assert!(from("127.0.0.1", &[]) && from("::1", &[]));
        assert!(!from("10.0.0.1", &[]));
        assert!(!is_from_this_machine(&request(&[])));
        for name in FORWARDING_HEADERS {
            assert!(!from("127.0.0.1", &[(name.as_str(), "10.0.0.1")]));
        }
    }
}
