//! Entries to text in three formats. Contents are other people's: nothing in them may end the
//! markup around them. Every rendered piece ends with a line end and begins with a mark, so that
//! the counts of the pieces add up to the count of the whole but for a few tokens.

mod json;
mod markdown;
mod xml;

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

    /// Its properties in the order in which they are shown, empty and usual ones left out.
    fn properties(&self) -> Vec<(&'static str, String)> {
        let mut properties = vec![("path", self.path.clone())];
        if !self.name.is_empty() {
            properties.push(("name", self.name.clone()));
        }
        if !self.kind.is_empty() {
            properties.push(("kind", self.kind.to_owned()));
        }
        properties.push(("lines", self.line_range()));
        if self.fidelity != Fidelity::Full && self.shape == Shape::Block {
            properties.push(("fidelity", self.fidelity.name().to_owned()));
        }
        if self.cut {
            properties.push(("cut", "true".to_owned()));
        }
        properties.extend(self.facts.iter().cloned());
        properties
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

/// The whole text from rendered entries by section.
pub(super) fn compose(
    format: Format,
    intent: &Intent,
    sections: &[(SectionKind, Vec<&str>)],
) -> String {
    let (mut text, end) = header(format, intent);
    for (i, (kind, entries)) in sections.iter().enumerate() {
        let (open, close) = section(format, *kind);
        text.push_str(&open);
        for entry in entries {
            text.push_str(entry);
        }
        if format == Format::Json {
            json::end_list(&mut text);
        }
        text.push_str(&close);
        if format == Format::Json && i + 1 == sections.len() {
            json::end_list(&mut text);
        }
    }
    text.push_str(&end);
    text
}
