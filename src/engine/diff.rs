//! Describes what a revision changed since it left another one, for questions about pull requests. It must not use
//! git: the layer above computes the diff.

use foveate_model::{Lines, RepoPath};
use foveate_query::{Change, Issue, IssueCode, Removed, Request, issue};

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
    pub merge_base: String,
    /// By file, in the order of git. A file that was only renamed has no lines.
    pub changes: Vec<Change>,
    /// Paths of deleted files. A file that is removed and whose text is elsewhere in the head counts as renamed.
    pub deleted: Vec<RepoPath>,
    /// Earlier and later paths of renamed files.
    pub renamed: Vec<[RepoPath; 2]>,
    /// Names of definitions that began in removed lines, some of which are still defined.
    pub removed_names: Vec<String>,
    /// Names of constants, attributes and variables outside functions that removed lines gave a value, some of which
    /// are still defined.
    pub removed_variables: Vec<String>,
    /// Number of binary files that were added or changed.
    pub binary_files: usize,
    /// The same changes as positions in the tree of `merge_base`, for the files that existed there.
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
    /// Makes a request one about these changes.
    pub fn add_to(self, request: &mut Request) {
        request.changes = self.changes;
        let renamed = self.renamed.into_iter().map(|[earlier, _]| earlier);
        request.removed = Removed {
            paths: self.deleted.into_iter().chain(renamed).collect(),
            names: self.removed_names,
            variables: self.removed_variables,
        };
        request.base = self.merge_base;
    }

    /// Returns the issue for the reader of an answer: that parts were left out, or that there are no changes.
    pub fn issue(&self) -> Option<Issue> {
        if self.left_out != OmittedParts::default() {
            return Some(self.left_out.issue());
        }
        let has_text = self.changes.iter().any(|change| !change.hunks.is_empty());
        if has_text {
            return None;
        }
        let is_merged = !self.head.is_empty() && self.head == self.merge_base;
        let changes = self.other_changes();
        let detail = if !changes.is_empty() {
            format!(
                "the diff has no changed text: since it left the base, the head only {}",
                changes.join(" and ")
            )
        } else if is_merged {
            "the diff is empty: the base has every commit of the head".to_owned()
        } else {
            "the diff is empty: the head changed no text since it left the base".to_owned()
        };
        Some(Issue::new(IssueCode::EmptyDiff, detail))
    }

    /// Describes what changed besides text.
    fn other_changes(&self) -> Vec<String> {
        let files = |count: usize| format!("{count} file{}", if count == 1 { "" } else { "s" });
        let mut changes = Vec::new();
        if !self.deleted.is_empty() {
            let paths = issue::list(self.deleted.iter().map(RepoPath::as_str));
            changes.push(format!("deletes {}: {paths}", files(self.deleted.len())));
        }
        if !self.renamed.is_empty() {
            let pairs = self.renamed.iter();
            let pairs =
                pairs.map(|[earlier, later]| format!("{} to {}", earlier.as_str(), later.as_str()));
            let pairs = issue::list(pairs);
            changes.push(format!("renames {}: {pairs}", files(self.renamed.len())));
        }
        if self.binary_files > 0 {
            changes.push(format!("changes {} without text", files(self.binary_files)));
        }
        changes
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
        let detail = format!(
            "the diff is too large to use all of it: {files} files and {hunks} hunks were left out{end}"
        );
        Issue::new(IssueCode::LargeDiff, detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diff_without_text_says_what_changed() {
        let path = |path: &str| RepoPath::new(path).unwrap();
        let mut diff = Diff {
            deleted: vec![path("a.py"), path("b.py")],
            ..Diff::default()
        };
        let detail = |diff: &Diff| diff.issue().unwrap().detail;
        let start = "the diff has no changed text: since it left the base, the head only";
        assert_eq!(
            detail(&diff),
            format!("{start} deletes 2 files: a.py, b.py")
        );
        diff.renamed = vec![[path("c.py"), path("d.py")]];
        diff.binary_files = 1;
        diff.deleted.clear();
        assert_eq!(
            detail(&diff),
            format!("{start} renames 1 file: c.py to d.py and changes 1 file without text")
        );
    }

    #[test]
    fn head_without_commits_of_its_own_is_told() {
        let diff = |merge_base: &str| Diff {
            head: "c0ffee".to_owned(),
            merge_base: merge_base.to_owned(),
            ..Diff::default()
        };
        let detail = |merge_base| diff(merge_base).issue().unwrap().detail;
        assert!(detail("c0ffee").contains("the base has every commit of the head"));
        assert!(detail("b0b").contains("changed no text"));
    }

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
