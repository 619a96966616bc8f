//! Finishes the facts of a file after the walk: sorts them, marks overloads and drops shadowed names.

use foldhash::HashSet;
use foveate_model::{
    Definition, DefinitionKind, FileFacts, Import, LocalId, Reference, ReferenceKind, Region, Span,
};

use super::{Collector, values};
use crate::lines::TextLines;

impl Collector<'_> {
    /// Sorts all facts, filters names, and cuts the chunks.
    pub(crate) fn finish(mut self) -> FileFacts {
        self.order_definitions();
        self.mark_overloads();
        self.filter_names();
        self.facts.references.append(&mut self.names.by_parameter);
        self.facts
            .references
            .sort_by_key(|reference| (reference.name, reference.kind));
        self.facts.messages.sort_by_key(|message| message.span);
        self.facts.regions.sort_by_key(|region| region.span);
        disjoint(&mut self.facts.regions);
        self.sort_values();
        self.facts.chunks = crate::chunks::of_code(
            &self.text_lines(),
            self.rules.nesting,
            &self.facts.definitions,
            &self.layout.heads,
            &self.layout.statements,
        );
        // Facts live as long as an index: unused capacity is released.
        self.facts.definitions.shrink_to_fit();
        self.facts.references.shrink_to_fit();
        self.facts.regions.shrink_to_fit();
        self.facts
    }

    fn text_lines(&self) -> TextLines<'_> {
        TextLines {
            text: self.text,
            index: &self.lines,
        }
    }

    /// Sorts definitions by their start. The walk finds them nearly in order: only decorators
    /// beside their method, and broken sources, put one before an earlier start.
    fn order_definitions(&mut self) {
        if self
            .facts
            .definitions
            .is_sorted_by_key(|definition| definition.span.start)
        {
            return;
        }
        let mut order: Vec<usize> = (0..self.facts.definitions.len()).collect();
        order.sort_by_key(|at| self.facts.definitions.get(*at).map(|d| d.span.start));
        let mut new_ids = vec![LocalId(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(slot) = new_ids.get_mut(*old) {
                *slot = LocalId(u32::try_from(new).unwrap_or(u32::MAX));
            }
        }
        let heads = std::mem::take(&mut self.layout.heads);
        let mut definitions: Vec<Option<Definition>> = std::mem::take(&mut self.facts.definitions)
            .into_iter()
            .map(Some)
            .collect();
        for old in order {
            if let Some(definition) = definitions.get_mut(old).and_then(Option::take) {
                self.facts.definitions.push(definition);
                self.layout.heads.push(heads.get(old).copied().unwrap_or(0));
            }
        }
        self.renumber(&new_ids);
    }

    /// Replaces all ids of definitions by `new_ids` at their places.
    fn renumber(&mut self, new_ids: &[LocalId]) {
        let renumbered = |id: &mut LocalId| {
            *id = new_ids.get(id.0 as usize).copied().unwrap_or(*id);
        };
        let moved = |id: &mut Option<LocalId>| {
            *id = id.and_then(|old| new_ids.get(old.0 as usize).copied());
        };
        for (at, definition) in self.facts.definitions.iter_mut().enumerate() {
            moved(&mut definition.parent);
            definition.parent = definition.parent.filter(|parent| (parent.0 as usize) < at);
        }
        let references = self.facts.references.iter_mut();
        references
            .chain(&mut self.names.by_parameter)
            .for_each(|reference| moved(&mut reference.enclosing));
        let imports = self.facts.imports.iter_mut();
        imports.for_each(|import| moved(&mut import.enclosing));
        let messages = self.facts.messages.iter_mut();
        messages.for_each(|message| moved(&mut message.enclosing));
        let bindings = self.names.bindings.iter_mut();
        bindings
            .filter_map(|(_, id)| id.as_mut())
            .for_each(renumbered);
        let results = self.drafts.results.iter_mut();
        results
            .flat_map(|result| [&mut result.definition, &mut result.function])
            .for_each(renumbered);
        values::renumber(&mut self.facts.values, renumbered);
    }

    /// Marks overloads: a signature without a body is one if its scope has a function of that name with a
    /// body. In a declaration file it is the function itself.
    fn mark_overloads(&mut self) {
        let bodiless =
            |d: &Definition| d.kind.is_function() && d.body.is_none() && !d.modifiers.is_abstract;
        if !self.facts.definitions.iter().any(bodiless) {
            return;
        }
        let implemented: HashSet<(Option<LocalId>, Box<str>)> = self
            .facts
            .definitions
            .iter()
            .filter(|d| d.kind.is_function() && d.body.is_some())
            .map(|d| (d.parent, d.name.clone()))
            .collect();
        for definition in self.facts.definitions.iter_mut().filter(|d| bodiless(d)) {
            let key = (definition.parent, definition.name.clone());
            definition.modifiers.is_overload |= implemented.contains(&key);
        }
    }

    /// Keeps bare names only where the file imports or defines them at its top level and no enclosing
    /// function rebinds them, or where they mean a function or class inside an enclosing one. Marks shadowed
    /// receivers as opaque, so that imports do not resolve them.
    fn filter_names(&mut self) {
        let text = self.text;
        let mut known = known_names(&self.facts.imports, &self.facts.definitions);
        if self.rules.keeps_fields {
            known.extend(field_names(&self.facts.definitions));
        }
        let has_locals = self.rules.keeps_name.is_some();
        let keeps_name = self.rules.keeps_name.unwrap_or(|_| false);
        let bare_calls = self.rules.bare_calls;
        let shadowed: HashSet<(Option<LocalId>, &str)> = self
            .names
            .bindings
            .iter()
            .map(|(name, enclosing)| (*enclosing, name.of(text)))
            .filter(|(_, name)| known.contains(name) || keeps_name(name))
            .collect();
        let definitions = &self.facts.definitions;
        let nested = NestedNames::new(text, definitions, &self.names.bindings);
        let is_shadowed = |enclosing: Option<LocalId>, name: &str| {
            let mut scope = if shadowed.is_empty() { None } else { enclosing };
            while let Some(id) = scope {
                if shadowed.contains(&(Some(id), name)) {
                    return true;
                }
                scope = definitions.get(id.0 as usize).and_then(|d| d.parent);
            }
            shadowed.contains(&(None, name))
        };
        // The references of reused functions are already filtered.
        let mut reused = self.names.reused.iter().map(|(_, range)| range).peekable();
        let mut next = 0;
        self.facts.references.retain_mut(|reference| {
            let at = next;
            next += 1;
            while reused.next_if(|range| range.end <= at).is_some() {}
            if reused.peek().is_some_and(|range| range.contains(&at)) {
                return true;
            }
            match reference.kind {
                ReferenceKind::Name => {
                    let name = reference.name.of(text);
                    if bare_calls && name.starts_with(|c: char| c.is_lowercase() || c == '_') {
                        reference.kind = ReferenceKind::Call;
                    }
                    let is_of_file = known.contains(name) || keeps_name(name);
                    (is_of_file && !is_shadowed(reference.enclosing, name))
                        || nested.reaches(reference.enclosing, name)
                }
                _ if has_locals || reference.opaque_receiver || shadowed.is_empty() => true,
                _ => {
                    let head = first_name(reference.path.of(text));
                    reference.opaque_receiver = is_shadowed(scope_of(definitions, reference), head);
                    true
                }
            }
        });
    }
}

/// Returns the definition in whose scope a reference is: the bases and decorators of a definition are outside of it.
fn scope_of(definitions: &[Definition], reference: &Reference) -> Option<LocalId> {
    let definition = definitions.get(reference.enclosing?.0 as usize)?;
    let is_outside = matches!(
        reference.kind,
        ReferenceKind::Base | ReferenceKind::Decorator
    ) && definition.signature.contains(reference.name);
    match is_outside {
        true => definition.parent,
        false => reference.enclosing,
    }
}

/// The functions and classes that functions define, which can be used as values where they are in scope.
struct NestedNames<'a> {
    definitions: &'a [Definition],
    /// The enclosing function and the name.
    defined: HashSet<(LocalId, &'a str)>,
    /// Functions that bind a variable of such a name.
    rebound: HashSet<(LocalId, &'a str)>,
}

impl<'a> NestedNames<'a> {
    fn new(
        text: &'a str,
        definitions: &'a [Definition],
        bindings: &[(Span, Option<LocalId>)],
    ) -> Self {
        let defined = definitions.iter().filter_map(|definition| {
            let outer = definition.parent?;
            let is_local = definitions.get(outer.0 as usize)?.kind.is_function();
            let kind = definition.kind;
            let is_named = (kind == DefinitionKind::Function || kind.is_container())
                && !definition.modifiers.is_block;
            // `A.make = function () {}` is a member of `A`.
            let before = text.get(..definition.name_span.start as usize)?;
            (is_local && is_named && !before.ends_with('.')).then_some((outer, &*definition.name))
        });
        let defined: HashSet<(LocalId, &str)> = defined.collect();
        let names: HashSet<&str> = defined.iter().map(|(_, name)| *name).collect();
        let bound = bindings.iter();
        let bound = bound.filter_map(|(name, function)| Some(((*function)?, name.of(text))));
        Self {
            definitions,
            rebound: bound.filter(|(_, name)| names.contains(name)).collect(),
            defined,
        }
    }

    /// Whether a bare name in a definition means a function or class that an enclosing function defines.
    fn reaches(&self, enclosing: Option<LocalId>, name: &str) -> bool {
        let mut scope = enclosing.filter(|_| !self.defined.is_empty());
        while let Some(id) = scope {
            // A parameter of a nameless function inside this one counts as bound here: in doubt, it is meant.
            if self.rebound.contains(&(id, name)) {
                return false;
            }
            if self.defined.contains(&(id, name)) {
                return true;
            }
            let definition = self.definitions.get(id.0 as usize);
            scope = definition.and_then(|definition| definition.parent);
        }
        false
    }
}

/// Returns the names that a file imports anywhere or defines at its top level. The title of a block is no name. A
/// bare name outside of this set is no reference, except to what an enclosing function defines.
pub(crate) fn known_names<'a>(
    imports: &'a [Import],
    definitions: &'a [Definition],
) -> HashSet<&'a str> {
    let imported = imports.iter().flat_map(|import| &import.names);
    let imported = imported.map(|name| name.local.split('.').next().unwrap_or(""));
    let defined = definitions
        .iter()
        .filter(|d| d.parent.is_none() && !d.modifiers.is_block);
    imported.chain(defined.map(|d| &*d.name)).collect()
}

/// Returns the names of the fields of types. One letter is mostly a local variable that the walk does not know.
fn field_names(definitions: &[Definition]) -> impl Iterator<Item = &str> {
    let is_field = |kind| matches!(kind, DefinitionKind::Field | DefinitionKind::Constant);
    let fields = definitions.iter().filter(move |d| is_field(d.kind));
    fields.map(|d| &*d.name).filter(|name| name.len() > 1)
}

fn first_name(path: &str) -> &str {
    let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    path.get(..end.unwrap_or(path.len())).unwrap_or(path)
}

/// Cuts the part of a region that overlaps an earlier one. Grammars nest no comment in a string, but error
/// recovery may.
fn disjoint(regions: &mut Vec<Region>) {
    let mut end = 0;
    regions.retain_mut(|region| {
        region.span.start = region.span.start.max(end);
        end = end.max(region.span.end);
        region.span.start < region.span.end
    });
}
