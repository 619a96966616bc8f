//! What a clone has of its commit elsewhere: submodules and files that are not checked out, and objects that were not
//! fetched. Only what is cheap to know is looked for.

use std::fs;
use std::path::Path;

use foveate_model::escape::shorten;
use foveate_model::{RepoPath, SourceFile};

use crate::ingest::git::{GitRepo, is_missing};
use crate::ingest::tree::WorkingTree;

/// Submodules that are named; of more the number is told.
const MAX_NAMED: usize = 3;
/// Bytes of a name that are told.
const MAX_NAME_BYTES: usize = 160;
/// Largest file of settings that is looked into, in bytes.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

const FETCH_ALL: &str = "`git fetch --refetch --no-filter` fetches them";

/// What a working tree lacks, each with what to do.
pub(super) fn of_tree(tree: &WorkingTree) -> Vec<String> {
    let Some(git) = tree.git() else {
        return Vec::new();
    };
    let submodules = submodules(tree.root());
    let left_out = if is_sparse(git) {
        tree.count_missing()
    } else {
        0
    };
    submodules
        .into_iter()
        .chain(not_checked_out(left_out))
        .collect()
}

/// What the clone lacks of a commit's files.
pub(super) fn of_commit(files: &[SourceFile]) -> Option<String> {
    let missing = files.iter().filter(|file| is_missing(file)).count();
    (missing > 0)
        .then(|| format!("{missing} files were not fetched, as in a partial clone: {FETCH_ALL}"))
}

/// What a clone whose history cannot be read lacks of past commits.
pub(super) fn of_history(git: &GitRepo) -> Option<String> {
    git.setting(r"^remote\..*\.partialclonefilter$").map(|_| {
        format!("files of past commits were not fetched, as in a partial clone: {FETCH_ALL}")
    })
}

fn not_checked_out(files: usize) -> Option<String> {
    (files > 0).then(|| {
        format!(
            "{files} files of the commit are not checked out: `git sparse-checkout disable` brings them, and --ref HEAD \
             answers with them"
        )
    })
}

/// The submodules whose directory is empty.
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

/// Whether a directory of the tree is empty or not there. One that is reached through a link is not looked into:
/// it may lie outside.
fn is_empty(directory: &Path) -> bool {
    match fs::canonicalize(directory) {
        Ok(real) if real == directory => {
            fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
        }
        Ok(_) => false,
        Err(_) => true,
    }
}

/// Whether only a part of the commit is meant to be checked out.
fn is_sparse(git: &GitRepo) -> bool {
    // Few repositories have this file, and git need not be asked about the others.
    git.git_dir().join("info/sparse-checkout").exists()
        && git.setting(r"^core\.sparsecheckout$").as_deref() == Some("true")
}

/// A file of settings; none where there is none of a usual size.
fn text(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    let is_usual = metadata.is_file() && metadata.len() <= MAX_SETTINGS_BYTES;
    is_usual.then(|| fs::read_to_string(path).ok()).flatten()
}
