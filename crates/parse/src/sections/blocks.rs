//! Finds the sections of style sheets and other languages with blocks in braces. A block is named by the
//! text before it.

use std::borrow::Cow;

use foveate_model::Span;

use super::section::SectionKind;
use super::tree::{Marks, cut};
use crate::lines::TextLines;

/// Longest part of a prelude that is used as the block's name, in bytes.
const MAX_NAME: usize = 80;
/// Longest interpolated expression, in bytes.
const MAX_EXPRESSION: usize = 200;

/// Returns the marks of blocks, which get the given kind.
pub(super) fn marks(lines: TextLines<'_>, kind: SectionKind) -> Marks<'_> {
    let mut reader = Reader {
        text: lines.text,
        kind,
        line: 1,
        depth: 0,
        prelude: None,
        comment: None,
        code_line: 0,
        after_block: false,
        marks: Marks::new(lines, &["//", "/*", "#"]),
    };
    let bytes = lines.text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let next = at + reader.token(bytes, at, *byte);
        let passed = bytes.get(at..next).unwrap_or(&[]);
        let newlines = memchr::memchr_iter(b'\n', passed).count();
        reader.line += u32::try_from(newlines).unwrap_or(0);
        at = next;
    }
    reader.marks
}

struct Reader<'t> {
    text: &'t str,
    kind: SectionKind,
    line: u32,
    depth: u32,
    /// Start of the current declaration or prelude: its byte and line.
    prelude: Option<(usize, u32)>,
    /// The first line of the comments above it.
    comment: Option<u32>,
    /// The last line with code.
    code_line: u32,
    /// Whether a nested block has ended in the current block, so that declarations begin a section.
    after_block: bool,
    marks: Marks<'t>,
}

impl Reader<'_> {
    /// Reads the token at `at` and returns its length.
    fn token(&mut self, bytes: &[u8], at: usize, byte: u8) -> usize {
        let rest = bytes.get(at..).unwrap_or(&[]);
        if let Some(len) = self.comment_len(bytes, at) {
            // A comment after code explains that code.
            if self.prelude.is_none() && self.line > self.code_line {
                self.comment.get_or_insert(self.line);
            }
            return len;
        }
        if !byte.is_ascii_whitespace() {
            self.code_line = self.line;
        }
        match byte {
            _ if byte.is_ascii_whitespace() => {
                // A blank line separates a comment from the code below.
                let is_blank_line = byte == b'\n' && rest.get(1) == Some(&b'\n');
                if is_blank_line && self.prelude.is_none() {
                    self.comment = None;
                }
                return 1;
            }
            b'{' => self.open(at),
            b'}' => self.close(),
            b';' => self.declaration(),
            _ => {
                self.prelude.get_or_insert((at, self.line));
                // `#{$name}` and `@{name}` are interpolated text.
                let interpolates = matches!(byte, b'#' | b'@' | b'$') && rest.get(1) == Some(&b'{');
                return match byte {
                    _ if interpolates => length_to(rest, b'}'),
                    b'"' | b'\'' => string_len(rest, byte),
                    _ => 1,
                };
            }
        }
        self.prelude = None;
        self.comment = None;
        1
    }

    fn comment_len(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = bytes.get(at..)?;
        if rest.starts_with(b"/*") {
            let end = memchr::memmem::find(rest.get(2..)?, b"*/");
            return Some(end.map_or(rest.len(), |end| end + 4));
        }
        // `url(http://…)` is not a comment; `#` begins one only in languages without `#id` selectors.
        let after_blank = at == 0 || bytes.get(at - 1).is_some_and(u8::is_ascii_whitespace);
        let is_line =
            rest.starts_with(b"//") || rest.starts_with(b"#") && self.kind == SectionKind::Block;
        let end = || memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        (is_line && after_blank).then(end)
    }

    fn open(&mut self, at: usize) {
        let (from, line) = self.prelude.unwrap_or((at, self.line));
        let name = words(Span::new(from, at).of(self.text));
        let start = self.comment.unwrap_or(line);
        let (depth, kind) = (self.depth, self.kind);
        self.marks.push_from(start, line, depth, name, kind);
        self.depth = depth.saturating_add(1);
        self.after_block = false;
    }

    fn close(&mut self) {
        self.declaration();
        self.depth = self.depth.saturating_sub(1);
        self.after_block = true;
    }

    fn declaration(&mut self) {
        if let (Some((_, line)), true) = (self.prelude, self.after_block) {
            let start = self.comment.unwrap_or(line);
            let kind = SectionKind::Text;
            self.marks.push_from(start, line, self.depth, "", kind);
            self.after_block = false;
        }
    }
}

/// Returns the words of a prelude, on one line.
fn words(prelude: &str) -> Cow<'_, str> {
    let prelude = prelude.trim();
    let short = cut(prelude, MAX_NAME);
    if !short.contains(['\n', '\r', '\t']) {
        return Cow::Borrowed(short);
    }
    let words: Vec<&str> = short.split_whitespace().collect();
    Cow::Owned(words.join(" "))
}

/// Returns the length up to and including `close` on the same line; 1 without it.
fn length_to(rest: &[u8], close: u8) -> usize {
    // An expression is short; an unlimited search for each would be quadratic.
    let rest = rest.get(..MAX_EXPRESSION).unwrap_or(rest);
    let found = memchr::memchr2(close, b'\n', rest);
    let closed = found.filter(|at| rest.get(*at) == Some(&close));
    closed.map_or(1, |at| at + 1)
}

/// Returns the length of a string on one line; an unclosed quote is an ordinary character.
fn string_len(rest: &[u8], quote: u8) -> usize {
    let mut escaped = false;
    let end = rest.iter().skip(1).position(|byte| {
        let ends = *byte == b'\n' || *byte == quote && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    match end {
        Some(end) => end + 1 + usize::from(rest.get(end + 1) == Some(&quote)),
        None => rest.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::testing::css;
    use foveate_model::Language;

    #[test]
    fn rules_nest_and_keep_their_comments() {
        let text = "@import 'a;b';\n$x: url(http://y);\n\n/* The\n   button. */\n.a,\n.b:hover {\n  color: red;\n  &:#{$s} {\n    top: 0;\n  }\n  margin: 0;\n}\n.c { left: 0 }\n@media print {\n  .d {\n    top: 1px;\n  }\n}\n";
        check(
            css(),
            "a.scss",
            text,
            &[
                "1-3 text ",
                "4-8 rule .a, .b:hover",
                "9-11   rule .a, .b:hover > &:#{$s}",
                "12-13   text .a, .b:hover",
                "14-14 text ",
                "15-15 rule @media print",
                "16-19   rule @media print > .d",
            ],
        );
    }

    #[test]
    fn proto_blocks_are_sections() {
        let text = "syntax = \"proto3\";\n\n// A user.\nmessage User {\n  string name = 1; // {\n  enum Kind {\n    A = 0;\n  }\n}\n";
        check(
            Language::TEXT,
            "a.proto",
            text,
            &[
                "1-2 text ",
                "3-5 block message User",
                "6-9   block message User > enum Kind",
            ],
        );
    }
}
