//! Resolves the `using` directives of C#: to namespaces, which count as packages wherever their files
//! are, and to types in them.

mod projects;
#[cfg(test)]
mod tests;

use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem, is_equal};
use foveate_model::{Definition, FileFacts, FileId, ImportKind, SourceFile};

use self::projects::Projects;
use crate::languages::files_by_name::FilesByName;
use crate::languages::package_numbers::PackageNumbers;
use crate::paths::shared_segments;

pub(super) static MODULES: ModuleSystem = ModuleSystem {
    is_settings: projects::is_settings,
    sources_declare_modules: true,
    ..ModuleSystem::new(|files| Box::new(Namespaces::new(files)))
};

/// The namespaces of a repository.
#[derive(Debug, Default, PartialEq)]
struct Namespaces {
    /// Files by the full name of their namespace.
    namespaces: FilesByName,
    /// Files by the full name of a top-level type in them.
    types: FilesByName,
    /// Namespace number by file id.
    of_file: PackageNumbers,
    projects: Projects,
}

impl Namespaces {
    fn new(files: &dyn FileTree) -> Self {
        let mut found = Self {
            of_file: PackageNumbers::new(files, |file| source(file).map(|facts| &*facts.package)),
            ..Self::default()
        };
        for id in files.ids() {
            let Some(facts) = source(files.file(id)) else {
                continue;
            };
            let namespace = &*facts.package;
            found.namespaces.add(namespace, id);
            let definitions = facts.definitions.iter();
            for definition in definitions.filter(|d| d.parent.is_none() && d.kind.is_container()) {
                match namespace {
                    "" => found.types.add(&definition.name, id),
                    _ => found
                        .types
                        .add(&format!("{namespace}.{}", definition.name), id),
                }
            }
        }
        found.projects = Projects::new(
            files,
            |file| source(file).is_some(),
            |near, name| found.named(files, Some(near), name),
        );
        found
    }

    /// Returns the file of the namespace or type of a full name; of several, the nearest to `near`.
    fn named(&self, files: &dyn FileTree, near: Option<FileId>, name: &str) -> Option<FileId> {
        let found = self
            .namespaces
            .near(name, near)
            .filter(|_| !name.is_empty());
        let found = found.or_else(|| self.types.near(name, near))?;
        let Some(near) = near else {
            return found.first().copied();
        };
        let shared = |id: FileId| shared_segments(files.path(near), files.path(id));
        let found = found.iter().copied();
        found.max_by_key(|id| (shared(*id), std::cmp::Reverse(*id)))
    }
}

/// Whether a definition is the member `name` of a type of which `outer` is the full name.
fn is_inside(definition: &Definition, outer: &str, name: &str) -> bool {
    let around = definition.qualified_name.strip_suffix(name);
    let around = around.and_then(|around| around.strip_suffix('.'));
    around.is_some_and(|around| outer.ends_with(around))
}

fn source(file: &SourceFile) -> Option<&FileFacts> {
    let content = file.content.as_ref();
    content
        .filter(|_| file.path.extension() == "cs")
        .map(|content| &content.facts)
}

impl ModuleResolver for Namespaces {
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        _kind: ImportKind,
    ) -> Option<FileId> {
        let module = module.strip_prefix("global::").unwrap_or(module);
        if let Some(found) = self.named(files, Some(importer), module) {
            return Some(found);
        }
        // Inside `A.B`, `C` may mean `A.B.C` or `A.C`.
        let content = files.file(importer).content.as_ref()?;
        let mut around = &*content.facts.package;
        while !around.is_empty() {
            let full = format!("{around}.{module}");
            if let Some(found) = self.named(files, Some(importer), &full) {
                return Some(found);
            }
            around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        // A nested type, in one of the files with parts of the outer one.
        let (outer, name) = module.rsplit_once('.')?;
        let parts = self.types.near(outer, Some(importer))?;
        let defines = |id: &&FileId| {
            let facts = source(files.file(**id));
            let mut definitions = facts.into_iter().flat_map(|facts| &facts.definitions);
            definitions.any(|known| known.kind.is_container() && is_inside(known, outer, name))
        };
        parts.iter().find(defines).or(parts.first()).copied()
    }

    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        self.named(files, importer, name)
    }

    fn package_of(&self, file: FileId) -> Option<u32> {
        self.of_file.of(file)
    }

    fn project_of(&self, file: FileId) -> Option<u32> {
        self.projects.of(file)
    }

    fn imports_of_project(&self, project: u32) -> &[FileId] {
        self.projects.imports(project)
    }

    fn is_same(&self, other: &dyn ModuleResolver) -> bool {
        is_equal(self, other)
    }
}
