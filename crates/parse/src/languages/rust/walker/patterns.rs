//! Binds the names in patterns.

use foveate_model::values::Value;
use tree_sitter::Node;

use crate::syntax::Descend;
use crate::walk::{Handled, Walk, children, field};

/// `let a: T = x;`, `if let Some(a) = x`, `for a in x`: the variable of a loop gets the value of `x`, since list
/// types count as their element type.
pub(super) fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(pattern) = field(node, "pattern") {
        bind_value(walk, pattern, field(node, "type"), field(node, "value"));
    }
    Some(Descend::Into)
}

pub(super) fn match_arm<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let pattern = field(node, "pattern");
    if let Some(pattern) = pattern.and_then(|pattern| pattern.named_child(0)) {
        bind(walk, pattern);
    }
    Some(Descend::Into)
}

/// Binds a pattern that is one name, bare or as all of `Some(a)` and `Ok(a)`, to its value. The names
/// in other patterns are bound to unknown values.
fn bind_value<'t>(
    walk: &mut Walk<'t>,
    pattern: Node<'t>,
    declared: Option<Node<'t>>,
    initial: Option<Node<'t>>,
) {
    let mut single = pattern;
    for _ in 0..4 {
        single = match single.kind() {
            "mut_pattern" | "ref_pattern" | "reference_pattern" => {
                let count = single.named_child_count();
                match single.named_child(count.saturating_sub(1) as u32) {
                    Some(inner) => inner,
                    None => break,
                }
            }
            "tuple_struct_pattern" if single.named_child_count() == 2 => {
                let wrapper = field(single, "type").map(|wrapper| walk.of(wrapper));
                match (wrapper, single.named_child(1)) {
                    (Some("Some" | "Ok"), Some(inner)) => inner,
                    _ => break,
                }
            }
            _ => break,
        };
    }
    if single.kind() == "identifier" && is_binding(walk.of(single)) {
        let value = walk.declared_value(declared, initial);
        walk.local(single, value);
    } else {
        bind(walk, pattern);
    }
}

/// Binds all names of a pattern.
pub(super) fn bind<'t>(walk: &mut Walk<'t>, pattern: Node<'t>) {
    let mut pending = vec![pattern];
    while let Some(node) = pending.pop() {
        match node.kind() {
            "identifier" | "shorthand_field_identifier" if is_binding(walk.of(node)) => {
                walk.local(node, Value::Unknown);
            }
            "tuple_struct_pattern" | "struct_pattern" | "generic_pattern" => {
                let named = field(node, "type").map(|named| named.id());
                let parts = children(node).into_iter();
                pending.extend(parts.filter(|part| Some(part.id()) != named));
            }
            "field_pattern" => match field(node, "pattern") {
                Some(pattern) => pending.push(pattern),
                None => pending.extend(field(node, "name")),
            },
            kind if kind.ends_with("_pattern") || kind == "parameter" => {
                pending.extend(children(node));
            }
            _ => {}
        }
    }
}

/// Whether a name in a pattern is bound: constants and variants are written with capitals, variables
/// are not.
fn is_binding(name: &str) -> bool {
    name.starts_with(|c: char| c.is_lowercase() || c == '_')
}
