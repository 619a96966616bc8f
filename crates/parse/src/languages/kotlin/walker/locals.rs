//! Binds local variables of Kotlin: those of lambdas, loops, `when` and `catch`.

use foveate_model::values::{Link, Value};
use foveate_model::{ReferenceKind, Span};
use tree_sitter::Node;

use super::references::{called, generic_call, refer_to_type};
use super::{delegates, first_identifier, is_type, last_identifier, misparsed, type_after};
use crate::collect::span;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, children_in, field, last_child};

/// Enters `init { … }` or `fun(a: A) { … }`: its variables are local.
pub(super) fn nameless_body<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    walk.enter_anonymous_function(depth);
    Some(Descend::Into)
}

/// Enters `{ a, (b, c), d: D -> … }` and binds its parameters.
pub(super) fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let is_body = !walk.is_in_function() && delegates::is_body(walk, node);
    if is_body || misparsed::is_body(walk, node) {
        return Some(Descend::Into);
    }
    walk.enter_anonymous_function(depth);
    if let Some(receiver) = receiver(walk, node) {
        walk.collector.drafts.lambdas.push((span(node), receiver));
    }
    let Some(parameters) = child_of_kind(node, "lambda_parameters") else {
        if let Some(name) = implicit_name(walk, node) {
            let value = argument(walk, node);
            walk.implicit_parameter(name, value);
        }
        return Some(Descend::Into);
    };
    let all = children(parameters);
    if let [only] = *all
        && only.kind() == "variable_declaration"
        && let Some(name) = first_identifier(only)
        && type_after(only, Some(name)).is_none()
    {
        let value = argument(walk, node);
        walk.nameless_parameter(name, value);
        return Some(Descend::Into);
    }
    for parameter in all {
        match parameter.kind() {
            "variable_declaration" => bind(walk, parameter, None),
            _ => bind_parts(walk, parameter),
        }
    }
    Some(Descend::Into)
}

/// Functions of collections that call a function with each element.
const ITERATIONS: [&str; 27] = [
    "all", "any", "associateBy", "associateWith", "count", "dropWhile", "filter", "filterNot",
    "find", "first", "firstOrNull", "flatMap", "forEach", "groupBy", "last", "lastOrNull", "map",
    "mapNotNull", "maxByOrNull", "minByOrNull", "none", "onEach", "partition", "sortedBy",
    "sortedByDescending", "sumOf", "takeWhile",
];

/// Functions that return a collection of the same elements.
const SAME_ELEMENTS: [&str; 12] = [
    "asSequence", "distinct", "drop", "dropWhile", "filter", "filterNot", "onEach", "reversed",
    "sortedBy", "take", "takeWhile", "toList",
];

/// Functions that call a function with the object that they are called on.
const SCOPES: [&str; 4] = ["also", "let", "takeIf", "takeUnless"];

/// Functions that make the object that they are called on the receiver of a function.
const RECEIVERS: [&str; 2] = ["apply", "run"];

/// Maximum number of calls before a function that are examined.
const MAX_CALLS: usize = 16;

/// Number of bytes of a lambda in which its implicit parameter is looked for.
const MAX_TEXT: usize = 2048;

/// Returns what gives the last lambda of a call its receiver: `a` of `a.apply { … }` and `with(a) { … }`, or else the function
/// that is called.
fn receiver<'t>(walk: &Walk<'t>, lambda: Node<'t>) -> Option<Link> {
    let call = called_with(walk, lambda)?;
    if let Some((object, name)) = called_member(walk, call)
        && RECEIVERS.contains(&name)
    {
        return link(walk.value_of(object));
    }
    let function = called(call).filter(|_| call.kind() == "call_expression");
    let function = function.or_else(|| generic_call(call))?;
    match walk.of(function) {
        "with" => {
            let own = child_of_kind(call, "value_arguments");
            let arguments =
                own.or_else(|| child_of_kind(call.named_child(0)?, "value_arguments"))?;
            let object = arguments.named_child(0)?.named_child(0)?;
            link(walk.value_of(object))
        }
        // An index says that the name is that of the function.
        _ => link(walk.value_of(function)).map(|link| Link {
            is_indexed: true,
            ..link
        }),
    }
}

/// Returns the call whose last argument is the current node, a lambda, after its brackets or in them. The grammar parses
/// `f<A> { … }` as two comparisons.
fn called_with<'t>(walk: &Walk<'t>, lambda: Node<'t>) -> Option<Node<'t>> {
    if let Some(call) = call_of(walk, lambda) {
        return Some(call);
    }
    let mut levels = 1;
    let mut outer = walk.ancestor(levels)?;
    while levels < 5 && outer.start_byte() == lambda.start_byte() {
        levels += 1;
        outer = walk.ancestor(levels)?;
    }
    generic_call(outer).map(|_| outer)
}

/// Returns the call whose last argument is the current node, a lambda: `f(1) { … }`, or `f(1, { … })`. A named argument may
/// be that of any parameter.
fn call_of<'t>(walk: &Walk<'t>, lambda: Node<'t>) -> Option<Node<'t>> {
    let holder = walk.ancestor(1)?;
    let call = match holder.kind() {
        "annotated_lambda" => walk.ancestor(2)?,
        "value_argument" if holder.start_byte() == lambda.start_byte() => {
            let is_last = last_child(walk.ancestor(2)?) == Some(holder);
            walk.ancestor(3).filter(|_| is_last)?
        }
        _ => return None,
    };
    (call.kind() == "call_expression").then_some(call)
}

/// Returns the link that stands for a value around a lambda.
fn link(value: Value) -> Option<Link> {
    let (name, is_called) = match value {
        Value::Name(name) => (name, false),
        Value::Call(name) => (name, true),
        _ => return None,
    };
    Some(Link {
        name,
        is_called,
        is_indexed: false,
    })
}

/// Returns the first `it` in a lambda.
fn implicit_name(walk: &Walk<'_>, lambda: Node<'_>) -> Option<Span> {
    let text = walk.of(lambda);
    let text = text.get(..text.floor_char_boundary(MAX_TEXT))?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = memchr::memmem::find_iter(text.as_bytes(), "it");
    let at = found.find(|at| {
        let (before, after) = (text.get(..*at), text.get(at + 2..));
        before.is_some_and(|before| !before.ends_with(is_part))
            && after.is_some_and(|after| !after.starts_with(is_part))
    })?;
    let start = lambda.start_byte() + at;
    Some(Span::new(start, start + 2))
}

/// Returns the value of the only parameter of a lambda: an element of `a` in `a.filter { … }.map { … }`, `a` in
/// `a.let { … }`, and else what the called function passes to it.
fn argument<'t>(walk: &Walk<'t>, lambda: Node<'t>) -> Value {
    let call = call_of(walk, lambda);
    let passed = || call.map_or(Value::Unknown, |call| walk.callback_argument(call));
    let Some((object, name)) = call.and_then(|call| called_member(walk, call)) else {
        return passed();
    };
    if SCOPES.contains(&name) {
        return walk.value_of(object);
    }
    if !ITERATIONS.contains(&name) {
        return passed();
    }
    let mut collection = object;
    for _ in 0..MAX_CALLS {
        match called_member(walk, collection) {
            Some((object, name)) if SAME_ELEMENTS.contains(&name) => collection = object,
            _ => break,
        }
    }
    walk.element_value(None, Some(collection))
}

/// Returns the object and the name of the function in a call `a.b(…)`.
fn called_member<'t>(walk: &Walk<'t>, call: Node<'t>) -> Option<(Node<'t>, &'t str)> {
    let function = called(call).filter(|_| call.kind() == "call_expression")?;
    let name = last_identifier(function)?;
    let object = function.named_child(0)?;
    let is_member = function.kind() == "navigation_expression" && object != name;
    is_member.then(|| (object, walk.of(name)))
}

/// Binds the variables of `for (a in b)` and `for ((a, b) in c)`.
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

/// Records the test `a is A`: after it, `a` has the members of `A`.
pub(super) fn type_test<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let (Some(tested), Some(declared)) = (field(node, "left"), field(node, "right")) {
        walk.tested(tested, declared);
    }
    Some(Descend::Into)
}

/// Records the tests in `when (a) { is A -> … }`.
pub(super) fn type_tests<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let subject = child_of_kind(node, "when_subject")?;
    let tested = match child_of_kind(subject, "variable_declaration") {
        Some(declared) => first_identifier(declared),
        None => last_child(subject),
    };
    let entries = children(node).into_iter();
    let conditions = entries.flat_map(|entry| children_in(entry, "condition"));
    for condition in conditions.filter(|condition| condition.kind() == "type_test") {
        if let (Some(tested), Some(declared)) = (tested, condition.named_child(0)) {
            walk.tested(tested, declared);
        }
    }
    Some(Descend::Into)
}

/// Binds the variable of `when (val a = b)`.
pub(super) fn subject<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(declared) = child_of_kind(node, "variable_declaration") {
        let mut parts = children(node).into_iter();
        let initial = parts.find(|part| part.start_byte() >= declared.end_byte());
        bind(walk, declared, initial);
    }
    Some(Descend::Into)
}

/// Adds the type, and binds the variable, of `catch (e: A)`.
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
        bind_parts(walk, parts);
    }
}

fn bind_parts<'t>(walk: &mut Walk<'t>, parts: Node<'t>) {
    if parts.kind() == "multi_variable_declaration" {
        for declared in children(parts) {
            bind(walk, declared, None);
        }
    }
}
