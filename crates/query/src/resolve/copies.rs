//! Finds the sources of code in generated files that are copies of them, such as amalgamations of C and C++: a report names
//! the file that the reporter compiled, but the sources are what is edited.

use foveate_index::{DefId, FileId};
use foveate_model::Role;

use super::Resolver;

/// Maximum definitions of a generated file that are looked for in sources.
const MAX_SAMPLED: usize = 16;
/// Maximum definitions of a name that are examined: one that more have, such as `main`, tells nothing.
const MAX_NAMED: usize = 256;

impl Resolver<'_> {
    /// Returns the definitions in sources of which the one that `find` returns is a copy, if `files` is one generated file, and
    /// notes this. None if it is no copy of sources of the repository.
    pub(super) fn sources_at(
        &mut self,
        files: &[FileId],
        find: impl FnOnce(&Self, FileId) -> Option<DefId>,
    ) -> Vec<DefId> {
        let [file] = files else {
            return Vec::new();
        };
        if self.snapshot.files.file(*file).role != Role::Generated {
            return Vec::new();
        }
        let found = find(self, *file).filter(|_| self.is_copy_of_sources(*file));
        let sources = found.map_or_else(Vec::new, |found| self.sources_of(found));
        if !sources.is_empty() {
            self.copies.insert(*file);
        }
        sources
    }

    /// Whether most of the first functions and types of a generated file are in sources, too. Code of others, which is copied
    /// as it is, may share a few names with them.
    fn is_copy_of_sources(&self, file: FileId) -> bool {
        let files = &self.snapshot.files;
        let all = files.definitions_of(file).filter(|id| {
            let kind = files.definition(*id).kind;
            kind.is_function() || kind.is_class()
        });
        let sampled: Vec<DefId> = all.take(MAX_SAMPLED).collect();
        let copied = sampled
            .iter()
            .filter(|id| !self.sources_of(**id).is_empty());
        copied.count() * 2 > sampled.len()
    }

    /// Returns the few functions and types in sources with the whole name of a definition.
    fn sources_of(&self, id: DefId) -> Vec<DefId> {
        let files = &self.snapshot.files;
        let definition = files.definition(id);
        let family = files.file(id.file).language.family();
        let named = self.snapshot.symbols.qualified(&definition.qualified_name);
        if named.len() > MAX_NAMED {
            return Vec::new();
        }
        let mut found = self.in_sources(named);
        found.retain(|other| {
            files.definition(*other).kind == definition.kind
                && files.file(other.file).language.family() == family
        });
        self.hide_declarations(&mut found);
        match found.len() > self.config.max_frame_definitions {
            true => Vec::new(),
            false => found,
        }
    }
}
