//! Does the jobs in the queue, some at a time, those of one thread one after the other. What fails is tried
//! again later and later, and then given up. A job is in the queue until it is done, so that a crash loses
//! none, and doing it twice writes the same comment. It is taken for [`LEASE`] and held while it is being done,
//! so that of several servers one does it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::{AbortHandle, Id, JoinSet};
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
/// Time after which another server takes a job that this one was doing, if it died.
const LEASE: Duration = Duration::from_secs(30);
/// Time between two extensions of it.
const HOLD: Duration = Duration::from_secs(10);
/// Time after which a job waits no longer for its repository: a webhook queues it before it registers that,
/// and other servers hear of it later still.
const REGISTERING: Duration = Duration::from_secs(15);
/// Longest time for one attempt.
const MAX_ATTEMPT: Duration = Duration::from_secs(600);
/// Longest time between two attempts.
const MAX_DELAY: Duration = Duration::from_secs(3600);
/// Time after which a job is given up that nobody fails and that still cannot be done.
const MAX_AGE: Duration = Duration::from_secs(3 * 24 * 3600);

/// The jobs that are being done.
type Running = HashMap<Id, (JobRow, AbortHandle)>;
/// What became of an attempt.
type Attempt = (JobRow, Result<(), CallError>);

impl Forges {
    /// Does jobs until `stop` is cancelled; those being done then have `grace` to end.
    pub async fn work(self: Arc<Self>, stop: CancellationToken, grace: Duration) {
        let mut tasks: JoinSet<Attempt> = JoinSet::new();
        let mut running = Running::new();
        let mut changes = self.store.subscribe();
        let mut held = Instant::now();
        let mut is_lost = false;
        let delay = Duration::from_secs(self.settings.config.retry_seconds);
        if let Err(error) = self.store.free_jobs(now(), milliseconds(delay)).await {
            tracing::error!(%error, "jobs that were cut off wait");
        }
        loop {
            match self.start_due(&mut tasks, &mut running).await {
                Ok(()) => is_lost = false,
                Err(error) => {
                    if !std::mem::replace(&mut is_lost, true) {
                        tracing::error!(%error, "the queue of jobs cannot be read");
                    }
                }
            }
            if held.elapsed() >= HOLD {
                self.hold(&running, LEASE).await;
                held = Instant::now();
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = tasks.join_next_with_id() => {
                    self.settle(&mut running, ended).await;
                }
                () = self.wake.notified() => {}
                _ = changes.changed() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
        self.hold(&running, LEASE + grace).await;
        let rest = async {
            while let Some(ended) = tasks.join_next_with_id().await {
                self.settle(&mut running, ended).await;
            }
        };
        if tokio::time::timeout(grace, rest).await.is_err() {
            tracing::info!("jobs that were being done are done again at the next start");
            tasks.abort_all();
            for (job, _) in running.values() {
                if let Err(error) = self.store.give_back_job(job).await {
                    tracing::warn!(job = job.id, %error, "a job waits until its lease ends");
                }
            }
        }
    }

    /// Starts as many due jobs as there is room for.
    async fn start_due(
        self: &Arc<Self>,
        tasks: &mut JoinSet<Attempt>,
        running: &mut Running,
    ) -> Result<(), StoreError> {
        let config = &self.settings.config;
        while tasks.len() < config.workers as usize {
            let now = now();
            let until = now.saturating_add(milliseconds(LEASE));
            let Some(job) = self.store.take_job(now, until).await? else {
                break;
            };
            let refused = |reason: &str| Err(CallError::Refused(reason.to_owned()));
            let Ok(work) = serde_json::from_str::<Work>(&job.task) else {
                let unreadable = refused("an earlier program wrote it, and it cannot be read");
                self.write_down((job, unreadable)).await;
                continue;
            };
            if job.attempts > config.max_attempts {
                let deadly = refused("each time it was done the server ended before it was");
                self.write_down((job, deadly)).await;
                continue;
            }
            let (forges, kept) = (Arc::clone(self), job.clone());
            let span = tracing::error_span!("job", job = job.id, trace_id = Empty);
            trace::resume(&span, work.traceparent());
            let attempt = async move { forges.attempt(job, work).await };
            let started = tasks.spawn(attempt.instrument(span));
            running.insert(started.id(), (kept, started));
        }
        Ok(())
    }

    /// Takes the jobs that are being done for longer. One that another server took, because this one could
    /// not reach the database for so long, is left to that.
    async fn hold(&self, running: &Running, time: Duration) {
        let until = now().saturating_add(milliseconds(time));
        for (job, task) in running.values() {
            match self.store.hold_job(job, until).await {
                Ok(true) => {}
                Ok(false) => {
                    tracing::warn!(job = job.id, "another server has taken the job");
                    task.abort();
                }
                Err(error) => tracing::warn!(job = job.id, %error, "the job cannot be held"),
            }
        }
    }

    async fn attempt(&self, job: JobRow, work: Work) -> Attempt {
        let start = Instant::now();
        let doing = async {
            let (forge, project) = work.project();
            let age = now().saturating_sub(job.created_at);
            if age < milliseconds(REGISTERING) && self.place(forge, project).is_err() {
                return Err(CallError::Later {
                    after: LOOK,
                    reason: "its repository is being registered".to_owned(),
                });
            }
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

    /// Makes room for the next job, and writes down what became of this one.
    async fn settle(
        &self,
        running: &mut Running,
        ended: Result<(Id, Attempt), tokio::task::JoinError>,
    ) {
        match ended {
            Ok((id, attempt)) => {
                running.remove(&id);
                self.write_down(attempt).await;
            }
            Err(error) => {
                let Some((job, _)) = running.remove(&error.id()) else {
                    return;
                };
                if error.is_cancelled() {
                    return;
                }
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
                // It could not be made.
                job.attempts = job.attempts.saturating_sub(1);
                let age = now.saturating_sub(job.created_at);
                (age > milliseconds(MAX_AGE), after)
            }
            CallError::Failed(_) => {
                let base = Duration::from_secs(config.retry_seconds);
                (
                    job.attempts >= config.max_attempts,
                    backoff(base, job.attempts),
                )
            }
            CallError::Refused(_) => (true, Duration::ZERO),
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
    let doubled = base.saturating_mul(1 << failures.saturating_sub(1).min(20));
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
