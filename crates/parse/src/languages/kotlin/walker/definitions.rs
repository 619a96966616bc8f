//! Collects Kotlin definitions: types, objects, functions, constructors, aliases.

use foveate_model::{DefinitionKind, LocalId, Span, Visibility};
use tree_sitter::Node;

use super::references::{annotated, type_within};
use super::{delegates, first_identifier, named_type, type_after};
use crate::collect::{Draft, Position, Scope, span};
use crate::syntax::{Descend, inside_brackets};
use crate::walk::{Handled, Walk, child_of_kind, children, field};

/// Modifiers and annotations of a declaration.
#[derive(Default)]
pub(super) struct DeclaredModifiers<'t> {
    visibility: Visibility,
    words: Vec<&'t str>,
    annotations: Vec<Box<str>>,
}

impl<'t> DeclaredModifiers<'t> {
    pub(super) fn of(walk: &Walk<'t>, node: Node<'t>) -> Self {
        let mut modifiers = Self::default();
        for part in child_of_kind(node, "modifiers")
            .into_iter()
            .flat_map(children)
        {
            match part.kind() {
                "annotation" => {
                    let names = annotated(part).into_iter().filter_map(type_within);
                    let names = names.map(|name| without_arguments(walk.of(name)));
                    modifiers.annotations.extend(names);
                }
                "visibility_modifier" => {
                    modifiers.visibility = match walk.of(part) {
                        "private" => Visibility::Private,
                        // `internal` is visible in the whole module.
                        "protected" | "internal" => Visibility::Protected,
                        _ => Visibility::Public,
                    }
                }
                _ => modifiers.words.push(walk.of(part)),
            }
        }
        modifiers
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    pub(super) fn apply(self, draft: &mut Draft<'t>) {
        draft.visibility = Some(self.visibility);
        draft.modifiers.is_abstract = self.has("abstract");
        draft.modifiers.is_async = self.has("suspend");
        draft.decorators = self.annotations;
    }
}

/// Returns a type as written, without type arguments and call arguments.
fn without_arguments(written: &str) -> Box<str> {
    let plain = written.split(['<', '(']).next().unwrap_or(written);
    plain.trim_end().into()
}

/// Adds a class, interface, enum or object.
pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    generics(walk, node);
    let modifiers = DeclaredModifiers::of(walk, node);
    let mut cursor = node.walk();
    let is_interface = node
        .children(&mut cursor)
        .any(|part| part.kind() == "interface");
    let kind = match is_interface {
        true => DefinitionKind::Interface,
        false if modifiers.has("enum") => DefinitionKind::Enum,
        false => DefinitionKind::Class,
    };
    let mut draft = walk.draft(kind, node, name, body_of(node));
    draft.bases = bases(walk, node);
    // The code of an `expect` class is in the `actual` class of each platform.
    let is_expected = modifiers.has("expect");
    modifiers.apply(&mut draft);
    draft.modifiers.is_overload = is_expected;
    plain_name(&mut draft);
    let id = walk.define(draft);
    walk.enter_definition(depth, id, kind);
    // The constructor, bases and members are nodes below this one, so they belong to the class.
    let constructor = child_of_kind(node, "primary_constructor");
    let parameters = constructor.and_then(|head| child_of_kind(head, "class_parameters"));
    for parameter in parameters.into_iter().flat_map(children) {
        if let Some(name) = first_identifier(parameter).filter(|_| !is_property(parameter)) {
            walk.parameter(id, name, type_after(parameter, Some(name)));
        }
    }
    Some(Descend::Into)
}

/// Registers the type parameters of a declaration: inside it, their names mean no types of the file.
fn generics<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let parameters = child_of_kind(node, "type_parameters");
    let parameters = parameters.map_or_else(Vec::new, children);
    if parameters.is_empty() {
        return;
    }
    let names = parameters.iter().filter_map(|part| first_identifier(*part));
    let names = names.map(|name| walk.of(name)).collect();
    walk.add_generics(node, names, None);
    let constraints = child_of_kind(node, "type_constraints");
    let constraints = constraints.into_iter().flat_map(children);
    let bounded = parameters.into_iter().chain(constraints);
    let bounds: Vec<(Node<'t>, Node<'t>)> = bounded
        .filter_map(|part| {
            let name = first_identifier(part)?;
            Some((name, type_after(part, Some(name))?))
        })
        .collect();
    walk.add_bounds(bounds);
}

fn body_of(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, "class_body")
        .or_else(|| child_of_kind(node, "enum_class_body"))
        .or_else(|| delegates::body(node))
}

/// Removes the backticks of a quoted name: `` `a b` `` becomes `a b`.
pub(super) fn plain_name(draft: &mut Draft<'_>) {
    let inner = draft
        .name
        .strip_prefix('`')
        .and_then(|name| name.strip_suffix('`'));
    if let Some(inner) = inner.filter(|inner| !inner.is_empty()) {
        draft.name = inner;
        let (start, end) = (draft.name_span.start as usize, draft.name_span.end as usize);
        draft.name_span = Span::new(start + 1, end - 1);
    }
}

/// Returns the types after the colon of a class.
fn bases(walk: &Walk<'_>, node: Node<'_>) -> Vec<Box<str>> {
    let list = child_of_kind(node, "delegation_specifiers");
    let specifiers = list.into_iter().flat_map(children);
    specifiers
        .filter_map(|specifier| {
            let part = children(specifier)
                .into_iter()
                .find(|part| part.kind() != "annotation")?;
            let part = match part.kind() {
                "explicit_delegation" => part.named_child(0)?,
                _ => part,
            };
            let named = type_within(part)?;
            Some(without_arguments(walk.of(named)))
        })
        .collect()
}

/// Whether the current node, a member, is in a companion or another object, so that it is accessed by a type's name.
pub(super) fn is_static(walk: &Walk<'_>) -> bool {
    let holder = walk.ancestor(2);
    holder.is_some_and(|holder| matches!(holder.kind(), "companion_object" | "object_declaration"))
}

/// Maximum number of bases of an object whose members are looked for.
const MAX_BASES: usize = 2;

/// Enters `object : A() { … }`: its members belong to the enclosing definition. Names in it may be members of `A`.
pub(super) fn object<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let list = child_of_kind(node, "delegation_specifiers");
    if let (Some(list), Some(body)) = (list, body_of(node)) {
        let bases = children(list).into_iter().filter_map(type_within);
        for base in bases.take(MAX_BASES) {
            walk.nameless_class(body, base);
        }
    }
    walk.collector.within(depth, |context| {
        context.scope = Scope::Class;
        context.position = Position::Value;
        context.message = None;
    });
    Some(Descend::Into)
}

/// Adds `A(1) { … }` of an enum: the definitions in its body belong to it.
pub(super) fn enum_entry<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = first_identifier(node)?;
    let body = child_of_kind(node, "class_body");
    let mut draft = walk.draft(DefinitionKind::EnumMember, node, name, body);
    DeclaredModifiers::of(walk, node).apply(&mut draft);
    plain_name(&mut draft);
    let id = walk.define(draft);
    set_parent(walk, depth, id);
    Some(Descend::Into)
}

/// Makes a property or enum member the parent of definitions in anonymous objects below it. References
/// still belong to the enclosing class.
pub(super) fn set_parent(walk: &mut Walk<'_>, depth: u32, id: LocalId) {
    walk.collector.within(depth, |context| {
        context.parent = Some(id);
        if context.scope == Scope::Enum {
            context.scope = Scope::Class;
        }
    });
}

fn is_property(parameter: Node<'_>) -> bool {
    let mut cursor = parameter.walk();
    let mut parts = parameter.children(&mut cursor);
    parts.any(|part| matches!(part.kind(), "val" | "var"))
}

/// Adds `val x: Int` in the head of a class, which is a property of it.
pub(super) fn class_parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let name = first_identifier(node).filter(|_| is_property(node))?;
    let mut draft = walk.draft(DefinitionKind::Field, node, name, None);
    DeclaredModifiers::of(walk, node).apply(&mut draft);
    plain_name(&mut draft);
    let id = walk.define(draft);
    let value = walk.declared_value(type_after(node, Some(name)), None);
    walk.holds(id, value);
    Some(Descend::Into)
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name").filter(|name| !name.is_missing())?;
    generics(walk, node);
    let body = child_of_kind(node, "function_body");
    let parameters = child_of_kind(node, "function_value_parameters");
    let receiver = receiver(node, name);
    let is_member = matches!(walk.context().scope, Scope::Class | Scope::Enum);
    let kind = match is_member || receiver.is_some() {
        true => DefinitionKind::Method,
        false => DefinitionKind::Function,
    };
    let mut draft = walk.draft(kind, node, name, body);
    draft.parameters = parameters.map(inside_brackets);
    extend(walk, &mut draft, receiver);
    let modifiers = DeclaredModifiers::of(walk, node);
    let is_elsewhere = !modifiers.has("external") && body.is_none();
    modifiers.apply(&mut draft);
    mark_bodiless(walk, &mut draft, is_elsewhere);
    draft.modifiers.is_static = is_static(walk);
    plain_name(&mut draft);
    let id = walk.define(draft);
    let only = body.and_then(|body| body.named_child(0));
    if let Some(result) = type_after(node, parameters) {
        walk.returns(id, Some(result));
    } else if let Some(only) = only.filter(|only| only.kind() != "block") {
        // `fun a() = b`
        let value = walk.value_of(only);
        walk.holds(id, value);
    }
    enter_function(walk, parameters, depth, id, kind);
    Some(Descend::Into)
}

/// Marks a definition without a body: in an interface it is abstract, otherwise it is an `expect`
/// declaration, whose body is elsewhere.
pub(super) fn mark_bodiless(walk: &Walk<'_>, draft: &mut Draft<'_>, is_bodiless: bool) {
    let is_abstract =
        draft.modifiers.is_abstract || walk.parent_kind() == Some(DefinitionKind::Interface);
    draft.modifiers.is_abstract |= is_abstract && is_bodiless;
    draft.modifiers.is_overload = is_bodiless && !is_abstract;
}

/// Returns the receiver type of an extension.
pub(super) fn receiver<'t>(node: Node<'t>, name: Node<'t>) -> Option<Node<'t>> {
    let found = type_after(node, None)?;
    (found.end_byte() <= name.start_byte())
        .then(|| named_type(found))
        .flatten()
}

/// Makes an extension a member of its receiver type, wherever it is declared.
pub(super) fn extend<'t>(walk: &Walk<'t>, draft: &mut Draft<'t>, receiver: Option<Node<'t>>) {
    let Some(receiver) = receiver else {
        return;
    };
    let written = walk.of(receiver);
    draft.receiver = Some(written.split('<').next().unwrap_or(written));
    draft.modifiers.is_out_of_line = true;
}

pub(super) fn enter_function<'t>(
    walk: &mut Walk<'t>,
    parameters: Option<Node<'t>>,
    depth: u32,
    id: LocalId,
    kind: DefinitionKind,
) {
    for parameter in parameters.into_iter().flat_map(children) {
        let name = first_identifier(parameter).filter(|_| parameter.kind() == "parameter");
        if let Some(name) = name {
            walk.parameter(id, name, type_after(parameter, Some(name)));
        }
    }
    walk.enter_definition(depth, id, kind);
}

/// Adds `constructor(x: Int) : this(x, 1) { … }`.
pub(super) fn constructor<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let mut cursor = node.walk();
    let mut parts = node.children(&mut cursor);
    let word = parts.find(|part| part.kind() == "constructor")?;
    let parameters = child_of_kind(node, "function_value_parameters");
    let body = child_of_kind(node, "block");
    let mut draft = walk.draft(DefinitionKind::Method, node, word, body);
    // Without a block, the call of another constructor counts as the body.
    let other = child_of_kind(node, "constructor_delegation_call");
    draft.body = draft.body.or(other.map(span));
    draft.parameters = parameters.map(inside_brackets);
    let modifiers = DeclaredModifiers::of(walk, node);
    modifiers.apply(&mut draft);
    draft.modifiers.is_constructor = true;
    let id = walk.define(draft);
    enter_function(walk, parameters, depth, id, DefinitionKind::Method);
    Some(Descend::Into)
}

/// Adds `typealias A<T> = B`.
pub(super) fn type_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "type")?;
    let target = type_after(node, Some(name));
    let mut draft = walk.draft(DefinitionKind::TypeAlias, node, name, None);
    draft.body = target.map(span);
    DeclaredModifiers::of(walk, node).apply(&mut draft);
    let id = walk.define(draft);
    walk.returns(id, target);
    walk.collector.enter_position(depth, Position::Type);
    Some(Descend::Into)
}
