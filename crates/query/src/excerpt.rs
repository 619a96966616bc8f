//! Takes lines out of a file's text and cleans them for any markup.

use std::borrow::Cow;

use foveate_model::Lines;

/// Returns line `line` with up to `context` lines before and after it. `at` is a byte within that line.
pub(crate) fn around(text: &str, at: usize, line: u32, context: u32) -> (Lines, &str) {
    let start_of = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        before.rfind('\n').map_or(0, |end| end + 1)
    };
    let end_of = |at: usize| {
        let after = text.get(at..).unwrap_or_default();
        after.find('\n').map_or(text.len(), |end| at + end)
    };
    let at = at.min(text.len());
    let mut lines = Lines::new(line, line);
    let (mut start, mut end) = (start_of(at), end_of(at));
    for _ in 0..context {
        if start > 0 {
            start = start_of(start - 1);
            lines.start -= 1;
        }
        // The empty rest after the last line end is no line.
        if end + 1 < text.len() {
            end = end_of(end + 1);
            lines.end += 1;
        }
    }
    (lines, text.get(start..end).unwrap_or(""))
}

/// Returns the text with every line end as `\n`, and characters that some markup forbids replaced (XML forbids
/// most control characters). A lone carriage return is replaced too: some readers take it as a line end.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    // No branch per byte; only texts with other bytes are checked again.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let all_plain = text.bytes().fold(true, |all, byte| all & is_plain(byte));
    if all_plain || !text.chars().any(is_forbidden) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    let text = text.strip_suffix('\r').unwrap_or(&text);
    Cow::Owned(
        text.chars()
            .map(|c| if is_forbidden(c) { '\u{fffd}' } else { c })
            .collect(),
    )
}

fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns at most `limit` bytes of a text on one line: a run of white space becomes one space, and a cut is
/// marked with `…`.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::with_capacity(text.len().min(limit));
    // Reads little more than can be shown: a signature may be a megabyte.
    let head = prefix(text, limit * 4);
    for word in clean(head).split_whitespace() {
        let gap = usize::from(!line.is_empty() && !line.ends_with('('));
        if line.len() + gap + word.len() > limit {
            let room = limit.saturating_sub(line.len() + gap);
            if gap == 1 && room > 0 {
                line.push(' ');
            }
            line.push_str(prefix(word, room));
            line.push('…');
            return line;
        }
        if gap == 1 && !word.starts_with(')') {
            line.push(' ');
        }
        line.push_str(word);
    }
    if head.len() < text.len() {
        line.push('…');
    }
    line
}

/// Returns the longest prefix of at most `limit` bytes that ends between characters.
pub(crate) fn prefix(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_a_byte_are_whole() {
        let text = "a\n  b c\nd\n";
        assert_eq!(around(text, 4, 2, 0), (Lines::new(2, 2), "  b c"));
        assert_eq!(around(text, 4, 2, 3), (Lines::new(1, 3), "a\n  b c\nd"));
    }

    #[test]
    fn characters_forbidden_in_markup_are_replaced() {
        assert_eq!(clean("a\r\nb\tc\r"), "a\nb\tc");
        assert_eq!(clean("a\u{c}b\rc"), "a\u{fffd}b\u{fffd}c");
        assert!(matches!(clean("plain\n"), Cow::Borrowed(_)));
        assert_eq!(one_line("def f(\n    a,\n    b\n)", 80), "def f(a, b)");
        assert_eq!(one_line("größer als alles", 4), "grö…");
    }
}
