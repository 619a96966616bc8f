//! Checks the size of a tree against its limit, before any of its files is read.

use std::collections::HashSet;

use foveate_model::RepoPath;

use super::walk::{Listing, WalkedFile};
use super::{TreeError, WorkingTree};
use crate::engine::Progress;
use crate::ingest::max_size::skip_unread;

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

    /// Returns an error if a tree of these files is too large. Files larger than `max_file_bytes` are not
    /// read, so their bytes do not count.
    pub(super) fn check_size(
        &self,
        listing: &Listing,
        max_file_bytes: u64,
    ) -> Result<(), TreeError> {
        let files = listing.files.iter();
        let read = files.filter(|found| is_read(found, max_file_bytes));
        let bytes = read.map(|found| found.stat.size).sum();
        let found = listing.files.len().max(listing.directories.len());
        self.read_limits.max_size.check(found, bytes)?;
        Ok(())
    }

    /// Like [`Self::check_size`], for these files together with the known ones.
    pub(super) fn check_growth(
        &self,
        found: &[WalkedFile],
        max_file_bytes: u64,
    ) -> Result<(), TreeError> {
        let paths: HashSet<&RepoPath> = found.iter().map(|found| &found.path).collect();
        let others = self.entries.values().map(|known| &known.file);
        let (mut files, mut bytes) = (found.len(), 0);
        for file in others.filter(|file| !paths.contains(&file.path)) {
            files += 1;
            bytes += if file.content.is_some() { file.size } else { 0 };
        }
        let read = found.iter().filter(|found| is_read(found, max_file_bytes));
        bytes += read.map(|found| found.stat.size).sum::<u64>();
        let found = files.max(self.directories.len());
        self.read_limits.max_size.check(found, bytes)?;
        Ok(())
    }
}

/// Whether a file is read: neither its kind nor its name nor its size excludes it.
fn is_read(found: &WalkedFile, max_file_bytes: u64) -> bool {
    let WalkedFile {
        path,
        stat,
        skipped,
    } = found;
    skipped.is_none() && skip_unread(path, stat.size, max_file_bytes).is_none()
}
