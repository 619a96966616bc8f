//! The HTTP interface: routes, wire types, problems, and the border around every request. Handlers
//! extract, call one room below, and convert. Start at [`mod@router`].

pub mod accept;
pub mod authorize;
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

/// What handlers need.
#[derive(Clone)]
pub struct HttpState {
    /// Answers.
    pub engine: Arc<Engine>,
    /// Which repositories there are.
    pub catalog: Arc<Catalog>,
    /// Takes webhooks.
    pub forges: Arc<Forges>,
    /// What is known of answers.
    pub feedback: Arc<Feedback>,
    /// What a request may cost.
    pub limits: HttpLimits,
}

impl HttpState {
    /// Adds the repository that a request is about to its span. A name that no repository has for
    /// the caller is a client's text, which is not logged.
    fn trace_repo(&self, grant: &Grant, name: &str) {
        if let Some(repository) = self.engine.get(grant, name) {
            let name = repository.name().as_str();
            tracing::Span::current().record("repo", name);
        }
    }
}

/// What a request may cost.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// Bytes of a body.
    pub body_bytes: usize,
    /// Bytes of a query.
    pub max_query_bytes: usize,
    /// Time from a request's head to its answer.
    pub request_timeout: Duration,
}
