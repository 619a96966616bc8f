//! Checks the size of a tree against its limit, before any of its files is read.

use foveate_model::SourceFile;

use super::walk::WalkedFile;
use super::{TreeError, WorkingTree};
use crate::engine::{BlobCache, Progress};
use crate::ingest::max_size::indexable_bytes;

impl WorkingTree {
    /// Returns the condition for ending a walk early: so many files or directories that the tree is too large, or the
    /// work is cancelled.
    pub(super) fn is_over<'p>(
        &self,
        progress: &'p Progress,
    ) -> impl Fn(usize) -> bool + Sync + use<'p> {
        let max = self.read_limits.max_size.files;
        move |found| found > max || progress.check().is_err()
    }

    /// Returns an error if a tree of the `found` files and the `others`, in so many directories, is too large. The bytes of
    /// files that are not read do not count.
    pub(super) fn check_size<'f>(
        &self,
        found: &[WalkedFile],
        others: impl Iterator<Item = &'f SourceFile>,
        directories: usize,
        blobs: &BlobCache,
    ) -> Result<(), TreeError> {
        let limits = blobs.limits();
        let walked = found.iter().filter(|found| found.skipped.is_none());
        let mut bytes: u64 = walked
            .map(|found| indexable_bytes(&found.path, found.stat.size, limits))
            .sum();
        let mut files = found.len();
        for file in others {
            files += 1;
            bytes += match file.content {
                Some(_) => file.size.min(limits.max_bytes),
                None => 0,
            };
        }
        let found = files.max(directories);
        self.read_limits.max_size.check(found, bytes)?;
        Ok(())
    }
}
