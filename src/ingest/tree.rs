//! Reads a working tree, the files below a directory that are not ignored, and keeps it current. A file
//! is read again only when its size, times or inode differ from when it was read, or an event names
//! it. Links are listed but never followed, so that nothing outside the directory is read. It
//! publishes nothing. Start at [`WorkingTree::rescan`], which scans the whole tree, and [`WorkingTree::apply`], which
//! follows events ([`events`]).

mod audit;
mod dot_git;
mod events;
mod exclude;
mod head;
mod network;
mod ranges;
mod read;
mod size;
mod stat;
mod tracked;
mod walk;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_model::{RepoPath, SourceFile};
use rayon::prelude::*;

pub use network::network_file_system;

use super::git::{GitError, GitRepo, ReadLimits};
use super::max_size::TooLarge;
use super::watch::TreeWatcher;
use crate::engine::{BlobCache, Cancelled, Phase, Progress};
use dot_git::DotGit;
use head::Head;
use read::IdKind;
use stat::Stat;
pub use stat::Stats;
use walk::{Listing, Rules, WalkedFile};

/// Why a working tree cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum TreeError {
    #[error("{} is not a directory that can be read: {reason}", .path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The files of the commit cannot be read now.
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The known files below one directory.
#[derive(Debug)]
pub struct WorkingTree {
    root: PathBuf,
    rules: Arc<Rules>,
    git: Option<GitRepo>,
    /// Why the commit of a repository around the tree cannot be read.
    git_error: Option<String>,
    /// The `.git` of the tree when the repository was opened.
    dot_git: Option<DotGit>,
    /// Whether the tree is read by a single run: a repository that is created later, or a git that works again, is
    /// then not picked up.
    is_for_one_run: bool,
    /// The files in path order, as an index needs them.
    entries: BTreeMap<RepoPath, Entry>,
    directories: HashSet<PathBuf>,
    head: Head,
    /// The commit of `HEAD` at the last listing.
    listed_commit: String,
    stats: Arc<Stats>,
    read_limits: Arc<ReadLimits>,
}

#[derive(Debug)]
struct Entry {
    stat: Stat,
    file: SourceFile,
}

impl WorkingTree {
    /// Creates a tree that is not scanned yet. `root` is canonical; `excluded` are directories that are
    /// never indexed, even inside the tree; `read_limits` say where the tree and its repository may lie.
    pub fn new(root: PathBuf, excluded: Vec<PathBuf>, read_limits: Arc<ReadLimits>) -> Self {
        // Read before git is asked, so that a change in between is noticed the next time.
        let dot_git = DotGit::of(&root);
        let discovered = GitRepo::discover(&root, &read_limits);
        let error = discovered.as_ref().err().map(GitError::to_string);
        let mut tree = Self {
            read_limits,
            dot_git,
            is_for_one_run: false,
            ..Self::for_one_run(root, excluded, discovered.ok().flatten())
        };
        tree.set_git_error(error);
        tree
    }

    /// Creates a tree for a single run; `git` is the repository that the run has opened.
    pub fn for_one_run(root: PathBuf, excluded: Vec<PathBuf>, git: Option<GitRepo>) -> Self {
        Self {
            rules: Arc::new(Rules::new(root.clone(), excluded)),
            git,
            git_error: None,
            dot_git: None,
            is_for_one_run: true,
            entries: BTreeMap::new(),
            directories: HashSet::new(),
            head: Head::default(),
            listed_commit: String::new(),
            stats: Arc::new(Stats::stored(None)),
            read_limits: Arc::default(),
            root,
        }
    }

    /// Sets the stored `stats` of its files.
    pub fn with_stats(self, stats: Arc<Stats>) -> Self {
        Self { stats, ..self }
    }

    /// Returns the directory of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the repository that the tree is checked out from.
    pub fn git(&self) -> Option<&GitRepo> {
        self.git.as_ref()
    }

    /// Returns why the commit of a repository around the tree cannot be read; `None` if it can, or there is none.
    pub fn git_error(&self) -> Option<&str> {
        self.git_error.as_deref()
    }

    /// Counts the directories of the tree at `root` that would be scanned, and so watched. Blocks.
    pub fn count_directories(root: &Path, excluded: Vec<PathBuf>) -> usize {
        let rules = Arc::new(Rules::new(root.to_owned(), excluded));
        walk::below(&rules, root, None, &|_| false)
            .directories
            .len()
    }

    /// Returns the number of scanned directories.
    pub fn directory_count(&self) -> usize {
        self.directories.len()
    }

    /// Returns the files as they were last read.
    pub fn files(&self) -> Vec<SourceFile> {
        self.entries.values().map(|e| e.file.clone()).collect()
    }

    /// Scans the whole tree and registers every directory with `watcher`, so that no later change goes
    /// unnoticed. Returns whether anything changed.
    ///
    /// # Errors
    /// When the root cannot be read, or the work is asked to stop.
    pub fn rescan(
        &mut self,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> Result<bool, TreeError> {
        progress.enter(Phase::Listing, 0);
        self.check_root()?;
        // The commit determines the kind of object ids, and which files are tracked.
        self.refresh_head();
        let excluded = self.rules.excluded().to_vec();
        self.rules = Arc::new(Rules::new(self.root.clone(), excluded));
        if let Some(watcher) = watcher {
            watcher.forget_moved(&self.directories);
        }
        let listing = self.list(watcher, progress)?;
        self.apply_listing(listing, blobs, progress, watcher)
    }

    /// Lists every file; each directory is registered with `watcher` before it is listed.
    fn list(
        &mut self,
        watcher: Option<&Arc<TreeWatcher>>,
        progress: &Progress,
    ) -> Result<Listing, TreeError> {
        let is_over = self.is_over(progress);
        // In parallel, since the walk mostly waits for the file system.
        let (mut listing, committed) = rayon::join(
            || walk::below(&self.rules, &self.root, watcher, &is_over),
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
        self.listed_commit.clone_from(&self.head.commit);
        let committed = self.head.files.iter().flat_map(BTreeMap::keys);
        self.add_lacking(&mut listing, committed);
        Ok(listing)
    }

    /// Replaces the known files by the listed ones and reads the changed ones. Returns whether anything changed.
    fn apply_listing(
        &mut self,
        listing: Listing,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> Result<bool, TreeError> {
        let others = std::iter::empty();
        let directories = listing.directories.len();
        self.check_size(&listing.files, others, directories, blobs)?;
        self.head.dirty = None;
        let kept: HashSet<&RepoPath> = listing.files.iter().map(|f| &f.path).collect();
        let before = self.entries.len();
        self.entries.retain(|path, _| kept.contains(path));
        let removed = before != self.entries.len();
        drop(kept);
        if let Some(watcher) = watcher {
            watcher.keep_only(&listing.directories);
        }
        self.directories = listing.directories;
        let changed = self.read_changed(listing.files, &HashSet::new(), blobs, progress)?;
        Ok(removed || changed)
    }

    /// Reads the found files whose stat has changed, and those in `named`. Returns whether anything changed.
    fn read_changed(
        &mut self,
        found: Vec<WalkedFile>,
        named: &HashSet<RepoPath>,
        blobs: &BlobCache,
        progress: &Progress,
    ) -> Result<bool, TreeError> {
        let mut to_read: Vec<WalkedFile> = found
            .into_iter()
            .filter(|f| {
                named.contains(&f.path)
                    || !self
                        .entries
                        .get(&f.path)
                        .is_some_and(|known| known.stat.is_unchanged(&f.stat))
            })
            .collect();
        progress.enter(Phase::Reading, to_read.len());
        // The largest first, so that no thread is left with a large file at the end.
        to_read.sort_by(|a, b| {
            let by_size = b.stat.size.cmp(&a.stat.size);
            by_size.then_with(|| a.path.cmp(&b.path))
        });
        let (root, ids) = (&self.root, IdKind::of(&self.head.commit));
        let (entries, stats) = (&self.entries, &*self.stats);
        let read: Vec<Result<(Stat, SourceFile), RepoPath>> = to_read
            .into_par_iter()
            .with_max_len(1)
            .map(|found| {
                progress.step()?;
                let path = found.path.clone();
                let before = entries.get(&path).map(|known| &known.file);
                // A file that an event names is read whatever its stat says.
                let is_by_stat = before.is_none() && !named.contains(&path);
                let stats = is_by_stat.then_some(stats);
                Ok(read::file(root, found, blobs, ids, before, stats).ok_or(path))
            })
            .collect::<Result<_, Cancelled>>()?;
        let known = read.iter().flatten();
        let known = known.map(|(stat, file)| (&file.path, *stat, file.blob));
        stats.record(known.filter(|(_, _, blob)| *blob != read::unread()));
        let mut changed = false;
        for read in read {
            match read {
                Ok((stat, file)) => {
                    let before = self.entries.get(&file.path).map(|e| &e.file);
                    changed |= before.is_none_or(|before| differ(before, &file));
                    self.entries.insert(file.path.clone(), Entry { stat, file });
                }
                // Removed between being listed and being read.
                Err(path) => changed |= self.entries.remove(&path).is_some(),
            }
        }
        if changed {
            self.head.dirty = None;
        }
        Ok(changed)
    }

    fn check_root(&self) -> Result<(), TreeError> {
        let unreadable = |reason: String| TreeError::Unreadable {
            path: self.root.clone(),
            reason,
        };
        let real = std::fs::canonicalize(&self.root).map_err(|e| unreadable(e.to_string()))?;
        if !self.read_limits.local_paths.admits(&real) {
            return Err(unreadable("it lies outside `repos.allow_paths`".to_owned()));
        }
        // It, or a directory above it, may have been replaced by a link since it was registered.
        if real != self.root {
            let reason = format!(
                "it leads to {} now: register that directory",
                real.display()
            );
            return Err(unreadable(reason));
        }
        // Ignore files of the directories above the root count, too.
        if let Some(directory) = self
            .root
            .ancestors()
            .find(|above| !self.rules.has_good_ignore_files(above))
        {
            return Err(unreadable(format!(
                "an ignore file in {} is not a regular file, or has more than 128 KiB",
                directory.display()
            )));
        }
        let listed = std::fs::read_dir(&self.root).map(drop);
        listed.map_err(|error| unreadable(error.to_string()))
    }
}

/// Whether two readings of one path differ in a way that matters to the index.
fn differ(before: &SourceFile, after: &SourceFile) -> bool {
    before.blob != after.blob || before.size != after.size || before.skipped != after.skipped
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use foveate_parse::Limits;

    use super::*;

    #[test]
    fn changes_during_first_scan_are_noticed() {
        let changes: [fn(&Path); 5] = [
            |root| fs::write(root.join("a/same.py"), "x = 2\n").unwrap(),
            |root| fs::write(root.join("a/new.py"), "x = 2\n").unwrap(),
            |root| fs::remove_file(root.join("a/same.py")).unwrap(),
            |root| fs::rename(root.join("a"), root.join("b")).unwrap(),
            |root| {
                fs::create_dir(root.join("a/c")).unwrap();
                fs::write(root.join("a/c/new.py"), "x = 2\n").unwrap();
            },
        ];
        let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
        let listed = |tree: &WorkingTree| {
            let files = tree.files().into_iter();
            files.map(|f| (f.path, f.blob)).collect::<Vec<_>>()
        };
        for (number, change) in changes.into_iter().enumerate() {
            for is_read in [false, true] {
                let keep = tempfile::tempdir().unwrap();
                let root = keep.path().canonicalize().unwrap();
                fs::create_dir(root.join("a")).unwrap();
                fs::write(root.join("a/same.py"), "x = 1\n").unwrap();
                let watcher = Arc::new(TreeWatcher::new(None, Arc::default()).unwrap());
                let mut tree = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
                let listing = tree.list(Some(&watcher), &progress).unwrap();
                if !is_read {
                    change(&root);
                }
                tree.apply_listing(listing, &blobs, &progress, Some(&watcher))
                    .unwrap();
                if is_read {
                    change(&root);
                }
                let mut fresh = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
                fresh.rescan(&blobs, &progress, None).unwrap();
                let start = Instant::now();
                while listed(&tree) != listed(&fresh) {
                    let is_late = start.elapsed() > Duration::from_secs(10);
                    assert!(!is_late, "change {number} was missed");
                    std::thread::sleep(Duration::from_millis(5));
                    let changed = watcher.changes.take();
                    tree.apply(&changed, &blobs, &progress, Some(&watcher))
                        .unwrap();
                }
            }
        }
    }
}
