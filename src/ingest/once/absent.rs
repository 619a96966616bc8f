//! What a clone has of its commit elsewhere: submodules and files that are not checked out, and objects that were not
//! fetched. Only what is cheap to know is looked for.

use std::fs;
use std::path::Path;

use foveate_model::SourceFile;
use foveate_model::escape::shorten;

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
    let is_partial = values(git, "config").any(|(key, _)| key == "partialclonefilter");
    is_partial.then(|| {
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
    let is_empty = |path: &&str| {
        let mut entries = fs::read_dir(root.join(path)).into_iter().flatten();
        entries.next().is_none()
    };
    let empty: Vec<&str> = paths
        .map(|(_, path)| path.trim())
        .filter(is_empty)
        .collect();
    if empty.is_empty() {
        return None;
    }
    let named = empty.iter().take(MAX_NAMED);
    let named: Vec<_> = named.map(|path| shorten(path, MAX_NAME_BYTES)).collect();
    let more = match empty.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "submodules are not checked out ({}{more}): `git submodule update --init` fetches them",
        named.join(", ")
    ))
}

/// Whether only a part of the commit is meant to be checked out.
fn is_sparse(git: &GitRepo) -> bool {
    if !git.git_dir().join("info/sparse-checkout").exists() {
        return false;
    }
    let is_on = |name: &str| {
        values(git, name).any(|(key, value)| key == "sparsecheckout" && value == "true")
    };
    is_on("config.worktree") || is_on("config")
}

/// The values of a file in a git directory, whatever their section, by their names in lower case.
fn values(git: &GitRepo, name: &str) -> impl Iterator<Item = (String, String)> {
    let settings = text(&git.git_dir().join(name)).unwrap_or_default();
    let values = settings.lines().filter_map(|line| line.split_once('='));
    let values: Vec<(String, String)> = values
        .map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    values.into_iter()
}

/// A file of settings; none where there is none of a usual size.
fn text(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    let is_usual = metadata.is_file() && metadata.len() <= MAX_SETTINGS_BYTES;
    is_usual.then(|| fs::read_to_string(path).ok()).flatten()
}
