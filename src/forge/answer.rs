//! Runs one task: asks the engine about the thread and posts a comment if the answer is certain enough. It
//! sees only the repository that the thread belongs to.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use foveate_query::{Format, Request};

use super::client::CallError;
use super::comment;
use super::dialect::ThreadKind;
use super::event::{Person, cut};
use super::publish::publish;
use super::task::{Task, TaskOutcome};
use super::{Forges, Host};
use crate::access::{Grant, Repositories, Scope as Reach};
use crate::engine::{AskError, Question, Repository, RevisionError, Target};
use crate::feedback::AnswerOrigin;

/// Delay before another attempt while the index is being built or the engine is busy.
const BUSY_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Maximum characters of code in a comment; the text around it takes some thousand more.
const MAX_CODE_CHARS: usize = 50_000;

impl Forges {
    /// Answers a query about a thread, unless it is the command of a person who may not give commands.
    ///
    /// # Errors
    /// See [`CallError`]: it tells whether to retry.
    pub(super) async fn answer(
        &self,
        task: &Task,
        query: String,
        unchecked: Option<&Person>,
    ) -> Result<TaskOutcome, CallError> {
        let (host, repository) = self.host_and_repository(task)?;
        let scope = task.scope();
        if let Some(person) = unchecked {
            // The event did not show what the person may do.
            let association = host.association(scope, person).await?;
            let allowed = &self.settings.config.command_associations;
            if !allowed.contains(&association) {
                return Ok(TaskOutcome::Quiet("its author may not give commands"));
            }
        }
        let question = self.question(host, task, query, &repository).await?;
        let grant = grant_of(&task.forge, &repository);
        let origin = AnswerOrigin {
            request_id: format!("job-{:032x}", fastrand::u128(..)),
            thread: Some(task.name()),
            query: self.feedback.query(&question.request.query),
        };
        let asked = self.engine.ask(&grant, question).await;
        let answered = asked.map_err(|error| self.to_call_error(&repository, error))?;
        self.feedback.record(&answered, origin);
        let confidence = answered.answer.pack.confidence;
        if confidence < self.settings.config.min_confidence || answered.answer.places.is_empty() {
            return Ok(TaskOutcome::Quiet(
                "the confidence of the answer is too low",
            ));
        }
        let thread = &task.thread;
        let page = host.page(&thread.project);
        let text = comment::render(&answered, thread.kind, &page, &self.settings.config);
        publish(host, scope, thread, &text).await
    }

    /// Returns the forge of a task, and the repository that is cloned from its project.
    pub(super) fn host_and_repository(
        &self,
        task: &Task,
    ) -> Result<(&Host, Arc<Repository>), CallError> {
        let refuse = |reason: &str| CallError::Refused(reason.to_owned());
        let host = self.host(&task.forge);
        let host = host.ok_or_else(|| refuse("the forge is no longer configured"))?;
        let repository = self.repository(host, &task.thread.project);
        let repository =
            repository.ok_or_else(|| refuse("the repository is not registered: it was deleted, or the registration failed (see the log)"))?;
        Ok((host, repository))
    }

    async fn question(
        &self,
        host: &Host,
        task: &Task,
        query: String,
        repository: &Repository,
    ) -> Result<Question, CallError> {
        let thread = &task.thread;
        let target = match (thread.kind, task.diff()) {
            (ThreadKind::Issue, _) => Target::Current,
            (ThreadKind::PullRequest, Some(ends)) => Target::Diff(ends),
            (ThreadKind::PullRequest, None) => Target::Diff(host.ends(task.scope(), thread).await?),
        };
        Ok(Question {
            repo: repository.name.as_str().to_owned(),
            target,
            request: Request {
                repo: repository.name.as_str().to_owned(),
                query: cut(query, self.settings.max_query_bytes),
                budget_tokens: self.settings.config.budget_tokens,
                max_chars: Some(MAX_CODE_CHARS),
                web_page: Some(host.page(&thread.project)),
                format: Format::Markdown,
                limit: comment::MAX_PLACES,
                ..Request::default()
            },
        })
    }

    /// Converts an engine error to a [`CallError`], which tells whether to retry.
    pub(super) fn to_call_error(&self, repository: &Repository, error: AskError) -> CallError {
        let reason = error.to_string();
        match error {
            AskError::Indexing { .. }
            | AskError::Building
            | AskError::Admission(_)
            | AskError::Deadline(_)
            | AskError::Revision(
                RevisionError::TooLong(_)
                | RevisionError::Unavailable(_)
                | RevisionError::RepositoryClosed
                | RevisionError::Damaged,
            ) => CallError::Later {
                reason,
                after: BUSY_RETRY_DELAY,
            },
            // The webhook may arrive before the push was fetched.
            AskError::Revision(RevisionError::UnknownRef(_) | RevisionError::LacksCommits(_)) => {
                repository.syncs.request();
                CallError::Failed(reason)
            }
            AskError::Failed(_)
            | AskError::Internal
            | AskError::Revision(RevisionError::Failed(_)) => CallError::Failed(reason),
            AskError::UnknownRepo(_) | AskError::Revision(_) => CallError::Refused(reason),
        }
    }
}

/// Returns the grant of one thread of a forge: read access to its repository alone.
pub(super) fn grant_of(forge: &str, repository: &Repository) -> Grant {
    let name = repository.name.as_str().to_owned();
    let names = Repositories::Named(BTreeSet::from([name]));
    Grant::new(forge, Reach::Read, names)
}
