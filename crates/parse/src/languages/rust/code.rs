//! Rust in the text of an issue.

use crate::code::{CodeForm, Line};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["rs", "rust"],
    lines: &[
        Line::starting("let mut "),
        Line::starting("fn "),
        Line::starting("pub fn "),
        Line {
            start: "use ",
            fits: |line| line.ends_with(';'),
        },
        Line::starting("impl "),
    ],
    ..CodeForm::NONE
};
