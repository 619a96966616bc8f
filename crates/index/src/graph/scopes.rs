//! Builds the table of names of each file: what it defines, imports and exports, sorted by a hash of scope
//! and name. Matches are confirmed in the facts, so the tables contain no names.

mod projects;

use std::sync::Arc;

use foldhash::HashSet;
use foveate_model::resolution::LookupRules;
use foveate_model::{FileFacts, Import, ImportKind, LocalId};
use rayon::prelude::*;

use self::projects::ProjectImports;
use crate::change::{Change, FileSet, Renumber};
use crate::files::{FileId, Files};
use crate::graph::changed_names::ChangedNames;
use crate::graph::dependencies::fnv1a;
use crate::graph::module_changes::MovedModules;
use crate::graph::modules::Modules;

/// The scope of a file's top level.
pub(super) const TOP_LEVEL: u32 = 0;
/// The scope of names that are visible only to other files.
pub(super) const EXPORTS: u32 = u32::MAX;
/// Maximum number of files that a file takes names from through star imports.
const MAX_STARS: usize = 512;
/// Maximum number of bindings of one name in one scope that are examined.
const MAX_NAMESAKES: usize = 64;
/// Maximum number of star imports that are followed to find those files.
const MAX_STAR_STEPS: u32 = 16_384;

/// The origin of one name of a file. Positions are those in the file's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Definition(LocalId),
    Imported { import: u32, name: u32 },
    Exported(u32),
}

/// The table of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileScope {
    /// Sorted by hash of scope and name.
    entries: Arc<[(u32, Binding)]>,
    /// The file that each import resolves to.
    pub(super) modules: Box<[Option<FileId>]>,
    /// Files whose names this one takes over with star imports, directly or transitively, in order.
    pub(super) stars: Box<[FileId]>,
}

impl FileScope {
    /// Returns the bindings of a name in one scope, in the order of [`Binding`].
    pub(super) fn bindings<'a>(
        &'a self,
        facts: &'a FileFacts,
        scope: u32,
        name: &'a str,
    ) -> impl Iterator<Item = Binding> + 'a {
        let wanted = hash(scope, name);
        let start = self.entries.partition_point(|(hash, _)| *hash < wanted);
        self.entries[start..]
            .iter()
            .take_while(move |(hash, _)| *hash == wanted)
            .take(MAX_NAMESAKES)
            .map(|(_, binding)| *binding)
            .filter(move |binding| is_named(facts, scope, name, *binding))
    }
}

/// Whether a binding whose hash matches has this scope and name.
fn is_named(facts: &FileFacts, scope: u32, name: &str, binding: Binding) -> bool {
    match binding {
        Binding::Definition(id) => facts.definition(id).is_some_and(|d| {
            if scope == EXPORTS {
                name == "default" && d.modifiers.is_default_export
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

/// The tables of the previous snapshot and what changed since then.
pub(super) struct PreviousTables<'a> {
    pub(super) scopes: &'a [Arc<FileScope>],
    pub(super) change: &'a Change,
    /// Last parts of the names of modules that were added or removed.
    pub(super) modules: HashSet<&'a str>,
    /// Which modules may have moved, for imports that do not go by such names.
    pub(super) moved: &'a MovedModules,
    /// Names that may resolve differently in paths.
    pub(super) changed_names: &'a ChangedNames<'a>,
}

impl PreviousTables<'_> {
    /// Returns the earlier table of a file with the ids of the later snapshot, and whether its imports
    /// resolve as before. `None` if the file's content changed.
    fn scope(
        &self,
        files: &Files,
        modules: &Modules,
        file: FileId,
    ) -> Option<(Arc<FileScope>, bool)> {
        let scope = self
            .scopes
            .get(self.change.earlier_id_if_unchanged(file)?.0 as usize)?;
        let family = files.file(file).language.family();
        let is_unchanged = self.change.is_stable()
            && !self.moved.may_have_moved(family)
            && self.changed_names.is_empty();
        let Some(content) = files.content(file).filter(|_| !is_unchanged) else {
            return Some((Arc::clone(scope), true));
        };
        let mut now = FileScope::clone(scope);
        let mut same = true;
        for (import, module) in content.facts.imports.iter().zip(&mut now.modules) {
            let earlier = module.map(|module| self.change.later_id(module));
            let is_gone = earlier == Some(None);
            *module = if is_gone || self.may_differ(files, file, import) {
                modules.resolve(files, file, &import.module, import.kind)
            } else {
                earlier.flatten()
            };
            same &= !is_gone && earlier.flatten() == *module;
        }
        let stars: Option<Box<[FileId]>> = scope.stars.renumbered(self.change);
        same &= stars.is_some();
        now.stars = stars.unwrap_or_default();
        Some((Arc::new(now), same))
    }

    fn may_differ(&self, files: &Files, file: FileId, import: &Import) -> bool {
        let language = files.file(file).language;
        let Some(system) = language.rules().modules else {
            return false;
        };
        let family = language.family();
        match (system.imported_name)(&import.module) {
            Some(name) => self.modules.contains(name) || self.moved.has_other_settings(family),
            None => self.moved.may_have_moved(family) || self.changed_names.affects(&import.module),
        }
    }

    /// Returns the earlier star imports of a file whose content changed, if its imports resolve as before.
    fn unchanged_stars(&self, file: FileId, now: &FileScope) -> Option<Box<[FileId]>> {
        let before = self.scopes.get(self.change.earlier_id(file)?.0 as usize)?;
        let moved = before.modules.iter().map(|module| match module {
            Some(module) => self.change.later_id(*module).map(Some),
            None => Some(None),
        });
        if !moved.eq(now.modules.iter().map(|module| Some(*module))) {
            return None;
        }
        before.stars.renumbered(self.change)
    }
}

/// Builds the tables of all files. `touched` are the files whose interface changed; files whose imports or
/// star imports resolve differently are added to it.
pub(super) fn scopes(
    files: &Files,
    modules: &Modules,
    earlier: Option<&PreviousTables<'_>>,
    touched: &mut FileSet,
) -> Vec<Arc<FileScope>> {
    let ids: Vec<FileId> = files.ids().collect();
    let (mut tables, same): (Vec<Arc<FileScope>>, Vec<bool>) = ids
        .par_iter()
        .with_min_len(16)
        .map(|id| {
            let before = earlier.and_then(|earlier| earlier.scope(files, modules, *id));
            match (before, files.content(*id)) {
                (Some(before), _) => before,
                (None, Some(content)) => {
                    let mut scope = file_scope(files, modules, *id, &content.facts);
                    let stars = earlier.and_then(|e| e.unchanged_stars(*id, &scope));
                    let same = stars.is_some();
                    scope.stars = stars.unwrap_or_default();
                    (Arc::new(scope), same)
                }
                (None, None) => (Arc::default(), false),
            }
        })
        .unzip();
    touched.extend(
        ids.iter()
            .zip(same)
            .filter(|(_, same)| !same)
            .map(|(id, _)| *id),
    );
    update_stars(files, modules, earlier, &mut tables, touched);
    tables
}

/// Follows star imports again where files on their way were `touched`, and adds the files that then take names from
/// other files than before.
fn update_stars(
    files: &Files,
    modules: &Modules,
    earlier: Option<&PreviousTables<'_>>,
    tables: &mut [Arc<FileScope>],
    touched: &mut FileSet,
) {
    let current: &[Arc<FileScope>] = tables;
    let of_projects = ProjectImports::new(files, modules, current);
    let has_other_projects = |file: FileId| {
        let family = files.file(file).language.family();
        earlier.is_some_and(|earlier| earlier.moved.has_other_settings(family))
    };
    let stars: Vec<Option<Vec<FileId>>> = (0..files.len() as u32)
        .into_par_iter()
        .with_min_len(64)
        .map(|id| {
            let file = FileId(id);
            let known = &current[id as usize].stars;
            let of_project = of_projects.of(files, modules, file);
            let is_stale = touched.contains(file)
                || known.iter().any(|s| touched.contains(*s))
                || of_project.is_some()
                || has_other_projects(file);
            is_stale
                .then(|| star_closure(files, current, file, of_project.unwrap_or_default()))
                .filter(|closure| **closure != **known)
        })
        .collect();
    for ((file, table), stars) in files.ids().zip(tables).zip(stars) {
        if let Some(stars) = stars {
            Arc::make_mut(table).stars = stars.into();
            touched.insert(file);
        }
    }
}

/// Returns the scope number of the inside of a definition.
pub(super) fn inside(definition: Option<LocalId>) -> u32 {
    definition.map_or(TOP_LEVEL, |id| id.0 + 1)
}

/// Returns the hash of a name in a scope.
fn hash(scope: u32, name: &str) -> u32 {
    fnv1a(scope.wrapping_mul(0x9e37_79b9), name)
}

/// Returns the name that an import binds: `a` for Python's `import a.b`.
pub(super) fn bound_name<'a>(import: &Import, local: &'a str) -> &'a str {
    match import.kind {
        ImportKind::Module => local.split('.').next().unwrap_or(local),
        _ => local,
    }
}

fn file_scope(files: &Files, modules: &Modules, file: FileId, facts: &FileFacts) -> FileScope {
    let mut entries = Vec::with_capacity(facts.definitions.len() + facts.imports.len());
    for (position, definition) in facts.definitions.iter().enumerate() {
        if definition.modifiers.is_out_of_line || definition.modifiers.is_block {
            // It is a member of the type in its qualified name, or a block that no code can name.
            continue;
        }
        let binding = Binding::Definition(LocalId(position as u32));
        let scope = inside(definition.parent);
        entries.push((hash(scope, &definition.name), binding));
        if definition.modifiers.is_default_export {
            entries.push((hash(EXPORTS, "default"), binding));
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

fn is_star(import: &Import, rules: &LookupRules) -> bool {
    let is_transitive = rules.star_imports_bind || import.kind == ImportKind::ReExport;
    is_transitive && takes_all(import)
}

/// Whether an import is a star import, which binds all names of the imported module.
pub(super) fn takes_all(import: &Import) -> bool {
    let mut names = import.names.iter();
    names.any(|name| &*name.name == "*" && name.local.is_empty())
}

/// Returns the files that a file's star imports reach, breadth first, each once. Those that its project imports come last.
fn star_closure(
    files: &Files,
    scopes: &[Arc<FileScope>],
    file: FileId,
    of_project: &[FileId],
) -> Vec<FileId> {
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
        let rules = &files.file(current).language.rules().lookup;
        let is_followed = current == file || rules.star_imports_are_transitive;
        for (import, module) in content.facts.imports.iter().zip(&scope.modules) {
            let is_star = is_followed && is_star(import, rules);
            let Some(module) = module.filter(|_| is_star) else {
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
    let space = MAX_STARS.saturating_sub(closure.len());
    let others = of_project.iter().copied();
    closure.extend(others.filter(|module| seen.insert(*module)).take(space));
    closure
}

pub(super) fn heap_bytes(scopes: &[Arc<FileScope>]) -> usize {
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
