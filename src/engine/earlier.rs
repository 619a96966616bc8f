//! The index that an earlier program left: what it stored answers as it is while this one makes its
//! own. Nothing is derived from it and nothing of it is stored: a repository's [`Repository::basis`]
//! is never one.

use std::sync::Arc;

use foveate_index::stored::Index;

use super::{BlobCache, Kept, Repository};

/// What an earlier program stored of one repository.
#[derive(Debug)]
pub struct Earlier {
    kept: Arc<Kept>,
    blobs: BlobCache,
}

impl Earlier {
    /// That of a repository, where there is one that can be read. Reads the heads of two files.
    pub fn of(repository: &Repository) -> Option<Self> {
        let kept = Arc::new(repository.kept().earlier()?);
        let limits = *repository.blobs().limits();
        Some(Self {
            blobs: BlobCache::of_stored(Arc::clone(&kept), limits),
            kept,
        })
    }

    /// What its blobs gave. Others are not parsed.
    pub fn blobs(&self) -> &BlobCache {
        &self.blobs
    }

    /// Its index.
    pub(super) fn index(&self) -> Index {
        Index {
            segments: self.kept.segments(),
            ..Index::default()
        }
    }
}
