//! Resolves imports: names taken from modules, modules themselves, and all names by star imports.

use std::cell::OnceCell;

use foveate_model::Import;
use foveate_model::resolution::{Exports, ForeignProperties};

use crate::files::FileId;
use crate::graph::dependencies::Lookup;
use crate::graph::names::{MAX_CHAIN, NameResolver};
use crate::graph::paths;
use crate::graph::scopes::{EXPORTS, TOP_LEVEL, bound_name, takes_all};
use crate::graph::search::{ImportedAt, Search};
use crate::graph::targets::{Target, Targets};

/// Maximum nesting depth of types that an import reaches into.
const MAX_NESTED_TYPES: usize = 4;
/// Maximum number of star imports that are searched for a type whose members are imported.
const MAX_STARS_OF_TYPE: usize = 16;

impl<'a> NameResolver<'a> {
    /// Resolves one imported name.
    pub(super) fn imported(&self, at: ImportedAt, chain: u32, search: &mut Search) -> Targets {
        search.follow(at, |search| self.follow(at, chain, search))
    }

    fn follow(&self, (file, import, name): ImportedAt, chain: u32, search: &mut Search) -> Targets {
        let at = import as usize;
        let module = self.scope(file).and_then(|s| *s.modules.get(at)?);
        let Some(import) = self.facts(file).and_then(|facts| facts.imports.get(at)) else {
            return Targets::default();
        };
        let Some(imported) = import.names.get(name as usize) else {
            return Targets::default();
        };
        if &*imported.name == "*" {
            return self.whole_module(file, import, &imported.local, module);
        }
        if let Some(module) = module {
            // `from . import x` in a package's own `__init__.py` means its submodule.
            let itself = module == file
                && import.enclosing.is_none()
                && imported.name == imported.local
                && self.package(file).is_none();
            if !itself {
                let found = self.imported_from(module, import, &imported.name, chain, search);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        if let Some(resolver) = self.submodules(file) {
            self.add_submodule_lookup(file, &imported.name);
            let files = self.tables.files;
            // A module without a file may have submodules all the same.
            let child = module.and_then(|module| resolver.child(files, module, &imported.name));
            let submodule = || resolver.submodule(files, file, &import.module, &imported.name);
            if let Some(submodule) = child.or_else(submodule) {
                return Targets::one(Target::Module(submodule));
            }
        }
        let macros = module.map_or_else(Targets::default, |module| {
            self.exported_macros(module, &imported.name)
        });
        macros.or_else(|| self.not_exported(file, module, import, &imported.name))
    }

    /// Resolves the name that an import of a whole module binds.
    fn whole_module(
        &self,
        file: FileId,
        import: &'a Import,
        local: &'a str,
        module: Option<FileId>,
    ) -> Targets {
        let mut found = module;
        if self.rules(file).imports_bind_paths && local.contains('.') {
            let first = bound_name(import, local);
            self.dependencies.add_lookup(Lookup::Module, first);
            let (files, resolver) = (self.tables.files, self.resolver(file));
            let root = resolver.and_then(|r| r.absolute(files, Some(file), first));
            found = root.or(module);
        }
        Targets::one(found.map_or(Target::External, Target::Module))
    }

    /// Resolves a name that is imported from a module: an export of the module or, if the language has them,
    /// a member of its package or of a type in it.
    fn imported_from(
        &self,
        module: FileId,
        import: &'a Import,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        let found = self
            .exported_within(module, name, chain.saturating_sub(1), search)
            .or_else(|| self.out_of_line_in_package(module, name))
            .or_else(|| self.default_member(module, name, chain, search));
        if !self.rules(module).imports_reach_members {
            return found;
        }
        found.or_else(|| self.nested_type_member(module, &import.module, name, chain, search))
    }

    /// Returns the member of the object that a module exports as a whole: `const { open } = require('./client')`.
    fn default_member(
        &self,
        module: FileId,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        if name == "default" || !self.rules(module).modules_have_defaults {
            return Targets::default();
        }
        let chain = chain.saturating_sub(1);
        match self
            .exported_within(module, "default", chain, search)
            .first()
        {
            Some(Target::Definition(object)) => self.own_members(object, name),
            Some(Target::Module(module)) => self.exported_within(module, name, chain, search),
            _ => Targets::default(),
        }
    }

    /// Resolves an import whose module is unknown or has no such name.
    fn not_exported(
        &self,
        file: FileId,
        module: Option<FileId>,
        import: &Import,
        name: &str,
    ) -> Targets {
        let rules = self.rules(file);
        let external = Targets::one(Target::External);
        if rules.paths_may_be_qualified {
            let found = self.imported_by_full_name(file, &import.module, name);
            return found
                .or_else(|| self.class_of_functions(file, module, &import.module, name))
                .or_else(|| external);
        }
        match module {
            None => external,
            Some(module) if rules.modules_have_defaults && name == "default" => {
                Targets::one(Target::Module(module))
            }
            // The name is bound nevertheless, probably to generated code.
            Some(module) if self.package(module).is_some() => external,
            Some(_) => Targets::default(),
        }
    }

    /// Returns the file of another language whose functions are in a class that a file imports from a package of the
    /// repository: Java's `import shop.CartKt` names the functions of `Cart.kt`.
    fn class_of_functions(
        &self,
        file: FileId,
        package_file: Option<FileId>,
        package: &str,
        name: &str,
    ) -> Targets {
        let sees_classes = self.rules(file).foreign_properties == ForeignProperties::Called;
        if package_file.is_none() || !sees_classes {
            return Targets::default();
        }
        let family = self.language(file).family();
        self.dependencies.add_lookup(Lookup::AnyModule, family);
        let files = self.tables.files;
        let resolver = self.resolver(file);
        let found = resolver.and_then(|r| r.class_of_functions(files, file, package, name));
        found.map_or_else(Targets::default, |found| {
            Targets::one(Target::Module(found))
        })
    }

    /// Returns the member of a type at the end of a module path: `B` of `import static a.B.c`.
    fn nested_type_member(
        &self,
        module: FileId,
        path: &'a str,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        let mut types: Vec<&'a str> = Vec::new();
        let mut outer: Vec<&'a str> = paths::names(path).collect();
        while types.len() < MAX_NESTED_TYPES {
            let Some(outermost) = outer.pop() else { break };
            let mut found =
                self.exported_within(module, outermost, chain.saturating_sub(1), search);
            for inner in types.iter().rev().chain([&name]) {
                let outer = found.definitions().next();
                found = outer.map_or_else(Targets::default, |outer| self.in_body(outer, inner));
            }
            if !found.is_empty() {
                return found;
            }
            types.push(outermost);
        }
        Targets::default()
    }

    /// Resolves a name through the star imports of a file.
    pub(super) fn through_stars(
        &self,
        file: FileId,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        let stars = self.scope(file).map_or(&[][..], |scope| &scope.stars);
        for star in stars {
            if !search.step() {
                break;
            }
            let rules = self.rules(*star);
            let found = if !rules.star_imports_are_transitive && self.package(*star).is_some() {
                self.in_package(*star, name)
            } else if rules.exports == Exports::Declared {
                self.exported_directly(*star, name, chain, search)
            } else if self.is_public(*star, name) {
                self.bound(*star, TOP_LEVEL, name, chain, search)
            } else {
                Targets::default()
            };
            if !found.is_empty() {
                return found;
            }
        }
        if self.rules(file).imports_reach_members {
            return self.through_stars_of_types(file, name, chain, search);
        }
        Targets::default()
    }

    /// Resolves a name through star imports of all members of a type: `import static a.B.*`.
    fn through_stars_of_types(
        &self,
        file: FileId,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        let (Some(facts), Some(scope)) = (self.facts(file), self.scope(file)) else {
            return Targets::default();
        };
        let imports = facts.imports.iter().zip(&scope.modules);
        for (import, module) in imports.filter(|(import, _)| takes_all(import)) {
            let Some(module) = module.filter(|_| search.step()) else {
                continue;
            };
            let is_own = module == file && self.package(file).is_none();
            let found = match is_own {
                true => self.own_type_member(file, &import.module, name, chain, search),
                false => self.nested_type_member(module, &import.module, name, chain, search),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Targets::default()
    }

    /// Returns the member of a type that the file itself defines or imports: `use Kind::*`. Not through star imports of
    /// types, which would lead back here.
    fn own_type_member(
        &self,
        file: FileId,
        path: &'a str,
        name: &'a str,
        chain: u32,
        search: &mut Search,
    ) -> Targets {
        let stars = self.scope(file).map_or(&[][..], |scope| &scope.stars);
        let chain = chain.saturating_sub(1);
        let mut found = Targets::default();
        // `self` and the like come first and are unbound.
        for outer in paths::names(path).take(MAX_NESTED_TYPES) {
            let inner_of = found.definitions().next();
            if let Some(id) = inner_of {
                found = self.in_body(id, outer);
                continue;
            }
            found = self.bound(file, TOP_LEVEL, outer, chain, search);
            for star in stars.iter().take(MAX_STARS_OF_TYPE) {
                if !found.is_empty() || !search.step() {
                    break;
                }
                found = self.bound(*star, TOP_LEVEL, outer, chain, search);
            }
        }
        let outer = found.definitions().next();
        outer.map_or_else(Targets::default, |outer| self.in_body(outer, name))
    }

    /// Whether `from file import *` binds a name.
    fn is_public(&self, file: FileId, name: &'a str) -> bool {
        let listed = self.facts(file).is_some_and(|f| !f.exports.is_empty());
        if listed {
            self.bindings(file, EXPORTS, name).next().is_some()
        } else {
            !name.starts_with('_')
        }
    }

    /// Returns the files that a file's imports resolve to: the modules, and the files of the names taken from
    /// them. Unordered, with repetitions.
    ///
    /// For a package, these are the files that the importing file uses. The module's file is an arbitrary one
    /// of the package and counts only if no used file is known.
    pub(super) fn imported_files(&self, file: FileId) -> Vec<FileId> {
        let (Some(facts), Some(scope)) = (self.facts(file), self.scope(file)) else {
            return Vec::new();
        };
        let (heads, named) = (OnceCell::new(), OnceCell::new());
        let mut imported: Vec<FileId> = Vec::with_capacity(scope.modules.len());
        let mut search = Search::of_imports();
        for (position, (import, module)) in facts.imports.iter().zip(&scope.modules).enumerate() {
            let before = imported.len();
            for name in 0..import.names.len() {
                let at = (file, position as u32, name as u32);
                let found = self.imported(at, MAX_CHAIN, &mut search);
                imported.extend(found.iter().filter_map(|target| match target {
                    Target::Definition(id) => Some(id.file),
                    Target::Module(module) => Some(module),
                    Target::External => None,
                }));
            }
            let Some(module) = *module else { continue };
            if self.is_package_import(file, import, module) {
                let heads: &Vec<_> = heads.get_or_init(|| self.heads(file));
                imported.extend(self.files_of_members(import, module, heads));
                if takes_all(import) {
                    let named: &Vec<_> = named.get_or_init(|| self.files_of_heads(file, heads));
                    let package = self.package(module);
                    let used = named.iter().filter(|used| self.package(**used) == package);
                    imported.extend(used);
                }
                if imported.len() > before {
                    continue;
                }
            }
            imported.push(module);
        }
        imported
    }
}
