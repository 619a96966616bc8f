//! Builds permalinks to lines of files at a commit, in the URL format of each code host.

use foveate_model::Lines;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that are percent-encoded in the path of a link: all but letters, digits and `/.-_~`.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

/// The software of a host, which decides the format of its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum WebHost {
    GitHub,
    GitLab,
    Gitea,
    Bitbucket,
}

/// The page of a repository on the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage {
    /// URL without a slash at the end.
    address: String,
    host: WebHost,
    /// The directory of the repository that paths start from, with a slash at the end; empty for its root.
    directory: String,
}

impl WebPage {
    /// Returns the page at an address such as `https://github.com/pallets/flask`. The software is guessed from
    /// the name of the host: GitHub if no other one fits.
    pub fn guess(address: &str) -> Self {
        let name = address.split("://").nth(1).unwrap_or(address);
        let name = name.split('/').next().unwrap_or(name);
        let host = if name.contains("gitlab") {
            WebHost::GitLab
        } else if name.contains("bitbucket") {
            WebHost::Bitbucket
        } else if name.contains("gitea") || name == "codeberg.org" {
            WebHost::Gitea
        } else {
            WebHost::GitHub
        };
        Self::new(address, host)
    }

    /// Returns the page at an address whose host software is known.
    pub fn new(address: &str, host: WebHost) -> Self {
        let address = address.trim_end_matches('/').to_owned();
        Self {
            address,
            host,
            directory: String::new(),
        }
    }

    /// Returns the name of the repository, the last segment of its address; `None` if the address has no path.
    pub(crate) fn repository(&self) -> Option<&str> {
        let address = self.address.as_str();
        let address = address.split("://").nth(1).unwrap_or(address);
        let (_, path) = address.split_once('/')?;
        path.rsplit('/').next()
    }

    /// Sets the directory of the repository that paths start from, given with a slash at the end.
    pub fn below(self, directory: String) -> Self {
        Self { directory, ..self }
    }
}

/// Permalinks into one commit of a repository.
#[derive(Clone, Debug)]
pub struct Permalinks {
    /// The part of a link before the path of a file, with a slash at the end.
    base: String,
    host: WebHost,
}

impl Permalinks {
    /// Returns permalinks below the page of a repository; `None` without a commit or an address.
    pub fn new(page: &WebPage, commit: &str) -> Option<Self> {
        if commit.is_empty() || page.address.is_empty() {
            return None;
        }
        let WebPage {
            address,
            host,
            directory,
        } = page;
        let to_files = match host {
            WebHost::GitHub => "blob",
            WebHost::GitLab => "-/blob",
            WebHost::Gitea => "src/commit",
            WebHost::Bitbucket => "src",
        };
        Some(Self {
            base: format!(
                "{address}/{to_files}/{commit}/{}",
                utf8_percent_encode(directory, IN_PATH)
            ),
            host: *host,
        })
    }

    /// Returns a link to a file.
    pub fn file(&self, path: &str) -> String {
        format!("{}{}", self.base, utf8_percent_encode(path, IN_PATH))
    }

    /// Returns a link to lines of a file.
    pub fn lines(&self, path: &str, lines: Lines) -> String {
        let Lines { start, end } = lines;
        // Hosts render prose instead of its source, in which the lines are.
        let view = match self.host {
            _ if !is_rendered(path) => "",
            WebHost::GitHub | WebHost::GitLab => "?plain=1",
            WebHost::Gitea => "?display=source",
            WebHost::Bitbucket => "",
        };
        let anchor = match self.host {
            WebHost::GitHub | WebHost::Gitea if start == end => format!("L{start}"),
            WebHost::GitHub | WebHost::Gitea => format!("L{start}-L{end}"),
            WebHost::GitLab => format!("L{start}-{end}"),
            WebHost::Bitbucket => format!("lines-{start}:{end}"),
        };
        format!("{}{view}#{anchor}", self.file(path))
    }
}

/// Whether hosts show a file as formatted text.
fn is_rendered(path: &str) -> bool {
    const RENDERED: [&str; 6] = ["md", "markdown", "rst", "adoc", "asciidoc", "org"];
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    RENDERED
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, wanted: &str) {
        let links = Permalinks::new(&WebPage::guess(address), "c0ffee").unwrap();
        assert_eq!(links.lines("src/a b.py", Lines::new(3, 9)), wanted);
    }

    #[test]
    fn known_host_is_not_guessed() {
        let page = WebPage::new("https://git.acme.org/shop/", WebHost::GitLab);
        let links = Permalinks::new(&page, "c0ffee").unwrap();
        assert_eq!(
            links.file("a.py"),
            "https://git.acme.org/shop/-/blob/c0ffee/a.py"
        );
    }

    #[test]
    fn repository_is_the_last_segment_of_its_page() {
        for (address, repository) in [
            ("https://github.com/acme/shop", Some("shop")),
            ("https://gitlab.com/acme/web/shop/", Some("shop")),
            ("https://git.acme.org", None),
        ] {
            let page = WebPage::guess(address);
            assert_eq!(page.repository(), repository, "{address}");
        }
    }

    #[test]
    fn paths_may_start_from_a_directory() {
        let page = WebPage::guess("https://github.com/acme/shop").below("back end/".to_owned());
        let links = Permalinks::new(&page, "c0ffee").unwrap();
        assert_eq!(
            links.file("a.py"),
            "https://github.com/acme/shop/blob/c0ffee/back%20end/a.py"
        );
    }

    #[test]
    fn each_host_has_its_url_format() {
        check(
            "https://github.com/acme/shop",
            "https://github.com/acme/shop/blob/c0ffee/src/a%20b.py#L3-L9",
        );
        check(
            "https://gitlab.com/acme/shop/",
            "https://gitlab.com/acme/shop/-/blob/c0ffee/src/a%20b.py#L3-9",
        );
        check(
            "https://codeberg.org/acme/shop",
            "https://codeberg.org/acme/shop/src/commit/c0ffee/src/a%20b.py#L3-L9",
        );
        check(
            "https://bitbucket.org/acme/shop",
            "https://bitbucket.org/acme/shop/src/c0ffee/src/a%20b.py#lines-3:9",
        );
    }

    #[test]
    fn lines_of_prose_are_linked_in_its_source() {
        let link = |address: &str, path: &str| {
            let links = Permalinks::new(&WebPage::guess(address), "c0ffee").unwrap();
            links.lines(path, Lines::new(3, 9))
        };
        assert_eq!(
            link("https://github.com/acme/shop", "README.md"),
            "https://github.com/acme/shop/blob/c0ffee/README.md?plain=1#L3-L9"
        );
        assert_eq!(
            link("https://gitlab.com/acme/shop", "docs/a.RST"),
            "https://gitlab.com/acme/shop/-/blob/c0ffee/docs/a.RST?plain=1#L3-9"
        );
        assert_eq!(
            link("https://codeberg.org/acme/shop", "a.adoc"),
            "https://codeberg.org/acme/shop/src/commit/c0ffee/a.adoc?display=source#L3-L9"
        );
    }

    #[test]
    fn special_characters_in_paths_are_encoded() {
        let page = WebPage::guess("https://github.com/acme/shop");
        let links = Permalinks::new(&page, "c0ffee").unwrap();
        let link = links.file("a)](javascript:x)?#<b>\n.md");
        let tail = link.strip_prefix("https://github.com/acme/shop/blob/c0ffee/");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/.-_~%".contains(c);
        assert!(tail.unwrap().chars().all(is_plain), "{link}");
        assert!(Permalinks::new(&WebPage::guess(""), "c0ffee").is_none());
        assert!(Permalinks::new(&page, "").is_none());
    }
}
