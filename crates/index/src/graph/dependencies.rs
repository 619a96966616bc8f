//! Records what the resolution of a file depends on, so that it is resolved again exactly when one of its
//! dependencies changes.

use std::cell::{Cell, RefCell};

use crate::change::{Change, Renumber};
use crate::files::FileId;

/// A look-up over all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Definitions by their name.
    Name,
    /// Definitions by their folded name.
    Folded,
    /// Modules by the last part of their name.
    Module,
    /// All modules of a family of languages, by its name: the result depends on where any of them is.
    AnyModule,
}

impl Lookup {
    /// Returns the FNV-1a hash of the look-up. If two have the same hash, files may be resolved again needlessly.
    pub(super) fn hash(self, name: &str) -> u32 {
        fnv1a(((self as u32) + 1) << 8, name)
    }
}

/// Returns the FNV-1a hash of a text, mixed with a seed.
pub(super) fn fnv1a(seed: u32, text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5 ^ seed, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Records the files and look-ups that a result depends on.
#[derive(Debug)]
pub(super) struct Dependencies {
    /// One bit per file.
    files: Box<[Cell<u64>]>,
    lookups: RefCell<Vec<u32>>,
    /// Number of look-ups at which repetitions are removed.
    full: Cell<usize>,
}

/// Number of look-ups of a file at which repetitions are first removed. Few files reach it.
const FULL: usize = 1 << 16;

impl Dependencies {
    /// Creates an empty record for `files` files.
    pub(super) fn new(files: usize) -> Self {
        Self {
            files: vec![Cell::new(0); files.div_ceil(64)].into(),
            lookups: RefCell::default(),
            full: Cell::new(FULL),
        }
    }

    /// Creates a record that ignores everything, for look-ups whose result is not kept.
    pub(super) fn ignored() -> Self {
        Self::new(0)
    }

    /// Records that the content of a file was read.
    pub(super) fn add_file(&self, file: FileId) {
        if let Some(word) = self.files.get(file.0 as usize / 64) {
            word.set(word.get() | 1 << (file.0 % 64));
        }
    }

    /// Records that the result of a look-up was used.
    pub(super) fn add_lookup(&self, lookup: Lookup, name: &str) {
        if !self.files.is_empty() {
            let mut lookups = self.lookups.borrow_mut();
            lookups.push(lookup.hash(name));
            // Some files repeat the same look-ups millions of times.
            if lookups.len() == self.full.get() {
                lookups.sort_unstable();
                lookups.dedup();
                self.full.set(FULL.max(2 * lookups.len()));
            }
        }
    }

    fn into_parts(self) -> (Box<[FileId]>, Box<[u32]>) {
        let mut files = Vec::new();
        for (at, word) in (0..).zip(&self.files) {
            let mut left = word.get();
            while left != 0 {
                files.push(FileId(at * 64 + left.trailing_zeros()));
                left &= left - 1;
            }
        }
        let mut lookups = self.lookups.into_inner();
        lookups.sort_unstable();
        lookups.dedup();
        (files.into(), lookups.into())
    }
}

/// A result for a file and its dependencies.
#[derive(Clone, Debug, Default)]
pub(super) struct WithDependencies<T> {
    pub(super) value: T,
    /// The files that it read, in order.
    pub(super) files: Box<[FileId]>,
    /// The hashes of its look-ups, in order.
    pub(super) lookups: Box<[u32]>,
}

impl<T: Default + PartialEq> WithDependencies<T> {
    /// Whether the result is the default and nothing but the file itself was read, as for files that are not
    /// resolved.
    pub(super) fn is_empty(&self) -> bool {
        self.files.len() <= 1 && self.lookups.is_empty() && self.value == T::default()
    }
}

impl<T> WithDependencies<T> {
    pub(super) fn new(value: T, noted: Dependencies) -> Self {
        let (files, lookups) = noted.into_parts();
        Self {
            value,
            files,
            lookups,
        }
    }

    /// Returns the heap size in bytes without that of the value.
    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.files) + size_of_val(&*self.lookups)
    }
}

impl<T: Renumber> Renumber for WithDependencies<T> {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            files: self.files.renumbered(change)?,
            value: self.value.renumbered(change)?,
            lookups: self.lookups.clone(),
        })
    }
}
