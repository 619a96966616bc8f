//! Collects tests that are blocks: RSpec, `test "…" do` of Minitest and test-unit. Each is a function
//! that is named by its text, so that it can be found and the references in it link it to the tested
//! code.

use foveate_model::values::Value;
use foveate_model::{Definition, DefinitionKind, LocalId, ReferenceKind, Span, Visibility};
use tree_sitter::Node;

use super::{CORE_CLASSES, arguments, literal_name, skip_name};
use crate::collect::{Draft, span};
use crate::syntax::Descend;
use crate::walk::{Walk, children, field, last_child};

/// Whether a block of this name holds examples.
pub(super) fn is_group(name: &str) -> bool {
    [
        "describe", "context", "feature", "shared_examples", "shared_examples_for",
        "shared_context", "xdescribe", "xcontext", "fdescribe", "fcontext", "sub_test_case",
    ]
    .contains(&name)
}

/// Whether a block of this name is one example.
pub(super) fn is_example(name: &str) -> bool {
    matches!(
        name,
        "it" | "specify" | "example" | "scenario" | "test" | "should" | "xit" | "fit" | "its"
    )
}

/// Adds the group or example of `describe Client do`, `it "connects" do`. An example without a text belongs to the
/// enclosing definition.
pub(super) fn block<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    name: &'t str,
    depth: u32,
) -> Option<Descend> {
    let block = field(node, "block")?;
    let Some(subject) = arguments(node).into_iter().next() else {
        walk.collector.skip_to(block.start_byte());
        return Some(Descend::Into);
    };
    let (called, place) = subject_name(walk, subject)?;
    let mut draft = Draft::new(called, DefinitionKind::Function, span(node), place);
    draft.body = Some(span(block));
    draft.signature_end = block.start_byte();
    draft.visibility = Some(Visibility::Public);
    draft.decorators = vec![name.into()];
    draft.modifiers.is_block = true;
    let id = walk.define(draft);
    skip_name(walk, node);
    walk.enter_definition(depth, id, DefinitionKind::Function);
    // The walk takes the subject for the name of the block. It records a class with a scope by itself.
    if subject.kind() == "constant" && CORE_CLASSES.binary_search(&called).is_err() {
        walk.collector.refer(ReferenceKind::Type, subject);
    }
    Some(Descend::Into)
}

fn subject_name<'t>(walk: &Walk<'t>, subject: Node<'t>) -> Option<(&'t str, Span)> {
    match subject.kind() {
        "constant" | "scope_resolution" => Some((walk.of(subject), span(subject))),
        // Strings with interpolation count, too.
        "string" => {
            let (first, last) = (subject.named_child(0)?, last_child(subject)?);
            let place = Span::new(first.start_byte(), last.end_byte());
            let text = place.of(walk.collector.text);
            (!text.trim().is_empty()).then_some((text, place))
        }
        _ => literal_name(walk, subject),
    }
}

/// Binds the name in `let(:client) { Client.new }` for the examples of the enclosing group.
pub(super) fn value<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Descend> {
    let group = walk.context().enclosing?;
    let block = field(node, "block")?;
    let (_, name) = literal_name(walk, arguments(node).into_iter().next()?)?;
    let body = field(block, "body").map_or_else(Vec::new, children);
    let value = match body.as_slice() {
        [only] => walk.value_of(*only),
        _ => Value::Unknown,
    };
    bind(walk, group, name, value);
    skip_name(walk, node);
    Some(Descend::Into)
}

/// Binds `described_class` to the class that the innermost group with a class describes. Climbs
/// definitions, because the search for a node's parent begins at the root of the tree.
pub(super) fn described_class<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(function) = walk.context().enclosing else {
        return;
    };
    let mut around = std::iter::successors(walk.parent(), |block| {
        walk.collector.definition(block.parent?)
    });
    let class = around.find_map(|block| class_of_group(walk.collector.text, block));
    if let Some(class) = class {
        bind(walk, function, span(node), Value::Name(class));
    }
}

/// Returns the class that a group describes; `None` if a string or symbol names the group.
fn class_of_group(text: &str, block: &Definition) -> Option<Span> {
    let is_known_group = block.decorators.iter().any(|name| is_group(name));
    let subject = block.name_span;
    let before = text.get(..subject.start as usize)?.bytes().next_back();
    let is_quoted = matches!(before, Some(b'"' | b'\'' | b':'));
    let is_constant = subject
        .of(text)
        .starts_with(|first: char| first.is_uppercase() || first == ':');
    (block.modifiers.is_block && is_known_group && !is_quoted && is_constant).then_some(subject)
}

fn bind(walk: &mut Walk<'_>, group: LocalId, name: Span, value: Value) {
    walk.collector.bind_name(name, group);
    walk.collector.local(name, value);
}
