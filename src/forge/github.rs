//! Implements the dialect of GitHub, also of its enterprise server: [`event`] parses the payloads of its
//! webhooks and CI, [`app`] signs in as a GitHub App.

pub mod app;
pub mod event;

use axum::http::HeaderMap;
use foveate_query::permalink::WebHost;
use reqwest::RequestBuilder;

use super::dialect::{Dialect, Proof, ThreadId, header, segments};
use super::event::{Event, EventError};
use super::secret::Secret;

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

    fn proof(&self, headers: &HeaderMap) -> Option<Proof> {
        Proof::signature(header(headers, "x-hub-signature-256").strip_prefix("sha256=")?)
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
        let (project, number) = (segments(&thread.project), thread.number);
        format!("/repos/{project}/issues/{number}/comments?per_page={COMMENTS_PER_PAGE}")
    }
}
