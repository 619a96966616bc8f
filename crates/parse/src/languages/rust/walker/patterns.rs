//! Binds the names in patterns.

use foveate_model::Span;
use foveate_model::values::Value;
use tree_sitter::Node;

use super::method_call;
use crate::collect::span;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, children, field, last_child, parent_in};

/// Binds a name to its value: [`Walk::local`], or [`Walk::nameless_parameter`] where a function often has several
/// variables of one name, each in a part of its own.
type Add<'t> = fn(&mut Walk<'t>, Node<'t>, Value);

/// Binds the variables of `let a: T = x;`, `if let Some(a) = x`, `for a in x`: the variable of a loop gets the value of
/// `x`, since list types count as their element type.
pub(super) fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(pattern) = field(node, "pattern") {
        let (declared, initial) = (field(node, "type"), field(node, "value"));
        bind_value(walk, pattern, declared, initial, Walk::local);
    }
    Some(Descend::Into)
}

/// Binds the variables of `match x { Some(a) => …, B(c) => … }`.
pub(super) fn arms<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let value = field(node, "value");
    for arm in field(node, "body").into_iter().flat_map(children) {
        let pattern = field(arm, "pattern").and_then(|pattern| pattern.named_child(0));
        if let Some(pattern) = pattern {
            bind_value(walk, pattern, None, value, Walk::nameless_parameter);
        }
    }
    Some(Descend::Into)
}

/// Binds a pattern that is one name, bare or as all of `Some(a)` and `Ok(a)`, to its value, and those in a tuple to
/// the parts of a tuple.
fn bind_value<'t>(
    walk: &mut Walk<'t>,
    pattern: Node<'t>,
    declared: Option<Node<'t>>,
    initial: Option<Node<'t>>,
    add: Add<'t>,
) {
    let mut pending = Vec::new();
    let mut next = Some((pattern, declared, initial));
    while let Some((pattern, declared, initial)) = next {
        let single = unwrapped(walk, pattern);
        if single.kind() == "tuple_pattern" {
            let parts = parts_of_pattern(single);
            let declared = parts_of(declared, "tuple_type", parts.len());
            let elements = initial.filter(|_| parts.len() == 2);
            let initial = match elements.and_then(|initial| pairs(walk, initial)) {
                Some(elements) => vec![None, Some(elements)],
                None => parts_of(initial, "tuple_expression", parts.len()),
            };
            let part = |of: &[Option<Node<'t>>], at: usize| of.get(at).copied().flatten();
            let parts = parts.into_iter().enumerate();
            pending.extend(
                parts.filter_map(|(at, one)| Some((one?, part(&declared, at), part(&initial, at)))),
            );
        } else {
            // In other patterns, names have values of their own.
            let value = match single.kind() {
                "identifier" => walk.declared_value(declared, initial),
                _ => Value::Unknown,
            };
            bind(walk, pattern, value, add);
        }
        next = pending.pop();
    }
}

/// Maximum number of patterns around one that are removed.
const MAX_WRAPPERS: usize = 4;

/// Returns the pattern in `mut a`, `ref a`, `&a`, `Some(a)` and `Ok(a)`.
fn unwrapped<'t>(walk: &Walk<'t>, pattern: Node<'t>) -> Node<'t> {
    let mut single = pattern;
    for _ in 0..MAX_WRAPPERS {
        let inner = match single.kind() {
            "mut_pattern" | "ref_pattern" | "reference_pattern" => last_child(single),
            "tuple_struct_pattern" if single.named_child_count() == 2 => {
                let wrapper = field(single, "type").map(|wrapper| walk.of(wrapper));
                let inner = single.named_child(1);
                inner.filter(|_| matches!(wrapper, Some("Some" | "Ok")))
            }
            _ => None,
        };
        match inner {
            Some(inner) => single = inner,
            None => break,
        }
    }
    single
}

/// Returns the parts of the pattern of a tuple; `None` for `_`.
fn parts_of_pattern<'t>(pattern: Node<'t>) -> Vec<Option<Node<'t>>> {
    let mut cursor = pattern.walk();
    let parts = pattern.children(&mut cursor);
    let parts = parts.filter(|part| part.is_named() || part.kind() == "_");
    parts
        .map(|part| Some(part).filter(|part| part.is_named()))
        .collect()
}

/// Returns the parts of a tuple of a kind, if it has this number of them.
fn parts_of<'t>(tuple: Option<Node<'t>>, kind: &str, count: usize) -> Vec<Option<Node<'t>>> {
    let tuple = tuple.filter(|tuple| tuple.kind() == kind && tuple.named_child_count() == count);
    let parts = tuple.map_or_else(Vec::new, children);
    parts.into_iter().map(Some).collect()
}

/// Returns the collection whose elements are the second parts of pairs: `a` of `a.enumerate()`, or what a loop is over, which
/// may be a map.
fn pairs<'t>(walk: &Walk<'t>, expression: Node<'t>) -> Option<Node<'t>> {
    match method_call(walk, expression) {
        Some(("enumerate", collection)) => Some(collection),
        _ => {
            let around = parent_in(walk.ancestor(0)?, expression)?;
            (around.kind() == "for_expression").then_some(expression)
        }
    }
}

/// Binds all names of a pattern: to the value of the whole if it has one name and no parts, to a field of a struct, or
/// to what a constructor with one value holds.
pub(super) fn bind<'t>(walk: &mut Walk<'t>, pattern: Node<'t>, value: Value, add: Add<'t>) {
    let mut pending = vec![(pattern, value)];
    while let Some((node, value)) = pending.pop() {
        match node.kind() {
            "identifier" | "shorthand_field_identifier" if is_binding(walk.of(node)) => {
                add(walk, node, value);
            }
            "mut_pattern" | "ref_pattern" | "reference_pattern" => {
                pending.extend(last_child(node).map(|inner| (inner, value)));
            }
            "tuple_struct_pattern" | "generic_pattern" => {
                let made = field(node, "type");
                let parts = parts_besides(node, made);
                let held = match (made.map(|made| walk.of(made)), &*parts) {
                    (Some("Some" | "Ok"), [_]) => value,
                    (Some(_), [_]) => plain_name(walk, made).map_or(Value::Unknown, Value::Element),
                    _ => Value::Unknown,
                };
                pending.extend(parts.into_iter().map(|part| (part, held)));
            }
            "struct_pattern" => {
                let made = field(node, "type");
                let of = plain_name(walk, made);
                let parts = parts_besides(node, made).into_iter();
                pending.extend(parts.filter_map(|part| field_of(part, of)));
            }
            // The second part of a numbered element, or of a pair of a map, is the element.
            "tuple_pattern" => {
                let parts = parts_of_pattern(node);
                let is_pair = parts.len() == 2;
                let parts = parts.into_iter().enumerate();
                pending.extend(parts.filter_map(|(at, part)| {
                    let value = match is_pair && at == 1 {
                        true => value,
                        false => Value::Unknown,
                    };
                    Some((part?, value))
                }));
            }
            kind if kind.ends_with("_pattern") || kind == "parameter" => {
                let parts = children(node).into_iter();
                pending.extend(parts.map(|part| (part, Value::Unknown)));
            }
            _ => {}
        }
    }
}

/// Returns the pattern of a field in `A { b, c: d }`, and its value.
fn field_of(part: Node<'_>, of: Option<Span>) -> Option<(Node<'_>, Value)> {
    let name = field(part, "name")?;
    let value = of.map_or(Value::Unknown, |of| Value::Member {
        of,
        name: span(name),
    });
    Some((field(part, "pattern").unwrap_or(name), value))
}

/// Returns the parts of a pattern besides the name of its type.
fn parts_besides<'t>(pattern: Node<'t>, made: Option<Node<'t>>) -> Vec<Node<'t>> {
    let named = made.map(|made| made.id());
    let mut parts = children(pattern);
    parts.retain(|part| Some(part.id()) != named);
    parts
}

/// Returns the name of a type or constructor in a pattern, if it has no type arguments.
fn plain_name(walk: &Walk<'_>, made: Option<Node<'_>>) -> Option<Span> {
    made.filter(|made| !walk.of(*made).contains('<')).map(span)
}

/// Whether a name in a pattern is bound: constants and variants are written with capitals, variables
/// are not.
pub(super) fn is_binding(name: &str) -> bool {
    name.starts_with(|c: char| c.is_lowercase() || c == '_')
}
