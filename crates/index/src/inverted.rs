//! Keys to the places that have them, in parts that snapshots share: a change costs the parts that it
//! touches, not the table.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use foldhash::HashMap;
use foldhash::fast::FixedState;
use rayon::prelude::*;

use crate::change::{Change, Renumber};

/// Keys to a part, about: what the first change of one of them copies.
const KEYS_PER_PART: usize = 32;

/// For each key its places, in order.
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
    /// An empty table, divided for about `keys` keys.
    pub(crate) fn with_room(keys: usize) -> Self {
        let parts = (keys / KEYS_PER_PART).next_power_of_two().clamp(1, 1 << 14);
        Self {
            parts: (0..parts).map(|_| Arc::default()).collect(),
        }
    }

    /// The places of a key.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> &[V]
    where
        K: Borrow<Q>,
    {
        let part = self.parts.get(self.part_of(key));
        let places = part.and_then(|part| part.get(key));
        places.map_or(&[], Vec::as_slice)
    }

    /// Adds a place, unless it is there. Whether the key is new.
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
        // Mostly they come in order.
        if places.last().is_some_and(|last| *last < place) {
            places.push(place);
        } else if let Err(at) = places.binary_search(&place) {
            places.insert(at, place);
        }
        false
    }

    /// Takes a place away. Whether the key is gone with it.
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

    /// All keys, in no order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.parts.iter().flat_map(|part| part.keys())
    }

    /// Estimated heap size in bytes; `key_bytes` is that of a key beside the key itself.
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
        // The upper bits: the maps inside use the lower ones.
        (FixedState::default().hash_one(key) >> 40) as usize & (self.parts.len() - 1)
    }
}

impl<K: Hash + Eq + Clone + Send + Sync, V: Renumber + Send + Sync> Inverted<K, V> {
    /// With the ids of now; places of files that are gone are left out.
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
