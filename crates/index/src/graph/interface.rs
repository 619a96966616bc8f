//! Compares interfaces of files. The interface is everything that the resolution of names, bases and
//! references in other files reads from a file. If it stays the same, an edit affects the edited file alone.

use std::mem::discriminant;

use foldhash::HashSet;
use foveate_model::values::{TypeName, Value};
use foveate_model::{Content, Definition, FileFacts, Import, LocalId, Span, Visibility};

use crate::graph::candidates::{is_prototype, nesting};
use crate::graph::dependencies::Lookup;
use crate::graph::inferred_types::enclosing_method;
use crate::graph::values::returns_receiver;
use crate::symbols::fold;

/// Whether the interfaces of two contents of a file are the same.
pub(super) fn is_same(before: &Content, after: &Content) -> bool {
    let (old, new) = (&before.facts, &after.facts);
    old.definitions.len() == new.definitions.len()
        && old.imports.len() == new.imports.len()
        && old.exports == new.exports
        && old.package == new.package
        && old.imports.iter().zip(&new.imports).all(same_import)
        && (0..old.definitions.len() as u32)
            .map(LocalId)
            .all(|id| visible_parts(before, id) == visible_parts(after, id))
}

fn same_import((a, b): (&Import, &Import)) -> bool {
    a.kind == b.kind
        && a.module == b.module
        && a.names == b.names
        && a.enclosing == b.enclosing
        && a.type_only == b.type_only
}

/// Returns the parts of a definition that other files may read.
fn visible_parts(content: &Content, id: LocalId) -> Option<impl PartialEq> {
    let facts = &content.facts;
    let definition = facts.definition(id)?;
    let text_of = |span: Span| span.of(&content.text);
    let typed = |known: TypeName| (text_of(known.path), known.form);
    let values = &facts.values;
    let parameters = values.parameters_of(id).iter();
    let parameters: Vec<_> = parameters
        .map(|parameter| (text_of(parameter.name), parameter.type_name.map(typed)))
        .collect();
    let type_name = values.type_of(id).map(typed);
    let result = (type_name, returns_receiver(facts, &content.text, id));
    let held = values.held_by(id).map(|value| {
        let parts = parts_of_value(content, value);
        (parts, enclosing_method(facts, id))
    });
    let Definition {
        name,
        qualified_name,
        kind,
        parent,
        modifiers,
        bases,
        ..
    } = definition;
    let names = (name, qualified_name);
    let modifiers = (modifiers, is_prototype(definition));
    let is_fixture = facts.language.rules().lookup.fixtures.includes(definition);
    Some((
        names, kind, parent, modifiers, bases, parameters, result, held, is_fixture,
    ))
}

/// Returns the parts of a definition's value that other files may read.
fn parts_of_value(content: &Content, value: Value) -> impl PartialEq {
    let text_of = |span: Span| span.of(&content.text);
    let (path, name) = match value {
        Value::Type(known) | Value::Tested(known) => (Some(known.path), None),
        Value::Name(path)
        | Value::Call(path)
        | Value::Element(path)
        | Value::CallElement(path)
        | Value::CallbackArgument(path) => (Some(path), None),
        Value::Member { of, name }
        | Value::MemberOfCall { of, name }
        | Value::MemberOfType { of, name } => (Some(of), Some(name)),
        Value::Chain { first, name, .. } => (Some(first), Some(name)),
        Value::Parameter | Value::Unknown => (None, None),
    };
    let form = match value {
        Value::Type(known) | Value::Tested(known) => Some(known.form),
        _ => None,
    };
    let chain = match value {
        Value::Chain {
            name, is_element, ..
        } => Some((is_element, content.facts.chain_before(name))),
        _ => None,
    };
    let chain = chain.map(|(is_element, before)| {
        let before = before.map(|(kind, links)| {
            let links = links.iter();
            let links = links.map(|link| (text_of(link.name), link.is_called, link.is_indexed));
            (kind, links.collect::<Vec<_>>())
        });
        (is_element, before)
    });
    let texts = (path.map(text_of), name.map(text_of));
    (discriminant(&value), texts, form, chain)
}

/// Adds the hashes of the look-ups of names whose results differ between two contents of a file.
pub(super) fn differing_names(
    before: Option<&Content>,
    after: Option<&Content>,
    lookups: &mut HashSet<u32>,
) {
    let old = before.map_or(&[][..], |content| &content.facts.definitions);
    let new = after.map_or(&[][..], |content| &content.facts.definitions);
    for at in 0..old.len().max(new.len()) {
        let id = LocalId(at as u32);
        if before.and_then(|before| named(&before.facts, id))
            == after.and_then(|after| named(&after.facts, id))
        {
            continue;
        }
        for definition in [old.get(at), new.get(at)].into_iter().flatten() {
            lookups.insert(Lookup::Name.hash(&definition.name));
            lookups.insert(Lookup::Folded.hash(&fold(&definition.name)));
        }
    }
}

/// Returns the parts of a definition that a look-up by name alone reads.
fn named(facts: &FileFacts, id: LocalId) -> Option<impl PartialEq> {
    let definition = facts.definition(id)?;
    let outer = definition.parent.and_then(|outer| facts.definition(outer));
    let outer = outer.map(|outer| (outer.kind, outer.modifiers.is_constructor));
    let names = (&definition.name, &definition.qualified_name, &facts.package);
    let is_hidden = definition.visibility == Visibility::Private;
    Some((
        names,
        definition.kind,
        outer,
        nesting(facts, definition),
        definition.modifiers.is_out_of_line,
        definition.modifiers.is_macro,
        definition.modifiers.is_block,
        definition.modifiers.is_extension,
        definition.modifiers.is_property,
        definition.modifiers.is_overload,
        is_hidden,
        is_prototype(definition),
    ))
}
