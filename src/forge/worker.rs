//! Runs the queued jobs, several at a time, but those of one thread one after the other. A failed job is
//! retried with increasing delays, and finally given up. A job stays in the queue until it is done, so that a
//! crash loses none; running it twice writes the same comment. A worker leases a job for [`LEASE`] and
//! extends the lease while the job runs, so that only one of several servers runs it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::{AbortHandle, Id, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use tracing::field::Empty;

use super::Forges;
use super::client::CallError;
use super::task::{Task, Work};
use crate::store::{JobRow, StoreError, now_millis};
use crate::telemetry::{self, trace};

/// Interval at which the queue is polled without a notification: another process may have changed it, and
/// jobs become due.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Time after which another server takes over a job of a server that died.
const LEASE: Duration = Duration::from_secs(30);
/// Interval at which the lease is extended.
const LEASE_RENEWAL: Duration = Duration::from_secs(10);
/// Time for which a job waits for its repository to appear: a webhook queues the job before it registers the
/// repository, and other servers learn of that even later.
const REGISTRATION_GRACE: Duration = Duration::from_secs(15);
/// Longest duration of one attempt.
const MAX_ATTEMPT: Duration = Duration::from_secs(600);
/// Longest delay between two attempts.
const MAX_DELAY: Duration = Duration::from_secs(3600);
/// Age at which a job is given up that was only postponed and never failed.
const MAX_AGE: Duration = Duration::from_secs(3 * 24 * 3600);

type Running = HashMap<Id, (JobRow, AbortHandle)>;
/// A job and the result of one attempt.
type Attempt = (JobRow, Result<(), CallError>);

impl Forges {
    /// Runs jobs until `stop` is cancelled; running jobs then have `grace` to finish.
    pub async fn work(self: Arc<Self>, stop: CancellationToken, grace: Duration) {
        let mut tasks: JoinSet<Attempt> = JoinSet::new();
        let mut running = Running::new();
        let mut changes = self.store.subscribe();
        let mut last_extended = Instant::now();
        let mut is_lost = false;
        let delay = Duration::from_secs(self.settings.config.retry_seconds);
        if let Err(error) = self
            .store
            .end_stale_leases(now_millis(), milliseconds(delay))
            .await
        {
            tracing::error!(%error, "cannot end the leases of interrupted jobs: they wait");
        }
        loop {
            let started = self.start_due(&mut tasks, &mut running).await;
            let was_lost = std::mem::replace(&mut is_lost, started.is_err());
            if let (Err(error), false) = (started, was_lost) {
                tracing::error!(%error, "cannot read the job queue");
            }
            if last_extended.elapsed() >= LEASE_RENEWAL {
                self.extend_leases(&running, LEASE).await;
                last_extended = Instant::now();
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = tasks.join_next_with_id() => {
                    self.settle(&mut running, ended).await;
                }
                () = self.wake.notified() => {}
                _ = changes.changed() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
        self.extend_leases(&running, LEASE + grace).await;
        let rest = async {
            while let Some(ended) = tasks.join_next_with_id().await {
                self.settle(&mut running, ended).await;
            }
        };
        if tokio::time::timeout(grace, rest).await.is_err() {
            tracing::info!("unfinished jobs are started again at the next start");
            tasks.abort_all();
            for (job, _) in running.values() {
                if let Err(error) = self.store.return_job(job).await {
                    tracing::warn!(job = job.id, %error, "cannot return a job to the queue: it waits until its lease ends");
                }
            }
        }
    }

    /// Starts due jobs while workers are free.
    async fn start_due(
        self: &Arc<Self>,
        tasks: &mut JoinSet<Attempt>,
        running: &mut Running,
    ) -> Result<(), StoreError> {
        let config = &self.settings.config;
        while tasks.len() < config.workers as usize {
            let now = now_millis();
            let until = now.saturating_add(milliseconds(LEASE));
            let Some(job) = self.store.take_job(now, until).await? else {
                break;
            };
            let reason = match serde_json::from_str::<Task>(&job.task) {
                Ok(task) if job.attempts <= config.max_attempts => {
                    let (forges, kept) = (Arc::clone(self), job.clone());
                    let span = tracing::error_span!("job", job = job.id, trace_id = Empty);
                    trace::resume(&span, task.traceparent.as_deref());
                    let attempt = async move { forges.attempt(job, task).await };
                    let started = tasks.spawn(attempt.instrument(span));
                    running.insert(started.id(), (kept, started));
                    continue;
                }
                Ok(_) => "the server stopped during each attempt",
                Err(_) => "an earlier version wrote it, and it cannot be read",
            };
            let refused = CallError::Refused(reason.to_owned());
            self.store_result((job, Err(refused))).await;
        }
        Ok(())
    }

    /// Extends the leases of the running jobs. A job that another server has taken, because this server could
    /// not reach the database for too long, is aborted here.
    async fn extend_leases(&self, running: &Running, time: Duration) {
        let until = now_millis().saturating_add(milliseconds(time));
        for (job, task) in running.values() {
            match self.store.extend_lease(job, until).await {
                Ok(true) => {}
                Ok(false) => {
                    tracing::warn!(job = job.id, "another server has taken the job");
                    task.abort();
                }
                Err(error) => {
                    tracing::warn!(job = job.id, %error, "cannot extend the lease of a job")
                }
            }
        }
    }

    async fn attempt(&self, job: JobRow, task: Task) -> Attempt {
        let start = Instant::now();
        let doing = async {
            let age = now_millis().saturating_sub(job.created_at);
            if age < milliseconds(REGISTRATION_GRACE) && self.host_and_repository(&task).is_err() {
                return Err(CallError::Later {
                    after: POLL_INTERVAL,
                    reason: "its repository is being registered".to_owned(),
                });
            }
            match &task.work {
                Work::CompareMerge { closes } => self.compare_merge(&task, closes).await,
                Work::Answer {
                    question,
                    words,
                    unchecked,
                } => {
                    let query = match &**words {
                        "" => question.clone(),
                        words => format!("{words}\n\n{question}"),
                    };
                    self.answer(&task, query, unchecked.as_ref()).await
                }
            }
        };
        let done = tokio::time::timeout(MAX_ATTEMPT, doing).await;
        let took_too_long = || CallError::Failed("it took too long".to_owned());
        let done = done.unwrap_or_else(|_| Err(took_too_long()));
        let ms = telemetry::milliseconds(start.elapsed());
        match &done {
            Ok(done) => tracing::info!(job = job.id, subject = job.subject, ?done, ms, "job done"),
            Err(CallError::Later { reason, .. }) => {
                tracing::info!(job = job.id, subject = job.subject, reason, "job postponed");
            }
            Err(error) => {
                tracing::warn!(job = job.id, subject = job.subject, %error, "job failed");
            }
        }
        (job, done.map(drop))
    }

    /// Removes a finished job from the running ones and stores its result.
    async fn settle(
        &self,
        running: &mut Running,
        ended: Result<(Id, Attempt), tokio::task::JoinError>,
    ) {
        match ended {
            Ok((id, attempt)) => {
                running.remove(&id);
                self.store_result(attempt).await;
            }
            Err(error) => {
                let Some((job, _)) = running.remove(&error.id()) else {
                    return;
                };
                if error.is_cancelled() {
                    return;
                }
                tracing::error!(job = job.id, "a job failed with an internal error");
                let failed = CallError::Failed("it failed with an internal error".to_owned());
                self.store_result((job, Err(failed))).await;
            }
        }
    }

    async fn store_result(&self, (mut job, result): Attempt) {
        let (outcome, written) = match result {
            Ok(()) => ("done", self.store.finish_job(&job).await),
            Err(error) => {
                let outcome = self.schedule_retry(&mut job, error);
                (outcome, self.store.postpone_job(&job).await)
            }
        };
        metrics::counter!("foveate_jobs_total", "outcome" => outcome).increment(1);
        if let Err(error) = written {
            tracing::error!(job = job.id, %error, "cannot store the result of a job");
        }
    }

    /// Sets when a job is retried, or that it is given up. Returns the name of the outcome.
    fn schedule_retry(&self, job: &mut JobRow, error: CallError) -> &'static str {
        let (now, config) = (now_millis(), &self.settings.config);
        job.error = Some(error.to_string());
        let (is_dead, delay, outcome) = match error {
            CallError::Later { after, .. } => {
                // A postponed attempt does not count.
                job.attempts = job.attempts.saturating_sub(1);
                let age = now.saturating_sub(job.created_at);
                (age > milliseconds(MAX_AGE), after, "put_off")
            }
            CallError::Failed(_) => {
                let base = Duration::from_secs(config.retry_seconds);
                let delay = backoff(base, job.attempts);
                (job.attempts >= config.max_attempts, delay, "failed")
            }
            CallError::Refused(_) => (true, Duration::ZERO, "dead"),
        };
        job.is_dead = is_dead;
        job.due_at = now.saturating_add(milliseconds(delay));
        if is_dead { "dead" } else { outcome }
    }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Returns the delay after this number of failures: doubled by each, minus a random part of up to one half,
/// so that jobs that failed together are not retried together.
fn backoff(base: Duration, failures: u32) -> Duration {
    let doubled = base.saturating_mul(1 << failures.saturating_sub(1).min(20));
    doubled.min(MAX_DELAY).mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delay_doubles_with_jitter() {
        let base = Duration::from_secs(10);
        for (failures, min, max) in [(1, 5, 10), (2, 10, 20), (4, 40, 80), (30, 1800, 3600)] {
            for _ in 0..50 {
                let delay = backoff(base, failures).as_secs_f64();
                assert!((f64::from(min)..=f64::from(max)).contains(&delay));
            }
        }
        let delays: std::collections::BTreeSet<Duration> =
            (0..50).map(|_| backoff(base, 3)).collect();
        assert!(delays.len() > 40, "they are spread");
    }
}
