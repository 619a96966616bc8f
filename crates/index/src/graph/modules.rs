//! Resolves the modules of imports through the module resolvers of the languages that a revision is written
//! in.

use foveate_model::resolution::{ModuleResolver, ModuleSystem};
use foveate_model::{ImportKind, Language};
use rayon::prelude::*;

use crate::files::{FileId, Files};

/// A project: the family of its languages, and its number there.
pub(super) type Project = (&'static str, u32);

/// The module resolvers of one revision.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// In the order of the languages' codes; the first that knows an answer counts.
    resolvers: Vec<Resolver>,
}

#[derive(Debug)]
struct Resolver {
    family: &'static str,
    system: &'static ModuleSystem,
    modules: Box<dyn ModuleResolver>,
}

impl Modules {
    pub(super) fn new(files: &Files) -> Self {
        let mut languages: Vec<Language> = Vec::new();
        for file in files.as_slice() {
            if !languages.contains(&file.language) {
                languages.push(file.language);
            }
        }
        languages.sort_unstable_by_key(|language| language.rules().code);
        let mut systems: Vec<(&'static str, &'static ModuleSystem)> = Vec::new();
        for language in languages {
            if let Some(system) = language.rules().modules
                && systems
                    .iter()
                    .all(|(family, _)| *family != language.family())
            {
                systems.push((language.family(), system));
            }
        }
        let resolvers = systems.into_par_iter().map(|(family, system)| Resolver {
            family,
            system,
            modules: (system.resolver)(files),
        });
        Self {
            resolvers: resolvers.collect(),
        }
    }

    pub(super) fn of(&self, language: Language) -> Option<&dyn ModuleResolver> {
        self.of_family(language.family())
    }

    fn of_family(&self, family: &str) -> Option<&dyn ModuleResolver> {
        let resolver = self.resolvers.iter().find(|r| r.family == family)?;
        Some(&*resolver.modules)
    }

    /// Returns the package that a file is part of; `None` if it is a module of its own.
    pub(super) fn package_of(&self, files: &Files, file: FileId) -> Option<u32> {
        let resolver = self.of(files.file(file).language)?;
        resolver.package_of(file)
    }

    /// Returns the project that a file belongs to; see [`ModuleResolver::project_of`].
    pub(super) fn project_of(&self, files: &Files, file: FileId) -> Option<Project> {
        let family = files.file(file).language.family();
        let project = self.of_family(family)?.project_of(file)?;
        Some((family, project))
    }

    /// Returns the files of the modules that the settings of a project import into all its files.
    pub(super) fn imports_of_project(&self, (family, project): Project) -> &[FileId] {
        let resolver = self.of_family(family);
        resolver.map_or(&[], |resolver| resolver.imports_of_project(project))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &dyn ModuleResolver> {
        self.resolvers.iter().map(|resolver| &*resolver.modules)
    }

    /// Returns the families of the languages with their module systems.
    pub(super) fn systems(&self) -> impl Iterator<Item = (&'static str, &'static ModuleSystem)> {
        self.resolvers.iter().map(|r| (r.family, r.system))
    }

    /// Whether the modules of a family are where those of `earlier` are, in the same list of files.
    pub(super) fn are_same(&self, earlier: &Self, family: &str) -> bool {
        match (self.of_family(family), earlier.of_family(family)) {
            (Some(now), Some(before)) => now.is_same(before),
            _ => false,
        }
    }

    /// Returns the file of `module`, as written in `importer`. `None` if it lies outside the repository.
    pub(super) fn resolve(
        &self,
        files: &Files,
        importer: FileId,
        module: &str,
        kind: ImportKind,
    ) -> Option<FileId> {
        let resolver = self.of(files.file(importer).language)?;
        resolver.resolve(files, importer, module, kind)
    }
}
