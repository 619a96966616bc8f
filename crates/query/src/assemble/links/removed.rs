//! Finds code that still uses what the caller's change removed: definitions by their [`names`], files by their imports.
//! The earlier code is not read, so a use is one of a name that nothing in the snapshot defines.

mod names;

use foldhash::HashMap;
use foveate_index::{FileId, Files};
use foveate_model::{Import, RepoPath, Role};
use foveate_parse::language_by_name;

use super::link::{Link, Linked, Use};
use crate::assemble::entry::SectionKind;
use crate::assemble::plan::Plan;
use crate::assemble::verb::Verb;

/// Maximum removed files with the same name.
const MAX_SAME_NAME: usize = 8;

/// Returns the uses of removed files and definitions, one per line: those in sources first.
pub(super) fn uses(plan: &Plan<'_>) -> Vec<Link> {
    if plan.request.removed.is_empty() {
        return Vec::new();
    }
    let files = &plan.snapshot.files;
    let mut uses = imports(plan);
    uses.extend(names::uses(plan));
    uses.sort_by_key(|of| (files.file(of.file).role == Role::Test, of.file, of.line));
    uses.dedup_by_key(|of| (of.file, of.line));
    uses.truncate(plan.max_links(SectionKind::Callers));
    uses.into_iter().map(|of| link(files, of)).collect()
}

/// A line that uses code that the caller's change removed.
#[derive(Debug)]
struct RemovedUse {
    file: FileId,
    /// A byte of the line.
    at: u32,
    line: u32,
    verb: Verb,
    /// The name of the definition, or the path of the file.
    removed: String,
}

fn link(files: &Files, of: RemovedUse) -> Link {
    let enclosing = files.definition_at(of.file, of.line);
    let name = enclosing.map(|id| files.definition(id).qualified_name.to_string());
    let verb = of.verb.name();
    Link {
        section: SectionKind::Callers,
        reason: format!("still {verb} removed {}", of.removed),
        facts: vec![(verb, format!("removed {}", of.removed))],
        shows: Linked::Use(Use {
            file: of.file,
            at: of.at,
            line: of.line,
            name: name.unwrap_or_default(),
            head_of: None,
            is_broken: true,
        }),
    }
}

/// Returns the imports of removed files.
fn imports(plan: &Plan<'_>) -> Vec<RemovedUse> {
    let removed = removed_files(&plan.request.removed.paths);
    if removed.is_empty() {
        return Vec::new();
    }
    let files = &plan.snapshot.files;
    let mut found = Vec::new();
    for file in files.ids() {
        let Some(content) = files.content(file) else {
            continue;
        };
        let modules = plan.snapshot.graph.import_modules(file);
        for (import, module) in content.facts.imports.iter().zip(modules) {
            let mut named = keys(import).filter_map(|key| removed.get(key)).flatten();
            let importer = Importer {
                plan,
                file,
                module: *module,
            };
            let meant = named.find(|path| importer.means(import, path));
            found.extend(meant.map(|path| RemovedUse {
                file,
                at: import.span.start,
                line: import.line,
                verb: Verb::Imports,
                removed: path.as_str().to_owned(),
            }));
        }
    }
    found
}

/// Returns removed files by their names with and without extension, a few of each name.
fn removed_files(paths: &[RepoPath]) -> HashMap<&str, Vec<&RepoPath>> {
    let mut by_name: HashMap<&str, Vec<&RepoPath>> = HashMap::default();
    for path in paths {
        for name in [path.file_name(), path.stem()] {
            let same = by_name.entry(name).or_default();
            if same.len() < MAX_SAME_NAME && !same.contains(&path) {
                same.push(path);
            }
        }
    }
    by_name
}

/// Returns the names that an import may give to a file: the ends of its module, and what it takes from it.
fn keys(import: &Import) -> impl Iterator<Item = &str> {
    let ends = [segments_by_path(&import.module), segments(&import.module)];
    let ends = ends.map(|segments| segments.1);
    let names = import.names.iter().map(|of| &*of.name);
    ends.into_iter().chain(names)
}

/// A file with an import, and the file that the import's module resolves to.
struct Importer<'p, 'a> {
    plan: &'p Plan<'a>,
    file: FileId,
    module: Option<FileId>,
}

impl Importer<'_, '_> {
    /// Whether an import means a removed file.
    fn means(&self, import: &Import, removed: &RepoPath) -> bool {
        let language = self.plan.snapshot.files.file(self.file).language;
        let is_same = language_by_name(removed).is_none_or(|of| of == language);
        (is_same || import.module.contains('/'))
            && (self.names(import, removed) || self.takes(import, removed))
            && !self.has_successor(removed)
    }

    /// Whether the module, which is not found, is named like the removed file.
    fn names(&self, import: &Import, removed: &RepoPath) -> bool {
        // A single name, such as Python's `logging`, is that of a library unless the file is at the root.
        let is_local = import.module.starts_with('.') || removed.directory().is_empty();
        let is_named = |(before, last): (&str, &str)| {
            let is_stem = last == removed.stem() && (is_local || !before.is_empty());
            (is_stem || last == removed.file_name()) && is_parent(before, removed)
        };
        self.module.is_none()
            && (is_named(segments_by_path(&import.module)) || is_named(segments(&import.module)))
    }

    /// Whether the removed file is taken from its directory: `from package import module`. A package without a file of
    /// its own is known by its name.
    fn takes(&self, import: &Import, removed: &RepoPath) -> bool {
        let directory = |file| self.plan.snapshot.files.file(file).path.directory();
        let is_from = match self.module {
            Some(module) => directory(module) == removed.directory(),
            None if &*import.module == "." => directory(self.file) == removed.directory(),
            None => {
                let (_, last) = segments(&import.module);
                !last.is_empty() && is_parent(last, removed)
            }
        };
        is_from && (import.names.iter()).any(|of| *of.name == *removed.stem())
    }

    /// Whether the importing file imports a file that took the place of the removed one: `price/__init__.py` of
    /// `price.py`.
    fn has_successor(&self, removed: &RepoPath) -> bool {
        let path = removed.as_str();
        let stem = path.strip_suffix(removed.extension()).unwrap_or(path);
        let stem = stem.trim_end_matches('.');
        let snapshot = self.plan.snapshot;
        let mut imported = snapshot.graph.imports(self.file).iter();
        imported.any(|to| {
            let rest = snapshot.files.path(*to).strip_prefix(stem);
            rest.is_some_and(|rest| rest.starts_with(['.', '/']))
        })
    }
}

/// Whether the segment of a module before its last one fits the directory of a removed file.
fn is_parent(segment: &str, removed: &RepoPath) -> bool {
    let parent = removed.directory().rsplit('/').next().unwrap_or_default();
    matches!(segment, "" | "." | "..") || segment == parent
}

/// Returns the last two segments of a module that is written as a path: `lib`, `price` of `../lib/price`.
fn segments_by_path(module: &str) -> (&str, &str) {
    let (before, last) = module.rsplit_once('/').unwrap_or(("", module));
    (before.rsplit('/').next().unwrap_or_default(), last)
}

/// Returns the last two segments of a module that is written with dots or colons: `db`, `price` of `..db.price`.
fn segments(module: &str) -> (&str, &str) {
    let segments = module.rsplit(['.', ':', '\\', '/']);
    let mut segments = segments.filter(|segment| !segment.is_empty());
    let last = segments.next().unwrap_or_default();
    (segments.next().unwrap_or_default(), last)
}
