//! Collects the imports and uses in parts of a text that are blanked out for the grammar.

use std::ops::Range;

use foveate_model::{
    Definition, FileFacts, Import, ImportKind, ImportedName, LocalId, Reference, ReferenceKind,
    Span,
};

use super::macros::is_keyword;
use crate::languages::c::masks::{MaskedText, UnseenName};
use crate::lines::LineIndex;

pub(super) fn add(facts: &mut FileFacts, text: &str, masked: &MaskedText<'_>) {
    if masked.includes.is_empty() && masked.names.is_empty() {
        return;
    }
    let lines = LineIndex::new(text);
    let imports = masked.includes.iter();
    facts
        .imports
        .extend(imports.filter_map(|line| include(text, line, &lines)));
    facts.imports.sort_by_key(|import| import.span);
    let uses = uses(text, &masked.names, &facts.definitions, &lines);
    if !uses.is_empty() {
        merge(facts, uses);
    }
}

/// Returns the import of an include line that the grammar did not see, among values or members.
fn include(text: &str, line: &Range<usize>, lines: &LineIndex) -> Option<Import> {
    let written = text.get(line.clone())?;
    let (_, path) = written.split_once("include")?;
    let path = path.trim_start();
    let module = match path.strip_prefix('"') {
        Some(rest) => rest.split_once('"')?.0,
        None => path.get(..=path.find('>').filter(|_| path.starts_with('<'))?)?,
    };
    let span = Span::new(line.start, line.end);
    Some(Import {
        kind: ImportKind::From,
        module: module.into(),
        names: vec![ImportedName::new("*", "")],
        span,
        line: lines.line_of(span.start),
        enclosing: None,
        type_only: false,
    })
}

/// Returns the references of unseen names, in the order of the text.
fn uses(
    text: &str,
    names: &[UnseenName],
    definitions: &[Definition],
    lines: &LineIndex,
) -> Vec<Reference> {
    let mut places: Vec<(Span, bool)> = names
        .iter()
        .map(|name| (Span::new(name.place.start, name.place.end), name.is_called))
        .filter(|(name, _)| !is_keyword(name.of(text)))
        .collect();
    places.sort_unstable();
    places.dedup_by_key(|(name, _)| *name);
    let mut around = Around {
        definitions,
        next: 0,
        open: Vec::new(),
    };
    let references = places.into_iter().map(|(name, is_called)| Reference {
        kind: match is_called {
            true => ReferenceKind::Call,
            false => ReferenceKind::Name,
        },
        name,
        path: name,
        line: lines.line_of(name.start),
        enclosing: around.innermost(name),
        opaque_receiver: false,
    });
    references.collect()
}

/// Finds the definitions around places that come in the order of the text.
struct Around<'d> {
    /// In the order of their starts.
    definitions: &'d [Definition],
    next: usize,
    /// Functions and types that began before the last place, outer ones first.
    open: Vec<LocalId>,
}

impl Around<'_> {
    /// Returns the innermost function or type around a place. What stands before the name of a definition, such as
    /// macros above it, is outside of it.
    fn innermost(&mut self, place: Span) -> Option<LocalId> {
        while let Some(definition) = self.definitions.get(self.next) {
            if definition.span.start > place.start {
                break;
            }
            self.close_before(definition.span.start);
            if definition.kind.is_function() || definition.kind.is_class() {
                let id = u32::try_from(self.next).unwrap_or(u32::MAX);
                self.open.push(LocalId(id));
            }
            self.next += 1;
        }
        self.close_before(place.start);
        let is_inside = |id: &&LocalId| {
            let definition = self.definitions.get(id.0 as usize);
            definition.is_some_and(|definition| definition.name_span.start < place.start)
        };
        self.open.iter().rev().find(is_inside).copied()
    }

    /// Forgets the definitions that end before a byte.
    fn close_before(&mut self, byte: u32) {
        let end = |id: &LocalId| {
            let definition = self.definitions.get(id.0 as usize);
            definition.map_or(0, |definition| definition.span.end)
        };
        while self.open.last().is_some_and(|id| end(id) <= byte) {
            self.open.pop();
        }
    }
}

/// Adds references to those of a file, keeping their order. Receivers tell the positions of their references.
fn merge(facts: &mut FileFacts, added: Vec<Reference>) {
    for receiver in &mut facts.values.receivers {
        let position = receiver.reference as usize;
        if let Some(of) = facts.references.get(position) {
            let before = added.partition_point(|new| new.name < of.name);
            receiver.reference += u32::try_from(before).unwrap_or(0);
        }
    }
    facts.references.extend(added);
    facts
        .references
        .sort_by_key(|reference| (reference.name, reference.kind));
    facts.references.shrink_to_fit();
}
