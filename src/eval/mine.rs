//! Makes cases from a repository's own commits: the message is the question, the files that the commit changed are
//! the gold files, and the tree and history are those of its parent, so that no answer sees the commit. Start at
//! [`mine`].

#[cfg(test)]
#[path = "mine_tests.rs"]
mod tests;

use std::collections::HashSet;

use foveate_model::{Language, RepoPath, Role};
use foveate_query::text::is_trailer;
use tokio_util::sync::CancellationToken;

use super::case::Case;
use crate::ingest::git::{CommitChange, GitError, GitRepo};

/// Commits that changed more source files are skipped: the message says little about each.
const MAX_FILES: usize = 5;
/// Commits that are read at a time, and in all.
const BATCH: usize = 500;
const MAX_SCANNED: usize = 20_000;

/// Which commits become cases.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Maximum number of commits, the newest ones.
    pub limit: usize,
    /// Minimum number of words of a message: one word says nothing, and short messages are unlike issues.
    pub min_words: usize,
}

/// Makes cases from the newest commits reachable from `HEAD`, oldest first. `label` becomes the name of their repository.
///
/// # Errors
/// When git fails or takes too long.
pub fn mine(git: &GitRepo, label: &str, choice: Choice) -> Result<Vec<Case>, GitError> {
    let Choice { limit, min_words } = choice;
    let (head, stop) = (git.resolve("HEAD")?, CancellationToken::new());
    let (mut cases, mut questions) = (Vec::new(), HashSet::new());
    for start in (0..MAX_SCANNED).step_by(BATCH) {
        let changes = git.changes(&head, start..start + BATCH, &stop)?;
        let found = changes.iter();
        let found = found.filter_map(|change| case(change, label, min_words));
        cases.extend(found.inspect(|case: &Case| {
            questions.insert(case.query.clone());
        }));
        if changes.is_empty() || questions.len() >= limit {
            break;
        }
    }
    // Of commits with the same message, such as a change repeated on another branch, only the oldest is kept: the
    // others could be looked up in the history.
    cases.reverse();
    cases.retain(|case| questions.remove(&case.query));
    Ok(cases.split_off(cases.len().saturating_sub(limit)))
}

/// Makes a case from a commit; `None` if it is not suitable.
fn case(change: &CommitChange, label: &str, min_words: usize) -> Option<Case> {
    if change.is_bot {
        return None;
    }
    let gold_files: Vec<String> = change
        .modified
        .iter()
        .filter(|path| is_source(path))
        .map(ToString::to_string)
        .collect();
    let query = question(&change.message);
    let is_case = (1..=MAX_FILES).contains(&gold_files.len())
        && query.split_whitespace().count() >= min_words;
    is_case.then(|| Case {
        id: change.id.to_string(),
        repo: label.to_owned(),
        commit: change.parent.to_string(),
        query,
        query_kind: "commit".to_owned(),
        gold_files,
        ..Case::default()
    })
}

fn is_source(path: &RepoPath) -> bool {
    let language = foveate_parse::language_by_name(path).unwrap_or(Language::TEXT);
    foveate_parse::role(path, language, false) == Role::Source
}

/// Removes lines about people and issue numbers from a message.
fn question(message: &str) -> String {
    let lines: Vec<&str> = message
        .lines()
        .filter(|line| !is_trailer(line) && !line.starts_with("Cc: ") && !is_reference(line))
        .collect();
    lines.join("\n").trim().to_owned()
}

/// Whether a line only refers to issues by number, such as `Fixes #12 and #13.`
fn is_reference(line: &str) -> bool {
    const FILLER: [&str; 25] = [
        "fix", "fixes", "fixed", "close", "closes", "closed", "resolve", "resolves", "resolved",
        "ref", "refs", "references", "see", "issue", "issues", "bug", "ticket", "pr", "pull",
        "request", "related", "to", "part", "of", "and",
    ];
    let mut words = line
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| ",;:()[].&*-".contains(c)))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase);
    let mut has_number = false;
    words.all(|word| {
        let is_number = is_issue_number(&word);
        has_number |= is_number;
        is_number || FILLER.contains(&&*word)
    }) && has_number
}

/// Whether a word is `#12`, `gh-12`, `12`, `owner/name#12`, or the URL of an issue.
fn is_issue_number(word: &str) -> bool {
    let is_address = word.starts_with("https://")
        && ["/issues/", "/issue/", "/pull/", "/ticket/"]
            .iter()
            .any(|place| word.contains(place));
    let number = match word.rsplit_once('#') {
        Some((_, number)) => number,
        None => word.strip_prefix("gh-").unwrap_or(word),
    };
    is_address || (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}
