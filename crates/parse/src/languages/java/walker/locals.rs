//! Adds local variables of Java: declared ones, and those of lambdas, loops, patterns and `catch`.

use foveate_model::ReferenceKind;
use foveate_model::values::Value;
use tree_sitter::Node;

use super::definitions::{parameter_name, parameter_type};
use super::named_type;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, children_in, field};

/// Enters a block. A block directly in a class is an initialiser: its variables are local.
pub(super) fn block<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    if !walk.is_in_function() {
        walk.enter_anonymous_function(depth);
    }
    Some(Descend::Into)
}

/// Enters `x -> …`, `(x, y) -> …`, `(A x) -> …` and adds its parameters.
pub(super) fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.enter_anonymous_function(depth);
    let parameters = field(node, "parameters")?;
    if parameters.kind() == "identifier" {
        let value = element(walk);
        walk.nameless_parameter(parameters, value);
    }
    for (at, parameter) in children(parameters).into_iter().enumerate() {
        if parameter.kind() == "identifier" {
            match value_of_pair(walk) {
                value if at == 1 && value != Value::Unknown => {
                    walk.nameless_parameter(parameter, value);
                }
                _ => walk.local(parameter, Value::Unknown),
            }
        } else {
            walk.declared_local(parameter_name(parameter), parameter_type(parameter), None);
        }
    }
    Some(Descend::Into)
}

/// Methods of collections and streams that call a function with each element.
const ITERATIONS: [&str; 14] = [
    "allMatch", "anyMatch", "dropWhile", "filter", "flatMap", "forEach", "forEachOrdered", "map",
    "mapToInt", "mapToLong", "noneMatch", "peek", "removeIf", "takeWhile",
];

/// Methods that return a stream of the same elements.
const SAME_ELEMENTS: [&str; 10] = [
    "distinct", "dropWhile", "filter", "limit", "parallelStream", "peek", "skip", "sorted",
    "stream", "takeWhile",
];

/// Maximum number of calls before a method that are examined.
const MAX_CALLS: usize = 16;

/// Returns the call that the current node, a lambda, is an argument of, if it is of one of these methods.
fn called<'t>(walk: &Walk<'t>, methods: &[&str]) -> Option<Node<'t>> {
    let called = walk.ancestor(2);
    called.filter(|called| calls_one_of(walk, *called, methods))
}

/// Returns the value of the only parameter of a lambda: an element of `a` in `a.stream().filter(b).map(x -> …)`.
fn element(walk: &Walk<'_>) -> Value {
    let called = called(walk, &ITERATIONS);
    let mut collection = called.and_then(|called| field(called, "object"));
    for _ in 0..MAX_CALLS {
        match collection {
            Some(call) if calls_one_of(walk, call, &SAME_ELEMENTS) => {
                collection = field(call, "object");
            }
            _ => break,
        }
    }
    walk.element_value(None, collection)
}

/// Methods of maps that call a function with each key and its value.
const PAIRS: [&str; 4] = ["compute", "computeIfPresent", "forEach", "replaceAll"];

/// Returns the value of the second parameter of a lambda: that of `y` in `map.forEach((x, y) -> …)`.
fn value_of_pair(walk: &Walk<'_>) -> Value {
    let called = called(walk, &PAIRS);
    walk.element_value(None, called.and_then(|called| field(called, "object")))
}

/// Whether a node is the call of a method with one of these names.
fn calls_one_of(walk: &Walk<'_>, node: Node<'_>, names: &[&str]) -> bool {
    let name = field(node, "name").filter(|_| node.kind() == "method_invocation");
    name.is_some_and(|name| names.contains(&walk.of(name)))
}

pub(super) fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let declarators = children_in(node, "declarator");
    for declarator in declarators {
        walk.declared_local(
            field(declarator, "name"),
            field(node, "type"),
            field(declarator, "value"),
        );
    }
    Some(Descend::Into)
}

/// Adds the variable of `for (A x : xs)`.
pub(super) fn loop_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let value = walk.element_value(field(node, "type"), field(node, "value"));
    walk.locals(field(node, "name"), value);
    Some(Descend::Into)
}

/// Adds the variable of `try (A x = …)`.
pub(super) fn resource<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.declared_local(
        field(node, "name"),
        field(node, "type"),
        field(node, "value"),
    );
    Some(Descend::Into)
}

/// Adds the variable of `x instanceof A a`, `case A a` and `R(A a)`.
pub(super) fn pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let (declared, name) = match node.kind() {
        "instanceof_expression" => (field(node, "right"), field(node, "name")),
        _ => (node.named_child(0), node.named_child(1)),
    };
    walk.declared_local(
        name.filter(|name| name.kind() == "identifier"),
        declared,
        None,
    );
    Some(Descend::Into)
}

/// Adds the type of `A(…)` in a pattern, which is parsed as a plain name.
pub(super) fn record_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = node.named_child(0).filter(|n| n.kind() == "identifier") {
        walk.refer(ReferenceKind::Type, name);
    }
    Some(Descend::Into)
}

/// Adds the types and the variable of `catch (A | b.C e)`.
pub(super) fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let parameter = child_of_kind(node, "catch_formal_parameter")?;
    let caught = child_of_kind(parameter, "catch_type").map_or_else(Vec::new, children);
    let mut value = Value::Unknown;
    if let [only] = *caught {
        value = walk.declared_value(Some(only), None);
    }
    for caught in caught {
        if let Some(named) = named_type(caught) {
            walk.refer(ReferenceKind::Catch, named);
        }
    }
    walk.locals(field(parameter, "name"), value);
    Some(Descend::Into)
}
