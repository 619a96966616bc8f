//! What a job is to do, as it stands in the database, and how it ended.

use serde::{Deserialize, Serialize};

use super::dialect::ThreadId;
use super::event::Person;
use crate::engine::DiffEnds;
use crate::store::NewJobRow;

/// What a job is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Work {
    /// To compare what was merged with what was answered.
    Learn(MergeTask),
    /// To write a comment. Earlier programs queued nothing else.
    Answer(Task),
}

impl Work {
    /// The trace of the webhook that asked for it.
    pub fn traceparent(&self) -> Option<&str> {
        match self {
            Self::Learn(task) => task.traceparent.as_deref(),
            Self::Answer(task) => task.traceparent.as_deref(),
        }
    }

    /// The names of its forge and of its project there.
    pub fn project(&self) -> (&str, &str) {
        match self {
            Self::Learn(task) => (&task.forge, &task.thread.project),
            Self::Answer(task) => (&task.forge, &task.thread.project),
        }
    }
}

/// A pull request that was merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeTask {
    /// The name of the forge.
    pub forge: String,
    /// The pull request.
    pub thread: ThreadId,
    /// The installation that the webhook came from.
    pub installation: Option<u64>,
    /// The numbers of the issues that it closes.
    pub closes: Vec<u64>,
    /// The commits between which it was made, as far as they are known: base and head.
    pub ends: Option<(String, String)>,
    /// The trace of the webhook that told of it, as a header tells of it.
    #[serde(default)]
    pub traceparent: Option<String>,
}

impl MergeTask {
    /// The job for it. It takes no other work's place: a comment may still be to be written.
    ///
    /// # Errors
    /// Never: it is made of texts and numbers.
    pub fn job(&self) -> Result<NewJobRow, serde_json::Error> {
        Ok(NewJobRow {
            subject: format!("{} merged", self.thread.name(&self.forge)),
            thread: self.thread.name(&self.forge),
            task: serde_json::to_string(self)?,
        })
    }
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// A comment was written.
    Written,
    /// The comment that is there says the same already.
    Unchanged,
    /// What was merged was compared with so many answers.
    Learned(usize),
    /// Nothing was written, for this reason.
    Quiet(&'static str),
}

/// One comment to write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The name of the forge.
    pub forge: String,
    /// Where the comment stands.
    pub thread: ThreadId,
    /// The installation that the webhook came from.
    pub installation: Option<u64>,
    /// Title and text of the thread.
    pub question: String,
    /// What a command asked for beside it; may be empty.
    pub words: String,
    /// Who is to be allowed to command first, where the event did not say.
    pub unchecked: Option<Person>,
    /// The ends of a pull request, as far as they are known: base and head.
    pub ends: Option<(String, String)>,
    /// The trace of the webhook that asked for it, as a header tells of it.
    #[serde(default)]
    pub traceparent: Option<String>,
}

impl Task {
    /// What two tasks have in common that must not be done at the same time.
    pub fn thread(&self) -> String {
        self.thread.name(&self.forge)
    }

    /// The job for it. Who is not known to be allowed to command cannot take the place of others' work.
    ///
    /// # Errors
    /// Never: it is made of texts and numbers.
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

    /// The ends of the pull request, where they are known.
    pub fn diff(&self) -> Option<DiffEnds> {
        let (base, head) = self.ends.clone()?;
        Some(DiffEnds { base, head })
    }
}
