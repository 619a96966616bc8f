//! Defines what a context is rendered from besides its entries: the data of its head, and pieces of text.

use std::borrow::Cow;

use crate::intent::Intent;
use crate::tokenizer;

/// Data for the first line of a context that is known from the start.
#[derive(Clone, Debug)]
pub(in crate::assemble) struct Head<'a> {
    pub intent: &'a Intent,
    /// Name of the repository; may be empty.
    pub repo: &'a str,
    /// The commit that was searched; may be empty.
    pub commit: &'a str,
    /// The commit before the caller's change; empty if there is none.
    pub base: &'a str,
    /// Number of files that the caller changed.
    pub changed_files: usize,
    /// Maximum tokens.
    pub budget: usize,
}

/// Data for the first line of a context that is known only at the end.
#[derive(Clone, Copy, Debug)]
pub(in crate::assemble) struct HeadFigures {
    /// The probability that a right place is shown whole.
    pub confidence: f32,
    /// What would help, if the confidence is low.
    pub advice: Option<&'static str>,
    /// Tokens of the whole context.
    pub used: usize,
    /// Number of relevant things that are not in it.
    pub left_out: usize,
}

/// Advice to the reader of a context with low confidence. This is the longest advice.
pub(in crate::assemble) const SAY_MORE: &str = "a stack trace, a name or a version would help";
/// Advice for a question that names nothing. Shorter than [`SAY_MORE`].
pub(in crate::assemble) const NAME_IT: &str = "a name or a path would help";
/// Advice where the right code would be shown with more tokens.
pub(in crate::assemble) const MORE_TOKENS: &str = "a larger budget would help";
/// Advice where the right code would be shown with more characters.
pub(in crate::assemble) const MORE_CHARS: &str = "a larger `max_chars` would help";

/// A piece of the rendered text, with its tokens if they are known.
#[derive(Debug)]
pub(in crate::assemble) struct Piece<'a> {
    pub text: Cow<'a, str>,
    pub tokens: Option<usize>,
}

impl<'a> Piece<'a> {
    pub(in crate::assemble) fn new(text: String) -> Self {
        Self {
            text: text.into(),
            tokens: None,
        }
    }

    /// Returns its tokens.
    pub(in crate::assemble) fn token_count(&self) -> usize {
        self.tokens
            .unwrap_or_else(|| tokenizer::count_entry(&self.text))
    }

    /// Makes a piece of an entry that was rendered and counted before.
    pub(in crate::assemble) fn entry(text: &'a str, tokens: usize) -> Self {
        Self {
            text: text.into(),
            tokens: Some(tokens),
        }
    }
}
