//! Collects namespaces, the names that `use` imports, and included files.

use foveate_model::{ImportKind, ImportedName};
use tree_sitter::Node;

use super::is_name;
use crate::languages::MAX_MODULE_PATH;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, field};

/// Sets the package of the file: the first of `namespace A\B;` and `namespace A\B { … }`.
pub(super) fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name")
        && walk.collector.facts.package.is_empty()
    {
        walk.collector.facts.package = walk.of(name).replace('\\', ".").into();
    }
    Some(Descend::Into)
}

/// Adds `use A\B\C as D, E;`, `use function A\b;`, `use A\{B, C\D as E};`.
pub(super) fn uses<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let group = field(node, "body");
    let prefix = child_of_kind(node, "namespace_name").filter(|_| group.is_some());
    let prefix = prefix.map(|prefix| walk.of(prefix));
    if prefix.is_some_and(|prefix| prefix.len() > MAX_MODULE_PATH) {
        return Some(Descend::Past);
    }
    for clause in children(group.unwrap_or(node)) {
        if clause.kind() == "namespace_use_clause" {
            use_clause(walk, node, clause, prefix);
        }
    }
    Some(Descend::Past)
}

fn use_clause<'t>(walk: &mut Walk<'t>, node: Node<'t>, clause: Node<'t>, prefix: Option<&'t str>) {
    let taken = children(clause).into_iter().find(|part| is_name(*part));
    let Some(written) = taken.map(|taken| walk.of(taken).trim_start_matches('\\')) else {
        return;
    };
    let (inside, name) = written.rsplit_once('\\').unwrap_or(("", written));
    let module = match (prefix, inside) {
        (Some(prefix), "") => prefix.to_owned(),
        (Some(prefix), inside) => format!("{prefix}\\{inside}"),
        (None, inside) => inside.to_owned(),
    };
    let local = field(clause, "alias").map_or(name, |alias| walk.of(alias));
    walk.import(
        node,
        ImportKind::From,
        &module,
        ImportedName::new(name, local),
    );
}

/// Adds included files: `require __DIR__ . '/a.php'` imports `./a.php`. Of a path that is built in another way, the
/// last part counts.
pub(super) fn include<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let mut included = node.named_child(0);
    while let Some(inner) = included.filter(|node| node.kind() == "parenthesized_expression") {
        included = inner.named_child(0);
    }
    let included = included?;
    let (before, literal) = match included.kind() {
        "binary_expression" => (field(included, "left"), field(included, "right")),
        _ => (None, Some(included)),
    };
    let content = literal.and_then(|literal| match literal.kind() {
        "string" | "encapsed_string" if literal.named_child_count() == 1 => {
            child_of_kind(literal, "string_content")
        }
        _ => None,
    });
    let path = content.map(|content| walk.of(content))?;
    let module = match before {
        None => path.to_owned(),
        Some(before) => {
            let relative = path.trim_start_matches('/');
            match directories_up(walk.of(before)) {
                Some(0) => format!("./{relative}"),
                Some(up) => format!("{}{relative}", "../".repeat(up)),
                None => relative.to_owned(),
            }
        }
    };
    walk.import(
        node,
        ImportKind::Require,
        &module,
        ImportedName::new("*", ""),
    );
    Some(Descend::Into)
}

/// Returns the number of directories from the file's own up to `__DIR__`, `dirname(__FILE__)` or
/// `dirname(__DIR__, 2)`.
fn directories_up(written: &str) -> Option<usize> {
    let calls = written.matches("dirname").count();
    let levels = written.rsplit_once(',').and_then(|(_, levels)| {
        let levels = levels.trim().trim_end_matches(')').trim();
        levels.parse::<usize>().ok()
    });
    let up = calls.min(8) + levels.unwrap_or(1).clamp(1, 8) - 1;
    match (written.contains("__DIR__"), written.contains("__FILE__")) {
        (true, _) => Some(up),
        (_, true) => up.checked_sub(1),
        _ => None,
    }
}
