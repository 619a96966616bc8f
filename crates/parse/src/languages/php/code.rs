//! Recognizes PHP code in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, push_import};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["php"],
    lines: &[
        Line::starting("<?php"),
        Line::when("use ", |line| line.ends_with(';') && line.contains('\\')),
        Line::when("namespace ", |line| {
            line.ends_with(';') && line.contains('\\')
        }),
        Line::when("$", |line| {
            let marks = ["->", "::", " = new "];
            line.ends_with(';') && marks.iter().any(|mark| line.contains(mark))
        }),
        Line::when("public function ", |line| line.contains('(')),
    ],
    pasted: &["<?php", "public function "],
    imports: Some(Imports {
        brackets: |line| use_list(line).map(|_| ['{'].as_slice()),
        names: |statement, names| {
            let Some(list) = use_list(statement) else {
                return false;
            };
            add(list, names);
            true
        },
    }),
    ..CodeForm::NONE
};

/// Returns the list in a `use` statement: `A\B`, `A\{B, C as D}`.
fn use_list(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("use ")?.trim();
    let kinds = ["function ", "const "];
    let rest = kinds
        .iter()
        .find_map(|kind| rest.strip_prefix(kind))
        .unwrap_or(rest);
    let is_name = |c: char| c.is_alphanumeric() || "_\\{}, ;".contains(c);
    (rest.contains('\\') && rest.chars().all(is_name)).then_some(rest.trim_start_matches('\\'))
}

fn add(list: &str, names: &mut Vec<String>) {
    let (above, list) = match list.split_once('{') {
        Some((above, list)) => (above, list.trim_end_matches(['}', ' '])),
        None => ("", list),
    };
    for item in list.split(',') {
        let name = item.split(" as ").next().unwrap_or(item).trim();
        if !name.is_empty() {
            push_import(names, format!("{above}{}", name.trim_start_matches('\\')));
        }
    }
}
