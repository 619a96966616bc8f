//! Adds definitions, including the macros and templates before them.

use foveate_model::{LocalId, Span};
use tree_sitter::Node;

use crate::collect::Draft;
use crate::languages::c::masks;
use crate::walk::{Walk, field};

/// Adds a definition, including the `template <…>` before it.
pub(super) fn define<'t>(walk: &mut Walk<'t>, mut draft: Draft<'t>) -> LocalId {
    let end = draft.span.end as usize;
    let start = with_macros(walk.collector.text, draft.span.start as usize);
    draft.span = Span::new(start, end);
    draft.own_start = Some(draft.span.start);
    for generic in walk.generics.iter_mut().rev() {
        match generic.head.filter(|_| generic.end >= end) {
            Some(head) => draft.span = Span::new(head.min(draft.span.start as usize), end),
            None => break,
        }
        generic.head = None;
    }
    if draft.visibility.is_none() {
        draft.visibility = Some(walk.context().access.unwrap_or_default());
    }
    walk.define(draft)
}

/// Maximum number of macros before a declaration.
const MAX_MACROS: usize = 4;

/// Returns the start of a declaration including the macros before it, which the grammar does not see. They
/// are at the beginning of its line, or on the line before.
fn with_macros(text: &str, start: usize) -> usize {
    let mut found = start;
    let mut at = start;
    for _ in 0..MAX_MACROS {
        let before = text.get(..at).unwrap_or("");
        let head = before.trim_end_matches([' ', '\t', '\r', '\n']);
        let blanks = before.get(head.len()..).unwrap_or("");
        let called = before_brackets(head).trim_end();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = called.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
        let word = called.get(word..).unwrap_or("");
        if blanks.matches('\n').count() > 1 || !masks::is_macro(word.as_bytes()) {
            break;
        }
        at = called.len() - word.len();
        let line = text
            .get(..at)
            .unwrap_or("")
            .rsplit('\n')
            .next()
            .unwrap_or("");
        if line.trim().is_empty() {
            found = at;
        } else if line.trim_start().starts_with('#') {
            break;
        }
    }
    found
}

/// Returns the text before the brackets at its end, closed or open.
fn before_brackets(text: &str) -> &str {
    let mut depth = 0_usize;
    if !text.ends_with([')', '(']) {
        return text;
    }
    for (at, byte) in text.bytes().enumerate().rev().take(256) {
        match byte {
            b')' => depth += 1,
            b'(' if depth <= 1 => return text.get(..at).unwrap_or(""),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    ""
}

/// Whether the head of a function is a macro whose first letter the grammar saw as a type.
pub(super) fn is_rewritten(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let Some(made) = field(node, "type").filter(|made| made.end_byte() == made.start_byte() + 1)
    else {
        return false;
    };
    let after = walk.collector.text.as_bytes().get(made.end_byte());
    after.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
