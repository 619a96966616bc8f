//! Collects Java definitions: types with their members, constructors, enum constants.

use foveate_model::{DefinitionKind, LocalId, Visibility};
use tree_sitter::Node;

use super::named_type;
use crate::collect::{Draft, span};
use crate::syntax::{Descend, inside_brackets};
use crate::walk::{Handled, Walk, child_of_kind, children, children_in, field};

/// Modifiers and annotations of a declaration.
#[derive(Clone, Default)]
struct DeclaredModifiers {
    visibility: Option<Visibility>,
    is_static: bool,
    is_final: bool,
    is_abstract: bool,
    annotations: Vec<Box<str>>,
}

impl DeclaredModifiers {
    fn of(walk: &Walk<'_>, node: Node<'_>) -> Self {
        let mut modifiers = Self::default();
        let Some(list) = child_of_kind(node, "modifiers") else {
            return modifiers;
        };
        let mut cursor = list.walk();
        for child in list.children(&mut cursor) {
            match child.kind() {
                "public" => modifiers.visibility = Some(Visibility::Public),
                "protected" => modifiers.visibility = Some(Visibility::Protected),
                "private" => modifiers.visibility = Some(Visibility::Private),
                "static" => modifiers.is_static = true,
                "final" => modifiers.is_final = true,
                "abstract" => modifiers.is_abstract = true,
                "marker_annotation" | "annotation" => {
                    let name = field(child, "name").map(|name| walk.of(name).into());
                    modifiers.annotations.extend(name);
                }
                _ => {}
            }
        }
        modifiers
    }

    /// Sets the modifiers of a definition, which has the visibility `default` without an access modifier.
    fn apply(self, draft: &mut Draft<'_>, default: Visibility) {
        draft.visibility = Some(self.visibility.unwrap_or(default));
        draft.modifiers.is_static = self.is_static;
        draft.modifiers.is_abstract = self.is_abstract;
        draft.decorators = self.annotations;
    }
}

/// Adds `record Point(int x, int y)`; its components are public fields.
pub(super) fn record<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    type_declaration(walk, node, depth);
    for component in field(node, "parameters").into_iter().flat_map(children) {
        let Some(name) = parameter_name(component) else {
            continue;
        };
        let mut draft = walk.draft(DefinitionKind::Field, component, name, None);
        DeclaredModifiers::of(walk, component).apply(&mut draft, Visibility::Public);
        let id = walk.define(draft);
        let value = walk.declared_value(parameter_type(component), None);
        walk.holds(id, value);
    }
    Some(Descend::Into)
}

pub(super) fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    generics(walk, node);
    let kind = match node.kind() {
        "interface_declaration" | "annotation_type_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let mut draft = walk.draft(kind, node, name, field(node, "body"));
    draft.bases = bases(walk, node);
    let default = default_visibility(walk);
    DeclaredModifiers::of(walk, node).apply(&mut draft, default);
    let id = walk.define(draft);
    walk.enter_definition(depth, id, kind);
    Some(Descend::Into)
}

/// Registers the type parameters of a declaration: inside it, their names mean no types of the file.
fn generics<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = field(node, "type_parameters") else {
        return;
    };
    let (mut names, mut bounds) = (Vec::new(), Vec::new());
    for parameter in children(list) {
        let Some(name) = child_of_kind(parameter, "type_identifier") else {
            continue;
        };
        names.push(walk.of(name));
        let bound = child_of_kind(parameter, "type_bound");
        let types = bound.into_iter().flat_map(children);
        bounds.extend(types.map(|bound| (name, bound)));
    }
    walk.add_generics(node, names, None);
    walk.add_bounds(bounds);
}

/// Returns the visibility of a declaration without an access modifier: public in an interface, visible to
/// the package elsewhere.
fn default_visibility(walk: &Walk<'_>) -> Visibility {
    match walk.parent_kind() {
        Some(DefinitionKind::Interface) => Visibility::Public,
        _ => Visibility::Protected,
    }
}

/// Returns the types that a class extends and implements.
fn bases(walk: &Walk<'_>, node: Node<'_>) -> Vec<Box<str>> {
    let mut bases = Vec::new();
    for clause in children(node) {
        if !matches!(
            clause.kind(),
            "superclass" | "super_interfaces" | "extends_interfaces"
        ) {
            continue;
        }
        for part in children(clause) {
            let types = match part.kind() {
                "type_list" => children(part),
                _ => vec![part],
            };
            let named = types.into_iter().filter_map(named_type);
            bases.extend(named.map(|named| {
                let written = walk.of(named);
                written.split('<').next().unwrap_or(written).into()
            }));
        }
    }
    bases
}

/// Adds `A(1) { … }` in an enum; definitions in its body belong to it.
pub(super) fn enum_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let mut draft = walk.draft(DefinitionKind::EnumMember, node, name, field(node, "body"));
    DeclaredModifiers::of(walk, node).apply(&mut draft, Visibility::Public);
    let id = walk.define(draft);
    set_parent(walk, depth, id);
    Some(Descend::Into)
}

/// Makes a field or constant the parent of the definitions in unnamed classes below. References still
/// belong to the enclosing class.
fn set_parent(walk: &mut Walk<'_>, depth: u32, id: LocalId) {
    walk.collector
        .within(depth, |context| context.parent = Some(id));
}

/// Adds a method, or an element of an annotation type.
pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    generics(walk, node);
    let body = field(node, "body");
    let mut draft = walk.draft(DefinitionKind::Method, node, name, body);
    draft.parameters = field(node, "parameters").map(inside_brackets);
    let default = default_visibility(walk);
    DeclaredModifiers::of(walk, node).apply(&mut draft, default);
    let is_in_interface = walk.parent_kind() == Some(DefinitionKind::Interface);
    draft.modifiers.is_abstract |= is_in_interface && body.is_none();
    let id = walk.define(draft);
    walk.returns(id, field(node, "type"));
    enter_function(walk, node, depth, id);
    Some(Descend::Into)
}

/// Adds a constructor; that of a record may omit its parameters.
pub(super) fn constructor<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let mut draft = walk.draft(DefinitionKind::Method, node, name, field(node, "body"));
    draft.parameters = field(node, "parameters").map(inside_brackets);
    let default = match walk.parent_kind() {
        Some(DefinitionKind::Enum) => Visibility::Private,
        _ => Visibility::Protected,
    };
    DeclaredModifiers::of(walk, node).apply(&mut draft, default);
    draft.modifiers.is_constructor = true;
    let id = walk.define(draft);
    enter_function(walk, node, depth, id);
    Some(Descend::Into)
}

fn enter_function<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32, id: LocalId) {
    for parameter in field(node, "parameters").into_iter().flat_map(children) {
        if let Some(name) = parameter_name(parameter) {
            walk.parameter(id, name, parameter_type(parameter));
        }
    }
    walk.enter_definition(depth, id, DefinitionKind::Method);
}

/// Returns the name in `int x` and `int... xs`.
pub(super) fn parameter_name(parameter: Node<'_>) -> Option<Node<'_>> {
    let name = field(parameter, "name").or_else(|| {
        let declarator = child_of_kind(parameter, "variable_declarator")?;
        field(declarator, "name")
    });
    name.filter(|name| name.kind() == "identifier")
}

/// Returns the type in `int x` and `int... xs`.
pub(super) fn parameter_type(parameter: Node<'_>) -> Option<Node<'_>> {
    field(parameter, "type").or_else(|| {
        let mut parts = children(parameter).into_iter();
        parts.find(|part| {
            !matches!(
                part.kind(),
                "modifiers" | "variable_declarator" | "line_comment" | "block_comment"
            )
        })
    })
}

/// Adds `int a = 1, b;` in a class, or constants of an interface.
pub(super) fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let declarators = children_in(node, "declarator");
    let is_single = declarators.len() == 1;
    let modifiers = DeclaredModifiers::of(walk, node);
    for declarator in declarators {
        let Some(name) = field(declarator, "name").filter(|name| name.kind() == "identifier")
        else {
            continue;
        };
        let is_constant =
            node.kind() == "constant_declaration" || (modifiers.is_static && modifiers.is_final);
        let kind = match is_constant {
            true => DefinitionKind::Constant,
            false => DefinitionKind::Field,
        };
        let initial = field(declarator, "value");
        let mut draft = walk.draft(kind, node, name, None);
        draft.body = initial.map(span);
        // A value of several lines is not part of the head.
        if initial.is_some_and(|initial| walk.of(initial).contains('\n')) {
            let dimensions = field(declarator, "dimensions");
            draft.signature_end = dimensions.unwrap_or(name).end_byte();
        }
        let default = default_visibility(walk);
        modifiers.clone().apply(&mut draft, default);
        draft.modifiers.is_static |= node.kind() == "constant_declaration";
        let id = walk.define(draft);
        let value = walk.declared_value(field(node, "type"), initial);
        walk.holds(id, value);
        if is_single {
            set_parent(walk, depth, id);
        }
    }
    Some(Descend::Into)
}
