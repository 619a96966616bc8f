//! Binds the names in assignments, parameters of blocks, patterns and rescued errors, and collects the
//! fields and constants that assignments define.

use foveate_model::values::{TypeForm, TypeName, Value};
use foveate_model::{DefinitionKind, LocalId, ReferenceKind, Visibility};
use tree_sitter::Node;

use super::definitions::{
    base_name, bound_names, constant_draft, enter, struct_fields, symbol_fields,
    with_here_documents,
};
use super::is_constant;
use crate::collect::span;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, field};

/// Binds or defines the targets of `a = b`, `@a ||= b`, `A = b`, `a, @b = c`.
pub(super) fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let (Some(left), right) = (field(node, "left"), field(node, "right")) else {
        return Some(Descend::Into);
    };
    let value = right.map_or(Value::Unknown, |right| walk.value_of(right));
    match left.kind() {
        "left_assignment_list" => {
            for target in children(left) {
                assign(walk, node, target, Value::Unknown);
            }
        }
        "constant" | "scope_resolution" => constant(walk, node, left, (right, value), depth),
        _ => assign(walk, node, left, value),
    }
    Some(Descend::Into)
}

fn assign<'t>(walk: &mut Walk<'t>, node: Node<'t>, target: Node<'t>, value: Value) {
    match target.kind() {
        "instance_variable" | "class_variable" => member(walk, node, target, value),
        _ => {
            walk.locals(bound_names(target), value);
        }
    }
}

/// Returns the enclosing class or module, also from inside a method.
pub(super) fn owner(walk: &Walk<'_>) -> Option<LocalId> {
    let definition = |id: LocalId| walk.collector.definition(id);
    let mut owner = walk.context().parent;
    while let Some(around) = owner.and_then(definition) {
        if around.kind.is_container() {
            break;
        }
        owner = around.parent;
    }
    owner
}

/// Adds the field of the enclosing class that `@a = b` defines, once.
fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>, target: Node<'t>, value: Value) {
    let Some(owner) = owner(walk) else { return };
    let mut draft = walk.draft(DefinitionKind::Field, node, target, None);
    draft.visibility = Some(Visibility::Private);
    if let Some(id) = walk.collector.define_once(Some(owner), draft) {
        walk.holds(id, value);
        if let Some(reader) = reader_of(walk, owner, target) {
            walk.holds(reader, value);
        }
        walk.collector.skip_to(target.end_byte());
    }
}

/// Returns the field that `attr_reader :a` or the like before it defined for `@a`.
fn reader_of(walk: &mut Walk<'_>, owner: LocalId, variable: Node<'_>) -> Option<LocalId> {
    let name = walk.of(variable).trim_start_matches('@');
    let members = walk.collector.members(Some(owner), name).to_vec();
    members.into_iter().find(|id| {
        let definition = walk.collector.definition(*id);
        definition.is_some_and(|known| known.kind == DefinitionKind::Field)
    })
}

/// Adds the constant of `A = 1`. `Struct.new`, `Class.new`, `Data.define` and `Module.new` define a class or module
/// with the members in their block, and so does `new` of a subclass of `Struct`.
fn constant<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    left: Node<'t>,
    (right, value): (Option<Node<'t>>, Value),
    depth: u32,
) {
    let created = right.and_then(|right| Some((right, created_kind(walk, right)?)));
    let kind = created.map_or(DefinitionKind::Constant, |(_, kind)| kind);
    let mut draft = constant_draft(walk, kind, node, left);
    draft.span = with_here_documents(node);
    walk.collector.skip_to(left.end_byte());
    let Some((created, kind)) = created else {
        draft.body = right.map(span);
        draft.signature_end = right.map_or(draft.signature_end, |right| one_line_end(walk, right));
        let id = walk.define(draft);
        walk.holds(id, value);
        return;
    };
    let block = field(created, "block");
    draft.body = block.map(span);
    draft.signature_end = block.map_or(draft.signature_end, |block| block.start_byte());
    let struct_class = struct_class(walk, created);
    let base = base_name(walk, created);
    let base = base.or_else(|| struct_class.map(Into::into));
    draft.bases = base.into_iter().collect();
    let id = enter(walk, draft, depth, kind);
    match struct_class {
        Some(_) => symbol_fields(walk, id, created),
        None => struct_fields(walk, id, created),
    }
}

/// Returns the end of the first line of a constant's value, where its head ends.
fn one_line_end(walk: &Walk<'_>, right: Node<'_>) -> usize {
    let first = walk.of(right).lines().next().unwrap_or("");
    right.start_byte() + first.len()
}

fn created_kind(walk: &Walk<'_>, right: Node<'_>) -> Option<DefinitionKind> {
    let maker = field(right, "receiver").filter(|_| right.kind() == "call")?;
    let method = walk.of(field(right, "method")?);
    match (walk.of(maker).trim_start_matches("::"), method) {
        ("Struct" | "Class", "new") | ("Data", "define") => Some(DefinitionKind::Class),
        ("Module", "new") => Some(DefinitionKind::Module),
        _ => struct_class(walk, right).map(|_| DefinitionKind::Class),
    }
}

/// Returns the subclass of `Struct` by which a call makes a class: `Options` of `Options.new(:a) { def b; end }`. In blocks of
/// other calls, nobody defines methods.
fn struct_class<'t>(walk: &Walk<'t>, call: Node<'_>) -> Option<&'t str> {
    let maker = field(call, "receiver").filter(|maker| is_constant(*maker))?;
    let name = walk.of(maker).trim_start_matches("::");
    let method = walk.of(field(call, "method")?);
    if method != "new" || matches!(name, "Struct" | "Class" | "Module") {
        return None;
    }
    let body = field(call, "block").and_then(|block| field(block, "body"));
    let mut statements = body.map_or_else(Vec::new, children).into_iter();
    let defines = statements.any(|of| matches!(of.kind(), "method" | "singleton_method"));
    defines.then_some(name)
}

/// Adds a read of `@a`.
pub(super) fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if !walk.collector.is_skipped(node.start_byte()) {
        walk.refer(ReferenceKind::Attribute, node);
    }
    Some(Descend::Past)
}

/// Enters `{ |a, (b, *c)| … }` and binds its parameters.
pub(super) fn block<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    // The parent definition stays the same, so that `included do … end` can define members of a class.
    walk.enter_anonymous_function(depth);
    if let Some(list) = field(node, "parameters") {
        parameters(walk, list, depth);
    }
    Some(Descend::Into)
}

pub(super) fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>, _: u32) -> Handled {
    for parameter in children(list) {
        walk.locals(bound_names(parameter), Value::Unknown);
    }
    Some(Descend::Into)
}

pub(super) fn for_loop<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.locals(
        field(node, "pattern").into_iter().flat_map(bound_names),
        Value::Unknown,
    );
    Some(Descend::Into)
}

/// Adds the classes of `rescue A, B::C => e`, the first of which is the type of `e`.
pub(super) fn rescue<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let mut value = Value::Unknown;
    for caught in field(node, "exceptions").into_iter().flat_map(children) {
        if !is_constant(caught) {
            continue;
        }
        if value == Value::Unknown
            && let Value::Name(path) = walk.value_of(caught)
        {
            value = Value::Type(TypeName {
                path,
                form: TypeForm::Instance,
            });
        }
        walk.refer(ReferenceKind::Catch, caught);
    }
    let variable = field(node, "variable").and_then(|variable| variable.named_child(0));
    walk.locals(variable.filter(|name| name.kind() == "identifier"), value);
    Some(Descend::Into)
}

/// Binds the names in `in A => a`, `in {name:}`, `in {name: a}`.
pub(super) fn pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let bound = match node.kind() {
        "as_pattern" => field(node, "name"),
        _ => field(node, "value").filter(|value| value.kind() == "identifier"),
    };
    let bound = bound.or_else(|| field(node, "key").filter(|_| field(node, "value").is_none()));
    walk.locals(bound.filter(|name| name.kind() != "string"), Value::Unknown);
    Some(Descend::Into)
}

/// Binds the names in a list of patterns.
pub(super) fn pattern_list<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let inside = match node.kind() {
        "array_pattern" | "find_pattern" => children(node),
        _ => field(node, "pattern").into_iter().collect(),
    };
    for pattern in inside {
        let name = match pattern.kind() {
            "splat_parameter" => child_of_kind(pattern, "identifier"),
            "identifier" => Some(pattern),
            _ => None,
        };
        walk.locals(name, Value::Unknown);
    }
    Some(Descend::Into)
}
