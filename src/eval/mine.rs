//! Cases from a repository's own commits: the message is asked, the files that the commit changed
//! are wanted, and the tree and the past are those of its parent, so that no answer sees it. Start
//! at [`mine`].

#[cfg(test)]
#[path = "mine_tests.rs"]
mod tests;

use std::collections::HashSet;

use foveate_model::{Language, RepoPath, Role};
use tokio_util::sync::CancellationToken;

use super::case::Case;
use crate::ingest::git::{CommitChange, GitError, GitRepo};

/// A commit that changed more source files says little of each.
const MAX_FILES: usize = 5;
/// A shorter message says nothing.
const MIN_WORDS: usize = 3;
/// Commits that are looked at, at a time and in all.
const ROUND: usize = 500;
const MAX_LOOKED_AT: usize = 20_000;

/// Cases from the newest commits that `HEAD` reaches, oldest first, `most` at most. `label` becomes
/// their repository.
///
/// # Errors
/// When git fails or takes too long.
pub fn mine(git: &GitRepo, label: &str, most: usize) -> Result<Vec<Case>, GitError> {
    let (head, stop) = (git.resolve("HEAD")?, CancellationToken::new());
    let (mut cases, mut questions) = (Vec::new(), HashSet::new());
    for start in (0..MAX_LOOKED_AT).step_by(ROUND) {
        let changes = git.changes(&head, start..start + ROUND, &stop)?;
        let found = changes.iter().filter_map(|change| case(change, label));
        cases.extend(found.inspect(|case: &Case| {
            questions.insert(case.query.clone());
        }));
        if changes.is_empty() || questions.len() >= most {
            break;
        }
    }
    // The same change made again, on another branch, could be looked up in the past: the oldest
    // one stays.
    cases.reverse();
    cases.retain(|case| questions.remove(&case.query));
    Ok(cases.split_off(cases.len().saturating_sub(most)))
}

/// The case that a commit makes, if it makes one.
fn case(change: &CommitChange, label: &str) -> Option<Case> {
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
        && query.split_whitespace().count() >= MIN_WORDS;
    is_case.then(|| Case {
        id: change.id.to_string(),
        set: String::new(),
        repo: label.to_owned(),
        commit: change.parent.to_string(),
        language: String::new(),
        query,
        query_kind: "commit".to_owned(),
        gold_files,
        gold_functions: Vec::new(),
        critical_files: Vec::new(),
        edits: Vec::new(),
        intent: None,
    })
}

fn is_source(path: &RepoPath) -> bool {
    let language = foveate_parse::language_by_name(path).unwrap_or(Language::TEXT);
    foveate_parse::role(path, language, false) == Role::Source
}

/// A message without what it says of people and issue numbers.
fn question(message: &str) -> String {
    let lines: Vec<&str> = message
        .lines()
        .filter(|line| !is_trailer(line) && !is_reference(line))
        .collect();
    lines.join("\n").trim().to_owned()
}

/// `Signed-off-by: Ada`, and what tools add likewise.
fn is_trailer(line: &str) -> bool {
    let Some((key, _)) = line.split_once(": ") else {
        return false;
    };
    let key = key.to_ascii_lowercase();
    let is_word = key.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
    is_word && (key.ends_with("-by") || ["cc", "change-id", "git-svn-id"].contains(&&*key))
}

/// `Fixes #12 and #13.`: an issue's number, and no word about it.
fn is_reference(line: &str) -> bool {
    const AROUND: [&str; 25] = [
        "fix",
        "fixes",
        "fixed",
        "close",
        "closes",
        "closed",
        "resolve",
        "resolves",
        "resolved",
        "ref",
        "refs",
        "references",
        "see",
        "issue",
        "issues",
        "bug",
        "ticket",
        "pr",
        "pull",
        "request",
        "related",
        "to",
        "part",
        "of",
        "and",
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
        is_number || AROUND.contains(&&*word)
    }) && has_number
}

/// `#12`, `gh-12`, `12`, `owner/name#12`, or the address of an issue.
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
