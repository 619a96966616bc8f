//! Takes the delivery of a webhook: checks who sent it, reads it, and queues what it asks for. It waits for
//! the database and for nothing else.

use axum::http::HeaderMap;
use sha2::{Digest as _, Sha256};
use tracing::Span;

use super::decide::{Decision, decide};
use super::dialect::header;
use super::event::{Event, EventError, Project};
use super::secret::SecretError;
use super::{Forges, Host, now};
use crate::access::Grant;
use crate::engine::{Repository, Source};
use crate::ingest::Registration;
use crate::store::{Delivered, NewJobRow, StoreError};
use crate::telemetry::trace;

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A job was queued.
    Queued,
    /// The repository is looked at again.
    Synced,
    /// It was taken before.
    Repeated,
    /// Nothing is done about it, for this reason.
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

/// Why a delivery was not taken.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// No such forge.
    #[error("no forge is called so; there are github, gitlab and gitea")]
    UnknownForge,
    /// Nobody could be believed.
    #[error("webhooks of {0} are not set up: forge.{0}.webhook_secret is empty")]
    NotSetUp(&'static str),
    /// The secret cannot be read.
    #[error("the secret of the webhook cannot be read; the server's log says why")]
    Secret(#[from] SecretError),
    /// Whoever sent it does not know the secret.
    #[error("the signature is missing or wrong: is the webhook's secret the one of this server?")]
    NotAuthentic,
    /// It is not what the forge documents.
    #[error(transparent)]
    Event(#[from] EventError),
    /// Too many jobs wait.
    #[error("forge.max_jobs jobs wait already")]
    Full,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Forges {
    /// Takes a delivery of the forge with this name.
    ///
    /// # Errors
    /// See [`WebhookError`]; nothing of it was kept then.
    pub async fn take(
        &self,
        forge: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Outcome, WebhookError> {
        let host = self.host(forge).ok_or(WebhookError::UnknownForge)?;
        let taken = self.taken(host, headers, body).await;
        let outcome = match &taken {
            Ok(outcome) => outcome.name(),
            Err(_) => "refused",
        };
        metrics::counter!("foveate_webhooks_total", "forge" => host.dialect.name(), "outcome" => outcome)
            .increment(1);
        taken
    }

    async fn taken(
        &self,
        host: &Host,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Outcome, WebhookError> {
        let name = host.dialect.name();
        let place = host.webhook_secret.as_ref();
        let secret = place.ok_or(WebhookError::NotSetUp(name))?.read()?;
        if !host.dialect.is_authentic(&secret, headers, body) {
            return Err(WebhookError::NotAuthentic);
        }
        let event = host.dialect.event(headers, body)?;
        let Some(project) = event.project().cloned() else {
            return Ok(match decide(&self.settings.config, name, event) {
                Decision::Nothing(reason) => Outcome::Ignored(reason),
                Decision::Sync | Decision::Answer(_) | Decision::Learn(_) => {
                    Outcome::Ignored("it names no repository")
                }
            });
        };
        let repository = self.repository(host, &project.name);
        if repository.is_none() && !self.may_register(&project.name) {
            return Ok(Outcome::Ignored("the repository is not registered here"));
        }
        if let (Event::Push(push), Some(repository)) = (&event, &repository) {
            warn_of_deleted(repository, &push.reference, push.head.is_none());
        }
        let task = match decide(&self.settings.config, name, event) {
            Decision::Nothing(reason) => return Ok(Outcome::Ignored(reason)),
            Decision::Learn(_) if !self.feedback.is_on() => {
                return Ok(Outcome::Ignored("nothing is kept of answers"));
            }
            decision => task_of(decision)?,
        };
        let is_push = task.is_none();
        let digests = digests(host, headers, body, is_push && repository.is_some());
        let max_jobs = self.settings.config.max_jobs;
        let delivered = self.store.deliver(&digests, task.as_ref(), now(), max_jobs);
        match delivered.await? {
            Delivered::Repeated => return Ok(Outcome::Repeated),
            Delivered::Full => return Err(WebhookError::Full),
            Delivered::Taken => {}
        }
        match &repository {
            None => self.register(host, &project).await,
            Some(repository) if is_push => repository.order_sync(),
            Some(_) => {}
        }
        if is_push {
            return Ok(Outcome::Synced);
        }
        metrics::counter!("foveate_jobs_total", "outcome" => "queued").increment(1);
        self.wake.notify_one();
        Ok(Outcome::Queued)
    }

    /// Whether repositories of the project's owner are registered without being asked to.
    fn may_register(&self, project: &str) -> bool {
        let owner = project.split('/').next().unwrap_or_default();
        let is_named = |named: &String| named == "*" || named.eq_ignore_ascii_case(owner);
        self.settings.config.register_owners.iter().any(is_named)
    }

    /// Registers a project. What fails is logged: the forge cannot do anything about it.
    async fn register(&self, host: &Host, project: &Project) {
        let registration = Registration {
            name: project.name.clone(),
            source: Source::Git {
                location: format!("{}.git", host.address(&project.name)),
                reference: None,
                poll: None,
            },
        };
        let grant = Grant::unrestricted();
        match self.catalog.register(&grant, registration).await {
            Ok(repository) => {
                tracing::info!(repo = repository.name().as_str(), "registered by a webhook");
            }
            Err(error) => {
                tracing::warn!(%error, "a repository that a webhook told of was not registered");
            }
        }
    }
}

/// The job that a decision leads to, in the trace of the webhook.
fn task_of(decision: Decision) -> Result<Option<NewJobRow>, EventError> {
    let job = match decision {
        Decision::Nothing(_) | Decision::Sync => return Ok(None),
        Decision::Learn(mut task) => {
            task.traceparent = own_trace();
            task.job()
        }
        Decision::Answer(mut task) => {
            task.traceparent = own_trace();
            task.job()
        }
    };
    job.map(Some).map_err(unwritable)
}

/// The trace of the webhook that is being taken.
fn own_trace() -> Option<String> {
    let parent = trace::parent(&Span::current())?;
    Some(parent.to_str().ok()?.to_owned())
}

fn unwritable(_: serde_json::Error) -> EventError {
    EventError("the event cannot be written as a job".to_owned())
}

fn warn_of_deleted(repository: &Repository, reference: &str, is_deleted: bool) {
    let Source::Git {
        reference: Some(registered),
        ..
    } = repository.source()
    else {
        return;
    };
    let branch = reference
        .strip_prefix("refs/heads/")
        .or_else(|| reference.strip_prefix("refs/tags/"));
    if is_deleted && branch == Some(registered) {
        let repo = repository.name().as_str();
        tracing::warn!(
            repo,
            "the registered branch or tag was deleted: answers stay as they are"
        );
    }
}

/// What a delivery is known by: its number, which nobody signs, and its body, which whoever repeats it must
/// repeat. A push to a registered repository is known by its number alone, where it has one: GitLab says the same of a
/// branch that moves to a commit, back, and there again. Whoever repeats it has the repository looked at, no more.
fn digests(host: &Host, headers: &HeaderMap, body: &[u8], by_number: bool) -> Vec<String> {
    let name = host.dialect.name();
    let digest = |kind: &str, bytes: &[u8]| {
        let mut hash = Sha256::new();
        hash.update(bytes);
        format!("{name} {kind} {}", hex::encode(hash.finalize()))
    };
    let number = header(headers, host.dialect.delivery_header());
    if number.is_empty() {
        return vec![digest("body", body)];
    }
    let mut digests = vec![digest("number", number.as_bytes())];
    if !by_number {
        digests.push(digest("body", body));
    }
    digests
}
