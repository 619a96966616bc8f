//! Extracts documentation as people read it: comments without marks and indentation.

/// Returns the text of the comments directly above a definition, without marks and without notes to tools.
/// `tool_notes` are the beginnings of such notes.
pub(crate) fn comment(text: &str, tool_notes: &[&str]) -> String {
    joined(
        text.lines()
            .map(|line| strip_marks(line.trim()))
            .filter(|line| !is_for_tools(line, tool_notes)),
    )
}

fn strip_marks(line: &str) -> &str {
    let line = line.strip_suffix("*/").unwrap_or(line).trim_end();
    let stripped = ["/**", "/*!", "/*", "///", "//!", "//", "#:", "#", "*"]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line);
    let stripped = stripped.strip_prefix(' ').unwrap_or(stripped).trim_end();
    // Rules such as `# ------` or `/*****/` contain no text.
    if stripped
        .bytes()
        .all(|b| matches!(b, b'-' | b'=' | b'*' | b'#' | b'/' | b'~' | b' '))
    {
        ""
    } else {
        stripped
    }
}

fn is_for_tools(line: &str, tool_notes: &[&str]) -> bool {
    let line = line.trim_start();
    // `#!/usr/bin/env` as the first comment of a script.
    line.starts_with("!/") || tool_notes.iter().any(|note| line.starts_with(note))
}

/// Joins the lines with newlines, without blank lines at both ends.
pub(crate) fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
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
            assert_eq!(comment(written, &["eslint-"]), text, "{written}");
        }
    }
}
