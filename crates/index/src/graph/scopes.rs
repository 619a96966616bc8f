//! The names of each file: what a file defines, imports and exports, in one sorted table per file
//! that is searched by a hash of scope and name. Names are compared with the text of the facts, so
//! the table holds none. Start at [`Names`].

use foldhash::HashSet;
use foveate_model::{Definition, DefinitionKind, FileFacts, Import, ImportKind, LocalId};
use rayon::prelude::*;

use crate::files::{DefId, FileId, Files};
use crate::graph::modules::{Family, Modules};
use crate::graph::python::child_module;

/// The scope of a file's top level.
const TOP_LEVEL: u32 = 0;
/// The scope of the names that only other files see.
const EXPORTS: u32 = u32::MAX;
/// Longest chain of re-exports that is followed.
const MAX_CHAIN: u32 = 16;
/// Most files that a file takes names from through star imports.
const MAX_STARS: usize = 512;
/// Most star imports that are looked at to find those files.
const MAX_STAR_STEPS: u32 = 16_384;
/// Most tables that one lookup through imports opens, so that cycles and webs of star imports
/// end.
const MAX_STEPS: u32 = 2_048;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Definition(DefId),
    Module(FileId),
    /// Something outside the repository.
    External,
}

/// At most four targets of one name: overloads, alternatives of a conditional definition, an
/// interface merged with a class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    targets: [Option<Target>; 4],
}

impl Found {
    pub(super) fn one(target: Target) -> Self {
        Self {
            targets: [Some(target), None, None, None],
        }
    }

    /// Adds a target; the fifth and equal ones are left out.
    pub(super) fn push(&mut self, target: Target) {
        for slot in &mut self.targets {
            match slot {
                None => {
                    *slot = Some(target);
                    return;
                }
                Some(present) if *present == target => return,
                Some(_) => {}
            }
        }
    }

    pub(super) fn first(&self) -> Option<Target> {
        self.targets[0]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.targets[0].is_none()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Target> {
        self.targets.into_iter().flatten()
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = DefId> {
        self.iter().filter_map(|target| match target {
            Target::Definition(id) => Some(id),
            Target::Module(_) | Target::External => None,
        })
    }
}

/// One name of a file: where it comes from. Positions are those in the file's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Definition(LocalId),
    Imported { import: u32, name: u32 },
    Exported(u32),
}

/// The table of one file.
#[derive(Debug, Default)]
pub(super) struct FileScope {
    /// Sorted by hash of scope and name.
    entries: Box<[(u32, Binding)]>,
    /// The file of each import.
    pub(super) modules: Box<[Option<FileId>]>,
    /// Files whose names this one takes over with star imports, directly or not, in order.
    stars: Box<[FileId]>,
}

/// Everything that looking up a name needs.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) files: &'a Files,
    pub(super) modules: &'a Modules,
    pub(super) scopes: &'a [FileScope],
}

/// Builds the tables of all files.
pub(super) fn scopes(files: &Files, modules: &Modules) -> Vec<FileScope> {
    let ids: Vec<FileId> = files.ids().collect();
    let mut scopes: Vec<FileScope> = ids
        .par_iter()
        .map(|id| match files.content(*id) {
            Some(content) => file_scope(files, modules, *id, &content.facts),
            None => FileScope::default(),
        })
        .collect();
    let stars: Vec<Vec<FileId>> = ids
        .par_iter()
        .map(|id| star_closure(files, &scopes, *id))
        .collect();
    for (scope, stars) in scopes.iter_mut().zip(stars) {
        scope.stars = stars.into();
    }
    scopes
}

/// The scope number of what lies inside a definition.
fn inside(definition: Option<LocalId>) -> u32 {
    definition.map_or(TOP_LEVEL, |id| id.0 + 1)
}

/// FNV-1a of the name, mixed with the scope.
fn hash(scope: u32, name: &str) -> u32 {
    let start = 0x811c_9dc5 ^ scope.wrapping_mul(0x9e37_79b9);
    name.bytes().fold(start, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// The name that an import binds: of Python's `import a.b` that is `a`.
pub(super) fn bound_name<'a>(import: &Import, local: &'a str) -> &'a str {
    match import.kind {
        ImportKind::Module => local.split('.').next().unwrap_or(local),
        _ => local,
    }
}

fn file_scope(files: &Files, modules: &Modules, file: FileId, facts: &FileFacts) -> FileScope {
    let mut entries = Vec::with_capacity(facts.definitions.len() + facts.imports.len());
    for (position, definition) in facts.definitions.iter().enumerate() {
        let binding = Binding::Definition(LocalId(position as u32));
        let scope = inside(definition.parent);
        entries.push((hash(scope, &definition.name), binding));
        if definition.modifiers.is_default_export {
            entries.push((hash(EXPORTS, "default"), binding));
        }
        if in_ambient_module(facts, definition) {
            entries.push((hash(EXPORTS, &definition.name), binding));
        }
    }
    for (position, import) in facts.imports.iter().enumerate() {
        let scope = match import.kind {
            ImportKind::ReExport => EXPORTS,
            _ => inside(import.enclosing),
        };
        for (name, imported) in import.names.iter().enumerate() {
            if !imported.local.is_empty() {
                let binding = Binding::Imported {
                    import: position as u32,
                    name: name as u32,
                };
                entries.push((hash(scope, bound_name(import, &imported.local)), binding));
            }
        }
    }
    for (position, export) in facts.exports.iter().enumerate() {
        let binding = Binding::Exported(position as u32);
        entries.push((hash(EXPORTS, &export.exported), binding));
    }
    entries.sort_unstable();
    let modules = facts
        .imports
        .iter()
        .map(|import| modules.resolve(files, file, &import.module, import.kind))
        .collect();
    FileScope {
        entries: entries.into(),
        modules,
        stars: Box::default(),
    }
}

/// Whether a definition stands directly in `declare module 'x'`, which describes a module under its
/// own name: importing the file's package means what stands in there.
fn in_ambient_module(facts: &FileFacts, definition: &Definition) -> bool {
    let outer = definition.parent.and_then(|id| facts.definition(id));
    outer.is_some_and(|outer| {
        outer.kind == DefinitionKind::Module
            && outer.parent.is_none()
            && outer
                .name
                .bytes()
                .any(|byte| matches!(byte, b'@' | b'/' | b'-'))
    })
}

fn is_star(import: &Import, family: Family) -> bool {
    let form = match family {
        Family::Ecmascript => import.kind == ImportKind::ReExport,
        _ => true,
    };
    form && import
        .names
        .iter()
        .any(|name| &*name.name == "*" && name.local.is_empty())
}

/// Files that a file's star imports lead to, breadth first, each once.
fn star_closure(files: &Files, scopes: &[FileScope], file: FileId) -> Vec<FileId> {
    let mut closure = vec![file];
    let mut seen: HashSet<FileId> = HashSet::from_iter([file]);
    let mut steps = MAX_STAR_STEPS;
    let mut next = 0;
    while let Some(&current) = closure.get(next) {
        next += 1;
        let (Some(content), Some(scope)) = (files.content(current), scopes.get(current.0 as usize))
        else {
            continue;
        };
        let family = Family::of(files.file(current).language);
        for (import, module) in content.facts.imports.iter().zip(&scope.modules) {
            let Some(module) = module.filter(|_| is_star(import, family)) else {
                continue;
            };
            if closure.len() > MAX_STARS || steps == 0 {
                break;
            }
            steps -= 1;
            if seen.insert(module) {
                closure.push(module);
            }
        }
    }
    closure.remove(0);
    closure
}

impl<'a> Names<'a> {
    fn facts(&self, file: FileId) -> Option<&'a FileFacts> {
        self.files.content(file).map(|content| &content.facts)
    }

    fn scope(&self, file: FileId) -> Option<&'a FileScope> {
        self.scopes.get(file.0 as usize)
    }

    pub(super) fn family(&self, file: FileId) -> Family {
        Family::of(self.files.file(file).language)
    }

    fn bindings(&self, file: FileId, scope: u32, name: &'a str) -> impl Iterator<Item = Binding> {
        let wanted = hash(scope, name);
        let entries = self.scope(file).map_or(&[][..], |s| &s.entries);
        let start = entries.partition_point(|(hash, _)| *hash < wanted);
        let names = *self;
        entries[start..]
            .iter()
            .take_while(move |(hash, _)| *hash == wanted)
            .map(|(_, binding)| *binding)
            .filter(move |binding| names.is_named(file, scope, name, *binding))
    }

    /// Whether a binding with the right hash has the right name.
    fn is_named(&self, file: FileId, scope: u32, name: &str, binding: Binding) -> bool {
        let Some(facts) = self.facts(file) else {
            return false;
        };
        match binding {
            Binding::Definition(id) => facts.definition(id).is_some_and(|d| {
                if scope == EXPORTS {
                    (name == "default" && d.modifiers.is_default_export)
                        || (*d.name == *name && in_ambient_module(facts, d))
                } else {
                    *d.name == *name && inside(d.parent) == scope
                }
            }),
            Binding::Imported { import, name: at } => {
                let import = facts.imports.get(import as usize);
                import.is_some_and(|import| {
                    let local = import.names.get(at as usize).map(|n| &*n.local);
                    local.is_some_and(|local| bound_name(import, local) == name)
                        && (scope == EXPORTS) == (import.kind == ImportKind::ReExport)
                        && (scope == EXPORTS || inside(import.enclosing) == scope)
                })
            }
            Binding::Exported(at) => {
                let export = facts.exports.get(at as usize);
                scope == EXPORTS && export.is_some_and(|export| *export.exported == *name)
            }
        }
    }

    /// Definitions and imports directly inside a definition (or at the top level).
    pub(super) fn within(&self, file: FileId, outer: Option<LocalId>, name: &'a str) -> Found {
        let mut steps = MAX_STEPS;
        self.bound(file, inside(outer), name, MAX_CHAIN, &mut steps)
    }

    /// The members of a class, enum or namespace with this name; its bases are not asked.
    pub(super) fn own_members(&self, class: DefId, name: &'a str) -> Found {
        let file = self.files.file_of(class);
        let outer = Some(self.files.local_of(class));
        let mut found = Found::default();
        for binding in self.bindings(file, inside(outer), name) {
            if let Binding::Definition(local) = binding {
                found.push(Target::Definition(self.files.global(file, local)));
            }
        }
        self.implementations(found)
    }

    /// What a name at a file's top level stands for: defined there, imported, or taken over by a
    /// star import.
    pub(super) fn visible(&self, file: FileId, name: &'a str) -> Found {
        let mut steps = MAX_STEPS;
        let found = self.bound(file, TOP_LEVEL, name, MAX_CHAIN, &mut steps);
        if !found.is_empty() || self.family(file) != Family::Python {
            return found;
        }
        self.through_stars(file, name, MAX_CHAIN, &mut steps)
    }

    /// What `name` of the module `file` stands for to other files.
    pub(super) fn exported(&self, file: FileId, name: &'a str) -> Found {
        let mut steps = MAX_STEPS;
        self.exported_within(file, name, MAX_CHAIN, &mut steps)
    }

    /// The attribute `name` of a module: what it exports, or its submodule.
    pub(super) fn attribute(&self, file: FileId, name: &'a str) -> Found {
        let found = self.exported(file, name);
        if !found.is_empty() || self.family(file) != Family::Python {
            return found;
        }
        child_module(self.files, file, name)
            .map_or(found, |module| Found::one(Target::Module(module)))
    }

    fn exported_within(&self, file: FileId, name: &'a str, chain: u32, steps: &mut u32) -> Found {
        if chain == 0 || *steps == 0 {
            return Found::default();
        }
        *steps -= 1;
        if self.family(file) != Family::Ecmascript {
            let found = self.bound(file, TOP_LEVEL, name, chain, steps);
            if !found.is_empty() {
                return found;
            }
            return self.through_stars(file, name, chain, steps);
        }
        let mut found = self.bound(file, EXPORTS, name, chain, steps);
        let own = self.own_top_level(file, name);
        for id in own.definitions() {
            if self.files.definition(id).modifiers.is_exported {
                found.push(Target::Definition(id));
            }
        }
        if found.is_empty() && name != "default" {
            found = self.through_stars(file, name, chain, steps);
        }
        // CommonJS and declaration files export more than the facts can tell.
        if found.is_empty() { own } else { found }
    }

    fn own_top_level(&self, file: FileId, name: &'a str) -> Found {
        let mut found = Found::default();
        for binding in self.bindings(file, TOP_LEVEL, name) {
            if let Binding::Definition(local) = binding {
                found.push(Target::Definition(self.files.global(file, local)));
            }
        }
        self.implementations(found)
    }

    /// The definitions of a name in one scope; where there are none, what it is imported as or
    /// exported from.
    fn bound(&self, file: FileId, scope: u32, name: &'a str, chain: u32, steps: &mut u32) -> Found {
        let mut found = Found::default();
        let mut external = false;
        for binding in self.bindings(file, scope, name) {
            match binding {
                Binding::Definition(local) => {
                    found.push(Target::Definition(self.files.global(file, local)));
                }
                _ if !found.is_empty() => break,
                Binding::Imported { import, name } => {
                    let imported = self.imported(file, import, name, chain, steps);
                    match imported.first() {
                        // A later import may be the repository's own fallback.
                        Some(Target::External) => external = true,
                        Some(_) => return imported,
                        None => {}
                    }
                }
                Binding::Exported(at) => {
                    let local = self.exported_local(file, at, chain, steps);
                    if !local.is_empty() {
                        return local;
                    }
                }
            }
        }
        if found.is_empty() && external {
            return Found::one(Target::External);
        }
        self.implementations(found)
    }

    fn exported_local(&self, file: FileId, export: u32, chain: u32, steps: &mut u32) -> Found {
        let local = self
            .facts(file)
            .and_then(|facts| facts.exports.get(export as usize))
            .map_or("", |export| &export.local);
        if chain == 0 || *steps == 0 {
            return Found::default();
        }
        *steps -= 1;
        let (head, member) = local.split_once('.').unwrap_or((local, ""));
        let found = self.bound(file, TOP_LEVEL, head, chain - 1, steps);
        if member.is_empty() {
            return found;
        }
        match found.first() {
            Some(Target::Definition(outer)) => self.own_members(outer, member),
            Some(Target::Module(module)) => self.exported_within(module, member, chain - 1, steps),
            _ => Found::default(),
        }
    }

    /// What one imported name stands for.
    fn imported(&self, file: FileId, import: u32, name: u32, chain: u32, steps: &mut u32) -> Found {
        let at = import as usize;
        let module = self.scope(file).and_then(|s| *s.modules.get(at)?);
        let Some(import) = self.facts(file).and_then(|facts| facts.imports.get(at)) else {
            return Found::default();
        };
        let Some(imported) = import.names.get(name as usize) else {
            return Found::default();
        };
        let python = self.family(file) == Family::Python;
        if &*imported.name == "*" {
            if python && imported.local.contains('.') {
                let first = bound_name(import, &imported.local);
                let root = self.modules.python.absolute(self.files, Some(file), first);
                return Found::one(root.or(module).map_or(Target::External, Target::Module));
            }
            return Found::one(module.map_or(Target::External, Target::Module));
        }
        if let Some(module) = module {
            // `from . import x` in the package's own `__init__.py` means its submodule.
            let itself = module == file && imported.name == imported.local;
            if !itself {
                let found = self.exported_within(module, &imported.name, chain - 1, steps);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        if python {
            let submodule =
                self.modules
                    .python
                    .submodule(self.files, file, &import.module, &imported.name);
            if let Some(submodule) = submodule {
                return Found::one(Target::Module(submodule));
            }
        }
        match module {
            None => Found::one(Target::External),
            Some(module) if !python && &*imported.name == "default" => {
                Found::one(Target::Module(module))
            }
            Some(_) => Found::default(),
        }
    }

    fn through_stars(&self, file: FileId, name: &'a str, chain: u32, steps: &mut u32) -> Found {
        let stars = self.scope(file).map_or(&[][..], |scope| &scope.stars);
        for star in stars {
            if *steps == 0 {
                break;
            }
            *steps -= 1;
            let found = if self.family(*star) == Family::Ecmascript {
                self.exported_directly(*star, name, chain, steps)
            } else if self.is_public(*star, name) {
                self.bound(*star, TOP_LEVEL, name, chain, steps)
            } else {
                Found::default()
            };
            if !found.is_empty() {
                return found;
            }
        }
        Found::default()
    }

    /// What a module exports under a name without its own star exports.
    fn exported_directly(&self, file: FileId, name: &'a str, chain: u32, steps: &mut u32) -> Found {
        let mut found = self.bound(file, EXPORTS, name, chain, steps);
        for id in self.own_top_level(file, name).definitions() {
            if self.files.definition(id).modifiers.is_exported {
                found.push(Target::Definition(id));
            }
        }
        found
    }

    /// Whether `from file import *` takes a name over.
    fn is_public(&self, file: FileId, name: &'a str) -> bool {
        let listed = self.facts(file).is_some_and(|f| !f.exports.is_empty());
        if listed {
            self.bindings(file, EXPORTS, name).next().is_some()
        } else {
            !name.starts_with('_')
        }
    }

    /// Without the overloads, where an implementation is among them.
    fn implementations(&self, found: Found) -> Found {
        if found.targets[1].is_none() {
            return found;
        }
        let is_overload = |target: &Target| match target {
            Target::Definition(id) => self.files.definition(*id).modifiers.is_overload,
            Target::Module(_) | Target::External => false,
        };
        if found.iter().all(|target| is_overload(&target)) {
            return found;
        }
        let mut kept = Found::default();
        for target in found.iter().filter(|target| !is_overload(target)) {
            kept.push(target);
        }
        kept
    }

    /// The files that a file's imports lead to: the modules, and the files of what is taken from
    /// them. Unordered, with repetitions.
    pub(super) fn imported_files(&self, file: FileId) -> Vec<FileId> {
        let (Some(facts), Some(scope)) = (self.facts(file), self.scope(file)) else {
            return Vec::new();
        };
        let mut imported: Vec<FileId> = scope.modules.iter().flatten().copied().collect();
        for (position, import) in facts.imports.iter().enumerate() {
            for name in 0..import.names.len() {
                let mut steps = MAX_STEPS;
                let at = position as u32;
                let found = self.imported(file, at, name as u32, MAX_CHAIN, &mut steps);
                imported.extend(found.iter().filter_map(|target| match target {
                    Target::Definition(id) => Some(self.files.file_of(id)),
                    Target::Module(module) => Some(module),
                    Target::External => None,
                }));
            }
        }
        imported
    }

    /// The definition of a local id, where it is in the file.
    pub(super) fn local(&self, file: FileId, id: LocalId) -> Option<&'a Definition> {
        self.facts(file)?.definition(id)
    }

    /// Whether a definition holds what its members are looked up in.
    pub(super) fn is_class(&self, id: DefId) -> bool {
        let kind = self.files.definition(id).kind;
        kind.is_container() && kind != DefinitionKind::Module
    }
}

pub(super) fn heap_bytes(scopes: &[FileScope]) -> usize {
    scopes
        .iter()
        .map(|scope| {
            size_of::<FileScope>()
                + size_of_val(&*scope.entries)
                + size_of_val(&*scope.modules)
                + size_of_val(&*scope.stars)
        })
        .sum()
}
