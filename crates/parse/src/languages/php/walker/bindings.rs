//! Binds variables: assignments, loops, closures, caught exceptions.

use foveate_model::values::{TypeName, Value};
use foveate_model::{DefinitionKind, LocalId, ReferenceKind};
use tree_sitter::Node;

use crate::collect::span;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, field};

/// Binds the variables of `$a = b()` and `[$a, $b] = c()`. Outside functions and classes these define global ones.
pub(super) fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let (left, right) = (field(node, "left")?, field(node, "right")?);
    let value = match left.kind() {
        "variable_name" => walk.value_of(right),
        _ => Value::Unknown,
    };
    for variable in variables(left) {
        bind(walk, node, variable, value);
    }
    fill_property(walk, left, right);
    Some(Descend::Into)
}

/// Records the value that `$this->a = b();` gives to a property that the class declares above.
fn fill_property<'t>(walk: &mut Walk<'t>, left: Node<'t>, right: Node<'t>) {
    if left.kind() != "member_access_expression" {
        return;
    }
    let is_own = field(left, "object").is_some_and(|object| walk.of(object) == "$this");
    let Some(name) = field(left, "name").filter(|_| is_own) else {
        return;
    };
    let method = walk.context().enclosing;
    let method = method.and_then(|method| walk.collector.definition(method));
    let Some(class) = method.and_then(|method| method.parent) else {
        return;
    };
    let name = walk.of(name);
    let members = walk.collector.members(Some(class), name).to_vec();
    let is_field = |id: &LocalId| {
        let member = walk.collector.definition(*id);
        member.is_some_and(|member| member.kind == DefinitionKind::Field)
    };
    let property = members.into_iter().find(is_field);
    if let Some(property) = property {
        walk.assigns(property, right);
    }
}

/// Records the value of `return a();`.
pub(super) fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    // Without a value the result is optional.
    let value = node.named_child(0).filter(|value| value.kind() != "null");
    if let Some(value) = value {
        walk.result(value);
    }
    Some(Descend::Into)
}

fn bind<'t>(walk: &mut Walk<'t>, node: Node<'t>, variable: Node<'t>, value: Value) {
    if walk.is_in_function() {
        walk.local(variable, value);
    } else if walk.context().parent.is_none() {
        let mut draft = walk.draft(DefinitionKind::Variable, node, variable, None);
        draft.body = field(node, "right").map(span);
        if field(node, "left") == Some(variable) {
            draft.signature_end = variable.end_byte();
        }
        if let Some(id) = walk.collector.define_once(None, draft) {
            walk.holds(id, value);
        }
    }
}

/// Returns the variables in a target, which may be nested lists.
fn variables<'t>(target: Node<'t>) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut pending = vec![target];
    while let Some(node) = pending.pop() {
        match node.kind() {
            "variable_name" => found.push(node),
            "list_literal" | "by_ref" | "pair" => pending.extend(children(node)),
            _ => {}
        }
    }
    found
}

/// Binds the variable of `static $a = b();` in a function.
pub(super) fn static_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.declared_local(field(node, "name"), None, field(node, "value"));
    Some(Descend::Into)
}

/// Binds the variables of `foreach ($a as $b => $c)`.
pub(super) fn foreach<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let body = field(node, "body");
    let parts = children(node).into_iter();
    let mut parts = parts.filter(|part| Some(*part) != body);
    let collection = parts.next();
    for target in parts {
        // `$b => $c` is one target.
        let element = match target.kind() {
            "pair" => target.named_child(1),
            _ => Some(target),
        };
        for variable in variables(target) {
            let value = match element == Some(variable) {
                true => walk.element_value(None, collection),
                false => Value::Unknown,
            };
            walk.local(variable, value);
        }
    }
    Some(Descend::Into)
}

/// Enters `function ($a) { … }` or `fn ($a) => …` and binds its parameters.
pub(super) fn closure<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.enter_anonymous_function(depth);
    for parameter in field(node, "parameters").into_iter().flat_map(children) {
        let name = field(parameter, "name").filter(|name| name.kind() == "variable_name");
        walk.declared_local(name, field(parameter, "type"), None);
    }
    Some(Descend::Into)
}

/// Adds the types of `catch (A | B $e)`, the first of which is the type of `$e`.
pub(super) fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let types = child_of_kind(node, "type_list").map_or_else(Vec::new, children);
    let first = types.first().and_then(|first| walk.type_of(*first));
    for caught in types {
        walk.refer(ReferenceKind::Catch, caught);
    }
    if let Some(name) = field(node, "name") {
        let known = first.map(|known: TypeName| Value::Type(known));
        walk.local(name, known.unwrap_or(Value::Unknown));
    }
    Some(Descend::Into)
}
