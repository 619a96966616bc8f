//! A working tree: the files below a directory that its ignore files leave, kept current. A file
//! is read again only when its size, times or inode differ from when it was read, or an event names
//! it. Links are listed and never followed, so that nothing outside the directory is read. It
//! publishes nothing. Start at [`WorkingTree::rescan`] and [`WorkingTree::apply`].

mod audit;
mod head;
mod network;
mod read;
mod size;
mod stat;
mod tracked;
mod walk;

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_model::{RepoPath, SourceFile};
use rayon::prelude::*;

pub use network::is_network;

use super::git::{Access, GitError, GitRepo};
use super::max_size::TooLarge;
use super::watch::{Changed, TreeWatcher};
use crate::engine::{BlobCache, Cancelled, Phase, Progress};
use head::Head;
use read::{Before, IdKind};
use stat::Stat;
pub use stat::Stats;
use walk::{Found, Listing, Rules};

/// Why a working tree cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The directory is gone, or is none.
    #[error("{} is not a directory that can be read: {reason}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// It is larger than it may be.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// What is committed cannot be read now.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The work was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// What is known of the files below one directory.
#[derive(Debug)]
pub struct WorkingTree {
    root: PathBuf,
    rules: Arc<Rules>,
    git: Option<GitRepo>,
    /// Whether it lives for one run: a repository that is made, or a git that works again, is not waited for.
    is_of_one_run: bool,
    /// In path order, as an index wants them.
    entries: BTreeMap<RepoPath, Entry>,
    directories: HashSet<PathBuf>,
    head: Head,
    /// Whether the last listing had files that git tracks and its ignore files name, and at which commit.
    has_tracked_ignored: bool,
    listed_commit: String,
    stats: Arc<Stats>,
    access: Arc<Access>,
}

#[derive(Debug)]
struct Entry {
    stat: Stat,
    file: SourceFile,
}

impl WorkingTree {
    /// A tree of which nothing is known yet. `root` is canonical; `excluded` are directories that
    /// must not be indexed wherever they lie; `access` bounds where it and its repository may lie.
    pub fn new(root: PathBuf, excluded: Vec<PathBuf>, access: Arc<Access>) -> Self {
        // Without git a tree is still a tree: it has no commit, no history and no other revision.
        let git = GitRepo::around(&root, &access).unwrap_or_else(|error| {
            tracing::warn!(root = %root.display(), %error, "read as a plain directory");
            None
        });
        Self {
            access,
            is_of_one_run: false,
            ..Self::of_one_run(root, excluded, git)
        }
    }

    /// A tree that one run reads; `git` is its repository as the run found it.
    pub fn of_one_run(root: PathBuf, excluded: Vec<PathBuf>, git: Option<GitRepo>) -> Self {
        Self {
            rules: Arc::new(Rules::new(root.clone(), excluded)),
            git,
            is_of_one_run: true,
            entries: BTreeMap::new(),
            directories: HashSet::new(),
            head: Head::default(),
            has_tracked_ignored: false,
            listed_commit: String::new(),
            stats: Arc::new(Stats::stored(None)),
            access: Arc::default(),
            root,
        }
    }

    /// The same tree, with stored `stats` of its files.
    pub fn knowing(self, stats: Arc<Stats>) -> Self {
        Self { stats, ..self }
    }

    /// Its directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The repository that it is checked out from.
    pub fn git(&self) -> Option<&GitRepo> {
        self.git.as_ref()
    }

    /// How many directories of the tree at `root` would be looked at, and so watched. Blocks.
    pub fn count_directories(root: &Path, excluded: Vec<PathBuf>) -> usize {
        let rules = Arc::new(Rules::new(root.to_owned(), excluded));
        walk::below(&rules, root, None).directories.len()
    }

    /// How many directories are looked at.
    pub fn directory_count(&self) -> usize {
        self.directories.len()
    }

    /// Its files as they were last read.
    pub fn files(&self) -> Vec<SourceFile> {
        self.entries.values().map(|e| e.file.clone()).collect()
    }

    /// Looks at every file; registers every directory with `watcher`, so that nothing that happens
    /// afterwards goes unnoticed. Returns whether anything differs.
    ///
    /// # Errors
    /// When the root cannot be read, or the work is asked to stop.
    pub fn rescan(
        &mut self,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> Result<bool, TreeError> {
        self.rescan_with(blobs, progress, watcher, |_| {})
    }

    /// [`Self::rescan`]. Where files are read before all directories are watched, `draft` gets what was
    /// read, to make something of it while the others are being watched; it may have changed by then.
    ///
    /// # Errors
    /// As [`Self::rescan`].
    pub fn rescan_with(
        &mut self,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
        draft: impl FnOnce(&mut Self),
    ) -> Result<bool, TreeError> {
        progress.enter(Phase::Listing, 0);
        self.check_root()?;
        // It says how files are to be named, and which are tracked.
        self.look_at_head();
        let excluded = self.rules.excluded().to_vec();
        self.rules = Arc::new(Rules::new(self.root.clone(), excluded));
        if let Some(watcher) = watcher {
            watcher.forget_moved(&self.directories);
        }
        match watcher {
            Some(watcher) if self.directories.is_empty() => {
                self.look_and_watch(blobs, progress, watcher, draft)
            }
            _ => {
                let listing = self.list(watcher, progress)?;
                self.take(listing, blobs, progress, watcher)
            }
        }
    }

    /// The first look at a tree that is watched. To watch a directory is a message to another thread and
    /// back, so all are watched while their files are read and used. Where anything changed between, or may
    /// have, everything is looked at once more, now that it is watched.
    fn look_and_watch(
        &mut self,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: &Arc<TreeWatcher>,
        draft: impl FnOnce(&mut Self),
    ) -> Result<bool, TreeError> {
        let mut listing = self.list(None, progress)?;
        let directories = std::mem::take(&mut listing.stats);
        let watch = || directories.iter().for_each(|(path, _)| watcher.add(path));
        let changed = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("watch".to_owned());
            if thread.spawn_scoped(scope, watch).is_err() {
                watch();
            }
            let changed = self.take(listing, blobs, progress, None)?;
            draft(self);
            Ok::<bool, TreeError>(changed)
        })?;
        if self.is_still(&directories) {
            return Ok(changed);
        }
        let listing = self.list(Some(watcher), progress)?;
        Ok(self.take(listing, blobs, progress, Some(watcher))? || changed)
    }

    /// Lists every file; each directory is registered with `watcher` before it is listed.
    fn list(
        &mut self,
        watcher: Option<&Arc<TreeWatcher>>,
        progress: &Progress,
    ) -> Result<Listing, TreeError> {
        // The walk waits for the system most of the time.
        let (mut listing, committed) = rayon::join(
            || walk::below(&self.rules, &self.root, watcher),
            || {
                self.head
                    .files
                    .is_none()
                    .then(|| self.committed(progress.stop()))
            },
        );
        progress.check()?;
        if let Some(committed) = committed {
            self.head.files = Some(committed?);
        }
        let listed: HashSet<&RepoPath> = listing.files.iter().map(|file| &file.path).collect();
        let tracked = self.tracked("", |path| !listed.contains(path));
        self.has_tracked_ignored = !tracked.is_empty();
        self.listed_commit.clone_from(&self.head.commit);
        listing.files.extend(tracked);
        Ok(listing)
    }

    /// Makes what was listed what is known. Returns whether anything differs.
    fn take(
        &mut self,
        listing: Listing,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> Result<bool, TreeError> {
        self.check_size(&listing.files, blobs.limits().max_bytes)?;
        let kept: HashSet<&RepoPath> = listing.files.iter().map(|f| &f.path).collect();
        let before = self.entries.len();
        self.entries.retain(|path, _| kept.contains(path));
        let removed = before != self.entries.len();
        drop(kept);
        if let Some(watcher) = watcher {
            watcher.keep_only(&listing.directories);
        }
        self.directories = listing.directories;
        let changed = self.read(listing.files, &HashSet::new(), blobs, progress)?;
        Ok(removed || changed)
    }

    /// Whether the known files, and `directories` with their stats before they were listed, are certain
    /// to be what they were.
    fn is_still(&self, directories: &[(PathBuf, Stat)]) -> bool {
        let is_still =
            |path: &Path, before: &Stat| Stat::of(path).is_some_and(|now| before.is_still(&now));
        directories
            .par_iter()
            .all(|(path, before)| is_still(path, before))
            && self
                .entries
                .par_iter()
                .all(|(path, entry)| is_still(&self.root.join(path.as_str()), &entry.stat))
    }

    /// Looks at what events named. Returns whether anything differs.
    ///
    /// # Errors
    /// As [`Self::rescan`].
    pub fn apply(
        &mut self,
        changed: &Changed,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> Result<bool, TreeError> {
        let touched = self.touched_directories(changed);
        // Past a quarter of the tree one parallel walk is cheaper than many small ones.
        let is_much = touched.len() * 4 > self.directories.len() + 64;
        let is_other_root = watcher.is_some_and(|watcher| watcher.is_moved(&self.root));
        if changed.rescan || is_much || is_other_root || self.tracked_files_changed(progress) {
            return self.rescan(blobs, progress, watcher);
        }
        self.check_root()?;
        let mut removed = self.remove_gone_directories(&touched, watcher);
        let mut found = Vec::new();
        for directory in &touched {
            if !self.directories.contains(directory) || !is_in_place(directory) {
                continue;
            }
            if let Some(watcher) = watcher {
                // One that could not be read before is not watched yet.
                watcher.add(directory);
            }
            let mut listing = walk::children(&self.rules, directory);
            self.add_tracked(&mut listing, directory);
            removed |= self.remove_missing(directory, &listing);
            found.extend(listing.files);
            for child in listing.directories {
                if self.directories.contains(&child) {
                    continue;
                }
                let below = walk::below(&self.rules, &child, watcher);
                found.extend(below.files);
                self.directories.extend(below.directories);
            }
        }
        let known = |found: &&Found| self.entries.contains_key(&found.path);
        if !found.iter().all(|found| known(&found)) {
            self.check_growth(&found, blobs.limits().max_bytes)?;
        }
        let named: HashSet<RepoPath> = changed
            .paths
            .iter()
            .filter_map(|path| walk::relative(&self.root, path))
            .collect();
        let changed = self.read(found, &named, blobs, progress)?;
        Ok(removed || changed)
    }

    /// The known directories whose listing an event may have changed.
    fn touched_directories(&self, changed: &Changed) -> HashSet<PathBuf> {
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

    /// Forgets directories that are gone or were replaced, and the files in them.
    fn remove_gone_directories(
        &mut self,
        touched: &HashSet<PathBuf>,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> bool {
        let near =
            |d: &PathBuf| touched.contains(d) || d.parent().is_some_and(|p| touched.contains(p));
        let suspects = self.directories.iter().filter(|d| near(d));
        let gone: Vec<PathBuf> = suspects
            .filter(|d| {
                let moved = watcher.is_some_and(|w| w.is_moved(d));
                **d != self.root && (moved || !is_in_place(d))
            })
            .cloned()
            .collect();
        if gone.is_empty() {
            return false;
        }
        let is_gone = |path: &Path| path.ancestors().any(|a| gone.iter().any(|g| g == a));
        if let Some(watcher) = watcher {
            watcher.forget(self.directories.iter().filter(|d| is_gone(d)));
        }
        self.directories.retain(|d| !is_gone(d));
        let before = self.entries.len();
        let root = &self.root;
        self.entries
            .retain(|path, _| !is_gone(&root.join(path.as_str())));
        before != self.entries.len()
    }

    /// Forgets the files directly in `directory` that its listing no longer has, and that it could
    /// not be listed, if it can.
    fn remove_missing(&mut self, directory: &Path, listing: &Listing) -> bool {
        let own = walk::relative(&self.root, directory);
        if own.is_none() && directory != self.root {
            // Its name is not UTF-8, so that nothing in it is known.
            return false;
        }
        let own = own.as_ref();
        let prefix = own.map_or("", RepoPath::as_str);
        let listed: HashSet<&RepoPath> = listing.files.iter().map(|f| &f.path).collect();
        let from = match prefix {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        let below = (Bound::Included(from.as_str()), Bound::Unbounded);
        let gone: Vec<RepoPath> = self
            .entries
            .range::<str, _>(below)
            .map(|(path, _)| path)
            .take_while(|path| path.as_str().starts_with(&from))
            .filter(|path| path.directory() == prefix && !listed.contains(path))
            // One that may not be read stays until it is looked at itself.
            .filter(|path| !self.directories.contains(&self.root.join(path.as_str())))
            .chain(own.filter(|own| self.entries.contains_key(*own) && !listed.contains(own)))
            .cloned()
            .collect();
        for path in &gone {
            self.entries.remove(path);
        }
        !gone.is_empty()
    }

    /// Reads the found files that differ from what is known, or that are named.
    fn read(
        &mut self,
        found: Vec<Found>,
        named: &HashSet<RepoPath>,
        blobs: &BlobCache,
        progress: &Progress,
    ) -> Result<bool, TreeError> {
        let mut stale: Vec<Found> = found
            .into_iter()
            .filter(|f| {
                named.contains(&f.path)
                    || !self
                        .entries
                        .get(&f.path)
                        .is_some_and(|known| known.stat.is_still(&f.stat))
            })
            .collect();
        progress.enter(Phase::Reading, stale.len());
        // The largest first, so that none of them is left for the end.
        stale.sort_by(|a, b| {
            let by_size = b.stat.size.cmp(&a.stat.size);
            by_size.then_with(|| a.path.cmp(&b.path))
        });
        let (root, ids) = (&self.root, IdKind::of(&self.head.commit));
        let (entries, stats) = (&self.entries, &*self.stats);
        let read: Vec<Result<(Stat, SourceFile), RepoPath>> = stale
            .into_par_iter()
            .with_max_len(1)
            .map(|found| {
                progress.step()?;
                let path = found.path.clone();
                let before = match entries.get(&path) {
                    Some(known) => Before::File(&known.file),
                    // What an event names is read whatever it looks like.
                    None if named.contains(&path) => Before::Nothing,
                    None => Before::Stats(stats),
                };
                Ok(read::file(root, found, blobs, ids, before).ok_or(path))
            })
            .collect::<Result<_, Cancelled>>()?;
        let known = read.iter().flatten();
        let known = known.map(|(stat, file)| (&file.path, *stat, file.blob));
        stats.learn(known.filter(|(_, _, blob)| *blob != read::unread()));
        let mut changed = false;
        for read in read {
            match read {
                Ok((stat, file)) => {
                    let before = self.entries.get(&file.path).map(|e| &e.file);
                    changed |= before.is_none_or(|before| differ(before, &file));
                    self.entries.insert(file.path.clone(), Entry { stat, file });
                }
                // Gone between being listed and being read.
                Err(path) => changed |= self.entries.remove(&path).is_some(),
            }
        }
        Ok(changed)
    }

    fn check_root(&self) -> Result<(), TreeError> {
        let unreadable = |reason: String| TreeError::Unreadable {
            path: self.root.clone(),
            reason,
        };
        // It may have been replaced by a link since it was registered.
        let real = std::fs::canonicalize(&self.root).map_err(|e| unreadable(e.to_string()))?;
        if !self.access.places.admits(&real) {
            return Err(unreadable("it lies outside `repos.allow_paths`".to_owned()));
        }
        // Those of the directories above count, too.
        if let Some(directory) = self
            .root
            .ancestors()
            .find(|above| !self.rules.has_good_ignore_files(above))
        {
            return Err(unreadable(format!(
                "an ignore file in {} is no file of at most 1 MiB",
                directory.display()
            )));
        }
        match std::fs::read_dir(&self.root) {
            Ok(_) => Ok(()),
            Err(error) => Err(unreadable(error.to_string())),
        }
    }
}

/// Whether two readings of one path differ in what an index makes of them.
fn differ(before: &SourceFile, after: &SourceFile) -> bool {
    before.blob != after.blob || before.size != after.size || before.skipped != after.skipped
}

/// Whether a path is what it was when it was found: a directory, reached through no link.
fn is_in_place(directory: &Path) -> bool {
    directory.is_dir() && std::fs::canonicalize(directory).is_ok_and(|real| real == directory)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use foveate_parse::Limits;

    use super::*;

    #[test]
    fn whatever_changed_since_it_was_listed_is_noticed() {
        let changes: [fn(&Path); 5] = [
            |root| fs::write(root.join("a/same.py"), "x = 2\n").unwrap(),
            |root| fs::write(root.join("a/new.py"), "x = 2\n").unwrap(),
            |root| fs::remove_file(root.join("a/same.py")).unwrap(),
            |root| fs::rename(root.join("a"), root.join("b")).unwrap(),
            |root| fs::create_dir(root.join("a/c")).unwrap(),
        ];
        let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
        let look = |root: &Path| {
            let mut tree = WorkingTree::new(root.to_owned(), Vec::new(), Arc::default());
            let mut listing = tree.list(None, &progress).unwrap();
            let directories = std::mem::take(&mut listing.stats);
            assert_eq!(directories.len(), 2);
            tree.take(listing, &blobs, &progress, None).unwrap();
            (tree, directories)
        };
        let made = |change: fn(&Path)| {
            let keep = tempfile::tempdir().unwrap();
            let root = keep.path().canonicalize().unwrap();
            fs::create_dir(root.join("a")).unwrap();
            fs::write(root.join("a/same.py"), "x = 1\n").unwrap();
            let (young, directories) = look(&root);
            assert!(!young.is_still(&directories), "too young to be certain");
            (keep, root, change)
        };
        let (trees, drafted) = (changes.map(made), changes.map(made));
        std::thread::sleep(Duration::from_millis(2100));
        for (_keep, root, change) in trees {
            let (tree, directories) = look(&root);
            assert!(tree.is_still(&directories));
            change(&root);
            assert!(!tree.is_still(&directories));
        }
        // The same while something is made of what was read.
        for (_keep, root, change) in drafted {
            let watcher = Arc::new(TreeWatcher::new(None, Arc::default()).unwrap());
            let mut tree = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
            let mut drafts = 0;
            let draft = |tree: &mut WorkingTree| {
                assert_eq!(tree.files()[0].path.as_str(), "a/same.py");
                drafts += 1;
                change(&root);
            };
            tree.rescan_with(&blobs, &progress, Some(&watcher), draft)
                .unwrap();
            let listed = |tree: &WorkingTree| {
                let files = tree.files().into_iter();
                files.map(|f| (f.path, f.blob)).collect::<Vec<_>>()
            };
            let mut fresh = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
            fresh.rescan(&blobs, &progress, None).unwrap();
            assert_eq!((drafts, listed(&tree)), (1, listed(&fresh)));
        }
    }
}
