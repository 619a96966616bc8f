//! Which files of a package an importing file uses: an import of a package alone does not say it.

use foldhash::HashSet;
use foveate_model::Import;

use crate::files::FileId;
use crate::graph::names::Names;
use crate::graph::paths;
use crate::graph::scopes::takes_all;

/// Most distinct names of one file that are looked up to find what it uses.
const MAX_HEADS: usize = 4_096;

/// The first two names of a path; the second may be empty.
type Head<'a> = (&'a str, &'a str);

impl<'a> Names<'a> {
    /// Whether an imported module is any file of a package. What is included or required by its path
    /// is that file.
    pub(super) fn stands_for_package(
        &self,
        importer: FileId,
        import: &Import,
        module: FileId,
    ) -> bool {
        self.package(module).is_some()
            && !(takes_all(import) && self.rules(importer).star_imports_are_transitive)
            && !import.names.is_empty()
    }

    /// How the paths of a file begin, in the order of their first use.
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

    /// The files of a package that define what a file uses of it.
    pub(super) fn used_of_package(
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
