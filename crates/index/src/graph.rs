//! Holds the relations between the definitions and files of a revision: imports resolved to files and
//! definitions, references resolved to definitions with a confidence, inheritance, and tests linked to what
//! they test. Everything is computed once and never changes; what cannot be resolved stays unresolved. Start
//! at [`Graph::new`]: modules, then names, then inheritance, then references, then tests.

mod candidates;
mod changed_names;
mod dependencies;
mod fixtures;
mod implementers;
mod imported;
mod inferred_types;
mod inheritance;
mod interface;
mod members;
mod module_changes;
mod modules;
mod names;
mod package_imports;
mod packages;
mod paths;
pub(crate) mod previous;
mod qualified;
mod references;
mod relations;
mod resolve;
pub(crate) mod rows;
mod scopes;
mod search;
mod stage;
pub mod stored;
mod targets;
mod test_evidence;
mod test_functions;
mod test_links;
mod test_paths;
mod values;

use std::sync::Arc;

use crate::files::{DefId, FileId, Files};
use crate::graph::dependencies::{Dependencies, WithDependencies};
use crate::graph::inheritance::{Inheritance, KnownBases};
use crate::graph::modules::Modules;
use crate::graph::names::{NameResolver, Position, Tables};
use crate::graph::references::Edges;
use crate::graph::rows::{FileRows, Rows};
use crate::graph::scopes::FileScope;
use crate::graph::targets::{Target, Targets};
use crate::graph::test_links::TestLinks;
use crate::graph::values::Evaluator;
use crate::symbols::Symbols;

pub use crate::graph::relations::{CallSite, Confidence, TestLink};

/// Maximum files that re-export something under one new name and are searched for its definitions.
const MAX_REEXPORTING: usize = 8;

/// Estimated bytes that the module systems hold for each file: mostly its name.
const MODULE_BYTES_PER_FILE: usize = 128;

/// The graph of one snapshot.
#[derive(Debug, Default)]
pub struct Graph {
    modules: Arc<Modules>,
    scopes: Vec<Arc<FileScope>>,
    inheritance: Inheritance,
    imports: Vec<Arc<WithDependencies<Box<[FileId]>>>>,
    importers: Arc<Rows<FileId>>,
    edges: Vec<Arc<WithDependencies<Edges>>>,
    uses: FileRows<CallSite>,
    tests: TestLinks,
}

impl Graph {
    fn tables<'a>(&'a self, files: &'a Files, symbols: &'a Symbols) -> Tables<'a> {
        Tables {
            files,
            symbols,
            modules: &self.modules,
            scopes: &self.scopes,
        }
    }

    /// Returns the files that a file imports, in id order, without itself: the modules that it names and the
    /// files that define the names taken from them.
    pub fn imports(&self, file: FileId) -> &[FileId] {
        let imports = self.imports.get(file.0 as usize);
        imports.map_or(&[], |imports| &imports.value)
    }

    /// Returns the files that import a file, in id order.
    pub fn importers(&self, file: FileId) -> &[FileId] {
        self.importers.row(file.0)
    }

    /// Returns the file that each import of a file resolves to, in the order of its `FileFacts::imports`;
    /// `None` for modules outside the repository and for namespace packages.
    pub fn import_modules(&self, file: FileId) -> &[Option<FileId>] {
        self.scopes
            .get(file.0 as usize)
            .map_or(&[], |scope| &scope.modules)
    }

    /// Returns the definitions that a name visible at a file's top level resolves to (defined there, imported, or
    /// re-exported), or else the module. `name` may be dotted (`models.Model`, `Client.connect`).
    pub fn resolve_name(
        &self,
        files: &Files,
        symbols: &Symbols,
        file: FileId,
        name: &str,
    ) -> (Vec<DefId>, Option<FileId>) {
        if file.0 as usize >= files.len() {
            return (Vec::new(), None);
        }
        let position = Position::new(file, None);
        let dependencies = Dependencies::ignored();
        let names = NameResolver::new(self.tables(files, symbols), &dependencies);
        let evaluator = Evaluator::new(names, &self.inheritance, file, &[]);
        let found = evaluator.path(position, name).found;
        let module = match found.first() {
            Some(Target::Module(module)) => Some(module),
            _ => None,
        };
        (found.definitions().collect(), module)
    }

    /// Returns the definitions that an absolute dotted path (`django.db.models.Model.save`,
    /// `package.module.function`) or package specifier resolves to; re-exports are followed. Otherwise those that the
    /// path spells out from the name of their package on (`render.JSON`), or else the extensions in this package:
    /// `shop.total` for `fun Cart.total()`.
    pub fn resolve_dotted(&self, files: &Files, symbols: &Symbols, path: &str) -> Vec<DefId> {
        let dependencies = Dependencies::ignored();
        let names = NameResolver::new(self.tables(files, symbols), &dependencies);
        // Tries the longest leading part that is a module; the rest are its attributes.
        let mut end = path.len();
        loop {
            let module = path.get(..end).unwrap_or("");
            let rest = path.get(end + 1..).unwrap_or("");
            if let Some(file) = self.resolve_module(files, module) {
                let found = if rest.is_empty() {
                    names.exported(file, "default")
                } else {
                    self.attributes(names, file, rest)
                };
                // The name of a type may resolve to its file, where files have no names of their own.
                let may_be_type = names.rules(file).imports_reach_members;
                if !found.is_empty() || !may_be_type {
                    return found.definitions().collect();
                }
            }
            match module.rfind('.') {
                Some(dot) => end = dot,
                None => break,
            }
        }
        let found = in_package_of_name(files, symbols, path);
        match found.is_empty() {
            true => extensions_in_package(files, symbols, path),
            false => found,
        }
    }

    /// Returns the definitions that files export under a name that these do not have themselves, by id:
    /// `export { a as b } from './a'`.
    pub fn reexported(&self, files: &Files, symbols: &Symbols, name: &str) -> Vec<DefId> {
        let dependencies = Dependencies::ignored();
        let names = NameResolver::new(self.tables(files, symbols), &dependencies);
        let mut found: Vec<DefId> = Vec::new();
        for file in symbols.reexporting(name).iter().take(MAX_REEXPORTING) {
            found.extend(names.exported(*file, name).definitions());
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the members with this name of a type: its own, else those of the nearest base that has some.
    pub fn members_of(
        &self,
        files: &Files,
        symbols: &Symbols,
        class: DefId,
        name: &str,
    ) -> Vec<DefId> {
        let dependencies = Dependencies::ignored();
        let names = NameResolver::new(self.tables(files, symbols), &dependencies);
        let known = KnownBases::default();
        let found = self.inheritance.members(names, &known, class, name);
        found.definitions().collect()
    }

    fn attributes<'a>(&self, names: NameResolver<'a>, module: FileId, path: &'a str) -> Targets {
        let mut found = Targets::one(Target::Module(module));
        let known = KnownBases::default();
        for name in path.split('.').take(16) {
            found = match found.first() {
                Some(Target::Module(module)) => names.attribute(module, name),
                Some(Target::Definition(id)) => self.inheritance.members(names, &known, id, name),
                Some(Target::External) | None => return Targets::default(),
            };
        }
        match found.first() {
            // A function often has the name of its module and is exported beside it: `time::sleep`.
            Some(Target::Module(module)) if names.rules(module).imports_reach_members => {
                let last = path.rsplit('.').next().unwrap_or(path);
                names.exported(module, last).or_else(|| found)
            }
            _ => found,
        }
    }

    /// Returns the file that an absolute dotted module path or a package specifier (`@scope/core/lib/x`)
    /// resolves to.
    pub fn resolve_module(&self, files: &Files, path: &str) -> Option<FileId> {
        if path.is_empty() || path.len() > 1024 {
            return None;
        }
        let mut resolvers = self.modules.all();
        resolvers.find_map(|modules| modules.absolute(files, None, path))
    }

    /// Whether a file belongs to a package whose files share their names, so that no single file stands for
    /// the package.
    pub fn shares_package(&self, files: &Files, file: FileId) -> bool {
        let modules = self.modules.of(files.file(file).language);
        modules.is_some_and(|modules| modules.package_of(file).is_some())
    }

    /// Returns the directory of the package of this name; empty at the root.
    pub fn package_directory(&self, name: &str) -> Option<&str> {
        let mut resolvers = self.modules.all();
        resolvers.find_map(|modules| modules.package_directory(name))
    }

    /// Returns the directory of the package whose name or directory ends with this segment: `core` for
    /// `@scope/core`.
    pub fn package_like(&self, segment: &str) -> Option<&str> {
        let mut resolvers = self.modules.all();
        resolvers.find_map(|modules| modules.package_like(segment))
    }

    /// Returns the directory of the package that a directory belongs to; the root if there is none.
    pub fn package_around<'a>(&self, directory: &'a str) -> &'a str {
        let mut resolvers = self.modules.all();
        let enclosing_package = resolvers.find_map(|modules| modules.package_around(directory));
        enclosing_package.unwrap_or("")
    }

    /// Returns the uses of a definition, by file and line, without those inside itself and without name-only
    /// matches of common names. Constructing an object is a use of its class, not of
    /// the constructor.
    pub fn uses_of(&self, definition: DefId) -> &[CallSite] {
        self.uses.row(definition)
    }

    /// Returns the uses of a definition inside itself, which [`Self::uses_of`] lacks, by line: recursive calls, and the
    /// type of a field that holds another object of the same class.
    pub fn recursions_of(&self, files: &Files, definition: DefId) -> Vec<CallSite> {
        let file = definition.file;
        let Some((content, edges)) = files.content(file).zip(self.edges.get(file.0 as usize))
        else {
            return Vec::new();
        };
        let facts = &content.facts;
        let Some(known) = facts.definition(definition.local) else {
            return Vec::new();
        };
        // References are sorted by their names, and edges by their references.
        let before = |byte: u32| {
            let references = &facts.references;
            references.partition_point(|reference| reference.name.start < byte)
        };
        let (start, end) = (before(known.span.start), before(known.span.end));
        let edges = &edges.value.edges;
        let first = edges.partition_point(|edge| (edge.reference as usize) < start);
        let inside = edges.iter().skip(first);
        inside
            .take_while(|edge| (edge.reference as usize) < end)
            .filter(|edge| edge.target == definition)
            .filter_map(|edge| resolve::call_site(files, file, facts, edge))
            .filter(|site| site.enclosing == Some(definition))
            .collect()
    }

    /// Returns the definitions that a definition's body refers to, with the confidence, by id. References of
    /// its members belong to the members.
    pub fn used_by(&self, definition: DefId) -> &[(DefId, Confidence)] {
        let edges = self.edges.get(definition.file.0 as usize);
        edges.map_or(&[], |edges| edges.value.used.row(definition.local.0))
    }

    /// Returns the definitions that the base classes of a class resolve to, in the order of its bases.
    pub fn bases(&self, class: DefId) -> &[DefId] {
        self.inheritance.bases(class)
    }

    /// Returns the tests of a definition, the most certain first: at most 48 test functions (or test classes)
    /// that refer to it or are named after it. If there are none, at most 8 tests of code that uses it.
    pub fn tests_of(&self, definition: DefId) -> &[(DefId, TestLink)] {
        self.tests.of_definition(definition)
    }

    /// Returns the test files of a file, the most certain first; at most 96.
    pub fn test_files_of(&self, file: FileId) -> &[(FileId, TestLink)] {
        self.tests.of_file(file)
    }

    /// Estimated heap size in bytes; data shared with other snapshots counts in full.
    pub fn heap_bytes(&self) -> usize {
        let imports = self.imports.iter();
        let imports = imports.map(|imports| imports.heap_bytes() + size_of_val(&*imports.value));
        let edges = self.edges.iter().map(|edges| {
            let Edges { edges: own, used } = &edges.value;
            edges.heap_bytes() + size_of_val(&**own) + used.heap_bytes()
        });
        self.imports.len() * MODULE_BYTES_PER_FILE
            + scopes::heap_bytes(&self.scopes)
            + self.inheritance.heap_bytes()
            + imports.sum::<usize>()
            + self.importers.heap_bytes()
            + edges.sum::<usize>()
            + self.uses.heap_bytes()
            + self.tests.heap_bytes()
    }
}

/// Returns the definitions of a dotted path that begins with the name that their files declare as their package.
/// Code calls a package by that name alone, whatever the path in imports is: `render.JSON`.
fn in_package_of_name(files: &Files, symbols: &Symbols, path: &str) -> Vec<DefId> {
    let Some((package, name)) = path.split_once('.') else {
        return Vec::new();
    };
    let is_meant = |id: &DefId| {
        let content = files.content(id.file);
        *files.definition(*id).qualified_name == *name
            && content.is_some_and(|content| *content.facts.package == *package)
    };
    let named = symbols.qualified(name).iter().copied();
    named.filter(is_meant).collect()
}

/// Returns the extensions that a path names as imports do: by the package of their files, without the type that they
/// extend.
fn extensions_in_package(files: &Files, symbols: &Symbols, path: &str) -> Vec<DefId> {
    let Some((package, name)) = path.rsplit_once('.') else {
        return Vec::new();
    };
    let is_meant = |id: &DefId| {
        let definition = files.definition(*id);
        let content = files.content(id.file);
        definition.modifiers.is_out_of_line
            && definition.parent.is_none()
            && files.file(id.file).language.rules().lookup.has_extensions
            && content.is_some_and(|content| *content.facts.package == *package)
    };
    let named = symbols.named(name).iter().copied();
    named.filter(is_meant).collect()
}
