//! Compares a merged pull request with the answers to the issues that it closes. Writes nothing to the forge.

use super::Forges;
use super::answer::grant_of;
use super::client::CallError;
use super::dialect::{ThreadId, ThreadKind};
use super::task::{MergeTask, TaskOutcome};
use crate::engine::DiffEnds;
use crate::store::StoreError;

impl Forges {
    /// Runs a task.
    ///
    /// # Errors
    /// See [`CallError`]: it tells whether to retry.
    pub async fn compare_merge(&self, task: &MergeTask) -> Result<TaskOutcome, CallError> {
        let source = &task.source;
        let (host, repository) = self.host_and_repository(source)?;
        let name = repository.name.as_str();
        let issue = |number: &u64| ThreadId {
            project: source.thread.project.clone(),
            kind: ThreadKind::Issue,
            number: *number,
        };
        let issues = task
            .closes
            .iter()
            .map(|number| issue(number).name(&source.forge));
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
        let ends = match task.ends.clone() {
            Some((base, head)) => DiffEnds { base, head },
            None => host.ends(source.scope(), &source.thread).await?,
        };
        let grant = grant_of(&source.forge, &repository);
        let changed = self.engine.touched_code(&grant, name, ends).await;
        let changed = changed.map_err(|error| self.to_call_error(&repository, error))?;
        if changed.files.is_empty() {
            return Ok(TaskOutcome::Quiet("it changed no existing source file"));
        }
        let origin = source.name();
        let stored = self.feedback.record_merge(answers, &origin, &changed).await;
        Ok(TaskOutcome::Compared(stored.map_err(failed)?))
    }
}

fn failed(error: StoreError) -> CallError {
    CallError::Failed(error.to_string())
}
