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

    /// Returns the files, each once, of the definitions that the heads of paths name without a receiver.
    pub(super) fn files_of_heads(&self, file: FileId, heads: &[Head<'a>]) -> Vec<FileId> {
        let mut seen = HashSet::default();
        let mut files = Vec::new();
        for (first, _) in heads {
            if seen.insert(*first) {
                files.extend(self.visible(file, first).definitions().map(|id| id.file));
            }
        }
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Returns the files in which the members of a module that is imported under a name of its own are defined, as far as
    /// the heads of paths name them.
    pub(super) fn files_of_members(
        &self,
        import: &'a Import,
        module: FileId,
        heads: &[Head<'a>],
    ) -> Vec<FileId> {
        let binds = |name: &str| {
            let mut names = import.names.iter();
            names.any(|bound| &*bound.name == "*" && *bound.local == *name)
        };
        let members = heads
            .iter()
            .filter(|(first, second)| !second.is_empty() && binds(first));
        let found = members.map(|(_, second)| self.attribute(module, second));
        let files = found.map(|found| found.definitions().map(|id| id.file).collect::<Vec<_>>());
        files.flatten().collect()
    }
}
