//! Ruby in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, push_import};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["rb", "ruby", "irb"],
    lines: &[
        Line {
            start: "require ",
            fits: |line| line.ends_with(['\'', '"']),
        },
        Line {
            start: "require_relative ",
            fits: |line| line.ends_with(['\'', '"']),
        },
        Line {
            start: "def ",
            fits: |line| line.ends_with(')') || !line.contains(['(', ':', '{', '=']),
        },
        Line {
            start: "module ",
            fits: |line| line.bytes().filter(|b| *b == b' ').count() == 1 && !line.ends_with(';'),
        },
        Line::starting("puts "),
        Line::starting("irb("),
        Line::starting("attr_accessor :"),
    ],
    pasted: &["irb(", "require '"],
    after_prompt,
    imports: Some(Imports {
        brackets: |line| required(line).map(|_| [].as_slice()),
        names: |statement, names| {
            let Some(path) = required(statement) else {
                return false;
            };
            push_import(names, path.to_owned());
            true
        },
    }),
    ..CodeForm::NONE
};

/// `irb(main):001:0> code`
fn after_prompt(line: &str) -> Option<&str> {
    let (_, code) = line.strip_prefix("irb(")?.split_once("> ")?;
    Some(code)
}

/// `require 'a/b'`, `autoload :B, 'a/b'`: the path. That of `require_relative` is the reader's own.
fn required(statement: &str) -> Option<&str> {
    let rest = statement
        .strip_prefix("require ")
        .or_else(|| Some(statement.strip_prefix("autoload :")?.split_once(", ")?.1))?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (path, after) = rest.get(1..)?.split_once(quote)?;
    let ends = after.trim().is_empty() || after.trim_start().starts_with('#');
    (ends && !path.starts_with('.')).then_some(path)
}
