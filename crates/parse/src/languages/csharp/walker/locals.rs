//! Binds local variables: declarations, patterns, loops, caught exceptions, range variables of queries.

use foveate_model::ReferenceKind;
use foveate_model::values::Value;
use tree_sitter::Node;

use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, children_in, field};

/// Returns the initial value of a declarator; the grammar has no field for it.
pub(super) fn initial<'n>(declarator: Node<'n>) -> Option<Node<'n>> {
    let name = field(declarator, "name").map(|name| name.id());
    let mut parts = children(declarator).into_iter().filter(|part| {
        Some(part.id()) != name && part.kind() != "bracketed_argument_list" && !part.is_extra()
    });
    parts.next_back()
}

/// Binds the variables of `A a = x, b;` in a function. Fields are definitions.
pub(super) fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let declared = field(node, "type");
    walk.mark_type(declared);
    let around = walk.ancestor(1);
    let is_field = around.is_some_and(|around| around.kind().ends_with("field_declaration"));
    let declarators = children(node).into_iter();
    for declarator in declarators.filter(|child| child.kind() == "variable_declarator") {
        let value = initial(declarator);
        // `A a = new() { B = c };`
        let made = value.filter(|value| value.kind() == "implicit_object_creation_expression");
        if let (Some(declared), Some(made)) = (declared, made) {
            let initializer = child_of_kind(made, "initializer_expression");
            super::set_members(walk, declared, initializer);
        }
        if !is_field {
            walk.declared_local(field(declarator, "name"), declared, value);
        }
    }
    Some(Descend::Into)
}

/// Binds the variable of `foreach (A a in list)`. Without a declared type the variable gets the value of `list`, since
/// list types count as their element type.
pub(super) fn foreach<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let declared = field(node, "type");
    walk.mark_type(declared);
    walk.declared_local(
        field(node, "left").filter(|left| left.kind() == "identifier"),
        declared,
        field(node, "right"),
    );
    Some(Descend::Into)
}

/// Adds the type, and binds the variable, of `catch (A a)`.
pub(super) fn caught<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let declared = field(node, "type");
    if let Some(declared) = declared {
        walk.refer(ReferenceKind::Catch, declared);
    }
    walk.declared_local(field(node, "name"), declared, None);
    Some(Descend::Into)
}

/// Binds the variables of `out A a`, `is A a`, `var (a, b)`, `is { X: 1 } a`, `from a in list`.
pub(super) fn designation<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let declared = field(node, "type");
    walk.mark_type(declared);
    let value = walk.element_value(declared, map_of_out_variable(walk, node));
    let names = children_in(node, "name");
    walk.locals(
        names.into_iter().filter(|name| name.kind() == "identifier"),
        value,
    );
    Some(Descend::Into)
}

/// Methods of maps that write a value to an `out` variable.
const OUT_GETTERS: [&str; 2] = ["TryGetValue", "TryRemove"];

/// Returns the map whose value a variable gets: `a` in `a.TryGetValue(b, out var c)`.
fn map_of_out_variable<'t>(walk: &Walk<'t>, declaration: Node<'t>) -> Option<Node<'t>> {
    let around = walk.ancestor(1)?;
    if around.kind() != "argument" || declaration.kind() != "declaration_expression" {
        return None;
    }
    let call = walk.ancestor(3)?;
    let function = field(call, "function").filter(|it| it.kind() == "member_access_expression")?;
    let name = walk.of(field(function, "name")?);
    field(function, "expression").filter(|_| OUT_GETTERS.contains(&name))
}

/// Binds the range variable of `let a = x`, `join A a in list`, `into a`.
pub(super) fn range_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.mark_type(field(node, "type"));
    walk.locals(child_of_kind(node, "identifier"), Value::Unknown);
    Some(Descend::Into)
}

/// Methods of collections that call a function with each element.
const ITERATIONS: [&str; 29] = [
    "All", "Any", "Count", "DistinctBy", "Exists", "Find", "FindAll", "First", "FirstOrDefault",
    "ForEach", "GroupBy", "Last", "LastOrDefault", "MaxBy", "MinBy", "OrderBy",
    "OrderByDescending", "RemoveAll", "Select", "SelectMany", "Single", "SingleOrDefault",
    "SkipWhile", "Sum", "TakeWhile", "ThenBy", "ToDictionary", "ToLookup", "Where",
];

/// Returns the value of the only parameter of the current node, a lambda: that of `a` in `a.Select(x => …)`, since list
/// types count as their element type, or else what the called function gives to it.
pub(super) fn element(walk: &Walk<'_>) -> Value {
    let (list, call) = (walk.ancestor(2), walk.ancestor(3));
    let function = call.and_then(|call| field(call, "function"));
    let function = function.filter(|it| it.kind() == "member_access_expression");
    let is_iteration = function
        .and_then(|function| field(function, "name"))
        .is_some_and(|name| ITERATIONS.contains(&walk.of(name)));
    if is_iteration {
        let collection = function.and_then(|function| field(function, "expression"));
        return walk.declared_value(None, collection);
    }
    let is_argument = list.is_some_and(|list| list.kind() == "argument_list");
    let call = call.filter(|_| is_argument);
    call.map_or(Value::Unknown, |call| walk.callback_argument(call))
}
