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

use crate::telemetry::spans::carried;
use turns::{Entry, Turns};

/// A bounded number of permits with a bounded queue, which keys share.
#[derive(Debug)]
pub struct Permits {
    /// One for each permit: a thread remembers what it split and counted, several megabytes, so that
    /// there must not be one for each question of a burst.
    threads: ThreadPool,
    turns: Arc<Mutex<Turns<oneshot::Sender<Admission>>>>,
}

/// The right to answer one question; dropping it lets the next one in.
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
        let threads = ThreadPoolBuilder::new()
            .num_threads(total)
            .thread_name(|thread| format!("answer-{thread}"))
            // The log has it; who waits learns it from the end of the channel.
            .panic_handler(|_| ());
        Ok(Self {
            threads: threads.build()?,
            turns: Arc::new(Mutex::new(Turns::new(total, queue, Instant::now()))),
        })
    }

    /// Waits for a permit for a question of the key `who`.
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
        let _leave = Leave { permits: self, id };
        match tokio::time::timeout(patience, turn).await {
            Ok(Ok(admission)) => Ok(admission),
            Ok(Err(_)) => Err(AdmissionError::QueueFull),
            Err(_) => Err(AdmissionError::Waited),
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
        let turns = Arc::clone(&self.turns);
        self.threads.spawn(move || {
            let start = Instant::now();
            let result = work();
            turns.lock().times.add(start.elapsed());
            drop(admission);
            // Nobody takes it where the deadline has passed.
            let _ = reply.send(result);
        });
        done
    }

    /// Permits in use.
    pub fn in_use(&self) -> usize {
        self.turns.lock().in_use()
    }

    /// Permits in all.
    pub fn total(&self) -> usize {
        self.turns.lock().total()
    }

    /// Questions that may wait.
    pub fn max_waiting(&self) -> usize {
        self.turns.lock().max_waiting()
    }

    /// Questions waiting.
    pub fn waiting(&self) -> usize {
        self.turns.lock().waiting()
    }
}

/// A place in a line, which is left when this is dropped.
struct Leave<'p> {
    permits: &'p Permits,
    id: u64,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.permits.turns.lock().leave(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_turns_away_and_a_free_permit_lets_in() {
        let permits = Arc::new(Permits::new(1, 1).expect("a thread"));
        let first = permits.acquire("a", Duration::ZERO).await;
        assert!(first.is_ok());
        let waiter = tokio::spawn({
            let permits = Arc::clone(&permits);
            async move { permits.acquire("a", Duration::from_secs(30)).await.is_ok() }
        });
        while permits.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let turned_away = permits.acquire("a", Duration::from_secs(30)).await.err();
        assert_eq!(turned_away, Some(AdmissionError::QueueFull));
        assert_eq!((permits.in_use(), permits.waiting()), (1, 1));
        drop(first);
        assert!(waiter.await.is_ok_and(|let_in| let_in));
        assert_eq!((permits.in_use(), permits.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn patience_ends() {
        let permits = Permits::new(1, 1).expect("a thread");
        let _first = permits.acquire("a", Duration::ZERO).await;
        let late = permits.acquire("a", Duration::from_millis(1)).await.err();
        assert_eq!(late, Some(AdmissionError::Waited));
        assert_eq!(permits.waiting(), 0);
    }

    #[tokio::test]
    async fn a_defect_gives_its_permit_back_and_the_thread_answers_on() {
        let permits = Permits::new(1, 1).expect("a thread");
        let mut threads = Vec::new();
        for number in 0..10 {
            let admission = permits.acquire("a", Duration::from_secs(30)).await;
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
        let permits = Arc::new(Permits::new(1, 8).expect("a thread"));
        let first = permits.acquire("busy", Duration::ZERO).await;
        let (done, mut order) = tokio::sync::mpsc::unbounded_channel();
        let ask = |who: &'static str| {
            let (permits, done) = (Arc::clone(&permits), done.clone());
            tokio::spawn(async move {
                let admission = permits.acquire(who, Duration::from_secs(30)).await;
                let _ = done.send((who, admission.is_ok()));
            })
        };
        let mut asked: Vec<_> = (0..8).map(|_| ask("busy")).collect();
        while permits.waiting() < 8 {
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
        assert_eq!((permits.in_use(), permits.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn a_question_that_nobody_waits_for_leaves_its_place() {
        let permits = Arc::new(Permits::new(1, 1).expect("a thread"));
        let first = permits.acquire("a", Duration::ZERO).await;
        let gone = tokio::spawn({
            let permits = Arc::clone(&permits);
            async move { permits.acquire("a", Duration::from_secs(30)).await.is_ok() }
        });
        while permits.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        gone.abort();
        assert!(gone.await.is_err());
        assert_eq!(permits.waiting(), 0);
        drop(first);
        assert_eq!(permits.in_use(), 0);
    }
}
