//! Maps keys to the sorted list of values that have them. The map is split into shards that snapshots share,
//! so that a change copies only the shards that it touches.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use foldhash::HashMap;
use foldhash::fast::FixedState;
use rayon::prelude::*;

use crate::change::{Change, Renumber};

/// Approximate number of keys per shard; the first change of one key copies its whole shard.
const KEYS_PER_SHARD: usize = 32;

/// The values of each key, in order.
#[derive(Clone, Debug)]
pub(crate) struct ShardedMap<K, V> {
    shards: Vec<Arc<Shard<K, V>>>,
}

type Shard<K, V> = HashMap<K, Vec<V>>;

impl<K, V> Default for ShardedMap<K, V> {
    fn default() -> Self {
        Self {
            shards: vec![Arc::default()],
        }
    }
}

impl<K: Hash + Eq + Clone, V: Ord + Clone> ShardedMap<K, V> {
    /// Creates an empty map with enough shards for about `keys` keys.
    pub(crate) fn with_capacity(keys: usize) -> Self {
        let shards = (keys / KEYS_PER_SHARD)
            .next_power_of_two()
            .clamp(1, 1 << 14);
        Self {
            shards: (0..shards).map(|_| Arc::default()).collect(),
        }
    }

    /// Returns the values of a key.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> &[V]
    where
        K: Borrow<Q>,
    {
        let shard = self.shards.get(self.shard_of(key));
        let values = shard.and_then(|shard| shard.get(key));
        values.map_or(&[], Vec::as_slice)
    }

    /// Adds a value unless it is present. Returns whether the key is new.
    pub(crate) fn insert<Q: Hash + Eq + ToOwned<Owned = O> + ?Sized, O: Into<K>>(
        &mut self,
        key: &Q,
        value: V,
    ) -> bool
    where
        K: Borrow<Q>,
    {
        let shard = self.shard_of(key);
        let shard = Arc::make_mut(&mut self.shards[shard]);
        let Some(values) = shard.get_mut(key) else {
            shard.insert(key.to_owned().into(), vec![value]);
            return true;
        };
        // Values mostly arrive in order.
        if values.last().is_some_and(|last| *last < value) {
            values.push(value);
        } else if let Err(at) = values.binary_search(&value) {
            values.insert(at, value);
        }
        false
    }

    /// Removes a value. Returns whether it was the last one of its key.
    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q, value: &V) -> bool
    where
        K: Borrow<Q>,
    {
        let shard = self.shard_of(key);
        let shard = Arc::make_mut(&mut self.shards[shard]);
        let Some(values) = shard.get_mut(key) else {
            return false;
        };
        if let Ok(at) = values.binary_search(value) {
            values.remove(at);
        }
        let is_gone = values.is_empty();
        if is_gone {
            shard.remove(key);
        }
        is_gone
    }

    /// Returns all keys in unspecified order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.shards.iter().flat_map(|shard| shard.keys())
    }

    /// Estimated heap size in bytes; `key_bytes` gives the heap size of a key beyond its own size.
    pub(crate) fn heap_bytes(&self, key_bytes: impl Fn(&K) -> usize) -> usize {
        let entry = |(key, values): (&K, &Vec<V>)| {
            key_bytes(key) + values.capacity() * size_of::<V>() + size_of::<(K, Vec<V>)>() + 8
        };
        let shards = self.shards.iter();
        shards
            .map(|shard| shard.iter().map(entry).sum::<usize>())
            .sum()
    }

    fn shard_of<Q: Hash + ?Sized>(&self, key: &Q) -> usize {
        // The upper bits, because the inner maps use the lower ones.
        (FixedState::default().hash_one(key) >> 40) as usize & (self.shards.len() - 1)
    }
}

impl<K: Hash + Eq + Clone + Send + Sync, V: Renumber + Send + Sync> ShardedMap<K, V> {
    /// Returns the map with the ids of the later snapshot, without values of files that are gone.
    pub(crate) fn renumbered(&self, change: &Change) -> Self {
        let shard = |shard: &Arc<Shard<K, V>>| {
            let entries = shard.iter().map(|(key, values)| {
                let values = values.iter().filter_map(|value| value.renumbered(change));
                (key.clone(), values.collect())
            });
            Arc::new(entries.collect())
        };
        Self {
            shards: self.shards.par_iter().with_min_len(16).map(shard).collect(),
        }
    }
}
