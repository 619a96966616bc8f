//! Implements the dialect of GitHub, also of its enterprise server: [`event`] parses the payloads of its
//! webhooks and CI, [`app`] signs in as a GitHub App.

pub mod app;
pub mod event;

use axum::http::{HeaderMap, Method};
use foveate_query::permalink::WebHost;
use reqwest::RequestBuilder;
use serde_json::Value;

use super::dialect::{Dialect, ThreadId, header, is_signed, segments, text};
use super::event::{Association, Event, EventError, Person};
use super::secret::Secret;
use crate::engine::DiffEnds;

/// GitHub.
#[derive(Clone, Copy, Debug)]
pub struct GitHub;

/// Comments per page. Each may have a quarter of a megabyte.
pub const COMMENTS_PER_PAGE: u32 = 30;

impl Dialect for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn web_host(&self) -> WebHost {
        WebHost::GitHub
    }

    fn api(&self, url: &str) -> String {
        match url {
            "https://github.com" => "https://api.github.com".to_owned(),
            url => format!("{url}/api/v3"),
        }
    }

    fn is_authentic(&self, secret: &Secret, headers: &HeaderMap, body: &[u8]) -> bool {
        let signature = header(headers, "x-hub-signature-256");
        let signature = signature.strip_prefix("sha256=");
        signature.is_some_and(|signature| is_signed(secret, signature, body))
    }

    fn delivery_header(&self) -> &'static str {
        "x-github-delivery"
    }

    fn event(&self, headers: &HeaderMap, body: &[u8]) -> Result<Event, EventError> {
        event::parse(header(headers, "x-github-event"), body)
    }

    fn authorize(&self, request: RequestBuilder, token: &Secret) -> RequestBuilder {
        request
            .bearer_auth(token.reveal())
            .header("accept", "application/vnd.github+json")
            .header("x-github-api-version", "2022-11-28")
    }

    fn comments(&self, thread: &ThreadId) -> String {
        let ThreadId {
            project, number, ..
        } = thread;
        format!(
            "/repos/{}/issues/{number}/comments?per_page={COMMENTS_PER_PAGE}",
            segments(project)
        )
    }

    fn comment(&self, thread: &ThreadId, id: u64) -> String {
        format!("/repos/{}/issues/comments/{id}", segments(&thread.project))
    }

    fn edit_method(&self) -> Method {
        Method::PATCH
    }

    fn login_field(&self) -> &'static str {
        "login"
    }

    fn author_field(&self) -> &'static str {
        "user"
    }

    fn pull_request(&self, thread: &ThreadId) -> String {
        let project = segments(&thread.project);
        format!("/repos/{project}/pulls/{}", thread.number)
    }

    fn ends(&self, pull_request: &Value) -> Option<DiffEnds> {
        Some(DiffEnds {
            base: text(pull_request, "/base/sha")?,
            head: text(pull_request, "/head/sha")?,
        })
    }

    fn permission(&self, _: &str, _: &Person) -> Option<String> {
        None
    }

    fn association(&self, _: &Value) -> Association {
        Association::new()
    }
}
