//! Finds the sections of Makefiles: targets with their recipes, and long variables.

use super::section::SectionKind;
use super::tree::{Marks, cut, is_comment, numbered};
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["#", ".PHONY"];
const MAX_NAME: usize = 60;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut marks = Marks::new(lines, COMMENTS);
    let mut continues = false;
    let mut in_define = false;
    for (line, text) in numbered(lines) {
        let begins = !continues && !text.starts_with([' ', '\t']);
        continues = text.trim_end().ends_with('\\');
        if in_define {
            in_define = !text.starts_with("endef");
            continue;
        }
        if !begins || is_comment(text, COMMENTS) {
            continue;
        }
        in_define = text.starts_with("define ");
        match start_of(text) {
            Some(Start::Target(name)) => {
                marks.push(line, 0, cut(name, MAX_NAME), SectionKind::Target);
            }
            Some(Start::Variable(name)) => {
                marks.push(line, 0, cut(name, MAX_NAME), SectionKind::Key);
            }
            None => {}
        }
    }
    marks
}

enum Start<'t> {
    Target(&'t str),
    Variable(&'t str),
}

/// Returns the target or variable that begins on a line without indentation.
fn start_of(text: &str) -> Option<Start<'_>> {
    if let Some(name) = text.strip_prefix("define ") {
        return Some(Start::Variable(name.trim()));
    }
    let at = text.find([':', '='])?;
    let (name, rest) = text.split_at_checked(at)?;
    let is_assignment = rest.starts_with('=') || rest.trim_start_matches(':').starts_with('=');
    let name = name.trim_end_matches(['+', '?', '!']).trim();
    match (name.is_empty(), is_assignment) {
        (true, _) => None,
        (false, true) => Some(Start::Variable(name)),
        (false, false) => Some(Start::Target(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use foveate_model::Language;

    #[test]
    fn targets_and_variables_are_sections() {
        let text = "PYTHON ?= python3\nFILES := a \\\n  b: c\n\nX = 1\n\n# Runs the tests.\n.PHONY: test\ntest: build\n\t$(PYTHON) -m pytest\n\tA=1 true\n\nall: test\nY = 2\ndefine help\nnot: a target\nendef\n";
        check(
            Language::TEXT,
            "Makefile",
            text,
            &[
                "1-1 text ", "2-4 key FILES", "5-6 text ", "7-12 target test", "13-13 target all",
                "14-14 text ", "15-17 key help",
            ],
        );
    }
}
