//! Holds the files and the graph before a change, and derives what the change did to the files.

use foveate_model::{FileFacts, SourceFile};

use crate::change::Change;
use crate::files::{FileId, Files};
use crate::graph::Graph;

/// The input of deriving a graph from an earlier one.
#[derive(Clone, Copy)]
pub(crate) struct Previous<'a> {
    pub(crate) files: &'a Files,
    pub(crate) graph: &'a Graph,
    pub(crate) change: &'a Change,
}

impl<'a> Previous<'a> {
    /// Whether a package was added or removed.
    pub(super) fn have_packages_changed(&self, files: &Files) -> bool {
        let is_package = |file: &SourceFile| {
            let system = file.language.rules().modules;
            system.is_some_and(|system| (system.is_package)(&file.path))
        };
        let (gone, new) = self.added_and_removed();
        gone.map(|file| self.files.file(file)).any(is_package)
            || new.map(|file| files.file(file)).any(is_package)
    }

    /// Returns the removed files by their earlier ids, and the added ones by their later ids.
    fn added_and_removed(
        &self,
    ) -> (
        impl Iterator<Item = FileId> + use<'a>,
        impl Iterator<Item = FileId> + use<'a>,
    ) {
        let change = self.change;
        let new = change.changed().iter().copied();
        (
            change.gone(),
            new.filter(|file| change.earlier_id(*file).is_none()),
        )
    }

    /// Whether modules may resolve to other files because settings of packages changed or files were added or
    /// removed.
    pub(super) fn may_modules_have_moved(&self, files: &Files) -> bool {
        let is_settings = |file: &FileId| {
            let path = &files.file(*file).path;
            let mut systems = self.graph.modules.systems();
            systems.any(|system| (system.is_settings)(path))
        };
        !self.change.is_stable() || self.change.changed().iter().any(is_settings)
    }

    /// Returns the files whose content changed, by their earlier ids, with the earlier and later facts.
    pub(super) fn edited<'f>(
        &self,
        files: &'f Files,
    ) -> impl Iterator<Item = (FileId, &'f FileFacts, &'f FileFacts)> + use<'a, 'f>
    where
        'a: 'f,
    {
        let (earlier, change) = (self.files, self.change);
        change.changed().iter().filter_map(move |file| {
            let before = change.earlier_id(*file)?;
            let facts = &earlier.content(before)?.facts;
            Some((before, facts, &files.content(*file)?.facts))
        })
    }

    /// Returns the last parts of the names of modules that were added or removed.
    pub(super) fn changed_module_names(
        &self,
        files: &'a Files,
    ) -> impl Iterator<Item = &'a str> + use<'a> {
        let (gone, new) = self.added_and_removed();
        let earlier = self.files;
        let gone = gone.filter_map(move |file| module_name(earlier.file(file)));
        gone.chain(new.filter_map(move |file| module_name(files.file(file))))
    }
}

/// Returns the last part of the name under which a file is imported. Without a module system of its own it is the
/// file's name: `#include` takes files of any language.
fn module_name(file: &SourceFile) -> Option<&str> {
    match file.language.rules().modules {
        Some(system) => (system.module_name)(&file.path),
        None => Some(file.path.file_name()),
    }
}
