//! Where a git repository is: a local path or a URL of an allowed kind. Nothing else reaches the
//! git command line, and what is shown or logged carries no credentials.

use std::path::PathBuf;

/// A place that git can read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A repository on this machine, read in place.
    Local(PathBuf),
    /// A URL, cloned into the data directory.
    Remote(String),
}

/// Why a text is not a location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// Neither an absolute path nor a URL.
    #[error("`git` must be an absolute path or a URL such as https://host/owner/name.git")]
    NeitherPathNorUrl,
    /// A URL of a kind that is not allowed.
    #[error("URLs of the scheme {scheme:?} are not allowed; allowed are {allowed} (`git.schemes`)")]
    Scheme {
        /// The scheme of the URL.
        scheme: String,
        /// The configured schemes.
        allowed: String,
    },
    /// Control characters or spaces, or no host.
    #[error("the URL has no host, or holds spaces or control characters")]
    Malformed,
}

impl Location {
    /// Reads a location; `schemes` are the allowed ones of URLs.
    ///
    /// # Errors
    /// See [`LocationError`].
    pub fn parse(text: &str, schemes: &[String]) -> Result<Self, LocationError> {
        if text.starts_with('/') {
            return Ok(Self::Local(PathBuf::from(text)));
        }
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            None => match scp_like(text) {
                Some(rest) => ("ssh".to_owned(), rest),
                None => return Err(LocationError::NeitherPathNorUrl),
            },
        };
        if !schemes.contains(&scheme) {
            return Err(LocationError::Scheme {
                scheme,
                allowed: schemes.join(", "),
            });
        }
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let hostless = host.is_empty() || (host.starts_with('/') && scheme != "file");
        if hostless || host.starts_with('-') || text.contains(|c: char| c.is_control() || c == ' ')
        {
            return Err(LocationError::Malformed);
        }
        Ok(Self::Remote(text.to_owned()))
    }
}

/// What follows the user in `user@host:path`.
fn scp_like(text: &str) -> Option<&str> {
    let (user, rest) = text.split_once('@')?;
    let (host, path) = rest.split_once(':')?;
    let plain = |s: &str| {
        !s.is_empty()
            && !s.starts_with('-')
            && s.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    (plain(user) && plain(host) && !path.is_empty() && !path.starts_with(':')).then_some(rest)
}

/// The text with `user:password@` taken out of every URL in it.
pub fn without_credentials(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        let end = tail
            .find(|c: char| c == '/' || c.is_whitespace() || c == '\'')
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
        let cases: [(&str, bool); 14] = [
            ("/srv/a.git", true),
            ("https://example.org/a/b.git", true),
            ("HTTPS://example.org/a/b.git", true),
            ("https://user:secret@example.org/a.git", true),
            ("git@example.org:a/b.git", true),
            ("ssh://git@example.org/a.git", true),
            ("http://example.org/a.git", false),
            ("file:///etc", false),
            ("ext::sh -c touch% /tmp/x", false),
            ("-oProxyCommand=x", false),
            ("ssh://-oProxyCommand=x/a", false),
            ("https://", false),
            ("relative/path", false),
            ("https://example.org/a b", false),
        ];
        for (text, accepted) in cases {
            let location = Location::parse(text, &schemes());
            assert_eq!(location.is_ok(), accepted, "{text}: {location:?}");
        }
    }

    #[test]
    fn credentials_are_taken_out() {
        let text = "fatal: unable to access 'https://me:s3cret@example.org/a.git/': no";
        assert_eq!(
            without_credentials(text),
            "fatal: unable to access 'https://example.org/a.git/': no"
        );
        assert_eq!(without_credentials("git@host:a/b"), "git@host:a/b");
    }
}
