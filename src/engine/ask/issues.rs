//! Builds the issues that tell the client what an answer or a lookup lacks.

use foveate_index::Snapshot;
use foveate_model::TouchedFunctions;
use foveate_query::{Issue, IssueCode};

use crate::engine::{Repository, State, Watching};

/// Returns the issues of an answer from this snapshot.
pub(super) fn issues(repository: &Repository, snapshot: &Snapshot) -> Vec<Issue> {
    let mut issues = state_issues(repository, snapshot);
    let status = repository.status();
    let git_error = status.git_error.as_deref();
    let is_without_commit = snapshot.revision.commit.is_empty();
    issues.extend(git_error.filter(|_| is_without_commit).map(without_git));
    let functions = match (snapshot.touched_functions, &status.history_error) {
        (TouchedFunctions::Reading, Some(_)) => TouchedFunctions::Unreadable,
        (functions, _) => functions,
    };
    issues.extend(match (&snapshot.history, &status.history_error) {
        (None, None) => Some(Issue::new(
            IssueCode::HistoryLoading,
            "past commits are still being loaded and were not used yet",
        )),
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
        let detail =
            format!("the source could not be read again, so the index may be out of date: {error}");
        issues.push(Issue::new(IssueCode::Degraded, detail));
    }
    if snapshot.is_outdated {
        issues.push(Issue::new(
            IssueCode::Outdated,
            "the stored index of an earlier version or of other settings answers until the new one is built: changes \
             since it was stored are missing",
        ));
    }
    let is_current = repository
        .current()
        .is_some_and(|current| std::ptr::eq(&*current.snapshot, snapshot));
    if let (true, Watching::Polling { reason }) = (is_current, &status.watching) {
        let detail = format!(
            "files are polled instead of watched, so recent saves may be missing: {reason}"
        );
        issues.push(Issue::new(IssueCode::Polling, detail));
    }
    issues
}

/// Returns the issue of an answer of a one-shot command whose history is incomplete. `history_error` is the reason
/// where past commits could not be read.
pub fn history_issue(snapshot: &Snapshot, history_error: &str) -> Option<Issue> {
    match (&snapshot.history, snapshot.touched_functions) {
        (None, _) => Some(unavailable(history_error)),
        (Some(_), TouchedFunctions::Reading) => Some(Issue::new(
            IssueCode::HistoryLoading,
            "functions changed by past commits were not used; run once with `--wait-history` to read and cache them",
        )),
        (Some(_), functions) => functions_issue(functions),
    }
}

/// Returns the issue of an answer from a working tree whose git repository cannot be used.
pub fn without_git(reason: &str) -> Issue {
    let detail = format!(
        "git cannot be used, so only the files were read: the answer has no commit, and past commits were not used: \
         {reason}"
    );
    Issue::new(IssueCode::HistoryUnavailable, detail)
}

fn unavailable(error: &str) -> Issue {
    let detail = format!("past commits could not be loaded and were not used: {error}");
    Issue::new(IssueCode::HistoryUnavailable, detail)
}

/// Returns the issue of a loaded history whose touched functions are incomplete.
fn functions_issue(functions: TouchedFunctions) -> Option<Issue> {
    match functions {
        TouchedFunctions::Read => None,
        TouchedFunctions::Reading => Some(Issue::new(
            IssueCode::HistoryLoading,
            "the functions that past commits changed are still being read, so only the changed files were used",
        )),
        TouchedFunctions::Unreadable => Some(Issue::new(
            IssueCode::HistoryUnavailable,
            "the changed functions of some past commits could not be read, so only the changed files were used",
        )),
    }
}
