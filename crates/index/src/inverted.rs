//! Maps keys to the sorted list of places that have them. The map is split into parts that snapshots share,
//! so that a change copies only the parts that it touches.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use foldhash::HashMap;
use foldhash::fast::FixedState;
use rayon::prelude::*;

use crate::change::{Change, Renumber};

/// Approximate number of keys per part; the first change of one key copies its whole part.
const KEYS_PER_PART: usize = 32;

/// The places of each key, in order.
#[derive(Clone, Debug)]
pub(crate) struct Inverted<K, V> {
    parts: Vec<Arc<Part<K, V>>>,
}

type Part<K, V> = HashMap<K, Vec<V>>;

impl<K, V> Default for Inverted<K, V> {
    fn default() -> Self {
        Self {
            parts: vec![Arc::default()],
        }
    }
}

impl<K: Hash + Eq + Clone, V: Ord + Clone> Inverted<K, V> {
    /// Creates an empty map with enough parts for about `keys` keys.
    pub(crate) fn with_capacity(keys: usize) -> Self {
        let parts = (keys / KEYS_PER_PART).next_power_of_two().clamp(1, 1 << 14);
        Self {
            parts: (0..parts).map(|_| Arc::default()).collect(),
        }
    }

    /// Returns the places of a key.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> &[V]
    where
        K: Borrow<Q>,
    {
        let part = self.parts.get(self.part_of(key));
        let places = part.and_then(|part| part.get(key));
        places.map_or(&[], Vec::as_slice)
    }

    /// Adds a place unless it is present. Returns whether the key is new.
    pub(crate) fn insert<Q: Hash + Eq + ToOwned<Owned = O> + ?Sized, O: Into<K>>(
        &mut self,
        key: &Q,
        place: V,
    ) -> bool
    where
        K: Borrow<Q>,
    {
        let part = self.part_of(key);
        let part = Arc::make_mut(&mut self.parts[part]);
        let Some(places) = part.get_mut(key) else {
            part.insert(key.to_owned().into(), vec![place]);
            return true;
        };
        // Places mostly arrive in order.
        if places.last().is_some_and(|last| *last < place) {
            places.push(place);
        } else if let Err(at) = places.binary_search(&place) {
            places.insert(at, place);
        }
        false
    }

    /// Removes a place. Returns whether it was the last one of its key.
    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q, place: &V) -> bool
    where
        K: Borrow<Q>,
    {
        let part = self.part_of(key);
        let part = Arc::make_mut(&mut self.parts[part]);
        let Some(places) = part.get_mut(key) else {
            return false;
        };
        if let Ok(at) = places.binary_search(place) {
            places.remove(at);
        }
        let is_gone = places.is_empty();
        if is_gone {
            part.remove(key);
        }
        is_gone
    }

    /// Returns all keys in unspecified order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.parts.iter().flat_map(|part| part.keys())
    }

    /// Estimated heap size in bytes; `key_bytes` gives the heap size of a key beyond its own size.
    pub(crate) fn heap_bytes(&self, key_bytes: impl Fn(&K) -> usize) -> usize {
        let entry = |(key, places): (&K, &Vec<V>)| {
            key_bytes(key) + places.capacity() * size_of::<V>() + size_of::<(K, Vec<V>)>() + 8
        };
        let parts = self.parts.iter();
        parts
            .map(|part| part.iter().map(entry).sum::<usize>())
            .sum()
    }

    fn part_of<Q: Hash + ?Sized>(&self, key: &Q) -> usize {
        // The upper bits, because the inner maps use the lower ones.
        (FixedState::default().hash_one(key) >> 40) as usize & (self.parts.len() - 1)
    }
}

impl<K: Hash + Eq + Clone + Send + Sync, V: Renumber + Send + Sync> Inverted<K, V> {
    /// Returns the map with the ids of the later snapshot, without places of files that are gone.
    pub(crate) fn renumbered(&self, change: &Change) -> Self {
        let part = |part: &Arc<Part<K, V>>| {
            let entries = part.iter().map(|(key, places)| {
                let places = places.iter().filter_map(|place| place.renumbered(change));
                (key.clone(), places.collect())
            });
            Arc::new(entries.collect())
        };
        Self {
            parts: self.parts.par_iter().with_min_len(16).map(part).collect(),
        }
    }
}
