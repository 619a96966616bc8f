//! Permalinks to lines of files at a commit, in the forms of the hosts that keep repositories.

use foveate_model::Lines;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What may stand in the path of a link as it is.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

/// How a host writes links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    GitHub,
    GitLab,
    Gitea,
    Bitbucket,
}

/// Permalinks into one commit of a repository.
#[derive(Clone, Debug)]
pub struct Permalinks {
    /// Up to the path of a file, with a slash at the end.
    base: String,
    host: Host,
}

impl Permalinks {
    /// Permalinks below the web address of a repository, such as `https://github.com/pallets/flask`. The
    /// address's host tells their form: GitHub's where it is none of the others.
    pub fn new(address: &str, commit: &str) -> Option<Self> {
        if commit.is_empty() || address.is_empty() {
            return None;
        }
        let address = address.trim_end_matches('/');
        let name = address.split("://").nth(1).unwrap_or(address);
        let name = name.split('/').next().unwrap_or(name);
        let host = if name.contains("gitlab") {
            Host::GitLab
        } else if name.contains("bitbucket") {
            Host::Bitbucket
        } else if name.contains("gitea") || name == "codeberg.org" {
            Host::Gitea
        } else {
            Host::GitHub
        };
        let to_files = match host {
            Host::GitHub => "blob",
            Host::GitLab => "-/blob",
            Host::Gitea => "src/commit",
            Host::Bitbucket => "src",
        };
        Some(Self {
            base: format!("{address}/{to_files}/{commit}/"),
            host,
        })
    }

    /// To a file.
    pub fn file(&self, path: &str) -> String {
        format!("{}{}", self.base, utf8_percent_encode(path, IN_PATH))
    }

    /// To lines of a file.
    pub fn lines(&self, path: &str, lines: Lines) -> String {
        let Lines { start, end } = lines;
        let anchor = match self.host {
            Host::GitHub | Host::Gitea if start == end => format!("L{start}"),
            Host::GitHub | Host::Gitea => format!("L{start}-L{end}"),
            Host::GitLab => format!("L{start}-{end}"),
            Host::Bitbucket => format!("lines-{start}:{end}"),
        };
        format!("{}#{anchor}", self.file(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, wanted: &str) {
        let links = Permalinks::new(address, "c0ffee").unwrap();
        assert_eq!(links.lines("src/a b.py", Lines::new(3, 9)), wanted);
    }

    #[test]
    fn hosts_have_their_own_forms() {
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
    fn a_path_cannot_leave_the_link() {
        let links = Permalinks::new("https://github.com/acme/shop", "c0ffee").unwrap();
        let link = links.file("a)](javascript:x)?#<b>\n.md");
        let tail = link.strip_prefix("https://github.com/acme/shop/blob/c0ffee/");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/.-_~%".contains(c);
        assert!(tail.unwrap().chars().all(is_plain), "{link}");
        assert!(Permalinks::new("", "c0ffee").is_none());
        assert!(Permalinks::new("https://github.com/acme/shop", "").is_none());
    }
}
