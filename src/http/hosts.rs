//! Checks the `Host` header against DNS rebinding. A web page can make its own host name resolve to this
//! machine and then read answers as its own, but it cannot make the browser send another host. So a request
//! that needs no token must name the server by a host that no such page can have.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::bearer;
use super::problem::Problem;
use crate::access::Authenticator;

/// The hosts that requests may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// For a server that only this machine can reach: loopback addresses, `localhost`, and these names.
    Local(Arc<[String]>),
    /// For a server that others can reach: addresses, names without a dot, and these names. The host name of
    /// a malicious page is public and so has a dot; names of containers and services need none.
    Network(Arc<[String]>),
}

impl Hosts {
    /// Whether a request without a token may name the host.
    pub fn allow(&self, host: &str) -> bool {
        let name = without_port(host);
        let bare = name.trim_end_matches('.');
        let address = bare.trim_start_matches('[').trim_end_matches(']');
        let address = address.parse::<IpAddr>();
        let (is_own, named) = match self {
            Self::Local(named) => (address.is_ok_and(|ip| ip.is_loopback()), named),
            Self::Network(named) => (address.is_ok() || is_single_label(name), named),
        };
        is_own
            || bare.eq_ignore_ascii_case("localhost")
            || named.iter().any(|name| name.eq_ignore_ascii_case(bare))
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_single_label(name: &str) -> bool {
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    !name.is_empty() && name.bytes().all(is_allowed)
}

/// State of [`check`].
#[derive(Clone, Debug)]
pub struct HostCheck {
    /// The allowed hosts.
    pub hosts: Hosts,
    /// Tells whether a token is needed, and checks it.
    pub authenticator: Arc<Authenticator>,
}

impl HostCheck {
    /// Whether the request cannot come from a page without a token.
    fn is_exempt(&self, request: &Request) -> bool {
        if !self.authenticator.needs_token() {
            return false;
        }
        let is_optional = matches!(&self.hosts, Hosts::Network(named) if named.is_empty());
        let token = bearer::token(request);
        is_optional || token.is_some_and(|token| self.authenticator.grant(Some(token)).is_ok())
    }
}

/// Refuses requests that name two hosts, or a host that is not allowed.
pub async fn check(State(check): State<HostCheck>, request: Request, next: Next) -> Response {
    let Some(host) = host(&request) else {
        let detail = "the request names two hosts or an invalid one: send one Host header, and the same host \
             in an absolute URL";
        return Problem::new(StatusCode::BAD_REQUEST, "invalid_host", detail).into_response();
    };
    if check.hosts.allow(host) || check.is_exempt(&request) {
        return next.run(request).await;
    }
    let detail = match check.hosts {
        Hosts::Local(_) => {
            "this server accepts only hosts that name its own machine; add others to server.allow_hosts"
        }
        Hosts::Network(_) => {
            "without a token this server accepts only addresses, localhost and names without a dot as host; add others \
             to server.allow_hosts"
        }
    };
    Problem::new(StatusCode::FORBIDDEN, "host_not_allowed", detail).into_response()
}

/// Returns the host that a request names; empty if it names none. `None` if it names two: a proxy before the
/// server may have decided by the other one.
pub(super) fn host(request: &Request) -> Option<&str> {
    let mut headers = request.headers().get_all(HOST).iter();
    let (header, further) = (headers.next(), headers.next());
    let target = request.uri();
    match (header, target.authority()) {
        _ if further.is_some() => None,
        (Some(header), Some(authority)) => {
            is_same_host(header, authority, target).then_some(authority.as_str())
        }
        (Some(header), None) => header.to_str().ok(),
        (None, authority) => Some(authority.map_or("", Authority::as_str)),
    }
}

fn is_same_host(header: &HeaderValue, authority: &Authority, target: &Uri) -> bool {
    let Ok(header) = Authority::try_from(header.as_bytes()) else {
        return false;
    };
    let default_port = match target.scheme_str() {
        Some("https") => 443,
        _ => 80,
    };
    let port = |authority: &Authority| authority.port_u16().unwrap_or(default_port);
    header.host().eq_ignore_ascii_case(authority.host()) && port(&header) == port(authority)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn named() -> Arc<[String]> {
        Arc::from(["proxy.example.org".to_owned()])
    }

    #[test]
    fn local_server_allows_own_and_configured_names() {
        let hosts = Hosts::Local(named());
        for good in [
            "127.0.0.1:7878", "127.0.0.1", "[::1]:7878", "[::1]", "localhost:7878", "LOCALHOST",
            "proxy.example.org", "Proxy.Example.org:80",
        ] {
            assert!(hosts.allow(good), "{good}");
        }
        for bad in [
            "", "evil.example.org", "evil.example.org:7878", "127.0.0.1.example.org",
            "localhost.example.org", "192.168.0.1", "foveate:7878",
        ] {
            assert!(!hosts.allow(bad), "{bad}");
        }
    }

    #[test]
    fn network_server_allows_addresses_and_single_label_names() {
        let hosts = Hosts::Network(named());
        for good in [
            "127.0.0.1:7878", "192.168.0.1:7878", "[fd00::1]:7878", "localhost", "foveate:8080",
            "foveate", "proxy.example.org",
        ] {
            assert!(hosts.allow(good), "{good}");
        }
        for bad in [
            "", ":7878", "evil.example.org", "evil.", "127.0.0.1.example.org", "me@evil", "[evil]",
        ] {
            assert!(!hosts.allow(bad), "{bad}");
        }
    }

    #[test]
    fn request_with_two_hosts_is_refused() {
        let request = |target: &str, hosts: &[&str]| {
            let request = Request::get(target);
            let add =
                |request: axum::http::request::Builder, host: &&str| request.header(HOST, *host);
            let request = hosts.iter().fold(request, add);
            request.body(Body::empty()).unwrap()
        };
        for (target, hosts, wanted) in [
            ("/repos", &["a"][..], Some("a")),
            ("/repos", &[], Some("")),
            ("/repos", &["a", "a"], None),
            ("/repos", &["a", "b"], None),
            ("http://a/repos", &["a"], Some("a")),
            ("http://a/repos", &["A:80"], Some("a")),
            ("http://a:1/repos", &["a:1"], Some("a:1")),
            ("http://a/repos", &[], Some("a")),
            ("http://a/repos", &["b"], None),
            ("http://a:1/repos", &["a:2"], None),
            ("https://a/repos", &["a:80"], None),
        ] {
            assert_eq!(host(&request(target, hosts)), wanted, "{target} {hosts:?}");
        }
    }
}
