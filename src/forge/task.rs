//! Defines the jobs as they are stored in the database, and their results.

use serde::{Deserialize, Serialize};

use super::dialect::ThreadId;
use super::event::Person;
use super::host::Scope;
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

    /// Returns the thread that it is about.
    pub fn source(&self) -> &TaskSource {
        match self {
            Self::CompareMerge(task) => &task.source,
            Self::Answer(task) => &task.source,
        }
    }
}

/// The thread whose webhook caused a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSource {
    /// Name of the forge.
    pub forge: String,
    /// The issue or pull request.
    pub thread: ThreadId,
    /// The installation that got the webhook.
    pub installation: Option<u64>,
}

impl TaskSource {
    /// Name of the thread. Two tasks of the same thread must not run at the same time.
    pub fn name(&self) -> String {
        self.thread.name(&self.forge)
    }

    /// Returns what a token of the task is used for.
    pub fn scope(&self) -> Scope<'_> {
        Scope {
            project: &self.thread.project,
            installation: self.installation,
        }
    }
}

/// A merged pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeTask {
    /// The pull request.
    #[serde(flatten)]
    pub source: TaskSource,
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
    pub fn job(&self) -> NewJobRow {
        NewJobRow {
            subject: format!("{} merged", self.source.name()),
            thread: self.source.name(),
            task: stored(self),
        }
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
    /// The thread to comment on.
    #[serde(flatten)]
    pub source: TaskSource,
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
    /// Builds the job. Without a verified permission it cannot replace jobs that others asked for.
    pub fn job(&self) -> NewJobRow {
        let thread = self.source.name();
        let subject = match &self.unchecked {
            Some(person) => format!("{thread} asked by {}", person.id),
            None => thread.clone(),
        };
        NewJobRow {
            subject,
            thread,
            task: stored(self),
        }
    }

    /// Base and head of the pull request, if known.
    pub fn diff(&self) -> Option<DiffEnds> {
        let (base, head) = self.ends.clone()?;
        Some(DiffEnds { base, head })
    }
}

fn stored(task: &impl Serialize) -> String {
    match serde_json::to_string(task) {
        Ok(text) => text,
        Err(error) => unreachable!("strings and numbers always serialize: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialect::ThreadKind;
    use super::*;

    fn source(kind: ThreadKind) -> TaskSource {
        TaskSource {
            forge: "github".to_owned(),
            thread: ThreadId {
                project: "corner/shop".to_owned(),
                kind,
                number: 12,
            },
            installation: Some(4711),
        }
    }

    #[test]
    fn stored_form_of_tasks_does_not_change() {
        let answer = Task {
            source: source(ThreadKind::Issue),
            question: "why?".to_owned(),
            words: String::new(),
            unchecked: None,
            ends: None,
            traceparent: None,
        };
        let text = r#"{"forge":"github","thread":{"project":"corner/shop","kind":"issue","number":12},"installation":4711,"question":"why?","words":"","unchecked":null,"ends":null,"traceparent":null}"#;
        assert_eq!(answer.job().task, text);
        let read: Work = serde_json::from_str(text).unwrap();
        assert_eq!(read, Work::Answer(answer));
        let merge = MergeTask {
            source: source(ThreadKind::PullRequest),
            closes: vec![3],
            ends: Some(("a".to_owned(), "b".to_owned())),
            traceparent: Some("00-1-2-01".to_owned()),
        };
        let text = r#"{"forge":"github","thread":{"project":"corner/shop","kind":"pull_request","number":12},"installation":4711,"closes":[3],"ends":["a","b"],"traceparent":"00-1-2-01"}"#;
        assert_eq!(merge.job().task, text);
        let read: Work = serde_json::from_str(text).unwrap();
        assert_eq!(read, Work::CompareMerge(merge));
    }

    #[test]
    fn task_of_an_earlier_version_is_read() {
        let text = r#"{"forge":"gitea","thread":{"project":"a/b","kind":"issue","number":1},"installation":null,"question":"q","words":"","unchecked":null,"ends":null}"#;
        let read: Work = serde_json::from_str(text).unwrap();
        assert_eq!(read.source().name(), "gitea a/b issue 1");
        assert_eq!(read.source().installation, None);
        assert_eq!(read.traceparent(), None);
    }
}
