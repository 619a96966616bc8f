//! Defines what differs between forges, as values: how a webhook is signed and parsed, and which requests the
//! API takes. A dialect sends nothing. GitHub, GitLab and Gitea implement it, in one folder each.

use std::fmt::Debug;

use axum::http::{HeaderMap, Method};
use foveate_query::permalink::WebHost;
use hmac::{Hmac, KeyInit as _, Mac as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::RequestBuilder;
use serde_json::Value;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use super::event::{Event, EventError, Person};
use super::secret::Secret;
use crate::config::Association;
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
    /// `owner/name`; in GitLab also `group/subgroup/name`.
    pub project: String,
    /// Issue or pull request.
    pub kind: ThreadKind,
    /// Number within the project.
    pub number: u64,
}

impl ThreadId {
    /// Returns a name that is unique among all forges, such as `github corner/shop issue 12`.
    pub fn name(&self, forge: &str) -> String {
        let kind = match self.kind {
            ThreadKind::Issue => "issue",
            ThreadKind::PullRequest => "pull request",
        };
        format!("{forge} {} {kind} {}", self.project, self.number)
    }
}

/// The formats of a forge's webhooks and API. Returned paths are relative to [`Dialect::api`]. What has a default
/// is as in GitHub's API, which others follow.
pub trait Dialect: Debug + Send + Sync {
    /// Name in lower case, as in the path of the webhook.
    fn name(&self) -> &'static str;

    /// The format of its links to lines of files.
    fn web_host(&self) -> WebHost;

    /// Returns the URL of the API of the forge at `url`.
    fn api(&self, url: &str) -> String;

    /// Returns the proof in the headers of a webhook that its sender knows the secret; `None` if it is missing or
    /// malformed.
    fn proof(&self, headers: &HeaderMap) -> Option<Proof>;

    /// The header with the unique id of a delivery.
    fn delivery_header(&self) -> &'static str;

    /// Parses a webhook.
    ///
    /// # Errors
    /// When the body does not have the form that the forge documents.
    fn event(&self, headers: &HeaderMap, body: &[u8]) -> Result<Event, EventError>;

    /// Adds the token to a request.
    fn authorize(&self, request: RequestBuilder, token: &Secret) -> RequestBuilder;

    /// Path that lists the comments of a thread, oldest first, and that a new comment is posted to.
    fn comments(&self, thread: &ThreadId) -> String;

    /// Path of one comment, which is edited with [`Dialect::edit_method`].
    fn comment(&self, thread: &ThreadId, id: u64) -> String {
        format!("/repos/{}/issues/comments/{id}", segments(&thread.project))
    }

    /// The method that edits a comment.
    fn edit_method(&self) -> Method {
        Method::PATCH
    }

    /// The field of a user object that holds the account name.
    fn login_field(&self) -> &'static str {
        "login"
    }

    /// The field of a comment object that holds the author.
    fn author_field(&self) -> &'static str {
        "user"
    }

    /// Path of one pull request.
    fn pull_request(&self, thread: &ThreadId) -> String {
        let project = segments(&thread.project);
        format!("/repos/{project}/pulls/{}", thread.number)
    }

    /// Extracts base and head from a pull request object.
    fn ends(&self, pull_request: &Value) -> Option<DiffEnds> {
        Some(DiffEnds {
            base: text(pull_request, "/base/sha")?,
            head: text(pull_request, "/head/sha")?,
        })
    }

    /// Path that returns a person's permission on a project.
    fn permission(&self, project: &str, person: &Person) -> String {
        format!(
            "/repos/{}/collaborators/{}/permission",
            segments(project),
            segment(&person.login)
        )
    }

    /// Converts the response of [`Dialect::permission`] to an association.
    fn association(&self, permission: &Value) -> Association {
        let permission = text(permission, "/permission").unwrap_or_default();
        match &*permission {
            // Only Gitea distinguishes owners from other administrators.
            "owner" => Association::Owner,
            "admin" => Association::Member,
            "write" => Association::Collaborator,
            _ => Association::Unrelated,
        }
    }
}

/// Returns the first value of a header; empty if it is missing or not text.
pub fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Proof that the sender of a webhook knows the secret. All comparisons take constant time.
#[derive(Debug)]
pub enum Proof {
    /// The HMAC-SHA256 of the body.
    Signature([u8; 32]),
    /// The secret itself.
    Token(Secret),
}

impl Proof {
    /// Reads a signature in hexadecimal.
    pub fn signature(text: &str) -> Option<Self> {
        let mut signature = [0; 32];
        hex::decode_to_slice(text, &mut signature).ok()?;
        Some(Self::Signature(signature))
    }

    /// Whether it can be valid, as far as that is known without the body.
    pub fn may_be_valid(&self, secret: &Secret) -> bool {
        match self {
            Self::Signature(_) => true,
            Self::Token(_) => self.is_valid(secret, &[]),
        }
    }

    /// Whether the sender of this body knows the secret.
    pub fn is_valid(&self, secret: &Secret, body: &[u8]) -> bool {
        let secret = secret.reveal().as_bytes();
        match self {
            Self::Signature(signature) => {
                let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else {
                    return false;
                };
                mac.update(body);
                mac.verify_slice(signature).is_ok()
            }
            Self::Token(token) => token.reveal().as_bytes().ct_eq(secret).into(),
        }
    }
}

/// Characters that a path segment contains unescaped (the unreserved characters of RFC 3986).
const IN_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

/// Percent-encodes a text as one path segment.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, IN_SEGMENT).to_string()
}

/// Percent-encodes `owner/name` as path segments.
pub fn segments(project: &str) -> String {
    let parts: Vec<String> = project.split('/').map(segment).collect();
    parts.join("/")
}

/// Returns the string at a JSON pointer.
pub fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_covers_every_byte_of_the_body() {
        // Example of GitHub's documentation on validating deliveries.
        let secret = Secret::new("It's a Secret to Everybody");
        let signature = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let proof = Proof::signature(signature).unwrap();
        assert!(proof.is_valid(&secret, b"Hello, World!"));
        assert!(!proof.is_valid(&secret, b"Hello, World?"));
        assert!(!proof.is_valid(&Secret::new("x"), b"Hello, World!"));
        for wrong in [
            "",
            "75",
            &signature[1..],
            &signature.replace('7', "z"),
            &format!("{signature}00"),
        ] {
            assert!(Proof::signature(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn names_are_percent_encoded_in_paths() {
        assert_eq!(segments("a/b.c-d_e"), "a/b.c-d_e");
        assert_eq!(segments("a/b?x=1#y"), "a/b%3Fx%3D1%23y");
        assert_eq!(segment("group/sub/name"), "group%2Fsub%2Fname");
    }
}
