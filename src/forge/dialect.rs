//! What differs between forges, as values: how a webhook is signed and read, which requests its API takes.
//! A dialect sends nothing. GitHub, GitLab and Gitea implement it, in one folder each.

use std::fmt::Debug;

use axum::http::{HeaderMap, Method};
use foveate_query::permalink::WebHost;
use hmac::{Hmac, KeyInit as _, Mac as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::RequestBuilder;
use serde_json::Value;
use sha2::Sha256;

use super::event::{Association, Event, EventError, Person};
use super::secret::Secret;
use crate::engine::DiffEnds;

/// An issue or a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadKind {
    /// An issue.
    Issue,
    /// A pull request or merge request.
    PullRequest,
}

/// One thread of comments.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ThreadId {
    /// `owner/name`, in GitLab `group/subgroup/name`, too.
    pub project: String,
    /// What it is.
    pub kind: ThreadKind,
    /// Its number.
    pub number: u64,
}

impl ThreadId {
    /// Its name among those of all forges, such as `github corner/shop issue 12`.
    pub fn name(&self, forge: &str) -> String {
        let kind = match self.kind {
            ThreadKind::Issue => "issue",
            ThreadKind::PullRequest => "pull request",
        };
        format!("{forge} {} {kind} {}", self.project, self.number)
    }
}

/// What a forge is told and tells. Paths are those below [`Dialect::api`].
pub trait Dialect: Debug + Send + Sync {
    /// In lower case, as it stands in the webhook's path.
    fn name(&self) -> &'static str;

    /// How it writes links to lines of files.
    fn web_host(&self) -> WebHost;

    /// The address of the API of the forge at `url`.
    fn api(&self, url: &str) -> String;

    /// Whether a webhook comes from somebody who knows the secret. Takes the same time for any guess.
    fn is_authentic(&self, secret: &Secret, headers: &HeaderMap, body: &[u8]) -> bool;

    /// The header with the number that tells deliveries apart.
    fn delivery_header(&self) -> &'static str;

    /// Reads a webhook.
    ///
    /// # Errors
    /// When it is not what the forge documents.
    fn event(&self, headers: &HeaderMap, body: &[u8]) -> Result<Event, EventError>;

    /// Adds the token to a request.
    fn authorize(&self, request: RequestBuilder, token: &Secret) -> RequestBuilder;

    /// The comments of a thread, oldest first, and where a new one is posted.
    fn comments(&self, thread: &ThreadId) -> String;

    /// One comment, which is changed with [`Dialect::edit_method`].
    fn comment(&self, thread: &ThreadId, id: u64) -> String;

    /// How a comment is changed.
    fn edit_method(&self) -> Method;

    /// The field of a person that holds the name of the account.
    fn login_field(&self) -> &'static str;

    /// The field of a comment that holds its author.
    fn author_field(&self) -> &'static str;

    /// One pull request.
    fn pull_request(&self, thread: &ThreadId) -> String;

    /// The two ends of a pull request, from what the forge says of it.
    fn ends(&self, pull_request: &Value) -> Option<DiffEnds>;

    /// Where the forge is asked what somebody is to a project; `None` where its events say so.
    fn standing(&self, project: &str, person: &Person) -> Option<String>;

    /// What somebody is to a project, from what the forge says.
    fn association(&self, standing: &Value) -> Association;
}

/// The first value of a header, if it is text.
pub fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Whether `signature` is the HMAC-SHA256 of the body in hexadecimal. Takes the same time for any guess.
pub fn is_signed(secret: &Secret, signature: &str, body: &[u8]) -> bool {
    let mut given = [0; 32];
    let Ok(()) = hex::decode_to_slice(signature, &mut given) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()) else {
        return false;
    };
    mac.update(body);
    mac.verify_slice(&given).is_ok()
}

/// What may stand in one segment of a path as it is.
const IN_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

/// A text as one segment of a path.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, IN_SEGMENT).to_string()
}

/// `owner/name` as segments of a path.
pub fn segments(project: &str) -> String {
    let parts: Vec<String> = project.split('/').map(segment).collect();
    parts.join("/")
}

/// A field of a field, as text.
pub fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_checked_over_every_byte() {
        // Example of GitHub's documentation on validating deliveries.
        let secret = Secret::new("It's a Secret to Everybody");
        let signature = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert!(is_signed(&secret, signature, b"Hello, World!"));
        assert!(!is_signed(&secret, signature, b"Hello, World?"));
        assert!(!is_signed(&Secret::new("x"), signature, b"Hello, World!"));
        for wrong in [
            "",
            "75",
            &signature[1..],
            &signature.replace('7', "z"),
            &format!("{signature}00"),
        ] {
            assert!(!is_signed(&secret, wrong, b"Hello, World!"), "{wrong}");
        }
    }

    #[test]
    fn no_name_leads_to_another_path() {
        assert_eq!(segments("a/b.c-d_e"), "a/b.c-d_e");
        assert_eq!(segments("a/b?x=1#y"), "a/b%3Fx%3D1%23y");
        assert_eq!(segment("group/sub/name"), "group%2Fsub%2Fname");
    }
}
