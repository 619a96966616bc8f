//! Audits that the known files of a working tree equal those on disk: by the stats of all files, and by
//! the bytes of one part of them, another part each time.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::path::PathBuf;
use std::sync::Arc;

use foveate_model::{ObjectId, RepoPath};

use super::{TreeError, TreeWatcher, WorkingTree};
use crate::engine::{BlobCache, Progress};

/// Number of parts: after this many audits every file has been read again.
pub const PARTS: u64 = 32;

/// Path, blob id, size, and whether it is skipped, of each file.
type FileStates = HashSet<(RepoPath, ObjectId, u64, bool)>;

impl WorkingTree {
    /// Rescans the tree and reads again the files of the part that `round` selects. Returns the files
    /// that differ from what was known.
    ///
    /// # Errors
    /// When the root cannot be read, or the work is asked to stop.
    pub fn audit(
        &mut self,
        round: u64,
        blobs: &BlobCache,
        progress: &Progress,
        watcher: Option<&Arc<TreeWatcher>>,
    ) -> Result<HashSet<PathBuf>, TreeError> {
        let before = self.file_states();
        for (path, entry) in &mut self.entries {
            if part(path) == round % PARTS {
                entry.stat = entry.stat.distrusted();
            }
        }
        self.rescan(blobs, progress, watcher)?;
        let after = self.file_states();
        let differing = before.symmetric_difference(&after);
        Ok(differing
            .map(|(path, ..)| self.root.join(path.as_str()))
            .collect())
    }

    fn file_states(&self) -> FileStates {
        let files = self.entries.values().map(|entry| &entry.file);
        files
            .map(|file| {
                (
                    file.path.clone(),
                    file.blob,
                    file.size,
                    file.skipped.is_some(),
                )
            })
            .collect()
    }
}

fn part(path: &RepoPath) -> u64 {
    let hash = BuildHasherDefault::<DefaultHasher>::default();
    hash.hash_one(path.as_str()) % PARTS
}

#[cfg(test)]
mod tests {
    use foveate_parse::Limits;

    use super::*;

    #[test]
    fn audit_finds_stat_changes_first_others_eventually() {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        for name in ["a.py", "b.py", "c.py"] {
            std::fs::write(root.join(name), format!("name = {name:?}\n")).unwrap();
        }
        let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
        let mut tree = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
        tree.rescan(&blobs, &progress, None).unwrap();
        let audit = |tree: &mut WorkingTree, rounds: std::ops::Range<u64>| {
            let mut found = HashSet::new();
            for round in rounds {
                found.extend(tree.audit(round, &blobs, &progress, None).unwrap());
            }
            found
        };
        assert!(audit(&mut tree, 0..PARTS).is_empty());

        std::fs::remove_file(root.join("a.py")).unwrap();
        std::fs::write(root.join("d.py"), "d = 1\n").unwrap();
        let changed = ["a.py", "d.py"].map(|name| root.join(name));
        assert_eq!(audit(&mut tree, 0..1), changed.into());

        // Changed bytes with an unchanged stat, as a broken disk would cause.
        let path = RepoPath::new("b.py").unwrap();
        let entry = tree.entries.get_mut(&path).unwrap();
        let other = ObjectId::from_sha1([1; 20]);
        (entry.file.blob, entry.stat) = (other, entry.stat.as_old());
        assert_eq!(audit(&mut tree, 0..PARTS), [root.join("b.py")].into());
    }
}
