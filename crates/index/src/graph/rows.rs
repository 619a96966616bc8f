//! Stores rows of values in two flat vectors (compressed sparse rows): the compact form of every relation of
//! the graph, and of what past commits touched. A missing row reads as empty, so that an id of another
//! snapshot finds nothing instead of panicking.

use std::sync::Arc;

use rayon::prelude::*;

use crate::change::{Change, FileSet, Renumber};
use crate::files::{DefId, FileId};

/// A slice of values for each row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rows<T> {
    /// `offsets[r]..offsets[r + 1]` are the values of row `r`.
    offsets: Box<[u32]>,
    values: Box<[T]>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self {
            offsets: Box::default(),
            values: Box::default(),
        }
    }
}

impl<T: Copy> Rows<T> {
    /// Builds the table from `(row, value)` pairs; within a row the values keep the order of the pairs. Pairs
    /// whose row is not below `rows` are left out.
    pub(crate) fn from_pairs(rows: usize, pairs: &[(u32, T)]) -> Self {
        if pairs.is_empty() {
            return Self::default();
        }
        let mut offsets = vec![0_u32; rows + 1];
        for (row, _) in pairs {
            if let Some(count) = offsets.get_mut(*row as usize + 1) {
                *count += 1;
            }
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let total = offsets[rows] as usize;
        let mut next: Vec<u32> = offsets[..rows].to_vec();
        let mut order = vec![0_u32; total];
        for (position, (row, _)) in pairs.iter().enumerate() {
            if let Some(slot) = next.get_mut(*row as usize) {
                order[*slot as usize] = position as u32;
                *slot += 1;
            }
        }
        Self {
            offsets: offsets.into(),
            values: order.iter().map(|p| pairs[*p as usize].1).collect(),
        }
    }

    /// Returns the values of a row.
    pub(crate) fn row(&self, row: u32) -> &[T] {
        let row = row as usize;
        match (self.offsets.get(row), self.offsets.get(row + 1)) {
            (Some(&start), Some(&end)) => &self.values[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Returns the number of values in all earlier rows.
    pub(crate) fn row_start(&self, row: u32) -> u32 {
        self.offsets.get(row as usize).copied().unwrap_or(0)
    }

    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the number of values in all rows.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Estimated heap size in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.offsets) + size_of_val(&*self.values)
    }
}

impl<T: Renumber> Renumber for Rows<T> {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            offsets: self.offsets.clone(),
            values: self.values.renumbered(change)?,
        })
    }
}

/// A slice of values for each definition; the rows of an unchanged file are shared with the previous
/// snapshot.
#[derive(Clone, Debug)]
pub(super) struct FileRows<T> {
    files: Vec<Arc<Rows<T>>>,
}

impl<T> Default for FileRows<T> {
    fn default() -> Self {
        Self { files: Vec::new() }
    }
}

impl<T: Copy> FileRows<T> {
    /// Returns the values of a definition.
    pub(super) fn row(&self, id: DefId) -> &[T] {
        let file = self.files.get(id.file.0 as usize);
        file.map_or(&[], |rows| rows.row(id.local.0))
    }

    /// Estimated heap size in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        let bytes = |rows: &Arc<Rows<T>>| rows.heap_bytes() + size_of::<Arc<()>>();
        self.files.iter().map(bytes).sum()
    }
}

/// The rows that [`FileRows::derive`] reuses, and the change since then.
pub(super) type PreviousRows<'a, T> = Option<(&'a FileRows<T>, &'a Change)>;

impl<T: Copy + PartialEq + Renumber + Send + Sync> FileRows<T> {
    /// Builds rows for `files` files: files in `affected` get the rows that `compute` returns, others keep
    /// their `known` rows.
    pub(super) fn derive(
        files: usize,
        known: PreviousRows<'_, T>,
        affected: &FileSet,
        compute: impl Fn(FileId) -> Rows<T> + Sync,
    ) -> Self {
        let none: Arc<Rows<T>> = Arc::default();
        let rows = |file: u32| {
            let file = FileId(file);
            let before = known.filter(|_| !affected.contains(file));
            let before = before.and_then(|(known, change)| {
                let rows = known.files.get(change.earlier_id(file)?.0 as usize)?;
                if change.is_stable() || rows.len() == 0 {
                    return Some(Arc::clone(rows));
                }
                rows.renumbered(change).map(Arc::new)
            });
            before.unwrap_or_else(|| {
                let rows = compute(file);
                if rows.len() == 0 {
                    Arc::clone(&none)
                } else {
                    Arc::new(rows)
                }
            })
        };
        Self {
            files: (0..files as u32)
                .into_par_iter()
                .with_min_len(64)
                .map(rows)
                .collect(),
        }
    }

    /// Returns the files of `affected` whose rows differ from the known ones.
    pub(super) fn differing(&self, known: PreviousRows<'_, T>, affected: &FileSet) -> FileSet {
        let mut differing = FileSet::none(self.files.len());
        differing.extend(affected.iter().filter(|file| {
            let before = known.and_then(|(known, change)| {
                let rows = known.files.get(change.earlier_id(*file)?.0 as usize)?;
                rows.renumbered(change)
            });
            before.as_ref() != self.files.get(file.0 as usize).map(Arc::as_ref)
        }));
        differing
    }
}

/// Groups pairs by the file of their definition, keeping their order.
pub(super) fn by_file<T: Copy>(files: usize, pairs: Vec<(DefId, T)>) -> Rows<(u32, T)> {
    let pairs: Vec<(u32, (u32, T))> = pairs
        .into_iter()
        .map(|(id, value)| (id.file.0, (id.local.0, value)))
        .collect();
    Rows::from_pairs(files, &pairs)
}

#[cfg(test)]
mod tests {
    use super::Rows;

    #[test]
    fn pairs_become_rows_in_their_order() {
        let rows = Rows::from_pairs(3, &[(2, 'a'), (0, 'b'), (2, 'c'), (9, 'x')]);
        assert_eq!(rows.row(0), ['b']);
        assert!(rows.row(1).is_empty());
        assert_eq!(rows.row(2), ['a', 'c']);
        assert!(rows.row(3).is_empty());
        assert_eq!(rows.len(), 3);
    }
}
