//! Collects references of C and C++: calls, constructions, qualified names, thrown and caught types.

use foveate_model::values::Value;
use foveate_model::{MessageKind, ReferenceKind, RegionKind};
use tree_sitter::Node;

use super::declarators::{declared, last_of};
use super::types::refer_to_type;
use crate::collect::{Position, span};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, field};

pub(super) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let function = field(node, "function").filter(|function| !is_cast(walk, *function))?;
    walk.call(function, depth)
}

/// Whether `function` is a cast such as `static_cast<T>(a)`, which calls nothing. Skips its name.
fn is_cast<'t>(walk: &mut Walk<'t>, function: Node<'t>) -> bool {
    let name = field(function, "name").filter(|_| function.kind() == "template_function");
    let Some(name) = name else {
        return false;
    };
    const CASTS: [&str; 4] = [
        "const_cast", "dynamic_cast", "reinterpret_cast", "static_cast",
    ];
    let is_cast = CASTS.contains(&walk.of(name));
    if is_cast {
        walk.mark_handled(name);
    }
    is_cast
}

/// Adds a text without escapes: `R"(…)"`.
pub(super) fn raw_text<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.collector.region(RegionKind::Text, span(node));
    if let Some(content) = child_of_kind(node, "raw_string_content") {
        walk.collector.message(span(content));
    }
    Some(Descend::Past)
}

/// Adds the call of `new A(…)` and `A{…}`. In C, `(struct a){…}` is a value, not a call.
pub(super) fn construction<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let made = field(node, "type")?;
    if let Some(list) = field(node, "value") {
        let whole = field(made, "declarator");
        let is_list = whole.is_some_and(|whole| whole.kind() == "abstract_array_declarator");
        fields_of_list(walk, list, made, is_list);
    }
    match made.kind() {
        "type_descriptor" => Some(Descend::Into),
        _ => walk.call(made, depth),
    }
}

/// Adds the names of the fields in the initial value of `struct a b = { .c = 1 };`
pub(super) fn initial_fields<'t>(walk: &mut Walk<'t>, made: Node<'t>, declarator: Node<'t>) {
    let list = field(declarator, "value").filter(|value| value.kind() == "initializer_list");
    if let (Some(list), Some(inner)) = (list, field(declarator, "declarator")) {
        fields_of_list(walk, list, made, inner.kind() == "array_declarator");
    }
}

/// Adds the names of the fields in `{ .a = 1 }`; in `{ { .a = 1 }, … }` if the type is that of the elements.
fn fields_of_list<'t>(walk: &mut Walk<'t>, list: Node<'t>, made: Node<'t>, is_list: bool) {
    let is_pair = |part: &Node<'t>| part.kind() == "initializer_pair";
    let parts = children(list).into_iter();
    if is_list {
        for part in parts {
            let value = Some(part).filter(|part| !is_pair(part));
            let element = value.or_else(|| field(part, "value"));
            if let Some(element) = element.filter(|it| it.kind() == "initializer_list") {
                fields_of_list(walk, element, made, false);
            }
        }
        return;
    }
    let designators = parts
        .filter(is_pair)
        .filter_map(|pair| child_of_kind(pair, "field_designator"));
    walk.literal_fields(designators.filter_map(|it| it.named_child(0)), made);
}

/// Adds a reference for `a::b`: to a type or a value, depending on its last name. Arguments of its scopes
/// are walked.
pub(super) fn qualified<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let last = last_of(node)?;
    let kind = match (walk.context().position, last.kind()) {
        (Position::Base, _) => ReferenceKind::Base,
        (_, "type_identifier") => ReferenceKind::Type,
        _ => ReferenceKind::Attribute,
    };
    walk.refer(kind, node);
    Some(Descend::Into)
}

/// Enters the arguments of a call or attribute: names in them are values.
pub(super) fn arguments<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    if walk.context().position != Position::Value {
        walk.collector.enter_position(depth, Position::Value);
    }
    Some(Descend::Into)
}

/// Adds the type raised by `throw A("…");`
pub(super) fn throw<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let thrown = node.named_child(0);
    let made = thrown.and_then(|thrown| match thrown.kind() {
        "call_expression" => field(thrown, "function"),
        "compound_literal_expression" | "new_expression" => field(thrown, "type"),
        _ => None,
    });
    if let Some(made) = made {
        walk.refer(ReferenceKind::Raise, made);
    }
    walk.collector.within(depth, |context| {
        context.message = Some(MessageKind::Error);
    });
    Some(Descend::Into)
}

/// Adds the type and the variable of `catch (const A& a)`.
pub(super) fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    for parameter in field(node, "parameters").into_iter().flat_map(children) {
        let caught = field(parameter, "type");
        if let Some(caught) = caught {
            refer_to_type(walk, ReferenceKind::Catch, caught);
        }
        if let Some(found) = field(parameter, "declarator").and_then(declared) {
            let value = caught.map_or(Value::Unknown, |caught| {
                walk.declared_value(Some(caught), None)
            });
            walk.local(found.name, value);
        }
    }
    Some(Descend::Into)
}

/// Adds the field named in `: a(1), Base(b)` of a constructor.
pub(super) fn field_initializer<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = node.named_child(0)
        && name.kind() == "field_identifier"
    {
        walk.collector.refer(ReferenceKind::Name, name);
        walk.collector.skip_to(name.end_byte());
    }
    Some(Descend::Into)
}
