//! Caches values by term, up to a number of bytes: terms repeat from query to query. A value may be computed
//! again at any time, so that it must depend on nothing but its scope and term.

use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;
use foldhash::fast::RandomState;

/// Values by term within a scope; cleared when it would grow beyond a number of bytes.
#[derive(Debug)]
pub struct TermCache<V: ?Sized> {
    /// By hash of the scope and the term. Of two with the same hash, only the later one is cached.
    entries: DashMap<u64, Entry<V>, RandomState>,
    hasher: RandomState,
    bytes: AtomicUsize,
    max_bytes: usize,
}

#[derive(Debug)]
struct Entry<V: ?Sized> {
    scope: u64,
    term: Box<str>,
    value: Arc<V>,
}

/// The scope of values that depend on nothing but the term.
pub const ANY: u64 = 0;

/// Lower bound of the maximum size: room for the terms of many queries. Otherwise the small segment that an
/// edit creates would be cleared again and again.
const MIN_BYTES: usize = 256 << 10;
/// Estimated size of a table entry beyond the term and the heap size of the value.
const BYTES_OF_ENTRY: usize = 128;

impl<V: ?Sized> TermCache<V> {
    /// Creates a cache of at most `max_bytes`, or a lower bound for small repositories.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            entries: DashMap::default(),
            hasher: RandomState::default(),
            bytes: AtomicUsize::new(0),
            max_bytes: max_bytes.max(MIN_BYTES),
        }
    }

    /// Returns the value of `term` in `scope`. If it is not cached, `compute` is called, which returns it with
    /// its heap size in bytes, or `None`, which is not cached.
    ///
    /// # Errors
    /// The error of `compute`.
    pub fn get<E>(
        &self,
        scope: u64,
        term: &str,
        compute: impl FnOnce() -> Result<Option<(Arc<V>, usize)>, E>,
    ) -> Result<Option<Arc<V>>, E> {
        let key = self.hasher.hash_one((scope, term));
        let is_same = |entry: &Entry<V>| entry.scope == scope && *entry.term == *term;
        if let Some(entry) = self.entries.get(&key).filter(|entry| is_same(entry)) {
            return Ok(Some(Arc::clone(&entry.value)));
        }
        let Some((value, heap_bytes)) = compute()? else {
            return Ok(None);
        };
        let bytes = heap_bytes + term.len() + BYTES_OF_ENTRY;
        if self.heap_bytes() + bytes > self.max_bytes {
            self.entries.clear();
            self.bytes.store(0, Ordering::Relaxed);
        }
        let entry = Entry {
            scope,
            term: term.into(),
            value: Arc::clone(&value),
        };
        if self.entries.insert(key, entry).is_none() {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(Some(value))
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Computed = Result<Option<(Arc<[u32]>, usize)>, ()>;

    fn one() -> Computed {
        Ok(Some((Arc::new([1]), 4)))
    }

    #[test]
    fn value_is_computed_once_per_scope_unless_there_is_none() {
        let cache: TermCache<[u32]> = TermCache::new(0);
        let first = cache.get(1, "connect", one).unwrap().unwrap();
        let again = cache.get(1, "connect", || Err(())).unwrap().unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        assert!(cache.get(2, "connect", || Err(())).is_err());
        let bytes = cache.heap_bytes();
        assert!(bytes > 0);
        assert_eq!(cache.get(1, "no", || Computed::Ok(None)), Ok(None));
        assert_eq!(cache.heap_bytes(), bytes);
    }

    #[test]
    fn smallest_cache_holds_terms_of_many_queries() {
        let cache: TermCache<[u32]> = TermCache::new(0);
        let terms = || (0..1_000).map(|term: u32| term.to_string());
        for term in terms() {
            cache.get(1, &term, one).unwrap();
        }
        assert!(terms().all(|term| cache.get(1, &term, || Err(())).is_ok()));
    }

    #[test]
    fn term_cache_is_bounded() {
        let cache: TermCache<[u32]> = TermCache::new(0);
        for term in (0..5_000).map(|term: u32| term.to_string()) {
            cache.get(1, &term, one).unwrap();
            assert!(cache.heap_bytes() <= MIN_BYTES);
            // The newest entry is kept even when the others were cleared.
            assert!(cache.get(1, &term, || Err(())).is_ok());
        }
    }
}
