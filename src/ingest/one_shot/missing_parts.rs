//! Finds parts of a commit that a clone lacks: submodules and files that are not checked out, and objects that were
//! not fetched. Makes only cheap checks.

use std::fs;
use std::path::Path;

use foveate_model::escape::shorten;
use foveate_model::{RepoPath, SourceFile};

use crate::ingest::git::{GitRepo, is_missing};
use crate::ingest::tree::WorkingTree;

/// Maximum submodules named in a message; the rest are counted.
const MAX_NAMED: usize = 3;
/// Largest length of a name in a message, in bytes.
const MAX_NAME_BYTES: usize = 160;
/// Largest settings file that is read, in bytes.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

const FETCH_ALL: &str = "`git fetch --refetch --no-filter` fetches them";

/// Returns messages about the parts that a working tree lacks, each with a remedy.
pub(super) fn of_tree(tree: &WorkingTree) -> Vec<String> {
    let Some(git) = tree.git() else {
        return Vec::new();
    };
    let submodules = submodules(tree.root());
    let left_out = is_sparse(git).then(|| tree.count_missing());
    let left_out = left_out.and_then(not_checked_out);
    submodules.into_iter().chain(left_out).collect()
}

/// Returns a message about files of a commit that were not fetched; `None` if none is missing.
pub(super) fn of_commit(files: &[SourceFile]) -> Option<String> {
    let missing = files.iter().filter(|file| is_missing(file)).count();
    (missing > 0)
        .then(|| format!("{missing} files were not fetched, as in a partial clone: {FETCH_ALL}"))
}

/// Returns a message for a partial clone, to explain a history that cannot be read.
pub(super) fn of_history(git: &GitRepo) -> Option<String> {
    git.is_partial().then(|| {
        format!("files of past commits were not fetched, as in a partial clone: {FETCH_ALL}")
    })
}

fn not_checked_out(files: usize) -> Option<String> {
    (files > 0).then(|| {
        format!(
            "{files} files of the commit are not checked out: `git sparse-checkout disable` checks them out, and \
             `--ref HEAD` reads them from git"
        )
    })
}

/// Returns a message about submodules whose directory is empty or missing.
fn submodules(root: &Path) -> Option<String> {
    let settings = text(&root.join(".gitmodules"))?;
    let values = settings.lines().filter_map(|line| line.split_once('='));
    let paths = values.filter(|(key, _)| key.trim() == "path");
    let paths = paths.filter_map(|(_, path)| RepoPath::new(path.trim()).ok());
    let empty: Vec<RepoPath> = paths
        .filter(|path| is_empty(&root.join(path.as_str())))
        .collect();
    if empty.is_empty() {
        return None;
    }
    let named = empty.iter().take(MAX_NAMED);
    let named: Vec<_> = named
        .map(|path| shorten(path.as_str(), MAX_NAME_BYTES))
        .collect();
    let more = match empty.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "submodules are not checked out ({}{more}): `git submodule update --init` fetches them",
        named.join(", ")
    ))
}

/// Whether a directory of the tree is empty or missing. One that is reached through a link counts as neither: it
/// may lie outside the tree and is not read.
fn is_empty(directory: &Path) -> bool {
    match fs::canonicalize(directory) {
        Ok(real) if real == directory => {
            fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
        }
        Ok(_) => false,
        Err(_) => true,
    }
}

/// Whether the checkout is sparse.
fn is_sparse(git: &GitRepo) -> bool {
    // Few repositories have this file; for the others the call of git is saved.
    git.git_dir().join("info/sparse-checkout").exists()
        && git.setting(r"^core\.sparsecheckout$").as_deref() == Some("true")
}

/// Reads a settings file; returns `None` if it is missing, not a regular file, or too large.
fn text(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    let is_usual = metadata.is_file() && metadata.len() <= MAX_SETTINGS_BYTES;
    is_usual.then(|| fs::read_to_string(path).ok()).flatten()
}
