//! What a context is written from beside its entries: what its head says, and pieces of text.

use std::borrow::Cow;

use crate::intent::Intent;

/// What the first line of a context says.
#[derive(Clone, Debug)]
pub(in crate::assemble) struct Head<'a> {
    pub intent: &'a Intent,
    /// Name of the repository; may be empty.
    pub repo: &'a str,
    /// The commit that was searched; may be empty.
    pub commit: &'a str,
    /// Most tokens.
    pub budget: usize,
}

/// What is known at the end.
#[derive(Clone, Copy, Debug)]
pub(in crate::assemble) struct Figures {
    /// The chance that a right place is shown whole.
    pub confidence: f32,
    /// Whether that is little.
    pub is_low: bool,
    /// Tokens of the whole context.
    pub used: usize,
    /// How many relevant things are not in it.
    pub left_out: usize,
}

/// What would raise a low confidence.
pub(in crate::assemble) const WOULD_HELP: &str = "a stack trace, a name or a version would help";

/// A stretch of the whole text, with its tokens where they are known.
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

    /// An entry, rendered and counted before.
    pub(in crate::assemble) fn entry(text: &'a str, tokens: usize) -> Self {
        Self {
            text: text.into(),
            tokens: Some(tokens),
        }
    }
}
