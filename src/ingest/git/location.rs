//! Parses the location of a git repository: a local path or a URL of an allowed scheme. Nothing else reaches
//! the git command line. Shown or logged text carries no credentials.

use std::path::PathBuf;

use crate::engine::{AddressError, CloneAddress};

/// Location of a git repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A repository on this machine, read in place.
    Local(PathBuf),
    /// A repository that is cloned into the data directory.
    Remote(CloneAddress),
}

/// Why a text is not an accepted location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum LocationError {
    #[error("`git` must be an absolute path or a URL such as https://host/owner/name.git")]
    NeitherPathNorUrl,
    #[error("URLs of the scheme {scheme:?} are not allowed; allowed are {allowed} (`git.schemes`)")]
    Scheme { scheme: String, allowed: String },
    #[error(transparent)]
    Address(AddressError),
}

impl From<AddressError> for LocationError {
    fn from(error: AddressError) -> Self {
        match error {
            AddressError::NoAddress => Self::NeitherPathNorUrl,
            error => Self::Address(error),
        }
    }
}

impl Location {
    /// Parses a location; `schemes` are the allowed URL schemes.
    pub fn parse(text: &str, schemes: &[String]) -> Result<Self, LocationError> {
        if text.starts_with('/') {
            return Ok(Self::Local(PathBuf::from(text)));
        }
        let scheme = CloneAddress::scheme_of(text)?;
        if !schemes.contains(&scheme) {
            return Err(LocationError::Scheme {
                scheme,
                allowed: schemes.join(", "),
            });
        }
        Ok(Self::Remote(CloneAddress::parse(text)?))
    }
}

/// Removes `user:password@` from every URL in a text.
pub fn without_credentials(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        let end = tail
            // URLs of these schemes may have a backslash for a slash.
            .find(|c: char| "/\\?#'".contains(c) || c.is_whitespace())
            .unwrap_or(tail.len());
        let authority = &tail[..end];
        out.push_str(
            authority
                .rsplit_once('@')
                .map_or(authority, |(_, host)| host),
        );
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemes() -> Vec<String> {
        ["https", "ssh"].map(str::to_owned).to_vec()
    }

    #[test]
    fn only_paths_and_allowed_urls_are_locations() {
        let cases: [(&str, bool); 21] = [
            ("/srv/a.git", true),
            ("https://example.org/a/b.git", true),
            ("HTTPS://example.org/a/b.git", true),
            ("https://user:secret@example.org/a.git", true),
            ("git@example.org:a/b.git", true),
            ("ssh://git@example.org/a.git", true),
            ("ssh://git@[::1]:2222/a.git", true),
            ("ssh://git:secret@example.org/a.git", false),
            ("http://example.org/a.git", false),
            ("file:///etc", false),
            ("ext::sh -c touch% /tmp/x", false),
            ("ext::sh", false),
            ("ext://sh", false),
            ("--upload-pack=touch", false),
            ("-oProxyCommand=x", false),
            ("ssh://-oProxyCommand=x/a", false),
            ("git@-oProxyCommand=x:a", false),
            ("https://", false),
            ("relative/path", false),
            ("https://example.org/a b", false),
            ("https://example.org/a.git?private_token=secret", false),
        ];
        for (text, accepted) in cases {
            let location = Location::parse(text, &schemes());
            assert_eq!(location.is_ok(), accepted, "{text}: {location:?}");
        }
    }

    #[test]
    fn credentials_are_removed_from_text() {
        for (text, shown) in [
            (
                "fatal: unable to access 'https://me:s3cret@example.org/a.git/': no",
                "fatal: unable to access 'https://example.org/a.git/': no",
            ),
            ("git@host:a/b", "git@host:a/b"),
            ("https://me:s3cret@host", "https://host"),
            // What follows the host does not look like one.
            (
                "https://192.0.2.1\\@example.org/a",
                "https://192.0.2.1\\@example.org/a",
            ),
            (
                "https://192.0.2.1?@example.org/a",
                "https://192.0.2.1?@example.org/a",
            ),
            (
                "(https://t0ken@host:1/a), ssh://git@host/b",
                "(https://host:1/a), ssh://host/b",
            ),
        ] {
            assert_eq!(without_credentials(text), shown);
        }
    }
}
