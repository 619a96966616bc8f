//! Finds the members of types, and the methods of subclasses that override others.

use std::collections::{BTreeMap, VecDeque};

use foldhash::{HashMap, HashSet};
use foveate_index::{Confidence, DefId, Files, Snapshot};

use super::links::verb::is_base;

/// Maximum classes below a class that are searched.
const MAX_SUBCLASSES: usize = 256;

/// Returns the members of a type: those inside it, then those that its file defines outside of it, as in Rust.
pub(super) fn members(files: &Files, class: DefId) -> impl Iterator<Item = DefId> {
    let name = &*files.definition(class).qualified_name;
    let is_outside = move |id: &DefId| {
        let definition = files.definition(*id);
        let of = definition.qualified_name.rsplit_once('.');
        definition.modifiers.is_out_of_line
            && files.parent(*id) != Some(class)
            && of.is_some_and(|(of, _)| of == name)
    };
    let outside = files.definitions_of(class.file).filter(is_outside);
    files.members(class).chain(outside)
}

/// Returns the methods that override some of the given definitions, those of the nearest subclasses first, each with the
/// one that it overrides.
pub(super) fn overriding(snapshot: &Snapshot, definitions: &[DefId]) -> Vec<(DefId, DefId)> {
    let files = &snapshot.files;
    let mut by_class: BTreeMap<DefId, HashMap<&str, DefId>> = BTreeMap::new();
    for id in definitions {
        let definition = files.definition(*id);
        // A constructor overrides nothing.
        let is_method = definition.kind.is_function() && !definition.modifiers.is_constructor;
        if let Some(class) = files.parent(*id).filter(|_| is_method) {
            let methods = by_class.entry(class).or_default();
            methods.insert(&definition.name, *id);
        }
    }
    let mut found = Vec::new();
    for (class, methods) in by_class {
        for subclass in subclasses(snapshot, class) {
            let functions = members(files, subclass).map(|id| (id, files.definition(id)));
            let functions = functions.filter(|(_, member)| member.kind.is_function());
            found.extend(functions.filter_map(|(id, member)| {
                let overridden = methods.get(&*member.name)?;
                Some((id, *overridden))
            }));
        }
    }
    found
}

/// Returns the classes that extend or implement a class, also through others, the nearest first.
fn subclasses(snapshot: &Snapshot, class: DefId) -> Vec<DefId> {
    let Snapshot { files, graph, .. } = snapshot;
    let mut seen = HashSet::from_iter([class]);
    let mut waiting = VecDeque::from([class]);
    let mut found = Vec::new();
    while let Some(base) = waiting.pop_front() {
        for site in graph.uses_of(base) {
            let subclass = site
                .enclosing
                .filter(|_| site.confidence != Confidence::NameOnly && is_base(files, base, site));
            let Some(subclass) = subclass.filter(|id| files.definition(*id).kind.is_class()) else {
                continue;
            };
            if found.len() < MAX_SUBCLASSES && seen.insert(subclass) {
                found.push(subclass);
                waiting.push_back(subclass);
            }
        }
    }
    found
}
