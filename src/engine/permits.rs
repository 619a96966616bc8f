//! How many questions are answered at a time and how many may wait, and the threads that answer them.
//! A question that finds the queue full is turned away at once, so that a burst costs little.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::telemetry::spans::carried;

/// A bounded number of permits with a bounded queue.
#[derive(Debug)]
pub struct Permits {
    /// One for each permit: a thread remembers what it split and counted, several megabytes, so that
    /// there must not be one for each question of a burst.
    threads: ThreadPool,
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
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(total: usize, queue: usize) -> Result<Self, ThreadPoolBuildError> {
        let total = total.max(1);
        let threads = ThreadPoolBuilder::new()
            .num_threads(total)
            .thread_name(|thread| format!("answer-{thread}"))
            // The log has it; who waits learns it from the end of the channel.
            .panic_handler(|_| ());
        Ok(Self {
            threads: threads.build()?,
            semaphore: Arc::new(Semaphore::new(total)),
            total,
            waiting: Arc::default(),
            queue,
        })
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// When the queue is full, or no permit came free within `patience`.
    pub async fn acquire(&self, patience: Duration) -> Result<Admission, AdmissionError> {
        if let Ok(permit) = Arc::clone(&self.semaphore).try_acquire_owned() {
            return Ok(Admission { _permit: permit });
        }
        let _slot = self.take_slot().ok_or(AdmissionError::QueueFull)?;
        let turn = Arc::clone(&self.semaphore).acquire_owned();
        match tokio::time::timeout(patience, turn).await {
            Ok(Ok(permit)) => Ok(Admission { _permit: permit }),
            // The semaphore is never closed.
            Ok(Err(_)) | Err(_) => Err(AdmissionError::Waited),
        }
    }

    /// Does on a thread for answers what was let in. Nothing comes back when it failed on a defect.
    pub fn work<T: Send + 'static>(
        &self,
        admission: Admission,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, done) = oneshot::channel();
        let work = carried(work);
        self.threads.spawn(move || {
            let result = work();
            drop(admission);
            // Nobody takes it where the deadline has passed.
            let _ = reply.send(result);
        });
        done
    }

    /// Permits in use.
    pub fn in_use(&self) -> usize {
        self.total - self.semaphore.available_permits().min(self.total)
    }

    /// Questions waiting.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn take_slot(&self) -> Option<QueueSlot> {
        let slot = QueueSlot(Arc::clone(&self.waiting));
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        // Dropping the slot gives it back.
        (before < self.queue).then_some(slot)
    }
}

struct QueueSlot(Arc<AtomicUsize>);

impl Drop for QueueSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_turns_away_and_a_free_permit_lets_in() {
        let permits = Arc::new(Permits::new(1, 1).expect("a thread"));
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
        let permits = Permits::new(1, 1).expect("a thread");
        let _first = permits.acquire(Duration::ZERO).await;
        let late = permits.acquire(Duration::from_millis(1)).await.err();
        assert_eq!(late, Some(AdmissionError::Waited));
        assert_eq!(permits.waiting(), 0);
    }

    #[tokio::test]
    async fn a_defect_gives_its_permit_back_and_the_thread_answers_on() {
        let permits = Permits::new(1, 1).expect("a thread");
        let mut threads = Vec::new();
        for number in 0..10 {
            let admission = permits.acquire(Duration::from_secs(30)).await;
            let done = permits.work(admission.expect("a permit"), move || {
                assert!(number % 2 == 0, "a defect");
                std::thread::current().id()
            });
            let done = done.await;
            assert_eq!(done.is_ok(), number % 2 == 0);
            threads.extend(done);
        }
        threads.dedup();
        assert_eq!(threads.len(), 1);
    }
}
