//! Maps names to files, for module systems.

use foldhash::HashMap;
use foveate_model::FileId;
use foveate_model::resolution::FileTree;

/// Maximum number of files of one name that are compared with each other.
pub(super) const MAX_COMPARED: usize = 512;

/// The files of each name, in the order in which they were added.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FilesByName(HashMap<Box<str>, Vec<FileId>>);

impl FilesByName {
    /// Adds a file to those of a name, unless it is the last of them.
    pub(super) fn add(&mut self, name: &str, file: FileId) {
        let known = self.files_mut(name);
        if known.last() != Some(&file) {
            known.push(file);
        }
    }

    /// Adds a file to those of a name, unless the last of them is in the same directory. If files are added in
    /// the order of their paths, each directory has one.
    pub(super) fn add_directory(&mut self, files: &dyn FileTree, name: &str, file: FileId) {
        let known = self.files_mut(name);
        let directory = |file: &FileId| files.file(*file).path.directory();
        if known.last().map(directory) != Some(directory(&file)) {
            known.push(file);
        }
    }

    fn files_mut(&mut self, name: &str) -> &mut Vec<FileId> {
        self.0.entry(name.into()).or_default()
    }

    /// Returns the files of a name.
    pub(super) fn get(&self, name: &str) -> Option<&[FileId]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// Returns the files of a name; if there are very many, those whose paths are sorted beside the path of `near`.
    pub(super) fn near(&self, name: &str, near: Option<FileId>) -> Option<&[FileId]> {
        let all = self.get(name)?;
        let Some(surplus) = all.len().checked_sub(MAX_COMPARED) else {
            return Some(all);
        };
        let at = near.map_or(0, |near| all.partition_point(|file| file.0 < near.0));
        let start = at.saturating_sub(MAX_COMPARED / 2).min(surplus);
        all.get(start..start + MAX_COMPARED)
    }

    /// Returns the files of every name, to change them.
    pub(super) fn lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<FileId>> {
        self.0.values_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_sorted_beside_another_are_compared() {
        let mut files = FilesByName::default();
        for file in 0..2_000 {
            files.add("many", FileId(file));
        }
        files.add("one", FileId(7));
        for (near, first) in [
            (None, 0),
            (Some(0), 0),
            (Some(1_000), 744),
            (Some(1_999), 1_488),
        ] {
            let found = files.near("many", near.map(FileId)).unwrap();
            assert_eq!((found.len(), found[0].0), (MAX_COMPARED, first), "{near:?}");
        }
        assert_eq!(
            files.near("one", Some(FileId(1_999))),
            Some(&[FileId(7)][..])
        );
        assert_eq!(files.near("none", None), None);
    }
}
