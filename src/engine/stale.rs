//! The stale index: an earlier program stored it, and it answers while this one makes its own. Nothing is
//! derived from it and nothing of it is stored: a repository's [`Repository::basis`] is never one.

use std::sync::Arc;

use foveate_index::stored::Index;

use super::{BlobCache, IndexStore, Repository};

/// The index that an earlier program stored of one repository.
#[derive(Debug)]
pub struct StaleIndex {
    store: Arc<IndexStore>,
    blobs: BlobCache,
}

impl StaleIndex {
    /// That of a repository, where there is one that can be read. Reads the heads of two files.
    pub fn of(repository: &Repository) -> Option<Self> {
        let store = Arc::new(repository.store().stale()?);
        let limits = *repository.blobs().limits();
        Some(Self {
            blobs: BlobCache::of_stored(Arc::clone(&store), limits),
            store,
        })
    }

    /// The facts of its blobs. Others are not parsed.
    pub fn blobs(&self) -> &BlobCache {
        &self.blobs
    }

    pub(super) fn index(&self) -> Index {
        Index {
            segments: self.store.segments(),
            ..Index::default()
        }
    }
}
