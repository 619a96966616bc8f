//! Runs one step of resolving all files. A file is processed again only if its content changed or if
//! something changed that its last result depends on.

use std::sync::Arc;

use foldhash::HashSet;
use rayon::prelude::*;

use crate::change::{Change, FileSet, Renumber};
use crate::files::FileId;
use crate::graph::dependencies::{Dependencies, WithDependencies};

/// What changed before a step. Without a `change` every file is processed.
pub(super) struct Stage<'a> {
    pub(super) files: usize,
    pub(super) change: Option<&'a Change>,
    /// Files whose interface changed, or whose imports, package or bases resolve differently.
    pub(super) touched: FileSet,
    /// Hashes of the look-ups over all files whose results may differ.
    pub(super) lookups: HashSet<u32>,
}

impl Stage<'_> {
    /// Whether all ids mean the same files as before.
    pub(super) fn is_stable(&self) -> bool {
        self.change.is_some_and(Change::is_stable)
    }

    /// Reuses the `known` result of each file while it is valid, and computes the others. Also returns the
    /// files whose result differs.
    pub(super) fn resolve<T: Default + PartialEq + Renumber + Send + Sync>(
        &self,
        known: Option<&[Arc<WithDependencies<T>>]>,
        compute: impl Fn(FileId, &Dependencies) -> T + Sync,
    ) -> (Vec<Arc<WithDependencies<T>>>, FileSet) {
        self.resolve_where(known, |_, _| true, compute)
    }

    /// Like [`Self::resolve`], but reuses a known result only if `is_valid` returns true for it, too.
    pub(super) fn resolve_where<T: Default + PartialEq + Renumber + Send + Sync>(
        &self,
        known: Option<&[Arc<WithDependencies<T>>]>,
        is_valid: impl Fn(FileId, &T) -> bool + Sync,
        compute: impl Fn(FileId, &Dependencies) -> T + Sync,
    ) -> (Vec<Arc<WithDependencies<T>>>, FileSet) {
        let nothing: Arc<WithDependencies<T>> = Arc::default();
        let resolved: Vec<(Arc<WithDependencies<T>>, bool)> = (0..self.files as u32)
            .into_par_iter()
            .with_min_len(8)
            .map(|file| {
                let file = FileId(file);
                let before = self.before(known, file);
                let holds = |before: &&Arc<WithDependencies<T>>| {
                    self.holds(file, before) && is_valid(file, &before.value)
                };
                if let Some(before) = before.as_ref().filter(holds) {
                    return (Arc::clone(before), false);
                }
                let dependencies = Dependencies::new(self.files);
                let value = compute(file, &dependencies);
                let before = before.as_ref().map(|before| &before.value);
                let differs = before.is_none_or(|before| *before != value);
                let resolved = WithDependencies::new(value, dependencies);
                if resolved.is_empty() {
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
        known: Option<&[Arc<WithDependencies<T>>]>,
        file: FileId,
    ) -> Option<Arc<WithDependencies<T>>> {
        let change = self.change?;
        let before = known?.get(change.earlier_id(file)?.0 as usize)?;
        if change.is_stable() {
            return Some(Arc::clone(before));
        }
        before.renumbered(change).map(Arc::new)
    }

    fn holds<T>(&self, file: FileId, before: &WithDependencies<T>) -> bool {
        !self.change.is_some_and(|change| change.is_changed(file))
            && !self.touched.contains(file)
            && !before.files.iter().any(|read| self.touched.contains(*read))
            && !before
                .lookups
                .iter()
                .any(|hash| self.lookups.contains(hash))
    }
}
