//! Defines the jobs as they are stored in the database, and their results.

use serde::{Deserialize, Serialize};

use super::dialect::ThreadId;
use super::event::Person;
use super::host::Scope;
use crate::engine::DiffEnds;
use crate::store::NewJobRow;

/// A job: the thread whose webhook caused it, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Name of the forge.
    pub forge: String,
    /// The issue or pull request.
    pub thread: ThreadId,
    /// The installation that got the webhook.
    pub installation: Option<u64>,
    /// What to do.
    #[serde(flatten)]
    pub work: Work,
    /// Base and head commit of a pull request, if known.
    pub ends: Option<(String, String)>,
    /// Trace context of the webhook, in the format of the `traceparent` header.
    pub traceparent: Option<String>,
}

/// What a task does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Work {
    /// Compares a merged pull request with the earlier answers.
    CompareMerge {
        /// Numbers of the issues that it closes.
        closes: Vec<u64>,
    },
    /// Writes a comment. Earlier versions queued only this kind.
    Answer {
        /// Title and body of the thread.
        question: String,
        /// Text of the command, added to the question; may be empty.
        words: String,
        /// The person whose permission to give commands must be checked first, if the event did not show it.
        unchecked: Option<Person>,
    },
}

impl Task {
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

    /// Builds the job. It replaces a waiting one with the same subject: that of a merge replaces no comment, and one
    /// without a verified permission none that others asked for.
    pub fn job(&self) -> NewJobRow {
        let thread = self.name();
        let subject = match &self.work {
            Work::CompareMerge { .. } => format!("{thread} merged"),
            Work::Answer {
                unchecked: Some(person),
                ..
            } => format!("{thread} asked by {}", person.id),
            Work::Answer { .. } => thread.clone(),
        };
        let task = match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => unreachable!("strings and numbers always serialize: {error}"),
        };
        NewJobRow {
            subject,
            thread,
            task,
        }
    }

    /// Base and head of the pull request, if known.
    pub fn diff(&self) -> Option<DiffEnds> {
        let (base, head) = self.ends.clone()?;
        Some(DiffEnds { base, head })
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

#[cfg(test)]
mod tests {
    use super::super::dialect::ThreadKind;
    use super::*;

    fn task(kind: ThreadKind, work: Work) -> Task {
        Task {
            forge: "github".to_owned(),
            thread: ThreadId {
                project: "corner/shop".to_owned(),
                kind,
                number: 12,
            },
            installation: Some(4711),
            work,
            ends: None,
            traceparent: None,
        }
    }

    #[test]
    fn stored_form_of_tasks_does_not_change() {
        let work = Work::Answer {
            question: "why?".to_owned(),
            words: String::new(),
            unchecked: None,
        };
        let answer = task(ThreadKind::Issue, work);
        let text = r#"{"forge":"github","thread":{"project":"corner/shop","kind":"issue","number":12},"installation":4711,"question":"why?","words":"","unchecked":null,"ends":null,"traceparent":null}"#;
        assert_eq!(answer.job().task, text);
        let read: Task = serde_json::from_str(text).unwrap();
        assert_eq!(read, answer);
        let work = Work::CompareMerge { closes: vec![3] };
        let merge = Task {
            ends: Some(("a".to_owned(), "b".to_owned())),
            traceparent: Some("00-1-2-01".to_owned()),
            ..task(ThreadKind::PullRequest, work)
        };
        let text = r#"{"forge":"github","thread":{"project":"corner/shop","kind":"pull_request","number":12},"installation":4711,"closes":[3],"ends":["a","b"],"traceparent":"00-1-2-01"}"#;
        assert_eq!(merge.job().task, text);
        let read: Task = serde_json::from_str(text).unwrap();
        assert_eq!(read, merge);
    }

    #[test]
    fn task_of_an_earlier_version_is_read() {
        let text = r#"{"forge":"gitea","thread":{"project":"a/b","kind":"issue","number":1},"installation":null,"question":"q","words":"","unchecked":null,"ends":null}"#;
        let read: Task = serde_json::from_str(text).unwrap();
        assert_eq!(read.name(), "gitea a/b issue 1");
        assert_eq!((read.installation, read.traceparent), (None, None));
    }
}
