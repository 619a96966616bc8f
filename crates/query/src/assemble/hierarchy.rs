//! Finds the members of types, and the methods of subclasses that override others.

use std::collections::{BTreeMap, VecDeque};

use foldhash::HashSet;
use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::Role;

use super::directory::siblings;
use super::verb::is_base;

/// Maximum classes below a class that are searched.
const MAX_SUBCLASSES: usize = 256;

/// Returns the members of a type: those inside it, then those that its file and the other files of its package define
/// outside of it, as in Rust, Go and Kotlin.
pub(super) fn members(snapshot: &Snapshot, class: DefId) -> impl Iterator<Item = DefId> {
    let files = &snapshot.files;
    let of_package = package_files(files, class.file);
    let elsewhere = of_package.flat_map(move |file| outside(files, class, file));
    own_members(files, class).chain(elsewhere)
}

/// Returns the members of a type that its file defines: those inside it, then those outside of it.
fn own_members(files: &Files, class: DefId) -> impl Iterator<Item = DefId> {
    let outside = outside(files, class, class.file);
    files.members(class).chain(outside)
}

/// Returns the members of a type that a file defines outside of it.
fn outside(files: &Files, class: DefId, file: FileId) -> impl Iterator<Item = DefId> {
    let name = &*files.definition(class).qualified_name;
    let is_outside = move |id: &DefId| {
        let definition = files.definition(*id);
        let of = definition.qualified_name.rsplit_once('.');
        definition.modifiers.is_out_of_line
            && files.parent(*id) != Some(class)
            && of.is_some_and(|(of, _)| of == name)
    };
    files.definitions_of(file).filter(is_outside)
}

/// Returns the other files in the directory of a file that declare the same package.
fn package_files(files: &Files, file: FileId) -> impl Iterator<Item = FileId> {
    let declaring = Some(file).filter(|file| package(files, *file).is_some());
    let others = declaring
        .into_iter()
        .flat_map(move |file| siblings(files, file));
    others.filter(move |other| is_one_package(files, file, *other))
}

/// Whether two files of a directory declare the same package.
fn is_one_package(files: &Files, file: FileId, other: FileId) -> bool {
    let declared = package(files, file);
    declared.is_some()
        && declared == package(files, other)
        && files.file(file).language == files.file(other).language
}

/// Returns the package that a file declares.
fn package(files: &Files, file: FileId) -> Option<&str> {
    let package = &*files.content(file)?.facts.package;
    (!package.is_empty()).then_some(package)
}

/// Returns the methods that override some of the given definitions, those of the nearest subclasses first, each with the
/// one that it overrides.
pub(super) fn overriding(snapshot: &Snapshot, definitions: &[DefId]) -> Vec<(DefId, DefId)> {
    let files = &snapshot.files;
    let mut by_class: BTreeMap<DefId, BTreeMap<&str, DefId>> = BTreeMap::new();
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
            found.extend(overriding_in(snapshot, subclass, &methods));
        }
    }
    found
}

/// Returns the methods of this name of the classes below a class, those of the nearest ones first, each with the class.
pub(super) fn overriding_member(
    snapshot: &Snapshot,
    class: DefId,
    name: &str,
) -> Vec<(DefId, DefId)> {
    let methods = BTreeMap::from([(name, class)]);
    let subclasses = subclasses(snapshot, class).into_iter();
    let found = subclasses.flat_map(|subclass| overriding_in(snapshot, subclass, &methods));
    found.collect()
}

/// Returns the functions of a class that have the name of a method, each with that method.
fn overriding_in(
    snapshot: &Snapshot,
    class: DefId,
    methods: &BTreeMap<&str, DefId>,
) -> Vec<(DefId, DefId)> {
    let files = &snapshot.files;
    let functions = own_members(files, class).map(|id| (id, files.definition(id)));
    let functions = functions.filter(|(_, member)| member.kind.is_function());
    let own = functions.filter_map(|(id, member)| Some((id, *methods.get(&*member.name)?)));
    let mut found: Vec<(DefId, DefId)> = own.collect();
    for (name, of) in methods {
        if found.iter().all(|(_, overridden)| overridden != of) {
            let elsewhere = defined_elsewhere(snapshot, class, name).into_iter();
            found.extend(elsewhere.map(|id| (id, *of)));
        }
    }
    found
}

/// Returns the functions of a class with this name that other files of its package define.
fn defined_elsewhere(snapshot: &Snapshot, class: DefId, name: &str) -> Vec<DefId> {
    let Snapshot { files, symbols, .. } = snapshot;
    if package(files, class.file).is_none() {
        return Vec::new();
    }
    let directory = |file: FileId| files.file(file).path.directory();
    let qualified = format!("{}.{name}", files.definition(class).qualified_name);
    let named = symbols.qualified(&qualified).iter().copied();
    let is_member = |id: &DefId| {
        let definition = files.definition(*id);
        id.file != class.file
            && definition.modifiers.is_out_of_line
            && definition.kind.is_function()
            && directory(id.file) == directory(class.file)
            && is_one_package(files, class.file, id.file)
    };
    named.filter(is_member).collect()
}

/// Returns the types that implement an interface without naming it, also by embedding another one that does, those of
/// tests last.
pub(super) fn implementers(snapshot: &Snapshot, interface: DefId) -> Vec<DefId> {
    let Snapshot { files, symbols, .. } = snapshot;
    let found = snapshot.graph.implementers(files, symbols, interface);
    with_embedding(snapshot, found)
}

/// Adds the types that embed the `found` ones, and puts those of tests last, so that the limit leaves these out.
fn with_embedding(snapshot: &Snapshot, mut found: Vec<DefId>) -> Vec<DefId> {
    let is_of_tests = |id: &DefId| snapshot.files.role_of(*id) == Role::Test;
    found.sort_by_key(is_of_tests);
    found.truncate(MAX_SUBCLASSES);
    let mut found = with_subclasses(snapshot, found.clone(), found);
    found.sort_by_key(is_of_tests);
    found
}

/// Returns the types that implement an interface of a standard library without naming it, also by embedding another one
/// that does, those of tests last, and the whole name of the interface; `None` if there is no such interface.
pub(super) fn library_implementers(
    snapshot: &Snapshot,
    name: &str,
) -> Option<(&'static str, Vec<DefId>)> {
    let Snapshot { files, symbols, .. } = snapshot;
    let (name, found) = snapshot.graph.library_implementers(files, symbols, name)?;
    Some((name, with_embedding(snapshot, found)))
}

/// Whether a definition is a type, or a module that classes include, which gives them its members.
pub(super) fn is_type(snapshot: &Snapshot, id: DefId) -> bool {
    let kind = snapshot.files.definition(id).kind;
    kind.is_class() || kind.is_container() && is_extended(snapshot, id)
}

/// Whether something extends or implements a type, or includes a module.
pub(super) fn is_extended(snapshot: &Snapshot, class: DefId) -> bool {
    let Snapshot { files, symbols, .. } = snapshot;
    let is_base = |site: &CallSite| {
        site.confidence != Confidence::NameOnly
            && site.enclosing != Some(class)
            && is_base(files, class, site)
    };
    snapshot.graph.uses_of(class).iter().any(is_base)
        || !snapshot
            .graph
            .implementers(files, symbols, class)
            .is_empty()
}

/// Returns the classes that extend or implement a class, also through others, the nearest first.
fn subclasses(snapshot: &Snapshot, class: DefId) -> Vec<DefId> {
    let found = implementers(snapshot, class);
    let of = [class].into_iter().chain(found.iter().copied());
    with_subclasses(snapshot, of.collect(), found)
}

/// Adds to the `found` classes those that extend or implement the classes `of`, also through others, the nearest first.
fn with_subclasses(snapshot: &Snapshot, of: Vec<DefId>, mut found: Vec<DefId>) -> Vec<DefId> {
    let Snapshot { files, graph, .. } = snapshot;
    let mut seen = HashSet::from_iter(of.iter().copied());
    let mut waiting = VecDeque::from(of);
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
