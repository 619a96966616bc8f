//! The files and the graph before a change, and what the change did to the files.

use foveate_model::{FileFacts, SourceFile};

use crate::change::Change;
use crate::files::{FileId, Files};
use crate::graph::Graph;

/// What a graph is derived from.
#[derive(Clone, Copy)]
pub(crate) struct Previous<'a> {
    pub(crate) files: &'a Files,
    pub(crate) graph: &'a Graph,
    pub(crate) change: &'a Change,
}

impl<'a> Previous<'a> {
    /// Whether a package came or went.
    pub(super) fn is_package_moved(&self, files: &Files) -> bool {
        let is_package = |file: &SourceFile| {
            let system = file.language.rules().modules;
            system.is_some_and(|system| (system.is_package)(&file.path))
        };
        let (gone, new) = self.came_and_went();
        gone.map(|file| self.files.file(file)).any(is_package)
            || new.map(|file| files.file(file)).any(is_package)
    }

    /// Files that are gone, by their ids then, and new ones, by their ids now.
    fn came_and_went(
        &self,
    ) -> (
        impl Iterator<Item = FileId> + use<'a>,
        impl Iterator<Item = FileId> + use<'a>,
    ) {
        let change = self.change;
        let new = change.changed().iter().copied();
        (
            change.gone(),
            new.filter(|file| change.before(*file).is_none()),
        )
    }

    /// Whether modules may be found at other places, by the settings of packages, because files came or
    /// went.
    pub(super) fn are_modules_moved(&self, files: &Files) -> bool {
        let is_settings = |file: &FileId| {
            let path = &files.file(*file).path;
            let mut systems = self.graph.modules.systems();
            systems.any(|system| (system.is_settings)(path))
        };
        !self.change.is_stable() || self.change.changed().iter().any(is_settings)
    }

    /// Files with another content, by their ids then, and the facts of both.
    pub(super) fn edited<'f>(
        &self,
        files: &'f Files,
    ) -> impl Iterator<Item = (FileId, &'f FileFacts, &'f FileFacts)> + use<'a, 'f>
    where
        'a: 'f,
    {
        let (earlier, change) = (self.files, self.change);
        change.changed().iter().filter_map(move |file| {
            let before = change.before(*file)?;
            let facts = &earlier.content(before)?.facts;
            Some((before, facts, &files.content(*file)?.facts))
        })
    }

    /// Last parts of the names of modules that came or went.
    pub(super) fn moved_names(&self, files: &'a Files) -> impl Iterator<Item = &'a str> + use<'a> {
        let (gone, new) = self.came_and_went();
        let earlier = self.files;
        let gone = gone.filter_map(move |file| module_name(earlier.file(file)));
        gone.chain(new.filter_map(move |file| module_name(files.file(file))))
    }
}

/// The last part of the name under which a file is imported.
fn module_name(file: &SourceFile) -> Option<&str> {
    let system = file.language.rules().modules?;
    (system.module_name)(&file.path)
}
