//! Values by key, and what a place that keeps them must be able to do. Values never change: a key is the
//! hash of what a value was made from, or names the only value of its store.

use std::fmt::Debug;
use std::io;

/// What names a value.
pub type Key = Box<[u8]>;

/// A key and its value.
pub type Entry = (Key, Vec<u8>);

/// A place that keeps values: the data directory ([`super::Pack`]), later perhaps a remote object store.
/// The one seam between indexes and where they are kept.
pub trait ContentStore: Debug + Send + Sync {
    /// The value of a key; `None` where there is none or it is damaged.
    fn get(&self, key: &[u8]) -> Option<Vec<u8>>;

    /// Whether there is a value; it may turn out to be damaged.
    fn contains(&self, key: &[u8]) -> bool;

    /// All keys, those written first at the front.
    fn keys(&self) -> Vec<Key>;

    /// Whether anything can be stored. Where nothing can, the methods below do nothing.
    fn is_writable(&self) -> bool;

    /// Stores values; they survive a loss of power when this returns. Batches are the normal case.
    ///
    /// # Errors
    /// When the system refuses. Some of the values may then be stored.
    fn put_all(&self, entries: &mut dyn Iterator<Item = Entry>) -> io::Result<()>;

    /// Deletes what `is_wanted` refuses, once it takes more than `max_waste` of the space. Returns the
    /// bytes freed.
    ///
    /// # Errors
    /// When the system refuses; everything is then still there.
    fn retain(&self, max_waste: MaxWaste, is_wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<u64>;
}

/// How much of a store may be values that nobody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxWaste {
    /// So little that rewriting gains nothing.
    None,
    /// A third.
    Third,
    /// Three quarters: what was wanted before may be wanted again.
    ThreeQuarters,
}

impl MaxWaste {
    /// Whether a store of `bytes`, of which `wanted` are wanted, has too much of it.
    pub(super) fn is_exceeded(self, bytes: u64, wanted: u64) -> bool {
        let max = match self {
            Self::None => bytes / 50,
            Self::Third => bytes / 3,
            Self::ThreeQuarters => bytes / 4 * 3,
        };
        wanted < bytes.saturating_sub(max)
    }
}

/// Replaces the value of a store that has one.
///
/// # Errors
/// When the system refuses; the earlier value is then still there.
pub fn put_only(store: &dyn ContentStore, value: Vec<u8>) -> io::Result<()> {
    store.put_all(&mut std::iter::once((ONLY.into(), value)))?;
    store.retain(MaxWaste::ThreeQuarters, &|_| true).map(drop)
}

/// The value of a store that has one.
pub fn get_only(store: &dyn ContentStore) -> Option<Vec<u8>> {
    store.get(ONLY)
}

const ONLY: &[u8] = b"only";
