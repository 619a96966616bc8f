//! Keeps the summary of an unloaded repository: one that is registered, not in memory, and reloaded by the first
//! question. Listings show the summary meanwhile; it is stored, for the next process.

use std::time::{SystemTime, UNIX_EPOCH};

use foveate_index::stored::bytes::{Decoder, Encoder};

use super::IndexStore;
use super::published::PublishedSnapshot;
use crate::disk::{get_only, put_only};

/// The summary of a repository as of its eviction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnloadedRepository {
    /// The commit of its index.
    pub commit: String,
    /// Whether its files differed from the commit.
    pub dirty: bool,
    /// Number of files, including those not indexed.
    pub files: usize,
    /// Number of definitions.
    pub definitions: usize,
    /// The generation of its index; 0 where the summary was read from disk.
    pub generation: u64,
    /// Estimated bytes of memory that it took.
    pub bytes: usize,
    /// When it was last asked, in milliseconds since 1970.
    pub used: u64,
}

const FILE: &str = "summary.pack";
const VERSION: u64 = 1;

impl UnloadedRepository {
    pub(super) fn of(published: &PublishedSnapshot, bytes: usize, used: u64) -> Self {
        let snapshot = &published.snapshot;
        Self {
            commit: snapshot.revision.commit.clone(),
            dirty: snapshot.revision.dirty,
            files: snapshot.files.len(),
            definitions: snapshot.files.definition_count(),
            generation: snapshot.generation,
            bytes,
            used,
        }
    }

    /// Reads the stored summary of a repository.
    pub fn read(store: &IndexStore) -> Option<Self> {
        let bytes = get_only(&*store.open(FILE, VERSION)?)?;
        let mut rest = Decoder::new(&bytes);
        Some(Self {
            commit: rest.text()?.to_owned(),
            dirty: rest.byte()? == 1,
            files: usize::try_from(rest.number()?).ok()?,
            definitions: usize::try_from(rest.number()?).ok()?,
            generation: 0,
            bytes: usize::try_from(rest.number()?).ok()?,
            used: rest.number()?,
        })
    }

    pub(super) fn write(&self, store: &IndexStore) -> std::io::Result<()> {
        let mut out = Encoder::default();
        out.text(&self.commit);
        out.byte(u8::from(self.dirty));
        for number in [self.files, self.definitions, self.bytes] {
            out.number(number as u64);
        }
        out.number(self.used);
        match store.open(FILE, VERSION) {
            Some(store) => put_only(&*store, out.into_bytes()),
            None => Ok(()),
        }
    }
}

/// Returns the current time in milliseconds since 1970.
pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}
