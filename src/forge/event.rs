//! Defines the events of forges, independent of the forge. The texts in them come from strangers: they are
//! shortened, and not otherwise sanitized.

use serde::de::DeserializeOwned;

use crate::config::Association;
use crate::engine::DiffEnds;

/// Longest title, in bytes; the rest is cut off.
pub const MAX_TITLE_BYTES: usize = 1 << 10;
/// Longest body of an issue or comment, in bytes; the rest is cut off. Forges allow 65,536 characters.
pub const MAX_BODY_BYTES: usize = 1 << 18;
/// Maximum labels of one issue; the others are dropped.
pub const MAX_LABELS: usize = 100;

/// An event that a webhook reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The forge tests the webhook.
    Ping,
    /// A branch or tag moved.
    Push(Push),
    /// Something happened to an issue or pull request.
    Thread(ThreadEvent),
    /// A comment was written under an issue or pull request.
    Comment(CommentEvent),
    /// A change was reviewed, or a comment was written at one of its lines. The text of the review, with its path and
    /// line, follows the body of the pull request.
    Review(ThreadEvent),
    /// An event that is ignored.
    Other,
}

/// A repository on a forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// `owner/name`; in GitLab also `group/subgroup/name`.
    pub name: String,
    /// URL of its web page.
    pub web_url: String,
    /// Id of the app installation that got the webhook, if there is one.
    pub installation: Option<u64>,
}

/// An account that did something.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Person {
    /// Id of the account; 0 if the event does not contain it.
    pub id: u64,
    /// Name of the account.
    pub login: String,
    /// Whether the forge marks it as a bot.
    pub is_bot: bool,
}

/// A branch or tag that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The repository.
    pub project: Project,
    /// Full name of the ref, such as `refs/heads/main`.
    pub reference: String,
    /// The new commit; `None` if the ref was deleted.
    pub head: Option<String>,
    /// The old commit; `None` if the ref is new or the event does not contain it.
    pub previous: Option<String>,
}

/// Something that happened to an issue or pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It was opened or reopened.
    Opened,
    /// Its title or body was edited.
    Edited,
    /// It got labels, and nothing else changed.
    Labeled,
    /// The commits or the target branch of a pull request changed, or it is no longer a draft.
    Updated,
    /// A pull request was merged.
    Merged,
    /// Anything else.
    Other,
}

/// An issue or pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its number in the repository.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text; may be empty.
    pub body: String,
    /// Names of the labels that it got with this event; all its labels if the forge does not mark the new ones.
    pub labels: Vec<String>,
    /// Its author.
    pub author: Person,
    /// Whether it is neither closed nor merged.
    pub is_open: bool,
}

/// Something happened to an issue or pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadEvent {
    /// The repository that it belongs to.
    pub project: Project,
    /// What happened.
    pub action: Action,
    /// The issue, or the title and text of the pull request.
    pub thread: Thread,
    /// Who did it.
    pub sender: Person,
    /// The change of a pull request; `None` for an issue.
    pub change: Option<Change>,
}

/// The change of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The target branch or its commit, and the last commit of the pull request. For a merged one, the base is the
    /// commit at which it forked from that branch, if the event contains it.
    pub ends: DiffEnds,
    /// Whether it targets the default branch; true if the event does not name that.
    pub is_for_default: bool,
    /// Whether it is a draft.
    pub is_draft: bool,
}

/// A comment was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentEvent {
    /// The repository.
    pub project: Project,
    /// The issue or pull request that it belongs to.
    pub thread: Thread,
    /// Whether the thread is a pull request.
    pub is_pull_request: bool,
    /// Text of the comment; may be empty.
    pub text: String,
    /// Its author.
    pub author: Person,
    /// Relation of the author to the repository; `None` if the event does not contain it.
    pub association: Option<Association>,
    /// Whether it was just created, not edited or deleted.
    pub is_new: bool,
}

/// An event that does not have the form that its forge documents.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EventError(pub String);

impl Event {
    /// Returns the repository that the event belongs to.
    pub fn project(&self) -> Option<&Project> {
        match self {
            Self::Ping | Self::Other => None,
            Self::Push(event) => Some(&event.project),
            Self::Thread(event) | Self::Review(event) => Some(&event.project),
            Self::Comment(event) => Some(&event.project),
        }
    }
}

impl Thread {
    /// Joins title and body into one question.
    pub fn question(&self) -> String {
        match (self.title.trim(), self.body.trim()) {
            (title, "") => title.to_owned(),
            (title, body) => format!("{title}\n\n{body}"),
        }
    }
}

/// Parses the payload of the event `name`.
///
/// # Errors
/// When it does not have the form of `T`.
pub fn read<T: DeserializeOwned>(name: &str, payload: &[u8]) -> Result<T, EventError> {
    serde_json::from_slice(payload).map_err(|error| {
        // The parser's own message may quote the payload.
        EventError(format!(
            "the payload is not a valid `{name}` event (line {}, column {})",
            error.line(),
            error.column()
        ))
    })
}

/// Cuts a text to at most `max` bytes, at a character boundary.
pub fn cut(mut text: String, max: usize) -> String {
    text.truncate(text.floor_char_boundary(max));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_a_character_boundary() {
        assert_eq!(cut("aé".to_owned(), 2), "a");
        assert_eq!(cut("aé".to_owned(), 3), "aé");
        assert_eq!(cut(String::new(), 3), "");
    }
}
