//! Collects Rust imports: `use` trees, modules in files of their own, crates. Paths that begin with
//! `self` and `super` inside an inline module are rewritten relative to the file.

use std::rc::Rc;

use foveate_model::{Definition, DefinitionKind, Import, ImportKind, ImportedName, LocalId, Span};
use tree_sitter::Node;

use crate::collect::row;
use crate::languages::MAX_MODULE_PATH;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, children, field};

/// Maximum number of parts of a `use` tree that are read.
const MAX_PARTS: usize = 4096;

/// Maximum number of imports that are searched for the one that binds `super`. It is added again if more follow it.
const MAX_IMPORTS_SINCE: usize = 256;

/// A module and the names that are imported from it.
type ModuleImports = (String, Vec<ImportedName>);

/// Adds `use a::b::{c, d as e, f::*, self};`.
pub(super) fn use_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let Some(argument) = field(node, "argument") else {
        return Some(Descend::Past);
    };
    let mut modules: Vec<ModuleImports> = Vec::new();
    let mut pending: Vec<(Rc<str>, Node<'t>)> = vec![("".into(), argument)];
    for _ in 0..MAX_PARTS {
        let Some((prefix, part)) = pending.pop() else {
            break;
        };
        let written = match part.kind() {
            "use_list" | "line_comment" | "block_comment" => None,
            "scoped_use_list" | "use_as_clause" => field(part, "path"),
            "use_wildcard" => part.named_child(0),
            _ => Some(part),
        };
        let path = joined(&prefix, written.map_or("", |written| walk.of(written)));
        if path.len() > MAX_MODULE_PATH {
            continue;
        }
        match part.kind() {
            "use_list" => {
                let parts = children(part).into_iter().rev();
                pending.extend(parts.map(|part| (Rc::clone(&prefix), part)));
            }
            "scoped_use_list" => {
                let prefix: Rc<str> = path.into();
                pending.extend(field(part, "list").map(|list| (prefix, list)));
            }
            "use_wildcard" => add_name(&mut modules, path, "*", ""),
            "use_as_clause" => {
                let alias = field(part, "alias").map_or("", |alias| walk.of(alias));
                add_path(&mut modules, &path, Some(alias));
            }
            "line_comment" | "block_comment" => {}
            _ => add_path(&mut modules, &path, None),
        }
    }
    for (module, names) in modules {
        add(walk, node, &module, names);
    }
    Some(Descend::Past)
}

/// Returns a path without blanks, below a prefix.
fn joined(prefix: &str, path: &str) -> String {
    let path: String = path.split_whitespace().collect();
    let path = path.trim_start_matches("::").replace("r#", "");
    match (prefix, &*path) {
        ("", path) => path.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}::{path}"),
    }
}

/// Splits a path into a module and the name that is imported from it. `a::{self}` is `a`.
fn add_path(modules: &mut Vec<ModuleImports>, path: &str, alias: Option<&str>) {
    let path = match path.strip_suffix("::self") {
        Some(module) => module,
        None => path,
    };
    // `use a as _` binds no name.
    let bound = |name| match alias {
        Some("_") => "",
        Some(alias) => alias,
        None => name,
    };
    match path.rsplit_once("::") {
        Some((module, name)) if name != "super" => {
            add_name(modules, module.to_owned(), name, bound(name));
        }
        _ => add_name(modules, path.to_owned(), "*", bound(path)),
    }
}

fn add_name(modules: &mut Vec<ModuleImports>, module: String, name: &str, local: &str) {
    let imported = ImportedName::new(name, local);
    match modules.iter_mut().find(|(known, _)| *known == module) {
        Some((_, names)) => names.push(imported),
        None => modules.push((module, vec![imported])),
    }
}

fn add(walk: &mut Walk<'_>, node: Node<'_>, module: &str, names: Vec<ImportedName>) {
    let Some(module) = relative_to_file(module, &inline_modules(walk)) else {
        return;
    };
    let enclosing = walk.context().parent;
    walk.collector
        .import(node, enclosing, ImportKind::From, &module, names);
}

/// Adds `extern crate a as b;`.
pub(super) fn extern_crate<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name").map(|name| walk.of(name)) {
        let alias = field(node, "alias").map_or(name, |alias| walk.of(alias));
        let local = if alias == "_" { "" } else { alias };
        add(walk, node, name, vec![ImportedName::new("*", local)]);
    }
    Some(Descend::Past)
}

/// Adds the module of `mod a;`, which is in a file, whose path an attribute may give.
pub(super) fn module_file<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Handled {
    let Some(name) = field(node, "name").map(|name| walk.of(name)) else {
        return Some(Descend::Past);
    };
    let name = name.strip_prefix("r#").unwrap_or(name);
    let module = match path_attribute(walk, node) {
        Some(path) => path.to_owned(),
        None => format!("self::{name}"),
    };
    let names = vec![ImportedName::new("*", name)];
    add(walk, node, &module, names);
    Some(Descend::Past)
}

/// Returns the path in `#[path = "…"]` before a module.
fn path_attribute<'t>(walk: &Walk<'t>, module: Node<'_>) -> Option<&'t str> {
    let mut before = module.prev_named_sibling();
    while let Some(node) = before.filter(|node| node.kind() == "attribute_item") {
        let attribute = node.named_child(0)?;
        if attribute.named_child(0).map(|path| walk.of(path)) == Some("path") {
            let value = walk.of(field(attribute, "value")?);
            return Some(value.trim_matches('"')).filter(|path| path.ends_with(".rs"));
        }
        before = node.prev_named_sibling();
    }
    None
}

/// Returns the enclosing modules in this file, the innermost first.
fn modules_around<'w>(walk: &'w Walk<'_>) -> impl Iterator<Item = (LocalId, &'w Definition)> {
    let definitions = &walk.collector.facts.definitions;
    let of = move |id: LocalId| Some((id, definitions.get(id.0 as usize)?));
    let innermost = walk.context().parent.and_then(of);
    let around = std::iter::successors(innermost, move |(_, inner)| of(inner.parent?));
    around.filter(|(_, definition)| definition.kind == DefinitionKind::Module)
}

/// Returns the names of the enclosing modules in this file, the outermost first.
fn inline_modules<'w>(walk: &'w Walk<'_>) -> Vec<&'w str> {
    let mut names: Vec<&str> = modules_around(walk)
        .map(|(_, module)| &*module.name)
        .collect();
    names.reverse();
    names
}

/// Rewrites a path that is relative to the innermost inline module as relative to the file; `None` if it becomes too
/// long.
fn relative_to_file(module: &str, inline: &[&str]) -> Option<String> {
    let mut around = inline;
    let mut rest = module;
    if inline.is_empty() || module.ends_with(".rs") {
        return Some(module.to_owned());
    }
    let mut is_relative = false;
    while let (Some(below), Some((_, outer))) = (after(rest, "super"), around.split_last()) {
        (rest, around, is_relative) = (below, outer, true);
    }
    if !is_relative {
        match after(rest, "self") {
            Some(below) => rest = below,
            None => return Some(module.to_owned()),
        }
    }
    if after(rest, "super").is_some() {
        return Some(rest.to_owned());
    }
    let mut names = vec!["self"];
    names.extend(around);
    names.extend(Some(rest).filter(|rest| !rest.is_empty()));
    let bytes: usize = names.iter().map(|name| name.len() + "::".len()).sum();
    (bytes <= MAX_MODULE_PATH).then(|| names.join("::"))
}

/// Returns the rest of a path after its first name, if that is `first`.
fn after<'a>(path: &'a str, first: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(first)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix("::")
}

/// Binds `super` in an inline module: in `super::f()` it is the file itself, or a module in it.
pub(super) fn bind_outer_module(walk: &mut Walk<'_>, path: Node<'_>) {
    if !walk.of(path).starts_with("super::") {
        return;
    }
    let Some((module, _)) = modules_around(walk).next() else {
        return;
    };
    let mut latest = walk
        .collector
        .facts
        .imports
        .iter()
        .rev()
        .take(MAX_IMPORTS_SINCE);
    let is_bound = latest.any(|import| {
        import.enclosing == Some(module) && import.names.iter().any(|name| &*name.local == "super")
    });
    if is_bound {
        return;
    }
    let Some(file) = relative_to_file("super", &inline_modules(walk)) else {
        return;
    };
    let start = path.start_byte();
    walk.collector.facts.imports.push(Import {
        kind: ImportKind::From,
        module: file.into(),
        names: vec![ImportedName::new("*", "super")],
        span: Span::new(start, start + "super".len()),
        line: row(path) + 1,
        enclosing: Some(module),
        type_only: false,
    });
}
