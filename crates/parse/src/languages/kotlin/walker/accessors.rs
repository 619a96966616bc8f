//! Collects Kotlin properties of files and types, with and without accessors, and binds variables of
//! functions.

use foveate_model::values::Value;
use foveate_model::{DefinitionKind, Span};
use tree_sitter::Node;

use super::definitions::{
    DeclaredModifiers, extend, is_static, mark_bodiless, plain_name, receiver, set_parent,
};
use super::{first_identifier, type_after};
use crate::collect::{Scope, span};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children};

/// Adds `val x: A = …`, `var A.x: B get() = …`, `val (a, b) = …`.
pub(super) fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let Some(declared) = child_of_kind(node, "variable_declaration") else {
        super::locals::bind_destructured(walk, node);
        return Some(Descend::Into);
    };
    let name = first_identifier(declared).filter(|name| !name.is_missing())?;
    let initial = initial_value(node, declared);
    let value = walk.declared_value(type_after(declared, Some(name)), initial);
    if walk.context().scope == Scope::Function {
        walk.local(name, value);
        return Some(Descend::Into);
    }
    let code = code_of(node);
    let modifiers = DeclaredModifiers::of(walk, node);
    let owner = receiver(node, name);
    let kind = match walk.context().scope {
        _ if code.is_some() => DefinitionKind::Method,
        _ if modifiers.has("const") => DefinitionKind::Constant,
        Scope::Module if owner.is_none() => DefinitionKind::Variable,
        _ => DefinitionKind::Field,
    };
    let mut draft = walk.draft(kind, node, name, None);
    draft.body = code.or(initial.map(span));
    let end = initial.filter(|initial| walk.of(*initial).contains('\n'));
    if let Some(code) = code {
        draft.signature_end = code.start as usize;
    } else if end.is_some() {
        // A value of several lines is not part of the head.
        draft.signature_end = declared.end_byte();
    }
    extend(walk, &mut draft, owner);
    let is_bodiless = code.is_none() && initial.is_none() && modifiers.has("expect");
    let is_in_interface = walk.parent_kind() == Some(DefinitionKind::Interface);
    modifiers.apply(&mut draft);
    mark_bodiless(walk, &mut draft, is_bodiless);
    draft.modifiers.is_abstract |= is_in_interface && code.is_none();
    draft.modifiers.is_property = code.is_some();
    draft.modifiers.is_static = is_static(walk);
    plain_name(&mut draft);
    let id = walk.define(draft);
    walk.holds(id, value);
    if code.is_none() {
        set_parent(walk, depth, id);
        return Some(Descend::Into);
    }
    walk.returns(id, type_after(declared, Some(name)));
    walk.enter_definition(depth, id, DefinitionKind::Method);
    Some(Descend::Into)
}

/// Returns the initial value of a property, or its delegate (`by …`).
fn initial_value<'n>(node: Node<'n>, declared: Node<'n>) -> Option<Node<'n>> {
    let mut parts = children(node).into_iter();
    parts.find(|part| {
        part.start_byte() >= declared.end_byte()
            && !matches!(
                part.kind(),
                "getter" | "setter" | "type_constraints" | "line_comment" | "block_comment"
            )
    })
}

/// Returns the span of getter and setter if one of them has a body.
fn code_of(node: Node<'_>) -> Option<Span> {
    let mut accessors = children(node);
    accessors.retain(|part| matches!(part.kind(), "getter" | "setter"));
    let has_code = accessors
        .iter()
        .any(|part| child_of_kind(*part, "function_body").is_some());
    let (first, last) = (accessors.first()?, accessors.last()?);
    has_code.then(|| Span::new(first.start_byte(), last.end_byte()))
}

/// Binds the parameter of `set(value) { … }`.
pub(super) fn setter<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.locals(first_identifier(node), Value::Unknown);
    Some(Descend::Into)
}
