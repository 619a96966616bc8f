//! Implements the HTTP interface: routes, wire types, problem responses, and the layers around every request.
//! Handlers extract, call one component below, and convert. Start at [`mod@router`].

pub mod accept;
pub mod authorize;
mod bearer;
pub mod connections;
pub mod context;
pub mod encoding;
pub mod extract;
pub mod feedback;
pub mod hosts;
pub mod layers;
pub mod lookup;
pub mod openapi;
pub mod operations;
pub mod origins;
pub mod page;
pub mod problem;
pub mod repos;
pub mod router;
pub mod tls;
pub mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use crate::access::Grant;
use crate::engine::Engine;
use crate::feedback::Feedback;
use crate::forge::Forges;
use crate::ingest::Catalog;

/// State shared by the handlers.
#[derive(Clone)]
pub struct HttpState {
    /// Answers questions.
    pub engine: Arc<Engine>,
    /// Lists and registers repositories.
    pub catalog: Arc<Catalog>,
    /// Accepts webhooks.
    pub forges: Arc<Forges>,
    /// Records answers and feedback.
    pub feedback: Arc<Feedback>,
    /// Limits of one request.
    pub limits: HttpLimits,
}

impl HttpState {
    /// Adds the repository of a request to its span, if the caller sees it. Any other name is arbitrary
    /// client text, which is not logged.
    fn trace_repo(&self, grant: &Grant, name: &str) {
        if let Some(repository) = self.engine.get(grant, name) {
            let name = repository.name.as_str();
            tracing::Span::current().record("repo", name);
        }
    }
}

/// Limits of one request.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// Longest body, in bytes.
    pub max_body_bytes: usize,
    /// Longest query, in bytes.
    pub max_query_bytes: usize,
    /// Time from receiving a request's head to its answer.
    pub request_timeout: Duration,
}
