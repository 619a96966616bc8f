//! Escapes text from a repository for display: a file name may hold characters that a terminal obeys, or that
//! hide or reorder the text around them. Text for people goes through [`escape`]; output for programs keeps
//! every character, in JSON as escapes ([`json`]).

use std::borrow::Cow;
use std::fmt::{self, Write};

/// Whether a character must not reach a screen as it is: control characters (a terminal obeys them),
/// marks of writing direction (they reorder the text around them), line and paragraph separators,
/// tags (they cannot be seen), and the two noncharacters that XML cannot hold.
pub fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fffe}'
        | '\u{ffff}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Whether any character of a text [is unsafe](is_unsafe).
pub fn has_unsafe(text: &str) -> bool {
    !is_plain(text) && text.chars().any(is_unsafe)
}

/// Returns the text on one line, with unsafe characters as `\n`, `\r`, `\t` or `\u{1b}`. Backslashes are not
/// escaped, so that escaping twice changes nothing.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !has_unsafe(text) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    // Writing to a string cannot fail.
    let _ = Escaping(&mut escaped).write_str(text);
    Cow::Owned(escaped)
}

/// Escapes a message of several lines like [`escape`]: line breaks are kept, but all lines after the first
/// are indented, so that none looks like a separate message.
pub fn escape_lines(text: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text.trim_end().split('\n').map(escape).collect();
    lines.join("\n  ")
}

/// Escapes code and other text like [`escape`], but keeps line breaks and tabs.
pub fn escape_code(text: &str) -> Cow<'_, str> {
    let must_be_escaped = |c: char| is_unsafe(c) && !matches!(c, '\n' | '\t');
    if !text.chars().any(must_be_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for part in text.split_inclusive(['\n', '\t']) {
        let plain = part.trim_end_matches(['\n', '\t']);
        escaped.push_str(&escape(plain));
        escaped.push_str(part.get(plain.len()..).unwrap_or_default());
    }
    Cow::Owned(escaped)
}

/// Returns at most `limit` bytes of the [escaped](escape) text; a cut is marked with `…`.
pub fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    let escaped = escape(text);
    if escaped.len() <= limit {
        return escaped;
    }
    let end = escaped.floor_char_boundary(limit);
    Cow::Owned(format!("{}…", escaped.get(..end).unwrap_or_default()))
}

/// Returns an equivalent JSON text without unsafe characters. They can only occur inside its strings, where
/// the escape `\u202e` stands for the same character. Line breaks between its parts are kept.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_raw = |c: char| (!c.is_ascii_control() && is_unsafe(c)) || c == '\u{7f}';
    if is_plain(text) || !text.chars().any(is_raw) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_raw(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// A writer that escapes all text written to it, as [`escape`] does.
#[derive(Debug)]
pub struct Escaping<W>(pub W);

impl<W: Write> Write for Escaping<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(is_unsafe) {
            let (plain, from_unsafe) = rest.split_at(at);
            self.0.write_str(plain)?;
            let mut chars = from_unsafe.chars();
            match chars.next() {
                Some('\n') => self.0.write_str("\\n")?,
                Some('\r') => self.0.write_str("\\r")?,
                Some('\t') => self.0.write_str("\\t")?,
                Some(c) => write!(self.0, "\\u{{{:x}}}", u32::from(c))?,
                None => {}
            }
            rest = chars.as_str();
        }
        self.0.write_str(rest)
    }
}

/// Whether a text is printable ASCII, as most text is. One pass without a branch per byte.
fn is_plain(text: &str) -> bool {
    text.bytes()
        .fold(true, |all, byte| all & matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts in which every kind of unsafe character is frequent.
    fn text() -> impl Strategy<Value = String> {
        let unsafe_char = prop::sample::select(
            "\0\u{7}\t\n\r\u{1b}\u{7f}\u{85}\u{9b}\u{61c}\u{200e}\u{2028}\u{202e}\u{2066}\u{2069}\u{ffff}\u{e0041}"
                .chars()
                .collect::<Vec<char>>(),
        );
        let c = prop_oneof![3 => unsafe_char, 3 => any::<char>(), 4 => prop::char::range(' ', '~')];
        prop::collection::vec(c, 0..40).prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn escaped_text_has_no_unsafe_characters(text in text()) {
            let escaped = escape(&text);
            prop_assert!(!has_unsafe(&escaped), "{escaped:?}");
            prop_assert_eq!(escape(&escaped), escaped.clone());
            prop_assert!(!has_unsafe(&shorten(&text, 9)));
            prop_assert!(shorten(&text, 9).len() <= 9 + "…".len());
            prop_assert!(escape_lines(&text).split('\n').all(|line| !has_unsafe(line)));
            let code = escape_code(&text);
            prop_assert!(code.split(['\n', '\t']).all(|part| !has_unsafe(part)));
            let breaks = |text: &str| text.matches(['\n', '\t']).count();
            prop_assert_eq!(breaks(&code), breaks(&text));
        }

        #[test]
        fn safe_text_is_unchanged(text in text()) {
            let safe: String = text.chars().filter(|c| !is_unsafe(*c)).collect();
            prop_assert!(matches!(escape(&safe), Cow::Borrowed(same) if same == safe));
            let code = format!("{safe}\n\t{safe}\n");
            prop_assert!(matches!(escape_code(&code), Cow::Borrowed(same) if same == code));
            prop_assert_eq!(has_unsafe(&text), text.chars().any(is_unsafe));
        }

        #[test]
        fn escaped_json_parses_to_the_same_value(text in text()) {
            let quoted = serde_json::to_string_pretty(&[&text]).unwrap();
            let escaped = json(&quoted);
            prop_assert!(escaped.chars().all(|c| c == '\n' || !is_unsafe(c)), "{escaped:?}");
            let read: Vec<String> = serde_json::from_str(&escaped).unwrap();
            prop_assert_eq!(read, vec![text]);
        }
    }

    #[test]
    fn escapes_are_readable() {
        assert_eq!(
            escape("a\u{1b}[31m\u{202e}b\tc\nd\u{9b}"),
            "a\\u{1b}[31m\\u{202e}b\\tc\\nd\\u{9b}"
        );
        assert_eq!(escape("größe/日本語 🎈.py"), "größe/日本語 🎈.py");
        assert_eq!(escape_lines("a\n|\u{1b}\nb\n"), "a\n  |\\u{1b}\n  b");
        assert_eq!(shorten("größe", 3), "gr…");
        assert_eq!(json("[\"\u{e0041}\"]\n"), "[\"\\udb40\\udc41\"]\n");
    }
}
