//! Finds the files of a package that an importing file uses, which the import of the package alone does not
//! show.

use foldhash::HashSet;
use foveate_model::Import;

use crate::files::FileId;
use crate::graph::names::NameResolver;
use crate::graph::paths;
use crate::graph::scopes::takes_all;

/// Maximum number of distinct path heads of one file that are looked up.
const MAX_HEADS: usize = 4_096;

/// The first two names of a path; the second may be empty.
type Head<'a> = (&'a str, &'a str);

impl<'a> NameResolver<'a> {
    /// Whether an import refers to a package as a whole, so that `module` is only one of its files. An
    /// include or require by path refers to that file alone.
    pub(super) fn is_package_import(
        &self,
        importer: FileId,
        import: &Import,
        module: FileId,
    ) -> bool {
        self.package(module).is_some()
            && !(takes_all(import) && self.rules(importer).star_imports_are_transitive)
            && !import.names.is_empty()
    }

    /// Returns the distinct heads of the paths in a file, in the order of their first use.
    pub(super) fn heads(&self, file: FileId) -> Vec<Head<'a>> {
        let Some(facts) = self.facts(file) else {
            return Vec::new();
        };
        let text = self.text(file);
        let mut seen: HashSet<Head<'a>> = HashSet::default();
        let references = facts.references.iter();
        references
            .filter(|reference| !reference.opaque_receiver)
            .filter_map(|reference| {
                let mut names = paths::names(reference.path.of(text));
                Some((names.next()?, names.next().unwrap_or("")))
            })
            .filter(|head| seen.insert(*head))
            .take(MAX_HEADS)
            .collect()
    }

    /// Returns the files of a package whose definitions a file uses.
    pub(super) fn used_package_files(
        &self,
        file: FileId,
        import: &'a Import,
        module: FileId,
        heads: &[Head<'a>],
    ) -> Vec<FileId> {
        let package = self.package(module);
        let mut used = Vec::new();
        for (first, second) in heads {
            let is_member = !second.is_empty()
                && import
                    .names
                    .iter()
                    .any(|name| &*name.name == "*" && *name.local == **first);
            let found = if is_member {
                self.attribute(module, second)
            } else if takes_all(import) {
                self.visible(file, first)
            } else {
                continue;
            };
            let files = found.definitions().map(|id| id.file);
            used.extend(files.filter(|used| is_member || self.package(*used) == package));
        }
        used
    }
}
