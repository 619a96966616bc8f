//! Handles `impl` blocks: their items belong to the type that they are for, wherever it is defined.

use foveate_model::{LocalId, ReferenceKind, Span};
use tree_sitter::Node;

use super::definitions::generics;
use super::{BUILTIN_TYPES, WRAPPERS, named_type, type_argument_at};
use crate::collect::{Position, Scope, span};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, field};

/// Maximum number of definitions of one name among which the type of an `impl` is searched.
const MAX_NAMED: usize = 16;
/// Maximum number of bases of a type that come from `impl` blocks.
const MAX_BASES: usize = 1_000;

/// Enters `impl A { … }` or `impl B for A { … }`: the members are those of `A`.
pub(super) fn implementation<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    generics(walk, node);
    let implemented = field(node, "trait");
    let target = field(node, "type");
    let owner = target.and_then(|target| owner(walk, target, implemented.is_some()));
    if let Some(implemented) = implemented {
        if let (Some(owner), Some(base)) = (owner, named_type(implemented)) {
            add_base(walk, owner, walk.of(base));
        }
        walk.refer(ReferenceKind::Base, implemented);
    }
    walk.collector.within(depth, |context| {
        context.scope = Scope::Class;
        context.position = Position::Value;
        context.receiver = owner;
        // Members of a trait's implementation are as visible as the trait.
        context.is_exports = implemented.is_some();
    });
    Some(Descend::Into)
}

/// Returns the name of the type that an `impl` is for. A trait may be implemented for a type of another
/// crate that wraps one of this crate: `impl A for Arc<B>`.
fn owner(walk: &Walk<'_>, target: Node<'_>, is_trait: bool) -> Option<Span> {
    let mut named = named_type(target);
    let held = named
        .filter(|named| is_trait && WRAPPERS.binary_search(&walk.of(*named)).is_ok())
        .and_then(|named| type_argument_at(named, target, 0))
        .and_then(named_type)
        .filter(|held| {
            let name = walk.of(*held);
            let mut generics = walk.generics.iter();
            BUILTIN_TYPES.binary_search(&name).is_err()
                && !generics.any(|generic| generic.names.contains(&name))
        });
    named = held.or(named);
    let name = match named.map(|named| (named, named.kind())) {
        Some((named, "scoped_type_identifier")) => field(named, "name"),
        Some((named, _)) => Some(named),
        None => Some(target).filter(|target| target.kind() == "primitive_type"),
    };
    let name = name.map(span)?;
    (!name.of(walk.collector.text).is_empty()).then_some(name)
}

/// Adds `Base` of `impl Base for Type` to the bases of the type, if that is defined before it in the same scope.
fn add_base(walk: &mut Walk<'_>, owner: Span, base: &str) {
    let (parent, text) = (walk.context().parent, walk.collector.text);
    let members = walk.collector.members(parent, owner.of(text));
    let named: Vec<LocalId> = members.iter().rev().take(MAX_NAMED).copied().collect();
    let type_id = named.into_iter().find(|id| {
        let known = walk.collector.definition(*id);
        known.is_some_and(|known| known.kind.is_container())
    });
    if let Some(owner) =
        type_id.and_then(|id| walk.collector.facts.definitions.get_mut(id.0 as usize))
        && owner.bases.len() < MAX_BASES
        && !owner.bases.iter().any(|known| **known == *base)
    {
        owner.bases.push(base.into());
    }
}
