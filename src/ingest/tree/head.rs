//! Reads the commit that a working tree is checked out from, and tells whether the tree differs from it. The
//! comparison is kept until a file or the commit changes: changes of ignored files are frequent, too.

use std::collections::BTreeMap;
use std::path::Path;

use foveate_index::Revision;
use foveate_model::{ObjectId, RepoPath, SkipReason, SourceFile};
use tokio_util::sync::CancellationToken;

use super::dot_git::DotGit;
use super::read::{self, IdKind};
use super::{WorkingTree, ranges};
use crate::ingest::git::{GitError, GitRepo, HeadFingerprint};

/// The commit that `HEAD` names, and its files.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) commit: String,
    /// `None` if they were not listed yet.
    pub(super) files: Option<CommittedFiles>,
    /// Fingerprint of `HEAD`; git is asked again only when it changes.
    mark: Option<HeadFingerprint>,
    /// Cache: whether the tree differs from the commit. Whoever changes a file of the tree clears it.
    pub(super) dirty: Option<bool>,
}

/// The files of a commit.
pub(super) type CommittedFiles = BTreeMap<RepoPath, CommittedFile>;

/// A file of a commit.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommittedFile {
    blob: ObjectId,
    size: u64,
}

impl Head {
    fn forget_files(&mut self) {
        self.files = None;
        self.dirty = None;
    }
}

impl WorkingTree {
    /// Returns the revision that the files belong to. Reads `HEAD` again, which may have moved.
    pub fn revision(&mut self) -> Revision {
        self.refresh_head();
        if self.head.files.is_none() {
            // If the commit cannot be listed now, the tree counts as changed.
            self.head.files = self.committed(&CancellationToken::new()).ok();
        }
        let dirty = self.head.dirty.unwrap_or_else(|| self.is_dirty());
        self.head.dirty = self.head.files.is_some().then_some(dirty);
        Revision {
            commit: self.head.commit.clone(),
            dirty,
        }
    }

    /// Updates the commit that `HEAD` names, and drops the listed files if it is another one.
    pub(super) fn refresh_head(&mut self) {
        if !self.is_for_one_run {
            self.refresh_git();
        }
        let Some(git) = &self.git else { return };
        // Read before git is asked, so that a change in between is noticed the next time.
        let mark = HeadFingerprint::read(git.git_dir());
        if mark.is_some() && mark == self.head.mark {
            return;
        }
        let (commit, mark, error) = match git.resolve("HEAD") {
            Ok(commit) => (commit, mark, None),
            // Without a fingerprint, git is asked again the next time.
            Err(error) if error.is_transient() => {
                tracing::warn!(%error, "cannot read HEAD: its last known commit stays in use");
                if self.is_for_one_run {
                    // A git that hangs now would hang again.
                    self.git = None;
                }
                let commit = self.head.commit.clone();
                let error = commit.is_empty().then(|| error.to_string());
                (commit, None, error)
            }
            Err(error) => {
                let error = self.why_unreadable(error);
                (String::new(), mark.filter(|_| error.is_none()), error)
            }
        };
        if !self.is_for_one_run {
            self.set_git_error(error);
        }
        self.set_head(commit, mark);
    }

    /// Returns why the commit of `HEAD` cannot be read; `None` if there is no commit yet. A broken repository looks to
    /// [`GitRepo::resolve`] like one without commits; opening it gives git's message.
    fn why_unreadable(&self, error: GitError) -> Option<String> {
        match error {
            GitError::NoCommits if self.is_for_one_run => None,
            GitError::NoCommits => {
                let opened = GitRepo::discover(&self.root, &self.read_limits);
                opened.err().map(|error| error.to_string())
            }
            error => Some(error.to_string()),
        }
    }

    /// Sets why the commit cannot be read, and logs a new reason.
    pub(super) fn set_git_error(&mut self, error: Option<String>) {
        if let Some(error) = error.as_ref().filter(|_| error != self.git_error) {
            tracing::warn!(
                root = %self.root.display(),
                error,
                "cannot use the git repository: answers have no commit and use no past commits until it is repaired"
            );
        }
        self.git_error = error;
    }

    /// Opens the repository of the tree if there may be one by now, and again if another `.git` leads to it. A repository
    /// that is gone stays open, so that its directory stays watched: another one may take its place.
    fn refresh_git(&mut self) {
        // Read before git is asked, so that a change in between is noticed the next time.
        let dot_git = DotGit::of(&self.root);
        let is_opened = match (&self.git, dot_git) {
            (_, None) => {
                (self.dot_git, self.git_error) = (None, None);
                return;
            }
            // It may have been incomplete, or git may have failed.
            (None, Some(_)) => false,
            // Git passes over a `.git` that is not complete yet, and opens a repository further up.
            (Some(git), Some(found)) => {
                let is_same = dot_git == self.dot_git && found.depth == depth(git);
                is_same && git.git_dir().is_dir()
            }
        };
        if is_opened {
            return;
        }
        let opened = match GitRepo::discover(&self.root, &self.read_limits) {
            Err(error) if error.is_transient() => {
                tracing::warn!(
                    root = %self.root.display(),
                    %error,
                    "cannot open the git repository now: it is tried again with the next scan"
                );
                return;
            }
            opened => opened,
        };
        let error = opened.as_ref().err().map(GitError::to_string);
        let opened = opened.ok().flatten();
        self.dot_git = dot_git;
        self.set_git_error(error);
        // One that is not complete yet will keep its directory, or is opened again with the next scan.
        if opened.is_some() && opened != self.git {
            self.git = opened;
            // In another repository the same commit may have other files.
            self.head.mark = None;
            self.head.forget_files();
        }
    }

    fn set_head(&mut self, commit: String, mark: Option<HeadFingerprint>) {
        if IdKind::of(&commit) != IdKind::of(&self.head.commit) {
            for entry in self.entries.values_mut() {
                entry.stat = entry.stat.distrusted();
            }
        }
        if commit != self.head.commit {
            self.head.forget_files();
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
            .filter(|entry| entry.skipped != Some(SkipReason::Submodule))
            .map(|entry| {
                let file = CommittedFile {
                    blob: entry.blob,
                    size: entry.size.unwrap_or(0),
                };
                (entry.path, file)
            });
        Ok(listed.collect())
    }

    /// Counts the files of the commit that are missing in the tree.
    pub fn count_missing(&self) -> usize {
        let committed = self.head.files.iter().flat_map(BTreeMap::keys);
        let unknown = committed.filter(|path| !self.entries.contains_key(*path));
        unknown.filter(|path| is_missing(&self.root, path)).count()
    }

    /// Whether a committed file at or below `path` is left out of the tree, such as one that the project's own ignore file
    /// excludes.
    pub(super) fn is_left_out(&self, path: &RepoPath) -> bool {
        let Some(files) = &self.head.files else {
            return false;
        };
        let own = files.get_key_value(path).map(|(path, _)| path);
        ranges::below(files, path.as_str())
            .chain(own)
            .any(|path| !self.entries.contains_key(path))
    }

    /// Whether any file differs from the commit, is not in it, or is missing.
    fn is_dirty(&self) -> bool {
        if self.head.commit.is_empty() {
            return false;
        }
        let mut listed = self.head.files.iter().flatten().peekable();
        let mut left_out: Vec<&RepoPath> = Vec::new();
        for (path, entry) in &self.entries {
            while let Some((earlier, _)) = listed.next_if(|(listed, _)| *listed < path) {
                left_out.push(earlier);
            }
            let committed = listed.next_if(|(listed, _)| *listed == path);
            if differs(&entry.file, committed.map(|(_, committed)| *committed)) {
                return true;
            }
        }
        left_out.extend(listed.map(|(path, _)| path));
        // At the end, since each is looked for on disk: after a save, the saved file differs already.
        let mut left_out = left_out.into_iter();
        left_out.any(|path| is_missing(&self.root, path))
    }
}

/// Returns the number of directories from the top directory of a repository down to the one to which reading is limited.
fn depth(git: &GitRepo) -> usize {
    git.prefix().matches('/').count()
}

fn is_missing(root: &Path, path: &RepoPath) -> bool {
    root.join(path.as_str()).symlink_metadata().is_err()
}

/// Whether a file differs from the commit's file at its path.
fn differs(file: &SourceFile, committed: Option<CommittedFile>) -> bool {
    match committed {
        None => !matches!(file.skipped, Some(SkipReason::Submodule)),
        Some(committed) if file.blob == read::unread() => committed.size != file.size,
        Some(committed) => committed.blob != file.blob,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use foveate_parse::Limits;

    use super::*;
    use crate::engine::{BlobCache, Progress};
    use crate::ingest::watch::ChangeSet;

    #[test]
    fn tree_is_compared_with_its_commit_only_after_a_change() {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        fs::write(root.join(".gitignore"), "dev.log\n").unwrap();
        fs::write(root.join("a.py"), "x = 1\n").unwrap();
        let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
        let mut tree = WorkingTree::for_one_run(root.clone(), Vec::new(), None);
        tree.rescan(&blobs, &progress, None).unwrap();
        let committed = |file: SourceFile| {
            let committed = CommittedFile {
                blob: file.blob,
                size: file.size,
            };
            (file.path, committed)
        };
        tree.head.commit = "1".repeat(40);
        tree.listed_commit.clone_from(&tree.head.commit);
        tree.head.files = Some(tree.files().into_iter().map(committed).collect());
        assert!(!tree.revision().dirty);

        // A comparison would find this difference, which no event reports.
        let path = RepoPath::new("a.py").unwrap();
        let files = tree.head.files.as_mut().unwrap();
        files.get_mut(&path).unwrap().blob = ObjectId::from_sha1([1; 20]);
        let mut save = |name: &str| {
            fs::write(root.join(name), "y = 2\n").unwrap();
            let changed = ChangeSet {
                paths: [root.join(name)].into(),
                ..ChangeSet::default()
            };
            let differs = tree.apply(&changed, &blobs, &progress, None).unwrap();
            (differs, tree.revision().dirty)
        };
        assert_eq!(save("dev.log"), (false, false), "the file is ignored");
        assert_eq!(save("b.py"), (true, true));
    }
}
