//! Extracts docstrings as people read them, and lists the comments that are addressed to tools.

use crate::documentation::joined;

/// Beginnings of comments addressed to tools.
pub(super) const TOOL_NOTES: &[&str] = &["noqa", "pylint:", "type:", "flake8:", "mypy:", "pragma:"];

/// Returns the text of a docstring literal: prefix and quotes removed, dedented like Python's
/// `inspect.cleandoc`, surrounding blank lines removed.
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
