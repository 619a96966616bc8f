//! Finds the imports between the best files, or, where a short question looks up modules, those that import them or that they
//! have.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};
use foveate_index::{FileId, Files, Snapshot};
use foveate_model::{Import, Lines, Role, Span};

use super::link::{self, Link, Linked};
use crate::assemble::entry::{Entry, Layout, SectionKind};
use crate::assemble::plan::Plan;
use crate::excerpt::prefix;

/// Returns the imports between the best files: direct ones, or through one other file.
pub(super) fn imports(plan: &Plan<'_>) -> Vec<Link> {
    let files = &plan.snapshot.files;
    let graph = &plan.snapshot.graph;
    let best: Vec<FileId> = plan
        .ranked
        .files
        .iter()
        .map(|file| file.id)
        .filter(|file| files.content(*file).is_some())
        .take(plan.limits.max_import_files)
        .collect();
    let mut found: Vec<(usize, usize, Link)> = Vec::new();
    for (i, from) in best.iter().enumerate() {
        for (j, to) in best.iter().enumerate() {
            if i == j {
                continue;
            }
            if let Some(import) = statement(plan, *from, *to) {
                let imports = files.path(*to).to_owned();
                found.push((1, i + j, import_link(*from, imports, import)));
                continue;
            }
            // Longer chains only from the best file: the others are many and say little.
            let through = if i == 0 { graph.imports(*from) } else { &[] };
            let middle = through.iter().find(|middle| {
                !best.contains(middle) && graph.imports(**middle).binary_search(to).is_ok()
            });
            if let Some(middle) = middle
                && let Some(import) = statement(plan, *from, *middle)
            {
                let imports = format!("{} -> {}", files.path(*middle), files.path(*to));
                found.push((2, i + j, import_link(*from, imports, import)));
            }
        }
    }
    // Stable: pairs of equal rank stay in the order of the files.
    found.sort_by_key(|(length, rank, _)| (*length, *rank));
    found.into_iter().map(|(_, _, link)| link).collect()
}

/// Maximum imported files of a file whose names are looked for in its imports.
const MAX_IMPORTED: usize = 64;

/// Returns the imports of the modules that a question looks up, one of each file, those of tests last. Files that it looks
/// up together, such as those of a directory, may import each other.
pub(super) fn importers(plan: &Plan<'_>) -> Vec<Link> {
    let Snapshot { files, graph, .. } = plan.snapshot;
    let requested = RequestedModules::new(plan);
    let modules = plan.looked_up.modules.iter();
    let importers = modules.flat_map(|module| graph.importers(*module));
    let importers: BTreeSet<FileId> = importers.copied().collect();
    let found = importers
        .into_iter()
        .filter(|from| !requested.modules.contains(from))
        .filter_map(|from| Some((from, requested.imported_by(plan, from)?)));
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(from, _)| files.file(*from).role == Role::Test);
    let found = found.into_iter().take(plan.config.links.max_named_uses);
    let links = found
        .map(|(from, (module, import))| import_link(from, files.path(module).to_owned(), import));
    links.collect()
}

/// Returns the first imports of a module outside the repository that a question looks up, those of tests last.
pub(super) fn foreign(plan: &Plan<'_>, module: &str, first: &[(FileId, usize)]) -> Vec<Link> {
    let files = &plan.snapshot.files;
    let mut first = first.to_vec();
    first.sort_by_key(|(file, _)| (files.file(*file).role == Role::Test, *file));
    let first = first.into_iter().take(plan.config.links.max_named_uses);
    let links = first.filter_map(|(from, position)| {
        let import = imports_of(plan, from).get(position)?;
        Some(import_link(from, module.to_owned(), import))
    });
    links.collect()
}

/// The modules that a question looks up.
struct RequestedModules<'a> {
    modules: HashSet<FileId>,
    /// The first of them in each directory whose files share a package: imports name the package.
    packages: HashMap<&'a str, FileId>,
}

impl<'a> RequestedModules<'a> {
    fn new(plan: &Plan<'a>) -> Self {
        let Snapshot { files, graph, .. } = plan.snapshot;
        let modules = &plan.looked_up.modules;
        let mut packages = HashMap::default();
        for module in modules {
            if graph.shares_package(files, *module) {
                let directory = files.file(*module).path.directory();
                packages.entry(directory).or_insert(*module);
            }
        }
        Self {
            modules: modules.iter().copied().collect(),
            packages,
        }
    }

    /// Returns the first of the modules that a file imports, with the import: one that imports it, takes it from its package
    /// by its name, or imports the package whose files share their names.
    fn imported_by(&self, plan: &Plan<'a>, from: FileId) -> Option<(FileId, &'a Import)> {
        let Snapshot { files, graph, .. } = plan.snapshot;
        let imports = graph.imports(from).iter().copied();
        let imports = imports.filter(|module| self.modules.contains(module));
        let by_name = |module| Some((module, statement_of_name(plan, from, module)?));
        let of_package = |module: FileId| {
            let directory = files.file(module).path.directory();
            self.packages.get(directory).copied()
        };
        let itself = |module: FileId| self.modules.contains(&module).then_some(module);
        first_import(plan, from, itself)
            .or_else(|| imports.take(MAX_IMPORTED).find_map(by_name))
            .or_else(|| first_import(plan, from, of_package))
    }
}

/// Returns the first import of a file that leads to a module that is `asked` for.
fn first_import<'a>(
    plan: &Plan<'a>,
    from: FileId,
    asked: impl Fn(FileId) -> Option<FileId>,
) -> Option<(FileId, &'a Import)> {
    let modules = plan.snapshot.graph.import_modules(from).iter();
    let mut imports = imports_of(plan, from).iter().zip(modules);
    imports.find_map(|(import, module)| {
        let found = asked((*module)?)?;
        Some((found, import))
    })
}

/// Returns the imports of other files of the repository in the files whose dependencies a question looks up; of several
/// files, one import of each other file.
pub(super) fn imported(plan: &Plan<'_>) -> Vec<Link> {
    let graph = &plan.snapshot.graph;
    let modules = &plan.looked_up.modules;
    let together: HashSet<FileId> = modules.iter().copied().collect();
    let mut seen = HashSet::default();
    let mut found = Vec::new();
    for from in modules {
        let imported = FilesByName::new(&plan.snapshot.files, graph.imports(*from));
        let targets = graph.import_modules(*from).iter();
        for (import, module) in imports_of(plan, *from).iter().zip(targets) {
            let Some(module) = module.filter(|module| module != from) else {
                continue;
            };
            let to = imported.submodule(import, module).unwrap_or(module);
            if together.contains(&to) || modules.len() > 1 && !seen.insert(to) {
                continue;
            }
            let imports = plan.snapshot.files.path(to).to_owned();
            found.push(import_link(*from, imports, import));
        }
    }
    found.truncate(plan.config.links.max_named_uses);
    found
}

/// Files by their directory and their name without extension.
struct FilesByName<'a> {
    files: &'a Files,
    by_name: HashMap<(&'a str, &'a str), FileId>,
}

impl<'a> FilesByName<'a> {
    fn new(files: &'a Files, ids: &[FileId]) -> Self {
        let named = ids.iter().map(|file| {
            let path = &files.file(*file).path;
            ((path.directory(), path.stem()), *file)
        });
        let by_name = named.collect();
        Self { files, by_name }
    }

    /// Returns the file of the first module that an import takes from its package by its name: `from package import module`.
    fn submodule(&self, import: &Import, package: FileId) -> Option<FileId> {
        let directory = self.files.file(package).path.directory();
        let mut names = import.names.iter();
        names.find_map(|taken| self.by_name.get(&(directory, &*taken.name)).copied())
    }
}

/// Returns the first statement of a file that imports another one.
fn statement<'a>(plan: &Plan<'a>, from: FileId, to: FileId) -> Option<&'a Import> {
    let modules = plan.snapshot.graph.import_modules(from);
    let position = modules.iter().position(|module| *module == Some(to))?;
    imports_of(plan, from).get(position)
}

/// Returns the first statement of a file that takes a module from its package by its name: `from package import module`.
fn statement_of_name<'a>(plan: &Plan<'a>, from: FileId, module: FileId) -> Option<&'a Import> {
    let stem = plan.snapshot.files.file(module).path.stem();
    let takes = |import: &&Import| import.names.iter().any(|taken| *taken.name == *stem);
    imports_of(plan, from).iter().find(takes)
}

fn imports_of<'a>(plan: &Plan<'a>, file: FileId) -> &'a [Import] {
    let content = plan.snapshot.files.content(file);
    content.map_or(&[], |content| content.facts.imports.as_slice())
}

/// Makes the link to an import of a file; `imports` says what it leads to.
fn import_link(from: FileId, imports: String, import: &Import) -> Link {
    Link {
        section: SectionKind::Imports,
        reason: format!("imports {imports}"),
        facts: vec![("imports", imports)],
        shows: Linked::Import(from, import.span, import.line),
    }
}

/// Returns the entry of an import statement, without reason and facts; `None` if it is shown already.
pub(super) fn entry(plan: &Plan<'_>, from: FileId, statement: Span, line: u32) -> Option<Entry> {
    let files = &plan.snapshot.files;
    let text = statement.of(files.text(from));
    let last = line + prefix(text, 4000).trim_end().matches('\n').count() as u32;
    let lines = Lines::new(line, last);
    if plan.packed.shows_any(from, lines) {
        return None;
    }
    let (body, cut) = link::line(text);
    Some(Entry {
        layout: Layout::Line,
        cut,
        body,
        ..Entry::new(files, from, SectionKind::Imports, lines)
    })
}
