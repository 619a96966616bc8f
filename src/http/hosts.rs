//! Which `Host` a request may name. A page in a browser can make its own host name point to this
//! machine and then read answers as its own; it cannot make the browser name another host. So a
//! server that only this machine can reach answers to the names of this machine alone.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;

/// The hosts that requests may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// All: whoever stands before the server decides.
    Any,
    /// The loopback addresses, `localhost`, and these.
    Local(Arc<[String]>),
}

impl Hosts {
    fn allow(&self, host: &str) -> bool {
        let Self::Local(named) = self else {
            return true;
        };
        let bare = without_port(host).trim_end_matches('.');
        let address = bare.trim_start_matches('[').trim_end_matches(']');
        let is_local = bare.eq_ignore_ascii_case("localhost")
            || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        is_local || named.iter().any(|name| name.eq_ignore_ascii_case(bare))
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Refuses requests that name another host.
pub async fn check(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let header = request.headers().get(header::HOST);
    let named = header
        .and_then(|host| host.to_str().ok())
        .or_else(|| request.uri().host())
        .unwrap_or("");
    if hosts.allow(named) {
        return next.run(request).await;
    }
    Problem::new(
        StatusCode::FORBIDDEN,
        "host_not_allowed",
        "this server answers to the names of its own machine; add others to server.allow_hosts",
    )
    .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_and_those_given_are_allowed() {
        let hosts = Hosts::Local(Arc::from(["proxy.example.org".to_owned()]));
        for good in [
            "127.0.0.1:7878",
            "127.0.0.1",
            "[::1]:7878",
            "[::1]",
            "localhost:7878",
            "LOCALHOST",
            "proxy.example.org",
            "Proxy.Example.org:80",
        ] {
            assert!(hosts.allow(good), "{good}");
        }
        for bad in [
            "",
            "evil.example.org",
            "evil.example.org:7878",
            "127.0.0.1.example.org",
            "localhost.example.org",
            "192.168.0.1",
        ] {
            assert!(!hosts.allow(bad), "{bad}");
            assert!(Hosts::Any.allow(bad));
        }
    }
}
