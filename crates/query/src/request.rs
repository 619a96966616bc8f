//! What is asked, validated: the wire's limits are checked before a `Request` exists.

use foveate_model::{Lines, RepoPath};

use crate::intent::IntentKind;
use crate::permalink::WebPage;

/// How the context is rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    #[default]
    Xml,
    Markdown,
    Json,
}

/// How much is shown beside the most likely places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breadth {
    /// Only what is likely to be changed.
    Precise,
    /// What is worth its tokens.
    #[default]
    Balanced,
    /// Whatever fits the budget.
    Wide,
}

/// What the caller already knows to matter, such as the files of a pull request.
#[derive(Clone, Debug, Default)]
pub struct Focus {
    /// Paths of files.
    pub paths: Vec<RepoPath>,
    /// Names of definitions, qualified or not.
    pub symbols: Vec<String>,
}

/// What the caller has already, such as from an earlier answer.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Paths of files that are known whole.
    pub paths: Vec<RepoPath>,
    /// Places as `path:name`, `path:start-end`, or `path:start-end@digest` as answers name what they show, which counts
    /// only where the lines still read the same.
    pub places: Vec<String>,
}

/// What a change touched in a file, such as that of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, as it is called in the snapshot.
    pub path: RepoPath,
    /// The lines that were changed, as they are numbered in the snapshot, in order; of mere deletions
    /// the lines before and after.
    pub lines: Vec<Lines>,
}

/// One question about one snapshot.
#[derive(Clone, Debug)]
pub struct Request {
    /// What the head of the context calls the repository; may be empty.
    pub repo: String,
    /// Issue text, question or stack trace.
    pub query: String,
    /// The hard limit of the rendered context in tokens (o200k_base).
    pub budget_tokens: usize,
    /// How much of the budget is used.
    pub breadth: Breadth,
    /// Least probability of a place that is shown, 0 to 1, in place of the breadth's.
    pub min_probability: Option<f32>,
    /// Most files that anything is shown of.
    pub max_files: Option<usize>,
    /// Most characters of the context.
    pub max_chars: Option<usize>,
    /// The repository on the web, for links to the lines that are shown.
    pub web_page: Option<WebPage>,
    /// How to render.
    pub format: Format,
    /// The intent, where the caller knows it.
    pub intent: Option<IntentKind>,
    /// How many ranked files, functions and places to list.
    pub limit: usize,
    /// What the caller already knows.
    pub focus: Focus,
    /// What was changed: it is shown whatever else is, with what hangs together with it.
    pub changes: Vec<Change>,
    /// What the caller has already: it is not shown again.
    pub seen: Seen,
}

/// Smallest and largest accepted budget in tokens.
pub const BUDGET_TOKENS: std::ops::RangeInclusive<usize> = 200..=128_000;

/// Smallest and largest accepted number of files that anything is shown of.
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
            seen: Seen::default(),
        }
    }
}
