//! Updates a working tree from the paths that file system events named: lists the directories around them, and reads
//! the files whose stat has changed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_model::RepoPath;

use super::walk::{self, Listing, WalkedFile};
use super::{TreeError, WorkingTree, ranges};
use crate::engine::{BlobCache, Progress};
use crate::ingest::watch::{ChangeSet, TreeWatcher};

impl WorkingTree {
    /// Scans the paths that events named. Returns whether anything changed.
    pub fn apply(
        &mut self,
        changed: &ChangeSet,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> Result<bool, TreeError> {
        let touched = self.touched_directories(changed);
        // Above a quarter of the tree, one parallel walk is cheaper than many small ones.
        let is_much = touched.len() * 4 > self.directories.len() + 64;
        let is_other_root = watcher.is_some_and(|watcher| watcher.is_moved(&self.root));
        if changed.rescan || is_much || is_other_root || self.head_has_moved() {
            return self.rescan(blobs, progress, watcher);
        }
        self.check_root()?;
        let named = self.named(changed);
        let mut removed = self.remove_gone_directories(&touched, watcher);
        let mut found = Vec::new();
        for directory in &touched {
            removed |= self.list_touched(directory, &mut found, progress, watcher);
        }
        progress.check()?;
        if !found
            .iter()
            .all(|found| self.entries.contains_key(&found.path))
        {
            let paths: HashSet<&RepoPath> = found.iter().map(|found| &found.path).collect();
            let others = self.entries.values().map(|known| &known.file);
            let others = others.filter(|file| !paths.contains(&file.path));
            self.check_size(&found, others, self.directories.len(), blobs)?;
        }
        let changed = self.read_changed(found, &named, blobs, progress)?;
        Ok(removed || changed)
    }

    /// Returns the paths that events named. The tree is compared with its commit again if git changed something, or where a
    /// committed file is left out of the tree.
    fn named(&mut self, changed: &ChangeSet) -> HashSet<RepoPath> {
        let paths = changed.paths.iter();
        let named = paths.filter_map(|path| walk::relative(&self.root, path));
        let named: HashSet<RepoPath> = named.collect();
        if changed.head || named.iter().any(|path| self.is_left_out(path)) {
            self.head.dirty = None;
        }
        named
    }

    /// Lists a known directory, and the new directories below it, and adds their files to `found`. Returns whether a
    /// file was removed.
    fn list_touched(
        &mut self,
        directory: &Path,
        found: &mut Vec<WalkedFile>,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> bool {
        if !self.directories.contains(directory) || !is_in_place(directory) {
            return false;
        }
        if let Some(watcher) = watcher {
            // A directory that could not be read before is not watched yet.
            watcher.add(directory);
        }
        let mut listing = walk::children(&self.rules, directory);
        self.add_tracked(&mut listing, directory);
        let removed = self.remove_missing(directory, &listing);
        found.extend(listing.files);
        for child in listing.directories {
            if self.directories.contains(&child) {
                continue;
            }
            let mut below = walk::below(&self.rules, &child, watcher, &self.is_over(progress));
            self.add_tracked_below(&mut below, &child);
            found.extend(below.files);
            self.directories.extend(below.directories);
        }
        removed
    }

    /// Returns the known directories whose listing an event may have changed.
    fn touched_directories(&self, changed: &ChangeSet) -> HashSet<PathBuf> {
        let mut touched = HashSet::new();
        for path in &changed.paths {
            if self.directories.contains(path) {
                touched.insert(path.clone());
            }
            if let Some(parent) = path.parent()
                && self.directories.contains(parent)
            {
                touched.insert(parent.to_owned());
            }
        }
        touched
    }

    /// Removes directories that are gone or were replaced, and the files in them. Returns whether a file was removed.
    fn remove_gone_directories(
        &mut self,
        touched: &HashSet<PathBuf>,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> bool {
        let near =
            |d: &PathBuf| touched.contains(d) || d.parent().is_some_and(|p| touched.contains(p));
        let suspects = self.directories.iter().filter(|d| near(d));
        let gone: HashSet<PathBuf> = suspects
            .filter(|d| {
                let moved = watcher.is_some_and(|w| w.is_moved(d));
                **d != self.root && (moved || !is_in_place(d))
            })
            .cloned()
            .collect();
        if gone.is_empty() {
            return false;
        }
        let is_gone = |path: &Path| path.ancestors().any(|above| gone.contains(above));
        if let Some(watcher) = watcher {
            watcher.forget(self.directories.iter().filter(|d| is_gone(d)));
        }
        self.directories.retain(|d| !is_gone(d));
        let files: Vec<RepoPath> = gone
            .iter()
            .filter_map(|directory| self.listed_as(directory))
            .flat_map(|own| {
                let below = ranges::below(&self.entries, &own).cloned();
                below.chain(self.entry_of(&own).cloned())
            })
            .collect();
        self.remove_files(&files)
    }

    /// Removes the files directly in `directory` that its listing lacks, and the entry that marks the
    /// directory as unreadable if it can be listed now. Returns whether anything was removed.
    fn remove_missing(&mut self, directory: &Path, listing: &Listing) -> bool {
        let Some(own) = self.listed_as(directory) else {
            return false;
        };
        let listed: HashSet<&RepoPath> = listing.files.iter().map(|f| &f.path).collect();
        let gone: Vec<RepoPath> = ranges::children(&self.entries, &own)
            // The entry of an unreadable directory stays until that directory itself is scanned.
            .filter(|path| !self.directories.contains(&self.root.join(path.as_str())))
            .chain(self.entry_of(&own))
            .filter(|path| !listed.contains(path))
            .cloned()
            .collect();
        self.remove_files(&gone)
    }

    /// Returns the path by which the files in a directory are listed; `None` if other files may be meant by it: a path
    /// that is not UTF-8 is listed with escapes, which may be the real name of another directory.
    fn listed_as(&self, directory: &Path) -> Option<String> {
        let path = walk::directory_of(&self.root, directory)?;
        let real = self.root.join(&path);
        (real == directory || !self.directories.contains(&real)).then_some(path)
    }

    /// Returns the path of the entry that marks a directory as unreadable, if there is one.
    fn entry_of(&self, directory: &str) -> Option<&RepoPath> {
        self.entries.get_key_value(directory).map(|(path, _)| path)
    }

    /// Removes files. Returns whether there were any.
    fn remove_files(&mut self, gone: &[RepoPath]) -> bool {
        for path in gone {
            self.entries.remove(path);
        }
        if gone.is_empty() {
            return false;
        }
        self.head.dirty = None;
        true
    }
}

/// Whether a path is still a directory that is reached through no link.
fn is_in_place(directory: &Path) -> bool {
    directory.is_dir() && std::fs::canonicalize(directory).is_ok_and(|real| real == directory)
}
