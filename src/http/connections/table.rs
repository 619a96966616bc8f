//! Tracks the open connections, and chooses which one to evict at the limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Connections accepted beyond the limit: health checks and metrics are answered on them, other requests are
/// refused.
const RESERVE: usize = 16;

/// The open connections.
#[derive(Debug, Default)]
pub(super) struct Table(Mutex<Slots>);

#[derive(Debug, Default)]
struct Slots {
    count: usize,
    /// Connections that wait for a request, by the order in which they began to wait.
    waiting: BTreeMap<u64, CancellationToken>,
    next: u64,
}

/// The slot of one connection, freed when it is dropped.
pub(super) struct ConnectionSlot {
    pub state: Arc<SlotState>,
}

/// State of one connection.
#[derive(Debug)]
pub(super) struct SlotState {
    table: Arc<Table>,
    /// Cancelled when the connection is evicted for another one.
    pub evicted: CancellationToken,
    /// Its key in `waiting`; `None` while a request is answered.
    waiting_key: tokio::sync::watch::Sender<Option<u64>>,
}

impl Table {
    /// Evicts the connection that has waited longest for a request. Returns false if none waits.
    pub fn evict_oldest(&self) -> bool {
        match self.0.lock().waiting.pop_first() {
            Some((_, evicted)) => {
                metrics::counter!("foveate_connections_evicted_total").increment(1);
                evicted.cancel();
                true
            }
            None => false,
        }
    }

    /// Returns a slot for a new connection; `None` if all others are busy and the reserve is used up.
    pub fn enter(self: &Arc<Self>, max: usize) -> Option<ConnectionSlot> {
        let is_full = self.0.lock().count >= max;
        let has_room = !is_full || self.evict_oldest();
        let mut slots = self.0.lock();
        if !has_room && slots.count >= max + RESERVE {
            return None;
        }
        slots.count += 1;
        drop(slots);
        let state = Arc::new(SlotState {
            table: Arc::clone(self),
            evicted: CancellationToken::new(),
            waiting_key: tokio::sync::watch::Sender::new(None),
        });
        state.set_waiting();
        Some(ConnectionSlot { state })
    }
}

impl SlotState {
    fn set_waiting(&self) {
        let mut slots = self.table.0.lock();
        let key = slots.next;
        slots.next += 1;
        slots.waiting.insert(key, self.evicted.clone());
        self.waiting_key.send_replace(Some(key));
    }

    fn set_busy(&self) {
        let mut slots = self.table.0.lock();
        if let Some(key) = self.waiting_key.send_replace(None) {
            slots.waiting.remove(&key);
        }
    }

    pub async fn until_waiting(&self) {
        // The sender lives as long as `self`, so this does not fail.
        let _ = self.waiting_key.subscribe().wait_for(Option::is_some).await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.state.set_busy();
        self.state.table.0.lock().count -= 1;
    }
}

/// Marks a connection as busy until the answer is written.
pub(super) struct Busy(Arc<SlotState>);

impl Busy {
    pub fn new(state: Arc<SlotState>) -> Self {
        state.set_busy();
        Self(state)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.set_waiting();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_waiting_connection_is_evicted_first() {
        let table = Arc::new(Table::default());
        let slots: Vec<ConnectionSlot> = (0..3).map(|_| table.enter(3).unwrap()).collect();
        let busy = Busy::new(Arc::clone(&slots[0].state));
        let fourth = table.enter(3).unwrap();
        let is_evicted = |slot: &ConnectionSlot| slot.state.evicted.is_cancelled();
        assert_eq!(
            [false, true, false],
            [0, 1, 2].map(|n| is_evicted(&slots[n]))
        );
        assert!(!is_evicted(&fourth));
        drop(busy);
        // It waits again, but for less time than the others.
        let _fifth = table.enter(3).unwrap();
        assert!(is_evicted(&slots[2]) && !is_evicted(&slots[0]));
    }

    #[test]
    fn reserve_is_accepted_while_all_are_busy() {
        let table = Arc::new(Table::default());
        let busy = |slot: &ConnectionSlot| Busy::new(Arc::clone(&slot.state));
        let slot = table.enter(1).unwrap();
        let _busy = busy(&slot);
        let mut reserve = Vec::new();
        while let Some(slot) = table.enter(1) {
            reserve.push((busy(&slot), slot));
        }
        assert_eq!(reserve.len(), RESERVE);
        drop(reserve);
        assert!(table.enter(1).is_some());
        assert_eq!(table.0.lock().count, 1);
        assert!(table.0.lock().waiting.is_empty());
    }
}
