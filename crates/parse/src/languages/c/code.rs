//! C and C++ in the text of an issue.

use crate::code::CodeForm;

pub(super) const C: CodeForm = CodeForm {
    fences: &["c", "h"],
    pasted: &["#include"],
    ..CodeForm::NONE
};

pub(super) const CPP: CodeForm = CodeForm {
    fences: &["cpp", "c++", "cc", "hpp"],
    ..CodeForm::NONE
};
