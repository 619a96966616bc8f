//! Defines the validated request: the limits of the wire are checked before a `Request` exists.

use std::borrow::Cow;

use foveate_model::{Lines, RepoPath};

use crate::intent::IntentKind;
use crate::permalink::WebPage;
use crate::text::QueryText;

/// How the context is rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    #[default]
    Xml,
    Markdown,
    Json,
}

/// How much is shown beyond the most likely places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breadth {
    /// Only what is likely to be changed.
    Precise,
    /// Everything that is worth its tokens.
    #[default]
    Balanced,
    /// Whatever fits the budget.
    Wide,
}

/// Files and symbols that the caller knows to matter, such as the files of a pull request.
#[derive(Clone, Debug, Default)]
pub struct Focus {
    /// Paths of files.
    pub paths: Vec<RepoPath>,
    /// Names of definitions, qualified or not, or `path:name`. The path of a file is taken as one, too.
    pub symbols: Vec<String>,
}

/// Code that the caller already has, such as from an earlier answer.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Paths of files that the caller has in full.
    pub paths: Vec<RepoPath>,
    /// Places as `path:name`, `path:start-end`, or `path:start-end@digest`. Answers name what they show in the last
    /// form; it counts only while the lines are unchanged.
    pub places: Vec<String>,
}

/// The lines of one file that a change, such as a pull request, touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path of the file in the snapshot.
    pub path: RepoPath,
    /// The changed parts in order; none if the file was only renamed.
    pub hunks: Vec<Hunk>,
}

/// One changed part of a file, numbered as in the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hunk {
    /// Lines that were added or that replaced others.
    Lines(Lines),
    /// Lines were removed, and none took their place.
    Deletion(Deletion),
}

/// The place where lines were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deletion {
    /// The line above the removed ones; 0 if they were the first.
    pub after: u32,
    /// Whether one of them began a definition.
    pub has_definition: bool,
    /// White space before the text of the first of them that had any, in bytes.
    pub indentation: u32,
}

impl Hunk {
    /// Returns the changed lines; for a deletion those around it, of which one may not exist.
    pub(crate) fn lines(self) -> Lines {
        match self {
            Self::Lines(lines) => lines,
            Self::Deletion(Deletion { after, .. }) => {
                Lines::new(after.max(1), after.saturating_add(1))
            }
        }
    }
}

/// What a change removed, which the snapshot does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Earlier paths of files that were deleted or renamed.
    pub paths: Vec<RepoPath>,
    /// Names of functions and types that began in removed lines. They may still be defined elsewhere.
    pub names: Vec<String>,
    /// Names of constants, attributes and variables outside functions that removed lines gave a value, likewise.
    pub variables: Vec<String>,
}

impl Removed {
    /// Whether nothing was removed.
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.names.is_empty() && self.variables.is_empty()
    }

    /// Whether a name, with or without the name of what contains it (`Cart.total`), is that of a removed definition or of
    /// a removed file as a module.
    pub(crate) fn has(&self, name: &str) -> bool {
        let last = name.rsplit('.').next().unwrap_or(name);
        let mut names = self.names.iter().chain(&self.variables);
        let mut paths = self.paths.iter();
        names.any(|removed| removed == last) || paths.any(|path| path.stem() == last)
    }
}

/// One question about one snapshot.
#[derive(Clone, Debug)]
pub struct Request {
    /// The name of the repository in the head of the context; may be empty.
    pub repo: String,
    /// Issue text, question or stack trace.
    pub query: String,
    /// The hard limit of the rendered context in tokens (o200k_base).
    pub budget_tokens: usize,
    /// How much of the budget is used.
    pub breadth: Breadth,
    /// Minimum probability of a shown place, 0 to 1; overrides the breadth's.
    pub min_probability: Option<f32>,
    /// Maximum files in the context.
    pub max_files: Option<usize>,
    /// Maximum characters in the context.
    pub max_chars: Option<usize>,
    /// The repository on the web, for links to the lines that are shown, and to tell links to its issues from others.
    pub web_page: Option<WebPage>,
    /// How to render.
    pub format: Format,
    /// The intent, where the caller knows it.
    pub intent: Option<IntentKind>,
    /// How many ranked files, functions and places to list.
    pub limit: usize,
    /// Files and symbols that the caller knows to matter.
    pub focus: Focus,
    /// What the caller changed: it is always shown, with the code related to it.
    pub changes: Vec<Change>,
    /// What the caller removed: code that still uses it is shown.
    pub removed: Removed,
    /// The commit before the changes, which the head of the context names; may be empty.
    pub base: String,
    /// Code that the caller already has: it is not shown again.
    pub seen: Seen,
}

/// Words of queries that only ask to look at a change: "Please review this pull request."
const REVIEW_WORDS: &[&str] = &[
    "a", "an", "and", "at", "below", "branch", "can", "carefully", "change", "changed", "changes",
    "check", "code", "commit", "commits", "could", "diff", "do", "for", "have", "here", "i", "in",
    "is", "it", "look", "me", "merge", "mr", "my", "of", "our", "patch", "please", "pr", "pull",
    "request", "review", "take", "the", "these", "think", "this", "us", "we", "what", "with",
    "you", "your",
];

impl Request {
    /// Returns the request, without its query if that only asks to look at the change: its words are those of templates and
    /// guides, and not of the change.
    pub(crate) fn without_review_words(&self) -> Cow<'_, Self> {
        match self.asks_only_for_review() {
            true => Cow::Owned(Self {
                query: String::new(),
                ..self.clone()
            }),
            false => Cow::Borrowed(self),
        }
    }

    fn asks_only_for_review(&self) -> bool {
        let words = self.query.split(|c: char| !c.is_alphanumeric());
        let mut words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
        let is_of_review = |word: String| REVIEW_WORDS.binary_search(&word.as_str()).is_ok();
        self.has_change() && !self.query.is_empty() && words.all(is_of_review)
    }

    /// Whether the caller asks about a change.
    pub(crate) fn has_change(&self) -> bool {
        !self.changes.is_empty() || !self.removed.is_empty()
    }

    /// Parses the query, as one about the repository of the web page.
    pub(crate) fn text(&self) -> QueryText {
        let repository = self.web_page.as_ref().and_then(WebPage::repository);
        QueryText::parse_about(&self.query, repository)
    }
}

/// Smallest and largest accepted budget in tokens.
pub const BUDGET_TOKENS: std::ops::RangeInclusive<usize> = 200..=128_000;

/// Smallest and largest accepted number of files in a context.
pub const MAX_FILES: std::ops::RangeInclusive<usize> = 1..=1000;

/// Smallest and largest accepted number of characters of a context.
pub const MAX_CHARS: std::ops::RangeInclusive<usize> = 1000..=10_000_000;

/// Smallest and largest accepted number of listed results.
pub const LIMIT: std::ops::RangeInclusive<usize> = 1..=100;

impl Default for Request {
    fn default() -> Self {
        Self {
            repo: String::new(),
            query: String::new(),
            budget_tokens: 8000,
            breadth: Breadth::Balanced,
            min_probability: None,
            max_files: None,
            max_chars: None,
            web_page: None,
            format: Format::Xml,
            intent: None,
            limit: 20,
            focus: Focus::default(),
            changes: Vec::new(),
            removed: Removed::default(),
            base: String::new(),
            seen: Seen::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The search for a word needs the order.
    #[test]
    fn words_of_reviews_are_sorted() {
        assert!(REVIEW_WORDS.is_sorted());
    }
}
