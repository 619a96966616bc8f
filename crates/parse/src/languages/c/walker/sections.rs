//! Adds the blocks of tests that have a title: `SECTION("adds") { … }`. The grammar sees an `if` in them.

use foveate_model::{DefinitionKind, ReferenceKind, Span, Visibility};
use tree_sitter::Node;

use super::macros::{arguments, past_word};
use crate::collect::{Draft, span};
use crate::languages::c::masks;
use crate::syntax::{Descend, inside_brackets};
use crate::walk::{Handled, Walk, field};

/// Enters an `if`, or a block with a title, which is a definition inside of a test.
pub(super) fn section<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let text = walk.collector.text;
    let start = node.start_byte();
    let head = text.get(start..).unwrap_or("");
    let called = Span::new(start, start + past_word(head.as_bytes(), 0));
    if !masks::is_macro(called.of(text).as_bytes()) {
        return Some(Descend::Into);
    }
    let titles = field(node, "condition")
        .map(inside_brackets)
        .map_or_else(Vec::new, |list| arguments(text, list));
    let is_in_test = walk.parent().is_some_and(|test| test.modifiers.is_block);
    if let Some(title) = titles.first().filter(|_| is_in_test) {
        let kind = DefinitionKind::Function;
        let mut draft = Draft::new(title.of(text), kind, span(node), *title);
        if let Some(body) = field(node, "consequence") {
            draft.body = Some(span(body));
            draft.signature_end = body.start_byte();
        }
        draft.visibility = Some(Visibility::Public);
        draft.decorators = vec![called.of(text).into(), "TEST".into()];
        draft.modifiers.is_block = true;
        let id = walk.collector.define(draft);
        walk.enter_definition(depth, id, kind);
    }
    walk.collector.refer_at(ReferenceKind::Call, called, called);
    Some(Descend::Into)
}
