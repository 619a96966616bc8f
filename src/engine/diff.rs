//! Describes what a revision changed since it left another one, for questions about pull requests. It must not use
//! git: the floor above computes the diff.

use foveate_model::{Lines, RepoPath};
use foveate_query::{Change, Issue, IssueCode};

/// The two revisions of a diff: commits, branches or tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffEnds {
    /// The revision that the head is compared with.
    pub base: String,
    /// The revision that the question is about.
    pub head: String,
}

/// The changes of the head since it left the base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The full id of the head's commit.
    pub head: String,
    /// The full id of the commit where the head left the base.
    pub fork: String,
    /// By file, in the order of git. A file that was only renamed has no lines.
    pub changes: Vec<Change>,
    /// The same changes as positions in the tree of `fork`, for the files that existed there.
    pub before: Vec<OldLines>,
    /// Counts of files and hunks beyond the limits.
    pub left_out: OmittedParts,
}

/// The changed lines of a file, as numbered before the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldLines {
    /// The file's path before the change.
    pub path: RepoPath,
    /// The lines that were replaced or removed.
    pub lines: Vec<Lines>,
    /// The lines after which others were inserted; 0: before the first one.
    pub insertions: Vec<u32>,
}

/// The parts of a diff that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OmittedParts {
    /// Files left out entirely.
    pub files: usize,
    /// Hunks left out, those of these files included.
    pub hunks: usize,
    /// Whether reading ended early, so that there may be more of both.
    pub is_cut: bool,
}

impl Diff {
    /// Returns the issue for the reader of an answer: that parts were left out, or that there are no changes.
    pub fn issue(&self) -> Option<Issue> {
        if self.left_out != OmittedParts::default() {
            return Some(self.left_out.issue());
        }
        self.changes.is_empty().then(|| Issue {
            code: IssueCode::EmptyDiff,
            detail: "the diff is empty: the head changed no text since it left the base (no change, or only \
                     removed or binary files)"
                .to_owned(),
        })
    }
}

impl OmittedParts {
    fn issue(self) -> Issue {
        let Self {
            files,
            hunks,
            is_cut,
        } = self;
        let end = if is_cut {
            "; reading ended early, so the rest of the diff was left out too"
        } else {
            ""
        };
        Issue {
            code: IssueCode::LargeDiff,
            detail: format!(
                "the diff is too large to use all of it: {files} files and {hunks} hunks were left out{end}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_or_empty_diff_gives_issue() {
        let left_out = |files, is_cut| OmittedParts {
            files,
            hunks: 7,
            is_cut,
        };
        for (left_out, code, text) in [
            (
                OmittedParts::default(),
                IssueCode::EmptyDiff,
                "changed no text",
            ),
            (
                left_out(3, false),
                IssueCode::LargeDiff,
                "3 files and 7 hunks",
            ),
            (left_out(0, true), IssueCode::LargeDiff, "ended early"),
        ] {
            let diff = Diff {
                left_out,
                ..Diff::default()
            };
            let issue = diff.issue().unwrap();
            assert_eq!(issue.code, code);
            assert!(issue.detail.contains(text), "{}", issue.detail);
        }
    }
}
