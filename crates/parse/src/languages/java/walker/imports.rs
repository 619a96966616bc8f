//! Collects Java packages and imports.

use foveate_model::{ImportKind, ImportedName};
use tree_sitter::Node;

use crate::syntax::Descend;
use crate::walk::{Handled, Walk, children};

/// Sets the package of the file.
pub(super) fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let mut parts = children(node).into_iter();
    let name = parts.find(|part| part.kind().ends_with("identifier"))?;
    walk.collector.facts.package = without_blanks(walk.of(name)).into();
    Some(Descend::Past)
}

/// Adds `import a.b.C`, `import a.b.*`, `import static a.B.c`: all but the last name is the module.
pub(super) fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let parts = children(node);
    let path = parts.iter().find(|part| part.kind() != "asterisk");
    let Some(path) = path.map(|path| without_blanks(walk.of(*path))) else {
        return Some(Descend::Past);
    };
    let is_star = parts.iter().any(|part| part.kind() == "asterisk");
    let (module, name, local) = match (is_star, path.rsplit_once('.')) {
        (true, _) => (&*path, "*", ""),
        (false, Some((module, name))) => (module, name, name),
        (false, None) => ("", &*path, &*path),
    };
    let names = vec![ImportedName::new(name, local)];
    walk.collector
        .import(node, None, ImportKind::From, module, names);
    Some(Descend::Past)
}

/// Removes blanks and line ends from a path.
fn without_blanks(path: &str) -> String {
    path.split_whitespace().collect()
}
