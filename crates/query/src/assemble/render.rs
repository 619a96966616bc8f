//! Entries to text in three formats. Contents are other people's: nothing in them may end the
//! markup around them, and paths and names are escaped. Every rendered piece ends with a line end and begins with a mark, so that
//! the counts of the pieces add up to the count of the whole but for a few tokens.

mod json;
mod markdown;
mod xml;

use std::borrow::Cow;

use foveate_model::escape::escape;
use foveate_model::{Language, Lines};

use super::Fidelity;
use crate::intent::Intent;
use crate::request::Format;

/// The sections of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SectionKind {
    Definitions,
    Snippets,
    Imports,
    Tests,
    Callers,
}

impl SectionKind {
    pub(super) const ALL: [Self; 5] = [
        Self::Definitions,
        Self::Snippets,
        Self::Imports,
        Self::Tests,
        Self::Callers,
    ];

    /// The stable name of the section.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Definitions => "definitions",
            Self::Snippets => "snippets",
            Self::Imports => "imports",
            Self::Tests => "tests",
            Self::Callers => "callers",
        }
    }

    /// What one thing in it is called.
    fn item(self) -> &'static str {
        match self {
            Self::Definitions => "definition",
            Self::Snippets => "snippet",
            Self::Imports => "import",
            Self::Tests => "test",
            Self::Callers => "caller",
        }
    }

    /// What people read above it.
    fn title(self) -> &'static str {
        match self {
            Self::Definitions => "Definitions",
            Self::Snippets => "Snippets",
            Self::Imports => "Imports",
            Self::Tests => "Tests",
            Self::Callers => "Callers",
        }
    }
}

/// Whether an entry's body is a block of lines or one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Block,
    Line,
}

/// One thing to render.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub section: SectionKind,
    pub shape: Shape,
    pub path: String,
    pub name: String,
    pub kind: &'static str,
    pub lines: Lines,
    pub fidelity: Fidelity,
    pub cut: bool,
    /// Further facts about it, such as the confidence of a caller.
    pub facts: Vec<(&'static str, String)>,
    pub language: Language,
    /// Without forbidden characters: see [`super::source::clean`].
    pub body: String,
}

impl Entry {
    /// `12` or `12-40`.
    fn line_range(&self) -> String {
        if self.lines.start == self.lines.end {
            self.lines.start.to_string()
        } else {
            format!("{}-{}", self.lines.start, self.lines.end)
        }
    }

    /// Calls `show` with its properties in the order in which they are shown, empty and usual ones
    /// left out. Their values are escaped.
    fn for_each_property(&self, mut show: impl FnMut(&'static str, &str)) {
        show("path", &escape(&self.path));
        if !self.name.is_empty() {
            show("name", &escape(&self.name));
        }
        if !self.kind.is_empty() {
            show("kind", self.kind);
        }
        show("lines", &self.line_range());
        if self.fidelity != Fidelity::Full && self.shape == Shape::Block {
            show("fidelity", self.fidelity.name());
        }
        if self.cut {
            show("cut", "true");
        }
        for (name, value) in &self.facts {
            show(name, &escape(value));
        }
    }

    /// An empty text with room for it, rendered.
    fn room(&self) -> String {
        String::with_capacity(self.body.len() + self.body.len() / 16 + 256)
    }
}

/// What stands before the first section, and after the last.
pub(super) fn header(format: Format, intent: &Intent) -> (String, String) {
    let comment = format!(
        "<!-- intent: {}, confidence: {:.2} -->\n",
        intent.kind.name(),
        intent.confidence
    );
    match format {
        Format::Xml | Format::Markdown => (comment, String::new()),
        Format::Json => json::header(intent),
    }
}

/// What stands before and after the entries of a section.
pub(super) fn section(format: Format, section: SectionKind) -> (String, String) {
    match format {
        Format::Xml => xml::section(section),
        Format::Markdown => (format!("## {}\n\n", section.title()), String::new()),
        Format::Json => json::section(section),
    }
}

/// One entry.
pub(super) fn entry(format: Format, entry: &Entry) -> String {
    match format {
        Format::Xml => xml::entry(entry),
        Format::Markdown => markdown::entry(entry),
        Format::Json => json::entry(entry),
    }
}

/// A stretch of the whole text, with its tokens where they are known.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub text: Cow<'a, str>,
    pub tokens: Option<usize>,
}

impl<'a> Piece<'a> {
    fn new(text: String) -> Self {
        Self {
            text: text.into(),
            tokens: None,
        }
    }

    /// An entry, rendered and counted before.
    pub(super) fn entry(text: &'a str, tokens: usize) -> Self {
        Self {
            text: text.into(),
            tokens: Some(tokens),
        }
    }
}

/// The whole text from rendered entries by section, none of its pieces empty.
pub(super) fn compose<'a>(
    format: Format,
    intent: &Intent,
    sections: Vec<(SectionKind, Vec<Piece<'a>>)>,
) -> Vec<Piece<'a>> {
    let (start, end) = header(format, intent);
    let mut pieces = vec![Piece::new(start)];
    let end_list = |pieces: &mut Vec<Piece<'a>>| {
        if let (Format::Json, Some(last)) = (format, pieces.last_mut()) {
            json::end_list(last);
        }
    };
    for (kind, entries) in sections {
        let (open, close) = section(format, kind);
        pieces.push(Piece::new(open));
        pieces.extend(entries);
        end_list(&mut pieces);
        pieces.push(Piece::new(close));
    }
    end_list(&mut pieces);
    pieces.push(Piece::new(end));
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}
