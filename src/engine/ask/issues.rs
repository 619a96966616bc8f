//! Builds the issues that tell the client what an answer or a lookup lacks.

use foveate_index::Snapshot;
use foveate_model::TouchedFunctions;
use foveate_query::Issue;

use crate::engine::{Repository, State, Watching};

/// Returns the issues of an answer from this snapshot.
pub(super) fn issues(repository: &Repository, snapshot: &Snapshot) -> Vec<Issue> {
    let mut issues = state_issues(repository, snapshot);
    let status = repository.status();
    let functions = match (snapshot.touched_functions, &status.history_error) {
        (TouchedFunctions::Reading, Some(_)) => TouchedFunctions::Unreadable,
        (functions, _) => functions,
    };
    issues.extend(match (&snapshot.history, &status.history_error) {
        (None, None) => Some(Issue {
            code: "history_loading",
            detail: "past commits are still being loaded; they did not count yet".to_owned(),
        }),
        (None, Some(error)) => Some(unavailable(error)),
        (Some(_), _) => functions_issue(functions),
    });
    issues
}

/// Returns the reasons why the files of a snapshot may differ from those of its source.
pub(super) fn state_issues(repository: &Repository, snapshot: &Snapshot) -> Vec<Issue> {
    let mut issues = Vec::new();
    let status = repository.status();
    if let (State::Failed, Some(error)) = (status.state, &status.error) {
        issues.push(Issue {
            code: "degraded",
            detail: format!("the source could not be read again, so this may be old: {error}"),
        });
    }
    if snapshot.is_outdated {
        issues.push(Issue {
            code: "outdated",
            detail:
                "an index that an earlier program or other settings made answers until the new \
                     one is there: what changed since it was stored is missing"
                    .to_owned(),
        });
    }
    let is_current = repository
        .current()
        .is_some_and(|current| std::ptr::eq(&*current.snapshot, snapshot));
    if let (true, Watching::Polling { reason }) = (is_current, &status.watching) {
        issues.push(Issue {
            code: "polling",
            detail: format!(
                "files are looked at now and then, so what was saved just now may be missing: {reason}"
            ),
        });
    }
    issues
}

/// Returns the issue of an answer of a one-shot command whose history is incomplete. `history_error` is the reason
/// where past commits could not be read.
pub fn history_issue(snapshot: &Snapshot, history_error: &str) -> Option<Issue> {
    match (&snapshot.history, snapshot.touched_functions) {
        (None, _) => Some(unavailable(history_error)),
        (Some(_), TouchedFunctions::Reading) => Some(Issue {
            code: "history_loading",
            detail: "which functions past commits changed was not waited for; the files that they \
                     touched counted. `--wait-history` waits for it, and later runs find it in the \
                     cache"
                .to_owned(),
        }),
        (Some(_), functions) => functions_issue(functions),
    }
}

/// Returns the issue of an answer of a one-shot command that could not use git on a git repository.
pub fn without_git(reason: &str) -> Issue {
    Issue {
        code: "history_unavailable",
        detail: format!(
            "git cannot be used, so only the files were read: the answer has no commit, and past commits did not \
             count: {reason}"
        ),
    }
}

fn unavailable(error: &str) -> Issue {
    Issue {
        code: "history_unavailable",
        detail: format!("past commits could not be loaded and did not count: {error}"),
    }
}

/// Returns the issue of a loaded history whose touched functions are incomplete.
fn functions_issue(functions: TouchedFunctions) -> Option<Issue> {
    let (code, detail) = match functions {
        TouchedFunctions::Read => return None,
        TouchedFunctions::Reading => (
            "history_loading",
            "which functions past commits changed is still being read; the files that they \
             touched counted",
        ),
        TouchedFunctions::Unreadable => (
            "history_unavailable",
            "which functions past commits changed could not be read of all of them; the files \
             that they touched counted",
        ),
    };
    Some(Issue {
        code,
        detail: detail.to_owned(),
    })
}
