//! Defines the interface of stores of values by key. Values never change: a key is the hash of the inputs of its value,
//! or names the only value of its store.

use std::fmt::Debug;
use std::io;

/// The key of a value.
pub type Key = Box<[u8]>;

/// A key and its value.
pub type Entry = (Key, Vec<u8>);

/// A store of values: a file of the data directory ([`super::Pack`]), later perhaps a remote object store. Indexes
/// access storage only through this trait.
pub trait ContentStore: Debug + Send + Sync {
    /// Returns the value of a key; `None` where there is none or it is damaged.
    fn get(&self, key: &[u8]) -> Option<Vec<u8>>;

    /// Whether there is a value; reading it may still find it damaged.
    fn contains(&self, key: &[u8]) -> bool;

    /// Returns all keys, those written first at the front.
    fn keys(&self) -> Vec<Key>;

    /// Whether values can be stored. If not, the methods below do nothing.
    fn is_writable(&self) -> bool;

    /// Stores values; once this returns they survive a loss of power. Callers should pass batches.
    ///
    /// # Errors
    /// When the system refuses. Some of the values may then be stored.
    fn put_all(&self, entries: &mut dyn Iterator<Item = Entry>) -> io::Result<()>;

    /// Deletes the values whose keys `is_wanted` rejects, once they take more than `max_waste` of the space. Returns
    /// the bytes freed.
    ///
    /// # Errors
    /// When the system refuses; nothing is deleted then.
    fn retain(&self, max_waste: MaxWaste, is_wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<u64>;
}

/// The part of a store that unwanted values may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxWaste {
    /// Two percent, below which rewriting gains nothing.
    None,
    /// A third.
    Third,
    /// Three quarters, for values that may be wanted again.
    ThreeQuarters,
}

impl MaxWaste {
    /// Whether a store of `bytes` bytes, `wanted` of them wanted, has too much waste.
    pub(super) fn is_exceeded(self, bytes: u64, wanted: u64) -> bool {
        let max = match self {
            Self::None => bytes / 50,
            Self::Third => bytes / 3,
            Self::ThreeQuarters => bytes / 4 * 3,
        };
        wanted < bytes.saturating_sub(max)
    }
}

/// Replaces the value of a store that holds a single one.
///
/// # Errors
/// When the system refuses; then either the earlier or the new value is stored.
pub fn put_only(store: &dyn ContentStore, value: Vec<u8>) -> io::Result<()> {
    store.put_all(&mut std::iter::once((ONLY.into(), value)))?;
    store.retain(MaxWaste::ThreeQuarters, &|_| true).map(drop)
}

/// Returns the value of a store that holds a single one.
pub fn get_only(store: &dyn ContentStore) -> Option<Vec<u8>> {
    store.get(ONLY)
}

const ONLY: &[u8] = b"only";
