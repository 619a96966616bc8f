//! Finds files that git tracks although its ignore files match them: they belong to the tree. The project's own
//! ignore file also excludes tracked files.

use std::collections::{HashMap, HashSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use foveate_model::RepoPath;
use ignore::Match;
use ignore::gitignore::Gitignore;

use super::WorkingTree;
use super::stat::Stat;
use super::walk::{self, FoundKind, IGNORE_FILE, Listing, Rules, WalkedFile};
use crate::engine::Progress;

impl WorkingTree {
    /// Finds the tracked files that exist, among the `wanted` ones whose path begins with `prefix`.
    pub(super) fn tracked(
        &self,
        prefix: &str,
        wanted: impl Fn(&RepoPath) -> bool,
    ) -> Vec<WalkedFile> {
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let committed = self
            .head
            .files
            .iter()
            .flat_map(|files| files.range::<str, _>(from));
        let paths = committed.map(|(path, _)| path);
        let paths = paths.take_while(|path| path.as_str().starts_with(prefix));
        found(&self.rules, paths.filter(|path| wanted(path)))
    }

    /// Whether `HEAD` has moved to a commit in which other ignored files may be tracked than were listed.
    pub(super) fn tracked_files_changed(&mut self, progress: &Progress) -> bool {
        self.refresh_head();
        if self.head.commit == self.listed_commit {
            return false;
        }
        self.listed_commit.clone_from(&self.head.commit);
        if self.head.files.is_none() {
            match self.committed(progress.stop()) {
                Ok(committed) => self.head.files = Some(committed),
                // The full scan reports the error.
                Err(_) => return true,
            }
        }
        self.has_tracked_ignored
            || !self
                .tracked("", |path| !self.entries.contains_key(path))
                .is_empty()
    }

    /// Adds the tracked files directly in `directory` that its listing lacks.
    pub(super) fn add_tracked(&self, listing: &mut Listing, directory: &Path) {
        let own = walk::relative(&self.root, directory);
        let own = own.as_ref().map_or("", RepoPath::as_str);
        self.add_tracked_where(listing, own, |path| path.directory() == own);
    }

    /// Adds the tracked files anywhere below `directory` that its listing lacks.
    pub(super) fn add_tracked_below(&self, listing: &mut Listing, directory: &Path) {
        if let Some(own) = walk::relative(&self.root, directory) {
            self.add_tracked_where(listing, own.as_str(), |_| true);
        }
    }

    fn add_tracked_where(
        &self,
        listing: &mut Listing,
        directory: &str,
        wanted: impl Fn(&RepoPath) -> bool,
    ) {
        let prefix = match directory {
            "" => String::new(),
            directory => format!("{directory}/"),
        };
        let listed: HashSet<&RepoPath> = listing.files.iter().map(|file| &file.path).collect();
        let is_missing = |path: &RepoPath| wanted(path) && !listed.contains(path);
        let tracked = self.tracked(&prefix, is_missing);
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
        let kind = match metadata.file_type() {
            kind if kind.is_symlink() => FoundKind::Symlink,
            kind if kind.is_file() => FoundKind::File,
            _ => return None,
        };
        Some(WalkedFile {
            path: path.clone(),
            stat: Stat::new(&metadata),
            kind,
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
