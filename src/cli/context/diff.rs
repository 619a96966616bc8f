//! Parses the argument of `--diff`, and reads the diff. Whether its ends are valid names of commits is checked with
//! the rest of the request.

use anyhow::Context as _;

use crate::engine::{Diff, DiffEnds};
use crate::ingest::git::GitError;
use crate::ingest::one_shot::{OneShotError, Repository};

/// The checked-out commit.
const HEAD: &str = "HEAD";

/// Parses the two ends of `base..head`, of which one may be left out. Two and three dots, which git distinguishes, mean
/// the same here: what the head changed since it branched off the base.
///
/// # Errors
/// A message about what is wrong with the text.
pub fn ends(text: &str) -> Result<DiffEnds, String> {
    let ends = text.split_once("...").or_else(|| text.split_once(".."));
    let Some((base, head)) = ends else {
        return Err(format!(
            "expected two commits: BASE..HEAD, or {text}.. for what the checked-out commit changed \
             since it branched off {text}"
        ));
    };
    let named = |end: &str| if end.is_empty() { HEAD } else { end }.to_owned();
    match (base, head) {
        ("", "") => Err("name at least one end: BASE..HEAD, or BASE..".to_owned()),
        (_, more) if more.contains("..") || more.starts_with('.') => {
            Err("more than two ends: expected BASE..HEAD".to_owned())
        }
        (base, head) => Ok(DiffEnds {
            base: named(base),
            head: named(head),
        }),
    }
}

/// Reads what the head changed.
///
/// # Errors
/// When an end is no commit of the repository. In a clone that lacks old commits, the error says how to fetch them.
pub(super) fn read(repository: &Repository, ends: &DiffEnds) -> anyhow::Result<Diff> {
    let diff = repository.diff(ends);
    let lacks_commits = match &diff {
        Err(OneShotError::Git(GitError::Shallow { .. })) => true,
        Err(OneShotError::Git(GitError::UnknownRef(_))) => repository.is_shallow(),
        _ => false,
    };
    if !lacks_commits {
        return Ok(diff?);
    }
    diff.context(
        "this clone lacks old commits: fetch them with `git fetch --unshallow`, in GitHub's CI by `fetch-depth: 0` of \
         actions/checkout, in GitLab's by the variable `GIT_DEPTH: 0`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ends_are_parsed_and_one_is_optional() {
        for (text, base, head) in [
            ("main..fix/x-1.2", "main", "fix/x-1.2"),
            ("main...fix/x-1.2", "main", "fix/x-1.2"),
            ("main..", "main", "HEAD"),
            ("main...", "main", "HEAD"),
            ("..main", "HEAD", "main"),
        ] {
            let ends = ends(text).unwrap();
            assert_eq!((&*ends.base, &*ends.head), (base, head), "{text}");
        }
        for (text, reason) in [
            ("", "BASE..HEAD"),
            ("main", "main.. for what"),
            ("..", "at least one"),
            ("...", "at least one"),
            ("a..b..c", "more than two"),
            ("a....b", "more than two"),
        ] {
            let error = ends(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
