//! Finds the files and directories of a working tree that are not ignored. It opens no files other than
//! the ignore files.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate_model::{RepoPath, SkipReason};
use ignore::{DirEntry, WalkBuilder, WalkState};
use parking_lot::Mutex;

use super::dot_git::DotGit;
use super::exclude::{is_of_system, linked_exclude_bytes};
use super::stat::Stat;
use crate::ingest::watch::TreeWatcher;

/// The project's own ignore file, with the syntax of `.gitignore`.
pub const IGNORE_FILE: &str = ".foveateignore";

/// Names of the ignore files in a directory.
const IGNORE_FILES: [&str; 3] = [IGNORE_FILE, ".gitignore", ".git/info/exclude"];

/// Maximum bytes of the ignore files that apply to a directory: its own and those above it, up to the root of the tree.
/// Patterns are compiled, which takes up to 2 s and 560 MB for each MiB.
const MAX_IGNORE_BYTES: u64 = 128 << 10;

/// Directories in which version control systems keep their own files.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".bzr"];

/// A found file, or an entry that is listed like a file.
#[derive(Clone, Debug)]
pub struct WalkedFile {
    /// Path below the root.
    pub path: RepoPath,
    /// Its stat when it was found.
    pub stat: Stat,
    /// Why it is not a file to be read; `None` if it is one.
    pub skipped: Option<SkipReason>,
}

/// The entries found by a walk, or in one directory.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files, links, nested repositories, and directories that cannot be read.
    pub files: Vec<WalkedFile>,
    /// Absolute paths of directories, the starting point included.
    pub directories: HashSet<PathBuf>,
}

impl Listing {
    /// The listing of a directory with a bad ignore file: only an entry for the directory itself.
    fn of_left_out(rules: &Rules, directory: &Path) -> Self {
        Self {
            files: left_out(rules, directory).into_iter().collect(),
            ..Self::default()
        }
    }
}

/// Walks `directory` and everything below it, on several threads. Each directory is registered with
/// `watcher`, if any, before it is listed. The walk ends early once `is_over` holds for the number of files or of
/// directories found so far.
pub fn below(
    rules: &Arc<Rules>,
    directory: &Path,
    watcher: Option<&Arc<TreeWatcher>>,
    is_over: &(dyn Fn(usize) -> bool + Sync),
) -> Listing {
    if rules.is_nested_repository(directory) {
        // An event named the nested repository; the walk of its parent would not enter it.
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
                let found = match entry {
                    Ok(entry) if rules.is_entered(&entry) => {
                        let mut listing = listing.lock();
                        listing.directories.insert(entry.into_path());
                        listing.directories.len()
                    }
                    entry => {
                        let found = match entry {
                            Ok(entry) => found(&rules.root, &entry),
                            Err(error) => closed(&rules.root, &error),
                        };
                        let mut listing = listing.lock();
                        listing.files.extend(found);
                        listing.files.len()
                    }
                };
                match is_over(found) {
                    true => WalkState::Quit,
                    false => WalkState::Continue,
                }
            })
        });
    let mut listing = listing.into_inner();
    listing.files.append(&mut skipped.lock());
    listing
}

/// Lists the files and directories directly in `directory`. If it cannot be read, it is itself among the files.
pub fn children(rules: &Arc<Rules>, directory: &Path) -> Listing {
    if !rules.has_good_ignore_files(directory) {
        return Listing::of_left_out(rules, directory);
    }
    let (mut listing, skipped) = (Listing::default(), Arc::default());
    let mut walk = builder(directory, rules, None, &skipped);
    for entry in walk.max_depth(Some(1)).build() {
        match entry {
            Ok(entry) if entry.depth() == 0 => {}
            Ok(entry) if rules.is_entered(&entry) => {
                listing.directories.insert(entry.into_path());
            }
            Ok(entry) => listing.files.extend(found(&rules.root, &entry)),
            Err(error) => listing.files.extend(closed(&rules.root, &error)),
        }
    }
    listing.files.append(&mut skipped.lock());
    listing
}

/// Returns the path below the root; `None` for the root itself and for paths that are not UTF-8.
pub fn relative(root: &Path, path: &Path) -> Option<RepoPath> {
    RepoPath::new(path.strip_prefix(root).ok()?.to_str()?).ok()
}

/// Returns the directory of the files in `directory`, as [`RepoPath::directory`] does: empty for the root, and with
/// escapes where it is not UTF-8. `None` if it is too long.
pub fn directory_of(root: &Path, directory: &Path) -> Option<String> {
    let below = directory.strip_prefix(root).ok()?.as_os_str();
    if below.is_empty() {
        return Some(String::new());
    }
    let path = RepoPath::escaped(below.as_encoded_bytes()).ok()?;
    Some(path.as_str().to_owned())
}

/// Rules for every walk of one tree.
#[derive(Debug)]
pub struct Rules {
    root: PathBuf,
    /// Directories that are not scanned.
    excluded: Vec<PathBuf>,
    /// Whether a directory with a `.git` is skipped as another repository. That holds if the root is in a repository. A
    /// plain directory may hold clones, which are indexed with it.
    nested_repositories: bool,
}

impl Rules {
    /// Creates the rules of the tree at `root`.
    pub fn new(root: PathBuf, excluded: Vec<PathBuf>) -> Self {
        Self {
            excluded,
            nested_repositories: DotGit::of(&root).is_some(),
            root,
        }
    }

    /// Returns the directory of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directories that are not scanned.
    pub fn excluded(&self) -> &[PathBuf] {
        &self.excluded
    }

    /// Whether a path is always left out, regardless of ignore files.
    pub fn excludes(&self, path: &Path) -> bool {
        let is_called = |name: &str| path.file_name() == Some(OsStr::new(name));
        VERSION_CONTROL.iter().any(|name| is_called(name))
            || self.excluded.iter().any(|excluded| excluded == path)
    }

    /// Whether a directory is another repository.
    pub fn is_nested_repository(&self, directory: &Path) -> bool {
        self.nested_repositories && directory != self.root && directory.join(".git").exists()
    }

    /// Whether the ignore files in a directory are regular files inside the tree, and at most [`MAX_IGNORE_BYTES`] apply
    /// to it. Opening a pipe, or reading a device through a link, would never end.
    pub fn has_good_ignore_files(&self, directory: &Path) -> bool {
        let Some(own) = self.ignore_bytes(directory) else {
            return false;
        };
        let above = || {
            let above = directory.ancestors().skip(1);
            let above = above.take_while(|above| above.starts_with(&self.root));
            above
                .map(|above| self.ignore_bytes(above).unwrap_or(0))
                .sum::<u64>()
        };
        own == 0 || own.saturating_add(above()) <= MAX_IGNORE_BYTES
    }

    /// Returns the bytes of the ignore files in a directory; `None` if one of them must not be read.
    fn ignore_bytes(&self, directory: &Path) -> Option<u64> {
        let bytes = IGNORE_FILES.iter().map(|name| {
            let path = directory.join(name);
            let Ok(metadata) = path.symlink_metadata() else {
                return Some(0);
            };
            // Links above the tree belong to the user and may lead outside.
            let is_own = !directory.starts_with(&self.root);
            let is_within = || {
                let real = std::fs::canonicalize(&path);
                real.is_ok_and(|real| {
                    real.starts_with(&self.root) || is_own && !is_of_system(&real)
                })
            };
            let metadata = match metadata.is_symlink() {
                // A link that leads outside is good only if its target does not exist.
                true if is_within() => path.metadata(),
                true => return path.metadata().is_err().then_some(0),
                false => Ok(metadata),
            };
            let file = metadata.ok().filter(std::fs::Metadata::is_file);
            file.map(|file| file.len())
        });
        bytes
            .sum::<Option<u64>>()?
            .checked_add(linked_exclude_bytes(directory)?)
    }

    /// Whether an entry is a directory whose content belongs to the tree.
    fn is_entered(&self, entry: &DirEntry) -> bool {
        entry.file_type().is_some_and(|t| t.is_dir()) && !self.is_nested_repository(entry.path())
    }
}

/// Configures a walk. `.gitignore` (also outside a repository), `.git/info/exclude` and the project's own
/// ignore file apply, those of parent directories too. A user's global settings do not, so that one tree
/// gives one index. Hidden files are included. Nested repositories and directories with a bad ignore file are not entered
/// but added to `skipped`.
fn builder(
    directory: &Path,
    rules: &Arc<Rules>,
    watcher: Option<Arc<TreeWatcher>>,
    skipped: &Arc<Mutex<Vec<WalkedFile>>>,
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
        // Called for entries that are not ignored, before they are listed.
        .filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            if rules.excludes(entry.path()) {
                return false;
            }
            if !rules.is_entered(entry) {
                // The walk would read the ignore files of a nested repository before it is told to skip it.
                let is_directory = entry.file_type().is_some_and(|t| t.is_dir());
                if is_directory {
                    skipped.lock().extend(found(&rules.root, entry));
                }
                return !is_directory;
            }
            // Checked before the walk reads its ignore files.
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

/// Returns the entry for a directory with a bad ignore file.
fn left_out(rules: &Rules, directory: &Path) -> Option<WalkedFile> {
    Some(WalkedFile {
        path: relative(&rules.root, directory)?,
        stat: Stat::of(directory)?,
        skipped: Some(SkipReason::UnreadableDirectory(
            "an ignore file in it is not a regular file inside the tree, or the ignore files in it and above it have \
             more than 128 KiB"
                .to_owned(),
        )),
    })
}

fn found(root: &Path, entry: &DirEntry) -> Option<WalkedFile> {
    let kind = entry.file_type()?;
    let path = entry.path().strip_prefix(root).ok()?.as_os_str();
    Some(WalkedFile {
        path: RepoPath::escaped(path.as_encoded_bytes()).ok()?,
        stat: Stat::of_listed(entry.path())?,
        skipped: if kind.is_symlink() {
            Some(SkipReason::Symlink)
        } else if kind.is_dir() {
            Some(SkipReason::Submodule)
        } else if !kind.is_file() {
            Some(SkipReason::Unreadable(
                "it is not a regular file".to_owned(),
            ))
        } else {
            path.to_str().is_none().then_some(SkipReason::NotUtf8)
        },
    })
}

/// Returns the entry for a directory that cannot be listed; `None` if it is gone, and for other errors.
fn closed(root: &Path, error: &ignore::Error) -> Option<WalkedFile> {
    let kind = error.io_error()?.kind();
    let path = path_of(error)?;
    // Only directories are listed: one whose kind may not be read is one, too.
    if path
        .symlink_metadata()
        .is_ok_and(|metadata| !metadata.is_dir())
    {
        return None;
    }
    Some(WalkedFile {
        path: relative(root, path)?,
        stat: Stat::of_listed(path)?,
        skipped: Some(SkipReason::UnreadableDirectory(format!(
            "the directory cannot be read: {kind}"
        ))),
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

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn directory_that_cannot_be_listed_is_an_entry() {
        let keep = tempfile::tempdir().unwrap();
        let inner = keep.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let failed = |path: &Path| {
            let failure = io::Error::from(io::ErrorKind::StaleNetworkFileHandle);
            let error = ignore::Error::WithPath {
                path: path.to_owned(),
                err: Box::new(ignore::Error::Io(failure)),
            };
            closed(keep.path(), &error).map(|found| (found.path.as_str().to_owned(), found.skipped))
        };
        let reason = io::ErrorKind::StaleNetworkFileHandle;
        let reason = format!("the directory cannot be read: {reason}");
        let skipped = Some(SkipReason::UnreadableDirectory(reason));
        assert_eq!(failed(&inner), Some(("inner".to_owned(), skipped)));
        assert_eq!(failed(&keep.path().join("gone")), None);
    }
}
