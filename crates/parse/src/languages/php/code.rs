//! PHP in the text of an issue.

use crate::code::{CodeForm, Line};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["php"],
    lines: &[Line::starting("<?php")],
    pasted: &["<?php"],
    ..CodeForm::NONE
};
