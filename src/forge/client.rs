//! Requests to the API of a forge, each sent once: what may work later is tried again by the queue of jobs.
//! After a forge said that it was asked too often, it is left alone for as long as it wants. No token, and
//! nothing of a body, stands in an error.

use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode};
use foveate_model::escape::escape;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use tracing::Span;
use url::Url;

use super::dialect::header;
use super::pause::{Pauses, asked_to_wait};
use crate::telemetry::trace;

/// Longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 1 << 24;
/// Time for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Redirections of one request that are followed.
const MAX_REDIRECTS: usize = 5;
/// Characters of a forge's own words in an error.
const MAX_WORDS: usize = 200;

/// Why something could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Not now: to be tried after this time, which is nobody's failure.
    #[error("{reason}")]
    Later {
        /// Why.
        reason: String,
        /// Time to wait.
        after: Duration,
    },
    /// It failed, and may work another time.
    #[error("{0}")]
    Failed(String),
    /// It cannot work without somebody who changes something.
    #[error("{0}")]
    Refused(String),
}

/// What a forge answered.
#[derive(Debug)]
pub struct Reply {
    /// The body; null where it is empty.
    pub body: Value,
    /// The query of the next page.
    pub next: Option<String>,
}

/// A client of one forge.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    pauses: Pauses,
}

impl Client {
    /// A client whose requests may take `timeout` each.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub fn new(timeout: Duration) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .user_agent(concat!("foveate/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(timeout)
            // A token must not be carried elsewhere: `follow` sees to that.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self {
            http,
            pauses: Pauses::default(),
        })
    }

    /// A request to be sent, in the trace of this task.
    pub fn request(&self, method: Method, url: &str) -> RequestBuilder {
        let request = self.http.request(method, url);
        request.headers(trace::headers(&Span::current()))
    }

    /// Sends a request; `whose` tells tokens apart.
    ///
    /// # Errors
    /// See [`CallError`]. 401 is a failure, as a token may have expired.
    pub async fn send(&self, whose: &str, request: RequestBuilder) -> Result<Reply, CallError> {
        if let Some(left) = self.pauses.left(whose, Instant::now()) {
            return Err(waiting(left));
        }
        let mut response = self.follow(request).await?;
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        let body = read(&mut response).await.map(|body| parsed(&body));
        let nothing = Value::Null;
        let said = match &body {
            Ok(Some(said)) => said,
            _ => &nothing,
        };
        if let Some(wait) = asked_to_wait(status, &headers, said) {
            return Err(waiting(self.pauses.begin(whose, wait, Instant::now())));
        }
        if !status.is_success() {
            return Err(failure(status, said));
        }
        Ok(Reply {
            body: body?.ok_or_else(|| no_json(status))?,
            next: next_page(&headers)?,
        })
    }

    /// Sends a request, and again to where the forge says that it belongs, as of a project that was renamed.
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
            "the forge redirects one request too often".to_owned(),
        ))
    }
}

/// An answer that cannot be read.
pub(super) fn unexpected() -> CallError {
    CallError::Failed("the forge's answer is not what it documents".to_owned())
}

/// An answer that is a success by its status and yet no answer of an API, such as the login page of a proxy.
fn no_json(status: StatusCode) -> CallError {
    let number = status.as_u16();
    CallError::Failed(format!(
        "the forge answered with status {number} and no JSON: a proxy or login page may stand before it"
    ))
}

fn waiting(after: Duration) -> CallError {
    let seconds = after.as_secs();
    CallError::Later {
        reason: format!(
            "the forge was asked too often, and wants to be left alone for {seconds} s"
        ),
        after,
    }
}

/// Where a redirection leads that is followed: one to the scheme, host and port that were asked, since the token
/// goes along. 301 and 302 are followed for GET alone: they do not say that another method is kept.
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

/// What a `Link` header gives as the query of the next page. Host and path of the address do not count: behind a
/// proxy, or after a project was renamed, they are not those that the forge was asked by.
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
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_ANSWER_BYTES => {
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

/// A body; null where it is empty, and `None` where it is no JSON.
fn parsed(body: &[u8]) -> Option<Value> {
    if body.is_empty() {
        return Some(Value::Null);
    }
    serde_json::from_slice(body).ok()
}

/// Whether another attempt is of use after an answer that is no success.
fn failure(status: StatusCode, said: &Value) -> CallError {
    let told = told(status, said);
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::REQUEST_TIMEOUT => CallError::Failed(told),
        status if status.is_server_error() => CallError::Failed(told),
        _ => CallError::Refused(told),
    }
}

/// What went wrong, without the address, which names a repository.
fn failed(error: &reqwest::Error) -> String {
    let kind = match error {
        error if error.is_timeout() => "it took too long",
        error if error.is_connect() => "no connection",
        _ => "the connection broke",
    };
    format!("the forge cannot be reached: {kind}")
}

/// A status, and what the forge says to it in its own words, made safe to show.
fn told(status: StatusCode, body: &Value) -> String {
    let words = ["message", "error"]
        .iter()
        .find_map(|field| body[field].as_str());
    let words: String = words.unwrap_or_default().chars().take(MAX_WORDS).collect();
    let number = status.as_u16();
    if status.is_redirection() {
        return format!(
            "the forge answered with status {number} and another address, which gets no token: compare its `url` \
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
    use super::super::pause::tests::headers;
    use super::*;

    #[test]
    fn the_next_page_is_found_among_links() {
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
    fn redirections_are_followed_on_the_same_host_alone() {
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
    fn what_a_forge_says_is_cut_and_escaped() {
        let body = serde_json::json!({"message": format!("\u{1b}[2J{}", "x".repeat(999))});
        let text = told(StatusCode::UNPROCESSABLE_ENTITY, &body);
        assert!(text.contains("status 422: \\u{1b}"), "{text}");
        assert!(text.len() < 300);
        assert_eq!(
            told(StatusCode::BAD_GATEWAY, &Value::Null),
            "the forge answered with status 502"
        );
    }
}
