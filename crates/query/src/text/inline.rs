//! A line of prose taken apart: its code, where its links lead, its quoted strings.

use super::document::Line;
use super::markdown::SpanKind;
use super::paths::{self, Strictness};

/// A quoted string is at most so long, in bytes.
const MAX_QUOTED: usize = 160;

/// A line without its marks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Inline {
    /// The words, with the addresses of links after what the links say.
    pub text: String,
    /// What stands between backticks.
    pub codes: Vec<String>,
}

/// Takes a line apart by the spans that the Markdown parser found in it.
pub(super) fn read(line: &Line<'_>) -> Inline {
    let mut inline = Inline::default();
    let mut at = 0;
    for span in line.spans {
        let start = span.range.start.saturating_sub(line.cut).max(at);
        let end = span.range.end.saturating_sub(line.cut).min(line.text.len());
        let Some(inside) = line.text.get(start..end).filter(|text| !text.is_empty()) else {
            continue;
        };
        inline.text.push_str(line.text.get(at..start).unwrap_or(""));
        inline.text.push(' ');
        match &span.kind {
            SpanKind::Code => {
                let code = strip_backticks(inside);
                if !code.is_empty() {
                    inline.codes.push(code.to_owned());
                }
            }
            SpanKind::Target(target) => inline.target(target),
            SpanKind::Picture => {}
        }
        at = end;
    }
    inline.text.push_str(line.text.get(at..).unwrap_or(""));
    inline
}

impl Inline {
    /// Keeps an address that may lead to a file.
    fn target(&mut self, target: &str) {
        if target.contains("://") || paths::read(target, Strictness::Extension).is_some() {
            self.text.push_str(target);
            self.text.push(' ');
        }
    }
}

/// `` ``a`` `` without its marks; those inside stay.
fn strip_backticks(code: &str) -> &str {
    let inner = code.trim_start_matches('`');
    let marks = code.len() - inner.len();
    let closing = inner.len() - inner.trim_end_matches('`').len();
    let end = inner.len() - closing.min(marks);
    inner.get(..end).unwrap_or(inner).trim()
}

/// The quoted strings of a line. An apostrophe is no quote: one opens after a space and closes
/// before one or a mark.
pub(super) fn quoted(text: &str) -> Vec<String> {
    const PAIRS: &[(char, char)] = &[('"', '"'), ('“', '”'), ('\'', '\''), ('‘', '’')];
    let mut found = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or("");
        let close = PAIRS.iter().find(|(open, _)| *open == first);
        if let Some((_, close)) = close
            && !before.is_alphanumeric()
            && let Some(inside) = until(after, *close)
        {
            found.push(inside.to_owned());
            rest = after.get(inside.len() + close.len_utf8()..).unwrap_or("");
            before = *close;
            continue;
        }
        before = first;
        rest = after;
    }
    found
}

/// What stands before the closing quote, which no letter follows.
fn until(text: &str, close: char) -> Option<&str> {
    let end = text
        .char_indices()
        .take_while(|(at, _)| *at <= MAX_QUOTED)
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
    fn backticks() {
        assert_eq!(strip_backticks("`` `a` ``"), "`a`");
        assert_eq!(strip_backticks("`a"), "a");
    }

    #[test]
    fn quoted_strings() {
        assert_eq!(
            quoted("it's \"no such store\" or 'that's it', “x y” and it isn't 'a'"),
            ["no such store", "that's it", "x y"]
        );
        assert_eq!(quoted("a 'b"), Vec::<String>::new());
    }
}
