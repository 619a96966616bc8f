//! Kotlin in the text of an issue.

use crate::code::CodeForm;

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["kt", "kotlin"],
    ..CodeForm::NONE
};
