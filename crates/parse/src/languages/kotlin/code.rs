//! Recognizes Kotlin code in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, dotted_import};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["kt", "kts", "kotlin"],
    lines: &[
        Line::when("fun ", |line| line.ends_with('{') || line.contains(") = ")),
        Line::starting("suspend fun "),
        Line::starting("override fun "),
        Line::starting("data class "),
        Line::starting("val "),
    ],
    pasted: &["fun main(", "suspend fun ", "override fun ", "data class "],
    imports: Some(Imports {
        brackets: |line| line.starts_with("import ").then_some(&['(', '{']),
        names: dotted_import,
    }),
    ..CodeForm::NONE
};
