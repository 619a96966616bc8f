//! Parses the location of a git repository: a local path or a URL of an allowed scheme. Nothing else reaches
//! the git command line. Shown or logged text carries no credentials.

use std::ffi::OsString;
use std::fmt;
use std::net::Ipv6Addr;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use url::Url;

/// Location of a git repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A repository on this machine, read in place.
    Local(PathBuf),
    /// A repository that is copied into the data directory.
    Remote(Remote),
}

/// A remote repository, parsed from its URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The URL that is passed to git, without credentials.
    pub address: String,
    /// The scheme in lower case.
    pub scheme: String,
    /// Name or address of the host in the form of [`host_name`]; empty for files.
    pub host: String,
    /// The port.
    pub port: u16,
    /// User and password in the URL, if any.
    pub login: Option<Login>,
}

/// Credentials of a URL.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// User name.
    pub user: String,
    /// Password; `None`: git asks its own credential helpers.
    pub password: Option<String>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(..)")
    }
}

/// Why a text is not an accepted location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum LocationError {
    #[error("`git` must be an absolute path or a URL such as https://host/owner/name.git")]
    NeitherPathNorUrl,
    #[error("URLs of the scheme {scheme:?} are not allowed; allowed are {allowed} (`git.schemes`)")]
    Scheme { scheme: String, allowed: String },
    /// Control characters or spaces, or no host.
    #[error("the URL has no host, or holds spaces or control characters")]
    Malformed,
    /// A query or fragment, which git does not use and which may hold a token.
    #[error(
        "the URL has a `?` or a `#`: give a token as https://user:token@host/… or by `git.tokens`"
    )]
    Query,
    /// A password in an ssh URL, which ssh cannot use.
    #[error("an ssh URL cannot have a password: use a key, through an agent or ~/.ssh/config")]
    Password,
}

impl Location {
    /// Parses a location; `schemes` are the allowed URL schemes.
    pub fn parse(text: &str, schemes: &[String]) -> Result<Self, LocationError> {
        if text.starts_with('/') {
            return Ok(Self::Local(PathBuf::from(text)));
        }
        let allow = |scheme: &str| match schemes.iter().any(|s| s == scheme) {
            true => Ok(()),
            false => Err(LocationError::Scheme {
                scheme: scheme.to_owned(),
                allowed: schemes.join(", "),
            }),
        };
        if text.contains(|c: char| c.is_control() || c == ' ') {
            return Err(LocationError::Malformed);
        }
        let Some((scheme, _)) = text.split_once("://") else {
            let host = scp_like(text).ok_or(LocationError::NeitherPathNorUrl)?;
            allow("ssh")?;
            return Ok(Self::Remote(Remote {
                address: text.to_owned(),
                scheme: "ssh".to_owned(),
                host: host_name(host),
                port: SSH_PORT,
                login: None,
            }));
        };
        allow(&scheme.to_ascii_lowercase())?;
        remote(Url::parse(text).map_err(|_| LocationError::Malformed)?).map(Self::Remote)
    }
}

impl Remote {
    /// Returns the directory of a `file` URL.
    pub fn file(&self) -> Option<PathBuf> {
        let path = self.address.strip_prefix("file://")?;
        let path = percent_decode_str(path).collect::<Vec<u8>>();
        Some(PathBuf::from(OsString::from_vec(path)))
    }
}

const SSH_PORT: u16 = 22;
const GIT_PORT: u16 = 9418;

/// Converts a parsed URL. Git gets the URL as it was parsed here, so that no two parsers can read two different
/// hosts from one text.
fn remote(mut url: Url) -> Result<Remote, LocationError> {
    if url.query().is_some() || url.fragment().is_some() {
        return Err(LocationError::Query);
    }
    let scheme = url.scheme().to_owned();
    let host = host_name(url.host_str().unwrap_or(""));
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:".contains(c);
    let is_file = scheme == "file";
    if host.is_empty() != is_file || host.starts_with('-') || !host.chars().all(plain) {
        return Err(LocationError::Malformed);
    }
    let login = login(&url);
    if scheme == "ssh" {
        if url.password().is_some() {
            return Err(LocationError::Password);
        }
        // The user of an ssh URL stays in the address.
    } else if login.is_some() {
        let cleared = url.set_username("").and(url.set_password(None));
        cleared.map_err(|()| LocationError::Malformed)?;
    }
    Ok(Remote {
        port: url.port_or_known_default().unwrap_or(match &*scheme {
            "git" => GIT_PORT,
            _ => SSH_PORT,
        }),
        address: url.into(),
        scheme,
        host,
        login,
    })
}

/// Returns a host name in the normal form in which hosts are compared: lower case, and an IPv6 address in its shortest
/// form, without the brackets of URLs.
pub fn host_name(text: &str) -> String {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match inner.unwrap_or(text).parse::<Ipv6Addr>() {
        Ok(address) => address.to_string(),
        Err(_) => text.to_ascii_lowercase(),
    }
}

fn login(url: &Url) -> Option<Login> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let login = Login {
        user: decoded(url.username()),
        password: url.password().map(decoded),
    };
    (!login.user.is_empty() || login.password.is_some()).then_some(login)
}

/// Returns the host in `user@host:path`.
fn scp_like(text: &str) -> Option<&str> {
    let (user, rest) = text.split_once('@')?;
    let (host, path) = rest.split_once(':')?;
    let plain = |s: &str| {
        !s.is_empty()
            && !s.starts_with('-')
            && s.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    (plain(user) && plain(host) && !path.is_empty() && !path.starts_with(':')).then_some(host)
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
    fn host_names_are_normalized() {
        for (text, host, port) in [
            ("https://Example.org/a", "example.org", 443),
            ("git@Example.org:a", "example.org", 22),
            ("https://[::1]/a", "::1", 443),
            ("https://[FD00:0:0::1]:8443/a", "fd00::1", 8443),
            ("ssh://git@[::ffff:127.0.0.1]/a", "::ffff:127.0.0.1", 22),
        ] {
            let Ok(Location::Remote(remote)) = Location::parse(text, &schemes()) else {
                panic!("{text} is a remote");
            };
            assert_eq!((&*remote.host, remote.port), (host, port), "{text}");
        }
        for text in ["::1", "[::1]", "0:0::1", "[0:0:0:0:0:0:0:1]"] {
            assert_eq!(host_name(text), "::1");
        }
        assert_eq!(host_name("[no.address"), "[no.address");
    }

    #[test]
    fn git_gets_a_url_without_credentials() {
        let cases = [
            (
                "https://me:s%40cret@Example.org:8443/a.git",
                "https://example.org:8443/a.git",
                Some(("me", Some("s@cret"))),
            ),
            (
                "https://token@example.org/a",
                "https://example.org/a",
                Some(("token", None)),
            ),
            ("https://example.org/a", "https://example.org/a", None),
            (
                "ssh://git@example.org/a",
                "ssh://git@example.org/a",
                Some(("git", None)),
            ),
            // Parsed as a browser or curl would, unlike what it looks like.
            (
                "https://example.org\\@127.1/a",
                "https://example.org/@127.1/a",
                None,
            ),
            ("https://2130706433/a", "https://127.0.0.1/a", None),
        ];
        for (text, address, login) in cases {
            let Ok(Location::Remote(remote)) = Location::parse(text, &schemes()) else {
                panic!("{text} is a remote");
            };
            let login = login.map(|(user, password)| Login {
                user: user.to_owned(),
                password: password.map(str::to_owned),
            });
            assert_eq!(
                (&*remote.address, remote.login == login),
                (address, true),
                "{text}"
            );
            assert!(!format!("{remote:?}").contains("cret"), "{remote:?}");
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
