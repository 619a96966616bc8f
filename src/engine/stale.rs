//! Opens the stale index: one that an earlier program stored, and that answers while this program builds its own. Its
//! answers have the issue `outdated`.
//! Nothing is derived from it and nothing of it is stored: [`Repository::current_unless_stale`] never returns one.

use std::sync::Arc;

use foveate_index::StoredIndex;

use super::{BlobCache, IndexStore, Repository};

/// The stale index of one repository.
#[derive(Debug)]
pub struct StaleIndex {
    store: Arc<IndexStore>,
    /// The stored facts of its blobs. Blobs that are not stored are not parsed.
    pub blobs: BlobCache,
}

impl StaleIndex {
    /// Opens the stale index of a repository, where there is one that can be read. Reads the heads of two files.
    pub fn of(repository: &Repository) -> Option<Self> {
        let store = Arc::new(repository.store.stale()?);
        let limits = *repository.blobs.limits();
        Some(Self {
            blobs: BlobCache::of_stored(Arc::clone(&store), limits),
            store,
        })
    }

    pub(super) fn index(&self) -> StoredIndex {
        StoredIndex {
            segments: self.store.segments(),
            ..StoredIndex::default()
        }
    }
}
