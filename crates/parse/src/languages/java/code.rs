//! Java in the text of an issue.

use crate::code::dotted_import;
use crate::code::{CodeForm, Imports, Line};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["java"],
    lines: &[Line::starting("public "), Line::starting("private ")],
    pasted: &["public class ", "private "],
    imports: Some(Imports {
        brackets: |line| line.starts_with("import ").then_some(&['(', '{']),
        names: dotted_import,
    }),
    ..CodeForm::NONE
};
