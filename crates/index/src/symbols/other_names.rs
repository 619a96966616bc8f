//! Finds names by which code uses definitions and that are not written at these: a name under which their file exports
//! them, and for a default export without a name the one that follows from its path. Also lists the names under which files
//! export what other files define.

use foldhash::{HashMap, HashSet};
use foveate_model::{Definition, Export, FileFacts, ImportKind, LocalId, SourceFile};

/// Maximum number of definitions of one name, such as overloads, that get its other names.
const MAX_NAMESAKES: usize = 8;

/// Returns the definitions of a file that have other names, each with one of these.
pub(super) fn of_file(file: &SourceFile) -> Vec<(LocalId, Box<str>)> {
    let Some(content) = &file.content else {
        return Vec::new();
    };
    let mut names = of_exports(&content.facts);
    names.extend(of_default_export(file, &content.facts));
    names
}

/// Returns the names under which a file exports its definitions where these have another name: `export { a as b }`.
fn of_exports(facts: &FileFacts) -> Vec<(LocalId, Box<str>)> {
    let mut renamed = facts.exports.iter().filter(is_renamed).peekable();
    if renamed.peek().is_none() {
        return Vec::new();
    }
    let mut by_name: HashMap<&str, Vec<LocalId>> = HashMap::default();
    for (id, definition) in (0..).map(LocalId).zip(&facts.definitions) {
        if definition.parent.is_none() && !definition.modifiers.is_block {
            by_name.entry(&*definition.name).or_default().push(id);
        }
    }
    let mut names = Vec::new();
    for export in renamed {
        let ids = by_name.get(&*export.local).into_iter().flatten();
        let ids = ids.take(MAX_NAMESAKES);
        names.extend(ids.map(|id| (*id, export.exported.clone())));
    }
    names
}

fn is_renamed(export: &&Export) -> bool {
    export.exported != export.local && &*export.exported != "default"
}

/// Returns the names under which a file exports what other files define, where these have another name for it:
/// `export { a as b } from './a'`.
pub(super) fn of_reexports(file: &SourceFile) -> Vec<&str> {
    let Some(content) = &file.content else {
        return Vec::new();
    };
    let facts = &content.facts;
    let imports = facts.imports.iter();
    let forwarded = imports.filter(|import| import.kind == ImportKind::ReExport);
    let forwarded = forwarded
        .flat_map(|import| &import.names)
        .filter(|name| name.name != name.local && &*name.name != "*" && &*name.local != "default");
    let mut names: Vec<&str> = forwarded.map(|name| &*name.local).collect();
    let mut renamed = facts.exports.iter().filter(is_renamed).peekable();
    if renamed.peek().is_some() {
        let imported = facts.imports.iter().flat_map(|import| &import.names);
        let imported: HashSet<&str> = imported.map(|name| &*name.local).collect();
        let renamed = renamed.filter(|export| imported.contains(&*export.local));
        names.extend(renamed.map(|export| &*export.exported));
    }
    names
}

/// Returns the name of a default export that has none in its file.
fn of_default_export(file: &SourceFile, facts: &FileFacts) -> Option<(LocalId, Box<str>)> {
    let name = (file.language.rules().lookup.default_export_name)(&file.path)?;
    let is_nameless = |definition: &Definition| {
        definition.parent.is_none()
            && definition.modifiers.is_default_export
            && &*definition.name == "default"
    };
    let position = facts.definitions.iter().position(is_nameless)?;
    Some((LocalId(position as u32), name.into()))
}
