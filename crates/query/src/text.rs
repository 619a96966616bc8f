//! The query taken apart: its segments, and the names, places and frames that stand in it. Any
//! text is accepted, time is linear in its length, and nothing here knows a repository.
//!
//! The way through: [`lines`] cleans the text, [`repair`] makes Markdown of what people write
//! instead, [`markdown`] has a parser read it, [`document`] splits it into prose and code and leaves
//! the boilerplate out ([`boilerplate`] knows what that is), [`foveate_parse::traces`] cuts stack
//! traces out of both, [`pasted`] finds code without marks, [`names`], [`paths`] and [`literals`]
//! collect what is named. What lines of each language look like
//! is known by [`foveate_parse`]. Start at [`QueryText::parse`].

mod boilerplate;
mod collect;
mod document;
mod inline;
mod lines;
mod literals;
mod markdown;
mod names;
mod pasted;
mod paths;
mod repair;

#[cfg(test)]
mod tests;

use foveate_index::citations::Citation;
use foveate_model::Language;

pub use self::literals::{Literal, LiteralKind};
pub use foveate_parse::traces::Frame;

/// What a stretch of the query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SegmentKind {
    /// The first non-empty line (markup stripped), where the query has several lines or is short.
    Title,
    /// Sentences.
    Prose,
    /// Between backticks.
    InlineCode,
    /// A fenced or indented block that is no traceback.
    CodeBlock,
    /// A traceback, fenced or not: Python, JavaScript, Java, Go, Rust, Ruby, PHP.
    Traceback,
    /// The text of an error: the last line of a traceback, `SomeError: …` in prose.
    ErrorMessage,
    /// A quoted string of the prose, where it stays too.
    Quoted,
}

/// A stretch of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// What it is.
    pub kind: SegmentKind,
    /// Its text, markup stripped.
    pub text: String,
    /// The language of a code block (as its fence says, else guessed) or a traceback, where known.
    pub language: Option<Language>,
}

/// Where in the query a mention stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MentionKind {
    /// A name between backticks that is an identifier, dotted name or call.
    InlineCode,
    /// An identifier-like word (CamelCase, snake_case, dotted, `name()`) of the title.
    Title,
    /// The same in prose.
    Prose,
    /// An identifier in a code block.
    CodeBlock,
    /// An identifier in an error message, quoted or identifier-like.
    ErrorMessage,
}

/// An identifier, or a dotted chain of identifiers, that the query names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// As written, without call parentheses: `Client.connect`, `max_length`.
    pub name: String,
    /// Where it stands.
    pub kind: MentionKind,
}

/// A path that the query names, in prose, in a link or in inline code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathMention {
    /// As written, link prefixes (`https://host/owner/repo/blob/<ref>/`) stripped.
    pub path: String,
    /// `#L10` or `:10`, 0 if absent.
    pub line: u32,
    /// The 20 of `#L10-L20`; else the same as `line`.
    pub last_line: u32,
}

/// The query taken apart. Everything is in query order, without duplicates per list.
#[derive(Clone, Debug, Default)]
pub struct QueryText {
    /// The segments in order. Environment and version sections, `<details>` of those, HTML
    /// comments, checklists and template boilerplate are left out. The text of an error that
    /// stands in the title or in prose stays there too.
    pub segments: Vec<Segment>,
    /// Identifiers named outside tracebacks.
    pub mentions: Vec<Mention>,
    /// Paths named outside tracebacks.
    pub paths: Vec<PathMention>,
    /// Dotted names imported in code blocks: `django.db.models.Model` for
    /// `from django.db.models import Model`; `pkg/module:name` is not used, ES specifiers stand as
    /// `specifier.name`.
    pub imports: Vec<String>,
    /// Stack frames, outermost first as Python prints them (JavaScript's are reversed).
    pub frames: Vec<Frame>,
    /// Exact texts outside tracebacks that the code may hold between quotes.
    pub literals: Vec<Literal>,
    /// Commits, issues and pull requests that it cites outside code blocks.
    pub citations: Vec<Citation>,
    /// What the template says of the query, in lower case: the tags before the title (`bug` of
    /// `[Bug]: …`) and the headings that are boilerplate (`steps to reproduce`, `proposed solution`).
    /// They are no search words, but they tell the intent.
    pub labels: Vec<String>,
}

impl QueryText {
    /// Takes a query apart. Any text is accepted; time is linear in its length.
    pub fn parse(query: &str) -> Self {
        let mut lines = lines::split(query);
        let titled = take_title(&mut lines);
        let structure = repair::repair(&mut lines);
        let markdown = markdown::read(&structure);
        collect::collect(document::split(&lines, &markdown, titled))
    }

    /// The title, where there is one.
    pub fn title(&self) -> &str {
        self.of_kind(SegmentKind::Title).next().unwrap_or("")
    }

    /// The texts of all segments of one kind, in order.
    pub fn of_kind(&self, kind: SegmentKind) -> impl Iterator<Item = &str> {
        self.segments
            .iter()
            .filter(move |segment| segment.kind == kind)
            .map(|segment| segment.text.as_str())
    }
}

/// Drops the blank lines at the start and makes the first line a paragraph of its own, without its
/// marks, where it is a title.
fn take_title(lines: &mut Vec<String>) -> bool {
    let first = lines.iter().position(|line| !line.trim().is_empty());
    lines.drain(..first.unwrap_or(lines.len()));
    let Some(line) = lines.first_mut().filter(|line| document::has_title(line)) else {
        return false;
    };
    *line = document::strip_heading(line.trim()).to_owned();
    lines.insert(1, String::new());
    true
}
