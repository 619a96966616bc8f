//! Parses the payloads of GitHub's webhooks, which GitHub Actions also gives to jobs as a file. Unknown
//! fields are ignored. Start at [`parse`].

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::config::Association;
use crate::engine::DiffEnds;
use crate::forge::event::{
    Action, Change, CommentEvent, Event, EventError, MAX_BODY_BYTES, MAX_LABELS, MAX_TITLE_BYTES,
    Person, Project, Push, Thread, ThreadEvent, cut, read,
};

/// Parses the payload of an event: `name` is the value of the header `X-GitHub-Event` or of the variable
/// `GITHUB_EVENT_NAME`. Unsupported names give [`Event::Other`].
///
/// # Errors
/// When the payload does not have the form that GitHub documents for this name.
pub fn parse(name: &str, payload: &[u8]) -> Result<Event, EventError> {
    Ok(match name {
        "ping" => {
            read::<IgnoredAny>(name, payload)?;
            Event::Ping
        }
        "push" => Event::Push(push(read(name, payload)?)),
        "delete" => Event::Push(deletion(read(name, payload)?)),
        "issues" => Event::Thread(issue(read(name, payload)?)),
        "issue_comment" => Event::Comment(comment(read(name, payload)?)),
        "pull_request" | "pull_request_target" => Event::Thread(pull_request(read(name, payload)?)),
        _ => Event::Other,
    })
}

/// Parses a payload without the name of its event, which is recognized by the objects in it. This also parses
/// reviews, which are ignored when they come by webhook.
pub fn parse_unnamed(payload: &[u8]) -> Result<Event, EventError> {
    let keys: HashMap<String, Option<IgnoredAny>> = read("GitHub", payload)?;
    let has = |key: &str| keys.get(key).is_some_and(Option::is_some);
    let name = if has("issue") {
        if has("comment") {
            "issue_comment"
        } else {
            "issues"
        }
    } else if has("pull_request") {
        if has("comment") || has("review") {
            return review(payload).map(Event::Review);
        }
        "pull_request"
    } else if has("ref") && has("after") {
        "push"
    } else if has("zen") {
        "ping"
    } else {
        return Ok(Event::Other);
    };
    parse(name, payload)
}

#[derive(Deserialize)]
struct RepositoryObject {
    full_name: String,
    #[serde(default)]
    html_url: String,
    default_branch: Option<String>,
}

#[derive(Deserialize)]
struct Installation {
    id: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct User {
    id: u64,
    login: String,
    r#type: String,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

#[derive(Deserialize)]
struct ThreadObject {
    number: u64,
    title: Option<String>,
    body: Option<String>,
    #[serde(default)]
    labels: Vec<Label>,
    /// Null if the account was deleted.
    user: Option<User>,
    #[serde(default)]
    state: String,
    /// Present on an issue that is a pull request.
    pull_request: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct PushPayload {
    #[serde(rename = "ref")]
    reference: String,
    before: Option<String>,
    after: String,
    repository: RepositoryObject,
    installation: Option<Installation>,
}

/// The deletion of a branch or tag, which becomes a push. Gitea reports it by this event only.
#[derive(Deserialize)]
struct DeletePayload {
    #[serde(rename = "ref")]
    name: String,
    ref_type: String,
    repository: RepositoryObject,
    installation: Option<Installation>,
}

/// Something that happened to an issue or a pull request.
#[derive(Deserialize)]
struct ThreadPayload<T> {
    action: String,
    #[serde(rename = "issue", alias = "pull_request")]
    thread: T,
    label: Option<Label>,
    repository: RepositoryObject,
    installation: Option<Installation>,
    sender: Option<User>,
}

#[derive(Deserialize)]
struct CommentObject {
    body: Option<String>,
    user: Option<User>,
    #[serde(default)]
    author_association: String,
}

#[derive(Deserialize)]
struct CommentPayload {
    action: String,
    issue: ThreadObject,
    comment: CommentObject,
    repository: RepositoryObject,
    installation: Option<Installation>,
}

/// A review, or a comment on a line.
#[derive(Deserialize)]
struct RemarkObject {
    body: Option<String>,
    path: Option<String>,
    /// Null if the line no longer exists.
    line: Option<u64>,
    original_line: Option<u64>,
}

#[derive(Deserialize)]
struct ReviewPayload {
    #[serde(alias = "review")]
    comment: RemarkObject,
}

#[derive(Deserialize)]
struct End {
    sha: String,
    #[serde(rename = "ref")]
    reference: Option<String>,
}

#[derive(Deserialize)]
struct PullRequestObject {
    #[serde(flatten)]
    thread: ThreadObject,
    base: End,
    head: End,
    #[serde(default)]
    draft: bool,
    merged: Option<bool>,
    /// Commit at which it forked from the target branch. Only Gitea sends it; its `base` moves with that
    /// branch.
    merge_base: Option<String>,
}

fn push(payload: PushPayload) -> Push {
    let is_commit = |id: &String| id.bytes().any(|byte| byte != b'0');
    Push {
        project: project(payload.repository, payload.installation),
        reference: cut(payload.reference, MAX_TITLE_BYTES),
        head: Some(payload.after).filter(is_commit),
        previous: payload.before.filter(is_commit),
    }
}

fn deletion(payload: DeletePayload) -> Push {
    let kind = match &*payload.ref_type {
        "tag" => "tags",
        _ => "heads",
    };
    Push {
        project: project(payload.repository, payload.installation),
        reference: cut(format!("refs/{kind}/{}", payload.name), MAX_TITLE_BYTES),
        head: None,
        previous: None,
    }
}

fn issue(payload: ThreadPayload<ThreadObject>) -> ThreadEvent {
    ThreadEvent {
        project: project(payload.repository, payload.installation),
        action: action(&payload.action, payload.label.as_ref()),
        thread: thread(payload.thread, &payload.action, payload.label),
        sender: person(payload.sender),
        change: None,
    }
}

fn comment(payload: CommentPayload) -> CommentEvent {
    CommentEvent {
        project: project(payload.repository, payload.installation),
        is_pull_request: payload.issue.pull_request.is_some(),
        thread: thread(payload.issue, &payload.action, None),
        text: cut(payload.comment.body.unwrap_or_default(), MAX_BODY_BYTES),
        author: person(payload.comment.user),
        association: Association::named(&payload.comment.author_association),
        is_new: payload.action == "created",
    }
}

fn review(payload: &[u8]) -> Result<ThreadEvent, EventError> {
    const NAME: &str = "pull_request_review";
    let RemarkObject {
        body,
        path,
        line,
        original_line,
    } = read::<ReviewPayload>(NAME, payload)?.comment;
    let text = cut(body.unwrap_or_default(), MAX_BODY_BYTES);
    let path = path.map(|path| cut(path, MAX_TITLE_BYTES));
    let text = match (path, line.or(original_line)) {
        (None, _) => text,
        (Some(path), None) => format!("{path}:\n\n{text}"),
        (Some(path), Some(line)) => format!("{path}:{line}:\n\n{text}"),
    };
    let mut event = pull_request(read(NAME, payload)?);
    event.thread.body = format!("{}\n\n{text}", event.thread.body);
    Ok(event)
}

fn pull_request(payload: ThreadPayload<PullRequestObject>) -> ThreadEvent {
    let PullRequestObject {
        thread: text,
        base,
        head,
        draft,
        merged,
        merge_base,
    } = payload.thread;
    let is_merged = payload.action == "closed" && merged == Some(true);
    let default = payload.repository.default_branch.as_ref();
    let change = Change {
        is_for_default: default.is_none() || base.reference.as_ref() == default,
        ends: DiffEnds {
            base: merge_base.filter(|_| is_merged).unwrap_or(base.sha),
            head: head.sha,
        },
        is_draft: draft,
    };
    ThreadEvent {
        project: project(payload.repository, payload.installation),
        action: match is_merged {
            true => Action::Merged,
            false => action(&payload.action, payload.label.as_ref()),
        },
        thread: thread(text, &payload.action, payload.label),
        sender: person(payload.sender),
        change: Some(change),
    }
}

fn project(repository: RepositoryObject, installation: Option<Installation>) -> Project {
    Project {
        name: repository.full_name,
        web_url: repository.html_url,
        installation: installation.map(|installation| installation.id),
    }
}

fn person(user: Option<User>) -> Person {
    let user = user.unwrap_or_default();
    Person {
        id: user.id,
        is_bot: user.r#type == "Bot",
        login: user.login,
    }
}

/// Converts a thread, with the labels that it got. Gitea does not mark the added one, and some versions report labels
/// given at opening only in that event.
fn thread(object: ThreadObject, action: &str, label: Option<Label>) -> Thread {
    let labels = match action {
        "labeled" => label.into_iter().collect(),
        "opened" | "label_updated" => object.labels,
        _ => Vec::new(),
    };
    let labels = labels.into_iter().take(MAX_LABELS);
    Thread {
        number: object.number,
        title: cut(object.title.unwrap_or_default(), MAX_TITLE_BYTES),
        body: cut(object.body.unwrap_or_default(), MAX_BODY_BYTES),
        labels: labels.map(|label| label.name).collect(),
        author: person(object.user),
        is_open: object.state != "closed",
    }
}

/// Converts an action. Two names are Gitea's own: `synchronized` and `label_updated`.
fn action(name: &str, label: Option<&Label>) -> Action {
    match (name, label) {
        ("opened" | "reopened", _) => Action::Opened,
        ("edited", _) => Action::Edited,
        ("labeled", Some(_)) | ("label_updated", _) => Action::Labeled,
        ("synchronize" | "synchronized" | "ready_for_review", _) => Action::Updated,
        _ => Action::Other,
    }
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
