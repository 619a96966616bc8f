//! Ruby in the text of an issue.

use crate::code::CodeForm;

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["rb", "ruby"],
    ..CodeForm::NONE
};
