//! ECMAScript modules: what a specifier in an import stands for. Relative specifiers are probed
//! with the extensions that compilers and bundlers try; others go through the nearest
//! `tsconfig.json`, then through the packages of the repository. Built outputs that are not in the
//! repository are mapped back to the sources that they come from.

use crate::files::{FileId, Files};
use crate::graph::family::Family;
use crate::graph::packages::Packages;
use crate::graph::paths::join;
use crate::graph::probe::{probe, probe_source};
use crate::graph::tsconfig::Configs;

/// The packages and compiler settings of one revision.
#[derive(Debug, Default)]
pub(super) struct EcmascriptModules {
    packages: Packages,
    configs: Configs,
}

impl EcmascriptModules {
    /// Reads all `package.json`, `tsconfig*.json` and `jsconfig.json` files that have content.
    pub(super) fn new(files: &Files) -> Self {
        let uses = files
            .as_slice()
            .iter()
            .any(|file| Family::of(file.language) == Family::Ecmascript);
        if !uses {
            return Self::default();
        }
        let packages = Packages::new(files);
        let configs = Configs::new(files, &packages);
        Self { packages, configs }
    }

    /// The file that `specifier`, as written in `importer`, stands for.
    pub(super) fn resolve(
        &self,
        files: &Files,
        importer: FileId,
        specifier: &str,
    ) -> Option<FileId> {
        // Bundlers take options after a question mark or before an exclamation mark.
        let specifier = specifier.split('?').next().unwrap_or(specifier);
        let specifier = specifier.rsplit('!').next().unwrap_or(specifier);
        let directory = files.file(importer).path.directory();
        if specifier == "."
            || specifier == ".."
            || specifier.starts_with("./")
            || specifier.starts_with("../")
        {
            let path = join(directory, specifier)?;
            return probe_source(files, &path)
                .or_else(|| self.packages.resolve_directory(files, &path));
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

    /// The file of a package specifier (`@scope/core/lib/x`), for callers without an importer.
    pub(super) fn resolve_package(&self, files: &Files, specifier: &str) -> Option<FileId> {
        self.packages.resolve(files, "", specifier)
    }

    /// The directory of the package of this name.
    pub(super) fn package_directory(&self, name: &str) -> Option<&str> {
        self.packages.directory_of(name)
    }

    /// The directory of the package whose name or directory ends with this segment.
    pub(super) fn package_like(&self, segment: &str) -> Option<&str> {
        self.packages.directory_like(segment)
    }

    /// The directory of the package that a directory belongs to.
    pub(super) fn package_around<'a>(&self, directory: &'a str) -> &'a str {
        self.packages.nearest_directory(directory)
    }

    /// The aliases that bundlers are commonly given: `@/x` and `~/x` for the sources of the nearest
    /// package, and a path from that package's directory.
    fn resolve_alias(&self, files: &Files, directory: &str, specifier: &str) -> Option<FileId> {
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

    pub(super) fn heap_bytes(&self) -> usize {
        self.packages.heap_bytes() + self.configs.heap_bytes()
    }
}
