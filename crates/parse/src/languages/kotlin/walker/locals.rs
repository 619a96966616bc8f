//! Binds local variables of Kotlin: those of lambdas, loops, `when` and `catch`.

use foveate_model::ReferenceKind;
use tree_sitter::Node;

use super::references::refer_to_type;
use super::{first_identifier, is_type, type_after};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children};

/// `init { … }`: its variables are local.
pub(super) fn initializer<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    walk.enter_anonymous_function(depth);
    Some(Descend::Into)
}

/// `{ a, (b, c), d: D -> … }`
pub(super) fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    if super::misparsed::is_body(walk, node) {
        return Some(Descend::Into);
    }
    walk.enter_anonymous_function(depth);
    if let Some(parameters) = child_of_kind(node, "lambda_parameters") {
        for parameter in children(parameters) {
            match parameter.kind() {
                "variable_declaration" => bind(walk, parameter, None),
                _ => bind_destructured(walk, parameters),
            }
        }
    }
    Some(Descend::Into)
}

/// `fun(a: A) { … }`
pub(super) fn anonymous_function<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.enter_anonymous_function(depth);
    let parameters = child_of_kind(node, "function_value_parameters");
    for parameter in parameters.into_iter().flat_map(children) {
        if parameter.kind() == "parameter" {
            bind(walk, parameter, None);
        }
    }
    Some(Descend::Into)
}

/// `for (a in b)`, `for ((a, b) in c)`.
pub(super) fn loop_variables<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    match child_of_kind(node, "variable_declaration") {
        Some(declared) => {
            if let Some(name) = first_identifier(declared) {
                let mut parts = children(node).into_iter();
                let collection = parts.find(|part| part.start_byte() >= declared.end_byte());
                let value = walk.element_value(type_after(declared, Some(name)), collection);
                walk.local(name, value);
            }
        }
        None => bind_destructured(walk, node),
    }
    Some(Descend::Into)
}

/// `when (val a = b)`.
pub(super) fn subject<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(declared) = child_of_kind(node, "variable_declaration") {
        let mut parts = children(node).into_iter();
        let initial = parts.find(|part| part.start_byte() >= declared.end_byte());
        bind(walk, declared, initial);
    }
    Some(Descend::Into)
}

/// `catch (e: A)`.
pub(super) fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let mut parts = children(node).into_iter();
    if let Some(caught) = parts.find(|part| is_type(*part)) {
        refer_to_type(walk, ReferenceKind::Catch, caught);
    }
    bind(walk, node, None);
    Some(Descend::Into)
}

/// Binds the first name in a node to its type or initial value.
fn bind<'t>(walk: &mut Walk<'t>, node: Node<'t>, initial: Option<Node<'t>>) {
    let name = first_identifier(node);
    walk.declared_local(name, type_after(node, name), initial);
}

/// Binds the names in `(a, b)`. Their values are unknown unless they have a type.
pub(super) fn bind_destructured<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    for parts in children(node) {
        if parts.kind() != "multi_variable_declaration" {
            continue;
        }
        for declared in children(parts) {
            bind(walk, declared, None);
        }
    }
}
