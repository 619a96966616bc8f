//! Derives a repository's web page from its clone location.

use foveate_query::permalink::WebPage;
use url::Url;

/// Hosts whose repositories have a page at their clone address.
const KNOWN: &[&str] = &["github.com", "gitlab.com", "codeberg.org", "bitbucket.org"];

/// Returns the web page of a repository, without credentials; `None` where the host is not known.
pub fn page(location: &str) -> Option<WebPage> {
    let (host, path) = if location.contains("://") {
        let url = Url::parse(location).ok()?;
        (url.host_str()?.to_owned(), url.path().to_owned())
    } else {
        // `git@host:owner/name.git`
        let (login, path) = location.split_once(':')?;
        let host = login.rsplit('@').next()?;
        (host.to_owned(), path.to_owned())
    };
    let host = host.to_ascii_lowercase();
    let path = path.trim_matches('/').trim_end_matches(".git");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/".contains(c);
    let is_page = KNOWN.contains(&host.as_str())
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
        ] {
            assert_eq!(page(location), wanted, "{location}");
        }
        for location in [
            "/srv/shop.git",
            "https://git.example.com/acme/shop",
            "https://github.com/shop",
            "https://github.com/acme/sh)op",
            "git@github.com:../shop",
        ] {
            assert_eq!(page(location), None, "{location}");
        }
    }
}
