//! Checks the size of a tree against its limit, before any of its files is read.

use std::collections::HashSet;

use foveate_model::RepoPath;

use super::walk::{FoundKind, WalkedFile};
use super::{TreeError, WorkingTree};

impl WorkingTree {
    /// Returns an error if a tree of these files is too large. Files larger than `max_file_bytes` are not
    /// read, so their bytes do not count.
    pub(super) fn check_size(
        &self,
        files: &[WalkedFile],
        max_file_bytes: u64,
    ) -> Result<(), TreeError> {
        let read = files.iter().filter(|found| is_read(found, max_file_bytes));
        let bytes = read.map(|found| found.stat.size).sum();
        self.read_limits.max_size.check(files.len(), bytes)?;
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
        self.read_limits.max_size.check(files, bytes)?;
        Ok(())
    }
}

/// Whether a file is read: neither its kind nor its name nor its size excludes it.
fn is_read(found: &WalkedFile, max_file_bytes: u64) -> bool {
    found.kind == FoundKind::File
        && found.stat.size <= max_file_bytes
        && foveate_parse::skip_by_name(&found.path).is_none()
}
