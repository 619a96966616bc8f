//! Collects PHP definitions: classes, interfaces, traits, enums, their members, and functions.

use foveate_model::values::Value;
use foveate_model::{DefinitionKind, LocalId, Modifiers, Visibility};
use tree_sitter::Node;

use super::{is_name, phpdoc};
use crate::collect::{Draft, span};
use crate::syntax::{Descend, inside_brackets};
use crate::walk::{Handled, Walk, child_of_kind, children, field};

/// Modifiers and attributes before a declaration, which all its parts share.
struct DeclaredModifiers {
    visibility: Visibility,
    modifiers: Modifiers,
    decorators: Vec<Box<str>>,
}

impl DeclaredModifiers {
    fn of(walk: &Walk<'_>, node: Node<'_>) -> Self {
        let mut found = Self {
            visibility: Visibility::Public,
            modifiers: Modifiers::default(),
            decorators: decorators(walk, node),
        };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "visibility_modifier" => {
                    // `private(set)` restricts writing only.
                    let written = walk.of(child).to_ascii_lowercase();
                    found.visibility = match written.as_str() {
                        "private" => Visibility::Private,
                        "protected" => Visibility::Protected,
                        _ => found.visibility,
                    };
                }
                "static_modifier" => found.modifiers.is_static = true,
                "abstract_modifier" => found.modifiers.is_abstract = true,
                _ => {}
            }
        }
        found
    }

    fn apply(&self, draft: &mut Draft<'_>) {
        draft.visibility = Some(self.visibility);
        draft.modifiers = self.modifiers;
        draft.decorators.clone_from(&self.decorators);
    }
}

/// Returns the names of the attributes, as written.
fn decorators(walk: &Walk<'_>, node: Node<'_>) -> Vec<Box<str>> {
    let mut names = Vec::new();
    let groups = field(node, "attributes").map_or_else(Vec::new, children);
    for attribute in groups.into_iter().flat_map(children) {
        let name = attribute.named_child(0).filter(|name| is_name(*name));
        names.extend(name.map(|name| walk.of(name).into()));
    }
    names
}

fn draft<'t>(
    walk: &Walk<'t>,
    kind: DefinitionKind,
    node: Node<'t>,
    name: Node<'t>,
    body: Option<Node<'t>>,
) -> Draft<'t> {
    let mut draft = walk.draft(kind, node, name, body);
    DeclaredModifiers::of(walk, node).apply(&mut draft);
    draft
}

pub(super) fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let kind = match node.kind() {
        "interface_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let mut draft = draft(walk, kind, node, name, field(node, "body"));
    for list in ["base_clause", "class_interface_clause"] {
        let bases = child_of_kind(node, list).map_or_else(Vec::new, children);
        let bases = bases.into_iter().filter(|base| is_name(*base));
        draft
            .bases
            .extend(bases.map(|base| Box::from(walk.of(base))));
    }
    let is_facade = draft.bases.iter().any(|base| is_facade(base));
    draft.bases.extend(phpdoc::mixins(walk, node, is_facade));
    let id = walk.define(draft);
    walk.enter_definition(depth, id, kind);
    Some(Descend::Into)
}

/// Whether a base makes a class a facade, which passes static calls on to an object.
fn is_facade(base: &str) -> bool {
    base.rsplit('\\').next() == Some("Facade")
}

/// Enters `new class extends A { … }`: its methods belong to the enclosing definition. `$this` in it is an object of
/// `A`.
pub(super) fn anonymous_class<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let base = child_of_kind(node, "base_clause").and_then(|bases| bases.named_child(0));
    if let (Some(base), Some(body)) = (base, field(node, "body")) {
        walk.nameless_class(body, base);
    }
    walk.enter_anonymous_function(depth);
    Some(Descend::Into)
}

/// Adds the traits of `use A, B\C;` in a class as its bases: it takes over their members.
pub(super) fn traits<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let names = children(node).into_iter().filter(|name| is_name(*name));
    let names: Vec<Box<str>> = names.map(|name| walk.of(name).into()).collect();
    walk.add_bases(names);
    crate::walk::base_list(walk, node, depth)
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let kind = match node.kind() {
        "method_declaration" => DefinitionKind::Method,
        _ => DefinitionKind::Function,
    };
    let body = field(node, "body");
    let tags = phpdoc::Tags::above(walk, node);
    let mut draft = draft(walk, kind, node, name, body);
    draft.parameters = field(node, "parameters").map(inside_brackets);
    let is_method = kind == DefinitionKind::Method;
    draft.modifiers.is_constructor = is_method && draft.name.eq_ignore_ascii_case("__construct");
    draft.modifiers.is_abstract |= is_method && body.is_none();
    // `@test` in the comment marked tests before there were attributes.
    if is_method && tags.is_test {
        draft.decorators.push("test".into());
    }
    let owner = walk.context().parent;
    let id = walk.define(draft);
    if let Some(list) = field(node, "parameters") {
        for parameter in children(list) {
            add_parameter(walk, (owner, id), parameter, &tags);
        }
    }
    match field(node, "return_type") {
        Some(declared) if super::named_type(declared).is_some() => {
            walk.returns(id, Some(declared));
        }
        _ => tags.types.add_return_type(walk, id),
    }
    walk.enter_definition(depth, id, kind);
    tags.refer_to_data_provider(walk);
    Some(Descend::Into)
}

/// Adds a parameter. With a visibility it is also a field of the class.
fn add_parameter<'t>(
    walk: &mut Walk<'t>,
    (owner, function): (Option<LocalId>, LocalId),
    parameter: Node<'t>,
    tags: &phpdoc::Tags<'t>,
) {
    let written = field(parameter, "name");
    let name = written.map(|name| child_of_kind(name, "variable_name").unwrap_or(name));
    let Some(name) = name.filter(|name| name.kind() == "variable_name") else {
        return;
    };
    let declared = field(parameter, "type");
    walk.parameter(function, name, declared);
    tags.types.set_parameter_type(walk, name);
    if parameter.kind() != "property_promotion_parameter" {
        return;
    }
    let Some(inner) = name.named_child(0) else {
        return;
    };
    let mut draft = draft(walk, DefinitionKind::Field, parameter, inner, None);
    draft.signature_end = name.end_byte();
    let id = walk.collector.define_in(owner, draft);
    let value = match walk.collector.facts.values.parameters.last() {
        Some(known) => known.type_name.map_or(Value::Unknown, Value::Type),
        None => Value::Unknown,
    };
    walk.holds(id, value);
}

/// Adds the properties of `private static ?A $b = null, $c;`. The name of a static property includes the `$`, as its
/// uses do.
pub(super) fn properties<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let declared = field(node, "type");
    let documented = phpdoc::of_variable(walk, node);
    let modifiers = DeclaredModifiers::of(walk, node);
    for element in children(node) {
        if element.kind() != "property_element" {
            continue;
        }
        let Some(variable) = field(element, "name") else {
            continue;
        };
        let inner = variable.named_child(0).unwrap_or(variable);
        let mut draft = walk.draft(DefinitionKind::Field, node, inner, None);
        modifiers.apply(&mut draft);
        if draft.modifiers.is_static {
            draft.name = walk.of(variable);
            draft.name_span = span(variable);
        }
        draft.signature_end = variable.end_byte();
        draft.body = field(element, "default_value").map(span);
        let id = walk.define(draft);
        let value = walk.declared_value(declared, field(element, "default_value"));
        walk.holds(
            id,
            match value {
                Value::Unknown => documented,
                value => value,
            },
        );
    }
    Some(Descend::Into)
}

/// Adds the constants of `const A = 1, B = 2;`.
pub(super) fn constants<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let modifiers = DeclaredModifiers::of(walk, node);
    for element in children(node) {
        let Some(name) = element
            .named_child(0)
            .filter(|_| element.kind() == "const_element")
        else {
            continue;
        };
        let value = element.named_child(1);
        let mut draft = walk.draft(DefinitionKind::Constant, node, name, None);
        modifiers.apply(&mut draft);
        draft.body = value.map(span);
        draft.signature_end = value.map_or(name.end_byte(), |value| {
            value.start_byte() + walk.of(value).lines().next().unwrap_or("").len()
        });
        walk.define(draft);
    }
    Some(Descend::Into)
}

pub(super) fn enum_case<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        let draft = draft(walk, DefinitionKind::EnumMember, node, name, None);
        walk.define(draft);
    }
    Some(Descend::Into)
}
