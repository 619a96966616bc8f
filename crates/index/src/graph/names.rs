//! Looking names up: in a file, through its imports and re-exports, in a class. Every look-up is
//! bounded, so that cycles of imports and webs of star imports end. Start at [`Names::visible`] and
//! [`Names::exported`].

use std::sync::Arc;

use foveate_model::resolution::{Exports, LookupRules, ModuleResolver};
use foveate_model::{Definition, DefinitionKind, FileFacts, Language, LocalId};

use crate::files::{DefId, FileId, Files};
use crate::graph::dependencies::{Dependencies, Question};
use crate::graph::modules::Modules;
use crate::graph::scopes::{Binding, EXPORTS, FileScope, TOP_LEVEL, bound_name, inside};
use crate::graph::targets::{Target, Targets};

/// Longest chain of re-exports that is followed.
const MAX_CHAIN: u32 = 16;
/// Most tables that one lookup through imports opens, so that cycles and webs of star imports
/// end.
const MAX_STEPS: u32 = 2_048;

/// Everything that looking up a name needs.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    /// For what is listed of a file. What a file holds is asked of [`Names`], which notes it.
    pub(super) files: &'a Files,
    pub(super) modules: &'a Modules,
    pub(super) scopes: &'a [Arc<FileScope>],
}

/// Looks names up and notes what that rests on.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) tables: Tables<'a>,
    pub(super) dependencies: &'a Dependencies,
}

impl<'a> Names<'a> {
    pub(super) fn facts(&self, file: FileId) -> Option<&'a FileFacts> {
        self.dependencies.file(file);
        let content = self.tables.files.content(file);
        content.map(|content| &content.facts)
    }

    pub(super) fn text(&self, file: FileId) -> &'a str {
        self.dependencies.file(file);
        self.tables.files.text(file)
    }

    pub(super) fn definition(&self, id: DefId) -> &'a Definition {
        self.dependencies.file(id.file);
        self.tables.files.definition(id)
    }

    pub(super) fn scope(&self, file: FileId) -> Option<&'a FileScope> {
        self.dependencies.file(file);
        self.tables.scopes.get(file.0 as usize).map(Arc::as_ref)
    }

    pub(super) fn language(&self, file: FileId) -> Language {
        self.tables.files.file(file).language
    }

    /// How names that stand in a file are looked up.
    pub(super) fn rules(&self, file: FileId) -> &'static LookupRules {
        &self.language(file).rules().lookup
    }

    /// What finds the modules inside a module, as the file sees them.
    fn submodules(&self, file: FileId) -> Option<&'a dyn ModuleResolver> {
        self.resolver(file)
            .filter(|_| self.rules(file).modules_have_submodules)
    }

    fn resolver(&self, file: FileId) -> Option<&'a dyn ModuleResolver> {
        self.tables.modules.of(self.language(file))
    }

    fn bindings(&self, file: FileId, scope: u32, name: &'a str) -> impl Iterator<Item = Binding> {
        self.dependencies.question(Question::Binding, name);
        let facts = self.facts(file);
        self.scope(file)
            .zip(facts)
            .into_iter()
            .flat_map(move |(table, facts)| table.bindings(facts, scope, name))
    }

    /// Definitions and imports directly inside a definition (or at the top level).
    pub(super) fn within(&self, file: FileId, outer: Option<LocalId>, name: &'a str) -> Targets {
        let mut steps = MAX_STEPS;
        self.bound(file, inside(outer), name, MAX_CHAIN, &mut steps)
    }

    /// The members of a class, enum or namespace with this name; its bases are not asked.
    pub(super) fn own_members(&self, class: DefId, name: &'a str) -> Targets {
        self.own(class.file, inside(Some(class.local)), name)
    }

    /// What a name at a file's top level stands for: defined there, imported, or taken over by a
    /// star import.
    pub(super) fn visible(&self, file: FileId, name: &'a str) -> Targets {
        let mut steps = MAX_STEPS;
        let found = self.bound(file, TOP_LEVEL, name, MAX_CHAIN, &mut steps);
        if !found.is_empty() || !self.rules(file).star_imports_bind {
            return found;
        }
        self.through_stars(file, name, MAX_CHAIN, &mut steps)
    }

    /// What `name` of the module `file` stands for to other files.
    pub(super) fn exported(&self, file: FileId, name: &'a str) -> Targets {
        let mut steps = MAX_STEPS;
        self.exported_within(file, name, MAX_CHAIN, &mut steps)
    }

    /// The attribute `name` of a module: what it exports, or its submodule.
    pub(super) fn attribute(&self, file: FileId, name: &'a str) -> Targets {
        let found = self.exported(file, name);
        let Some(resolver) = self.submodules(file).filter(|_| found.is_empty()) else {
            return found;
        };
        self.dependencies.question(Question::Module, name);
        resolver
            .child(self.tables.files, file, name)
            .map_or(found, |module| Targets::one(Target::Module(module)))
    }

    fn exported_within(&self, file: FileId, name: &'a str, chain: u32, steps: &mut u32) -> Targets {
        if chain == 0 || *steps == 0 {
            return Targets::default();
        }
        *steps -= 1;
        if self.rules(file).exports == Exports::TopLevel {
            let found = self.bound(file, TOP_LEVEL, name, chain, steps);
            if !found.is_empty() {
                return found;
            }
            return self.through_stars(file, name, chain, steps);
        }
        let mut found = self.exported_directly(file, name, chain, steps);
        if found.is_empty() && name != "default" {
            found = self.through_stars(file, name, chain, steps);
        }
        if found.is_empty() {
            // CommonJS and declaration files export more than the facts can tell.
            found = self.own(file, TOP_LEVEL, name);
        }
        found
    }

    /// The definitions of a name in one scope, imports left out.
    fn own(&self, file: FileId, scope: u32, name: &'a str) -> Targets {
        let mut found = Targets::default();
        for binding in self.bindings(file, scope, name) {
            if let Binding::Definition(local) = binding {
                found.push(Target::Definition(DefId { file, local }));
            }
        }
        self.implementations(found)
    }

    /// The definitions of a name in one scope; where there are none, what it is imported as or
    /// exported from.
    fn bound(
        &self,
        file: FileId,
        scope: u32,
        name: &'a str,
        chain: u32,
        steps: &mut u32,
    ) -> Targets {
        let mut found = Targets::default();
        let mut external = false;
        for binding in self.bindings(file, scope, name) {
            match binding {
                Binding::Definition(local) => {
                    found.push(Target::Definition(DefId { file, local }));
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
            return Targets::one(Target::External);
        }
        self.implementations(found)
    }

    fn exported_local(&self, file: FileId, export: u32, chain: u32, steps: &mut u32) -> Targets {
        let local = self
            .facts(file)
            .and_then(|facts| facts.exports.get(export as usize))
            .map_or("", |export| &export.local);
        if chain == 0 || *steps == 0 {
            return Targets::default();
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
            _ => Targets::default(),
        }
    }

    /// What one imported name stands for.
    fn imported(
        &self,
        file: FileId,
        import: u32,
        name: u32,
        chain: u32,
        steps: &mut u32,
    ) -> Targets {
        let at = import as usize;
        let module = self.scope(file).and_then(|s| *s.modules.get(at)?);
        let Some(import) = self.facts(file).and_then(|facts| facts.imports.get(at)) else {
            return Targets::default();
        };
        let Some(imported) = import.names.get(name as usize) else {
            return Targets::default();
        };
        let (rules, resolver) = (self.rules(file), self.resolver(file));
        if &*imported.name == "*" {
            if rules.imports_bind_paths && imported.local.contains('.') {
                let first = bound_name(import, &imported.local);
                self.dependencies.question(Question::Module, first);
                let files = self.tables.files;
                let root = resolver.and_then(|r| r.absolute(files, Some(file), first));
                return Targets::one(root.or(module).map_or(Target::External, Target::Module));
            }
            return Targets::one(module.map_or(Target::External, Target::Module));
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
        if let Some(resolver) = self.submodules(file) {
            self.dependencies.question(Question::Module, &imported.name);
            let files = self.tables.files;
            let submodule = resolver.submodule(files, file, &import.module, &imported.name);
            if let Some(submodule) = submodule {
                return Targets::one(Target::Module(submodule));
            }
        }
        match module {
            None => Targets::one(Target::External),
            Some(module) if rules.modules_have_defaults && &*imported.name == "default" => {
                Targets::one(Target::Module(module))
            }
            Some(_) => Targets::default(),
        }
    }

    fn through_stars(&self, file: FileId, name: &'a str, chain: u32, steps: &mut u32) -> Targets {
        let stars = self.scope(file).map_or(&[][..], |scope| &scope.stars);
        for star in stars {
            if *steps == 0 {
                break;
            }
            *steps -= 1;
            let found = if self.rules(*star).exports == Exports::Declared {
                self.exported_directly(*star, name, chain, steps)
            } else if self.is_public(*star, name) {
                self.bound(*star, TOP_LEVEL, name, chain, steps)
            } else {
                Targets::default()
            };
            if !found.is_empty() {
                return found;
            }
        }
        Targets::default()
    }

    /// What a module exports under a name without its own star exports.
    fn exported_directly(
        &self,
        file: FileId,
        name: &'a str,
        chain: u32,
        steps: &mut u32,
    ) -> Targets {
        let mut found = self.bound(file, EXPORTS, name, chain, steps);
        for id in self.own(file, TOP_LEVEL, name).definitions() {
            if self.definition(id).modifiers.is_exported {
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
    fn implementations(&self, found: Targets) -> Targets {
        if !found.is_ambiguous() {
            return found;
        }
        let is_overload = |target: &Target| match target {
            Target::Definition(id) => self.definition(*id).modifiers.is_overload,
            Target::Module(_) | Target::External => false,
        };
        if found.iter().all(|target| is_overload(&target)) {
            return found;
        }
        let mut kept = Targets::default();
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
                    Target::Definition(id) => Some(id.file),
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
        let kind = self.definition(id).kind;
        kind.is_container() && kind != DefinitionKind::Module
    }
}
