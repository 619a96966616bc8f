//! Implements the handlers that languages share.

use foveate_model::{ReferenceKind, RegionKind};
use tree_sitter::Node;

use super::{Handled, Walk, field};
use crate::collect::Position;
use crate::syntax::Descend;

/// Ignores the node, but not its descendants.
pub(crate) fn into<'t>(_: &mut Walk<'t>, _: Node<'t>, _: u32) -> Handled {
    Some(Descend::Into)
}

/// Ignores the node and its descendants.
pub(crate) fn past<'t>(_: &mut Walk<'t>, _: Node<'t>, _: u32) -> Handled {
    Some(Descend::Past)
}

/// Marks the name of the node as handled: it is no reference.
pub(crate) fn handled_name<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.mark_handled(field(node, "name"));
    Some(Descend::Into)
}

/// Skips the name of the node: it is no reference.
pub(crate) fn skip_name<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        walk.collector.skip_to(name.end_byte());
    }
    Some(Descend::Into)
}

/// Adds a comment.
pub(crate) fn comment<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let kind = match (walk.form.is_documentation)(walk.of(node)) {
        true => RegionKind::Documentation,
        false => RegionKind::Comment,
    };
    walk.collector.comment(node, kind);
    Some(Descend::Past)
}

/// Adds a string literal: its region without interpolations, which are walked, and its message.
pub(crate) fn text<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.literal(node, depth, |part| {
        part.named_child_count() > 0 && part.kind().contains("interpol")
    })
}

/// Adds a name on its own.
pub(crate) fn name<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if !walk.is_handled(node) {
        let kind = walk.context().position.reference(ReferenceKind::Name);
        walk.refer_to_leaf(kind, node);
    }
    Some(Descend::Past)
}

/// Adds the name of a type on its own.
pub(crate) fn type_name<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if !walk.is_handled(node) {
        let kind = walk.context().position.reference(ReferenceKind::Type);
        walk.refer_to_leaf(kind, node);
    }
    Some(Descend::Past)
}

/// Adds `a.b` that is not called, as an expression or a type.
pub(crate) fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    path(walk, node, ReferenceKind::Attribute)
}

/// Adds `a.B` that is a type.
pub(crate) fn type_member<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    path(walk, node, ReferenceKind::Type)
}

fn path<'t>(walk: &mut Walk<'t>, node: Node<'t>, as_value: ReferenceKind) -> Handled {
    if !walk.collector.is_skipped(node.start_byte()) {
        let kind = walk.context().position.reference(as_value);
        walk.refer_once(kind, node);
    }
    // After the last name there may be type arguments, as in `a.b<T>()`.
    let last = node.end_byte().saturating_sub(1);
    match walk.collector.is_skipped(last) {
        true => Some(Descend::Past),
        false => Some(Descend::Into),
    }
}

/// Adds the call of a constructor: `new A.B<C>(…)`, with the class in the field `type`.
pub(crate) fn constructed<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.call(field(node, "type")?, depth)
}

/// Treats the names below as types.
pub(crate) fn type_position<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    walk.collector.enter_position(depth, Position::Type);
    Some(Descend::Into)
}

/// Treats the names below as bases of a type.
pub(crate) fn base_list<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    walk.collector.enter_position(depth, Position::Base);
    Some(Descend::Into)
}

/// Treats the names below as values again: arguments inside a list of bases or a type.
pub(crate) fn arguments<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    walk.collector.enter_position(depth, Position::Value);
    Some(Descend::Into)
}
