//! Finds the `.git` that decides to which repository a directory belongs, and tells when another one has taken its
//! place. It opens no file and does not ask git.

use std::fs::FileType;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The `.git` nearest to a directory, in it or above it. Two that are equal lead to the same git directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DotGit {
    /// How many levels above the directory it lies; 0: in the directory itself.
    pub(super) depth: usize,
    kind: FileType,
    device: u64,
    inode: u64,
    /// Time of change of a file or link, which may name another git directory since. That of a directory changes
    /// with each command of git, which means nothing here.
    changed: Option<(i64, i64)>,
}

impl DotGit {
    /// Finds the `.git` of a directory; `None` if there is none up to the root of the file system.
    pub(super) fn of(directory: &Path) -> Option<Self> {
        let mut above = directory.ancestors().enumerate();
        above.find_map(|(depth, above)| {
            let metadata = above.join(".git").symlink_metadata().ok()?;
            let changed = (metadata.ctime(), metadata.ctime_nsec());
            Some(Self {
                depth,
                kind: metadata.file_type(),
                device: metadata.dev(),
                inode: metadata.ino(),
                changed: (!metadata.is_dir()).then_some(changed),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn nearest_dot_git_is_recognized() {
        let keep = tempfile::tempdir().unwrap();
        let part = keep.path().join("a/b");
        fs::create_dir_all(&part).unwrap();
        let mut seen = vec![DotGit::of(&part)];
        fs::create_dir(keep.path().join(".git")).unwrap();
        seen.push(DotGit::of(&part));
        fs::write(keep.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(
            DotGit::of(&part),
            seen[1],
            "a file in it is no other `.git`"
        );
        fs::write(part.join(".git"), "gitdir: /one\n").unwrap();
        seen.push(DotGit::of(&part));
        fs::remove_file(part.join(".git")).unwrap();
        fs::create_dir(part.join(".git")).unwrap();
        seen.push(DotGit::of(&part));
        assert_eq!(seen[1].map(|dot_git| dot_git.depth), Some(2));
        assert_eq!(seen[2].map(|dot_git| dot_git.depth), Some(0));
        for (at, one) in seen.iter().enumerate() {
            assert!(!seen[..at].contains(one), "{one:?}");
        }
    }
}
