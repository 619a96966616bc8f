//! Parses the addresses that repositories are cloned from: URLs and `user@host:path`. The host of an address decides to
//! which machine git may connect and which token it gets, so no other code may take an address apart.

use std::ffi::OsString;
use std::fmt;
use std::net::Ipv6Addr;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use url::Url;

const SSH: &str = "ssh";
const SSH_PORT: u16 = 22;
const GIT_PORT: u16 = 9418;

/// The address of a repository that is cloned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneAddress {
    /// The address that is passed to git, without credentials.
    pub address: String,
    /// The scheme in lower case; `ssh` for `user@host:path`.
    pub scheme: String,
    /// Name or address of the host in the form of [`host_name`]; empty for files.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The path as in the address, without the slash before it.
    pub path: String,
    /// User and password in a URL, if any.
    pub login: Option<Login>,
}

/// Credentials of a URL, stored as JSON.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Why a text is not an address to clone from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum AddressError {
    #[error("it is neither a URL nor of the form user@host:path")]
    NoAddress,
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

impl CloneAddress {
    /// Parses a URL or `user@host:path`.
    ///
    /// # Errors
    /// When the text is neither, or could be understood in two ways.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let scheme = Self::scheme_of(text)?;
        if let Some((host, path)) = scp_like(text) {
            return Ok(Self {
                address: text.to_owned(),
                scheme,
                host: host_name(host),
                port: SSH_PORT,
                path: without_slash(path).to_owned(),
                login: None,
            });
        }
        let url = Url::parse(text).map_err(|_| AddressError::Malformed)?;
        match url.scheme() == scheme {
            true => Self::of_url(url),
            false => Err(AddressError::Malformed),
        }
    }

    /// Returns the scheme of an address in lower case, without parsing the rest.
    ///
    /// # Errors
    /// When the text is neither a URL nor `user@host:path`, or holds spaces or control characters.
    pub fn scheme_of(text: &str) -> Result<String, AddressError> {
        if text.contains(|c: char| c.is_control() || c == ' ') {
            return Err(AddressError::Malformed);
        }
        match (text.split_once("://"), scp_like(text)) {
            (Some((scheme, _)), _) => Ok(scheme.to_ascii_lowercase()),
            (None, Some(_)) => Ok(SSH.to_owned()),
            (None, None) => Err(AddressError::NoAddress),
        }
    }

    /// Converts a parsed URL. Git gets the URL as it was parsed here, so that no two parsers can read two different
    /// hosts from one text.
    fn of_url(mut url: Url) -> Result<Self, AddressError> {
        if url.query().is_some() || url.fragment().is_some() {
            return Err(AddressError::Query);
        }
        let scheme = url.scheme().to_owned();
        let host = host_name(url.host_str().unwrap_or(""));
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-:".contains(c);
        let is_file = scheme == "file";
        if host.is_empty() != is_file || host.starts_with('-') || !host.chars().all(plain) {
            return Err(AddressError::Malformed);
        }
        let login = login(&url);
        if scheme == SSH {
            if url.password().is_some() {
                return Err(AddressError::Password);
            }
            // The user of an ssh URL stays in the address.
        } else if login.is_some() {
            let cleared = url.set_username("").and(url.set_password(None));
            cleared.map_err(|()| AddressError::Malformed)?;
        }
        Ok(Self {
            port: url.port_or_known_default().unwrap_or(match &*scheme {
                "git" => GIT_PORT,
                _ => SSH_PORT,
            }),
            path: without_slash(url.path()).to_owned(),
            address: url.into(),
            scheme,
            host,
            login,
        })
    }

    /// Whether git reaches the address over http or https.
    pub fn is_http(&self) -> bool {
        matches!(&*self.scheme, "https" | "http")
    }

    /// Whether scheme, host and port are those of another address. Only then may a token for the other one be used.
    pub fn has_origin_of(&self, other: &Self) -> bool {
        (&self.scheme, &self.host, self.port) == (&other.scheme, &other.host, other.port)
    }

    /// Returns the path without a slash and `.git` at its end: on code hosts, owner and name.
    pub fn project(&self) -> &str {
        let path = self.path.trim_end_matches('/');
        path.strip_suffix(".git").unwrap_or(path)
    }

    /// Returns the project on the code host at the URL `site` that is cloned from here, over any scheme; `None` if the
    /// address is on another host. The ports of other schemes than http and https are not those of the site.
    pub fn project_on(&self, site: &Self) -> Option<&str> {
        let is_there = self.host == site.host && (!self.is_http() || self.port == site.port);
        let project = match site.path.trim_end_matches('/') {
            "" => self.project(),
            base => self.project().strip_prefix(base)?.strip_prefix('/')?,
        };
        is_there.then_some(project)
    }

    /// Returns the directory of a `file` URL.
    pub fn file(&self) -> Option<PathBuf> {
        let path = self.address.strip_prefix("file://")?;
        let path = percent_decode_str(path).collect::<Vec<u8>>();
        Some(PathBuf::from(OsString::from_vec(path)))
    }
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

/// Returns host and path of `user@host:path`.
fn scp_like(text: &str) -> Option<(&str, &str)> {
    let (user, rest) = text.split_once('@')?;
    let (host, path) = rest.split_once(':')?;
    let plain = |s: &str| {
        !s.is_empty()
            && !s.starts_with('-')
            && s.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    let is_path = !path.is_empty() && !path.starts_with(':') && !path.contains("://");
    (plain(user) && plain(host) && is_path).then_some((host, path))
}

fn without_slash(path: &str) -> &str {
    path.strip_prefix('/').unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> CloneAddress {
        CloneAddress::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn addresses_are_taken_apart() {
        for (text, scheme, host, port, path) in [
            ("https://Example.org/a", "https", "example.org", 443, "a"),
            (
                "HTTP://example.org:8080/a/b.git/",
                "http",
                "example.org",
                8080,
                "a/b.git/",
            ),
            ("git@Example.org:a/b", "ssh", "example.org", 22, "a/b"),
            ("git@example.org:/srv/a", "ssh", "example.org", 22, "srv/a"),
            ("git@example.org:2222/a", "ssh", "example.org", 22, "2222/a"),
            (
                "ssh://git@Example.org:2222/a", "ssh", "example.org", 2222, "a",
            ),
            ("git://example.org/a", "git", "example.org", 9418, "a"),
            ("file:///srv/a", "file", "", 22, "srv/a"),
            ("https://[::1]/a", "https", "::1", 443, "a"),
            (
                "https://[FD00:0:0::1]:8443/a", "https", "fd00::1", 8443, "a",
            ),
            (
                "ssh://git@[::ffff:127.0.0.1]/a",
                "ssh",
                "::ffff:127.0.0.1",
                22,
                "a",
            ),
        ] {
            let found = parse(text);
            let shown = (&*found.scheme, &*found.host, found.port, &*found.path);
            assert_eq!(shown, (scheme, host, port, path), "{text}");
        }
        for text in ["::1", "[::1]", "0:0::1", "[0:0:0:0:0:0:0:1]"] {
            assert_eq!(host_name(text), "::1");
        }
        assert_eq!(host_name("[no.address"), "[no.address");
    }

    #[test]
    fn ambiguous_or_dangerous_texts_are_no_addresses() {
        use AddressError::{Malformed, NoAddress, Password, Query};
        for (text, error) in [
            ("", NoAddress),
            ("/srv/a.git", NoAddress),
            ("example.org:a/b", NoAddress),
            ("--upload-pack=touch", NoAddress),
            ("ext::sh", NoAddress),
            ("git@-oProxyCommand=x:a", NoAddress),
            ("-x@example.org:a", NoAddress),
            ("git@example.org:", NoAddress),
            ("git@example.org::a", NoAddress),
            ("git@[::1]:a", NoAddress),
            ("a@b@github.com:c/d", NoAddress),
            ("git@example.org/a@github.com:b/c", NoAddress),
            ("ext::sh -c touch% /tmp/x", Malformed),
            ("https://example.org/a b", Malformed),
            ("https://exam\tple.org/a", Malformed),
            ("https://", Malformed),
            ("ssh://-oProxyCommand=x/a", Malformed),
            ("ssh://git@exa%6dple.org/a", Malformed),
            ("file://example.org/a", Malformed),
            ("https:example.org/a://b", Malformed),
            ("git@example.org:a://b", Malformed),
            ("https://example.org/a?private_token=secret", Query),
            ("https://example.org/a#b", Query),
            ("ssh://git:secret@example.org/a", Password),
        ] {
            assert_eq!(CloneAddress::parse(text), Err(error), "{text}");
        }
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
            let found = parse(text);
            let login = login.map(|(user, password)| Login {
                user: user.to_owned(),
                password: password.map(str::to_owned),
            });
            assert_eq!(
                (&*found.address, found.login == login),
                (address, true),
                "{text}"
            );
            assert!(!format!("{found:?}").contains("cret"), "{found:?}");
        }
    }

    #[test]
    fn project_belongs_to_host_and_directory_of_its_site() {
        let site = parse("https://Git.example:443/forge/");
        for text in [
            "https://git.example/forge/a/b",
            "https://me:secret@GIT.example/forge/a/b.git/",
            "git@Git.Example:forge/a/b.git",
            "ssh://git@GIT.example:2222/forge/a/b",
        ] {
            assert_eq!(parse(text).project_on(&site), Some("a/b"), "{text}");
        }
        for text in [
            "https://git.example:8443/forge/a/b",
            "http://git.example/forge/a/b",
            "https://git.example/forgery/a/b",
            "https://git.example/a/b",
            "https://git.example.evil.example/forge/a/b",
            "https://git.example@evil.example/forge/a/b",
            "https://evil.example\\@git.example/forge/a/b",
            "git.example@evil.example:forge/a/b",
        ] {
            assert_eq!(parse(text).project_on(&site), None, "{text}");
        }
    }

    #[test]
    fn origin_is_scheme_host_and_port() {
        let site = parse("https://git.example");
        assert!(parse("https://GIT.example:443/a/b").has_origin_of(&site));
        for text in [
            "http://git.example:443/a/b",
            "https://git.example:8443/a/b",
            "https://git.example.evil.example/a/b",
            "ssh://git@git.example:443/a/b",
            "git@git.example:a/b",
        ] {
            assert!(!parse(text).has_origin_of(&site), "{text}");
        }
    }
}
