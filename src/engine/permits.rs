//! How many questions are answered at a time and how many may wait. A question that finds the
//! queue full is turned away at once, so that a burst costs little.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A bounded number of permits with a bounded queue.
#[derive(Debug)]
pub struct Permits {
    semaphore: Arc<Semaphore>,
    total: usize,
    waiting: Arc<AtomicUsize>,
    queue: usize,
}

/// The right to answer one question; dropping it lets the next one in.
#[derive(Debug)]
pub struct Admission {
    _permit: OwnedSemaphorePermit,
}

/// Why a question was turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionError {
    /// As many wait as may.
    #[error("as many questions are waiting as the queue holds")]
    QueueFull,
    /// Its turn did not come in time.
    #[error("the question's turn did not come in time")]
    Waited,
}

impl Permits {
    /// `total` questions at a time, `queue` waiting.
    pub fn new(total: usize, queue: usize) -> Self {
        let total = total.max(1);
        Self {
            semaphore: Arc::new(Semaphore::new(total)),
            total,
            waiting: Arc::default(),
            queue,
        }
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// When the queue is full, or no permit came free within `patience`.
    pub async fn acquire(&self, patience: Duration) -> Result<Admission, AdmissionError> {
        if let Ok(permit) = Arc::clone(&self.semaphore).try_acquire_owned() {
            return Ok(Admission { _permit: permit });
        }
        let _place = self.take_place().ok_or(AdmissionError::QueueFull)?;
        let turn = Arc::clone(&self.semaphore).acquire_owned();
        match tokio::time::timeout(patience, turn).await {
            Ok(Ok(permit)) => Ok(Admission { _permit: permit }),
            // The semaphore is never closed.
            Ok(Err(_)) | Err(_) => Err(AdmissionError::Waited),
        }
    }

    /// Permits in use.
    pub fn in_use(&self) -> usize {
        self.total - self.semaphore.available_permits().min(self.total)
    }

    /// Questions waiting.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn take_place(&self) -> Option<Place> {
        let place = Place(Arc::clone(&self.waiting));
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        // Dropping the place gives it back.
        (before < self.queue).then_some(place)
    }
}

struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_turns_away_and_a_free_permit_lets_in() {
        let permits = Arc::new(Permits::new(1, 1));
        let first = permits.acquire(Duration::ZERO).await;
        assert!(first.is_ok());
        let waiter = tokio::spawn({
            let permits = Arc::clone(&permits);
            async move { permits.acquire(Duration::from_secs(30)).await.is_ok() }
        });
        while permits.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let turned_away = permits.acquire(Duration::from_secs(30)).await.err();
        assert_eq!(turned_away, Some(AdmissionError::QueueFull));
        assert_eq!((permits.in_use(), permits.waiting()), (1, 1));
        drop(first);
        assert!(waiter.await.is_ok_and(|let_in| let_in));
        assert_eq!((permits.in_use(), permits.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn patience_ends() {
        let permits = Permits::new(1, 1);
        let _first = permits.acquire(Duration::ZERO).await;
        let late = permits.acquire(Duration::from_millis(1)).await.err();
        assert_eq!(late, Some(AdmissionError::Waited));
        assert_eq!(permits.waiting(), 0);
    }
}
