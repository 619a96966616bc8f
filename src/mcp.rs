//! The Model Context Protocol: the same questions and lookups as over HTTP, as tools for coding agents. The
//! official SDK speaks the protocol; here are the tools ([`tools`]), how their answers read ([`text`]),
//! and what a call waits for ([`waiting`]). Over HTTP it is stateless ([`http`]); over standard input and
//! output one process is one session ([`stdio`]). Start at [`Agents`].

pub mod http;
pub mod stdio;
pub mod text;
pub mod tools;

mod calls;
mod failure;
mod handler;
mod message;
mod resources;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::access::Grant;
use crate::engine::Engine;
use crate::feedback::Feedback;

/// Answers the calls of agents. Cheap to clone.
#[derive(Clone)]
pub struct Agents {
    engine: Arc<Engine>,
    limits: AgentLimits,
    caller: Caller,
    /// Keeps what was answered, where there is a database.
    feedback: Option<Arc<Feedback>>,
}

/// What a call may cost.
#[derive(Clone, Copy, Debug)]
pub struct AgentLimits {
    /// Bytes of a query.
    pub max_query_bytes: usize,
    /// Time to wait for a first index.
    pub wait: Duration,
}

/// Who calls.
#[derive(Clone)]
enum Caller {
    /// Whoever the HTTP request is from, whose grant is in its extensions.
    OfRequest,
    /// Who started this process, in one session.
    Local(Grant, Arc<Session>),
}

/// What one session was shown, the last of it. Each place has the digest of what was shown, so that what was edited
/// since counts as not seen.
#[derive(Debug, Default)]
struct Session {
    shown: Mutex<Vec<String>>,
}

/// Places of a session that are remembered.
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

impl Agents {
    /// For calls over HTTP.
    pub fn over_http(engine: Arc<Engine>, limits: AgentLimits, feedback: Arc<Feedback>) -> Self {
        Self {
            engine,
            limits,
            caller: Caller::OfRequest,
            feedback: Some(feedback),
        }
    }

    /// For the one session of a process that its user started.
    pub fn of_process(engine: Arc<Engine>, limits: AgentLimits) -> Self {
        Self {
            engine,
            limits,
            caller: Caller::Local(Grant::unrestricted(), Arc::default()),
            feedback: None,
        }
    }
}
