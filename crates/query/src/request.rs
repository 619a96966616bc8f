//! What is asked, validated: the wire's limits are checked before a `Request` exists.

use foveate_model::RepoPath;

use crate::intent::IntentKind;

/// How the context is rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    #[default]
    Xml,
    Markdown,
    Json,
}

/// What the caller already knows to matter, such as the files of a pull request.
#[derive(Clone, Debug, Default)]
pub struct Focus {
    /// Paths of files.
    pub paths: Vec<RepoPath>,
    /// Names of definitions, qualified or not.
    pub symbols: Vec<String>,
}

/// One question about one snapshot.
#[derive(Clone, Debug)]
pub struct Request {
    /// Issue text, question or stack trace.
    pub query: String,
    /// The hard limit of the rendered context in tokens (o200k_base).
    pub budget_tokens: usize,
    /// How to render.
    pub format: Format,
    /// The intent, where the caller knows it.
    pub intent: Option<IntentKind>,
    /// How many ranked files and functions to list.
    pub limit: usize,
    /// What the caller already knows.
    pub focus: Focus,
}

/// Smallest and largest accepted budget in tokens.
pub const BUDGET_TOKENS: std::ops::RangeInclusive<usize> = 200..=128_000;

/// Smallest and largest accepted number of listed results.
pub const LIMIT: std::ops::RangeInclusive<usize> = 1..=100;

impl Default for Request {
    fn default() -> Self {
        Self {
            query: String::new(),
            budget_tokens: 8000,
            format: Format::Xml,
            intent: None,
            limit: 20,
            focus: Focus::default(),
        }
    }
}
