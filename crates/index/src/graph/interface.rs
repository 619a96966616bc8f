//! The interface of a file: all of it that resolving names, bases and references in other files looks at.
//! Where the interface stays the same, an edit concerns the edited file alone.

use foldhash::HashSet;
use foveate_model::values::{TypeName, Value};
use foveate_model::{Content, Definition, FileFacts, Import, LocalId, Span, Visibility};

use crate::graph::candidates::{is_prototype, standing};
use crate::graph::dependencies::Question;
use crate::graph::inferred_types::method_around;
use crate::symbols::fold;

/// How what a file says to others changed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said<'a> {
    /// Not at all.
    Same,
    /// It is the same but for further definitions, which come last.
    More(&'a [Definition]),
    /// In any way.
    Other,
}

/// Compares what two contents of a file say to other files.
pub(super) fn compare<'a>(before: &Content, after: &'a Content) -> Said<'a> {
    let (old, new) = (&before.facts, &after.facts);
    let is_same = old.definitions.len() <= new.definitions.len()
        && old.imports.len() == new.imports.len()
        && old.exports == new.exports
        && old.package == new.package
        && old.imports.iter().zip(&new.imports).all(same_import)
        && (0..old.definitions.len() as u32)
            .map(LocalId)
            .all(|id| shown(before, id) == shown(after, id));
    let more = new.definitions.get(old.definitions.len()..);
    match more {
        Some([]) if is_same => Said::Same,
        // These are found by other names than their own.
        Some(more) if is_same && !more.iter().any(|d| d.modifiers.is_default_export) => {
            Said::More(more)
        }
        _ => Said::Other,
    }
}

fn same_import((a, b): (&Import, &Import)) -> bool {
    a.kind == b.kind
        && a.module == b.module
        && a.names == b.names
        && a.enclosing == b.enclosing
        && a.type_only == b.type_only
}

/// What other files may see of a definition.
fn shown(content: &Content, id: LocalId) -> Option<impl PartialEq> {
    let facts = &content.facts;
    let definition = facts.definition(id)?;
    let spelled = |span: Span| span.of(&content.text);
    let typed = |known: TypeName| (spelled(known.path), known.of_class);
    let values = &facts.values;
    let parameters = values.parameters_of(id).iter();
    let parameters: Vec<_> = parameters
        .map(|parameter| (spelled(parameter.name), parameter.type_name.map(typed)))
        .collect();
    let type_name = values.type_of(id).map(typed);
    let held = values.held_by(id).map(|held| {
        let held = match held {
            Value::Type(known) => (0, Some(typed(known))),
            Value::Name(path) => (1, Some((spelled(path), false))),
            Value::Call(path) => (2, Some((spelled(path), false))),
            Value::Parameter => (3, None),
            Value::Unknown => (4, None),
        };
        (held, method_around(facts, id))
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
    Some((
        names, kind, parent, modifiers, bases, parameters, type_name, held,
    ))
}

/// Adds the questions about names whose answers differ between two contents of a file.
pub(super) fn differing_names(
    before: Option<&Content>,
    after: Option<&Content>,
    questions: &mut HashSet<u32>,
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
            questions.insert(Question::Name.hash(&definition.name));
            questions.insert(Question::Folded.hash(&fold(&definition.name)));
        }
    }
}

/// What counts of a definition that is found by its name alone.
fn named(facts: &FileFacts, id: LocalId) -> Option<impl PartialEq> {
    let definition = facts.definition(id)?;
    let outer = definition.parent.and_then(|outer| facts.definition(outer));
    let outer = outer.map(|outer| outer.kind);
    let names = (&definition.name, &definition.qualified_name, &facts.package);
    let is_hidden = definition.visibility == Visibility::Private;
    Some((
        names,
        definition.kind,
        outer,
        standing(facts, definition),
        definition.modifiers.is_out_of_line,
        is_hidden,
        is_prototype(definition),
    ))
}
