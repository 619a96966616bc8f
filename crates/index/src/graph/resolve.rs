//! Builds a graph, from nothing or from the graph before a change. Each step processes only the files that
//! the change affects ([`super::stage`]). Both ways give the same result.

use std::sync::Arc;

use foldhash::HashSet;
use foveate_model::{FileFacts, Reference, Span};

use crate::change::{Change, FileSet};
use crate::files::{DefId, FileId, Files};
use crate::graph::Graph;
use crate::graph::changed_names::ChangedNames;
use crate::graph::dependencies::{Lookup, WithDependencies};
use crate::graph::inheritance::Inheritance;
use crate::graph::interface;
use crate::graph::module_changes::{self, MovedModules};
use crate::graph::modules::Modules;
use crate::graph::names::{NameResolver, Tables};
use crate::graph::previous::Previous;
use crate::graph::references::{Edge, Edges, resolve_file};
use crate::graph::relations::CallSite;
use crate::graph::rows::{FileRows, Rows, by_file};
use crate::graph::scopes::{FileScope, PreviousTables, scopes};
use crate::graph::stage::Stage;
use crate::graph::stored::References;
use crate::graph::test_links::{Evidence, TestLinks};
use crate::symbols::Symbols;

impl Graph {
    /// Resolves the imports and references of all files.
    pub fn new(files: &Files, symbols: &Symbols) -> Self {
        Self::derive(files, symbols, None, None)
    }

    /// Like [`Self::new`], but computes only what neither the graph before a change nor the references that were `stored`
    /// for exactly these files have.
    pub(crate) fn derive(
        files: &Files,
        symbols: &Symbols,
        previous: Option<Previous<'_>>,
        stored: Option<References>,
    ) -> Self {
        // Adding or removing a package renames all modules below it.
        let previous = previous.filter(|previous| !previous.have_packages_changed(files));
        let change = previous.map(|previous| previous.change);
        let known = previous.map(|previous| previous.graph);
        let Setup {
            modules,
            scopes,
            mut stage,
        } = Setup::new(files, previous);
        let tables = Tables {
            files,
            symbols,
            modules: &modules,
            scopes: &scopes,
        };
        let imports_of =
            |file, dependencies: &_| imported_files(NameResolver::new(tables, dependencies), file);
        let ((inheritance, changed_bases), (imports, changed_imports)) = rayon::join(
            || Inheritance::derive(tables, known.map(|known| &known.inheritance), &stage),
            || stage.resolve(known.map(|known| &known.imports[..]), imports_of),
        );
        let importers = match known.filter(|_| changed_imports.is_empty() && stage.is_stable()) {
            Some(known) => Arc::clone(&known.importers),
            None => Arc::new(importers(files, &imports)),
        };
        stage.touched.extend(changed_bases.iter());
        let (edges, changed_references) =
            resolve_references(tables, &inheritance, known, stored, &stage);
        let targets = targets(previous, &edges, &changed_references);
        let uses = uses(files, known.zip(change), &edges, &targets);
        let evidence = Evidence {
            files,
            symbols,
            imports: &imports,
            edges: &edges,
            uses: &uses,
            changed_uses: &targets,
        };
        let mut changed_tests = changed_references;
        changed_tests.extend(changed_imports.iter());
        let tests = TestLinks::derive(&evidence, known.map(|k| &k.tests), &stage, &changed_tests);
        Self {
            modules,
            scopes,
            inheritance,
            imports,
            importers,
            edges,
            uses,
            tests,
        }
    }
}

/// The modules and scopes of a graph's files, and what has to be resolved again.
struct Setup<'a> {
    modules: Arc<Modules>,
    scopes: Vec<Arc<FileScope>>,
    stage: Stage<'a>,
}

impl<'a> Setup<'a> {
    fn new(files: &Files, previous: Option<Previous<'a>>) -> Self {
        let Some(previous) = previous else {
            let modules = Arc::new(Modules::new(files));
            let mut touched = FileSet::all(files.len());
            return Self {
                scopes: scopes(files, &modules, None, &mut touched),
                modules,
                stage: Stage {
                    files: files.len(),
                    change: None,
                    touched,
                    lookups: HashSet::default(),
                },
            };
        };
        let changed_names = module_changes::changed_names(&previous, files);
        let moved = MovedModules::new(&previous, files, &changed_names);
        let mut touched = previous.touched(files);
        let mut lookups = previous.lookups(files);
        let earlier = previous.earlier(files, &changed_names, &moved);
        let (before, after) = ((previous, &changed_names), (files, &moved));
        module_changes::add_affected(before, after, &mut touched, &mut lookups);
        Self {
            scopes: scopes(files, &moved.modules, Some(&earlier), &mut touched),
            modules: moved.modules,
            stage: Stage {
                files: files.len(),
                change: Some(previous.change),
                touched,
                lookups,
            },
        }
    }
}

impl<'a> Previous<'a> {
    /// Returns the files whose interface changed.
    fn touched(&self, files: &Files) -> FileSet {
        let mut touched = FileSet::none(files.len());
        let changed = self.change.changed().iter().copied();
        touched.extend(changed.filter(|file| !self.has_same_interface(files, *file)));
        touched
    }

    /// Whether the interface of a changed file is the same as before.
    fn has_same_interface(&self, files: &Files, file: FileId) -> bool {
        let before = self.change.earlier_id(file);
        let before = before.and_then(|before| self.files.content(before));
        let contents = before.zip(files.content(file));
        contents.is_some_and(|(before, after)| interface::is_same(before, after))
    }

    fn earlier(
        &self,
        files: &'a Files,
        changed_names: &'a ChangedNames<'a>,
        moved: &'a MovedModules,
    ) -> PreviousTables<'a> {
        PreviousTables {
            scopes: &self.graph.scopes,
            change: self.change,
            modules: self.changed_module_names(files).collect(),
            changed_names,
            moved,
        }
    }

    /// Returns the hashes of the look-ups over all files whose results may differ.
    fn lookups(&self, files: &'a Files) -> HashSet<u32> {
        let mut lookups = HashSet::default();
        for file in self.change.changed() {
            let before = self.change.earlier_id(*file);
            let before = before.and_then(|before| self.files.content(before));
            interface::differing_names(before, files.content(*file), &mut lookups);
        }
        for file in self.change.gone() {
            interface::differing_names(self.files.content(file), None, &mut lookups);
        }
        let modules = self.changed_module_names(files);
        lookups.extend(modules.map(|name| Lookup::Module.hash(name)));
        lookups
    }
}

/// Resolves the references of the files. Also returns the files whose edges may differ, or the lines and positions of
/// their references.
fn resolve_references(
    tables: Tables<'_>,
    inheritance: &Inheritance,
    known: Option<&Graph>,
    stored: Option<References>,
    stage: &Stage<'_>,
) -> (Vec<Arc<WithDependencies<Edges>>>, FileSet) {
    let references_of = |file, dependencies: &_| {
        let names = NameResolver::new(tables, dependencies);
        resolve_file(names, tables.symbols, inheritance, file)
    };
    let (edges, mut changed) = match stored {
        Some(References(edges)) => (edges, FileSet::all(stage.files)),
        None => stage.resolve(known.map(|known| &known.edges[..]), references_of),
    };
    // Even if the references have the same targets, their lines and positions may differ.
    let changed_files = stage.change.into_iter().flat_map(Change::changed);
    changed.extend(changed_files.copied());
    (edges, changed)
}

fn imported_files(names: NameResolver<'_>, file: FileId) -> Box<[FileId]> {
    let mut imported = names.imported_files(file);
    imported.sort_unstable();
    imported.dedup();
    imported.retain(|other| *other != file);
    imported.into()
}

fn importers(files: &Files, imports: &[Arc<WithDependencies<Box<[FileId]>>>]) -> Rows<FileId> {
    let pairs: Vec<(u32, FileId)> = files
        .ids()
        .zip(imports)
        .flat_map(|(file, imports)| imports.value.iter().map(move |other| (other.0, file)))
        .collect();
    Rows::from_pairs(files.len(), &pairs)
}

/// Returns the current and earlier target files of the files in `changed_references`, and the earlier ones of files that
/// are gone.
fn targets(
    previous: Option<Previous<'_>>,
    edges: &[Arc<WithDependencies<Edges>>],
    changed_references: &FileSet,
) -> FileSet {
    let mut targets = FileSet::none(edges.len());
    for file in changed_references.iter() {
        targets.extend(target_files(edges, file));
    }
    if let Some(Previous { graph, change, .. }) = previous {
        let earlier = changed_references
            .iter()
            .filter_map(|file| change.earlier_id(file));
        for file in earlier.chain(change.gone()) {
            let earlier_targets = target_files(&graph.edges, file);
            targets.extend(earlier_targets.filter_map(|target| change.later_id(target)));
        }
    }
    targets
}

/// Returns the files that the references of a file lead to, with repetitions.
fn target_files(
    edges: &[Arc<WithDependencies<Edges>>],
    file: FileId,
) -> impl Iterator<Item = FileId> {
    let edges = edges.get(file.0 as usize);
    let edges = edges.map_or(&[][..], |edges| &edges.value.edges);
    edges.iter().map(|edge| edge.target.file)
}

fn uses(
    files: &Files,
    known: Option<(&Graph, &Change)>,
    edges: &[Arc<WithDependencies<Edges>>],
    targets: &FileSet,
) -> FileRows<CallSite> {
    let mut pairs = Vec::new();
    for (file, edges) in files.ids().zip(edges) {
        let Some(content) = files.content(file) else {
            continue;
        };
        let edges = edges.value.edges.iter();
        for edge in edges.filter(|edge| targets.contains(edge.target.file)) {
            let site = call_site(files, file, &content.facts, edge);
            // A recursive call does not make a function its own caller.
            let site = site.filter(|site| site.enclosing != Some(edge.target));
            pairs.extend(site.map(|site| (edge.target, site)));
        }
    }
    let grouped = by_file(files.len(), pairs);
    let known = known.map(|(graph, change)| (&graph.uses, change));
    FileRows::derive(files.len(), known, targets, |file| {
        Rows::from_pairs(files.definitions_of(file).len(), grouped.row(file.0))
    })
}

pub(super) fn call_site(
    files: &Files,
    file: FileId,
    facts: &FileFacts,
    edge: &Edge,
) -> Option<CallSite> {
    let reference = facts.references.get(edge.reference as usize)?;
    Some(CallSite {
        file,
        line: line_of_use(files, file, reference, edge.target),
        reference: edge.reference,
        enclosing: reference.enclosing.map(|local| DefId::new(file, local)),
        confidence: edge.confidence,
    })
}

/// Returns the line of the name that uses a definition. The reference has the line of its last name; in a path over
/// several lines, such as `rows\n.sum()`, the names before it are in others.
fn line_of_use(files: &Files, file: FileId, reference: &Reference, target: DefId) -> u32 {
    if reference.path.start == reference.name.start {
        return reference.line;
    }
    let text = files.text(file);
    let before = Span {
        end: reference.name.start,
        ..reference.path
    };
    let before = before.of(text);
    let name = &*files.definition(target).name;
    if !before.contains('\n') || reference.name.of(text) == name {
        return reference.line;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = before.rmatch_indices(name).map(|(at, _)| at);
    let whole = places.find(|at| {
        let (left, rest) = before.split_at(*at);
        let right = rest.get(name.len()..).unwrap_or_default();
        !left.ends_with(is_word) && !right.starts_with(is_word)
    });
    let below = whole.and_then(|at| before.get(at..)).unwrap_or_default();
    let lines = below.bytes().filter(|byte| *byte == b'\n').count();
    reference
        .line
        .saturating_sub(u32::try_from(lines).unwrap_or_default())
}
