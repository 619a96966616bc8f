//! Resolves the specifiers of ECMAScript imports. Relative specifiers are probed with the extensions that
//! compilers and bundlers try. Others go through the nearest `tsconfig.json`, then through the packages of
//! the repository. Build outputs that are not in the repository are mapped back to their sources.

use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem, is_equal};
use foveate_model::{FileId, ImportKind};

use super::packages::Packages;
use super::probe::{is_declaration_file, probe, probe_declarations, probe_source};
use super::tsconfig::Configs;
use crate::paths::join;

/// The module system of JavaScript and TypeScript.
pub(super) static MODULES: ModuleSystem = ModuleSystem {
    is_settings: |path| matches!(path.extension(), "json" | "jsonc" | "json5"),
    ..ModuleSystem::new(|files| Box::new(EcmascriptModules::new(files)))
};

/// The packages and compiler settings of one revision.
#[derive(Debug, Default, PartialEq)]
struct EcmascriptModules {
    packages: Packages,
    configs: Configs,
}

impl EcmascriptModules {
    /// Reads all `package.json`, `tsconfig*.json` and `jsconfig.json` files that have content.
    fn new(files: &dyn FileTree) -> Self {
        let packages = Packages::new(files);
        let configs = Configs::new(files, &packages);
        Self { packages, configs }
    }

    /// Resolves the usual aliases of bundlers: `@/x` and `~/x` for the sources of the nearest package, and
    /// a path from that package's directory.
    fn resolve_alias(
        &self,
        files: &dyn FileTree,
        directory: &str,
        specifier: &str,
    ) -> Option<FileId> {
        let root = self.packages.nearest_directory(directory);
        if let Some(rest) = specifier
            .strip_prefix("@/")
            .or_else(|| specifier.strip_prefix("~/"))
        {
            return ["src", "app", "."]
                .iter()
                .find_map(|top| probe(files, &join(&join(root, top)?, rest)?));
        }
        let first = specifier.split('/').next().unwrap_or(specifier);
        if first == "src" && specifier != first {
            return probe(files, &join(root, specifier)?);
        }
        None
    }
}

impl ModuleResolver for EcmascriptModules {
    /// Returns the file that `specifier`, as written in `importer`, refers to.
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        specifier: &str,
        _kind: ImportKind,
    ) -> Option<FileId> {
        // Bundlers accept options after a question mark or before an exclamation mark.
        let specifier = specifier.split('?').next().unwrap_or(specifier);
        let specifier = specifier.rsplit('!').next().unwrap_or(specifier);
        let importer = &files.file(importer).path;
        let directory = importer.directory();
        if specifier == "."
            || specifier == ".."
            || specifier.starts_with("./")
            || specifier.starts_with("../")
        {
            let path = join(directory, specifier)?;
            let declarations = is_declaration_file(importer.file_name())
                .then(|| probe_declarations(files, &path))
                .flatten();
            return declarations
                .or_else(|| probe_source(files, &path))
                .or_else(|| self.packages.resolve_directory(files, &path))
                .or_else(|| self.packages.sources_of_entry(files, &path));
        }
        if specifier.is_empty() || specifier.starts_with('/') || specifier.contains(':') {
            return None;
        }
        self.configs
            .targets(directory, specifier)
            .iter()
            .find_map(|path| probe_source(files, path))
            .or_else(|| self.packages.resolve_internal(files, directory, specifier))
            .or_else(|| self.packages.resolve(files, directory, specifier))
            .or_else(|| self.resolve_alias(files, directory, specifier))
    }

    /// Returns the file of a package specifier: `@scope/core/lib/x`.
    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        specifier: &str,
    ) -> Option<FileId> {
        let directory = importer.map_or("", |id| files.file(id).path.directory());
        self.packages.resolve(files, directory, specifier)
    }

    fn package_directory(&self, name: &str) -> Option<&str> {
        self.packages.directory_of(name)
    }

    /// Returns the directory of the package whose name or directory ends with this segment.
    fn package_like(&self, segment: &str) -> Option<&str> {
        self.packages.directory_like(segment)
    }

    /// Returns the directory of the package that a directory belongs to.
    fn package_around<'a>(&self, directory: &'a str) -> Option<&'a str> {
        Some(self.packages.nearest_directory(directory))
    }

    fn is_same(&self, other: &dyn ModuleResolver) -> bool {
        is_equal(self, other)
    }
}
