//! Fingerprints the files that determine the commit of `HEAD`: as long as they stay the same, so does the
//! commit. It does not call git, and gives no fingerprint for files that it does not understand.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::access::read_start;

/// Largest file that is read, in bytes: ref names and commit ids are shorter.
const MAX_BYTES: u64 = 4096;

/// Fingerprint of the files that determine `HEAD`. Equal marks mean the same commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadFingerprint {
    head: String,
    branch: Branch,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Branch {
    /// `HEAD` holds a commit.
    None,
    /// Content of the branch's own file.
    Loose(String),
    /// The branch has no own file: device, inode, size, and modification time in seconds and nanoseconds of
    /// `packed-refs`, if that exists.
    Packed(Option<(u64, u64, u64, i64, i64)>),
}

impl HeadFingerprint {
    /// Reads the mark of the repository whose `HEAD` lies in `git_dir`; returns `None` if its files do not
    /// determine the commit.
    pub fn read(git_dir: &Path) -> Option<Self> {
        let head = text(&git_dir.join("HEAD"))?;
        let Some(branch) = head.strip_prefix("ref: ") else {
            return Some(Self {
                branch: Branch::None,
                head,
            });
        };
        // With refs in reftables, `HEAD` names a branch that cannot exist (`refs/heads/.invalid`).
        let is_plain = branch.starts_with("refs/heads/") && !branch.contains("/.");
        if !is_plain || branch.contains("..") {
            return None;
        }
        let common = common_dir(git_dir)?;
        let branch = match text(&common.join(branch)) {
            Some(commit) if commit.starts_with("ref: ") => return None,
            Some(commit) => Branch::Loose(commit),
            None => Branch::Packed(fs::metadata(common.join("packed-refs")).ok().map(|packed| {
                let time = (packed.mtime(), packed.mtime_nsec());
                (packed.dev(), packed.ino(), packed.len(), time.0, time.1)
            })),
        };
        Some(Self { head, branch })
    }
}

/// Returns the directory of the branches: another one than `git_dir` for a linked working tree.
fn common_dir(git_dir: &Path) -> Option<PathBuf> {
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
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn mark_changes_with_head_branch_and_packed_refs() {
        let keep = tempfile::tempdir().unwrap();
        let git = keep.path().join("repo.git");
        let mut marks = vec![HeadFingerprint::read(&git)];
        write(&git.join("HEAD"), "ref: refs/heads/main\n");
        marks.push(HeadFingerprint::read(&git));
        write(&git.join("refs/heads/main"), "aaaa\n");
        marks.push(HeadFingerprint::read(&git));
        assert_eq!(HeadFingerprint::read(&git), HeadFingerprint::read(&git));
        write(&git.join("refs/heads/main"), "bbbb\n");
        marks.push(HeadFingerprint::read(&git));
        fs::remove_file(git.join("refs/heads/main")).unwrap();
        write(&git.join("packed-refs"), "bbbb refs/heads/main\n");
        marks.push(HeadFingerprint::read(&git));
        write(&git.join("HEAD"), "cccc\n");
        marks.push(HeadFingerprint::read(&git));
        assert_eq!(marks[0], None);
        for (at, mark) in marks.iter().enumerate() {
            assert!(!marks[..at].contains(mark), "{mark:?}");
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
    fn undeterminable_head_has_no_mark() {
        let keep = tempfile::tempdir().unwrap();
        for head in [
            "ref: refs/heads/.invalid", "ref: refs/heads/../x", "ref: main",
        ] {
            write(&keep.path().join("HEAD"), head);
            assert_eq!(HeadFingerprint::read(keep.path()), None, "{head}");
        }
    }
}
