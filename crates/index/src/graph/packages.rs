//! Resolves names that the files of one package share without imports. Nothing here applies to languages in
//! which a file is a module of its own.

use crate::files::FileId;
use crate::graph::candidates::{BestCandidates, Candidate, Nesting, is_prototype};
use crate::graph::names::{MAX_CHAIN, NameResolver};
use crate::graph::search::Search;
use crate::graph::targets::{Target, Targets};

impl<'a> NameResolver<'a> {
    /// Returns the package of a file; `None` if it is a module of its own.
    pub(super) fn package(&self, file: FileId) -> Option<u32> {
        self.tables.modules.package_of(self.tables.files, file)
    }

    /// Returns the top-level definitions of a name in the package of a file, as far as the file sees them:
    /// the nearest, implementations before prototypes.
    pub(super) fn in_package(&self, file: FileId, name: &str) -> Targets {
        self.best_in_package(file, name, |candidate| candidate.is_top_level_for(file))
    }

    /// Returns the definitions of a name in the package of a file that `is_meant`: the nearest, implementations
    /// before prototypes.
    fn best_in_package(
        &self,
        file: FileId,
        name: &str,
        is_meant: impl Fn(&Candidate<'_>) -> bool,
    ) -> Targets {
        let package = self.package(file);
        if package.is_none() {
            return Targets::default();
        }
        let mut best = BestCandidates::none();
        for candidate in self.named(file, name) {
            let other = candidate.id.file;
            if is_meant(&candidate) && self.package(other) == package {
                let rank = (candidate.has_body(), self.nearness(file, other));
                best.add(rank, candidate);
            }
        }
        best.targets()
    }

    /// Resolves a top-level name of a file in a package, where `own` is what the file itself binds.
    pub(super) fn in_file_or_package(
        &self,
        file: FileId,
        name: &'a str,
        own: Targets,
        search: &mut Search,
    ) -> Targets {
        let rules = self.rules(file);
        let through_stars = || match rules.star_imports_bind {
            true => self.through_stars(file, name, MAX_CHAIN, search),
            false => Targets::default(),
        };
        let in_package = || self.in_package(file, name);
        // Names that are included as text belong to the file; names from star imports come last.
        let found = match rules.star_imports_are_transitive {
            true => own.or_else(through_stars).or_else(in_package),
            false => own.or_else(in_package).or_else(through_stars),
        };
        self.implemented(found)
    }

    /// Replaces top-level prototypes by the definitions of the package with the same full name and a body, if
    /// there are any. A prototype in a header means the function in the source.
    pub(super) fn implemented(&self, found: Targets) -> Targets {
        if !self.lacks_bodies(found) {
            return found;
        }
        let first = found.definitions().next();
        let Some(declared) = first.and_then(|first| self.candidate(first)) else {
            return found;
        };
        let file = declared.id.file;
        let best = self.best_in_package(file, &declared.definition.name, |candidate| {
            candidate.has_body()
                && candidate.is_top_level_for(file)
                && candidate.full_name().is_same(declared.full_name())
        });
        best.or_else(|| found)
    }

    /// Whether all targets are prototypes; true if there are none.
    pub(super) fn lacks_bodies(&self, found: Targets) -> bool {
        found.iter().all(|target| match target {
            Target::Definition(id) => is_prototype(self.definition(id)),
            Target::Module(_) | Target::External => false,
        })
    }

    /// Returns the out-of-line members that an import of a name from a package may mean besides its top
    /// level: an extension function is a member of its type, and is imported by its own name.
    pub(super) fn out_of_line_in_package(&self, file: FileId, name: &str) -> Targets {
        self.best_in_package(file, name, |candidate| {
            candidate.definition.modifiers.is_out_of_line
        })
    }

    /// Returns the extensions at the top level of the package of a file.
    pub(super) fn extensions_in_package(&self, file: FileId, name: &str) -> Targets {
        self.best_in_package(file, name, |candidate| {
            candidate.definition.modifiers.is_out_of_line
                && candidate.nesting() == Nesting::TopLevel
        })
    }
}
