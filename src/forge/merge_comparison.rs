//! Compares a merged pull request with the answers to the issues that it closes. Writes nothing to the forge.

use super::Forges;
use super::answer::grant_of;
use super::client::CallError;
use super::dialect::{ThreadId, ThreadKind};
use super::task::{Task, TaskOutcome};
use crate::store::StoreError;

impl Forges {
    /// Compares the pull request of a task, which closes these issues.
    ///
    /// # Errors
    /// See [`CallError`]: it tells whether to retry.
    pub(super) async fn compare_merge(
        &self,
        task: &Task,
        closes: &[u64],
    ) -> Result<TaskOutcome, CallError> {
        let (host, repository) = self.host_and_repository(task)?;
        let name = repository.name.as_str();
        let issue = |number: &u64| ThreadId {
            project: task.thread.project.clone(),
            kind: ThreadKind::Issue,
            number: *number,
        };
        let issues = closes.iter().map(|number| issue(number).name(&task.forge));
        let issues: Vec<String> = issues.collect();
        let answers = self
            .feedback
            .latest_answers(name, &issues)
            .await
            .map_err(failed)?;
        if answers.is_empty() {
            return Ok(TaskOutcome::Quiet(
                "none of the issues that it closes was answered",
            ));
        }
        let ends = match task.diff() {
            Some(ends) => ends,
            None => host.ends(task.scope(), &task.thread).await?,
        };
        let grant = grant_of(&task.forge, &repository);
        let changed = self.engine.touched_code(&grant, name, ends).await;
        let changed = changed.map_err(|error| self.to_call_error(&repository, error))?;
        if changed.files.is_empty() {
            return Ok(TaskOutcome::Quiet("it changed no existing source file"));
        }
        let origin = task.name();
        let stored = self.feedback.record_merge(answers, &origin, &changed).await;
        Ok(TaskOutcome::Compared(stored.map_err(failed)?))
    }
}

fn failed(error: StoreError) -> CallError {
    CallError::Failed(error.to_string())
}
