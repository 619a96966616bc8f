//! Collects Java packages and imports.

use foveate_model::{ImportKind, ImportedName, ReferenceKind};
use tree_sitter::Node;

use crate::syntax::Descend;
use crate::walk::{Handled, Walk, children, field};

/// Sets the package of the file, and adds the annotations in `@A package b;` of `package-info.java`.
pub(super) fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    for child in children(node) {
        match child.kind() {
            "marker_annotation" | "annotation" => {
                if let Some(name) = field(child, "name") {
                    walk.refer(ReferenceKind::Decorator, name);
                }
            }
            "identifier" | "scoped_identifier" => {
                walk.collector.package = without_blanks(walk.of(child));
                walk.collector.skip_to(child.end_byte());
            }
            _ => {}
        }
    }
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
