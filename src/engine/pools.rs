//! The threads that parse and index. A run works in a pool of its own as long as there are enough:
//! in one pool for all, what is small waits until the many pieces of a large repository are through.
//! Between pools the system shares the cores. Pasts are added to indexes in a pool apart: after a burst
//! of new repositories there are many, and each takes longer than bringing one back. Its threads, and
//! those that do what nobody waits for, give way to all others, and so do the programs that they start.

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::telemetry::spans::carried;

/// Some pools of threads.
#[derive(Debug)]
pub struct Pools {
    pools: Vec<ThreadPool>,
    /// Locked for a look, never across work.
    runs: Mutex<Runs>,
    histories: ThreadPool,
    background: ThreadPool,
}

/// The niceness of threads that give way: beside one that does not, they get a tenth of a core.
const NICE: i32 = 10;

#[derive(Debug)]
struct Runs {
    /// By pool the numbers of the runs in it, in the order in which they began.
    of_pools: Vec<Vec<u64>>,
    next: u64,
}

impl Runs {
    /// An idle pool, or else the one whose first run began last: what has run for longest is large.
    fn begin(&mut self) -> (usize, u64) {
        let first = |runs: &Vec<u64>| runs.first().copied().unwrap_or(u64::MAX);
        let pools = self.of_pools.iter().map(first).enumerate();
        let (pool, _) = pools.max_by_key(|(_, first)| *first).unwrap_or_default();
        let run = self.next;
        self.next += 1;
        if let Some(runs) = self.of_pools.get_mut(pool) {
            runs.push(run);
        }
        (pool, run)
    }
}

/// One run in a pool, however it ends.
struct Run<'a> {
    pools: &'a Pools,
    pool: usize,
    run: u64,
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        if let Some(runs) = self.pools.runs.lock().of_pools.get_mut(self.pool) {
            runs.retain(|run| *run != self.run);
        }
    }
}

impl Pools {
    /// At least one pool, each of `threads` threads, and `background` threads for what nobody waits for.
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
        let runs = Runs {
            of_pools: vec![Vec::new(); pools.len()],
            next: 0,
        };
        let histories = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|thread| format!("history-{thread}"))
            .start_handler(|_| lower_priority());
        let background = ThreadPoolBuilder::new()
            .num_threads(background.max(1))
            .thread_name(|thread| format!("background-{thread}"))
            .start_handler(|_| lower_priority());
        Ok(Self {
            pools,
            runs: Mutex::new(runs),
            histories: histories.build()?,
            background: background.build()?,
        })
    }

    /// Runs `work` that nobody waits for, each on one thread, and waits for it: where answers need the
    /// cores, it takes as long as they do.
    pub fn background<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.background.install(carried(work))
    }

    /// Runs `work` in a pool and waits for it. Not from within a run, which has its pool already.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let (pool, run) = self.runs.lock().begin();
        let _run = Run {
            pools: self,
            pool,
            run,
        };
        match self.pools.get(pool) {
            Some(pool) => pool.install(carried(work)),
            None => work(),
        }
    }

    /// Runs `work` that adds a history to an index and waits for it; it is in the way of other histories alone.
    pub fn add_history<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.histories.install(carried(work))
    }
}

/// Lowers the priority of this thread, which is all that this means on Linux. Elsewhere it would be
/// that of the process.
pub(super) fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::warn!(%error, "what nobody waits for does not give way to answers");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_nobody_waits_for_gives_way_and_so_do_its_children() {
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
    fn what_is_asked_does_not_wait_for_pasts() {
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
    fn what_is_short_does_not_wait_for_what_is_long() {
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
