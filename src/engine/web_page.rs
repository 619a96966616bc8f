//! Derives a repository's web page from its clone location.

use foveate_query::permalink::WebPage;

use super::CloneAddress;

/// Hosts whose repositories have a page at their clone address.
const KNOWN: &[&str] = &["github.com", "gitlab.com", "codeberg.org", "bitbucket.org"];

/// Returns the web page of a repository, without credentials; `None` where the host is not known.
pub fn of(location: &str) -> Option<WebPage> {
    let address = CloneAddress::parse(location).ok()?;
    let (host, path) = (&*address.host, address.project());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/".contains(c);
    // Another port than those of the web site is another server.
    let is_site = !address.is_http() || matches!(address.port, 80 | 443);
    let is_page = is_site
        && KNOWN.contains(&host)
        && path.contains('/')
        && !path.contains("..")
        && path.chars().all(is_plain);
    is_page.then(|| WebPage::guess(&format!("https://{host}/{path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_known_hosts_are_found_without_credentials() {
        let wanted = Some(WebPage::guess("https://github.com/acme/shop"));
        for location in [
            "https://github.com/acme/shop",
            "https://github.com/acme/shop.git",
            "https://user:secret@GitHub.com/acme/shop.git/",
            "ssh://git@github.com/acme/shop.git",
            "git@github.com:acme/shop.git",
            "git@GitHub.com:/acme/shop",
        ] {
            assert_eq!(of(location), wanted, "{location}");
        }
        for location in [
            "/srv/shop.git",
            "https://git.example.com/acme/shop",
            "https://github.com/shop",
            "https://github.com:8443/acme/shop",
            "https://github.com@evil.example/acme/shop",
            "https://github.com/acme/sh)op",
            "git@github.com:../shop",
        ] {
            assert_eq!(of(location), None, "{location}");
        }
    }
}
