//! Entries to text in three formats: a head, then sections, in each the files, in each file its
//! entries in the order of their lines, methods under the line of their class. Contents are other
//! people's: nothing in them may end the markup around them, and paths and names are escaped. Every
//! rendered piece ends with a line end and begins with a mark, so that the counts of the pieces add up
//! to the count of the whole but for a few tokens.

mod json;
mod markdown;
mod xml;

pub use self::markdown::inline as inline_code;
use super::permalink::Permalinks;

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

/// The head of a class, which stands above those of its methods that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    /// Qualified name of the class.
    pub name: String,
    /// Its first line.
    pub line: u32,
    /// Its signature, on one line.
    pub text: String,
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
    /// Whether only documentation, comments and texts were left out.
    pub folded: bool,
    /// The class that it stands in.
    pub scope: Option<Scope>,
    /// Why it is here, for who looks at it later.
    pub reason: String,
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
        if self.folded {
            show("folded", "true");
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

/// What the first line of a context says.
#[derive(Clone, Debug)]
pub(super) struct Head<'a> {
    pub intent: &'a Intent,
    /// Name of the repository; may be empty.
    pub repo: &'a str,
    /// The commit that was searched; may be empty.
    pub commit: &'a str,
    /// Most tokens.
    pub budget: usize,
}

/// What is known at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    /// The chance that a right place is shown whole.
    pub confidence: f32,
    /// Whether that is little.
    pub is_low: bool,
    /// Tokens of the whole context.
    pub used: usize,
    /// How many relevant things are not in it.
    pub left_out: usize,
}

/// What would raise a low confidence.
pub(super) const WOULD_HELP: &str = "a stack trace, a name or a version would help";

/// What stands before the first section, and after the last.
pub(super) fn header(format: Format, head: &Head<'_>, figures: Figures) -> (String, String) {
    match format {
        Format::Xml | Format::Markdown => (comment(head, figures), String::new()),
        Format::Json => json::header(head, figures),
    }
}

fn comment(head: &Head<'_>, figures: Figures) -> String {
    let mut text = format!(
        "intent: {}, confidence: {:.2}",
        head.intent.kind.name(),
        figures.confidence
    );
    if figures.is_low {
        text.push_str(&format!(" (low: {WOULD_HELP})"));
    }
    for (name, value) in [("repo", head.repo), ("commit", head.commit)] {
        if !value.is_empty() {
            text.push_str(&format!(", {name}: {}", escape(value)));
        }
    }
    text.push_str(&format!(
        ", tokens: {} of {}, left out: {}",
        figures.used, head.budget, figures.left_out
    ));
    // Two hyphens would end the comment.
    format!("<!-- {} -->\n", text.replace("--", "-\u{2010}"))
}

/// What stands before and after the entries of a section; those after the first may be folded.
pub(super) fn section(format: Format, section: SectionKind, is_first: bool) -> (String, String) {
    match format {
        Format::Xml => xml::section(section),
        Format::Markdown => markdown::section(section, is_first),
        Format::Json => json::section(section),
    }
}

/// What stands before and after the entries of a file.
pub(super) fn file(format: Format, path: &str, links: Option<&Permalinks>) -> (String, String) {
    match format {
        Format::Xml => xml::file(path),
        Format::Markdown => (markdown::file(path, links), String::new()),
        // Each item has its path.
        Format::Json => (String::new(), String::new()),
    }
}

/// The line of a class above its methods.
pub(super) fn scope(format: Format, scope: &Scope) -> String {
    match format {
        Format::Xml => xml::scope(scope),
        Format::Markdown => markdown::scope(scope),
        Format::Json => String::new(),
    }
}

/// One entry.
pub(super) fn entry(format: Format, entry: &Entry, links: Option<&Permalinks>) -> String {
    match format {
        Format::Xml => xml::entry(entry),
        Format::Markdown => markdown::entry(entry, links),
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
    pub(super) fn new(text: String) -> Self {
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

/// The whole text from the rendered pieces of each section, none of them empty.
pub(super) fn compose<'a>(
    format: Format,
    (start, end): (String, String),
    sections: Vec<(SectionKind, Vec<Piece<'a>>)>,
) -> Vec<Piece<'a>> {
    let mut pieces = vec![Piece::new(start)];
    let end_list = |pieces: &mut Vec<Piece<'a>>| {
        if let (Format::Json, Some(last)) = (format, pieces.last_mut()) {
            json::end_list(last);
        }
    };
    for (position, (kind, entries)) in sections.into_iter().enumerate() {
        let (open, close) = section(format, kind, position == 0);
        pieces.push(Piece::new(open));
        pieces.extend(entries.into_iter().filter(|piece| !piece.text.is_empty()));
        end_list(&mut pieces);
        pieces.push(Piece::new(close));
    }
    end_list(&mut pieces);
    pieces.push(Piece::new(end));
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}
