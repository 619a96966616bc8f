//! Collects types and their members, aliases and namespaces. Handles templates and access labels.

use foveate_model::{DefinitionKind, ReferenceKind, Span, Visibility};
use tree_sitter::Node;

use super::declarators::{declared, last_of};
use super::define::define;
use crate::collect::{Draft, Scope, span};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, children_in, field};

/// Adds `namespace a::b { … }`. Members of an inline namespace belong to the enclosing namespace; those of
/// an unnamed one are private to the file.
pub(super) fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let body = field(node, "body");
    let Some(name) = field(node, "name") else {
        walk.collector.within(depth, |context| {
            context.access = Some(Visibility::Private);
        });
        return Some(Descend::Into);
    };
    let outer = walk.context().parent;
    let is_inline = walk.of(node).starts_with("inline");
    for part in namespace_names(name) {
        let mut draft = walk.draft(DefinitionKind::Module, node, part, body);
        draft.signature_end = body.map_or(node.end_byte(), |body| body.start_byte());
        let id = define(walk, draft);
        walk.enter_definition(depth, id, DefinitionKind::Module);
    }
    if is_inline {
        walk.collector
            .within(depth, |context| context.parent = outer);
    }
    walk.collector.skip_to(name.end_byte());
    Some(Descend::Into)
}

fn namespace_names(name: Node<'_>) -> Vec<Node<'_>> {
    let (mut names, mut waiting) = (Vec::new(), vec![name]);
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "nested_namespace_specifier" if names.len() < 16 => {
                waiting.extend(children(node).into_iter().rev());
            }
            "namespace_identifier" | "identifier" => names.push(node),
            _ => {}
        }
    }
    names
}

/// Adds the alias of `namespace fs = std::filesystem;`
pub(super) fn namespace_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        let draft = walk.draft(DefinitionKind::TypeAlias, node, name, None);
        define(walk, draft);
    }
    Some(Descend::Past)
}

/// Adds `struct a { … }`, `union`, `class A : B { … }`.
pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let Some(body) = field(node, "body") else {
        let is_plain = field(node, "name").is_some_and(|name| name.kind() == "type_identifier");
        let is_forward = is_plain && node.next_sibling().is_some_and(|next| next.kind() == ";");
        return match is_forward
            && node
                .prev_sibling()
                .is_none_or(|before| !is_before_type(before))
        {
            true => Some(Descend::Past),
            false => Some(Descend::Into),
        };
    };
    let access = match node.kind() {
        "class_specifier" => Visibility::Private,
        _ => Visibility::Public,
    };
    // The members of an unnamed type belong to the enclosing type, if any.
    let whole = field(node, "name")?;
    let name = last_of(whole)?;
    let mut draft = walk.draft(DefinitionKind::Class, node, name, Some(body));
    draft.receiver = scope_before(walk, whole, name);
    draft.modifiers.is_out_of_line = draft.receiver.is_some();
    draft.bases = bases(walk, node);
    let id = define(walk, draft);
    walk.enter_definition(depth, id, DefinitionKind::Class);
    walk.collector.context.access = Some(access);
    Some(Descend::Into)
}

/// Whether a node may precede the type at the beginning of a declaration; the type is then part of the
/// declaration, not a forward declaration.
fn is_before_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "storage_class_specifier" | "type_qualifier" | "typedef"
    )
}

fn scope_before<'t>(walk: &Walk<'t>, whole: Node<'t>, name: Node<'t>) -> Option<&'t str> {
    let text = walk.collector.text;
    let before = text.get(whole.start_byte()..name.start_byte())?;
    let scope = before.trim_end().strip_suffix("::")?;
    Some(scope.trim_start_matches("::").trim()).filter(|scope| !scope.is_empty())
}

/// Returns the bases of a class as written, without type arguments.
fn bases(walk: &Walk<'_>, node: Node<'_>) -> Vec<Box<str>> {
    let clause = child_of_kind(node, "base_class_clause");
    let bases = clause.into_iter().flat_map(children).filter_map(|base| {
        if !matches!(
            base.kind(),
            "type_identifier" | "qualified_identifier" | "template_type"
        ) {
            return None;
        }
        let last = last_of(base)?;
        let text = walk.collector.text;
        let written = text.get(base.start_byte()..last.end_byte())?;
        Some(Box::from(written))
    });
    bases.collect()
}

/// Adds `enum a { … }` and `enum class A { … }`. The members of the first are names of the enclosing scope.
pub(super) fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let body = field(node, "body")?;
    let outer = walk.context().parent;
    let is_scoped = node
        .child(1)
        .is_some_and(|word| matches!(word.kind(), "class" | "struct"));
    if let Some(whole) = field(node, "name")
        && let Some(name) = last_of(whole)
    {
        let mut draft = walk.draft(DefinitionKind::Enum, node, name, Some(body));
        draft.receiver = scope_before(walk, whole, name);
        draft.modifiers.is_out_of_line = draft.receiver.is_some();
        let id = define(walk, draft);
        walk.enter_definition(depth, id, DefinitionKind::Enum);
    }
    if !is_scoped {
        walk.collector
            .within(depth, |context| context.parent = outer);
    }
    Some(Descend::Into)
}

pub(super) fn enumerator<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        let draft = walk.draft(DefinitionKind::EnumMember, node, name, None);
        define(walk, draft);
    }
    Some(Descend::Into)
}

/// Adds `typedef struct { … } a, *b;`: an unnamed type gets the name of its first alias.
pub(super) fn type_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let made = field(node, "type")?;
    let body = field(made, "body");
    let tag = field(made, "name").map(|name| walk.of(name));
    let mut named = None;
    let declarators = children_in(node, "declarator");
    for declarator in declarators {
        let Some(found) = declared(declarator) else {
            continue;
        };
        let is_itself = declarator == found.name;
        let is_tag = is_itself && tag == Some(walk.of(found.name));
        if is_tag && body.is_some() {
            // `typedef struct a { … } a;`
            walk.mark_handled(found.name);
            continue;
        }
        if let (Some(body), true, None, None) = (body, is_itself, tag, named) {
            named = Some(holder(walk, node, made, body, found.name));
            continue;
        }
        let mut draft = walk.draft(DefinitionKind::TypeAlias, node, found.name, None);
        // `typedef struct a a;` declares a type whose body is elsewhere.
        draft.modifiers.is_overload = is_tag;
        let id = define(walk, draft);
        if found.function.is_none() && !is_tag {
            walk.returns(id, Some(made));
        }
        for parameter in found.parameters().into_iter().flat_map(children) {
            if let Some(parameter) = field(parameter, "declarator").and_then(declared) {
                walk.mark_handled(parameter.name);
            }
        }
    }
    if let Some((id, kind)) = named {
        let outer = walk.context().parent;
        walk.enter_definition(depth, id, kind);
        if kind == DefinitionKind::Enum {
            walk.collector.context.parent = outer;
        }
        walk.collector.context.access = None;
    }
    Some(Descend::Into)
}

/// Adds the type that a `typedef` of an unnamed type defines.
fn holder<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    made: Node<'t>,
    body: Node<'t>,
    name: Node<'t>,
) -> (foveate_model::LocalId, DefinitionKind) {
    let kind = match made.kind() {
        "enum_specifier" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let mut draft = Draft::new(walk.of(name), kind, span(node), span(name));
    draft.body = Some(span(body));
    draft.signature_end = body.start_byte();
    (define(walk, draft), kind)
}

/// Adds the alias of `using A = B;`
pub(super) fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        let draft = walk.draft(DefinitionKind::TypeAlias, node, name, None);
        let id = define(walk, draft);
        walk.returns(id, field(node, "type"));
    }
    Some(Descend::Into)
}

/// Adds `concept A = …;`, the requirements on a type.
pub(super) fn concept<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        let mut draft = walk.draft(DefinitionKind::Interface, node, name, None);
        draft.signature_end = name.end_byte();
        draft.body = Some(Span::new(name.end_byte(), node.end_byte()));
        define(walk, draft);
    }
    Some(Descend::Into)
}

/// Enters `template <typename T> …`: its parameters are no types outside of it.
pub(super) fn template<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let mut names = Vec::new();
    for parameter in field(node, "parameters").into_iter().flat_map(children) {
        let name = match parameter.kind() {
            "type_parameter_declaration" | "variadic_type_parameter_declaration" => {
                child_of_kind(parameter, "type_identifier")
            }
            "optional_type_parameter_declaration" => field(parameter, "name"),
            "template_template_parameter_declaration" => children(parameter)
                .last()
                .and_then(|inner| child_of_kind(*inner, "type_identifier")),
            _ => field(parameter, "declarator")
                .and_then(declared)
                .map(|found| found.name),
        };
        names.extend(name.map(|name| walk.of(name)));
    }
    walk.add_generics(node, names, Some(node.start_byte()));
    Some(Descend::Into)
}

/// Applies an access label such as `private:` to all following members of the type.
pub(super) fn access<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if walk.context().scope == Scope::Class {
        walk.collector.context.access = Some(match walk.of(node).trim_end_matches([':', ' ']) {
            "private" => Visibility::Private,
            "protected" => Visibility::Protected,
            _ => Visibility::Public,
        });
    }
    Some(Descend::Past)
}

/// Enters `friend void f(A) { … }`, which defines a function of the namespace; `friend class B;` defines
/// nothing.
pub(super) fn friend<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    let outer = walk.parent().and_then(|class| class.parent);
    walk.collector.within(depth, |context| {
        (context.scope, context.parent) = (Scope::Module, outer);
        (context.is_foreign, context.access) = (true, None);
    });
    Some(Descend::Into)
}

/// Adds a reference to the name in a type.
pub(super) fn refer_to_type<'t>(walk: &mut Walk<'t>, kind: ReferenceKind, declared: Node<'t>) {
    if let Some(named) = super::named_type(declared) {
        walk.refer(kind, named);
    }
}
