//! Fingerprints the files that determine the commit of `HEAD`: as long as they stay the same, so does the
//! commit. It does not call git, and gives no fingerprint for files that it does not understand.

use std::path::{Path, PathBuf};

use super::read_limits::read_start;
use crate::disk::FileStamp;

/// Largest file that is read, in bytes: ref names and commit ids are shorter.
const MAX_BYTES: u64 = 4096;

/// Fingerprint of the files that determine `HEAD`. Equal fingerprints mean the same commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadFingerprint {
    /// Content of `HEAD`: a commit, or the name of a branch.
    head: String,
    /// Content of the branch's own file, if it has one.
    branch: Option<String>,
    /// Stamp of `packed-refs`, for a branch without a file of its own.
    packed: Option<FileStamp>,
}

impl HeadFingerprint {
    /// Reads the fingerprint of the repository whose `HEAD` lies in `git_dir`; returns `None` if its files do not
    /// determine the commit.
    pub fn read(git_dir: &Path) -> Option<Self> {
        let head = text(&git_dir.join("HEAD"))?;
        let (mut branch, mut packed) = (None, None);
        if let Some(name) = head.strip_prefix("ref: ") {
            // With refs in reftables, `HEAD` names a branch that cannot exist (`refs/heads/.invalid`).
            let is_plain = name.starts_with("refs/heads/") && !name.contains("/.");
            if !is_plain || name.contains("..") {
                return None;
            }
            let common = common_dir(git_dir)?;
            branch = text(&common.join(name));
            match &branch {
                Some(commit) if commit.starts_with("ref: ") => return None,
                Some(_) => {}
                None => packed = FileStamp::of(&common.join("packed-refs")),
            }
        }
        Some(Self {
            head,
            branch,
            packed,
        })
    }
}

/// Returns the directory of the branches: another one than `git_dir` for a linked working tree.
pub(super) fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    if !git_dir.join("commondir").exists() {
        return Some(git_dir.to_owned());
    }
    Some(git_dir.join(text(&git_dir.join("commondir"))?))
}

fn text(path: &Path) -> Option<String> {
    let text = read_start(path, MAX_BYTES).ok()?;
    Some(std::str::from_utf8(&text).ok()?.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn fingerprint_changes_with_head_branch_and_packed_refs() {
        let keep = tempfile::tempdir().unwrap();
        let git = keep.path().join("repo.git");
        let mut fingerprints = vec![HeadFingerprint::read(&git)];
        write(&git.join("HEAD"), "ref: refs/heads/main\n");
        fingerprints.push(HeadFingerprint::read(&git));
        write(&git.join("refs/heads/main"), "aaaa\n");
        fingerprints.push(HeadFingerprint::read(&git));
        assert_eq!(HeadFingerprint::read(&git), HeadFingerprint::read(&git));
        write(&git.join("refs/heads/main"), "bbbb\n");
        fingerprints.push(HeadFingerprint::read(&git));
        fs::remove_file(git.join("refs/heads/main")).unwrap();
        write(&git.join("packed-refs"), "bbbb refs/heads/main\n");
        fingerprints.push(HeadFingerprint::read(&git));
        write(&git.join("HEAD"), "cccc\n");
        fingerprints.push(HeadFingerprint::read(&git));
        assert_eq!(fingerprints[0], None);
        for (at, fingerprint) in fingerprints.iter().enumerate() {
            assert!(!fingerprints[..at].contains(fingerprint), "{fingerprint:?}");
        }
    }

    #[test]
    fn linked_working_tree_reads_branches_from_common_directory() {
        let keep = tempfile::tempdir().unwrap();
        let git = keep.path().join("repo.git/worktrees/other");
        write(&git.join("HEAD"), "ref: refs/heads/side\n");
        write(&git.join("commondir"), "../..\n");
        let before = HeadFingerprint::read(&git);
        write(&keep.path().join("repo.git/refs/heads/side"), "aaaa\n");
        assert_ne!(HeadFingerprint::read(&git), before);
    }

    #[test]
    fn undeterminable_head_has_no_fingerprint() {
        let keep = tempfile::tempdir().unwrap();
        for head in [
            "ref: refs/heads/.invalid", "ref: refs/heads/../x", "ref: main",
        ] {
            write(&keep.path().join("HEAD"), head);
            assert_eq!(HeadFingerprint::read(keep.path()), None, "{head}");
        }
    }
}
