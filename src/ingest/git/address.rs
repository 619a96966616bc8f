//! Checks which hosts git may connect to: public ones, and those of private networks that the configuration
//! names. A host name is resolved once and git is told to use the found addresses, so that a name cannot be
//! checked as one address and used as another. That holds for http and https without a proxy.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};

use super::GitError;
use crate::engine::CloneAddress;

/// Hosts with private, link-local or loopback addresses to which git may connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrivateHosts {
    /// All hosts: only users of this machine can send queries.
    All,
    /// Hosts of these names, as [`crate::engine::host_name`] writes them.
    Named(Vec<String>),
}

/// Checks a remote's host and returns its addresses. Returns none if any address is allowed, so that git may
/// resolve the name itself, and if the remote gives an address, which needs no resolving.
///
/// # Errors
/// When the host has no address, or one that is not allowed.
pub fn check(remote: &CloneAddress, allowed: &PrivateHosts) -> Result<Vec<IpAddr>, GitError> {
    let PrivateHosts::Named(names) = allowed else {
        return Ok(Vec::new());
    };
    if remote.host.is_empty() || names.contains(&remote.host) {
        return Ok(Vec::new());
    }
    let host = &*remote.host;
    let private = || GitError::PrivateHost(host.to_owned());
    if let Ok(address) = host.parse::<IpAddr>() {
        return match is_public(address) {
            true => Ok(Vec::new()),
            false => Err(private()),
        };
    }
    let unknown =
        |reason: String| GitError::Unavailable(format!("cannot resolve {host}: {reason}"));
    let found: Vec<IpAddr> = (host, remote.port)
        .to_socket_addrs()
        .map_err(|error| unknown(error.to_string()))?
        .map(|address| address.ip())
        .collect();
    if found.is_empty() {
        return Err(unknown("it has no address".to_owned()));
    }
    if found.iter().any(|address| !is_public(*address)) {
        return Err(private());
    }
    Ok(found)
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => match embedded(v6) {
            Some(v4) => is_public_v4(v4),
            // Global unicast, without the ranges for protocols, such as Teredo, and for documentation.
            None => match v6.segments() {
                [0x2001, 0..0x200 | 0xdb8, ..] | [0x3fff, 0..0x1000, ..] => false,
                [first, ..] => first & 0xe000 == 0x2000,
            },
        },
    }
}

/// Returns the IPv4 address embedded in a NAT64, 6to4 or IPv4-mapped address.
fn embedded(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match v6.segments() {
        // Only the well-known prefix: in 64:ff9b:1::/48 each network chooses where the IPv4 address stands.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(v4(high, low)),
        [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => v6.to_ipv4_mapped(),
    }
}

fn is_public_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let set_apart = matches!((a, b, c), (192, 0, 0) | (198, 18 | 19, _));
    !(a == 0
        || a >= 224
        || shared
        || set_apart
        || v4.is_private()
        || v4.is_loopback()
        || v4.is_link_local()
        || v4.is_documentation())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_classified_as_public_or_private() {
        for (address, public) in [
            ("140.82.121.4", true),
            ("2606:4700::1", true),
            ("127.0.0.1", false),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("172.31.0.1", false),
            ("192.168.0.1", false),
            ("169.254.169.254", false),
            ("100.64.0.1", false),
            ("198.18.0.1", false),
            ("255.255.255.255", false),
            ("::1", false),
            ("::", false),
            ("fe80::1", false),
            ("fd00::1", false),
            ("::ffff:10.0.0.1", false),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b::8c52:7904", true),
            ("64:ff9b:1:7f00:0:100:8c52:7904", false),
            ("2002:7f00:1::", false),
            ("2001:0:7f00:1::8c52:7904", false),
            ("2001:db8::1", false),
            ("3fff::1", false),
            ("2001:200::1", true),
            ("::ffff:140.82.121.4", true),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }

    #[test]
    fn private_hosts_are_refused_unless_named() {
        let named = |names: &[&str]| {
            PrivateHosts::Named(names.iter().map(|&name| name.to_owned()).collect())
        };
        for (url, allowed, accepted) in [
            ("https://127.0.0.1/a", named(&[]), false),
            ("https://[::1]/a", named(&[]), false),
            ("https://[fd00::1]/a", named(&[]), false),
            ("https://[::ffff:127.0.0.1]/a", named(&[]), false),
            ("ssh://git@[::ffff:127.0.0.1]/a", named(&[]), false),
            ("https://0x7f.1/a", named(&[]), false),
            ("ssh://git@localhost/a", named(&[]), false),
            ("git@127.0.0.1:a", named(&[]), false),
            ("https://127.0.0.1/a", named(&["127.0.0.1"]), true),
            ("https://LOCALHOST/a", named(&["localhost"]), true),
            ("https://[::1]/a", named(&["::1"]), true),
            ("https://[::1]/a", named(&["127.0.0.1", "fd00::1"]), false),
            ("https://127.0.0.1/a", PrivateHosts::All, true),
        ] {
            let remote = remote(url);
            assert_eq!(check(&remote, &allowed).is_ok(), accepted, "{url}");
        }
    }

    #[test]
    fn literal_address_is_not_resolved() {
        for url in ["https://[2606:4700::1]/a", "https://140.82.121.4/a"] {
            let found = check(&remote(url), &PrivateHosts::Named(Vec::new()));
            assert_eq!(found.unwrap(), Vec::<IpAddr>::new(), "{url}");
        }
    }

    fn remote(url: &str) -> CloneAddress {
        CloneAddress::parse(url).unwrap()
    }
}
