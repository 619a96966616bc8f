//! The connections that there are, and which of them is closed where there are too many.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Connections beyond the limit of requests in flight: probes find one, and the others are refused.
const RESERVE: usize = 16;

/// The connections there are.
#[derive(Debug, Default)]
pub(super) struct Table(Mutex<Slots>);

#[derive(Debug, Default)]
struct Slots {
    count: usize,
    /// Those that wait for a request, by when they began to.
    waiting: BTreeMap<u64, CancellationToken>,
    next: u64,
}

/// A connection's slot among the others, given back when it is dropped.
pub(super) struct ConnectionSlot {
    pub state: Arc<SlotState>,
}

/// What is known of one connection.
#[derive(Debug)]
pub(super) struct SlotState {
    table: Arc<Table>,
    /// Cancelled where another connection needs the room.
    pub evicted: CancellationToken,
    /// Its key among those that wait; `None` while a request is answered.
    waits: tokio::sync::watch::Sender<Option<u64>>,
}

impl Table {
    /// Closes the connection that has waited longest for a request, if one waits.
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

    /// A slot for a new connection; `None` where all others are being answered, and the reserve is
    /// used up.
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
            waits: tokio::sync::watch::Sender::new(None),
        });
        state.wait();
        Some(ConnectionSlot { state })
    }
}

impl SlotState {
    fn wait(&self) {
        let mut slots = self.table.0.lock();
        let key = slots.next;
        slots.next += 1;
        slots.waiting.insert(key, self.evicted.clone());
        self.waits.send_replace(Some(key));
    }

    fn work(&self) {
        let mut slots = self.table.0.lock();
        if let Some(key) = self.waits.send_replace(None) {
            slots.waiting.remove(&key);
        }
    }

    pub async fn until_waiting(&self) {
        // The sender lives as long as the state.
        let _ = self.waits.subscribe().wait_for(Option::is_some).await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.state.work();
        self.state.table.0.lock().count -= 1;
    }
}

/// A request in flight, until its answer is written.
pub(super) struct Busy(Arc<SlotState>);

impl Busy {
    pub fn new(state: Arc<SlotState>) -> Self {
        state.work();
        Self(state)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_that_waits_longest_leaves_first() {
        let table = Arc::new(Table::default());
        let places: Vec<ConnectionSlot> = (0..3).map(|_| table.enter(3).unwrap()).collect();
        let busy = Busy::new(Arc::clone(&places[0].state));
        let fourth = table.enter(3).unwrap();
        let is_evicted = |place: &ConnectionSlot| place.state.evicted.is_cancelled();
        assert_eq!(
            [false, true, false],
            [0, 1, 2].map(|n| is_evicted(&places[n]))
        );
        assert!(!is_evicted(&fourth));
        drop(busy);
        // It waits again, and for less time than the others.
        let _fifth = table.enter(3).unwrap();
        assert!(is_evicted(&places[2]) && !is_evicted(&places[0]));
    }

    #[test]
    fn where_all_are_busy_a_reserve_is_left() {
        let table = Arc::new(Table::default());
        let busy = |place: &ConnectionSlot| Busy::new(Arc::clone(&place.state));
        let place = table.enter(1).unwrap();
        let _busy = busy(&place);
        let mut reserve = Vec::new();
        while let Some(place) = table.enter(1) {
            reserve.push((busy(&place), place));
        }
        assert_eq!(reserve.len(), RESERVE);
        drop(reserve);
        assert!(table.enter(1).is_some());
        assert_eq!(table.0.lock().count, 1);
        assert!(table.0.lock().waiting.is_empty());
    }
}
