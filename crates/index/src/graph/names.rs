//! Looks names up: in a file, through its imports and re-exports, in a class. Every look-up is bounded, so
//! that cycles of imports and webs of star imports end. Start at [`NameResolver::visible`] and [`NameResolver::exported`].
//!
//! | look-up | where | imports | star imports |
//! |---|---|---|---|
//! | `within`, `in_body` | directly inside a definition | listed | – |
//! | `own` | one scope of a file | – | – |
//! | `bound` | one scope of a file | followed | – |
//! | `visible` | the top level of a file and its package | followed | followed |
//! | `exported_directly` | what a module exports | followed | – |
//! | `exported` | what a module exports | followed | followed |
//! | `attribute` | the same, its submodules and macros | followed | followed |

use std::sync::Arc;

use foveate_model::resolution::{Exports, LookupRules, ModuleResolver};
use foveate_model::{Definition, DefinitionKind, FileFacts, Language, LocalId};

use crate::files::{DefId, FileId, Files};
use crate::graph::dependencies::{Dependencies, Lookup};
use crate::graph::modules::Modules;
use crate::graph::scopes::{Binding, EXPORTS, FileScope, TOP_LEVEL, inside};
use crate::graph::search::Search;
use crate::graph::targets::{Target, Targets};
use crate::symbols::Symbols;

/// Maximum length of a chain of re-exports.
pub(super) const MAX_CHAIN: u32 = 16;

/// Maximum number of imports under one name that are followed: one for each platform, say.
const MAX_IMPORTS_OF_NAME: u32 = 8;

/// The data that name look-up needs.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    /// Read only for a file's path, language and role. Its content must be read through [`NameResolver`], which
    /// records the dependency.
    pub(super) files: &'a Files,
    pub(super) symbols: &'a Symbols,
    pub(super) modules: &'a Modules,
    pub(super) scopes: &'a [Arc<FileScope>],
}

/// The position of a name or an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) file: FileId,
    pub(super) enclosing: Option<LocalId>,
}

impl Position {
    pub(super) fn new(file: FileId, enclosing: Option<LocalId>) -> Self {
        Self { file, enclosing }
    }
}

/// The definitions of one name in one scope. Overloads are apart: they precede their implementation, and may
/// be more than [`Targets`] holds.
#[derive(Clone, Copy, Default)]
struct Named {
    implementations: Targets,
    overloads: Targets,
}

impl Named {
    /// Returns the definitions that the name means: no overloads if there is an implementation.
    fn meant(self) -> Targets {
        self.implementations.or_else(|| self.overloads)
    }
}

/// Looks names up and records the dependencies of each result.
#[derive(Clone, Copy)]
pub(super) struct NameResolver<'a> {
    pub(super) tables: Tables<'a>,
    pub(super) dependencies: &'a Dependencies,
}

impl<'a> NameResolver<'a> {
    pub(super) fn new(tables: Tables<'a>, dependencies: &'a Dependencies) -> Self {
        Self {
            tables,
            dependencies,
        }
    }

    pub(super) fn facts(&self, file: FileId) -> Option<&'a FileFacts> {
        self.dependencies.add_file(file);
        let content = self.tables.files.content(file);
        content.map(|content| &content.facts)
    }

    pub(super) fn text(&self, file: FileId) -> &'a str {
        self.dependencies.add_file(file);
        self.tables.files.text(file)
    }

    pub(super) fn definition(&self, id: DefId) -> &'a Definition {
        self.dependencies.add_file(id.file);
        self.tables.files.definition(id)
    }

    pub(super) fn scope(&self, file: FileId) -> Option<&'a FileScope> {
        self.dependencies.add_file(file);
        self.tables.scopes.get(file.0 as usize).map(Arc::as_ref)
    }

    pub(super) fn language(&self, file: FileId) -> Language {
        self.tables.files.file(file).language
    }

    /// Returns the look-up rules of a file's language.
    pub(super) fn rules(&self, file: FileId) -> &'static LookupRules {
        &self.language(file).rules().lookup
    }

    /// Returns the resolver of submodules for a file, if its language has them.
    pub(super) fn submodules(&self, file: FileId) -> Option<&'a dyn ModuleResolver> {
        self.resolver(file)
            .filter(|_| self.rules(file).modules_have_submodules)
    }

    pub(super) fn resolver(&self, file: FileId) -> Option<&'a dyn ModuleResolver> {
        self.tables.modules.of(self.language(file))
    }

    pub(super) fn bindings(
        &self,
        file: FileId,
        scope: u32,
        name: &'a str,
    ) -> impl Iterator<Item = Binding> {
        let facts = self.facts(file);
        self.scope(file)
            .zip(facts)
            .into_iter()
            .flat_map(move |(table, facts)| table.bindings(facts, scope, name))
    }

    /// Returns the definitions and imports directly inside a definition (or at the top level).
    pub(super) fn within(&self, file: FileId, outer: Option<LocalId>, name: &'a str) -> Targets {
        let mut search = Search::of_name();
        self.bound(file, inside(outer), name, MAX_CHAIN, &mut search)
    }

    /// Returns the members with this name in the body of a class, enum or namespace.
    pub(super) fn in_body(&self, class: DefId, name: &'a str) -> Targets {
        self.own(class.file, inside(Some(class.local)), name)
    }

    /// Resolves a name at a file's top level: defined there or in its package, imported, or taken over by a
    /// star import.
    pub(super) fn visible(&self, file: FileId, name: &'a str) -> Targets {
        let mut search = Search::of_name();
        let found = self.bound(file, TOP_LEVEL, name, MAX_CHAIN, &mut search);
        if self.package(file).is_some() {
            return self.in_file_or_package(file, name, found, &mut search);
        }
        if !self.rules(file).star_imports_bind {
            return found;
        }
        found.or_else(|| self.through_stars(file, name, MAX_CHAIN, &mut search))
    }

    /// Resolves `name` of the module `file` as other files see it.
    pub(super) fn exported(&self, file: FileId, name: &'a str) -> Targets {
        let mut search = Search::of_name();
        self.exported_within(file, name, MAX_CHAIN, &mut search)
    }

    /// Resolves the attribute `name` of a module: an export, a submodule or an exported macro. Other languages call
    /// extensions like the functions beside them.
    pub(super) fn attribute(&self, file: FileId, name: &'a str) -> Targets {
        let mut found = self.exported(file, name);
        if self.rules(file).has_extensions {
            found = found.or_else(|| self.extensions_in_package(file, name));
        }
        let Some(resolver) = self.submodules(file).filter(|_| found.is_empty()) else {
            return found;
        };
        self.add_submodule_lookup(file, name);
        match resolver.child(self.tables.files, file, name) {
            Some(module) => Targets::one(Target::Module(module)),
            None => self.exported_macros(file, name),
        }
    }

    /// Records that a submodule was looked for on behalf of a file.
    pub(super) fn add_submodule_lookup(&self, file: FileId, name: &str) {
        self.dependencies.add_lookup(Lookup::Module, name);
        let file = self.tables.files.file(file);
        let system = file.language.rules().modules;
        // If paths do not give the names of modules, any file that is added or moved may be the submodule.
        if system.is_some_and(|system| (system.module_name)(&file.path).is_none()) {
            let family = file.language.family();
            self.dependencies.add_lookup(Lookup::AnyModule, family);
        }
    }

    pub(super) fn exported_within(
        &self,
        file: FileId,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        if chain == 0 || !search.step() {
            return Targets::default();
        }
        let rules = self.rules(file);
        if !rules.star_imports_are_transitive && self.package(file).is_some() {
            // A name that one file of the package imports is not a name of the package.
            return self.in_package(file, name);
        }
        if rules.exports == Exports::TopLevel {
            return self
                .bound(file, TOP_LEVEL, name, chain, search)
                .or_else(|| self.through_stars(file, name, chain, search))
                .or_else(|| self.in_package(file, name));
        }
        let mut found = self.exported_directly(file, name, chain, search);
        if name != "default" {
            found = found.or_else(|| self.through_stars(file, name, chain, search));
        }
        found
            // CommonJS and declaration files export more than the facts contain.
            .or_else(|| self.own(file, TOP_LEVEL, name))
            .or_else(|| self.in_package(file, name))
    }

    /// Returns the definitions of a name in one scope, without imports.
    pub(super) fn own(&self, file: FileId, scope: u32, name: &'a str) -> Targets {
        let mut found = Named::default();
        for binding in self.bindings(file, scope, name) {
            if let Binding::Definition(local) = binding {
                self.add_definition(DefId::new(file, local), &mut found);
            }
        }
        found.meant()
    }

    /// Adds a definition to those of its name in one scope.
    fn add_definition(&self, id: DefId, found: &mut Named) {
        let targets = match self.definition(id).modifiers.is_overload {
            true => &mut found.overloads,
            false => &mut found.implementations,
        };
        targets.push(Target::Definition(id));
    }

    /// Whether definitions may only stand in for an import of their name, as variables do: `try: from .fast import f`,
    /// `except ImportError: f = None`.
    fn may_stand_in(&self, found: Targets) -> bool {
        found.definitions().all(|id| {
            let kind = self.definition(id).kind;
            matches!(kind, DefinitionKind::Variable | DefinitionKind::Constant)
        })
    }

    /// Returns the definitions of a name in one scope; if there are none, or if they only stand in for an import, the
    /// target of its import or export.
    pub(super) fn bound(
        &self,
        file: FileId,
        scope: u32,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        let mut found = Named::default();
        let mut external = false;
        let mut imports = 0;
        for binding in self.bindings(file, scope, name) {
            match binding {
                Binding::Definition(local) => {
                    self.add_definition(DefId::new(file, local), &mut found);
                }
                _ if !self.may_stand_in(found.meant()) => break,
                Binding::Imported { .. } if imports == MAX_IMPORTS_OF_NAME => {}
                Binding::Imported { import, name } => {
                    imports += 1;
                    let imported = self.imported((file, import, name), chain, search);
                    match imported.first() {
                        // A later import of the same name may be a fallback in the repository.
                        Some(Target::External) => external = true,
                        Some(_) => return imported,
                        None => {}
                    }
                }
                Binding::Exported(_) if !found.meant().is_empty() => break,
                Binding::Exported(at) => {
                    let local = self.exported_local(file, at, chain, search);
                    if !local.is_empty() {
                        return local;
                    }
                }
            }
        }
        let found = found.meant();
        if found.is_empty() && external {
            return Targets::one(Target::External);
        }
        found
    }

    fn exported_local(
        &self,
        file: FileId,
        export: u32,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        let local = self
            .facts(file)
            .and_then(|facts| facts.exports.get(export as usize))
            .map_or("", |export| &export.local);
        if chain == 0 || !search.step() {
            return Targets::default();
        }
        let (head, member) = local.split_once('.').unwrap_or((local, ""));
        let found = self.bound(file, TOP_LEVEL, head, chain - 1, search);
        if member.is_empty() {
            return found;
        }
        match found.first() {
            Some(Target::Definition(outer)) => self.own_members(outer, member),
            Some(Target::Module(module)) => self.exported_within(module, member, chain - 1, search),
            _ => Targets::default(),
        }
    }

    /// Returns the exports of a module under a name, without its star exports.
    pub(super) fn exported_directly(
        &self,
        file: FileId,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        let mut found = self.bound(file, EXPORTS, name, chain, search);
        for id in self.own(file, TOP_LEVEL, name).definitions() {
            if self.definition(id).modifiers.is_exported {
                found.push(Target::Definition(id));
            }
        }
        found
    }

    /// Returns the definition with a local id, if the file has it.
    pub(super) fn local(&self, file: FileId, id: LocalId) -> Option<&'a Definition> {
        self.facts(file)?.definition(id)
    }

    /// Whether a definition is a container with members, except for namespaces and modules, or a function that
    /// constructs objects as a class does.
    pub(super) fn is_class(&self, id: DefId) -> bool {
        self.definition(id).kind.is_class() || self.constructs(id)
    }

    /// Whether a definition is a function that constructs objects, such as `A` with `A.prototype.m = …`.
    pub(super) fn constructs(&self, id: DefId) -> bool {
        let definition = self.definition(id);
        definition.kind == DefinitionKind::Function
            && definition.modifiers.is_constructor
            && self.rules(id.file).functions_construct
    }

    /// Whether a class can inherit from a definition. Ruby's modules are mixed in.
    pub(super) fn is_base(&self, id: DefId) -> bool {
        let kind = self.definition(id).kind;
        self.is_class(id) || (kind.is_container() && self.rules(id.file).members_are_bare)
    }
}
