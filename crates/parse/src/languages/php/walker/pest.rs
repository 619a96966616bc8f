//! Collects tests of Pest: `it('connects', function () { … })` defines a function that is named by its
//! text.

use foveate_model::DefinitionKind;
use tree_sitter::Node;

use crate::collect::{Draft, span};
use crate::syntax::Descend;
use crate::walk::{Walk, child_of_kind, children, field};

/// Adds the test or group of tests of a call with a text and a function. `None`: it is an ordinary call.
pub(super) fn block<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    called: &str,
    depth: u32,
) -> Option<Descend> {
    let list = field(node, "arguments")?;
    let mut arguments = children(list)
        .into_iter()
        .map(|argument| argument.named_child(0));
    let content = child_of_kind(arguments.next()??, "string_content")?;
    let block = arguments.next()??;
    if !matches!(block.kind(), "anonymous_function" | "arrow_function") {
        return None;
    }
    let name = walk.of(content);
    let mut draft = Draft::new(name, DefinitionKind::Function, span(node), span(content));
    draft.body = Some(span(block));
    draft.signature_end = block.start_byte();
    draft.decorators = vec![called.into()];
    draft.modifiers.is_block = true;
    let id = walk.collector.define(draft);
    if let Some(function) = field(node, "function") {
        walk.collector.skip_to(function.end_byte());
    }
    walk.enter_definition(depth, id, DefinitionKind::Function);
    Some(Descend::Into)
}
