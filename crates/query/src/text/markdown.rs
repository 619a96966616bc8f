//! Reads the Markdown of a query with a parser: which lines are headings, rules and code, and where in a
//! line code and links are. Positions are lines and bytes of the text, because the text may be no Markdown
//! at all: stack traces and code pasted without marks are cut out of the same lines afterwards.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// Maximum bytes of a heading above a rule; a longer line is a paragraph.
const MAX_UNDERLINED: usize = 80;

/// The kind of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Text, also of lists, quotations and tables.
    #[default]
    Text,
    Heading,
    /// A line without text: a rule, the line under a heading, the end of a fenced block.
    Rule,
    /// The mark that opens the fenced block of this number.
    Fence(usize),
    /// A line of the fenced block of this number.
    Fenced(usize),
    /// A line that is code because it is indented.
    Indented,
}

/// A stretch of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Position in bytes of the line.
    pub range: Range<usize>,
    pub kind: SpanKind,
}

/// The kind of a stretch of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// Code with its backticks.
    Code,
    /// The target of a link; the span starts after the link's text.
    Target(String),
    Picture,
}

/// The result of parsing a text.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    /// The kind of every line.
    pub line_kinds: Vec<LineKind>,
    /// The code and links of every line, in order.
    pub spans: Vec<Vec<Span>>,
    /// The info strings of the fenced blocks.
    pub infos: Vec<String>,
    /// The first byte of every line.
    starts: Vec<usize>,
}

/// Parses a text from [`super::repair`]. The parser takes linear time.
pub(super) fn read(structure: &str) -> Markdown {
    let mut starts = vec![0];
    starts.extend(structure.match_indices('\n').map(|(at, _)| at + 1));
    let mut markdown = Markdown {
        line_kinds: vec![LineKind::Text; starts.len()],
        spans: vec![Vec::new(); starts.len()],
        infos: Vec::new(),
        starts,
    };
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut block = None;
    let mut target = None;
    // The end of the text of a link.
    let mut text_end = 0;
    for (event, range) in Parser::new_ext(structure, options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => block = Some(markdown.code_block(&kind, &range)),
            Event::End(TagEnd::CodeBlock) => block = None,
            Event::Start(Tag::Heading { .. }) => markdown.heading(structure, &range),
            Event::Rule => markdown.mark(&range, LineKind::Rule),
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => {
                let written = !matches!(link_type, LinkType::Autolink | LinkType::Email);
                target = written.then(|| dest_url.into_string());
                text_end = range.start + 1;
            }
            Event::End(TagEnd::Link) => {
                if let Some(target) = target.take() {
                    markdown.span(text_end..range.end, SpanKind::Target(target));
                }
            }
            Event::End(TagEnd::Image) => {
                text_end = range.end;
                markdown.span(range, SpanKind::Picture);
            }
            Event::Code(_) => {
                text_end = range.end;
                markdown.span(range, SpanKind::Code);
            }
            Event::Text(_) => match block {
                Some(kind) => markdown.mark(&range, kind),
                None => text_end = range.end,
            },
            _ => {}
        }
    }
    for spans in &mut markdown.spans {
        spans.sort_by_key(|span| span.range.start);
    }
    markdown
}

impl Markdown {
    /// Returns the line of a byte.
    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// Returns the lines that a range of the text touches.
    fn lines_of(&self, range: &Range<usize>) -> Range<usize> {
        let last = range.end.saturating_sub(1).max(range.start);
        self.line_of(range.start)..self.line_of(last) + 1
    }

    fn mark(&mut self, range: &Range<usize>, kind: LineKind) {
        let lines = self.lines_of(range);
        self.line_kinds
            .get_mut(lines)
            .unwrap_or_default()
            .fill(kind);
    }

    /// Records a code block and returns the kind of its lines.
    fn code_block(&mut self, kind: &CodeBlockKind<'_>, range: &Range<usize>) -> LineKind {
        let CodeBlockKind::Fenced(info) = kind else {
            return LineKind::Indented;
        };
        let number = self.infos.len();
        self.infos.push(info.trim().to_owned());
        // Lines with text are marked later; only the marks that open and close the block have none.
        self.mark(range, LineKind::Rule);
        self.mark(&(range.start..range.start), LineKind::Fence(number));
        LineKind::Fenced(number)
    }

    /// Records a heading. To Markdown all text above a rule is a heading, however long; the writer of an issue
    /// meant at most the last line, and only a short one.
    fn heading(&mut self, structure: &str, range: &Range<usize>) {
        let lines = self.lines_of(range);
        let text = structure.get(range.clone()).unwrap_or("").trim();
        if text.starts_with('#') {
            return self.set(lines.start, LineKind::Heading);
        }
        self.set(lines.end - 1, LineKind::Rule);
        let last = text.lines().rev().nth(1).unwrap_or("");
        if lines.len() > 1 && last.len() <= MAX_UNDERLINED {
            self.set(lines.end - 2, LineKind::Heading);
        }
    }

    fn set(&mut self, line: usize, kind: LineKind) {
        if let Some(slot) = self.line_kinds.get_mut(line) {
            *slot = kind;
        }
    }

    /// Records a span in every line that it touches. Only the first line gets the target of a link: the title after it
    /// may have as many lines as the target has bytes.
    fn span(&mut self, range: Range<usize>, mut kind: SpanKind) {
        for line in self.lines_of(&range) {
            let start = self.starts.get(line).copied().unwrap_or(0);
            let end = self.starts.get(line + 1).map_or(range.end, |next| next - 1);
            let part = range.start.max(start)..range.end.min(end);
            if part.start < part.end
                && let Some(spans) = self.spans.get_mut(line)
            {
                let next = match &kind {
                    SpanKind::Code => SpanKind::Code,
                    SpanKind::Target(_) | SpanKind::Picture => SpanKind::Picture,
                };
                spans.push(Span {
                    range: part.start - start..part.end - start,
                    kind: std::mem::replace(&mut kind, next),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_kinds_are_recognised() {
        use LineKind::{Fence, Fenced, Heading, Indented, Rule, Text};
        let markdown =
            read("# A\ntext\n***\n\n    x = 1\n\n```py\n\ny\n```\nHead\n---\nlong\ntext\n---");
        assert_eq!(
            markdown.line_kinds,
            [
                Heading,
                Text,
                Rule,
                Text,
                Indented,
                Text,
                Fence(0),
                Fenced(0),
                Fenced(0),
                Rule,
                Heading,
                Rule,
                Text,
                Heading,
                Rule
            ]
        );
        assert_eq!(markdown.infos, ["py"]);
    }

    #[test]
    fn unclosed_fence_extends_to_the_end() {
        let markdown = read("a\n```\nb\n\nc");
        assert_eq!(markdown.line_kinds.last(), Some(&LineKind::Fenced(0)));
    }

    #[test]
    fn spans_are_relative_to_their_line() {
        let markdown = read("a `b\nc` [d](e \"f\") ![g](h) <http://i>\n\n[j][k]\n\n[k]: l");
        let kinds = |line: usize| -> Vec<(Range<usize>, SpanKind)> {
            let spans = markdown.spans.get(line).into_iter().flatten();
            spans.map(|s| (s.range.clone(), s.kind.clone())).collect()
        };
        assert_eq!(kinds(0), [(2..4, SpanKind::Code)]);
        assert_eq!(
            kinds(1),
            [
                (0..2, SpanKind::Code),
                (5..13, SpanKind::Target("e".to_owned())),
                (14..21, SpanKind::Picture),
            ]
        );
        assert_eq!(kinds(3), [(2..6, SpanKind::Target("l".to_owned()))]);
    }
}
