//! Documentation as people read it: docstrings and comments without quotes, marks and indentation.

/// The text of a docstring literal: prefix and quotes removed, dedented as Python's
/// `inspect.cleandoc` does, surrounding blank lines removed.
pub(crate) fn docstring(literal: &str) -> String {
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

/// The text of the comments directly above a definition: marks removed, notes to tools left out.
pub(crate) fn comment(text: &str) -> String {
    joined(
        text.lines()
            .map(|line| strip_marks(line.trim()))
            .filter(|line| !is_for_tools(line)),
    )
}

fn strip_marks(line: &str) -> &str {
    let line = line.strip_suffix("*/").unwrap_or(line).trim_end();
    let stripped = ["/**", "/*", "///", "//", "#:", "#", "*"]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line);
    let stripped = stripped.strip_prefix(' ').unwrap_or(stripped).trim_end();
    // Rules such as `# ------` or `/*****/` say nothing.
    if stripped
        .bytes()
        .all(|b| matches!(b, b'-' | b'=' | b'*' | b'#' | b'/' | b'~' | b' '))
    {
        ""
    } else {
        stripped
    }
}

fn is_for_tools(line: &str) -> bool {
    const NOTES: [&str; 14] = [
        "eslint-",
        "eslint ",
        "@ts-",
        "prettier-ignore",
        "istanbul ",
        "tslint:",
        "biome-ignore",
        "noqa",
        "pylint:",
        "type:",
        "flake8:",
        "mypy:",
        "pragma:",
        "!/",
    ];
    let line = line.trim_start();
    NOTES.iter().any(|note| line.starts_with(note))
}

/// The lines with a newline between them, without blank ones at both ends.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for line in lines {
        if text.is_empty() && line.trim().is_empty() {
            continue;
        }
        text.push_str(line);
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn comments_lose_their_marks() {
        for (written, text) in [
            ("/** Opens it. */", "Opens it."),
            (
                "/**\n   * Opens it.\n   *\n   *  - indented\n   */",
                "Opens it.\n\n - indented",
            ),
            ("// one\n  // two", "one\ntwo"),
            ("# -----\n# Section\n# -----", "Section"),
            ("// eslint-disable-next-line no-new", ""),
            (
                "#: Documented for the manual.",
                "Documented for the manual.",
            ),
        ] {
            assert_eq!(comment(written), text, "{written}");
        }
    }
}
