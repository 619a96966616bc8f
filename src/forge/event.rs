//! What a forge tells of, in words that do not depend on the forge. Texts in it come from strangers: they
//! are cut to a length, and nothing else was done to them.

/// Longest title that is kept, in bytes.
pub const MAX_TITLE_BYTES: usize = 1 << 10;
/// Longest body of an issue or comment that is kept, in bytes. Forges allow 65,536 characters.
pub const MAX_BODY_BYTES: usize = 1 << 18;
/// Labels of one issue that are kept.
pub const MAX_LABELS: usize = 100;

/// What a forge told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The forge tries the webhook.
    Ping,
    /// A branch or tag moved.
    Push(Push),
    /// Something happened to an issue.
    Issue(IssueEvent),
    /// A comment was written under an issue or pull request.
    Comment(CommentEvent),
    /// Something happened to a pull request.
    PullRequest(PullRequestEvent),
    /// A change was reviewed, or a comment was written at one of its lines.
    Review(ReviewEvent),
    /// An event that nothing is done about.
    Other,
}

/// A repository on a forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// `owner/name`, in GitLab `group/subgroup/name`, too.
    pub name: String,
    /// Its page.
    pub web_url: String,
    /// The installation of an app that was told, where there is one.
    pub installation: Option<u64>,
}

/// Who did something.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Person {
    /// The number of the account; 0 where the event does not say.
    pub id: u64,
    /// The name of the account.
    pub login: String,
    /// Whether the forge says that it is a program.
    pub is_bot: bool,
}

/// What somebody is to a repository, in GitHub's words (`OWNER`, `MEMBER`, `COLLABORATOR`, `CONTRIBUTOR`,
/// `NONE`, …); empty where the event does not say.
pub type Association = String;

/// A branch or tag that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The repository.
    pub project: Project,
    /// The whole name of the ref, such as `refs/heads/main`.
    pub reference: String,
    /// The commit that it names now; `None` where it was deleted.
    pub head: Option<String>,
    /// The commit that it named before; `None` where it is new or the event does not say.
    pub previous: Option<String>,
    /// Whether the old commit is not an ancestor of the new one.
    pub is_forced: bool,
}

/// Something that happened to an issue or pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It was opened, or opened again.
    Opened,
    /// Its title or body was changed.
    Edited,
    /// It got labels, and nothing else happened to it.
    Labeled,
    /// A pull request has other commits or is for another branch, or is no draft any more.
    Updated,
    /// A pull request was merged.
    Merged,
    /// Anything else.
    Other,
}

/// Title and text of an issue or pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its number in the repository.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text; may be empty.
    pub body: String,
    /// The names of the labels that it got with this event; where the forge does not say which, of all that it has.
    pub labels: Vec<String>,
    /// Who wrote it.
    pub author: Person,
    /// What its author is to the repository.
    pub association: Association,
    /// Whether it is neither closed nor merged.
    pub is_open: bool,
}

/// Something happened to an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueEvent {
    /// The repository.
    pub project: Project,
    /// What happened.
    pub action: Action,
    /// The issue.
    pub issue: Thread,
    /// Who did it.
    pub sender: Person,
}

/// A comment was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentEvent {
    /// The repository.
    pub project: Project,
    /// The issue or pull request that it stands under.
    pub thread: Thread,
    /// Whether that is a pull request.
    pub is_pull_request: bool,
    /// What was written; may be empty.
    pub text: String,
    /// Who wrote it.
    pub author: Person,
    /// What the author is to the repository.
    pub association: Association,
    /// Whether it is new, and neither edited nor deleted.
    pub is_new: bool,
}

/// Something happened to a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequestEvent {
    /// The repository that it is to be merged into.
    pub project: Project,
    /// What happened.
    pub action: Action,
    /// Its title and text.
    pub thread: Thread,
    /// The branch that it is to be merged into, or its commit; of a merged one, the commit where it left that
    /// branch, where the event says so.
    pub base: String,
    /// Whether it is for the default branch, as far as the event says.
    pub is_for_default: bool,
    /// Its last commit.
    pub head: String,
    /// Whether it is not to be looked at yet.
    pub is_draft: bool,
    /// Who did it.
    pub sender: Person,
}

/// A change was reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewEvent {
    /// The change.
    pub pull_request: PullRequestEvent,
    /// What was written; may be empty.
    pub text: String,
    /// The file that it was written at, as the repository calls it; empty where it is about the whole change.
    pub path: String,
    /// The 1-based line in that file; 0 where it is about the whole file.
    pub line: u64,
}

/// An event that is not what its forge documents.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EventError(pub String);

impl Event {
    /// The repository that it happened in.
    pub fn project(&self) -> Option<&Project> {
        match self {
            Self::Ping | Self::Other => None,
            Self::Push(event) => Some(&event.project),
            Self::Issue(event) => Some(&event.project),
            Self::Comment(event) => Some(&event.project),
            Self::PullRequest(event) => Some(&event.project),
            Self::Review(event) => Some(&event.pull_request.project),
        }
    }
}

impl Thread {
    /// Title and text as one question.
    pub fn question(&self) -> String {
        match (self.title.trim(), self.body.trim()) {
            (title, "") => title.to_owned(),
            (title, body) => format!("{title}\n\n{body}"),
        }
    }
}

impl ReviewEvent {
    /// The change, and what was written, as one question.
    pub fn question(&self) -> String {
        let place = match (&*self.path, self.line) {
            ("", _) => String::new(),
            (path, 0) => format!("{path}:\n\n"),
            (path, line) => format!("{path}:{line}:\n\n"),
        };
        let change = self.pull_request.thread.question();
        format!("{change}\n\n{place}{}", self.text)
    }
}

/// The text, cut at a character boundary to at most `max` bytes.
pub fn cut(mut text: String, max: usize) -> String {
    text.truncate(text.floor_char_boundary(max));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("aé".to_owned(), 2), "a");
        assert_eq!(cut("aé".to_owned(), 3), "aé");
        assert_eq!(cut(String::new(), 3), "");
    }
}
