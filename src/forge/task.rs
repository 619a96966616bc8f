//! Defines the jobs as they are stored in the database, and their results.

use serde::{Deserialize, Serialize};

use super::dialect::ThreadId;
use super::event::Person;
use crate::engine::DiffEnds;
use crate::store::NewJobRow;

/// The work of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Work {
    /// Compares a merged change with the earlier answers.
    CompareMerge(MergeTask),
    /// Writes a comment. Earlier versions queued only this kind.
    Answer(Task),
}

impl Work {
    /// Trace context of the webhook that caused it.
    pub fn traceparent(&self) -> Option<&str> {
        match self {
            Self::CompareMerge(task) => task.traceparent.as_deref(),
            Self::Answer(task) => task.traceparent.as_deref(),
        }
    }

    /// Returns the names of its forge and its project.
    pub fn project(&self) -> (&str, &str) {
        match self {
            Self::CompareMerge(task) => (&task.forge, &task.thread.project),
            Self::Answer(task) => (&task.forge, &task.thread.project),
        }
    }
}

/// A merged pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeTask {
    /// Name of the forge.
    pub forge: String,
    /// The pull request.
    pub thread: ThreadId,
    /// The installation that got the webhook.
    pub installation: Option<u64>,
    /// Numbers of the issues that it closes.
    pub closes: Vec<u64>,
    /// Base and head commit, if known.
    pub ends: Option<(String, String)>,
    /// Trace context of the webhook, in the format of the `traceparent` header.
    #[serde(default)]
    pub traceparent: Option<String>,
}

impl MergeTask {
    /// Builds the job. It replaces no other job of the thread: a comment may still have to be written.
    ///
    /// # Errors
    /// Never: strings and numbers always serialize.
    pub fn job(&self) -> Result<NewJobRow, serde_json::Error> {
        Ok(NewJobRow {
            subject: format!("{} merged", self.thread.name(&self.forge)),
            thread: self.thread.name(&self.forge),
            task: serde_json::to_string(self)?,
        })
    }
}

/// Result of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// A comment was written.
    Written,
    /// The existing comment already has this text.
    Unchanged,
    /// The merged change was compared with this number of answers.
    Compared(usize),
    /// Nothing was written, for this reason.
    Quiet(&'static str),
}

/// One comment to write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Name of the forge.
    pub forge: String,
    /// The thread to comment on.
    pub thread: ThreadId,
    /// The installation that got the webhook.
    pub installation: Option<u64>,
    /// Title and body of the thread.
    pub question: String,
    /// Text of the command, added to the question; may be empty.
    pub words: String,
    /// The person whose permission to give commands must be checked first, if the event did not show it.
    pub unchecked: Option<Person>,
    /// Base and head commit of a pull request, if known.
    pub ends: Option<(String, String)>,
    /// Trace context of the webhook, in the format of the `traceparent` header.
    #[serde(default)]
    pub traceparent: Option<String>,
}

impl Task {
    /// Name of the thread. Two tasks with the same name must not run at the same time.
    pub fn thread(&self) -> String {
        self.thread.name(&self.forge)
    }

    /// Builds the job. Without a verified permission it cannot replace jobs that others asked for.
    ///
    /// # Errors
    /// Never: strings and numbers always serialize.
    pub fn job(&self) -> Result<NewJobRow, serde_json::Error> {
        let subject = match &self.unchecked {
            Some(person) => format!("{} asked by {}", self.thread(), person.id),
            None => self.thread(),
        };
        Ok(NewJobRow {
            subject,
            thread: self.thread(),
            task: serde_json::to_string(self)?,
        })
    }

    /// Base and head of the pull request, if known.
    pub fn diff(&self) -> Option<DiffEnds> {
        let (base, head) = self.ends.clone()?;
        Some(DiffEnds { base, head })
    }
}
