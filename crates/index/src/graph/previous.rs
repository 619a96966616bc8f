//! Holds the files and the graph before a change, and derives what the change did to the files.

use foveate_model::resolution::ModuleSystem;
use foveate_model::{FileFacts, RepoPath, SourceFile};

use crate::change::Change;
use crate::files::{FileId, Files};
use crate::graph::Graph;
use crate::graph::changed_names::importable;
use crate::graph::paths;

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

    /// Returns the families of languages with an added, removed or changed file that may say where their modules are.
    pub(super) fn families_with_changed_settings(&self, files: &Files) -> Vec<&'static str> {
        let changed = self.change.changed().iter();
        let changed = changed.map(|file| &files.file(*file).path);
        let gone = self.change.gone().map(|file| &self.files.file(file).path);
        let paths: Vec<&RepoPath> = changed.chain(gone).collect();
        self.families_where(|_, system| paths.iter().any(|path| (system.is_settings)(path)))
    }

    /// Returns the families of languages in which an added or removed file may move modules of any name. A file that is
    /// no code may be a module of any family.
    pub(super) fn families_with_other_files(&self, files: &Files) -> Vec<&'static str> {
        let others: Vec<&SourceFile> = self.other_files(files).collect();
        self.families_where(|family, system| {
            let is_possible =
                |file: &&SourceFile| file.language.family() == family || !file.language.is_code();
            !system.sources_declare_modules && others.iter().any(is_possible)
        })
    }

    /// Returns the names of the modules that added and removed files declare, and of what can be imported from these.
    pub(super) fn declared_names(&self, files: &'a Files) -> impl Iterator<Item = &'a str> {
        self.other_files(files)
            .filter(|file| {
                let system = file.language.rules().modules;
                system.is_some_and(|system| system.sources_declare_modules)
            })
            .filter_map(|file| Some(&file.content.as_ref()?.facts))
            .flat_map(|facts| {
                let names = importable(facts).map(|(name, _)| name);
                names.chain(paths::names(&facts.package).last())
            })
    }

    fn other_files(&self, files: &'a Files) -> impl Iterator<Item = &'a SourceFile> + use<'a> {
        let (gone, new) = self.added_and_removed();
        let earlier = self.files;
        let gone = gone.map(move |file| earlier.file(file));
        gone.chain(new.map(move |file| files.file(file)))
    }

    fn families_where(&self, is_wanted: impl Fn(&str, &ModuleSystem) -> bool) -> Vec<&'static str> {
        let systems = self.graph.modules.systems();
        let wanted = systems.filter(|(family, system)| is_wanted(family, system));
        wanted.map(|(family, _)| family).collect()
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
        self.other_files(files).filter_map(module_name)
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
