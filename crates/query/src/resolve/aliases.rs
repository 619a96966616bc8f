//! Finds what files import under a name of their own: `missing_` of `from utils import missing as missing_`.

use foveate_index::lexical::Field;
use foveate_index::tokens::terms;
use foveate_index::{DefId, FileId, Snapshot};
use foveate_model::ImportedName;

use super::Resolver;

/// Maximum names of a query that are searched for.
pub(super) const MAX_NAMES: usize = 32;
/// Maximum chunks with the words of a name; a more common one is hardly an alias.
const MAX_CHUNKS: usize = 4_000;
/// Maximum files whose import of a name is resolved.
const MAX_IMPORTING: usize = 16;

impl Resolver<'_> {
    /// Returns the definitions that files import under another name than their own, if the query looks up a name.
    pub(super) fn imported_as(&self, name: &str) -> Vec<DefId> {
        let left = self.aliases_left.get();
        if self.asks.is_none() || left == 0 {
            return Vec::new();
        }
        self.aliases_left.set(left - 1);
        let Snapshot { files, symbols, .. } = self.snapshot;
        let (lexical, graph) = (&self.snapshot.lexical, &self.snapshot.graph);
        // The search for the words of the query reports an index that cannot be read.
        let chunks = lexical.chunks_with(&terms(name), Field::Code, MAX_CHUNKS);
        let chunks = chunks.unwrap_or_default().into_iter();
        let mut importing: Vec<FileId> = chunks.map(|chunk| files.chunk_file(chunk)).collect();
        importing.sort_unstable();
        importing.dedup();
        let is_alias = |taken: &ImportedName| *taken.local == *name && *taken.name != *name;
        importing.retain(|file| {
            let imports = files
                .content(*file)
                .map_or(&[][..], |content| content.facts.imports.as_slice());
            imports
                .iter()
                .any(|import| import.names.iter().any(is_alias))
        });
        importing.truncate(MAX_IMPORTING);
        let resolved = |file: FileId| graph.resolve_name(files, symbols, file, name).0;
        importing.into_iter().flat_map(resolved).collect()
    }
}
