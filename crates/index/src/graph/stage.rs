//! One step of resolving all files, where only those are looked at whose own content changed or for
//! which something changed that the step rested on the last time.

use std::sync::Arc;

use foldhash::HashSet;
use rayon::prelude::*;

use crate::change::{Change, FileSet, Renumber};
use crate::files::FileId;
use crate::graph::dependencies::{Dependencies, Resolved};

/// What is new to a step. Without a change everything is.
pub(super) struct Stage<'a> {
    pub(super) files: usize,
    pub(super) change: Option<&'a Change>,
    /// Files that say something else to others than before.
    pub(super) touched: FileSet,
    /// Questions asked of all files whose answers may differ.
    pub(super) questions: HashSet<u32>,
}

impl Stage<'_> {
    /// Whether ids mean what they meant before.
    pub(super) fn is_stable(&self) -> bool {
        self.change.is_some_and(Change::is_stable)
    }

    /// Takes what is `known` of each file from before where it still holds, and otherwise makes it;
    /// gives the files where it is not what it was, too.
    pub(super) fn resolve<T: Default + PartialEq + Renumber + Send + Sync>(
        &self,
        known: Option<&[Arc<Resolved<T>>]>,
        make: impl Fn(FileId, &Dependencies) -> T + Sync,
    ) -> (Vec<Arc<Resolved<T>>>, FileSet) {
        self.resolve_where(known, |_, _| true, make)
    }

    /// [`Self::resolve`], where also `still` must say that what is known holds.
    pub(super) fn resolve_where<T: Default + PartialEq + Renumber + Send + Sync>(
        &self,
        known: Option<&[Arc<Resolved<T>>]>,
        still: impl Fn(FileId, &T) -> bool + Sync,
        make: impl Fn(FileId, &Dependencies) -> T + Sync,
    ) -> (Vec<Arc<Resolved<T>>>, FileSet) {
        let nothing: Arc<Resolved<T>> = Arc::default();
        let resolved: Vec<(Arc<Resolved<T>>, bool)> = (0..self.files as u32)
            .into_par_iter()
            .with_min_len(8)
            .map(|file| {
                let file = FileId(file);
                let before = self.before(known, file);
                let holds = |before: &&Arc<Resolved<T>>| {
                    self.holds(file, before) && still(file, &before.value)
                };
                if let Some(before) = before.as_ref().filter(holds) {
                    return (Arc::clone(before), false);
                }
                let dependencies = Dependencies::new(self.files);
                let value = make(file, &dependencies);
                let before = before.as_ref().map(|before| &before.value);
                let differs = before.is_none_or(|before| *before != value);
                let resolved = Resolved::new(value, dependencies);
                if resolved.is_nothing() {
                    return (Arc::clone(&nothing), differs);
                }
                (Arc::new(resolved), differs)
            })
            .collect();
        let mut differing = FileSet::none(self.files);
        let ids = (0..).map(FileId).zip(&resolved);
        differing.extend(ids.filter(|(_, (_, differs))| *differs).map(|(id, _)| id));
        let resolved = resolved.into_iter().map(|(resolved, _)| resolved).collect();
        (resolved, differing)
    }

    fn before<T: Renumber>(
        &self,
        known: Option<&[Arc<Resolved<T>>]>,
        file: FileId,
    ) -> Option<Arc<Resolved<T>>> {
        let change = self.change?;
        let before = known?.get(change.before(file)?.0 as usize)?;
        if change.is_stable() {
            return Some(Arc::clone(before));
        }
        before.renumbered(change).map(Arc::new)
    }

    fn holds<T>(&self, file: FileId, before: &Resolved<T>) -> bool {
        !self.change.is_some_and(|change| change.is_changed(file))
            && !self.touched.contains(file)
            && !before.depends_on_any(|read| self.touched.contains(read))
            && !before.asks_any(&self.questions)
    }
}
