//! Adds the methods that a loop over literals defines: `%w[a b].each { |c| define_method("#{c}?") { … } }`. They share
//! one body, so that each is a field: a call reads it, and no body is its own.

use foveate_model::{DefinitionKind, Span};
use tree_sitter::Node;

use super::bindings::owner;
use super::{arguments, literal_name};
use crate::collect::{Draft, span};
use crate::walk::{Walk, children, field};

/// Maximum number of methods of one loop.
const MAX_METHODS: usize = 64;
/// Longest name of such a method, in bytes.
const MAX_NAME: usize = 128;

/// Adds the methods of a call of `each`, if it is such a loop.
pub(super) fn methods<'t>(walk: &mut Walk<'t>, each: Node<'t>) {
    let (Some(list), Some(block)) = (field(each, "receiver"), field(each, "block")) else {
        return;
    };
    let parameters = field(block, "parameters").map_or_else(Vec::new, children);
    let [parameter] = parameters.as_slice() else {
        return;
    };
    let elements = elements(walk, list);
    let body = field(block, "body").filter(|_| !elements.is_empty());
    let mut named: Vec<(Node<'t>, Node<'t>, String)> = Vec::new();
    for statement in body.map_or_else(Vec::new, children) {
        let Some(written) = defined_name(walk, statement) else {
            continue;
        };
        let names = elements.iter();
        let names = names.filter_map(|element| composed(walk, written, *parameter, element));
        named.extend(names.map(|name| (statement, written, name)));
        if named.len() >= MAX_METHODS {
            break;
        }
    }
    for (statement, written, name) in named.into_iter().take(MAX_METHODS) {
        add(walk, (statement, written), &name);
    }
}

/// Returns the elements of a list of symbols or texts; empty for any other list.
fn elements<'t>(walk: &Walk<'t>, list: Node<'t>) -> Vec<&'t str> {
    let parts = match list.kind() {
        "array" | "string_array" | "symbol_array" => children(list),
        _ => Vec::new(),
    };
    let element = |part: Node<'t>| match part.kind() {
        "bare_string" | "bare_symbol" => Some(walk.of(part)),
        _ => literal_name(walk, part).map(|(name, _)| name),
    };
    let parts = parts.into_iter().take(MAX_METHODS);
    let elements: Option<Vec<&'t str>> = parts.map(element).collect();
    elements.unwrap_or_default()
}

/// Returns the text or symbol in `define_method("…")`.
fn defined_name<'t>(walk: &Walk<'t>, statement: Node<'t>) -> Option<Node<'t>> {
    let method = field(statement, "method")?;
    let is_own = field(statement, "receiver").is_none() && walk.of(method) == "define_method";
    let written = arguments(statement).into_iter().next().filter(|_| is_own)?;
    matches!(written.kind(), "string" | "delimited_symbol").then_some(written)
}

/// Returns the name that a text with one variable gives for an element: `a?` of `"#{c}?"`.
fn composed(
    walk: &Walk<'_>,
    written: Node<'_>,
    parameter: Node<'_>,
    element: &str,
) -> Option<String> {
    if span(written).len() > MAX_NAME || element.len() > MAX_NAME {
        return None;
    }
    let (mut name, mut is_composed) = (String::new(), false);
    for part in children(written) {
        match part.kind() {
            "string_content" => name.push_str(walk.of(part)),
            "interpolation" if part.named_child_count() == 1 => {
                let variable = part.named_child(0)?;
                if walk.of(variable) != walk.of(parameter) {
                    return None;
                }
                name.push_str(element);
                is_composed = true;
            }
            _ => return None,
        }
    }
    (is_composed && name.len() <= MAX_NAME).then_some(name)
}

fn add<'t>(walk: &mut Walk<'t>, (statement, written): (Node<'t>, Node<'t>), name: &str) {
    let section = walk.context().section;
    let place = span(written);
    let inside = Span::new(place.start as usize + 1, place.end as usize - 1);
    let mut draft = Draft::new(
        walk.of(written),
        DefinitionKind::Field,
        span(statement),
        inside,
    );
    if let Some(block) = field(statement, "block") {
        draft.signature_end = block.start_byte();
    }
    draft.visibility = Some(section.visibility);
    draft.modifiers.is_static = section.is_static;
    let owner = owner(walk);
    walk.collector.define_as(owner, draft, name);
}
