//! Accepts the delivery of a webhook: verifies the sender, parses it, and queues a job. It waits for nothing
//! but the database.

use std::sync::Arc;

use axum::http::HeaderMap;
use sha2::{Digest as _, Sha256};
use tracing::Span;

use super::decide::decide;
use super::dialect::{Proof, header};
use super::event::{Event, EventError, Project};
use super::secret::{Secret, SecretError};
use super::task::Work;
use super::{Forges, Host};
use crate::access::Grant;
use crate::engine::{Repository, Source};
use crate::ingest::Registration;
use crate::store::{DeliveryOutcome, NewJobRow, StoreError, now_millis};
use crate::telemetry::trace;

/// Result of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A job was queued.
    Queued,
    /// The repository is synced.
    Synced,
    /// The delivery was already accepted before.
    Repeated,
    /// It is ignored, for this reason.
    Ignored(&'static str),
}

impl Outcome {
    /// The stable name used on the wire and in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Synced => "synced",
            Self::Repeated => "repeated",
            Self::Ignored(_) => "ignored",
        }
    }
}

/// Why a delivery was not accepted.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum WebhookError {
    #[error("unknown forge; expected github, gitlab or gitea")]
    UnknownForge,
    /// The forge has no webhook secret, so no sender can be verified.
    #[error("webhooks of {0} are not set up: forge.{0}.webhook_secret is empty")]
    NotSetUp(&'static str),
    #[error("the secret of the webhook cannot be read; the server's log says why")]
    Secret(#[from] SecretError),
    #[error(
        "the signature is missing or wrong: check that the forge and this server have the same webhook secret"
    )]
    NotAuthentic,
    /// It does not have the form that the forge documents.
    #[error(transparent)]
    Event(#[from] EventError),
    #[error("the job queue is full (forge.max_jobs)")]
    Full,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The sender of a webhook, as far as its headers tell.
#[derive(Debug)]
pub struct Sender<'a> {
    host: &'a Host,
    secret: Secret,
    proof: Proof,
}

impl Sender<'_> {
    /// Parses the body of a delivery, once it is certain that the sender knows the secret.
    fn event(&self, headers: &HeaderMap, body: &[u8]) -> Result<Event, WebhookError> {
        if !self.proof.is_valid(&self.secret, body) {
            return Err(WebhookError::NotAuthentic);
        }
        Ok(self.host.dialect.event(headers, body)?)
    }
}

/// What a delivery asks for: a sync or a job.
struct DeliveryAction {
    project: Project,
    /// `None` where it is yet to be registered.
    repository: Option<Arc<Repository>>,
    /// `None` for a push, which only syncs.
    job: Option<NewJobRow>,
}

impl DeliveryAction {
    fn is_push(&self) -> bool {
        self.job.is_none()
    }
}

impl Forges {
    /// Returns the sender of a delivery for the forge with this name. The body of a stranger need not be read.
    ///
    /// # Errors
    /// [`WebhookError::UnknownForge`], [`WebhookError::NotSetUp`], [`WebhookError::Secret`] or
    /// [`WebhookError::NotAuthentic`].
    pub fn sender(&self, forge: &str, headers: &HeaderMap) -> Result<Sender<'_>, WebhookError> {
        let host = self.host(forge).ok_or(WebhookError::UnknownForge)?;
        sender(host, headers).inspect_err(|_| count(host, "refused"))
    }

    /// Accepts a delivery.
    ///
    /// # Errors
    /// See [`WebhookError`]; nothing of the delivery is stored then, unless the database fails meanwhile.
    pub async fn accept(
        &self,
        sender: &Sender<'_>,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Outcome, WebhookError> {
        let result = self.handle(sender, headers, body).await;
        count(
            sender.host,
            result.as_ref().map_or("refused", |outcome| outcome.name()),
        );
        result
    }

    async fn handle(
        &self,
        sender: &Sender<'_>,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Outcome, WebhookError> {
        let host = sender.host;
        let event = sender.event(headers, body)?;
        let action = match self.action(host, event) {
            Ok(action) => action,
            Err(reason) => return Ok(Outcome::Ignored(reason)),
        };
        let by_number = action.is_push() && action.repository.is_some();
        let digests = digests(host, headers, body, by_number);
        self.carry_out(host, action, &digests).await
    }

    /// Returns what an event asks for, or why it is ignored.
    fn action(&self, host: &Host, event: Event) -> Result<DeliveryAction, &'static str> {
        let (config, name) = (&self.settings.config, host.dialect.name());
        let Some(project) = event.project().cloned() else {
            let reason = decide(config, name, event).err();
            return Err(reason.unwrap_or("it names no repository"));
        };
        let repository = self.repository(host, &project.name);
        if repository.is_none() && !self.may_register(&project.name) {
            return Err("the repository is not registered here");
        }
        if let (Event::Push(push), Some(repository)) = (&event, &repository) {
            warn_of_deleted(repository, &push.reference, push.head.is_none());
        }
        let mut task = decide(config, name, event)?;
        if let Some(task) = &mut task {
            if matches!(task.work, Work::CompareMerge { .. }) && !self.feedback.is_on() {
                return Err("answers are not recorded (feedback.record is off)");
            }
            task.traceparent = current_traceparent();
        }
        Ok(DeliveryAction {
            project,
            repository,
            job: task.map(|task| task.job()),
        })
    }

    /// Stores a delivery, unless it is a repeated one, and does what it asks for.
    async fn carry_out(
        &self,
        host: &Host,
        action: DeliveryAction,
        digests: &[String],
    ) -> Result<Outcome, WebhookError> {
        let (job, max_jobs) = (action.job.as_ref(), self.settings.config.max_jobs);
        let delivered = self.store.deliver(digests, job, now_millis(), max_jobs);
        match delivered.await? {
            DeliveryOutcome::Repeated => return Ok(Outcome::Repeated),
            DeliveryOutcome::Full => return Err(WebhookError::Full),
            DeliveryOutcome::Accepted => {}
        }
        if action.repository.is_none() && !self.register(host, &action.project).await {
            // When the reason is gone, the forge must be able to send the delivery again.
            self.store.forget_delivery(digests).await?;
            if action.is_push() {
                return Ok(Outcome::Ignored(
                    "its repository cannot be registered; the log of the server has the reason",
                ));
            }
        }
        if action.is_push() {
            if let Some(repository) = &action.repository {
                repository.syncs.request();
            }
            return Ok(Outcome::Synced);
        }
        metrics::counter!("foveate_jobs_total", "outcome" => "queued").increment(1);
        self.wake.notify_one();
        Ok(Outcome::Queued)
    }

    /// Whether webhooks may register repositories of the project's owner.
    fn may_register(&self, project: &str) -> bool {
        let owner = project.split('/').next().unwrap_or_default();
        let is_named = |named: &String| named == "*" || named.eq_ignore_ascii_case(owner);
        self.settings.config.register_owners.iter().any(is_named)
    }

    /// Registers a project, and returns whether that was done. An error is only logged: the forge cannot do anything
    /// about it.
    async fn register(&self, host: &Host, project: &Project) -> bool {
        let registration = Registration {
            name: project.name.clone(),
            source: Source::Git {
                location: format!("{}.git", host.address(&project.name)),
                reference: None,
                poll: None,
            },
        };
        let grant = Grant::unrestricted();
        let registered = self.catalog.register(&grant, registration).await;
        match &registered {
            Ok(repository) => {
                tracing::info!(repo = repository.name.as_str(), "registered by a webhook");
            }
            Err(error) => tracing::warn!(%error, "cannot register the repository of a webhook"),
        }
        registered.is_ok()
    }
}

fn sender<'a>(host: &'a Host, headers: &HeaderMap) -> Result<Sender<'a>, WebhookError> {
    let source = host.webhook_secret.as_ref();
    let source = source.ok_or(WebhookError::NotSetUp(host.dialect.name()))?;
    let secret = source.read()?;
    let proof = host.dialect.proof(headers);
    let proof = proof.filter(|proof| proof.may_be_valid(&secret));
    Ok(Sender {
        host,
        proof: proof.ok_or(WebhookError::NotAuthentic)?,
        secret,
    })
}

fn count(host: &Host, outcome: &'static str) {
    metrics::counter!("foveate_webhooks_total", "forge" => host.dialect.name(), "outcome" => outcome)
        .increment(1);
}

/// Returns the trace context of the webhook that is being handled.
fn current_traceparent() -> Option<String> {
    let parent = trace::parent(&Span::current())?;
    Some(parent.to_str().ok()?.to_owned())
}

fn warn_of_deleted(repository: &Repository, reference: &str, is_deleted: bool) {
    let Source::Git {
        reference: Some(registered),
        ..
    } = &repository.source
    else {
        return;
    };
    let branch = reference
        .strip_prefix("refs/heads/")
        .or_else(|| reference.strip_prefix("refs/tags/"));
    if is_deleted && branch == Some(registered) {
        let repo = repository.name.as_str();
        tracing::warn!(
            repo,
            "the registered branch or tag was deleted: its last commit stays in use"
        );
    }
}

/// Returns the digests that identify a repeated delivery. One is of its number, which the signature does not cover, one
/// of its body, which a replay cannot change. With `by_number`, a delivery that has a number is identified by the
/// number alone: GitLab sends equal bodies when a branch moves back and forth, and a replayed push only causes a poll.
fn digests(host: &Host, headers: &HeaderMap, body: &[u8], by_number: bool) -> Vec<String> {
    let name = host.dialect.name();
    let digest = |kind: &str, bytes: &[u8]| {
        let mut hash = Sha256::new();
        hash.update(bytes);
        format!("{name} {kind} {}", hex::encode(hash.finalize()))
    };
    let number = header(headers, host.dialect.delivery_header());
    let number = (!number.is_empty()).then(|| digest("number", number.as_bytes()));
    let body = (number.is_none() || !by_number).then(|| digest("body", body));
    number.into_iter().chain(body).collect()
}
