//! Does the jobs in the queue, some at a time, those of one thread one after the other. What fails is tried
//! again later and later, and then given up. A job is in the queue until it is done, so that a crash loses
//! none, and doing it twice writes the same comment.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use tracing::field::Empty;

use super::client::CallError;
use super::task::Work;
use super::{Forges, now};
use crate::store::{JobRow, StoreError};
use crate::telemetry::trace;

/// Time after which the queue is looked at although nobody told of a job: another process may have changed
/// it, and jobs become due.
const LOOK: Duration = Duration::from_secs(1);
/// Longest time for one attempt.
const MAX_ATTEMPT: Duration = Duration::from_secs(600);
/// Longest time between two attempts.
const MAX_DELAY: Duration = Duration::from_secs(3600);
/// Time after which a job is given up that nobody fails and that still cannot be done.
const MAX_AGE: Duration = Duration::from_secs(3 * 24 * 3600);

/// The jobs that are being done, with their threads.
type Threads = HashMap<Id, (String, JobRow)>;
/// What became of an attempt.
type Attempt = (JobRow, Result<(), CallError>);

impl Forges {
    /// Does jobs until `stop` is cancelled; those being done then have `grace` to end.
    pub async fn work(self: Arc<Self>, stop: CancellationToken, grace: Duration) {
        let mut running: JoinSet<Attempt> = JoinSet::new();
        let mut threads = Threads::new();
        loop {
            if let Err(error) = self.start_due(&mut running, &mut threads).await {
                tracing::error!(%error, "the queue of jobs cannot be read");
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = running.join_next_with_id() => {
                    self.settle(&mut threads, ended).await;
                }
                () = self.wake.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
        let rest = async {
            while let Some(ended) = running.join_next_with_id().await {
                self.settle(&mut threads, ended).await;
            }
        };
        if tokio::time::timeout(grace, rest).await.is_err() {
            tracing::info!("jobs that were being done are done again at the next start");
        }
    }

    /// Starts as many due jobs as there is room for.
    async fn start_due(
        self: &Arc<Self>,
        running: &mut JoinSet<Attempt>,
        threads: &mut Threads,
    ) -> Result<(), StoreError> {
        let most = self.settings.config.workers as usize;
        if running.len() >= most {
            return Ok(());
        }
        // Those that are being done are among the due ones.
        let limit = u32::try_from(2 * most).unwrap_or(u32::MAX);
        for job in self.store.due_jobs(now(), limit).await? {
            let Ok(work) = serde_json::from_str::<Work>(&job.task) else {
                let reason = "an earlier program wrote it, and it cannot be read".to_owned();
                self.write_down((job, Err(CallError::Refused(reason))))
                    .await;
                continue;
            };
            let thread = work.thread();
            if running.len() >= most || threads.values().any(|(busy, _)| *busy == thread) {
                continue;
            }
            let forges = Arc::clone(self);
            let kept = job.clone();
            let span = tracing::error_span!("job", job = job.id, trace_id = Empty);
            trace::resume(&span, work.traceparent());
            let attempt = async move { forges.attempt(job, work).await };
            let started = running.spawn(attempt.instrument(span));
            threads.insert(started.id(), (thread, kept));
        }
        Ok(())
    }

    async fn attempt(&self, job: JobRow, work: Work) -> Attempt {
        let start = Instant::now();
        let doing = async {
            match &work {
                Work::Answer(task) => self.answer(task).await,
                Work::Learn(task) => self.learn(task).await,
            }
        };
        let done = tokio::time::timeout(MAX_ATTEMPT, doing).await;
        let took_too_long = || CallError::Failed("it took too long".to_owned());
        let done = done.unwrap_or_else(|_| Err(took_too_long()));
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        match &done {
            Ok(done) => tracing::info!(job = job.id, subject = job.subject, ?done, ms, "job done"),
            Err(CallError::Later { reason, .. }) => {
                tracing::info!(job = job.id, subject = job.subject, reason, "job put off");
            }
            Err(error) => {
                tracing::warn!(job = job.id, subject = job.subject, %error, "job failed");
            }
        }
        (job, done.map(drop))
    }

    /// Makes room for the next job of the thread, and writes down what became of this one.
    async fn settle(
        &self,
        threads: &mut Threads,
        ended: Result<(Id, Attempt), tokio::task::JoinError>,
    ) {
        match ended {
            Ok((id, attempt)) => {
                threads.remove(&id);
                self.write_down(attempt).await;
            }
            Err(error) => {
                let Some((_, job)) = threads.remove(&error.id()) else {
                    return;
                };
                tracing::error!(job = job.id, "a job ended on a defect");
                let failed = CallError::Failed("doing it failed on a defect".to_owned());
                self.write_down((job, Err(failed))).await;
            }
        }
    }

    async fn write_down(&self, (mut job, result): Attempt) {
        let (outcome, written) = match result {
            Ok(()) => ("done", self.store.finish_job(&job).await),
            Err(error) => {
                let outcome = self.put_off(&mut job, error);
                (outcome, self.store.postpone_job(&job).await)
            }
        };
        metrics::counter!("foveate_jobs_total", "outcome" => outcome).increment(1);
        if let Err(error) = written {
            tracing::error!(job = job.id, %error, "what became of a job cannot be stored");
        }
    }

    /// Says when a job is tried again, or that it is not. Returns the outcome's name.
    fn put_off(&self, job: &mut JobRow, error: CallError) -> &'static str {
        let (now, config) = (now(), &self.settings.config);
        job.error = Some(error.to_string());
        let (is_dead, delay) = match error {
            CallError::Later { after, .. } => {
                let age = now.saturating_sub(job.created_at);
                (age > milliseconds(MAX_AGE), after)
            }
            CallError::Failed(_) => {
                job.attempts += 1;
                let base = Duration::from_secs(config.retry_seconds);
                (
                    job.attempts >= config.max_attempts,
                    backoff(base, job.attempts),
                )
            }
            CallError::Refused(_) => {
                job.attempts += 1;
                (true, Duration::ZERO)
            }
        };
        job.is_dead = is_dead;
        job.due_at = now.saturating_add(milliseconds(delay));
        match (is_dead, job.attempts) {
            (true, _) => "dead",
            (false, 0) => "put_off",
            (false, _) => "failed",
        }
    }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Time after the given number of failures: doubled by each, with up to a half taken off by chance, so that
/// what failed together is not tried again together.
fn backoff(base: Duration, failures: u32) -> Duration {
    let doubled = base.saturating_mul(1 << (failures - 1).min(20));
    doubled.min(MAX_DELAY).mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_come_later_and_later() {
        let base = Duration::from_secs(10);
        for (failures, least, most) in [(1, 5, 10), (2, 10, 20), (4, 40, 80), (30, 1800, 3600)] {
            for _ in 0..50 {
                let delay = backoff(base, failures).as_secs_f64();
                assert!((f64::from(least)..=f64::from(most)).contains(&delay));
            }
        }
        let delays: std::collections::BTreeSet<Duration> =
            (0..50).map(|_| backoff(base, 3)).collect();
        assert!(delays.len() > 40, "they are spread");
    }
}
