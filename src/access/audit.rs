//! Writes the audit trail: one log line for each action that was done or refused, with the key, the action and the
//! repository. The lines have the target `audit`, by which `log.filter` selects them, and the message `audit`. They
//! must never hold a query, source code, a token, or the name of a repository that does not exist.

use super::Grant;

foveate_model::named_enum! {
    /// The audited actions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[allow(missing_docs)]
    pub enum Action {
        Authenticate = "authenticate",
        List = "list",
        Show = "show",
        Ask = "ask",
        LookUp = "look_up",
        Register = "register",
        Sync = "sync",
        Remove = "remove",
        Collect = "collect",
        Feedback = "feedback",
        Stats = "stats",
    }
}

foveate_model::named_enum! {
    /// The outcome of an action.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Outcome {
        /// It was done.
        Done = "done",
        /// The token is missing, unknown, revoked or expired, or does not allow it.
        Denied = "denied",
        /// The share of the token is used up.
        Limited = "limited",
        /// No repository that this token may see has the name.
        Unknown = "unknown",
        /// It failed for another reason, which the log line of the request names.
        Failed = "failed",
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
