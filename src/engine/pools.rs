//! Owns the threads that parse and index. Each run gets a pool of its own while there are enough pools: in a single
//! pool, small work would wait until the many pieces of a large repository are done. The system shares the cores
//! between pools. Histories are added to indexes in a separate pool: after a burst of new repositories there are
//! many, and each takes longer than reloading a repository. Its threads and those of background work have a low
//! priority, and so have the programs that they start.

use std::time::Instant;

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::telemetry::spans::carried;

/// The thread pools.
#[derive(Debug)]
pub struct Pools {
    pools: Vec<ThreadPool>,
    /// For each pool the starts of its runs, oldest first. Locked briefly, never across work.
    runs: Mutex<Vec<Vec<Instant>>>,
    histories: ThreadPool,
    background: ThreadPool,
}

/// Niceness of low-priority threads: competing with a normal thread, one gets a tenth of a core.
const NICE: i32 = 10;

/// A run in a pool; dropping it removes the run, also on a panic.
struct Run<'a> {
    pools: &'a Pools,
    pool: usize,
    start: Instant,
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        if let Some(runs) = self.pools.runs.lock().get_mut(self.pool) {
            runs.retain(|start| *start != self.start);
        }
    }
}

impl Pools {
    /// Starts at least one pool, each of `threads` threads, and `background` threads for background work.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(
        pools: usize,
        threads: usize,
        background: usize,
    ) -> Result<Self, ThreadPoolBuildError> {
        let pool = |number: usize| {
            ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(move |thread| format!("index-{number}-{thread}"))
                .build()
        };
        let pools: Vec<_> = (0..pools.max(1)).map(pool).collect::<Result<_, _>>()?;
        let low_priority = |name: &'static str, threads| {
            ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(move |thread| format!("{name}-{thread}"))
                .start_handler(|_| lower_priority())
                .build()
        };
        Ok(Self {
            runs: Mutex::new(vec![Vec::new(); pools.len()]),
            pools,
            histories: low_priority("history", threads)?,
            background: low_priority("background", background.max(1))?,
        })
    }

    /// Runs background work on one low-priority thread and waits for it. While answers need the cores, it makes little
    /// progress.
    pub fn background<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.background.install(carried(work))
    }

    /// Runs `work` in a pool and waits for it. Must not be called from within a run, which has its pool already.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let run = self.begin();
        match self.pools.get(run.pool) {
            Some(pool) => pool.install(carried(work)),
            None => work(),
        }
    }

    /// Assigns a new run to an idle pool, or else to the one whose oldest run started last: a run that has lasted long
    /// is large.
    fn begin(&self) -> Run<'_> {
        let mut runs = self.runs.lock();
        // Read with the lock held, so that no run that began meanwhile has a later start than an idle pool counts with.
        let start = Instant::now();
        let oldest = |runs: &Vec<Instant>| runs.first().copied().unwrap_or(start);
        let pools = runs.iter().map(oldest).enumerate();
        let last = pools.max_by_key(|(_, oldest)| *oldest);
        let pool = last.map_or(0, |(pool, _)| pool);
        if let Some(runs) = runs.get_mut(pool) {
            runs.push(start);
        }
        Run {
            pools: self,
            pool,
            start,
        }
    }

    /// Runs `work` that adds a history to an index and waits for it; it delays only other histories.
    pub fn add_history<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.histories.install(carried(work))
    }
}

/// Lowers the priority of this thread, on Linux only. Elsewhere the call would change the priority of the whole
/// process.
pub(super) fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::warn!(%error, "cannot lower the priority of background threads");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn background_threads_and_their_children_have_low_priority() {
        use std::process::Command;

        let pools = Pools::new(1, 1, 1).expect("threads");
        let nice = || {
            let printed = Command::new("nice").output().expect("nice runs");
            let printed = String::from_utf8_lossy(&printed.stdout).trim().parse();
            printed.expect("a number")
        };
        let before: i32 = nice();
        assert_eq!(pools.background(nice), NICE.max(before));
        assert_eq!(pools.add_history(nice), NICE.max(before));
        assert_eq!(pools.install(nice), before);
    }

    #[test]
    fn runs_do_not_wait_for_histories() {
        let pools = Pools::new(1, 1, 1).expect("threads");
        let (begun, has_begun) = channel();
        let (end, may_end) = channel::<()>();
        let (done, is_done) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                pools.add_history(|| {
                    begun.send(()).expect("someone waits");
                    may_end.into_iter().next()
                })
            });
            has_begun.recv().expect("it begins");
            scope.spawn(|| pools.install(|| done.send(())));
            let is_through = is_done.recv_timeout(Duration::from_secs(60));
            drop(end);
            assert!(is_through.is_ok());
        });
    }

    #[test]
    fn short_runs_do_not_wait_for_long_ones() {
        let pools = Pools::new(2, 1, 1).expect("threads");
        let (begun, has_begun) = channel();
        let (end, may_end) = channel::<()>();
        let (done, is_done) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                pools.install(|| {
                    begun.send(()).expect("someone waits");
                    may_end.into_iter().next()
                })
            });
            has_begun.recv().expect("it begins");
            for _ in 0..3 {
                scope.spawn(|| {
                    pools.install(|| ());
                    done.send(())
                });
            }
            let through: Vec<_> = (0..3)
                .map(|_| is_done.recv_timeout(Duration::from_secs(60)))
                .collect();
            drop(end);
            assert!(through.iter().all(Result::is_ok));
        });
    }
}
