//! Parses a query into segments, and collects its names, paths and frames. Any text is accepted, time is
//! linear in its length, and nothing here knows more of a repository than its name.
//!
//! Reading order: [`lines`] cleans the text, [`repair`] turns malformed Markdown into valid Markdown,
//! [`markdown`] parses it, [`document`] splits it into prose and code and leaves out the boilerplate, which
//! [`boilerplate`] recognises. [`foveate_parse::traces`] cuts stack traces out of both, [`pasted`] finds
//! code without marks, and [`names`], [`paths`] and [`literals`] collect what is named. [`foveate_parse`]
//! knows the syntax of each language. [`log_entry`] finds error messages in logs, [`announced_messages`] in and after
//! sentences that announce them, and [`error_chains`] by their last words; [`fixed_wording`] tells which of their words
//! a language's runtime always writes. [`failed_tests`] reads the output of test runners, and [`releases`] recognises
//! questions about releases in the result. Start at [`QueryText::parse`].

mod announced_messages;
mod boilerplate;
mod collect;
mod document;
mod error_chains;
mod failed_tests;
mod fixed_wording;
mod inline;
mod lines;
mod literals;
mod log_entry;
mod markdown;
mod names;
mod pasted;
mod paths;
mod releases;
mod repair;

#[cfg(test)]
mod tests;

pub use boilerplate::is_trailer;
use foveate_index::citations::Citation;
use foveate_model::Language;
use foveate_parse::traces;

pub(crate) use self::error_chains::is_error_chain;
pub use self::failed_tests::{FailedTest, TestNaming};
pub(crate) use self::fixed_wording::{fixed_names, without_fixed_wording};
pub use self::literals::{Literal, LiteralKind};
pub(crate) use self::log_entry::is_minor_entry;
pub(crate) use self::releases::{Version, asked_releases};
pub use foveate_parse::traces::Frame;

/// Lines at the start of a query that are searched for the head of a stack trace.
const MAX_HEAD: usize = 16;
/// Maximum lines of a program's output that may be its error message as a whole. A longer one is a log, most of whose lines
/// are no failures.
pub(crate) const MAX_OUTPUT_LINES: usize = 5;

foveate_model::named_enum! {
    /// The kind of a stretch of the query.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SegmentKind {
        /// The first non-empty line, markup stripped, unless it is code or a stack frame; of a long line, its first
        /// sentence.
        Title = "title",
        /// Sentences.
        Prose = "prose",
        /// Code between backticks.
        InlineCode = "inline_code",
        /// A fenced or indented block that is no stack trace.
        CodeBlock = "code_block",
        /// A stack trace or compiler messages, fenced or not, of any language in [`foveate_parse::traces`].
        Traceback = "traceback",
        /// The text of an error: the last line of a traceback, `SomeError: …` in prose, the text of an entry of a log, a chain
        /// of errors in one line.
        ErrorMessage = "error_message",
        /// A quoted string; it stays in the prose too.
        Quoted = "quoted",
    }
}

/// A stretch of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The kind of the segment.
    pub kind: SegmentKind,
    /// Its text, markup stripped.
    pub text: String,
    /// The language of a code block (named by its fence, else guessed) or a traceback, if known.
    pub language: Option<Language>,
}

/// The part of the query that a mention is in.
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
    /// The part of the query that it is in.
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
    /// Whether the text is certainly a path: `docs/Main` is only one if the repository has such a file.
    pub is_certain: bool,
    /// Whether only links name it. A link may lead to another repository, so it means only a file at exactly this path.
    /// The path may begin with the end of a branch's name: `2.2.x/src/a.py` for a link to `stable/2.2.x`.
    pub from_url: bool,
}

/// The parsed query. Every list is in query order, without duplicates.
#[derive(Clone, Debug, Default)]
pub struct QueryText {
    /// The segments in order. Environment and version sections, `<details>` about them, HTML comments,
    /// checklists and template boilerplate are left out. An error in the title or in prose is a segment
    /// and also stays in the title or prose.
    pub segments: Vec<Segment>,
    /// Identifiers named outside tracebacks.
    pub mentions: Vec<Mention>,
    /// Words with a sigil at their start, such as `$patch` and `_load`, or an underscore at their end. They are names only if
    /// definitions have exactly them: prose also marks variables of any language, emphasis and links like this.
    pub sigil_words: Vec<Mention>,
    /// Paths named outside tracebacks.
    pub paths: Vec<PathMention>,
    /// Words outside tracebacks that are spelled like files with an extension that is not known: `rules-base.neon`. They are
    /// paths only if the repository has files of exactly these names: code is written like this, too.
    pub other_files: Vec<PathMention>,
    /// Dotted names imported in code: `django.db.models.Model` for `from django.db.models import Model`.
    /// ES imports are written as `specifier.name`, not as `pkg/module:name`.
    pub imports: Vec<String>,
    /// Stack frames, outermost first as Python prints them (JavaScript's are reversed). Of equal ones, the last is kept.
    pub frames: Vec<Frame>,
    /// The innermost frames of errors that led to others, at most a few. They are among `frames`, too.
    pub causes: Vec<Frame>,
    /// Failed tests that the output of a test runner names.
    pub failed_tests: Vec<FailedTest>,
    /// Exact texts outside tracebacks that may be string literals in the code.
    pub literals: Vec<Literal>,
    /// Commits, issues and pull requests that are cited outside code blocks. See [`Self::parse_about`] for links to
    /// other repositories.
    pub citations: Vec<Citation>,
    /// Labels in lower case: the tags before the title (`bug` of `[Bug]: …`) and the headings that are
    /// boilerplate (`steps to reproduce`, `proposed solution`). They are not searched, but they indicate
    /// the intent.
    pub labels: Vec<String>,
}

impl QueryText {
    /// Parses a query. Any text is accepted; time is linear in its length.
    pub fn parse(query: &str) -> Self {
        Self::parse_about(query, None)
    }

    /// Like [`Self::parse`]. If the name of the repository that the query is about is known, links to issues and pull
    /// requests of repositories of other names are no citations.
    pub fn parse_about(query: &str, repository: Option<&str>) -> Self {
        let mut lines = lines::split(query);
        // A title loses its indentation, which Mocha's output needs.
        let failed_tests = failed_tests::read(&lines);
        let titled = take_title(&mut lines);
        let structure = repair::repair(&mut lines);
        let markdown = markdown::read(&structure);
        let document = document::split(&lines, &markdown, titled);
        QueryText {
            failed_tests,
            ..collect::collect(document, repository)
        }
    }

    /// Returns the title; empty if there is none.
    pub fn title(&self) -> &str {
        self.of_kind(SegmentKind::Title).next().unwrap_or("")
    }

    /// Returns the texts in quotes or between backticks, of the title and below it.
    pub(crate) fn quoted(&self) -> Vec<String> {
        let mut quoted = inline::quoted(self.title());
        let below = self.of_kind(SegmentKind::Quoted);
        let below = below.chain(self.of_kind(SegmentKind::InlineCode));
        quoted.extend(below.map(str::to_owned));
        quoted
    }

    /// Iterates over the texts of all segments of one kind, in order.
    pub fn of_kind(&self, kind: SegmentKind) -> impl Iterator<Item = &str> {
        self.segments
            .iter()
            .filter(move |segment| segment.kind == kind)
            .map(|segment| segment.text.as_str())
    }
}

/// Whether a code block has the output of a program: its fence is for plain text, or for nothing.
pub(crate) fn is_output(language: Option<Language>) -> bool {
    language.is_none_or(|language| language == Language::TEXT)
}

/// Drops the blank lines, rules and titles of merges at the start. If the first line is a title, makes it a separate paragraph without
/// its marks and returns true. A heading of a template is none, unless nothing follows it. The head of a stack trace is
/// repeated below, since the trace needs it, too.
fn take_title(lines: &mut Vec<String>) -> bool {
    let count = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let is_dropped = |line: &String| {
        line.trim().is_empty()
            || document::is_rule(line)
            || (count > 1 && boilerplate::is_title_of_merge(line))
    };
    let first = lines.iter().position(|line| !is_dropped(line));
    lines.drain(..first.unwrap_or(lines.len()));
    let has_body = lines.iter().skip(1).any(|line| !line.trim().is_empty());
    let is_title =
        |line: &str| document::has_title(line) && !(has_body && document::opens_template(line));
    let head: Vec<&str> = lines.iter().take(MAX_HEAD).map(String::as_str).collect();
    let is_head = traces::begin_with_head(&head);
    let Some(line) = lines.first_mut().filter(|line| is_title(line)) else {
        return false;
    };
    let title = document::strip_heading(line.trim()).to_owned();
    let below = is_head.then(|| line.clone());
    *line = title;
    lines.insert(1, String::new());
    if let Some(below) = below {
        lines.insert(2, below);
    }
    true
}
