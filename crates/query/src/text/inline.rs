//! Splits a line of prose into text, inline code, link targets and quoted strings.

use std::borrow::Cow;
use std::ops::Range;

use super::document::Line;
use super::markdown::SpanKind;
use super::paths::{self, Context};

/// Maximum bytes of a quoted string.
const MAX_QUOTED: usize = 160;

/// Maximum bytes on each side of a path that may give its lines.
const MAX_BESIDE: usize = 60;

/// A line without its markup.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Inline {
    /// The words, with the target of each link after its text.
    pub text: String,
    /// The texts between backticks.
    pub codes: Vec<CodeSpan>,
}

/// Text between backticks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CodeSpan {
    pub text: String,
    /// The first and last line that the words beside it give, in case it is a path; else zero.
    pub lines: (u32, u32),
}

/// Splits a line by the spans that the Markdown parser found in it.
pub(super) fn read(line: &Line<'_>) -> Inline {
    let mut inline = Inline::default();
    let mut at = 0;
    for span in line.spans {
        let start = span.range.start.saturating_sub(line.cut).max(at);
        let end = span.range.end.saturating_sub(line.cut).min(line.text.len());
        let Some(inside) = line.text.get(start..end).filter(|text| !text.is_empty()) else {
            continue;
        };
        let before = line.text.get(at..start).unwrap_or("");
        inline.text.push_str(&without_escapes(before));
        inline.text.push(' ');
        match &span.kind {
            SpanKind::Code => {
                let code = strip_backticks(inside);
                if !code.is_empty() {
                    inline.codes.push(CodeSpan {
                        text: code.to_owned(),
                        lines: lines_beside(line.text, start, end),
                    });
                }
            }
            SpanKind::Target(target) => inline.target(target),
            SpanKind::Picture => {}
        }
        at = end;
    }
    let rest = line.text.get(at..).unwrap_or("");
    inline.text.push_str(&without_escapes(rest));
    inline
}

/// Resolves the `\_` that Markdown writes for `_`. Words that have backslashes before letters, too, are paths and
/// namespaces.
pub(super) fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(r"\_") {
        return Cow::Borrowed(text);
    }
    let is_path = |word: &str| {
        let mut parts = word.split('\\').skip(1);
        parts.any(|part| part.starts_with(char::is_alphanumeric))
    };
    let resolved = |word: &str| match is_path(word) {
        true => word.to_owned(),
        false => word.replace(r"\_", "_"),
    };
    let words = text.split_inclusive(char::is_whitespace).map(resolved);
    Cow::Owned(words.collect())
}

fn lines_beside(line: &str, start: usize, end: usize) -> (u32, u32) {
    let from = line.floor_char_boundary(start.saturating_sub(MAX_BESIDE));
    let to = line.floor_char_boundary(end.saturating_add(MAX_BESIDE));
    let before = line.get(from..start).unwrap_or("");
    let after = line.get(end..to).unwrap_or("");
    if let Some(lines) = paths::line_after_quote(after) {
        return lines;
    }
    // The next sentence is about something else.
    let after = if after.starts_with('.') { "" } else { after };
    paths::lines_beside(before.split_whitespace().rev(), after.split_whitespace())
}

impl Inline {
    /// Keeps a link target that may be a file.
    fn target(&mut self, target: &str) {
        if target.contains("://") || paths::read(target, Context::Prose).is_some() {
            self.text.push_str(target);
            self.text.push(' ');
        }
    }
}

/// Removes the backticks around code such as `` ``a`` ``; those inside stay.
fn strip_backticks(code: &str) -> &str {
    let inner = code.trim_start_matches('`');
    let marks = code.len() - inner.len();
    let closing = inner.len() - inner.trim_end_matches('`').len();
    let end = inner.len() - closing.min(marks);
    inner.get(..end).unwrap_or(inner).trim()
}

/// Returns the quoted strings of a line.
pub(super) fn quoted(text: &str) -> Vec<String> {
    const QUOTES: &[(char, char)] = &[('"', '"'), ('“', '”'), ('\'', '\''), ('‘', '’')];
    quotes(text, QUOTES, MAX_QUOTED)
        .into_iter()
        .filter_map(|range| text.get(range))
        .map(str::to_owned)
        .collect()
}

/// Returns where the texts between quotes are, up to a length in bytes. An apostrophe is no quote: a quote opens after,
/// and closes before, a character that is no letter or digit.
pub(super) fn quotes(text: &str, quotes: &[(char, char)], max_len: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let start = at + first.len_utf8();
        let after = text.get(start..).unwrap_or("");
        let close = quotes.iter().find(|(open, _)| *open == first);
        if let Some((_, close)) = close
            && !before.is_alphanumeric()
            && let Some(inside) = before_closing_quote(after, *close, max_len)
        {
            let end = start + inside.len();
            found.push(start..end);
            at = end + close.len_utf8();
            before = *close;
            continue;
        }
        before = first;
        at = start;
    }
    found
}

/// Returns the text before the closing quote; no letter or digit may follow that quote.
fn before_closing_quote(text: &str, close: char, max_len: usize) -> Option<&str> {
    let end = text
        .char_indices()
        .take_while(|(at, _)| *at <= max_len)
        .filter(|(_, c)| *c == close)
        .map(|(at, _)| at)
        .find(|at| {
            let after = text.get(at + close.len_utf8()..).unwrap_or("");
            !after.starts_with(char::is_alphanumeric)
        })?;
    let inside = text.get(..end)?;
    (inside.trim().chars().count() > 1).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrounding_backticks_are_stripped() {
        assert_eq!(strip_backticks("`` `a` ``"), "`a`");
        assert_eq!(strip_backticks("`a"), "a");
    }

    #[test]
    fn escapes_of_underscores_are_resolved() {
        for (text, wanted) in [
            (r"a\_b\_c d", "a_b_c d"),
            (r"\_\_init\_\_ \*\_", r"__init__ \*_"),
            (r"a\_b src\_win\a.py  ", r"a_b src\_win\a.py  "),
            (r"a\b", r"a\b"),
        ] {
            assert_eq!(without_escapes(text), wanted);
        }
    }

    #[test]
    fn quoted_strings_are_found() {
        assert_eq!(
            quoted("it's \"no such store\" or 'that's it', “x y” and it isn't 'a'"),
            ["no such store", "that's it", "x y"]
        );
        assert_eq!(quoted("a 'b"), Vec::<String>::new());
    }
}
