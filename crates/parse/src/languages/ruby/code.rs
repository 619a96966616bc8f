//! Recognizes Ruby code in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, push_import};

pub(super) const CODE: CodeForm = CodeForm {
    line_comment: "#",
    fences: &["rb", "ruby", "irb"],
    lines: &[
        Line::when("require ", |line| line.ends_with(['\'', '"'])),
        Line::when("require_relative ", |line| line.ends_with(['\'', '"'])),
        Line::when("def ", |line| {
            line.ends_with(')') || !line.contains(['(', ':', '{', '='])
        }),
        Line::when("module ", |line| {
            line.bytes().filter(|b| *b == b' ').count() == 1 && !line.ends_with(';')
        }),
        Line::starting("puts "),
        Line::starting("irb("),
        Line::starting("attr_accessor :"),
    ],
    pasted: &["irb(", "require '"],
    after_prompt,
    imports: Some(Imports {
        brackets: |line| required_path(line).map(|_| [].as_slice()),
        names: |statement, names| {
            let Some(path) = required_path(statement) else {
                return false;
            };
            push_import(names, path.to_owned());
            true
        },
    }),
    ..CodeForm::NONE
};

/// Returns the code after a prompt: `irb(main):001:0> code`.
fn after_prompt(line: &str) -> Option<&str> {
    let (_, code) = line.strip_prefix("irb(")?.split_once("> ")?;
    Some(code)
}

/// Returns the path in `require 'a/b'` and `autoload :B, 'a/b'`. `require_relative` is left out: its
/// path is relative to the reporter's own file.
fn required_path(statement: &str) -> Option<&str> {
    let rest = statement
        .strip_prefix("require ")
        .or_else(|| Some(statement.strip_prefix("autoload :")?.split_once(", ")?.1))?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (path, after) = rest.get(1..)?.split_once(quote)?;
    let ends = after.trim().is_empty() || after.trim_start().starts_with('#');
    (ends && !path.starts_with('.')).then_some(path)
}
