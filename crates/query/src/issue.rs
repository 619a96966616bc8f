//! Defines the issues that an answer reports about itself.

use foveate_model::escape::shorten;

foveate_model::named_enum! {
    /// The stable code of an issue.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum IssueCode {
        /// Nothing matches the query.
        NoMatch = "no_match",
        /// The probability that the right code is shown is low.
        LowConfidence = "low_confidence",
        /// The focus has paths or symbols that the revision lacks.
        UnknownFocus = "unknown_focus",
        /// The caller says that it has seen entries that the revision lacks.
        UnknownSeen = "unknown_seen",
        /// A question is about names that the revision lacks.
        UnknownName = "unknown_name",
        /// A question looks for tests, subclasses, overriding methods or dependencies of something that has none.
        NoneFound = "none_found",
        /// Source files are not indexed, or only in part.
        SkippedFiles = "skipped_files",
        /// The best files cannot be read.
        UnreadableFiles = "unreadable_files",
        /// Paths, names or code contain characters that are unsafe to display.
        UnsafeCharacters = "unsafe_characters",
        /// No code that was found fits into the budget.
        BudgetTooSmall = "budget_too_small",
        /// The caller has seen the code that was found.
        AllSeen = "all_seen",
        /// A definition has more uses than are shown.
        MoreCallers = "more_callers",
        /// A search has reached a limit.
        SearchLimit = "search_limit",
        /// The deadline has passed.
        Deadline = "deadline",
        /// A part failed: the search for words, or reading the source again.
        Degraded = "degraded",
        /// A stored index of an earlier version answers.
        Outdated = "outdated",
        /// Files are polled instead of watched.
        Polling = "polling",
        /// Past commits are still being read.
        HistoryLoading = "history_loading",
        /// Past commits could not be read.
        HistoryUnavailable = "history_unavailable",
        /// The diff is too large to use all of it.
        LargeDiff = "large_diff",
        /// Parts of the caller's change are not shown.
        PartialChange = "partial_change",
        /// The diff has no changed text.
        EmptyDiff = "empty_diff",
        /// Files of the working tree or commit are missing.
        MissingFiles = "missing_files",
    }
}

impl IssueCode {
    /// Whether the answer lacks something, as opposed to an issue about what was found or asked.
    pub fn is_degrading(self) -> bool {
        matches!(
            self,
            Self::Degraded
                | Self::Deadline
                | Self::Outdated
                | Self::Polling
                | Self::HistoryLoading
                | Self::HistoryUnavailable
                | Self::SkippedFiles
                | Self::UnreadableFiles
                | Self::LargeDiff
        )
    }
}

/// Something that the answer could not do or that the reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// What it is about.
    pub code: IssueCode,
    /// One sentence for people. Names from `focus`, `seen` and the query are escaped and cut; it has no other
    /// text of the query.
    pub detail: String,
}

impl Issue {
    /// Makes an issue of a code and a sentence for people.
    pub fn new(code: IssueCode, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { code, detail }
    }
}

/// Maximum names in a list; further ones are counted.
const MAX_LISTED: usize = 5;
/// Maximum bytes shown of a name.
const MAX_NAME_BYTES: usize = 160;

/// Returns the first of `names`, escaped and cut: `a, b, c and 4 more`.
pub fn list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names
        .by_ref()
        .take(MAX_LISTED)
        .map(|name| shorten(name.as_ref(), MAX_NAME_BYTES).into_owned())
        .collect();
    let listed = first.join(", ");
    match names.count() {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_names_are_cut_and_escaped() {
        assert_eq!(list(["a", "b\u{1b}"]), "a, b\\u{1b}");
        assert_eq!(list(["x"; 9]), "x, x, x, x, x and 4 more");
        let long = list(vec!["ü\n".repeat(10_000); 9]);
        assert!(long.len() < 1000 && !long.contains('\n'), "{long}");
    }
}
