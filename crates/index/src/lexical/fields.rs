//! The fields of the lexical index and what goes into each.

use foveate_model::{Chunk, Content, RegionKind, Span};

use crate::tokens::append_terms;

/// A field of a chunk or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The path of the file.
    Path,
    /// Names of the definitions that begin in the chunk.
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

    /// The field's name in the index.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Name => "name",
            Self::Scope => "scope",
            Self::Parameters => "parameters",
            Self::Documentation => "documentation",
            Self::Text => "text",
            Self::Comment => "comment",
            Self::Code => "code",
        }
    }
}

/// How many fields there are.
pub const FIELDS: usize = 8;

/// Numbers of terms per field.
pub type Lengths = [u32; FIELDS];

/// The terms of one document, field by field, separated by spaces, with their counts.
#[derive(Debug, Default)]
pub struct DocumentTerms {
    /// Terms per field, each followed by a space.
    pub terms: [String; FIELDS],
    /// How many per field.
    pub lengths: Lengths,
}

impl DocumentTerms {
    /// Empties all fields, keeping their memory.
    pub fn clear(&mut self) {
        self.terms.iter_mut().for_each(String::clear);
        self.lengths = [0; FIELDS];
    }

    /// Adds the terms of `text` to `field`.
    pub fn add(&mut self, field: Field, text: &str) {
        let count = append_terms(text, &mut self.terms[field as usize]);
        self.lengths[field as usize] += count;
    }

    /// Fills in a chunk: its text by region, and the names that begin or hold in it.
    pub fn chunk(&mut self, content: &Content, chunk: &Chunk) {
        let facts = &content.facts;
        if facts.definitions.is_empty() && !facts.language.is_code() {
            self.add(Field::Documentation, chunk.span.of(&content.text));
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

    fn regions(&mut self, content: &Content, span: Span) {
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
            };
            self.add(field, Span { start, end }.of(&content.text));
            at = end;
        }
        self.code(content, at, span.end);
    }

    fn code(&mut self, content: &Content, start: u32, end: u32) {
        if start < end {
            self.add(Field::Code, Span { start, end }.of(&content.text));
        }
    }
}
