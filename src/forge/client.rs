//! Sends requests to the API of a forge, each once: retries are left to the job queue. After a rate limit
//! response, no request is sent for as long as the forge asked. An error contains no token and nothing of a
//! request body.

use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode};
use foveate_model::escape::escape;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use tracing::Span;
use url::Url;

use super::dialect::header;
use super::rate_limit::{Pauses, rate_limit_wait};
use crate::telemetry::trace;

/// Longest response that is read, in bytes.
const MAX_RESPONSE_BYTES: usize = 1 << 24;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum redirects that one request follows.
const MAX_REDIRECTS: usize = 5;
/// Maximum characters of a forge's own message in an error.
const MAX_MESSAGE_CHARS: usize = 200;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum CallError {
    /// Retry after this time; does not count as a failure.
    #[error("{reason}")]
    Later {
        reason: String,
        /// Delay before the retry.
        after: Duration,
    },
    /// It failed, and a retry may succeed.
    #[error("{0}")]
    Failed(String),
    /// A retry cannot succeed until somebody changes something.
    #[error("{0}")]
    Refused(String),
}

/// Response of a forge.
#[derive(Debug)]
pub struct Reply {
    /// The body; null if it is empty.
    pub body: Value,
    /// Query string of the next page.
    pub next: Option<String>,
}

/// Returns the HTTP client that the clients of all forges share, with this timeout for each request.
///
/// # Errors
/// When the system's certificates cannot be read.
pub fn http_client(timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .user_agent(concat!("foveate/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout)
        // A redirect must not carry the token to another host; `follow` checks this.
        .redirect(reqwest::redirect::Policy::none())
        .build()
}

/// A client of one forge.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    pauses: Pauses,
}

impl Client {
    /// Creates a client of one forge.
    pub fn new(http: reqwest::Client) -> Self {
        Self {
            http,
            pauses: Pauses::default(),
        }
    }

    /// Builds a request that carries the trace context of the current span.
    pub fn request(&self, method: Method, url: &str) -> RequestBuilder {
        let request = self.http.request(method, url);
        request.headers(trace::headers(&Span::current()))
    }

    /// Sends a request. Each token, identified by `token_id`, has its own rate limit. `None`: what the request names
    /// does not exist, or the token may not see it (status 404).
    ///
    /// # Errors
    /// See [`CallError`]. Status 401 is [`CallError::Failed`], as a token may have expired.
    pub async fn send(
        &self,
        token_id: &str,
        request: RequestBuilder,
    ) -> Result<Option<Reply>, CallError> {
        if let Some(left) = self.pauses.left(token_id, Instant::now()) {
            return Err(waiting(left));
        }
        let mut response = self.follow(request).await?;
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        let body = read(&mut response).await.map(|body| parsed(&body));
        let nothing = Value::Null;
        let reply_body = match &body {
            Ok(Some(reply_body)) => reply_body,
            _ => &nothing,
        };
        if let Some(wait) = rate_limit_wait(status, &headers, reply_body) {
            return Err(waiting(self.pauses.begin(token_id, wait, Instant::now())));
        }
        if status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        if !status.is_success() {
            return Err(failure(status, reply_body));
        }
        Ok(Some(Reply {
            body: body?.ok_or_else(|| no_json(status))?,
            next: next_page(&headers)?,
        }))
    }

    /// Sends a request and follows redirects, such as that of a renamed project.
    async fn follow(&self, request: RequestBuilder) -> Result<Response, CallError> {
        let broken = |error: reqwest::Error| CallError::Failed(failed(&error));
        let mut request = request.build().map_err(broken)?;
        for _ in 0..=MAX_REDIRECTS {
            let again = request.try_clone();
            let response = self.http.execute(request).await.map_err(broken)?;
            let Some(mut next) = again else {
                return Ok(response);
            };
            let location = header(response.headers(), "location");
            let target = redirected(next.method(), next.url(), response.status(), location);
            let Some(target) = target else {
                return Ok(response);
            };
            *next.url_mut() = target;
            request = next;
        }
        Err(CallError::Refused(
            "the forge redirected the request too often".to_owned(),
        ))
    }
}

/// Error for a response that does not have the documented form.
pub(super) fn unexpected() -> CallError {
    CallError::Failed("the forge's response does not have the documented form".to_owned())
}

/// Error for a request about something that must exist.
pub(super) fn missing() -> CallError {
    CallError::Refused(
        "the forge answered with status 404: it does not exist, or the token may not see it"
            .to_owned(),
    )
}

/// Error for a response whose body is not JSON although its status is a success, such as the login page of a
/// proxy.
fn no_json(status: StatusCode) -> CallError {
    let number = status.as_u16();
    CallError::Failed(format!(
        "the forge answered with status {number} and no JSON: the response may come from a proxy or login page"
    ))
}

fn waiting(after: Duration) -> CallError {
    let seconds = after.as_secs();
    CallError::Later {
        reason: format!("the forge's rate limit is reached: no requests for {seconds} s"),
        after,
    }
}

/// Returns the target of a redirect if it may be followed: only to the same scheme, host and port, since the
/// token goes along. 301 and 302 are followed for GET alone, as they do not guarantee that another method is
/// kept.
fn redirected(method: &Method, from: &Url, status: StatusCode, location: &str) -> Option<Url> {
    let is_followed = match status {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => method == Method::GET,
        _ => false,
    };
    if !is_followed || location.is_empty() {
        return None;
    }
    let to = from.join(location).ok()?;
    (to.origin() == from.origin()).then_some(to)
}

/// Returns the query string of the next page from the `Link` headers. Host and path of the link are ignored:
/// behind a proxy, or after a project was renamed, they differ from those of the request.
fn next_page(headers: &HeaderMap) -> Result<Option<String>, CallError> {
    let values = headers.get_all("link").iter();
    let mut links = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    let Some(next) = links.find(|link| is_next(link)) else {
        return Ok(None);
    };
    let address = next.trim().strip_prefix('<');
    let address = address.and_then(|rest| rest.split_once('>'));
    let query = address.and_then(|(address, _)| address.split_once('?'));
    let (_, query) = query.ok_or_else(unexpected)?;
    Ok(Some(query.to_owned()))
}

/// Whether the relations of a link are `rel="next"`.
fn is_next(link: &str) -> bool {
    let is_next = |relation: &str| matches!(relation.trim(), "rel=\"next\"" | "rel=next");
    link.split(';').skip(1).any(is_next)
}

async fn read(response: &mut Response) -> Result<Vec<u8>, CallError> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_RESPONSE_BYTES => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => {
                return Err(CallError::Refused(
                    "the forge's answer is too large".to_owned(),
                ));
            }
            Ok(None) => return Ok(body),
            Err(error) => return Err(CallError::Failed(failed(&error))),
        }
    }
}

/// Parses a body; null if it is empty, and `None` if it is not JSON.
fn parsed(body: &[u8]) -> Option<Value> {
    if body.is_empty() {
        return Some(Value::Null);
    }
    serde_json::from_slice(body).ok()
}

/// Converts an unsuccessful response to an error that tells whether to retry.
fn failure(status: StatusCode, reply_body: &Value) -> CallError {
    let status_message = status_message(status, reply_body);
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::REQUEST_TIMEOUT => CallError::Failed(status_message),
        status if status.is_server_error() => CallError::Failed(status_message),
        _ => CallError::Refused(status_message),
    }
}

/// Describes a transport error without the URL, which names a repository.
fn failed(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the forge cannot be reached: it took too long".to_owned();
    }
    let kind = match error.is_connect() {
        true => "no connection",
        false => "the connection broke",
    };
    format!(
        "the forge cannot be reached: {kind} ({})",
        escape(&root_cause(error))
    )
}

/// Returns the innermost cause of an error, which says what happened and does not repeat the address.
pub fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// Describes a status with the forge's own message, shortened and escaped.
fn status_message(status: StatusCode, body: &Value) -> String {
    let words = body["message"].as_str().or(body["error"].as_str());
    let words: String = words
        .unwrap_or_default()
        .chars()
        .take(MAX_MESSAGE_CHARS)
        .collect();
    let number = status.as_u16();
    if status.is_redirection() {
        return format!(
            "the forge answered with status {number} and another address, which gets no token: check its `url` \
             in the settings"
        );
    }
    match &*words {
        "" => format!("the forge answered with status {number}"),
        words => format!("the forge answered with status {number}: {}", escape(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rate_limit::tests::headers;
    use super::*;

    #[test]
    fn next_page_is_read_from_link_headers() {
        let next = |link: &str| next_page(&headers(&[("link", link)]));
        let query = Ok(Some("per_page=2&page=3".to_owned()));
        for link in [
            "<https://x/1?page=1>; rel=\"prev\", <https://x/1?per_page=2&page=3>; rel=\"next\"",
            "<http://inside:8080/api?per_page=2&page=3>; title=x; rel=next",
            "</1?per_page=2&page=3>; rel=\"next\"",
        ] {
            assert_eq!(next(link), query, "{link}");
        }
        let mut two = headers(&[("link", "<https://x/1?page=1>; rel=\"prev\"")]);
        let second = "<https://x/1?per_page=2&page=3>; rel=\"next\"";
        two.append("link", second.parse().unwrap());
        assert_eq!(next_page(&two), query);
        for none in ["", "<https://x?page=2>; rel=\"last\"", ";,<>", "rel=next"] {
            assert_eq!(next(none), Ok(None), "{none}");
        }
        for unreadable in [
            "https://x?page=2; rel=\"next\"",
            "<https://x>; rel=\"next\"",
            "<https://x?page=2; rel=\"next\"",
            "<https://x?a=1,2&page=2>; rel=\"next\"",
        ] {
            assert_eq!(next(unreadable), Err(unexpected()), "{unreadable}");
        }
    }

    #[test]
    fn redirects_are_followed_on_the_same_origin_only() {
        let from = Url::parse("https://api.x/repos/a/b/issues/1/comments").unwrap();
        let to = |method: Method, status: u16, location: &str| {
            let status = StatusCode::from_u16(status).unwrap();
            redirected(&method, &from, status, location).map(String::from)
        };
        let moved = "https://api.x/repositories/7/issues/1/comments?page=2";
        for location in [
            moved,
            "https://api.x:443/repositories/7/issues/1/comments?page=2",
            "/repositories/7/issues/1/comments?page=2",
        ] {
            for status in [307, 308] {
                for method in [Method::GET, Method::POST, Method::PATCH] {
                    assert_eq!(to(method, status, location).as_deref(), Some(moved));
                }
            }
            for status in [301, 302] {
                assert_eq!(to(Method::GET, status, location).as_deref(), Some(moved));
                assert_eq!(to(Method::POST, status, location), None);
            }
            for status in [200, 300, 303, 304] {
                assert_eq!(to(Method::GET, status, location), None, "{status}");
            }
        }
        for elsewhere in [
            "https://api.y/repositories/7",
            "https://api.x.y/repositories/7",
            "https://api.x@y/repositories/7",
            "https://api.x:8443/repositories/7",
            "http://api.x/repositories/7",
            "//y/repositories/7",
            "\\\\y/repositories/7",
            "file:///etc/passwd",
            "",
        ] {
            assert_eq!(to(Method::GET, 307, elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn forge_message_is_cut_and_escaped() {
        let body = serde_json::json!({"message": format!("\u{1b}[2J{}", "x".repeat(999))});
        let text = status_message(StatusCode::UNPROCESSABLE_ENTITY, &body);
        assert!(text.contains("status 422: \\u{1b}"), "{text}");
        assert!(text.len() < 300);
        assert_eq!(
            status_message(StatusCode::BAD_GATEWAY, &Value::Null),
            "the forge answered with status 502"
        );
    }
}
