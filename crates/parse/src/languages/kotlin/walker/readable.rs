//! What the parser is handed of a text: where the grammar would go astray for a whole file, other letters
//! of the same length.

use std::borrow::Cow;

/// Words that the scanner of the grammar takes for keywords at the start of a line, even as the beginning
/// of a name (`in1`) or before a dot.
const SCANNED: &[&str] = &[
    "as",
    "by",
    "constructor",
    "else",
    "get",
    "in",
    "instanceof",
    "set",
    "where",
];

/// Words that are keywords before declarations alone, and are set like variables elsewhere.
const MODIFIERS: &[&str] = &[
    "abstract",
    "external",
    "final",
    "inline",
    "internal",
    "lateinit",
    "open",
    "override",
    "private",
    "protected",
    "public",
    "suspend",
];

/// A word that the scanner does not expect between a class and its constructor on another line.
const ACTUAL: &str = "actual";

/// The text with the same places. The scanner looks for the end of an annotation without asking whether
/// the text has ended: a last line without its end is left out where it holds one.
pub(in crate::languages::kotlin) fn readable(text: &str) -> Cow<'_, str> {
    let last = text.rfind('\n').map_or(0, |end| end + 1);
    let text = match text.get(last..) {
        Some(line) if line.contains('@') => text.get(..last).unwrap_or(""),
        _ => text,
    };
    let mut changed: Option<String> = None;
    for (at, _) in text.match_indices("open(") {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        if before.is_none_or(|c| !c.is_alphanumeric() && c != '_') {
            let changed = changed.get_or_insert_with(|| text.to_owned());
            changed.replace_range(at + 3..at + 4, "q");
        }
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        if let Some(word) = misread(line.trim_start()) {
            let end = start + indent + word.len();
            let changed = changed.get_or_insert_with(|| text.to_owned());
            // No keyword ends in this letter.
            changed.replace_range(end - 1..end, "q");
        }
        if let Some(at) = unread(line) {
            let changed = changed.get_or_insert_with(|| text.to_owned());
            changed.replace_range(start + at..start + at + ACTUAL.len(), "      ");
        }
        start += line.len();
    }
    changed.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The word at the start of a line, where it is a name that looks like a keyword.
fn misread(line: &str) -> Option<&str> {
    let len = line.find(|c: char| !c.is_ascii_alphabetic())?;
    let (word, rest) = line.split_at_checked(len)?;
    let is_set = || rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("==");
    let is_name = if SCANNED.contains(&word) {
        rest.starts_with(|c: char| c.is_ascii_digit() || c == '_' || c == '.') || is_set()
    } else {
        MODIFIERS.contains(&word) && (rest.starts_with('.') || is_set())
    };
    is_name.then_some(word)
}

/// Where `actual` stands before a constructor.
fn unread(line: &str) -> Option<usize> {
    let at = line.find("actual constructor")?;
    let before = line.get(..at)?.trim();
    (before.is_empty() || MODIFIERS.contains(&before)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_that_look_like_keywords() {
        for (text, read) in [
            ("val x = 1\n  in1.close()\n", "val x = 1\n  iq1.close()\n"),
            ("by.write()\nas_x = 1\n", "bq.write()\naq_x = 1\n"),
            ("  set = 0\n  final = true\n", "  seq = 0\n  finaq = true\n"),
            (
                "set(value) { }\n  get() = 1\n",
                "set(value) { }\n  get() = 1\n",
            ),
            (
                "in 1..2 -> x\nopen class A\n",
                "in 1..2 -> x\nopen class A\n",
            ),
            ("f { open(x) }; reopen(x)", "f { opeq(x) }; reopen(x)"),
            ("internal set\n  by lazy\n", "internal set\n  by lazy\n"),
            ("inner == x", "inner == x"),
            (
                "\tinternal actual constructor(x: A)",
                "\tinternal        constructor(x: A)",
            ),
            ("val x = 1\n@A", "val x = 1\n"),
            ("@A fun f() {}", ""),
            ("@A fun f() {}\n", "@A fun f() {}\n"),
        ] {
            assert_eq!(readable(text), read, "{text}");
        }
    }
}
