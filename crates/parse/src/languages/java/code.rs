//! Recognises Java in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, dotted_import};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["java"],
    lines: &[
        Line::starting("public "),
        Line::starting("private "),
        Line::starting("protected "),
        Line::when("package ", |line| line.ends_with(';')),
        Line::when("import ", |line| {
            line.ends_with(';') && !line.contains(['\'', '"', '{', '*'])
        }),
        Line::starting("@Override"),
        Line::starting("System.out."),
    ],
    pasted: &["public class ", "private "],
    imports: Some(Imports {
        brackets: |line| line.starts_with("import ").then_some(&['(', '{']),
        names: dotted_import,
    }),
    ..CodeForm::NONE
};
