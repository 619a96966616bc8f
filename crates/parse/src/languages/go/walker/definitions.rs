//! Collects Go definitions: functions, methods, types with their fields, constants, variables.

use foveate_model::{DefinitionKind, LocalId, ReferenceKind, Visibility};
use tree_sitter::Node;

use super::{is_top_level, kind_of_type, named_type, visibility};
use crate::collect::{Draft, span};
use crate::syntax::{Descend, inside_brackets};
use crate::walk::{Handled, Walk, base_list, children, children_in, field};

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    generics(walk, node);
    let name = field(node, "name")?;
    let mut draft = head(walk, DefinitionKind::Function, node, name);
    // A package may have several functions of this name, and nothing calls them.
    if draft.name == "init" {
        draft.visibility = Some(Visibility::Private);
    }
    let id = walk.define(draft);
    enter(walk, node, depth, id, DefinitionKind::Function)
}

/// Adds a method such as `func (e *Engine) Run()`: a member of `Engine`, wherever that is defined.
pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    generics(walk, node);
    let name = field(node, "name")?;
    let receiver = field(node, "receiver").and_then(|list| list.named_child(0));
    let owner = receiver
        .and_then(|receiver| field(receiver, "type"))
        .and_then(named_type);
    let mut draft = head(walk, DefinitionKind::Method, node, name);
    draft.receiver = owner.map(|owner| walk.of(owner));
    draft.modifiers.is_out_of_line = owner.is_some();
    let id = walk.define(draft);
    if let Some((receiver, name)) = receiver.and_then(|r| Some((r, field(r, "name")?))) {
        walk.parameter(id, name, field(receiver, "type"));
    }
    enter(walk, node, depth, id, DefinitionKind::Method)
}

/// Adds a method of an interface: `Run() error`.
pub(super) fn interface_method<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let mut draft = head(walk, DefinitionKind::Method, node, name);
    draft.modifiers.is_abstract = true;
    let id = walk.define(draft);
    enter(walk, node, depth, id, DefinitionKind::Method)
}

fn head<'t>(walk: &Walk<'t>, kind: DefinitionKind, node: Node<'t>, name: Node<'t>) -> Draft<'t> {
    let mut draft = walk.draft(kind, node, name, field(node, "body"));
    draft.parameters = field(node, "parameters").map(inside_brackets);
    draft.visibility = Some(visibility(draft.name));
    draft
}

/// Adds the parameters and results of a function that the walk enters.
fn enter<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    depth: u32,
    id: LocalId,
    kind: DefinitionKind,
) -> Handled {
    for parameter in field(node, "parameters").into_iter().flat_map(children) {
        let declared = field(parameter, "type");
        for name in children_in(parameter, "name") {
            walk.parameter(id, name, declared);
        }
    }
    walk.returns(id, field(node, "result"));
    walk.enter_definition(depth, id, kind);
    // Named results are variables.
    let results = field(node, "result").filter(|result| result.kind() == "parameter_list");
    for result in results.into_iter().flat_map(children) {
        let value = walk.declared_value(field(result, "type"), None);
        walk.locals(children_in(result, "name"), value);
    }
    Some(Descend::Into)
}

/// Adds `Name struct { … }`, `Name interface { … }`, `Name = other`.
pub(super) fn type_spec<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    generics(walk, node);
    let (name, made) = (field(node, "name")?, field(node, "type"));
    let kind = kind_of_type(made);
    let body = made
        .and_then(|made| made.named_child(0))
        .filter(|_| kind == DefinitionKind::Class);
    let body = body.or(made.filter(|_| kind == DefinitionKind::TypeAlias));
    let mut draft = walk.draft(kind, node, name, body);
    if let Some(whole) = whole_declaration(walk, node) {
        draft.span = span(whole);
    }
    draft.visibility = Some(visibility(draft.name));
    draft.bases = made.map_or_else(Vec::new, |made| embedded(walk, made));
    if kind == DefinitionKind::Interface {
        draft.body = made.map(span);
        draft.signature_end = name.end_byte();
    }
    if kind == DefinitionKind::TypeAlias {
        let head = field(node, "type_parameters").unwrap_or(name);
        draft.signature_end = head.end_byte();
    }
    let id = walk.define(draft);
    if kind == DefinitionKind::TypeAlias {
        walk.returns(id, made);
    }
    walk.enter_definition(depth, id, kind);
    Some(Descend::Into)
}

/// Returns the declaration around its only specification: `type A struct {}` as a whole.
fn whole_declaration<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let declaration = walk.ancestor(1)?;
    let is_only = declaration.kind().ends_with("_declaration")
        && declaration.named_child_count() == 1
        && declaration.start_position().row == node.start_position().row;
    is_only.then_some(declaration)
}

/// Returns the types that a struct or interface embeds.
fn embedded(walk: &Walk<'_>, made: Node<'_>) -> Vec<Box<str>> {
    let list = match made.kind() {
        "struct_type" => made.named_child(0),
        _ => Some(made),
    };
    let mut bases = Vec::new();
    for element in list.into_iter().flat_map(children) {
        let named = match element.kind() {
            "field_declaration" if field(element, "name").is_none() => {
                field(element, "type").and_then(named_type)
            }
            "type_elem" if element.named_child_count() == 1 => {
                element.named_child(0).and_then(named_type)
            }
            _ => None,
        };
        bases.extend(named.map(|named| walk.of(named).into()));
    }
    bases
}

/// Adds the fields of `a, b int` in a struct; an embedded type is a base.
pub(super) fn field_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let names = children_in(node, "name");
    // The fields of an unnamed struct are part of its holder.
    let holder = walk.ancestor(3);
    let is_member = holder.is_some_and(|holder| holder.kind() == "type_spec");
    if names.is_empty() {
        if is_member {
            embed(walk, node);
        }
        return base_list(walk, node, depth);
    }
    for name in names.into_iter().filter(|_| is_member) {
        let mut draft = walk.draft(DefinitionKind::Field, node, name, None);
        draft.visibility = Some(visibility(draft.name));
        let id = walk.define(draft);
        let value = walk.declared_value(field(node, "type"), None);
        walk.holds(id, value);
    }
    Some(Descend::Into)
}

/// Adds `*a.B` in a struct: it is a base, and a field named `B`.
fn embed<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(named) = field(node, "type").and_then(named_type) else {
        return;
    };
    walk.refer(ReferenceKind::Base, named);
    let name = field(named, "name").unwrap_or(named);
    let mut draft = walk.draft(DefinitionKind::Field, node, name, None);
    draft.visibility = Some(visibility(draft.name));
    let id = walk.define(draft);
    let value = walk.declared_value(Some(named), None);
    walk.holds(id, value);
}

/// Records the names of type parameters, which mean any type inside their definition.
fn generics<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let list = field(node, "type_parameters");
    let (mut names, mut bounds) = (Vec::new(), Vec::new());
    for parameter in list.into_iter().flat_map(children) {
        let constraint = field(parameter, "type").filter(|bound| bound.named_child_count() == 1);
        let bound = constraint.and_then(|constraint| constraint.named_child(0));
        let declared = children_in(parameter, "name");
        names.extend(declared.iter().map(|name| walk.of(*name)));
        bounds.extend(declared.into_iter().filter_map(|name| Some((name, bound?))));
    }
    // `func (s Set[T]) …` names the type parameters of its receiver type.
    let receiver = field(node, "receiver").and_then(|list| list.named_child(0));
    let owner = receiver.and_then(|receiver| field(receiver, "type"));
    let generic = match owner.filter(|owner| owner.kind() == "pointer_type") {
        Some(pointer) => pointer.named_child(0),
        None => owner,
    };
    let arguments = generic.and_then(|generic| field(generic, "type_arguments"));
    for argument in arguments.into_iter().flat_map(children) {
        names.push(walk.of(argument));
    }
    if !names.is_empty() {
        walk.add_generics(node, names, None);
        walk.add_bounds(bounds);
    }
}

/// Adds `a, b T = x, y`, of the package or of a function.
pub(super) fn values<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let kind = match node.kind() {
        "const_spec" => DefinitionKind::Constant,
        _ => DefinitionKind::Variable,
    };
    let declared = field(node, "type");
    let initial = field(node, "value").map_or_else(Vec::new, children);
    let names = children_in(node, "name");
    if let Some(interface) = asserted_interface(walk, node, &names) {
        walk.refer(ReferenceKind::Base, interface);
    }
    for (at, name) in names.into_iter().enumerate() {
        if name.kind() != "identifier" || walk.of(name) == "_" {
            continue;
        }
        let value = walk.declared_value(declared, initial.get(at).copied());
        if is_top_level(walk) {
            let mut draft = walk.draft(kind, node, name, None);
            draft.body = field(node, "value").map(span);
            draft.visibility = Some(visibility(draft.name));
            if let Some(whole) = whole_declaration(walk, node) {
                draft.span = span(whole);
                draft.signature_end = whole.end_byte();
            }
            let id = walk.define(draft);
            walk.holds(id, value);
        } else {
            walk.local(name, value);
        }
    }
    Some(Descend::Into)
}

/// Returns the interface that `var _ Store = (*Memory)(nil)` asserts a type to implement. In Go nothing else states that.
fn asserted_interface<'t>(walk: &Walk<'t>, node: Node<'t>, names: &[Node<'t>]) -> Option<Node<'t>> {
    let is_nameless = names.iter().all(|name| walk.of(*name) == "_");
    let declared = field(node, "type").filter(|_| is_nameless && is_top_level(walk))?;
    let is_named = matches!(
        declared.kind(),
        "type_identifier" | "qualified_type" | "generic_type"
    );
    let has_value = node.kind() == "var_spec" && field(node, "value").is_some();
    named_type(declared).filter(|_| is_named && has_value)
}

/// Enters `func(a int) { … }` and adds its parameters.
pub(super) fn function_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.enter_anonymous_function(depth);
    for parameter in field(node, "parameters").into_iter().flat_map(children) {
        let value = walk.declared_value(field(parameter, "type"), None);
        walk.locals(children_in(parameter, "name"), value);
    }
    Some(Descend::Into)
}
