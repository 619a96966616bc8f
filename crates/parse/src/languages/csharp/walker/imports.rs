//! Collects namespaces and `using` directives.

use foveate_model::{ImportKind, ImportedName};
use tree_sitter::Node;

use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, field};

/// Reads `namespace A.B { … }` and `namespace A.B;`. The file's package is the first one, extended by
/// namespaces directly inside it that precede all definitions.
pub(super) fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let name = field(node, "name")?;
    let written: String = walk.of(name).split_whitespace().collect();
    let outer = node.parent().and_then(|list| list.parent());
    let is_inside = outer.is_some_and(|outer| outer.kind() == "namespace_declaration");
    let facts = &mut walk.collector.facts;
    if facts.package.is_empty() {
        facts.package = written.into();
    } else if is_inside && facts.definitions.is_empty() {
        facts.package = format!("{}.{written}", facts.package).into();
    }
    walk.collector.skip_to(name.end_byte());
    Some(Descend::Into)
}

/// Adds `using A.B;`, `using static A.B;`, `using C = A.B;`. With `global` before it, the first form holds in all files
/// of the project, so that the file passes the names on.
pub(super) fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let alias = field(node, "name");
    let mut named = children(node)
        .into_iter()
        .filter(|child| Some(child.id()) != alias.map(|alias| alias.id()) && !child.is_extra());
    let Some(target) = named.next_back() else {
        return Some(Descend::Past);
    };
    let target = super::named_type(target).unwrap_or(target);
    let path: String = walk.of(target).split_whitespace().collect();
    let path = path.trim_start_matches("global::");
    let path = path.split('<').next().unwrap_or(path);
    let (module, name, local) = match alias {
        Some(alias) => {
            let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
            (module, name, walk.of(alias))
        }
        None => (path, "*", ""),
    };
    let names = vec![ImportedName::new(name, local)];
    let kind = match alias.is_none() && is_global(node) {
        true => ImportKind::ReExport,
        false => ImportKind::From,
    };
    walk.collector.import(node, None, kind, module, names);
    Some(Descend::Past)
}

fn is_global(using: Node<'_>) -> bool {
    let mut cursor = using.walk();
    let mut parts = using.children(&mut cursor);
    parts.any(|part| part.kind() == "global")
}

/// Returns the names of the attributes of a declaration.
pub(super) fn attributes(walk: &Walk<'_>, node: Node<'_>) -> Vec<Box<str>> {
    let lists = children(node)
        .into_iter()
        .flat_map(|child| match child.kind() {
            "attribute_list" => vec![child],
            "preproc_if_in_attribute_list" => {
                child_of_kind(child, "attribute_list").into_iter().collect()
            }
            _ => Vec::new(),
        });
    let attributes = lists.flat_map(children);
    let names = attributes.filter_map(|attribute| field(attribute, "name"));
    names
        .map(|name| {
            let written = walk.of(name);
            written.split('<').next().unwrap_or(written).into()
        })
        .collect()
}
