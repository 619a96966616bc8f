//! Implements the dialect of Gitea and Forgejo. Their webhooks have the format of GitHub's but for a few
//! words, so that [`super::github::event`] parses them.

use axum::http::HeaderMap;
use foveate_query::permalink::WebHost;
use reqwest::RequestBuilder;

use super::dialect::{Dialect, Proof, ThreadId, header, segments};
use super::event::{Event, EventError};
use super::github::event;
use super::secret::Secret;

/// Gitea.
#[derive(Clone, Copy, Debug)]
pub struct Gitea;

impl Dialect for Gitea {
    fn name(&self) -> &'static str {
        "gitea"
    }

    fn web_host(&self) -> WebHost {
        WebHost::Gitea
    }

    fn api(&self, url: &str) -> String {
        format!("{url}/api/v1")
    }

    fn proof(&self, headers: &HeaderMap) -> Option<Proof> {
        Proof::signature(header(headers, "x-gitea-signature"))
    }

    fn delivery_header(&self) -> &'static str {
        "x-gitea-delivery"
    }

    fn event(&self, headers: &HeaderMap, body: &[u8]) -> Result<Event, EventError> {
        event::parse(header(headers, "x-gitea-event"), body)
    }

    fn authorize(&self, request: RequestBuilder, token: &Secret) -> RequestBuilder {
        request.header("authorization", format!("token {}", token.reveal()))
    }

    fn comments(&self, thread: &ThreadId) -> String {
        // Not paginated: one response lists all comments.
        let project = segments(&thread.project);
        format!("/repos/{project}/issues/{}/comments", thread.number)
    }
}
