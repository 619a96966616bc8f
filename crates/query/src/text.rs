//! The query taken apart: its segments, and the names, places and frames that stand in it.

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
    /// A traceback of Python or JavaScript, fenced or not.
    Traceback,
    /// The text of an error: the last line of a traceback, `SomeError: …` in prose.
    ErrorMessage,
}

/// A stretch of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// What it is.
    pub kind: SegmentKind,
    /// Its text, markup stripped.
    pub text: String,
}

/// A stack frame of a traceback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The path as printed (absolute or relative).
    pub path: String,
    /// 1-based line, 0 if absent.
    pub line: u32,
    /// The function as printed (`connect`, `Client.connect`), possibly empty.
    pub function: String,
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
}

/// The query taken apart. Everything is in query order, without duplicates per list.
#[derive(Clone, Debug, Default)]
pub struct QueryText {
    /// The segments in order. Environment and version sections, `<details>` of those, HTML
    /// comments, checklists and template boilerplate are left out.
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
}

impl QueryText {
    /// Takes a query apart. Any text is accepted; time is linear in its length.
    pub fn parse(query: &str) -> Self {
        let mut lines = query.lines();
        let title = lines.by_ref().find(|l| !l.trim().is_empty()).unwrap_or("");
        let segment = |kind, text: String| Segment { kind, text };
        Self {
            segments: vec![
                segment(SegmentKind::Title, title.to_owned()),
                segment(SegmentKind::Prose, lines.collect::<Vec<_>>().join("\n")),
            ],
            ..Self::default()
        }
    }
}
