//! C# in the text of an issue.

use crate::code::CodeForm;

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["cs", "csharp", "c#"],
    ..CodeForm::NONE
};
