//! The HTTP client that commands use for a running server: its token, its routes, one request.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use foveate_model::escape::escape;
use reqwest::header::LOCATION;
use reqwest::redirect::Policy;
use reqwest::{Method, Response, StatusCode};
use rustls::CertificateError;
use serde_json::Value;

use super::UsageError;
use crate::access::check_spelling;
use crate::engine::RepoName;

/// The environment variable that holds the token to send. There is no argument for it: arguments are visible to
/// every user of the machine.
const TOKEN: &str = "FOVEATE_TOKEN";
/// The code of the problem that no repository has the given name.
const UNKNOWN_REPO: &str = "unknown_repo";
/// Requests that a server advises, each with the command that sends it.
const COMMANDS: [(&str, &str); 2] = [
    ("POST /repos/{repo}/sync", "`foveate repo sync`"),
    ("GET /repos/{repo}", "`foveate repo show`"),
];

/// No answer came from the server, or its certificate is not trusted.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ServerUnreachable(String);

impl ServerUnreachable {
    fn new(url: &str, error: &reqwest::Error) -> Self {
        let mut causes = anyhow::Chain::new(error);
        let reason = causes.clone().last().map(ToString::to_string);
        let certificate = causes.find_map(certificate_error);
        if let Some(error) = certificate {
            let advice = certificate_advice(error);
            return Self(format!(
                "the certificate of the server at {url} is not accepted: {advice}"
            ));
        }
        let reason = reason.unwrap_or_default();
        if let Some(rest) = url.strip_prefix("http://")
            && is_no_http(&reason)
        {
            return Self(format!(
                "the server at {url} does not speak http ({reason}); try https://{rest}"
            ));
        }
        Self(format!(
            "no server answers at {url}: {reason}; start one with `foveate serve` or choose another with --server"
        ))
    }
}

/// The server refused the request.
#[derive(Debug, thiserror::Error)]
#[error("{text} ({code})")]
pub struct Refused {
    text: String,
    code: String,
}

impl Refused {
    /// Replaces the server's advice to send other requests by commands.
    fn new(detail: &str, code: &str) -> Self {
        let text = match code {
            "missing_token" => format!("{detail}; set FOVEATE_TOKEN or --token-file"),
            UNKNOWN_REPO => {
                let (fact, _) = detail.split_once(';').unwrap_or((detail, ""));
                format!("{fact}; `foveate repo list` lists them, `foveate repo add` adds one")
            }
            _ => COMMANDS
                .iter()
                .fold(detail.to_owned(), |text, (request, command)| {
                    text.replace(request, command)
                }),
        };
        Self {
            text,
            code: code.to_owned(),
        }
    }

    /// Whether the named repository does not exist.
    pub(super) fn is_unknown_repo(&self) -> bool {
        self.code == UNKNOWN_REPO
    }
}

/// Whether an answer was no HTTP: a server that expects TLS answers with a TLS alert.
fn is_no_http(reason: &str) -> bool {
    reason.contains("invalid HTTP version")
}

/// Returns what is wrong with the server's certificate, if that is the error. An error of input and output does not
/// give the error that it wraps as its [`Error::source`].
fn certificate_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a CertificateError> {
    if let Some(io) = error.downcast_ref::<io::Error>() {
        return certificate_error(io.get_ref()?);
    }
    match error.downcast_ref()? {
        rustls::Error::InvalidCertificate(error) => Some(error),
        _ => None,
    }
}

fn certificate_advice(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer => {
            "its issuer is not trusted; set SSL_CERT_FILE to the issuer's certificate, or to the certificate itself \
             if it is self-signed"
                .to_owned()
        }
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "it is that of a certificate authority; create one for a server (openssl req -x509 … -addext \
             basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:HOST)"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// Returns the token to send to a server: the first line of the file, else the value of the environment variable;
/// `None` where neither is given.
///
/// # Errors
/// When the file cannot be read, or its token is malformed.
fn token(server: &str, file: Option<&Path>) -> anyhow::Result<Option<String>> {
    let (token, named) = match (file, std::env::var(TOKEN)) {
        (Some(file), _) => {
            let named = file.display().to_string();
            let text = std::fs::read_to_string(file).map_err(|error| {
                UsageError(format!("cannot read the token file {named}: {error}"))
            })?;
            (text.lines().next().unwrap_or_default().to_owned(), named)
        }
        (None, Ok(token)) => (token, TOKEN.to_owned()),
        (None, Err(_)) => return Ok(None),
    };
    let token = token.trim().to_owned();
    if token.is_empty() {
        return Ok(None);
    }
    if is_exposed(server) {
        let server = escape(server);
        // A closed standard error must not end the run.
        let _ = writeln!(
            io::stderr(),
            "warning: the token is sent unencrypted to {server}"
        );
    }
    check_spelling(&token).map_err(|error| UsageError(format!("{named}: {error}")))?;
    Ok(Some(token))
}

/// Whether a URL names this machine by its loopback address.
pub(super) fn is_loopback(server: &str) -> bool {
    let url = url::Url::parse(server).ok();
    match url.as_ref().and_then(url::Url::host) {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        _ => false,
    }
}

/// Whether a URL names this machine, by its loopback address or as `localhost`.
fn is_local(server: &str) -> bool {
    let url = url::Url::parse(server).ok();
    let is_localhost = url.as_ref().and_then(url::Url::host_str) == Some("localhost");
    is_localhost || is_loopback(server)
}

/// Whether a token that is sent to a URL can be read on the way: it is not encrypted and leaves this machine.
fn is_exposed(server: &str) -> bool {
    url::Url::parse(server).is_ok_and(|url| url.scheme() == "http") && !is_local(server)
}

/// Returns the route of a repository. The name is validated, so that it cannot lead to another route.
///
/// # Errors
/// When the name is no valid repository name.
pub(super) fn path_of(name: &str) -> anyhow::Result<String> {
    let name = RepoName::new(name).map_err(|e| UsageError(e.to_string()))?;
    Ok(format!("/repos/{}", name.segment()))
}

/// A request to a server.
pub(super) struct Call<'a> {
    pub(super) server: &'a str,
    /// The file with the token, see [`token`].
    pub(super) token_file: Option<&'a Path>,
    pub(super) method: Method,
    pub(super) path: &'a str,
    pub(super) body: Option<Value>,
    /// Whether any certificate of the server is accepted. Then no token is sent: an unverified server learns nothing.
    pub(super) any_certificate: bool,
}

/// Returns the server to which a response redirects the request for `path`; `None` if it is no redirect, or one to the
/// same server, such as to a login page.
fn redirect_target(response: &Response, path: &str) -> Option<String> {
    if !response.status().is_redirection() {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let target = response.url().join(location).ok()?;
    let origin = target.origin();
    if origin == response.url().origin() {
        return None;
    }
    // A server behind a proxy may be below a path.
    let server = target.as_str().strip_suffix(path);
    Some(server.map_or_else(|| origin.ascii_serialization(), str::to_owned))
}

/// Describes an answer that is not from Foveate, but from a proxy before it or from another server.
pub(super) fn foreign_answer(server: &str, status: StatusCode) -> String {
    format!(
        "{server} gave an answer that is not from Foveate (status {status}): check --server and the proxies before it"
    )
}

impl Call<'_> {
    /// Sends the request. Returns the JSON of the answer, or null where it is empty.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses the request, or gives an answer that is not from Foveate.
    pub(super) fn send(self) -> anyhow::Result<Value> {
        let token = match self.any_certificate {
            true => None,
            false => token(self.server, self.token_file)?,
        };
        crate::telemetry::install_tls();
        super::block_on(self.send_async(token))?
    }

    async fn send_async(self, token: Option<String>) -> anyhow::Result<Value> {
        let Self { server, path, .. } = self;
        let url = format!("{}{path}", server.trim_end_matches('/'));
        let mut client = reqwest::Client::builder()
            .timeout(Duration::from_secs(30))
            // A redirect would turn most methods into GET, and could lead to another host.
            .redirect(Policy::none())
            .tls_danger_accept_invalid_certs(self.any_certificate);
        if is_local(server) {
            // A proxy on another machine cannot reach it.
            client = client.no_proxy();
        }
        let client = client.build()?;
        let mut request = client.request(self.method, &url);
        if let Some(body) = &self.body {
            request = request.json(body);
        }
        if let Some(token) = &token {
            request = request.bearer_auth(token);
        }
        let unreachable = |error: reqwest::Error| ServerUnreachable::new(server, &error);
        let request = request.build().ok();
        let request = request.filter(|request| matches!(request.url().scheme(), "http" | "https"));
        let request = request.ok_or_else(|| {
            UsageError(format!(
                "--server must be a URL such as http://127.0.0.1:7878, not {server:?}"
            ))
        })?;
        let response = client.execute(request).await.map_err(unreachable)?;
        if let Some(target) = redirect_target(&response, path) {
            bail!(UsageError(format!(
                "{server} redirects to {target}: use that as --server"
            )));
        }
        let status = response.status();
        let text = response.text().await.map_err(unreachable)?;
        parse_answer(server, status, &text)
    }
}

/// Returns the JSON of an answer, or null where it is empty. An answer that refuses the request is an error.
fn parse_answer(server: &str, status: StatusCode, text: &str) -> anyhow::Result<Value> {
    if status == StatusCode::NO_CONTENT {
        return Ok(Value::Null);
    }
    let value: Option<Value> = serde_json::from_str(text).ok();
    let value = value.filter(Value::is_object);
    let value = value.with_context(|| foreign_answer(server, status))?;
    if status.is_success() {
        return Ok(value);
    }
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    let (Some(detail), Some(code)) = (field("detail"), field("code")) else {
        bail!(foreign_answer(server, status));
    };
    let refused = Refused::new(detail, code);
    Err(match status {
        // The request is made of the arguments.
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE => {
            UsageError(refused.to_string()).into()
        }
        _ => refused.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Refused, is_exposed, is_local, is_loopback};

    #[test]
    fn advice_to_send_a_request_becomes_a_command() {
        for (detail, code, told) in [
            (
                "no branch \"x\"; check its spelling, or POST /repos/{repo}/sync if it is new",
                "unknown_ref",
                "no branch \"x\"; check its spelling, or `foveate repo sync` if it is new (unknown_ref)",
            ),
            (
                "being indexed; ask again, or poll GET /repos/{repo}",
                "indexing",
                "being indexed; ask again, or poll `foveate repo show` (indexing)",
            ),
        ] {
            assert_eq!(Refused::new(detail, code).to_string(), told);
        }
    }

    #[test]
    fn only_this_machine_is_local() {
        for local in [
            "http://127.0.0.1:7878", "http://[::1]:1", "http://localhost:1/a",
        ] {
            assert!(is_local(local), "{local}");
        }
        for other in [
            "http://localhost.example.org", "http://10.0.0.1", "localhost",
        ] {
            assert!(!is_local(other), "{other}");
        }
        assert!(!is_loopback("http://localhost:1"), "names can be changed");
    }

    #[test]
    fn unencrypted_requests_to_other_machines_are_exposed() {
        for (server, wanted) in [
            ("http://10.0.0.1", true),
            ("HTTP://example.org:7878", true),
            ("https://example.org", false),
            ("http://127.0.0.1:7878", false),
            ("HTTP://LOCALHOST", false),
        ] {
            assert_eq!(is_exposed(server), wanted, "{server}");
        }
    }
}
