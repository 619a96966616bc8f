//! The audit trail: one line of the log for each thing that is done or refused, with who did what to which
//! repository. Its lines have the target `audit`, by which `log.filter` selects them, and the message
//! `audit`. They never hold a query, source code, a token, or a name that nothing has.

use super::Grant;

/// What is done.
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

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// The token is missing, unknown, revoked or expired, or does not allow it.
    Denied,
    /// The share of the token is used up.
    Limited,
    /// Nothing has the name for this token.
    Unknown,
    /// It failed for another reason, which the line of the request names.
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

/// Records what the holder of a grant did. `repo` is the name of a repository that they see.
pub fn record(grant: &Grant, action: Action, repo: Option<&str>, outcome: Outcome) {
    line(Some(grant.who()), action, repo, outcome);
}

/// Records that somebody without a valid token was refused.
pub fn record_stranger() {
    line(None, Action::Authenticate, None, Outcome::Denied);
}

fn line(who: Option<&str>, action: Action, repo: Option<&str>, outcome: Outcome) {
    let (action, outcome) = (action.name(), outcome.name());
    tracing::info!(target: "audit", who, action, repo, outcome, "audit");
}
