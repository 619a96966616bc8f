//! Validates names of repositories: safe as a metric label and as a word of a log line, and through
//! [`RepoName::segment`] as a file name and a segment of a URL.

use std::borrow::Borrow;
use std::fmt;

/// A repository's name: `name`, `owner/name`, or with more groups in front, as on GitLab. At most 100 bytes; each
/// part consists of `A-Z a-z 0-9 . _ -` and does not begin with `.` or `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoName(Box<str>);

/// The text cannot name a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a repository name is `name`, `owner/name` or `group/subgroup/name`, made of letters, digits, `.`, `_` and `-`, and has at most 100 bytes; no part begins with `.` or `-`"
)]
pub struct NameError;

const MAX_BYTES: usize = 100;
const ESCAPED_SLASH: &str = "%2F";

impl RepoName {
    /// Checks a name.
    pub fn new(name: &str) -> Result<Self, NameError> {
        let mut parts = name.split('/');
        if name.len() <= MAX_BYTES && parts.all(is_part) {
            Ok(Self(name.into()))
        } else {
            Err(NameError)
        }
    }

    /// Makes a name from that of a directory: characters that are not allowed become `-`.
    pub fn from_directory(directory: &str) -> Self {
        let name: String = directory
            .trim_start_matches(['.', '-'])
            .chars()
            .take(MAX_BYTES)
            .map(|c| match c {
                'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '-' => c,
                _ => '-',
            })
            .collect();
        let name = name.trim_start_matches(['.', '-']);
        Self(if name.is_empty() { "repo" } else { name }.into())
    }

    /// Returns the name as one segment of a path or a URL: `/` becomes `%2F`. Different names give different segments,
    /// since no name contains `%`.
    pub fn segment(&self) -> String {
        self.0.replace('/', ESCAPED_SLASH)
    }

    /// Returns the name whose segment this is.
    pub fn from_segment(segment: &str) -> Option<Self> {
        Self::new(&segment.replace(ESCAPED_SLASH, "/")).ok()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_part(part: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    !part.is_empty() && part.bytes().all(allowed) && !part.starts_with(['.', '-'])
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for RepoName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_names_are_rejected_and_segments_round_trip() {
        let longest = "x".repeat(100);
        for (good, segment) in [
            ("django", "django"),
            ("a", "a"),
            ("A.b_c-9", "A.b_c-9"),
            ("pallets/flask", "pallets%2Fflask"),
            ("a/b..", "a%2Fb.."),
            ("group/sub-group/name", "group%2Fsub-group%2Fname"),
            (&longest, &longest),
        ] {
            let name = RepoName::new(good).expect(good);
            assert_eq!(name.segment(), segment);
            assert_eq!(RepoName::from_segment(segment), Some(name));
        }
        for odd in ["a%2fb", "a%2Fb%2F", "%2Fa", "..", "%2F..", "a%252Fb"] {
            assert_eq!(RepoName::from_segment(odd), None, "{odd}");
        }
        for bad in [
            "",
            ".",
            "..",
            ".git",
            "-x",
            "a/b/",
            "a//b",
            "a/../b",
            "a/",
            "/a",
            "/",
            "a/..",
            "../a",
            "a/.b",
            "a/-b",
            "a%2Fb",
            "a\\b",
            "a b",
            "ä",
            "a\n",
            &"x".repeat(101),
            &format!("{}/x", "x".repeat(99)),
        ] {
            assert!(RepoName::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn directory_names_become_valid_names() {
        for (directory, name) in [
            ("my project", "my-project"),
            (".dotfiles", "dotfiles"),
            ("é", "repo"),
            ("", "repo"),
        ] {
            assert_eq!(RepoName::from_directory(directory).as_str(), name);
            assert!(RepoName::new(name).is_ok());
        }
    }
}
