//! Answers validated questions: finds the snapshot, waits for a permit, and runs the pure `answer` off the async
//! threads, under a deadline. The issues of an answer name what it lacks.

mod issues;
mod telemetry;
mod touched_code;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use foveate_index::{Revision, Snapshot};
use foveate_query::{Answer, Deadline, Issue, RankingConfig, Request};
use tracing::Instrument as _;

use super::published::PublishedSnapshot;
use super::{
    AdmissionError, Diff, DiffEnds, Engine, Reply, Repository, RevisionError, RevisionRequest,
    Source, State, web_page,
};
use crate::access::Grant;
use crate::access::audit::{self, Action, Outcome};
pub use issues::{history_issue, without_git};
use issues::{issues, state_issues};
pub use touched_code::TouchedCode;

/// After this percentage of the time for an answer, optional work is skipped, and an issue of the answer says so. The
/// rest of the time is for finishing what has begun: otherwise there would be no answer at all.
const SOFT_PERCENT: u32 = 80;

/// A question to one repository.
#[derive(Clone, Debug)]
pub struct Question {
    /// Name of the repository.
    pub repo: String,
    /// The revision to answer from.
    pub target: Target,
    /// The request itself.
    pub request: Request,
}

/// The revision that a question is answered from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The current snapshot.
    Current,
    /// A commit, branch or tag.
    Revision(String),
    /// The head of a diff, with its changes.
    Diff(DiffEnds),
}

/// A resolved target.
struct ResolvedTarget {
    snapshot: Arc<Snapshot>,
    /// Changed files that the snapshot does not hold yet.
    pending_files: usize,
    diff: Option<Diff>,
    issue: Option<Issue>,
}

/// An answer, and the snapshot that it was made from.
#[derive(Debug)]
pub struct AnswerWithSnapshot {
    /// Name of the repository.
    pub repo: String,
    /// The snapshot that the answer was made from.
    pub snapshot: Arc<Snapshot>,
    /// The answer; its `issues` include the engine's.
    pub answer: Answer,
    /// Changed files that the snapshot does not hold yet.
    pub pending_files: usize,
    /// Milliseconds from the question to the answer, waiting included.
    pub total_ms: f64,
}

/// The repository and revision of a lookup.
#[derive(Clone, Debug)]
pub struct LookupTarget {
    /// Name of the repository.
    pub repo: String,
    /// A commit, branch or tag; `None` for the current snapshot.
    pub reference: Option<String>,
}

/// The result of a lookup, and the snapshot that it was made in.
#[derive(Debug)]
pub struct LookupWithSnapshot<T> {
    /// Name of the repository.
    pub repo: String,
    /// The snapshot that was searched.
    pub snapshot: Arc<Snapshot>,
    /// The result.
    pub value: T,
    /// Changed files that the snapshot does not hold yet.
    pub pending_files: usize,
    /// Reasons why the snapshot may differ from the source.
    pub issues: Vec<Issue>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum AskError {
    #[error("no repository is called {0:?}")]
    UnknownRepo(String),
    #[error("the repository is being indexed ({phase}{})", steps(*done, *total))]
    Indexing {
        phase: &'static str,
        done: usize,
        /// Steps of the phase in all; 0 where that is not known.
        total: usize,
    },
    #[error("the repository could not be indexed: {0}")]
    Failed(String),
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// The revision's index is not built yet; the build goes on.
    #[error("the index of this revision is still being built")]
    Building,
    /// It was rejected by the queue, or got no permit in time.
    #[error(transparent)]
    Admission(#[from] AdmissionError),
    #[error("the answer took longer than {0:?}")]
    Deadline(Duration),
    #[error("answering failed")]
    Internal,
}

/// Returns how far a phase is, if that is known. The steps are files or, in a transfer, objects.
fn steps(done: usize, total: usize) -> String {
    match total {
        0 => String::new(),
        total => format!(", {done} of {total}"),
    }
}

impl Engine {
    /// Answers a question of the holder of a grant.
    pub async fn ask(
        &self,
        grant: &Grant,
        question: Question,
    ) -> Result<AnswerWithSnapshot, AskError> {
        let Question {
            repo,
            target,
            mut request,
        } = question;
        self.with_repository(grant, Action::Ask, &repo, async move |repository| {
            let start = Instant::now();
            if let (None, Source::Git { location, .. }) = (&request.web_page, &repository.source) {
                request.web_page = web_page::of(location);
            }
            let mut target = self.resolve(grant, &repository, target).await?;
            if let Some(diff) = target.diff.take() {
                diff.add_to(&mut request);
            }
            let ranking = Arc::clone(&self.ranking);
            let work = move |snapshot: &Snapshot, due: &Deadline| {
                answer_now(snapshot, &request, &ranking, due)
            };
            let mut answer = self.work_on(grant, &target.snapshot, work).await?;
            answer.issues.extend(target.issue);
            answer.issues.extend(issues(&repository, &target.snapshot));
            let total = start.elapsed();
            telemetry::record(&answer, total);
            Ok(AnswerWithSnapshot {
                repo: repository.name.as_str().to_owned(),
                snapshot: target.snapshot,
                answer,
                pending_files: target.pending_files,
                total_ms: total.as_secs_f64() * 1000.0,
            })
        })
        .await
    }

    /// Finds a repository for the holder of a grant and does `work` with it. Adds the repository to the span of the
    /// request, and the outcome of the work to the audit trail.
    async fn with_repository<T, Work: Future<Output = Result<T, AskError>>>(
        &self,
        grant: &Grant,
        action: Action,
        repo: &str,
        work: impl FnOnce(Arc<Repository>) -> Work,
    ) -> Result<T, AskError> {
        let found = self.get(grant, repo);
        let result = match &found {
            Some(repository) => {
                tracing::Span::current().record("repo", repository.name.as_str());
                work(Arc::clone(repository)).await
            }
            None => Err(AskError::UnknownRepo(repo.to_owned())),
        };
        let seen = found.as_deref().map(|repository| repository.name.as_str());
        audit::record(grant, action, seen, outcome(&result));
        result
    }

    /// Looks something up for the holder of a grant: under the same permits and deadline as a question,
    /// in the snapshot of a commit, branch or tag, or the current one.
    pub async fn lookup<T: Send + 'static>(
        &self,
        grant: &Grant,
        target: LookupTarget,
        lookup: impl FnOnce(&Snapshot, &Deadline) -> T + Send + 'static,
    ) -> Result<LookupWithSnapshot<T>, AskError> {
        let LookupTarget { repo, reference } = target;
        self.with_repository(grant, Action::LookUp, &repo, async move |repository| {
            let start = Instant::now();
            let target = reference.map_or(Target::Current, Target::Revision);
            let target = self.resolve(grant, &repository, target).await?;
            let value = self.work_on(grant, &target.snapshot, lookup).await?;
            metrics::histogram!("foveate_lookup_seconds").record(start.elapsed());
            Ok(LookupWithSnapshot {
                repo: repository.name.as_str().to_owned(),
                issues: state_issues(&repository, &target.snapshot),
                snapshot: target.snapshot,
                value,
                pending_files: target.pending_files,
            })
        })
        .await
    }

    /// Waits for a permit and runs `work` on an answer thread, within the deadline of one answer.
    async fn work_on<T: Send + 'static>(
        &self,
        grant: &Grant,
        snapshot: &Arc<Snapshot>,
        work: impl FnOnce(&Snapshot, &Deadline) -> T + Send + 'static,
    ) -> Result<T, AskError> {
        let asked = Instant::now();
        let deadline = self.settings.deadline;
        let due = Deadline::at(asked + deadline * SOFT_PERCENT / 100);
        let permit = self.permits.queue.acquire(grant.who(), deadline);
        let permit = permit.instrument(tracing::debug_span!("wait")).await?;
        metrics::histogram!("foveate_permit_wait_seconds").record(asked.elapsed());
        let snapshot = Arc::clone(snapshot);
        let done = self.permits.work(permit, move || {
            let value = work(&snapshot, &due);
            let Revision { commit, dirty } = &snapshot.revision;
            tracing::debug!(commit, dirty, generation = snapshot.generation, "answered");
            value
        });
        let left = deadline.saturating_sub(asked.elapsed());
        match tokio::time::timeout(left, done).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(_)) => Err(AskError::Internal),
            Err(_) => Err(AskError::Deadline(deadline)),
        }
    }

    /// Waits until an unloaded repository is in memory. Concurrent callers reload it once.
    async fn reload(&self, repository: &Repository, until: Instant) -> Result<(), AskError> {
        if repository.unloaded().is_none() {
            return Ok(());
        }
        let mut changes = repository.changes();
        repository.request_reload();
        self.reload_wanted.notify_one();
        let is_loaded = || repository.unloaded().is_none() || repository.has_failed();
        let loaded = async { while !is_loaded() && changes.changed().await.is_ok() {} };
        tokio::select! {
            biased;
            () = loaded => Ok(()),
            () = repository.requests.closed() => Err(RevisionError::RepositoryClosed.into()),
            () = tokio::time::sleep_until(until.into()) => Err(AskError::Building),
        }
    }

    /// Returns the current snapshot of a repository, once it is in memory, and until when to wait for snapshots of
    /// other revisions.
    async fn loaded(
        &self,
        repository: &Repository,
    ) -> Result<(Arc<PublishedSnapshot>, Instant), AskError> {
        repository.touch();
        let until = Instant::now() + self.settings.build_deadline;
        self.reload(repository, until).await?;
        Ok((current(repository)?, until))
    }

    /// Resolves a target to its snapshot and its changes.
    async fn resolve(
        &self,
        grant: &Grant,
        repository: &Repository,
        target: Target,
    ) -> Result<ResolvedTarget, AskError> {
        let (current, until) = self.loaded(repository).await?;
        let mut resolved = ResolvedTarget {
            snapshot: Arc::clone(&current.snapshot),
            pending_files: 0,
            diff: None,
            issue: None,
        };
        match target {
            Target::Current => resolved.pending_files = repository.pending_files(),
            Target::Revision(reference) => {
                resolved.snapshot = revision(grant, repository, &current, reference, until).await?;
            }
            Target::Diff(ends) => {
                let request = |reply| RevisionRequest::Diff { ends, reply };
                let diff: Diff = requested(grant, repository, until, request).await?;
                resolved.issue = diff.issue();
                // By commit: a branch may move meanwhile, and the diff and the answer must be of the same commit.
                let head = diff.head.clone();
                resolved.snapshot = revision(grant, repository, &current, head, until).await?;
                resolved.diff = Some(diff);
            }
        }
        Ok(resolved)
    }
}

/// Returns the outcome of an action for the audit trail.
fn outcome<T>(result: &Result<T, AskError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(AskError::UnknownRepo(_)) => Outcome::Unknown,
        Err(AskError::Admission(_)) => Outcome::Limited,
        Err(_) => Outcome::Failed,
    }
}

/// Returns the current snapshot, or why there is none.
fn current(repository: &Repository) -> Result<Arc<PublishedSnapshot>, AskError> {
    repository.current().ok_or_else(|| {
        let status = repository.status();
        if let (State::Failed, Some(error)) = (status.state, &status.error) {
            return AskError::Failed(error.clone());
        }
        let (phase, done, total) = repository.progress.read();
        AskError::Indexing {
            phase: phase.name(),
            done,
            total,
        }
    })
}

/// Returns the snapshot of a commit, branch or tag, and requests it from the layer above where it is not warm.
async fn revision(
    grant: &Grant,
    repository: &Repository,
    current: &PublishedSnapshot,
    reference: String,
    until: Instant,
) -> Result<Arc<Snapshot>, AskError> {
    let revision = &current.snapshot.revision;
    if revision.commit == reference && !revision.dirty {
        return Ok(Arc::clone(&current.snapshot));
    }
    if let Some(snapshot) = repository.revisions.get(&reference) {
        return Ok(snapshot);
    }
    let request = |reply| RevisionRequest::Revision { reference, reply };
    requested(grant, repository, until, request).await
}

/// Sends a request to the layer above and waits for the reply until `until`.
async fn requested<T>(
    grant: &Grant,
    repository: &Repository,
    until: Instant,
    request: impl FnOnce(Reply<T>) -> RevisionRequest,
) -> Result<T, AskError> {
    let left = until.saturating_duration_since(Instant::now());
    let permit = repository.requests.queue.acquire(grant.who(), left).await;
    let permit = permit.map_err(|error| match error {
        AdmissionError::QueueFull => error.into(),
        AdmissionError::TimedOut => AskError::Building,
    })?;
    let requested = repository.requests.send(permit, request);
    match tokio::time::timeout_at(until.into(), requested).await {
        Ok(outcome) => Ok(outcome?),
        Err(_) => Err(AskError::Building),
    }
}

/// Answers on this thread. Blocks for milliseconds: not for async threads.
pub fn answer_now(
    snapshot: &Snapshot,
    request: &Request,
    ranking: &RankingConfig,
    deadline: &Deadline,
) -> Answer {
    let (start, begun) = (Instant::now(), SystemTime::now());
    let now = || start.elapsed().as_secs_f64() * 1000.0;
    let answer = foveate_query::answer(snapshot, request, ranking, deadline, &now);
    telemetry::trace_stages(&answer, begun);
    answer
}
