//! Implements the dialect of GitLab. [`event`] parses its webhooks.

mod event;

use axum::http::{HeaderMap, Method};
use foveate_query::permalink::WebHost;
use reqwest::RequestBuilder;
use serde_json::Value;

use super::dialect::{Dialect, Proof, ThreadId, ThreadKind, header, segment, text};
use super::event::{Event, EventError, Person};
use super::secret::Secret;
use crate::config::Association;
use crate::engine::DiffEnds;

/// GitLab.
#[derive(Clone, Copy, Debug)]
pub struct GitLab;

/// Lowest access levels of an owner, a member (developer) and a collaborator (reporter).
const OWNER: u64 = 50;
const DEVELOPER: u64 = 30;
const REPORTER: u64 = 20;

fn thread_path(thread: &ThreadId) -> String {
    let kind = match thread.kind {
        ThreadKind::Issue => "issues",
        ThreadKind::PullRequest => "merge_requests",
    };
    let project = segment(&thread.project);
    format!("/projects/{project}/{kind}/{}", thread.number)
}

impl Dialect for GitLab {
    fn name(&self) -> &'static str {
        "gitlab"
    }

    fn web_host(&self) -> WebHost {
        WebHost::GitLab
    }

    fn api(&self, url: &str) -> String {
        format!("{url}/api/v4")
    }

    fn proof(&self, headers: &HeaderMap) -> Option<Proof> {
        let token = header(headers, "x-gitlab-token");
        (!token.is_empty()).then(|| Proof::Token(Secret::new(token)))
    }

    fn delivery_header(&self) -> &'static str {
        "idempotency-key"
    }

    fn event(&self, headers: &HeaderMap, body: &[u8]) -> Result<Event, EventError> {
        event::parse(header(headers, "x-gitlab-event"), body)
    }

    fn authorize(&self, request: RequestBuilder, token: &Secret) -> RequestBuilder {
        request.header("private-token", token.reveal())
    }

    fn comments(&self, thread: &ThreadId) -> String {
        let thread = thread_path(thread);
        format!("{thread}/notes?per_page=100&order_by=created_at&sort=asc")
    }

    fn comment(&self, thread: &ThreadId, id: u64) -> String {
        format!("{}/notes/{id}", thread_path(thread))
    }

    fn edit_method(&self) -> Method {
        Method::PUT
    }

    fn login_field(&self) -> &'static str {
        "username"
    }

    fn author_field(&self) -> &'static str {
        "author"
    }

    fn pull_request(&self, thread: &ThreadId) -> String {
        thread_path(thread)
    }

    fn ends(&self, pull_request: &Value) -> Option<DiffEnds> {
        Some(DiffEnds {
            base: text(pull_request, "/diff_refs/base_sha")
                .or_else(|| text(pull_request, "/target_branch"))?,
            head: text(pull_request, "/sha")?,
        })
    }

    fn permission(&self, project: &str, person: &Person) -> String {
        let project = segment(project);
        format!("/projects/{project}/members/all/{}", person.id)
    }

    fn association(&self, permission: &Value) -> Association {
        let is_active = permission["state"]
            .as_str()
            .is_none_or(|state| state == "active");
        match permission["access_level"].as_u64() {
            Some(level) if is_active && level >= OWNER => Association::Owner,
            Some(level) if is_active && level >= DEVELOPER => Association::Member,
            Some(level) if is_active && level >= REPORTER => Association::Collaborator,
            _ => Association::Unrelated,
        }
    }
}
