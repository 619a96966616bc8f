//! Defines the fields of the lexical index and extracts the terms of each.

use foveate_model::{Chunk, Content, FileFacts, RegionKind, Span};

use super::vocabulary::Vocabulary;

/// A field of a chunk or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The path of the file.
    Path,
    /// Names of the definitions that start in the chunk; headings in prose and settings.
    Name,
    /// Names of the definitions that enclose the chunk's own.
    Scope,
    /// Parameter lists.
    Parameters,
    /// Docstrings and documentation comments; the whole of a prose file.
    Documentation,
    /// String literals.
    Text,
    /// Comments.
    Comment,
    /// Everything else.
    Code,
}

impl Field {
    /// All fields; a field's position is its number.
    pub const ALL: [Self; FIELDS] = [
        Self::Path,
        Self::Name,
        Self::Scope,
        Self::Parameters,
        Self::Documentation,
        Self::Text,
        Self::Comment,
        Self::Code,
    ];
}

/// Number of fields.
pub const FIELDS: usize = 8;

/// Numbers of terms per field.
pub type Lengths = [u32; FIELDS];

/// Whether the names of a file are headings: it is prose or settings.
pub fn has_headings(facts: &FileFacts) -> bool {
    facts.definitions.is_empty() && !facts.language.is_code()
}

/// The terms of one document by field, repeated as often as they occur.
#[derive(Debug, Default)]
pub struct DocumentTerms<'t> {
    /// The terms of all documents so far.
    pub vocabulary: Vocabulary<'t>,
    /// The terms as numbers, per field.
    pub numbers: [Vec<u32>; FIELDS],
}

impl<'t> DocumentTerms<'t> {
    /// Empties all fields but keeps their memory and the numbers assigned to terms.
    pub fn clear(&mut self) {
        self.numbers.iter_mut().for_each(Vec::clear);
    }

    /// Returns the number of terms per field.
    pub fn lengths(&self) -> Lengths {
        self.numbers.each_ref().map(|numbers| numbers.len() as u32)
    }

    /// Adds the terms of `text` to `field`.
    pub fn add(&mut self, field: Field, text: &'t str) {
        let numbers = &mut self.numbers[field as usize];
        self.vocabulary.append(text, numbers);
    }

    /// Adds the terms of a chunk: its text by region, and the names that start in it or enclose it.
    pub fn add_chunk(&mut self, content: &'t Content, chunk: &Chunk) {
        let facts = &content.facts;
        if has_headings(facts) {
            self.add(Field::Documentation, chunk.span.of(&content.text));
            self.headings(content, chunk.span);
            return;
        }
        self.regions(content, chunk.span);
        let first = facts
            .definitions
            .partition_point(|d| d.span.start < chunk.span.start);
        for definition in facts.definitions.iter().skip(first) {
            if definition.span.start >= chunk.span.end {
                break;
            }
            self.add(Field::Name, &definition.name);
            if let Some(parameters) = definition.parameters {
                self.add(Field::Parameters, parameters.of(&content.text));
            }
        }
        let owner = chunk.definition.and_then(|id| facts.definition(id));
        if let Some((scope, _)) = owner.and_then(|d| d.qualified_name.rsplit_once('.')) {
            self.add(Field::Scope, scope);
        }
    }

    fn headings(&mut self, content: &'t Content, span: Span) {
        let regions = &content.facts.regions;
        let first = regions.partition_point(|r| r.span.start < span.start);
        let inside = regions.iter().skip(first);
        for region in inside.take_while(|r| r.span.start < span.end) {
            if region.kind == RegionKind::Heading {
                self.add(Field::Name, region.span.of(&content.text));
            }
        }
    }

    fn regions(&mut self, content: &'t Content, span: Span) {
        let regions = &content.facts.regions;
        let first = regions.partition_point(|r| r.span.end <= span.start);
        let mut at = span.start;
        for region in regions.iter().skip(first) {
            if region.span.start >= span.end {
                break;
            }
            let start = region.span.start.max(at);
            let end = region.span.end.min(span.end);
            self.code(content, at, start);
            let field = match region.kind {
                RegionKind::Comment => Field::Comment,
                RegionKind::Text => Field::Text,
                RegionKind::Documentation => Field::Documentation,
                RegionKind::Heading => Field::Name,
            };
            self.add(field, Span { start, end }.of(&content.text));
            at = end;
        }
        self.code(content, at, span.end);
    }

    fn code(&mut self, content: &'t Content, start: u32, end: u32) {
        if start < end {
            self.add(Field::Code, Span { start, end }.of(&content.text));
        }
    }
}
