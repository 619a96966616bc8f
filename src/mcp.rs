//! Serves the questions and lookups of the HTTP API as tools of the Model Context Protocol, for coding
//! agents. The official SDK implements the protocol; this module defines the tools ([`tools`]), renders their
//! answers ([`text`]), and waits for indexes ([`readiness`]). Over HTTP it is stateless ([`http`]); over
//! standard input and output one process is one session ([`stdio`]). Start at [`McpService`].

pub mod http;
pub mod stdio;
pub mod text;
pub mod tools;

mod calls;
mod failure;
mod handler;
mod lenient;
mod message;
mod readiness;
mod resources;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::access::Grant;
use crate::engine::Engine;
use crate::feedback::Feedback;

/// Answers the calls of agents. Cheap to clone.
#[derive(Clone)]
pub struct McpService {
    engine: Arc<Engine>,
    limits: McpLimits,
    caller: Caller,
    /// Records the answers, if there is a database.
    feedback: Option<Arc<Feedback>>,
}

/// Limits of one call.
#[derive(Clone, Copy, Debug)]
pub struct McpLimits {
    /// Longest query, in bytes.
    pub max_query_bytes: usize,
    /// Longest time to wait for a first index.
    pub wait: Duration,
}

/// The source of a call's grant.
#[derive(Clone)]
enum Caller {
    /// The HTTP request, which carries the grant in its extensions.
    Http,
    /// The user who started this process; the process is one session.
    Local(Grant, Arc<Session>),
}

/// The places that one session was last shown. Each has the digest of the shown text, so that a place that
/// was edited since counts as not seen.
#[derive(Debug, Default)]
struct Session {
    shown: Mutex<Vec<String>>,
}

/// Maximum number of places that a session remembers.
const MAX_SHOWN: usize = 500;

impl Session {
    fn add(&self, places: &[String]) {
        let mut shown = self.shown.lock();
        shown.retain(|place| !places.contains(place));
        shown.extend(places.iter().cloned());
        let surplus = shown.len().saturating_sub(MAX_SHOWN);
        shown.drain(..surplus);
    }
}

impl McpService {
    /// Creates the service for calls over HTTP.
    pub fn over_http(engine: Arc<Engine>, limits: McpLimits, feedback: Arc<Feedback>) -> Self {
        Self {
            engine,
            limits,
            caller: Caller::Http,
            feedback: Some(feedback),
        }
    }

    /// Creates the service for the single session of a local process.
    pub fn of_process(engine: Arc<Engine>, limits: McpLimits) -> Self {
        Self {
            engine,
            limits,
            caller: Caller::Local(Grant::unrestricted(), Arc::default()),
            feedback: None,
        }
    }
}
