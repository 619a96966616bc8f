//! Finds the sections of `.ini`, `.cfg` and similar files: tables, and keys whose values span several
//! lines.

use super::section::SectionKind;
use super::tree::{Marks, is_comment, numbered};
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["#", ";"];

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut marks = Marks::new(lines, COMMENTS);
    for (line, text) in numbered(lines) {
        // An indented line continues the value above.
        if text.starts_with([' ', '\t']) || is_comment(text, COMMENTS) {
            continue;
        }
        let table = text.strip_prefix('[').and_then(|t| t.split_once(']'));
        if let Some((name, _)) = table {
            marks.push(line, 0, name.trim(), SectionKind::Table);
        } else if let Some((key, _)) = text.split_once(['=', ':']) {
            marks.push(line, 1, key.trim(), SectionKind::Key);
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use foveate_model::Language;

    #[test]
    fn tables_and_long_values_are_sections() {
        let text = "[tox]\nenvlist = py\nskip = true\n\n; Tests.\n[testenv:docs]\ndeps =\n    sphinx\n    furo\ncommands = make\n[flake8]\nmax = 1\n";
        check(
            Language::TEXT,
            "tox.ini",
            text,
            &[
                "1-4 table tox", "5-6 table testenv:docs", "7-9   key testenv:docs.deps",
                "10-10   text testenv:docs", "11-12 table flake8",
            ],
        );
    }
}
