//! Copies the facts of an unchanged function from an earlier parse to its new position.

use foldhash::HashSet;
use foveate_model::{
    Content, Definition, FileFacts, Import, Lines, LocalId, Message, Reference, Region, RegionKind,
    Span,
};

use super::{Collector, joined, known_names};
use crate::documentation;

/// Offsets from positions and ids in the earlier text to those in this one. Differences wrap around, so
/// that they may be negative.
#[derive(Clone, Copy)]
struct Shift {
    bytes: u32,
    lines: u32,
    ids: u32,
}

impl Shift {
    fn span(self, span: Span) -> Span {
        Span {
            start: span.start.wrapping_add(self.bytes),
            end: span.end.wrapping_add(self.bytes),
        }
    }

    fn line(self, line: u32) -> u32 {
        line.wrapping_add(self.lines)
    }

    fn id(self, id: LocalId) -> LocalId {
        LocalId(id.0.wrapping_add(self.ids))
    }

    /// Returns a definition at its new position; the caller sets what encloses it.
    fn definition(self, definition: &Definition) -> Definition {
        Definition {
            span: self.span(definition.span),
            lines: Lines {
                start: self.line(definition.lines.start),
                end: self.line(definition.lines.end),
            },
            name_span: self.span(definition.name_span),
            signature: self.span(definition.signature),
            parameters: definition.parameters.map(|span| self.span(span)),
            body: definition.body.map(|span| self.span(span)),
            ..definition.clone()
        }
    }
}

impl Collector<'_> {
    /// Adds the function `id` of an earlier text, which now starts at the byte `start`, with everything in
    /// it. Its references are already filtered.
    pub(crate) fn reuse_function(
        &mut self,
        earlier: &Content,
        id: LocalId,
        start: u32,
    ) -> Option<()> {
        let facts = &earlier.facts;
        let from = facts.definitions.get(id.0 as usize..)?;
        let function = from.first()?;
        let line = self.lines.line_of(start);
        let shift = Shift {
            bytes: start.wrapping_sub(function.span.start),
            lines: line.wrapping_sub(function.lines.start),
            ids: u32::try_from(self.facts.definitions.len())
                .ok()?
                .wrapping_sub(id.0),
        };
        let end = function.span.end;
        let definitions = from.partition_point(|definition| definition.span.start < end);
        let regions = starting_in(&facts.regions, function.span, |region| region.span.start);
        self.reuse_definitions(from.get(..definitions)?, regions, shift);
        self.reuse_references(facts, function.span, shift);
        self.reuse_chunk_starts(facts, function, shift);
        self.facts
            .regions
            .extend(regions.iter().map(|region| Region {
                span: shift.span(region.span),
                ..*region
            }));
        Some(())
    }

    /// Adds a function and the definitions in it; the regions are the function's.
    fn reuse_definitions(&mut self, definitions: &[Definition], regions: &[Region], shift: Shift) {
        let Some((function, inside)) = definitions.split_first() else {
            return;
        };
        let line = shift.line(function.lines.start);
        let above = self.layout.comments.take_if(|run| run.last_row + 2 == line);
        let doc = match has_docstring(inside, regions) {
            true => function.doc.clone(),
            false => above.map_or_else(Box::default, |run| {
                documentation::comment(run.span.of(self.text), self.rules.tool_notes).into()
            }),
        };
        let qualified_name = match self.scope(self.context.parent) {
            Some(scope) => joined(scope, &function.name),
            None => function.name.to_string(),
        };
        self.layout
            .heads
            .push(above.map_or(line - 1, |run| run.first_row));
        self.facts.definitions.push(Definition {
            qualified_name: qualified_name.as_str().into(),
            parent: self.context.parent,
            doc,
            ..shift.definition(function)
        });
        for inner in inside {
            let rest = inner.qualified_name.strip_prefix(&*function.qualified_name);
            let inner = Definition {
                qualified_name: match rest {
                    Some(rest) => format!("{qualified_name}{rest}").into(),
                    None => inner.qualified_name.clone(),
                },
                parent: inner.parent.map(|parent| shift.id(parent)),
                ..shift.definition(inner)
            };
            // It lies in the chunks of the function, whatever precedes it.
            self.layout.heads.push(inner.lines.start - 1);
            self.facts.definitions.push(inner);
        }
    }

    /// Adds the references, messages and imports of a function.
    fn reuse_references(&mut self, facts: &FileFacts, function: Span, shift: Shift) {
        let first = self.facts.references.len();
        let references = starting_in(&facts.references, function, |reference| {
            reference.name.start
        });
        self.facts
            .references
            .extend(references.iter().map(|reference| Reference {
                name: shift.span(reference.name),
                path: shift.span(reference.path),
                line: shift.line(reference.line),
                enclosing: reference.enclosing.map(|id| shift.id(id)),
                ..*reference
            }));
        let range = first..self.facts.references.len();
        self.names.reused.push((shift.span(function), range));
        let imports = starting_in(&facts.imports, function, |import| import.span.start);
        self.facts
            .imports
            .extend(imports.iter().map(|import| Import {
                span: shift.span(import.span),
                line: shift.line(import.line),
                enclosing: import.enclosing.map(|id| shift.id(id)),
                ..import.clone()
            }));
        let messages = starting_in(&facts.messages, function, |message| message.span.start);
        self.facts
            .messages
            .extend(messages.iter().map(|message| Message {
                span: shift.span(message.span),
                line: shift.line(message.line),
                enclosing: message.enclosing.map(|id| shift.id(id)),
                ..*message
            }));
    }

    /// Keeps the chunk boundaries of a function: marks statement starts at its earlier chunks only.
    fn reuse_chunk_starts(&mut self, facts: &FileFacts, function: &Definition, shift: Shift) {
        let chunks = starting_in(&facts.chunks, function.span, |chunk| chunk.span.start);
        let starts = chunks.iter().map(|chunk| chunk.lines.start);
        for line in starts.filter(|line| *line > function.lines.start) {
            if let Some(depth) = self
                .layout
                .statements
                .get_mut(shift.line(line) as usize - 1)
            {
                *depth = 0;
            }
        }
    }

    /// Returns the [`known_names`] of the facts found so far.
    pub(crate) fn known_names(&self) -> HashSet<&str> {
        known_names(&self.facts.imports, &self.facts.definitions)
    }

    /// Whether the function at a span was reused. They are recorded in the order of the text.
    pub(crate) fn was_reused(&self, function: Span) -> bool {
        let found = self
            .names
            .reused
            .binary_search_by_key(&function, |(span, _)| *span);
        found.is_ok()
    }

    /// Whether any function encloses the current position.
    pub(crate) fn is_in_function(&self) -> bool {
        let definition = |id: LocalId| self.definition(id);
        let mut parent = self.context.parent.and_then(definition);
        while let Some(enclosing) = parent {
            if enclosing.kind.is_function() {
                return true;
            }
            parent = enclosing.parent.and_then(definition);
        }
        false
    }
}

/// Returns the items that start in a span; `all` is in the order of the text.
fn starting_in<T>(all: &[T], span: Span, start: impl Fn(&T) -> u32) -> &[T] {
    let first = all.partition_point(|one| start(one) < span.start);
    let end = all.partition_point(|one| start(one) < span.end);
    all.get(first..end).unwrap_or_default()
}

/// Whether a function has a docstring, which precedes all definitions `inside`.
fn has_docstring(inside: &[Definition], regions: &[Region]) -> bool {
    let end = inside.first().map_or(u32::MAX, |first| first.span.start);
    let mut before = regions.iter().take_while(|region| region.span.start < end);
    before.any(|region| region.kind == RegionKind::Documentation)
}
