//! Recognizes Rust code in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, push_import};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["rs", "rust"],
    lines: &[
        Line::starting("let mut "),
        Line::starting("fn "),
        Line::starting("pub fn "),
        Line::starting("pub struct "),
        Line::starting("async fn "),
        Line::starting("#[derive("),
        Line::when("use ", |line| line.ends_with(';') && !line.contains('\\')),
        Line::starting("impl "),
        Line::when("extern crate ", |line| line.ends_with(';')),
    ],
    pasted: &["let mut ", "pub fn ", "#[derive("],
    imports: Some(Imports {
        brackets: |line| use_tree(line).map(|_| ['{'].as_slice()),
        names: |statement, names| {
            let Some(tree) = use_tree(statement) else {
                return false;
            };
            add(tree, "", 0, names);
            true
        },
    }),
    ..CodeForm::NONE
};

/// Maximum depth of a `use` tree; they are rarely deeper.
const MAX_DEPTH: u32 = 8;

/// Returns the tree in a `use` statement: `a::b::{c, d as e}`.
fn use_tree(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("pub ").unwrap_or(statement);
    let tree = rest.strip_prefix("use ")?.trim();
    let tree = tree.strip_prefix("::").unwrap_or(tree);
    tree.contains("::").then_some(tree)
}

/// Adds the names of a tree below a path, each as `module.name`.
fn add(tree: &str, above: &str, depth: u32, names: &mut Vec<String>) {
    let tree = tree.trim();
    if depth > MAX_DEPTH {
        return;
    }
    if let Some((head, list)) = tree.split_once('{') {
        let head = head.trim().trim_end_matches("::");
        let list = list.rsplit_once('}').map_or(list, |(list, _)| list);
        let path = joined(above, head);
        for item in items(list) {
            add(item, &path, depth + 1, names);
        }
        return;
    }
    let written = tree.split(" as ").next().unwrap_or(tree).trim();
    let path = joined(above, written);
    let (module, name) = path.rsplit_once("::").unwrap_or((path.as_str(), ""));
    // `crate` is the reporter's own crate, and `std` is in no repository.
    let first = module.split("::").next().unwrap_or(module);
    if matches!(first, "crate" | "self" | "super" | "std" | "core" | "alloc") {
        return;
    }
    match name {
        "" | "*" | "self" => push_import(names, module.to_owned()),
        name => push_import(names, format!("{module}.{name}")),
    }
}

fn joined(above: &str, below: &str) -> String {
    match (above, below) {
        ("", below) => below.to_owned(),
        (above, "") => above.to_owned(),
        (above, below) => format!("{above}::{below}"),
    }
}

/// Splits a list at the commas outside inner braces.
fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|item| !item.trim().is_empty())
}
