//! Docstrings as people read them, and which comments are for tools.

use crate::documentation::joined;

/// Beginnings of comments that are for tools.
pub(super) const TOOL_NOTES: &[&str] = &["noqa", "pylint:", "type:", "flake8:", "mypy:", "pragma:"];

/// The text of a docstring literal: prefix and quotes removed, dedented as Python's
/// `inspect.cleandoc` does, surrounding blank lines removed.
pub(super) fn docstring(literal: &str) -> String {
    let body = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let body = ["\"\"\"", "'''", "\"", "'"]
        .iter()
        .find_map(|quote| Some(body.strip_prefix(quote)?.trim_end_matches(quote)))
        .unwrap_or(body);
    let indent = body
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let lines = body.lines().enumerate().map(|(number, line)| {
        if number == 0 {
            line.trim()
        } else {
            line.get(indent..).unwrap_or("").trim_end()
        }
    });
    joined(lines)
}

#[cfg(test)]
mod tests {
    use super::docstring;

    #[test]
    fn docstrings_are_dedented() {
        for (literal, text) in [
            ("\"\"\"One line.\"\"\"", "One line."),
            ("r'''Raw.'''", "Raw."),
            ("'x'", "x"),
            (
                "\"\"\"\n    Head.\n\n        code\n    tail\n    \"\"\"",
                "Head.\n\n    code\ntail",
            ),
            ("\"\"\"Head.\n\n    More.\n    \"\"\"", "Head.\n\nMore."),
            ("\"\"\"", ""),
        ] {
            assert_eq!(docstring(literal), text, "{literal}");
        }
    }
}
