//! Names of repositories: safe as a path segment, a URL segment, a label and a word of a log line.

use std::borrow::Borrow;
use std::fmt;

/// A repository's name: 1 to 100 of `A-Z a-z 0-9 . _ -`, not beginning with `.` or `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoName(Box<str>);

/// The text cannot name a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a repository name has 1 to 100 letters, digits, `.`, `_` or `-`, and begins with none of `.` and `-`"
)]
pub struct NameError;

impl RepoName {
    /// Checks a name.
    ///
    /// # Errors
    /// See [`NameError`].
    pub fn new(name: &str) -> Result<Self, NameError> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let fits = (1..=100).contains(&name.len())
            && name.bytes().all(allowed)
            && !name.starts_with(['.', '-']);
        if fits {
            Ok(Self(name.into()))
        } else {
            Err(NameError)
        }
    }

    /// A name made from a directory's: other characters become `-`.
    pub fn from_directory(directory: &str) -> Self {
        let name: String = directory
            .trim_start_matches(['.', '-'])
            .chars()
            .take(100)
            .map(|c| match c {
                'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '-' => c,
                _ => '-',
            })
            .collect();
        let name = name.trim_start_matches(['.', '-']);
        Self(if name.is_empty() { "repo" } else { name }.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
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
    fn names_are_safe_everywhere() {
        for good in ["django", "a", "A.b_c-9", &"x".repeat(100)] {
            assert!(RepoName::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            ".git",
            "-x",
            "a/b",
            "a b",
            "ä",
            "a\n",
            &"x".repeat(101),
        ] {
            assert!(RepoName::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_directory_gives_a_name() {
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
