//! Computes which files differ between two snapshots, and maps ids of the earlier one to ids of the later
//! one.

use foveate_model::{FileId, SourceFile};

use crate::id::DefId;

/// The difference between the files of an earlier snapshot and those of the one derived from it. Two files
/// count as the same if their path, language and role are equal and both or neither have content: otherwise
/// one is gone and the other is new.
#[derive(Debug)]
pub(crate) struct Change {
    /// By file of the earlier snapshot, its id in the later one; `None` if it is gone.
    later_ids: Vec<Option<FileId>>,
    /// By file of the later snapshot, its id in the earlier one; `None` if it is new.
    earlier_ids: Vec<Option<FileId>>,
    /// Files of the later snapshot that are new or have different content, in order.
    changed: Vec<FileId>,
    /// Whether all ids mean the same files in both snapshots.
    is_stable: bool,
}

impl Change {
    /// Compares two lists of files; both are in path order.
    pub(crate) fn between(earlier: &[SourceFile], later: &[SourceFile]) -> Self {
        let mut change = Self {
            later_ids: vec![None; earlier.len()],
            earlier_ids: vec![None; later.len()],
            changed: Vec::new(),
            is_stable: earlier.len() == later.len(),
        };
        let mut old = 0;
        for (new, file) in later.iter().enumerate() {
            while earlier.get(old).is_some_and(|e| e.path < file.path) {
                old += 1;
            }
            let id = FileId(new as u32);
            let same = earlier.get(old).filter(|e| has_same_entry(e, file));
            if let Some(same) = same {
                change.later_ids[old] = Some(id);
                change.earlier_ids[new] = Some(FileId(old as u32));
                change.is_stable &= old == new;
                if !same.has_same_content(file) {
                    change.changed.push(id);
                }
            } else {
                change.is_stable = false;
                change.changed.push(id);
            }
        }
        change
    }

    /// Whether all ids mean the same files in both snapshots.
    pub(crate) fn is_stable(&self) -> bool {
        self.is_stable
    }

    /// Returns the earlier id of a file, unless it is new.
    pub(crate) fn earlier_id(&self, file: FileId) -> Option<FileId> {
        *self.earlier_ids.get(file.0 as usize)?
    }

    /// Returns the earlier id of a file whose content is the same.
    pub(crate) fn earlier_id_if_unchanged(&self, file: FileId) -> Option<FileId> {
        self.earlier_id(file).filter(|_| !self.is_changed(file))
    }

    /// Whether a file is new or has different content.
    pub(crate) fn is_changed(&self, file: FileId) -> bool {
        self.changed.binary_search(&file).is_ok()
    }

    /// Returns the files that are new or have different content, in order.
    pub(crate) fn changed(&self) -> &[FileId] {
        &self.changed
    }

    /// Returns the earlier ids of the files that are gone.
    pub(crate) fn gone(&self) -> impl Iterator<Item = FileId> + '_ {
        let ids = (0..).map(FileId).zip(&self.later_ids);
        ids.filter(|(_, later)| later.is_none()).map(|(id, _)| id)
    }

    /// Returns the later id of a file of the earlier snapshot, unless it is gone.
    pub(crate) fn later_id(&self, earlier: FileId) -> Option<FileId> {
        *self.later_ids.get(earlier.0 as usize)?
    }
}

fn has_same_entry(a: &SourceFile, b: &SourceFile) -> bool {
    a.path == b.path
        && a.language == b.language
        && a.role == b.role
        && a.content.is_some() == b.content.is_some()
}

/// Values that contain ids of files.
pub(crate) trait Renumber: Sized {
    /// Returns the value with the ids of the later snapshot; `None` if one of the files is gone.
    fn renumbered(&self, change: &Change) -> Option<Self>;
}

impl Renumber for FileId {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        change.later_id(*self)
    }
}

impl Renumber for DefId {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            file: change.later_id(self.file)?,
            local: self.local,
        })
    }
}

impl<A: Renumber, B: Copy> Renumber for (A, B) {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some((self.0.renumbered(change)?, self.1))
    }
}

impl<T: Renumber> Renumber for Box<[T]> {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        self.iter().map(|value| value.renumbered(change)).collect()
    }
}

/// A set of files, one flag for each.
#[derive(Clone, Debug)]
pub(crate) struct FileSet(Vec<bool>);

impl FileSet {
    /// Creates an empty set with room for `files` files.
    pub(crate) fn none(files: usize) -> Self {
        Self(vec![false; files])
    }

    /// Creates the set of all `files` files.
    pub(crate) fn all(files: usize) -> Self {
        Self(vec![true; files])
    }

    pub(crate) fn insert(&mut self, file: FileId) {
        if let Some(slot) = self.0.get_mut(file.0 as usize) {
            *slot = true;
        }
    }

    pub(crate) fn contains(&self, file: FileId) -> bool {
        self.0.get(file.0 as usize) == Some(&true)
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = FileId> + '_ {
        let ids = (0..).map(FileId).zip(&self.0);
        ids.filter(|(_, is_in)| **is_in).map(|(id, _)| id)
    }
}

impl Extend<FileId> for FileSet {
    fn extend<I: IntoIterator<Item = FileId>>(&mut self, files: I) {
        files.into_iter().for_each(|file| self.insert(file));
    }
}
