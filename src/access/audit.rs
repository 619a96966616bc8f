//! Writes the audit trail: one log line for each action that was done or refused, with the key, the action and the
//! repository. The lines have the target `audit`, by which `log.filter` selects them, and the message `audit`. They
//! must never hold a query, source code, a token, or the name of a repository that does not exist.

use super::Grant;

/// The audited actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Action {
    Authenticate,
    List,
    Show,
    Ask,
    LookUp,
    Register,
    Sync,
    Remove,
    Collect,
    Feedback,
    Stats,
}

impl Action {
    const fn name(self) -> &'static str {
        match self {
            Self::Authenticate => "authenticate",
            Self::List => "list",
            Self::Show => "show",
            Self::Ask => "ask",
            Self::LookUp => "look_up",
            Self::Register => "register",
            Self::Sync => "sync",
            Self::Remove => "remove",
            Self::Collect => "collect",
            Self::Feedback => "feedback",
            Self::Stats => "stats",
        }
    }
}

/// The outcome of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// The token is missing, unknown, revoked or expired, or does not allow it.
    Denied,
    /// The share of the token is used up.
    Limited,
    /// No repository that this token may see has the name.
    Unknown,
    /// It failed for another reason, which the log line of the request names.
    Failed,
}

impl Outcome {
    const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Denied => "denied",
            Self::Limited => "limited",
            Self::Unknown => "unknown",
            Self::Failed => "failed",
        }
    }
}

/// Records an action of the holder of a grant. `repo` is the name of a repository that the grant sees.
pub fn record(grant: &Grant, action: Action, repo: Option<&str>, outcome: Outcome) {
    line(Some(grant.who()), action, repo, outcome);
}

/// Records that a request without a valid token was refused.
pub fn record_unauthenticated() {
    line(None, Action::Authenticate, None, Outcome::Denied);
}

fn line(who: Option<&str>, action: Action, repo: Option<&str>, outcome: Outcome) {
    let (action, outcome) = (action.name(), outcome.name());
    tracing::info!(target: "audit", who, action, repo, outcome, "audit");
}
