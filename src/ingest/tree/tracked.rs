//! Files that git tracks although its ignore files name them: they belong to the tree. Our own ignore file leaves
//! out what is tracked, too.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use foveate_model::RepoPath;
use ignore::Match;
use ignore::gitignore::Gitignore;

use super::stat::Stat;
use super::walk::{Found, FoundKind, IGNORE_FILE, Rules};

/// Those of the tracked `paths` that are there and belong to the tree.
pub fn found<'p>(rules: &Rules, paths: impl Iterator<Item = &'p RepoPath>) -> Vec<Found> {
    let mut tree = Tree {
        rules,
        entered: HashMap::new(),
        ignore_files: HashMap::new(),
    };
    paths.filter_map(|path| tree.found(path)).collect()
}

struct Tree<'r> {
    rules: &'r Rules,
    /// Whether the content of a directory belongs to the tree.
    entered: HashMap<PathBuf, bool>,
    /// Our own ignore file in a directory, where there is one.
    ignore_files: HashMap<PathBuf, Option<Gitignore>>,
}

impl Tree<'_> {
    fn found(&mut self, path: &RepoPath) -> Option<Found> {
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
        Some(Found {
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

    /// Whether our own ignore file names a file; the nearest one decides.
    fn is_left_out(&mut self, file: &Path) -> bool {
        for directory in file.ancestors().skip(1) {
            let known = self.ignore_files.entry(directory.to_owned());
            let ignore_file = known.or_insert_with(|| {
                let path = directory.join(IGNORE_FILE);
                path.is_file().then(|| Gitignore::new(path).0)
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
