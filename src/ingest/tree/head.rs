//! Reads the commit that a working tree is checked out from, and tells whether the tree differs from it.

use std::collections::BTreeMap;

use foveate_index::Revision;
use foveate_model::{ObjectId, RepoPath, SkipReason, SourceFile};
use tokio_util::sync::CancellationToken;

use super::WorkingTree;
use super::read::{self, IdKind};
use crate::ingest::git::{EntryKind, GitError, GitRepo, HeadFingerprint};

/// The commit that `HEAD` names, and its files.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) commit: String,
    /// `None` if they were not listed yet.
    pub(super) files: Option<CommittedFiles>,
    /// Fingerprint of `HEAD`; git is asked again only when it changes.
    mark: Option<HeadFingerprint>,
}

/// The files of a commit with their blob ids and sizes.
pub(super) type CommittedFiles = BTreeMap<RepoPath, (ObjectId, u64)>;

impl WorkingTree {
    /// Returns the revision that the files belong to. Reads `HEAD` again, which may have moved.
    pub fn revision(&mut self) -> Revision {
        self.refresh_head();
        if self.head.files.is_none() {
            // If the commit cannot be listed now, the tree counts as changed.
            self.head.files = self.committed(&CancellationToken::new()).ok();
        }
        Revision {
            commit: self.head.commit.clone(),
            dirty: self.is_dirty(),
        }
    }

    /// Updates the commit that `HEAD` names, and drops the listed files if it is another one.
    pub(super) fn refresh_head(&mut self) {
        let may_have_come = self.git.is_none() && !self.is_for_one_run;
        if may_have_come && self.root.join(".git").exists() {
            self.git = GitRepo::around(&self.root, &self.read_limits)
                .ok()
                .flatten();
        }
        let Some(git) = &self.git else { return };
        // Read before git is asked, so that a change in between is noticed the next time.
        let mark = HeadFingerprint::read(git.git_dir());
        if mark.is_some() && mark == self.head.mark {
            return;
        }
        let (commit, mark) = match git.resolve("HEAD") {
            Ok(commit) => (commit, mark),
            Err(GitError::NoCommits) => (String::new(), mark),
            // Without a fingerprint, git is asked again the next time.
            Err(error) if error.is_transient() => {
                tracing::warn!(%error, "cannot read HEAD: its last known commit stays in use");
                if self.is_for_one_run {
                    // A git that hangs now would hang again.
                    self.git = None;
                }
                (self.head.commit.clone(), None)
            }
            Err(_) => (String::new(), None),
        };
        if IdKind::of(&commit) != IdKind::of(&self.head.commit) {
            for entry in self.entries.values_mut() {
                entry.stat = entry.stat.distrusted();
            }
        }
        if commit != self.head.commit {
            self.head.files = None;
        }
        self.head.commit = commit;
        self.head.mark = mark;
    }

    /// Lists the files of the commit that `HEAD` names; empty if it cannot be read at all.
    ///
    /// # Errors
    /// When it cannot be read now, but may be later.
    pub(super) fn committed(&self, stop: &CancellationToken) -> Result<CommittedFiles, GitError> {
        let listed = match (&self.git, self.head.commit.as_str()) {
            (None, _) | (_, "") => Vec::new(),
            (Some(git), commit) => match git.list(commit, stop) {
                Err(error) if error.is_transient() => return Err(error),
                listed => listed.unwrap_or_default(),
            },
        };
        let listed = listed
            .into_iter()
            .filter(|entry| entry.kind != EntryKind::Submodule)
            .map(|entry| (entry.path, (entry.blob, entry.size.unwrap_or(0))));
        Ok(listed.collect())
    }

    /// Counts the files of the commit that are missing in the tree.
    pub fn count_missing(&self) -> usize {
        let committed = self.head.files.iter().flatten();
        let unknown = committed.filter(|(path, _)| !self.entries.contains_key(*path));
        unknown.filter(|(path, _)| self.is_missing(path)).count()
    }

    fn is_missing(&self, path: &RepoPath) -> bool {
        self.root.join(path.as_str()).symlink_metadata().is_err()
    }

    /// Whether any file differs from the commit, is not in it, or is missing.
    fn is_dirty(&self) -> bool {
        if self.head.commit.is_empty() {
            return false;
        }
        let is_missing = |path: &RepoPath| self.is_missing(path);
        let mut listed = self.head.files.iter().flatten().peekable();
        for (path, entry) in &self.entries {
            while let Some((left_out, _)) = listed.next_if(|(listed, _)| *listed < path) {
                if is_missing(left_out) {
                    return true;
                }
            }
            let committed = listed.next_if(|(listed, _)| *listed == path);
            if differs(&entry.file, committed.map(|(_, committed)| *committed)) {
                return true;
            }
        }
        listed.any(|(left_out, _)| is_missing(left_out))
    }
}

/// Whether a file differs from the commit's file at its path.
fn differs(file: &SourceFile, committed: Option<(ObjectId, u64)>) -> bool {
    match committed {
        None => !matches!(file.skipped, Some(SkipReason::Submodule)),
        Some((_, size)) if file.blob == read::unread() => size != file.size,
        Some((blob, _)) => blob != file.blob,
    }
}
