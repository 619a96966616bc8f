//! Go in the text of an issue.

use crate::code::{CodeForm, Line};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["go", "golang"],
    lines: &[
        Line::starting("func "),
        Line {
            start: "package ",
            fits: |line| !line.ends_with(';'),
        },
    ],
    ..CodeForm::NONE
};
