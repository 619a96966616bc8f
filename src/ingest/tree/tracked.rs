//! Finds files that git tracks although its ignore files match them: they belong to the tree. The project's own
//! ignore file also excludes tracked files.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use foveate_model::{RepoPath, SkipReason};
use ignore::Match;
use ignore::gitignore::Gitignore;

use super::stat::Stat;
use super::walk::{self, IGNORE_FILE, Listing, Rules, WalkedFile};
use super::{WorkingTree, ranges};

impl WorkingTree {
    /// Whether the listed files may lack files that are tracked although they are ignored, or have too many of them:
    /// `HEAD` has moved, or the tree belongs to another repository.
    pub(super) fn head_has_moved(&mut self) -> bool {
        let dot_git = self.dot_git;
        self.refresh_head();
        self.dot_git != dot_git || self.head.commit != self.listed_commit
    }

    /// Adds the tracked files directly in `directory` that its listing lacks.
    pub(super) fn add_tracked(&self, listing: &mut Listing, directory: &Path) {
        if let Some(own) = walk::directory_of(&self.root, directory) {
            let committed = self.head.files.iter();
            let committed = committed.flat_map(|files| ranges::children(files, &own));
            self.add_lacking(listing, committed);
        }
    }

    /// Adds the tracked files anywhere below `directory` that its listing lacks.
    pub(super) fn add_tracked_below(&self, listing: &mut Listing, directory: &Path) {
        if let Some(own) = walk::directory_of(&self.root, directory) {
            let committed = self.head.files.iter();
            let committed = committed.flat_map(|files| ranges::below(files, &own));
            self.add_lacking(listing, committed);
        }
    }

    /// Adds those of the tracked `paths` that a listing lacks.
    pub(super) fn add_lacking<'p>(
        &self,
        listing: &mut Listing,
        paths: impl Iterator<Item = &'p RepoPath>,
    ) {
        let listed: HashSet<&RepoPath> = listing.files.iter().map(|file| &file.path).collect();
        let tracked = found(&self.rules, paths.filter(|path| !listed.contains(path)));
        listing.files.extend(tracked);
    }
}

/// Finds the tracked `paths` that exist and belong to the tree.
fn found<'p>(rules: &Rules, paths: impl Iterator<Item = &'p RepoPath>) -> Vec<WalkedFile> {
    let mut tree = Tree {
        rules,
        entered: HashMap::new(),
        ignore_files: HashMap::new(),
    };
    paths.filter_map(|path| tree.found(path)).collect()
}

struct Tree<'r> {
    rules: &'r Rules,
    /// Cache: whether the content of a directory belongs to the tree.
    entered: HashMap<PathBuf, bool>,
    /// Cache: the project's own ignore file in a directory, if there is one.
    ignore_files: HashMap<PathBuf, Option<Gitignore>>,
}

impl Tree<'_> {
    fn found(&mut self, path: &RepoPath) -> Option<WalkedFile> {
        let file = self.rules.root().join(path.as_str());
        if !self.is_entered(file.parent()?) || self.is_left_out(&file) {
            return None;
        }
        let metadata = file.symlink_metadata().ok()?;
        let skipped = match metadata.file_type() {
            kind if kind.is_symlink() => Some(SkipReason::Symlink),
            kind if kind.is_file() => None,
            _ => return None,
        };
        Some(WalkedFile {
            path: path.clone(),
            stat: Stat::new(&metadata),
            skipped,
        })
    }

    /// Whether a directory is reached through no link, and neither excluded nor another repository.
    fn is_entered(&mut self, directory: &Path) -> bool {
        if directory == self.rules.root() {
            return true;
        }
        if let Some(known) = self.entered.get(directory) {
            return *known;
        }
        let above = directory.parent();
        let is_entered = above.is_some_and(|above| self.is_entered(above))
            && (directory.symlink_metadata()).is_ok_and(|metadata| metadata.is_dir())
            && !self.rules.excludes(directory)
            && !self.rules.is_nested_repository(directory);
        self.entered.insert(directory.to_owned(), is_entered);
        is_entered
    }

    /// Whether the project's own ignore file excludes a file; the nearest ignore file with a matching rule decides.
    fn is_left_out(&mut self, file: &Path) -> bool {
        let rules = self.rules;
        for directory in file.ancestors().skip(1) {
            let known = self.ignore_files.entry(directory.to_owned());
            let ignore_file = known.or_insert_with(|| {
                let path = directory.join(IGNORE_FILE);
                let can_be_read = path.is_file() && rules.has_good_ignore_files(directory);
                can_be_read.then(|| Gitignore::new(path).0)
            });
            let Some(ignore_file) = ignore_file else {
                continue;
            };
            match ignore_file.matched_path_or_any_parents(file, false) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}
