//! Collects C# definitions: types with their members, delegates, local functions. Namespaces are no
//! definitions.

use foveate_model::{DefinitionKind, Span, Visibility};
use tree_sitter::Node;

use super::{imports, locals, named_type};
use crate::collect::{Draft, span};
use crate::syntax::{Descend, inside_brackets};
use crate::walk::{Handled, Walk, base_list, child_of_kind, children, field, type_position};

/// Modifiers of a declaration.
#[derive(Default)]
struct DeclaredModifiers {
    visibility: Option<Visibility>,
    is_static: bool,
    is_abstract: bool,
    is_async: bool,
    is_constant: bool,
    /// Whether its body is elsewhere: in another part of its type, or in another language.
    is_elsewhere: bool,
}

impl DeclaredModifiers {
    fn of(walk: &Walk<'_>, node: Node<'_>) -> Self {
        let mut modifiers = Self::default();
        for child in children(node) {
            if child.kind() != "modifier" {
                continue;
            }
            match walk.of(child) {
                "public" => modifiers.visibility = Some(Visibility::Public),
                // `private protected` and `protected internal` are for derived classes.
                "protected" | "internal" => modifiers.visibility = Some(Visibility::Protected),
                "private" | "file" if modifiers.visibility.is_none() => {
                    modifiers.visibility = Some(Visibility::Private);
                }
                "static" => modifiers.is_static = true,
                "abstract" => modifiers.is_abstract = true,
                "async" => modifiers.is_async = true,
                "const" => modifiers.is_constant = true,
                "extern" | "partial" => modifiers.is_elsewhere = true,
                _ => {}
            }
        }
        modifiers
    }

    /// Sets the modifiers of a definition, which has the visibility `default` without a modifier for it.
    fn apply(&self, draft: &mut Draft<'_>, default: Visibility) {
        draft.visibility = Some(self.visibility.unwrap_or(default));
        draft.modifiers.is_static = self.is_static || self.is_constant;
        draft.modifiers.is_abstract = self.is_abstract;
        draft.modifiers.is_async = self.is_async;
    }
}

/// Returns the visibility of a declaration without a modifier for it.
fn default_visibility(walk: &Walk<'_>) -> Visibility {
    match walk.parent_kind() {
        Some(DefinitionKind::Interface | DefinitionKind::Enum) => Visibility::Public,
        Some(kind) if kind.is_container() => Visibility::Private,
        _ => Visibility::Protected,
    }
}

fn head<'t>(
    walk: &Walk<'t>,
    kind: DefinitionKind,
    node: Node<'t>,
    name: Node<'t>,
    body: Option<Node<'t>>,
) -> (Draft<'t>, DeclaredModifiers) {
    let mut draft = walk.draft(kind, node, name, body);
    draft.name = draft.name.strip_prefix('@').unwrap_or(draft.name);
    let modifiers = DeclaredModifiers::of(walk, node);
    modifiers.apply(&mut draft, default_visibility(walk));
    draft.decorators = imports::attributes(walk, node);
    draft.parameters = parameters(node).map(inside_brackets);
    (draft, modifiers)
}

fn parameters(node: Node<'_>) -> Option<Node<'_>> {
    field(node, "parameters").or_else(|| child_of_kind(node, "parameter_list"))
}

/// Registers the type parameters of a declaration: inside it, their names are no references.
fn generics<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = child_of_kind(node, "type_parameter_list") else {
        return;
    };
    let names = children(list).into_iter();
    let names = names.filter_map(|parameter| Some(walk.of(field(parameter, "name")?)));
    let names = names.collect();
    walk.add_generics(node, names, None);
    let mut bounds = Vec::new();
    for clause in children(node) {
        let name = child_of_kind(clause, "identifier");
        let name = name.filter(|_| clause.kind() == "type_parameter_constraints_clause");
        let constraints = name.map_or_else(Vec::new, |_| children(clause));
        let types = constraints
            .into_iter()
            .filter_map(|part| field(part, "type"));
        bounds.extend(types.filter_map(|bound| Some((name?, bound))));
    }
    walk.add_bounds(bounds);
}

/// Adds the types in `where T : A`.
pub(super) fn constraints<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.mark_handled(child_of_kind(node, "identifier"));
    type_position(walk, node, depth)
}

pub(super) fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    generics(walk, node);
    let kind = match node.kind() {
        "interface_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let (mut draft, _) = head(walk, kind, node, name, field(node, "body"));
    let bases = child_of_kind(node, "base_list").into_iter();
    for base in bases.flat_map(children) {
        let base = match base.kind() {
            "primary_constructor_base_type" => field(base, "type"),
            _ => Some(base),
        };
        if let Some(named) = base.and_then(named_type) {
            let written = walk.of(named);
            draft
                .bases
                .push(written.split('<').next().unwrap_or(written).into());
        }
    }
    let id = walk.define(draft);
    walk.enter_definition(depth, id, kind);
    let is_record = node.kind() == "record_declaration";
    for parameter in parameters(node).into_iter().flat_map(children) {
        let Some(name) = field(parameter, "name") else {
            continue;
        };
        // Parameters of a record are its public properties; those of a class are visible to its members
        // only.
        let mut draft = walk.draft(DefinitionKind::Field, parameter, name, None);
        draft.visibility = Some(match is_record {
            true => Visibility::Public,
            false => Visibility::Private,
        });
        let id = walk.define(draft);
        let value = walk.declared_value(field(parameter, "type"), None);
        walk.holds(id, value);
    }
    Some(Descend::Into)
}

pub(super) fn bases<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let is_of_enum = walk.parent_kind() == Some(DefinitionKind::Enum);
    match is_of_enum {
        true => type_position(walk, node, depth),
        false => base_list(walk, node, depth),
    }
}

pub(super) fn delegate<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let name = field(node, "name")?;
    generics(walk, node);
    walk.mark_type(field(node, "type"));
    let (draft, _) = head(walk, DefinitionKind::TypeAlias, node, name, None);
    walk.define(draft);
    Some(Descend::Into)
}

pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let kind = match walk.parent_kind() {
        Some(kind) if kind.is_container() => DefinitionKind::Method,
        _ => DefinitionKind::Function,
    };
    function(walk, node, name, depth, kind)
}

fn function<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    name: Node<'t>,
    depth: u32,
    kind: DefinitionKind,
) -> Handled {
    generics(walk, node);
    let body = field(node, "body");
    let (mut draft, modifiers) = head(walk, kind, node, name, body);
    let is_of_interface = walk.parent_kind() == Some(DefinitionKind::Interface);
    draft.modifiers.is_abstract |= body.is_none() && is_of_interface;
    draft.modifiers.is_overload = body.is_none() && modifiers.is_elsewhere;
    draft.modifiers.is_extension = modifiers.is_static && is_extension(walk, node);
    // An explicit implementation is called through its interface.
    if child_of_kind(node, "explicit_interface_specifier").is_some() {
        draft.visibility = Some(Visibility::Public);
    }
    let returned = field(node, "returns").or_else(|| field(node, "type"));
    enter(walk, node, depth, draft, returned);
    Some(Descend::Into)
}

/// Whether a method is called on its first parameter: `static string A(this string s)`.
fn is_extension(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let first = parameters(node).and_then(|list| child_of_kind(list, "parameter"));
    let mut parts = first.into_iter().flat_map(children);
    parts.any(|part| part.kind() == "modifier" && walk.of(part) == "this")
}

/// Adds a function with its parameters and return type, and enters it.
fn enter<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    depth: u32,
    draft: Draft<'t>,
    returned: Option<Node<'t>>,
) {
    let kind = draft.kind;
    let id = walk.define(draft);
    walk.mark_type(returned);
    walk.returns(id, returned);
    for parameter in parameters(node).into_iter().flat_map(children) {
        if let Some(name) = field(parameter, "name") {
            walk.parameter(id, name, field(parameter, "type"));
        }
    }
    walk.enter_definition(depth, id, kind);
}

pub(super) fn constructor<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let body = field(node, "body");
    let (mut draft, _) = head(walk, DefinitionKind::Method, node, name, body);
    match node.kind() {
        "constructor_declaration" => draft.modifiers.is_constructor = true,
        _ => rename(walk, &mut draft, node, "~", name),
    }
    if let Some(initializer) = child_of_kind(node, "constructor_initializer") {
        draft.signature_end = initializer.start_byte();
        draft.signature_end = before_colon(walk, draft.signature_end);
    }
    enter(walk, node, depth, draft, None);
    Some(Descend::Into)
}

/// Returns the end of a constructor's head, which excludes the call of another one: `A(x) : base(x)`.
fn before_colon(walk: &Walk<'_>, end: usize) -> usize {
    let before = walk.collector.text.get(..end).unwrap_or("");
    before.trim_end().trim_end_matches(':').len()
}

/// Renames a definition: its name reaches from the given token in `node` to the end of `last`.
fn rename<'t>(walk: &Walk<'t>, draft: &mut Draft<'t>, node: Node<'t>, token: &str, last: Node<'t>) {
    let mut cursor = node.walk();
    let mut tokens = node.children(&mut cursor);
    let Some(first) = tokens.find(|child| child.kind() == token) else {
        return;
    };
    let place = Span::new(first.start_byte(), last.end_byte());
    draft.name = place.of(walk.collector.text);
    draft.name_span = place;
}

/// Adds `operator +` and `operator A`.
pub(super) fn operator<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let last = match node.kind() {
        "operator_declaration" => field(node, "operator"),
        _ => field(node, "type"),
    };
    let last = last?;
    let body = field(node, "body");
    let (mut draft, _) = head(walk, DefinitionKind::Method, node, last, body);
    rename(walk, &mut draft, node, "operator", last);
    enter(walk, node, depth, draft, field(node, "type"));
    Some(Descend::Into)
}

/// Whether a property or indexer has code: accessors with bodies, or `=> x`.
fn has_code(node: Node<'_>) -> bool {
    let accessors = field(node, "accessors").into_iter().flat_map(children);
    let mut bodies = accessors.filter_map(|accessor| field(accessor, "body"));
    let value = field(node, "value");
    bodies.next().is_some() || value.is_some_and(|value| value.kind() == "arrow_expression_clause")
}

pub(super) fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let body = field(node, "accessors").or_else(|| field(node, "value"));
    if has_code(node) {
        let (mut draft, _) = head(walk, DefinitionKind::Method, node, name, body);
        draft.modifiers.is_property = true;
        enter(walk, node, depth, draft, field(node, "type"));
        return Some(Descend::Into);
    }
    let (mut draft, _) = head(walk, DefinitionKind::Field, node, name, None);
    draft.body = field(node, "value").map(span);
    let id = walk.define(draft);
    let value = walk.declared_value(field(node, "type"), field(node, "value"));
    walk.holds(id, value);
    walk.mark_type(field(node, "type"));
    Some(Descend::Into)
}

/// Adds `A this[int i] { get; }`.
pub(super) fn indexer<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let mut cursor = node.walk();
    let mut tokens = node.children(&mut cursor);
    let name = tokens.find(|child| child.kind() == "this")?;
    let body = field(node, "accessors").or_else(|| field(node, "value"));
    let (mut draft, _) = head(walk, DefinitionKind::Method, node, name, body);
    draft.modifiers.is_property = true;
    draft.modifiers.is_abstract |= !has_code(node);
    draft.parameters = field(node, "parameters").map(|list| {
        let inside = span(list);
        Span::new(
            inside.start as usize + 1,
            (inside.end as usize).saturating_sub(1),
        )
    });
    enter(walk, node, depth, draft, field(node, "type"));
    Some(Descend::Into)
}

/// Adds `event A B { add { … } remove { … } }`.
pub(super) fn event<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let name = field(node, "name")?;
    walk.mark_type(field(node, "type"));
    let (draft, _) = head(
        walk,
        DefinitionKind::Field,
        node,
        name,
        field(node, "accessors"),
    );
    walk.define(draft);
    Some(Descend::Into)
}

/// Adds the fields of `A a = x, b;` in a type.
pub(super) fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let declaration = child_of_kind(node, "variable_declaration")?;
    let declared = field(declaration, "type");
    let declarators = children(declaration).into_iter();
    for declarator in declarators.filter(|child| child.kind() == "variable_declarator") {
        let Some(name) = field(declarator, "name") else {
            continue;
        };
        let initial = locals::initial(declarator);
        let (mut draft, modifiers) = head(walk, DefinitionKind::Field, node, name, None);
        if modifiers.is_constant {
            draft.kind = DefinitionKind::Constant;
        }
        draft.body = initial.map(span);
        let value = walk.declared_value(declared, initial);
        let id = walk.define(draft);
        walk.holds(id, value);
    }
    Some(Descend::Into)
}

pub(super) fn enum_member<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        let (draft, _) = head(walk, DefinitionKind::EnumMember, node, name, None);
        walk.define(draft);
    }
    Some(Descend::Into)
}

/// Enters `a => …`, `(A a, b) => …`, `delegate (A a) { … }` and binds the parameters.
pub(super) fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.mark_type(field(node, "type"));
    walk.enter_anonymous_function(depth);
    let list = field(node, "parameters")?;
    if list.kind() == "implicit_parameter" {
        let value = locals::element(walk);
        walk.nameless_parameter(list, value);
        return Some(Descend::Into);
    }
    let parameters = children(list);
    if let [only] = *parameters
        && let (Some(name), None) = (field(only, "name"), field(only, "type"))
    {
        let value = locals::element(walk);
        walk.nameless_parameter(name, value);
        return Some(Descend::Into);
    }
    for parameter in parameters {
        walk.declared_local(field(parameter, "name"), field(parameter, "type"), None);
    }
    Some(Descend::Into)
}
