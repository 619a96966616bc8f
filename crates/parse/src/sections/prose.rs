//! Finds the sections of plain text: underlined headings, otherwise groups of paragraphs. Some manuals are
//! reStructuredText in `.txt` files, so directives count as well.

use super::restructured_text;
use super::section::SectionKind;
use super::tree::{Marks, indent, numbered};
use crate::lines::TextLines;

/// A group of paragraphs is full once it has this many lines.
const GROUP_LINES: u32 = 8;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let headings = restructured_text::marks(lines);
    if !headings.is_empty() {
        return headings;
    }
    let mut marks = Marks::new(lines, &[]);
    let mut after_blank = true;
    let mut group = None;
    for (line, text) in numbered(lines) {
        let is_blank = text.trim().is_empty();
        if after_blank && !is_blank && indent(text) == 0 {
            let comment = comment(text);
            let is_full = group.is_none_or(|start| line - start >= GROUP_LINES);
            if is_full || comment.is_some() {
                group = Some(line);
                marks.push(line, 0, comment.unwrap_or(""), SectionKind::Text);
            }
        }
        after_blank = is_blank;
    }
    marks
}

/// Returns the words of a comment line, which often is the heading of the lines below it.
pub(super) fn comment(text: &str) -> Option<&str> {
    let text = text.strip_prefix('#').filter(|t| !t.starts_with('!'))?;
    let words = text.trim_matches(|c: char| c.is_whitespace() || "#=-*~".contains(c));
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use foveate_model::Language;

    #[test]
    fn paragraphs_are_grouped() {
        let text = "One.\n\nTwo.\n\nThree\nfour\nfive\nsix\n\nSeven.\n  indented\n";
        check(
            Language::TEXT,
            "NOTES.txt",
            text,
            &["1-9 text ", "10-11 text "],
        );
        let text = "# Testing\npytest>=7\ntox\n\n# Docs\nsphinx\n";
        check(
            Language::TEXT,
            "requirements.txt",
            text,
            &["1-4 text Testing", "5-6 text Docs"],
        );
    }

    #[test]
    fn underlined_headings_are_sections() {
        let text = "Version 2\n=========\n\n- One.\n\nVersion 1\n=========\n\n- Two.\n";
        check(
            Language::TEXT,
            "CHANGES",
            text,
            &["1-5 section Version 2", "6-9 section Version 1"],
        );
    }
}
