//! Bounds how many questions are answered and queued at a time, and owns the threads that answer them. A question
//! that finds the queue full is rejected at once, so that a burst costs little. [`fair_queue`] decides the order.

mod answer_times;
mod fair_queue;
mod load;

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::oneshot;

use super::pools::lower_priority;
use crate::telemetry::spans::carried;
use fair_queue::{Entry, FairQueue};

/// A bounded number of permits with a bounded queue, shared fairly between keys (clients).
#[derive(Debug)]
pub struct Queue {
    shared: SharedQueue,
}

/// The queue, which its permits share. A waiting question is sent its permit.
type SharedQueue = Arc<Mutex<FairQueue<oneshot::Sender<Permit>>>>;

/// The queue of questions, and the threads that answer them.
#[derive(Debug)]
pub struct Permits {
    /// One thread for each permit: each caches split words and token counts, several megabytes, so that a burst
    /// must not start a thread for each question.
    threads: ThreadPool,
    /// As many threads with low priority, for the answers of heavy keys.
    low_priority: ThreadPool,
    /// The queue for a permit.
    pub queue: Queue,
}

/// A permit; dropping it admits the next queued question.
#[derive(Debug)]
pub struct Permit {
    queue: SharedQueue,
    /// The key that asked the question.
    who: Arc<str>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let next = self.queue.lock().release(&self.who, Instant::now());
        if let Some((who, waiter)) = next {
            let queue = Arc::clone(&self.queue);
            // If the waiter is just leaving, the permit is dropped here and goes to the next one.
            drop(waiter.send(Self { queue, who }));
        }
    }
}

/// Why a question was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum AdmissionError {
    #[error("the queue of questions is full")]
    QueueFull,
    #[error("the question waited in the queue for too long")]
    TimedOut,
}

impl Permits {
    /// Creates permits for `total` questions at a time, and a queue of `queue` questions.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(total: usize, queue: usize) -> Result<Self, ThreadPoolBuildError> {
        let total = total.max(1);
        let threads = |name: &'static str| {
            ThreadPoolBuilder::new()
                .num_threads(total)
                .thread_name(move |thread| format!("{name}-{thread}"))
                // The panic hook logs it; the waiting caller sees its channel closed.
                .panic_handler(|_| ())
        };
        let low_priority = threads("answer-low").start_handler(|_| lower_priority());
        Ok(Self {
            threads: threads("answer").build()?,
            low_priority: low_priority.build()?,
            queue: Queue::new(total, queue),
        })
    }

    /// Runs work that has a permit on an answer thread, with low priority for a heavy key. The channel closes without a
    /// result when the work panics.
    pub fn work<T: Send + 'static>(
        &self,
        permit: Permit,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, done) = oneshot::channel();
        let work = carried(work);
        let queue = Arc::clone(&self.queue.shared);
        let is_heavy = queue.lock().is_heavy(&permit.who, Instant::now());
        let threads = if is_heavy {
            &self.low_priority
        } else {
            &self.threads
        };
        threads.spawn(move || {
            let start = Instant::now();
            let result = work();
            queue.lock().times.add(start.elapsed());
            drop(permit);
            // Nobody receives it after the deadline.
            let _ = reply.send(result);
        });
        done
    }
}

impl Queue {
    /// Creates a queue with `total` permits and `max_waiting` queue slots.
    pub fn new(total: usize, max_waiting: usize) -> Self {
        let queue = FairQueue::new(total, max_waiting, Instant::now());
        Self {
            shared: Arc::new(Mutex::new(queue)),
        }
    }

    /// Waits for a permit for the key `who`.
    ///
    /// # Errors
    /// When the queue is full, or no permit came free within `patience`.
    pub async fn acquire(&self, who: &str, patience: Duration) -> Result<Permit, AdmissionError> {
        let (waiter, permit) = oneshot::channel();
        let entry = self.shared.lock().enter(who, Instant::now(), || waiter);
        let id = match entry {
            Entry::Permit(who) => {
                let queue = Arc::clone(&self.shared);
                return Ok(Permit { queue, who });
            }
            Entry::Queued(id) => id,
            Entry::Full => return Err(AdmissionError::QueueFull),
        };
        // Frees the slot also where the client disconnects, after which this future is never polled again.
        let _slot = QueueSlot { queue: self, id };
        match tokio::time::timeout(patience, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) => Err(AdmissionError::QueueFull),
            Err(_) => Err(AdmissionError::TimedOut),
        }
    }

    /// Number of permits in use.
    pub fn in_use(&self) -> usize {
        self.shared.lock().running.len()
    }

    /// Number of permits in all.
    pub fn total(&self) -> usize {
        self.shared.lock().total
    }

    /// Number of queue slots.
    pub fn max_waiting(&self) -> usize {
        self.shared.lock().max_waiting
    }

    /// Number of queued questions.
    pub fn waiting(&self) -> usize {
        self.shared.lock().waiting()
    }
}

/// A queue slot, which is freed when this is dropped.
struct QueueSlot<'q> {
    queue: &'q Queue,
    id: u64,
}

impl Drop for QueueSlot<'_> {
    fn drop(&mut self) {
        self.queue.shared.lock().leave(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn full_queue_rejects_and_freed_permit_admits() {
        let queue = Arc::new(Queue::new(1, 1));
        let first = queue.acquire("a", Duration::ZERO).await;
        assert!(first.is_ok());
        let waiter = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.acquire("a", Duration::from_secs(30)).await.is_ok() }
        });
        while queue.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let rejected = queue.acquire("a", Duration::from_secs(30)).await.err();
        assert_eq!(rejected, Some(AdmissionError::QueueFull));
        assert_eq!((queue.in_use(), queue.waiting()), (1, 1));
        drop(first);
        assert!(waiter.await.is_ok_and(|admitted| admitted));
        assert_eq!((queue.in_use(), queue.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn queued_question_times_out() {
        let queue = Queue::new(1, 1);
        let _first = queue.acquire("a", Duration::ZERO).await;
        let late = queue.acquire("a", Duration::from_millis(1)).await.err();
        assert_eq!(late, Some(AdmissionError::TimedOut));
        assert_eq!(queue.waiting(), 0);
    }

    #[tokio::test]
    async fn panic_returns_permit_and_thread_survives() {
        let permits = Permits::new(1, 1).expect("a thread");
        let mut threads = Vec::new();
        for number in 0..10 {
            let permit = permits.queue.acquire("a", Duration::from_secs(30)).await;
            let done = permits.work(permit.expect("a permit"), move || {
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

    #[tokio::test]
    async fn busy_key_does_not_delay_another() {
        let queue = Arc::new(Queue::new(1, 8));
        let first = queue.acquire("busy", Duration::ZERO).await;
        let (done, mut order) = tokio::sync::mpsc::unbounded_channel();
        let ask = |who: &'static str| {
            let (queue, done) = (Arc::clone(&queue), done.clone());
            tokio::spawn(async move {
                let permit = queue.acquire(who, Duration::from_secs(30)).await;
                let _ = done.send((who, permit.is_ok()));
            })
        };
        let mut asked: Vec<_> = (0..8).map(|_| ask("busy")).collect();
        while queue.waiting() < 8 {
            tokio::task::yield_now().await;
        }
        asked.push(ask("calm"));
        assert_eq!(
            order.recv().await,
            Some(("busy", false)),
            "the last of the busy one"
        );
        drop(first);
        assert_eq!(order.recv().await, Some(("calm", true)));
        for asked in asked {
            asked.await.expect("no defect");
        }
        assert_eq!((queue.in_use(), queue.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn cancelled_question_frees_its_queue_slot() {
        let queue = Arc::new(Queue::new(1, 1));
        let first = queue.acquire("a", Duration::ZERO).await;
        let gone = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.acquire("a", Duration::from_secs(30)).await.is_ok() }
        });
        while queue.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        gone.abort();
        assert!(gone.await.is_err());
        assert_eq!(queue.waiting(), 0);
        drop(first);
        assert_eq!(queue.in_use(), 0);
    }
}
