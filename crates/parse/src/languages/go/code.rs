//! Recognises Go in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, push_import};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["go", "golang"],
    lines: &[
        Line::starting("func "),
        Line::when("package ", |line| !line.ends_with(';')),
        Line::when("import \"", |line| line.ends_with('"')),
        Line::when("if err ", |line| line.ends_with('{')),
        Line::when("type ", |line| {
            line.ends_with(" struct {") || line.ends_with(" interface {")
        }),
    ],
    pasted: &["func (", "if err != nil"],
    imports: Some(Imports {
        brackets: |line| line.starts_with("import ").then_some(&['(']),
        names: imported,
    }),
    ..CodeForm::NONE
};

/// Collects the paths of `import "a.com/b"`, `import b "a.com/b"`, `import ( "fmt" "a.com/b" )`.
fn imported(statement: &str, names: &mut Vec<String>) -> bool {
    let Some(rest) = statement.strip_prefix("import ") else {
        return false;
    };
    let rest = rest.trim_start_matches('(');
    let mut parts = rest.split('"');
    let alias = parts.next().unwrap_or_default().trim();
    if alias.contains(' ') {
        return false;
    }
    // Every second part is between quotes.
    for path in parts.step_by(2).filter(|path| !path.trim().is_empty()) {
        push_import(names, path.to_owned());
    }
    true
}
