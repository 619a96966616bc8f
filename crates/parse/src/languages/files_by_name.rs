//! Maps names to files, for module systems.

use foldhash::HashMap;
use foveate_model::FileId;
use foveate_model::resolution::FileTree;

/// The files of each name, in the order in which they were added.
#[derive(Debug, Default)]
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

    /// Returns the files of every name, to change them.
    pub(super) fn lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<FileId>> {
        self.0.values_mut()
    }

    /// Returns the heap size in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        let names = self.0.iter();
        names
            .map(|(name, files)| name.len() + files.capacity() * size_of::<FileId>() + 48)
            .sum()
    }
}
