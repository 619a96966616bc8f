//! Finds the files and directories of a working tree that its ignore files leave. It opens no file
//! but the ignore files.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_model::RepoPath;
use ignore::{DirEntry, WalkBuilder, WalkState};
use parking_lot::Mutex;

use super::stat::Stat;
use crate::ingest::watch::TreeWatcher;

/// The ignore file of our own; the syntax is that of `.gitignore`.
pub const IGNORE_FILE: &str = ".foveateignore";

/// Files that say what is left out, as they are called in a directory.
const IGNORE_FILES: [&str; 3] = [IGNORE_FILE, ".gitignore", ".git/info/exclude"];

/// Largest ignore file, in bytes.
const MAX_IGNORE_BYTES: u64 = 1 << 20;

/// Where version control keeps its own files.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".bzr"];

/// A file, or what stands for one, that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it is.
    pub path: RepoPath,
    /// What the system says of it.
    pub stat: Stat,
    /// What it is.
    pub kind: FoundKind,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A file.
    File,
    /// A symbolic link.
    Symlink,
    /// A directory with a repository of its own.
    Repository,
    /// A pipe, socket or device.
    Special,
    /// A file whose name is not UTF-8.
    BadName,
    /// A directory that may not be read.
    Closed,
    /// A directory that is left out because an ignore file in it must not be read.
    BadIgnoreFile,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files, links, nested repositories, and directories that may not be read.
    pub files: Vec<Found>,
    /// Absolute paths of directories, the starting point included.
    pub directories: HashSet<PathBuf>,
    /// What the system said of them before they were listed, of a walk.
    pub stats: Vec<(PathBuf, Stat)>,
}

impl Listing {
    /// Of a directory with a bad ignore file: itself alone.
    fn of_left_out(rules: &Rules, directory: &Path) -> Self {
        Self {
            files: left_out(rules, directory).into_iter().collect(),
            ..Self::default()
        }
    }
}

/// Walks `directory` and everything below it, on several threads. Each directory is registered with
/// `watcher`, if any, before it is listed.
pub fn below(rules: &Arc<Rules>, directory: &Path, watcher: Option<&Arc<TreeWatcher>>) -> Listing {
    if rules.is_nested_repository(directory) {
        // Found by an event rather than by the walk of its parent.
        return Listing::default();
    }
    if !rules.has_good_ignore_files(directory) {
        return Listing::of_left_out(rules, directory);
    }
    if let Some(watcher) = watcher {
        watcher.add(directory);
    }
    let listing = Mutex::new(Listing::default());
    let skipped = Arc::default();
    builder(directory, rules, watcher.cloned(), &skipped)
        .threads(std::thread::available_parallelism().map_or(1, |n| n.get().min(8)))
        .build_parallel()
        .run(|| {
            let (listing, rules) = (&listing, rules);
            Box::new(move |entry| {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        listing.lock().files.extend(closed(&rules.root, &error));
                        return WalkState::Continue;
                    }
                };
                if rules.is_entered(&entry) {
                    let stat = Stat::of(entry.path());
                    let mut listing = listing.lock();
                    let stat = stat.map(|stat| (entry.path().to_owned(), stat));
                    listing.stats.extend(stat);
                    listing.directories.insert(entry.into_path());
                    return WalkState::Continue;
                }
                if let Some(found) = found(&rules.root, &entry) {
                    listing.lock().files.push(found);
                }
                WalkState::Skip
            })
        });
    let mut listing = listing.into_inner();
    listing.files.append(&mut skipped.lock());
    listing
}

/// Lists `directory` alone; `directories` are its children, not itself. One that may not be read is
/// itself among the files.
pub fn children(rules: &Arc<Rules>, directory: &Path) -> Listing {
    if !rules.has_good_ignore_files(directory) {
        return Listing::of_left_out(rules, directory);
    }
    let (mut listing, skipped) = (Listing::default(), Arc::default());
    let mut walk = builder(directory, rules, None, &skipped);
    for entry in walk.max_depth(Some(1)).build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                listing.files.extend(closed(&rules.root, &error));
                continue;
            }
        };
        if entry.depth() == 0 {
            continue;
        }
        if rules.is_entered(&entry) {
            listing.directories.insert(entry.into_path());
        } else if let Some(found) = found(&rules.root, &entry) {
            listing.files.push(found);
        }
    }
    listing.files.append(&mut skipped.lock());
    listing
}

/// The path below the root; `None` for the root itself and for names that are not UTF-8.
pub fn relative(root: &Path, path: &Path) -> Option<RepoPath> {
    RepoPath::new(path.strip_prefix(root).ok()?.to_str()?).ok()
}

/// What holds for every walk of one tree.
#[derive(Debug)]
pub struct Rules {
    root: PathBuf,
    /// Directories that are not looked at.
    excluded: Vec<PathBuf>,
    /// In a repository a directory with a `.git` is another repository; in a plain directory of
    /// clones they are what it is made of.
    nested_repositories: bool,
}

impl Rules {
    /// The rules of the tree at `root`.
    pub fn new(root: PathBuf, excluded: Vec<PathBuf>) -> Self {
        Self {
            excluded,
            nested_repositories: root.join(".git").exists(),
            root,
        }
    }

    /// The directory of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Directories that are not looked at.
    pub fn excluded(&self) -> &[PathBuf] {
        &self.excluded
    }

    /// Whether a path is left out whatever ignore files say.
    pub fn excludes(&self, path: &Path) -> bool {
        let is_called = |name: &str| path.file_name() == Some(OsStr::new(name));
        VERSION_CONTROL.iter().any(|name| is_called(name))
            || self.excluded.iter().any(|excluded| excluded == path)
    }

    /// Whether a directory is another repository.
    pub fn is_nested_repository(&self, directory: &Path) -> bool {
        self.nested_repositories && directory != self.root && directory.join(".git").exists()
    }

    /// Whether the ignore files in a directory are files of at most [`MAX_IGNORE_BYTES`] in the tree: opening a pipe
    /// does not end, nor does reading a device that a link leads to.
    pub fn has_good_ignore_files(&self, directory: &Path) -> bool {
        IGNORE_FILES.iter().all(|name| {
            let path = directory.join(name);
            let Ok(metadata) = path.symlink_metadata() else {
                return true;
            };
            // Above the tree links are the user's own.
            let is_own = !directory.starts_with(&self.root);
            let is_within = || {
                let real = std::fs::canonicalize(&path);
                real.is_ok_and(|real| {
                    real.starts_with(&self.root) || is_own && !is_of_system(&real)
                })
            };
            let metadata = match metadata.is_symlink() {
                // What it leads to is read, unless it leads nowhere.
                true if is_within() => path.metadata(),
                true => return path.metadata().is_err(),
                false => Ok(metadata),
            };
            metadata.is_ok_and(|file| file.is_file() && file.len() <= MAX_IGNORE_BYTES)
        })
    }

    /// Whether an entry is a directory whose content belongs to the tree.
    fn is_entered(&self, entry: &DirEntry) -> bool {
        entry.file_type().is_some_and(|t| t.is_dir()) && !self.is_nested_repository(entry.path())
    }
}

/// `.gitignore` (also outside a repository), `.git/info/exclude` and our own ignore file count,
/// those of parent directories too; a user's global settings do not, so that one tree gives one
/// index. Hidden files are files. Directories with a bad ignore file are not entered; `skipped` gets them.
fn builder(
    directory: &Path,
    rules: &Arc<Rules>,
    watcher: Option<Arc<TreeWatcher>>,
    skipped: &Arc<Mutex<Vec<Found>>>,
) -> WalkBuilder {
    let mut builder = WalkBuilder::new(directory);
    let (rules, skipped) = (Arc::clone(rules), Arc::clone(skipped));
    builder
        .hidden(false)
        .ignore(false)
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        // Asked once the ignore files have let an entry through, and before it is listed.
        .filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            if rules.excludes(entry.path()) {
                return false;
            }
            if !rules.is_entered(entry) {
                return true;
            }
            // Before its ignore files are read.
            if !rules.has_good_ignore_files(entry.path()) {
                skipped.lock().extend(left_out(&rules, entry.path()));
                return false;
            }
            if let Some(watcher) = &watcher {
                watcher.add(entry.path());
            }
            true
        });
    builder
}

/// Whether a path is one of those files that the system makes while they are read.
fn is_of_system(real: &Path) -> bool {
    ["/dev", "/proc", "/sys"]
        .iter()
        .any(|root| real.starts_with(root))
}

/// What stands for a directory with a bad ignore file.
fn left_out(rules: &Rules, directory: &Path) -> Option<Found> {
    Some(Found {
        path: relative(&rules.root, directory)?,
        stat: Stat::of(directory)?,
        kind: FoundKind::BadIgnoreFile,
    })
}

fn found(root: &Path, entry: &DirEntry) -> Option<Found> {
    let kind = entry.file_type()?;
    let path = entry.path().strip_prefix(root).ok()?.as_os_str();
    Some(Found {
        path: RepoPath::escaped(path.as_encoded_bytes()).ok()?,
        stat: Stat::of(entry.path())?,
        kind: if kind.is_symlink() {
            FoundKind::Symlink
        } else if kind.is_dir() {
            FoundKind::Repository
        } else if kind.is_file() && path.to_str().is_none() {
            FoundKind::BadName
        } else if kind.is_file() {
            FoundKind::File
        } else {
            FoundKind::Special
        },
    })
}

/// The directory that could not be listed, unless it is gone.
fn closed(root: &Path, error: &ignore::Error) -> Option<Found> {
    let is_forbidden = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    if !error.io_error().is_some_and(is_forbidden) {
        return None;
    }
    let path = path_of(error)?;
    let metadata = path.symlink_metadata().ok()?;
    metadata.is_dir().then_some(Found {
        path: relative(root, path)?,
        stat: Stat::new(&metadata),
        kind: FoundKind::Closed,
    })
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}
