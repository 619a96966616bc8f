//! Collects Rust definitions: functions, types with their members, modules, constants, macros. The
//! items in an `impl` are members of its type, wherever that is defined.

use foveate_model::{DefinitionKind, LocalId, ReferenceKind, Span, Visibility};
use tree_sitter::Node;

use super::patterns;
use crate::collect::{Draft, Scope, span};
use crate::documentation;
use crate::syntax::{Descend, inside_brackets};
use crate::walk::{Handled, Walk, child_of_kind, children, children_in, field};

/// Traits of most types. As bounds they say little, and their methods belong to the standard library.
const COMMON_TRAITS: &[&str] = &[
    "Clone", "Copy", "Debug", "Default", "Display", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd",
    "Send", "Sized", "Sync", "Unpin",
];

/// Registers the type parameters of a declaration: inside it, their names are no references.
pub(super) fn generics<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = field(node, "type_parameters") else {
        return;
    };
    let parameters = children(list);
    let names = parameters.iter();
    let names: Vec<&str> = names
        .filter_map(|parameter| Some(walk.of(field(*parameter, "name")?)))
        .filter(|name| !name.starts_with('\''))
        .collect();
    walk.add_generics(node, names, None);
    let clause = child_of_kind(node, "where_clause");
    let predicates = clause.into_iter().flat_map(children);
    let predicates = predicates.map(|predicate| (field(predicate, "left"), predicate));
    let parameters = parameters.into_iter();
    let bounded = parameters.map(|parameter| (field(parameter, "name"), parameter));
    let bounds: Vec<(Node<'t>, Node<'t>)> = bounded
        .chain(predicates)
        .filter_map(|(name, part)| Some((name?, field(part, "bounds")?)))
        .flat_map(|(name, bounds)| children(bounds).into_iter().map(move |one| (name, one)))
        .filter(|(_, bound)| !COMMON_TRAITS.contains(&walk.of(*bound)))
        .collect();
    walk.add_bounds(bounds);
}

/// Adds a comment, which may be the documentation of a definition, below its attributes.
pub(super) fn comment<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.add_comment_after_attributes(node);
    crate::walk::comment(walk, node, depth)
}

/// Adds the attribute `#[a::b(…)]`.
pub(super) fn attributes<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let attribute = child_of_kind(node, "attribute");
    let Some(path) = attribute.and_then(|attribute| attribute.named_child(0)) else {
        return Some(Descend::Past);
    };
    let written: String = walk.of(path).split_whitespace().collect();
    walk.add_attribute(node, written.into());
    let is_text_of_error = walk.of(path) == "error";
    walk.refer(ReferenceKind::Decorator, path);
    walk.collector.skip_to(path.end_byte());
    if is_text_of_error {
        walk.collector.within(depth, |context| {
            context.message = Some(foveate_model::MessageKind::Error);
        });
    }
    Some(Descend::Into)
}

/// Returns the visibility of a definition. Without `pub` it is visible in its module and all modules
/// below, except that members of traits, variants and trait implementations count as public.
fn visibility(walk: &Walk<'_>, node: Node<'_>) -> Visibility {
    // The grammar has the visibility as the first child.
    let first = node.named_child(0);
    let is_public = match first.filter(|first| first.kind() == "visibility_modifier") {
        Some(modifier) => walk.of(modifier) == "pub",
        None => match walk.parent_kind() {
            Some(DefinitionKind::Interface) => walk.context().scope == Scope::Class,
            Some(DefinitionKind::EnumMember) => true,
            _ => walk.context().is_exports,
        },
    };
    match is_public {
        true => Visibility::Public,
        false => Visibility::Protected,
    }
}

/// Drafts a definition, which is a member of the type of the enclosing `impl` if there is one.
fn head<'t>(
    walk: &Walk<'t>,
    kind: DefinitionKind,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Option<Draft<'t>> {
    let name = field(node, "name")?;
    let mut draft = walk.draft(kind, node, name, body);
    draft.name = draft.name.strip_prefix("r#").unwrap_or(draft.name);
    draft.visibility = Some(visibility(walk, node));
    if let Some(comments) = walk.attributes_of(node).and_then(|known| known.comments) {
        let written = comments.of(walk.collector.text);
        draft.doc = Some(documentation::comment(written, &[]));
    }
    if let Some(receiver) = walk.context().receiver {
        draft.receiver = Some(receiver.of(walk.collector.text));
        draft.modifiers.is_out_of_line = true;
    }
    Some(draft)
}

pub(super) fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let Some(body) = field(node, "body") else {
        return super::imports::module_file(walk, node);
    };
    let draft = head(walk, DefinitionKind::Module, node, Some(body))?;
    let id = walk.define(draft);
    walk.enter_definition(depth, id, DefinitionKind::Module);
    Some(Descend::Into)
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    generics(walk, node);
    let is_member = walk.context().scope == Scope::Class;
    let kind = match is_member {
        true => DefinitionKind::Method,
        false => DefinitionKind::Function,
    };
    let body = field(node, "body");
    let mut draft = head(walk, kind, node, body)?;
    let list = field(node, "parameters");
    draft.parameters = list.map(inside_brackets);
    let parameters = list.map_or_else(Vec::new, children);
    draft.modifiers.is_async = is_async(walk, node);
    draft.modifiers.is_static = is_member && !has_self(&parameters);
    // A function without a body is abstract in a trait; in an `extern` block it is defined in another
    // language.
    draft.modifiers.is_abstract = body.is_none() && is_member;
    draft.modifiers.is_overload = body.is_none() && !is_member;
    let id = walk.define(draft);
    walk.returns(id, field(node, "return_type"));
    walk.enter_definition(depth, id, kind);
    add_parameters(walk, id, parameters);
    Some(Descend::Into)
}

fn is_async(walk: &Walk<'_>, function: Node<'_>) -> bool {
    // Only the visibility is written before them.
    let mut first = (0..2).filter_map(|at| function.named_child(at));
    let modifiers = first.find(|part| part.kind() == "function_modifiers");
    modifiers.is_some_and(|m| walk.of(m).split_whitespace().any(|word| word == "async"))
}

fn has_self(parameters: &[Node<'_>]) -> bool {
    parameters.iter().any(|parameter| {
        parameter.kind() == "self_parameter"
            || field(*parameter, "pattern").is_some_and(|pattern| pattern.kind() == "self")
    })
}

fn add_parameters<'t>(walk: &mut Walk<'t>, id: LocalId, parameters: Vec<Node<'t>>) {
    for parameter in parameters {
        let Some(pattern) = field(parameter, "pattern") else {
            continue;
        };
        match pattern.kind() {
            "identifier" => walk.parameter(id, pattern, field(parameter, "type")),
            "self" => {}
            _ => {
                let value = walk.declared_value(field(parameter, "type"), None);
                patterns::bind(walk, pattern, value, Walk::local);
            }
        }
    }
}

pub(super) fn type_item<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    generics(walk, node);
    let kind = match node.kind() {
        "trait_item" => DefinitionKind::Interface,
        "enum_item" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let body = field(node, "body");
    let mut draft = head(walk, kind, node, body)?;
    // The fields of `struct A(B);` are part of its head.
    if body.is_some_and(|body| body.kind() == "ordered_field_declaration_list") {
        draft.signature_end = node.end_byte();
    }
    for bound in field(node, "bounds").into_iter().flat_map(children) {
        if let Some(base) = super::named_type(bound) {
            draft.bases.push(walk.of(base).into());
        }
    }
    let id = walk.define(draft);
    holds_payload(walk, id, body);
    walk.enter_definition(depth, id, kind);
    Some(Descend::Into)
}

/// Records the type of the only value in `struct A(B);` or in the variant `A(B)`.
fn holds_payload<'t>(walk: &mut Walk<'t>, id: LocalId, body: Option<Node<'t>>) {
    let body = body.filter(|body| body.kind() == "ordered_field_declaration_list");
    let types = body.map_or_else(Vec::new, |body| children_in(body, "type"));
    if let [only] = *types {
        let value = walk.declared_value(Some(only), None);
        walk.holds(id, value);
    }
}

pub(super) fn variant<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let kind = DefinitionKind::EnumMember;
    let mut draft = head(walk, kind, node, None)?;
    draft.visibility = Some(Visibility::Public);
    let body = field(node, "body");
    draft.body = body.map(span);
    let id = walk.define(draft);
    holds_payload(walk, id, body);
    if body.is_some_and(|body| body.kind() == "field_declaration_list") {
        walk.enter_definition(depth, id, kind);
    }
    Some(Descend::Into)
}

pub(super) fn field_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(draft) = head(walk, DefinitionKind::Field, node, None) {
        let id = walk.define(draft);
        let value = walk.declared_value(field(node, "type"), None);
        walk.holds(id, value);
    }
    Some(Descend::Into)
}

/// Adds `const A: T = x;` and `static mut A: T = x;`.
pub(super) fn constant<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let value = walk.declared_value(field(node, "type"), field(node, "value"));
    if walk.is_in_function() {
        walk.local(name, value);
        return Some(Descend::Into);
    }
    if walk.of(name) == "_" {
        return Some(Descend::Into);
    }
    let kind = match child_of_kind(node, "mutable_specifier") {
        Some(_) => DefinitionKind::Variable,
        None => DefinitionKind::Constant,
    };
    let mut draft = head(walk, kind, node, None)?;
    draft.body = field(node, "value").map(span);
    draft.signature_end = match field(node, "type") {
        Some(declared) => declared.end_byte(),
        None => draft.signature_end,
    };
    let id = walk.define(draft);
    walk.holds(id, value);
    enter_value(walk, depth, id);
    Some(Descend::Into)
}

/// Makes references in a constant's value or an alias's target those of the constant or alias, unless
/// another definition encloses it.
fn enter_value(walk: &mut Walk<'_>, depth: u32, id: LocalId) {
    walk.collector.within(depth, |context| {
        context.enclosing = context.enclosing.or(Some(id));
        context.receiver = None;
    });
}

/// Adds `type A = B;` and `type A: B;`.
pub(super) fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    generics(walk, node);
    let target = field(node, "type");
    let mut draft = head(walk, DefinitionKind::TypeAlias, node, None)?;
    draft.body = target.map(span);
    let id = walk.define(draft);
    walk.returns(id, target);
    enter_value(walk, depth, id);
    Some(Descend::Into)
}

/// Adds `macro_rules! a { … }`.
pub(super) fn macro_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let kind = DefinitionKind::Function;
    let mut draft = head(walk, kind, node, None)?;
    let first = child_of_kind(node, "macro_rule");
    let start = first.map_or(node.end_byte(), |first| first.start_byte());
    draft.body = Some(Span::new(start, node.end_byte()));
    let text = walk.collector.text;
    let before = text.get(node.start_byte()..start).unwrap_or("");
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || "([{".contains(c));
    draft.signature_end = node.start_byte() + before.len();
    draft.receiver = None;
    draft.modifiers.is_out_of_line = false;
    draft.modifiers.is_macro = true;
    let attributes = walk.attributes_of(node);
    if attributes.is_some_and(|known| known.names.iter().any(|n| &**n == "macro_export")) {
        draft.visibility = Some(Visibility::Public);
    }
    let id = walk.define(draft);
    walk.enter_definition(depth, id, kind);
    Some(Descend::Into)
}
