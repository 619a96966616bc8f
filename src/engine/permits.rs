//! How many questions are answered at a time and how many may wait, and the threads that answer them.
//! A question that finds no place is turned away at once, so that a burst costs little. [`turns`] says whose
//! turn it is.

mod load;
mod times;
mod turns;

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::oneshot;

use super::pools::lower_priority;
use crate::telemetry::spans::carried;
use turns::{Entry, Turns};

/// A bounded number of permits with a bounded queue, which keys share.
#[derive(Debug)]
pub struct Queue {
    turns: Arc<Mutex<Turns<oneshot::Sender<Admission>>>>,
}

/// The queue of questions, and the threads that answer them.
#[derive(Debug)]
pub struct Permits {
    /// One for each permit: a thread remembers what it split and counted, several megabytes, so that
    /// there must not be one for each question of a burst.
    threads: ThreadPool,
    /// As many, with low priority, for the answers of keys that ask too much.
    low_priority: ThreadPool,
    queue: Queue,
}

/// A permit; dropping it lets the next one in.
#[derive(Debug)]
pub struct Admission {
    /// `None` where it was taken back already.
    turns: Option<Arc<Mutex<Turns<oneshot::Sender<Admission>>>>>,
    /// The key whose question it is.
    who: Arc<str>,
}

impl Drop for Admission {
    fn drop(&mut self) {
        let Some(turns) = self.turns.take() else {
            return;
        };
        let mut who = Arc::clone(&self.who);
        loop {
            let Some((next, waiter)) = turns.lock().give_back(&who, Instant::now()) else {
                return;
            };
            let admission = Self {
                turns: Some(Arc::clone(&turns)),
                who: Arc::clone(&next),
            };
            match waiter.send(admission) {
                Ok(()) => return,
                // Whoever waited has left; the permit is for the next one.
                Err(mut unused) => drop(unused.turns.take()),
            }
            who = next;
        }
    }
}

/// Why a question was turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionError {
    /// As many wait as may.
    #[error("as many questions are waiting as are let wait")]
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
        let threads = |name: &'static str| {
            ThreadPoolBuilder::new()
                .num_threads(total)
                .thread_name(move |thread| format!("{name}-{thread}"))
                // The log has it; who waits learns it from the end of the channel.
                .panic_handler(|_| ())
        };
        let low_priority = threads("answer-low").start_handler(|_| lower_priority());
        Ok(Self {
            threads: threads("answer").build()?,
            low_priority: low_priority.build()?,
            queue: Queue::new(total, queue),
        })
    }

    /// Who waits and is answered.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Does on a thread for answers what was let in, with low priority for a key that asks too much. Nothing comes
    /// back when it failed on a defect.
    pub fn work<T: Send + 'static>(
        &self,
        admission: Admission,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, done) = oneshot::channel();
        let work = carried(work);
        let turns = Arc::clone(&self.queue.turns);
        let is_heavy = turns.lock().is_heavy(&admission.who, Instant::now());
        let threads = if is_heavy {
            &self.low_priority
        } else {
            &self.threads
        };
        threads.spawn(move || {
            let start = Instant::now();
            let result = work();
            turns.lock().times.add(start.elapsed());
            drop(admission);
            // Nobody takes it where the deadline has passed.
            let _ = reply.send(result);
        });
        done
    }
}

impl Queue {
    /// `total` permits, and places for `max_waiting` that wait.
    pub fn new(total: usize, max_waiting: usize) -> Self {
        let turns = Turns::new(total, max_waiting, Instant::now());
        Self {
            turns: Arc::new(Mutex::new(turns)),
        }
    }

    /// Waits for a permit for the key `who`.
    ///
    /// # Errors
    /// When there is no place to wait in, or no permit came free within `patience`.
    pub async fn acquire(
        &self,
        who: &str,
        patience: Duration,
    ) -> Result<Admission, AdmissionError> {
        let (next, turn) = oneshot::channel();
        let entry = self.turns.lock().enter(who, Instant::now(), || next);
        let id = match entry {
            Entry::Permit(who) => {
                return Ok(Admission {
                    turns: Some(Arc::clone(&self.turns)),
                    who,
                });
            }
            Entry::Place(id) => id,
            Entry::Full => return Err(AdmissionError::QueueFull),
        };
        // Also where the client leaves, and this is never polled again.
        let _leave = Leave { queue: self, id };
        match tokio::time::timeout(patience, turn).await {
            Ok(Ok(admission)) => Ok(admission),
            Ok(Err(_)) => Err(AdmissionError::QueueFull),
            Err(_) => Err(AdmissionError::Waited),
        }
    }

    /// Permits in use.
    pub fn in_use(&self) -> usize {
        self.turns.lock().in_use()
    }

    /// Permits in all.
    pub fn total(&self) -> usize {
        self.turns.lock().total()
    }

    /// Places to wait in.
    pub fn max_waiting(&self) -> usize {
        self.turns.lock().max_waiting()
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.turns.lock().waiting()
    }
}

/// A place in a line, which is left when this is dropped.
struct Leave<'q> {
    queue: &'q Queue,
    id: u64,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.queue.turns.lock().leave(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_turns_away_and_a_free_permit_lets_in() {
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
        let turned_away = queue.acquire("a", Duration::from_secs(30)).await.err();
        assert_eq!(turned_away, Some(AdmissionError::QueueFull));
        assert_eq!((queue.in_use(), queue.waiting()), (1, 1));
        drop(first);
        assert!(waiter.await.is_ok_and(|let_in| let_in));
        assert_eq!((queue.in_use(), queue.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn patience_ends() {
        let queue = Queue::new(1, 1);
        let _first = queue.acquire("a", Duration::ZERO).await;
        let late = queue.acquire("a", Duration::from_millis(1)).await.err();
        assert_eq!(late, Some(AdmissionError::Waited));
        assert_eq!(queue.waiting(), 0);
    }

    #[tokio::test]
    async fn a_defect_gives_its_permit_back_and_the_thread_answers_on() {
        let permits = Permits::new(1, 1).expect("a thread");
        let mut threads = Vec::new();
        for number in 0..10 {
            let admission = permits.queue().acquire("a", Duration::from_secs(30)).await;
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

    #[tokio::test]
    async fn a_key_that_asks_for_everything_does_not_hold_up_another() {
        let queue = Arc::new(Queue::new(1, 8));
        let first = queue.acquire("busy", Duration::ZERO).await;
        let (done, mut order) = tokio::sync::mpsc::unbounded_channel();
        let ask = |who: &'static str| {
            let (queue, done) = (Arc::clone(&queue), done.clone());
            tokio::spawn(async move {
                let admission = queue.acquire(who, Duration::from_secs(30)).await;
                let _ = done.send((who, admission.is_ok()));
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
    async fn a_question_that_nobody_waits_for_leaves_its_place() {
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
