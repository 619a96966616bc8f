//! Parses the payloads of GitLab's webhooks. Unknown fields are ignored. Start at [`parse`].

use serde::Deserialize;

use crate::engine::DiffEnds;
use crate::forge::event::{
    Action, Change, CommentEvent, Event, EventError, MAX_BODY_BYTES, MAX_LABELS, MAX_TITLE_BYTES,
    Person, Project, Push, Thread, ThreadEvent, cut, read,
};

/// Parses the payload of an event: `name` is the value of the header `X-Gitlab-Event`. Unsupported names give
/// [`Event::Other`].
///
/// # Errors
/// When the payload does not have the form that GitLab documents for this name.
pub fn parse(name: &str, payload: &[u8]) -> Result<Event, EventError> {
    Ok(match name {
        "Push Hook" | "Tag Push Hook" => Event::Push(push(read(name, payload)?)),
        "Issue Hook" => Event::Thread(issue(read(name, payload)?)),
        "Note Hook" => note(read(name, payload)?).map_or(Event::Other, Event::Comment),
        "Merge Request Hook" => {
            merge_request(read(name, payload)?).map_or(Event::Other, Event::Thread)
        }
        _ => Event::Other,
    })
}

#[derive(Deserialize)]
struct ProjectObject {
    path_with_namespace: String,
    #[serde(default)]
    web_url: String,
    default_branch: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct User {
    id: u64,
    username: String,
}

#[derive(Deserialize)]
struct Label {
    title: String,
}

#[derive(Deserialize)]
struct PushPayload {
    #[serde(rename = "ref")]
    reference: String,
    before: Option<String>,
    after: String,
    project: ProjectObject,
}

#[derive(Deserialize)]
struct Commit {
    id: String,
}

/// An issue, a merge request, or the short form of one in a note event.
#[derive(Deserialize)]
struct ThreadObject {
    iid: u64,
    title: Option<String>,
    description: Option<String>,
    #[serde(default)]
    state: String,
    #[serde(default)]
    action: String,
    /// Last commit before the update, if the commits of a merge request changed.
    oldrev: Option<String>,
    #[serde(default)]
    target_branch: String,
    last_commit: Option<Commit>,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    work_in_progress: bool,
}

#[derive(Default, Deserialize)]
struct Changes {
    labels: Option<LabelChange>,
    title: Option<serde::de::IgnoredAny>,
    description: Option<serde::de::IgnoredAny>,
    draft: Option<serde::de::IgnoredAny>,
    target_branch: Option<serde::de::IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LabelChange {
    previous: Vec<Label>,
    current: Vec<Label>,
}

#[derive(Deserialize)]
struct ThreadPayload {
    #[serde(default)]
    user: User,
    project: ProjectObject,
    object_attributes: ThreadObject,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    changes: Changes,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Note {
    note: String,
    /// Whether GitLab itself wrote it, for example when a label was added.
    system: bool,
    action: String,
}

#[derive(Deserialize)]
struct NotePayload {
    #[serde(default)]
    user: User,
    project: ProjectObject,
    object_attributes: Note,
    issue: Option<ThreadObject>,
    merge_request: Option<ThreadObject>,
}

fn push(payload: PushPayload) -> Push {
    let is_commit = |id: &String| id.bytes().any(|byte| byte != b'0');
    Push {
        project: project(payload.project),
        reference: cut(payload.reference, MAX_TITLE_BYTES),
        previous: payload.before.filter(is_commit),
        head: Some(payload.after).filter(is_commit),
    }
}

/// Converts an issue, or a merge request without its change.
fn issue(payload: ThreadPayload) -> ThreadEvent {
    ThreadEvent {
        project: project(payload.project),
        action: action(&payload.object_attributes, &payload.changes),
        thread: thread(
            payload.object_attributes, payload.labels, payload.changes.labels,
        ),
        sender: person(payload.user),
        change: None,
    }
}

fn merge_request(mut payload: ThreadPayload) -> Option<ThreadEvent> {
    let object = &mut payload.object_attributes;
    let default = payload.project.default_branch.as_ref();
    let change = Change {
        is_for_default: default.is_none_or(|default| *default == object.target_branch),
        ends: DiffEnds {
            base: object.target_branch.clone(),
            head: object.last_commit.take()?.id,
        },
        is_draft: object.draft || object.work_in_progress,
    };
    Some(ThreadEvent {
        change: Some(change),
        ..issue(payload)
    })
}

/// Converts a note; `None` for notes on commits and snippets.
fn note(payload: NotePayload) -> Option<CommentEvent> {
    let is_pull_request = payload.merge_request.is_some();
    let object = payload.merge_request.or(payload.issue)?;
    let note = payload.object_attributes;
    Some(CommentEvent {
        project: project(payload.project),
        thread: thread(object, Vec::new(), None),
        is_pull_request,
        text: cut(note.note, MAX_BODY_BYTES),
        author: person(payload.user),
        association: None,
        is_new: !note.system && matches!(&*note.action, "" | "create"),
    })
}

fn project(object: ProjectObject) -> Project {
    Project {
        name: object.path_with_namespace,
        web_url: object.web_url,
        installation: None,
    }
}

/// GitLab names its bot users `project_1_bot_…` and `group_1_bot_…`.
fn person(user: User) -> Person {
    let is_of = |kind: &str| {
        let rest = user.username.strip_prefix(kind);
        rest.is_some_and(|rest| rest.contains("_bot"))
    };
    Person {
        id: user.id,
        is_bot: is_of("project_") || is_of("group_"),
        login: user.username,
    }
}

/// Converts a thread, with the labels that it got: those given at opening, or those added later.
fn thread(object: ThreadObject, all: Vec<Label>, change: Option<LabelChange>) -> Thread {
    let LabelChange { previous, current } = change.unwrap_or_default();
    let added = match &*object.action {
        "open" => all,
        _ => current,
    };
    let is_new = |label: &Label| !previous.iter().any(|old| old.title == label.title);
    let added = added.into_iter().take(MAX_LABELS).filter(is_new);
    Thread {
        number: object.iid,
        title: cut(object.title.unwrap_or_default(), MAX_TITLE_BYTES),
        body: cut(object.description.unwrap_or_default(), MAX_BODY_BYTES),
        labels: added.map(|label| label.title).collect(),
        author: Person::default(),
        is_open: !matches!(&*object.state, "closed" | "merged"),
    }
}

fn action(object: &ThreadObject, changes: &Changes) -> Action {
    match &*object.action {
        "open" | "reopen" => return Action::Opened,
        "merge" => return Action::Merged,
        "update" => {}
        _ => return Action::Other,
    }
    // One event may report several changes.
    let is_other_change = object.oldrev.is_some() || changes.target_branch.is_some();
    if is_other_change || changes.draft.is_some() {
        return Action::Updated;
    }
    if changes.title.is_some() || changes.description.is_some() {
        return Action::Edited;
    }
    if changes.labels.is_some() {
        return Action::Labeled;
    }
    Action::Other
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn merge_request(action: &str, changes: Value) -> ThreadEvent {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/gitlab");
        let fixture = std::fs::read(format!("{directory}/merge_request.json")).unwrap();
        let mut payload: Value = serde_json::from_slice(&fixture).unwrap();
        payload["object_attributes"]["action"] = json!(action);
        payload["labels"] = json!([{"title": "bug"}, {"title": "old"}]);
        payload["changes"] = changes;
        let payload = payload.to_string();
        match parse("Merge Request Hook", payload.as_bytes()).unwrap() {
            Event::Thread(event) => event,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn label_does_not_hide_other_changes_of_the_event() {
        let (old, both) = (
            json!([{"title": "old"}]),
            json!([{"title": "bug"}, {"title": "old"}]),
        );
        let label = json!({"previous": old, "current": both});
        for (changes, wanted, labels) in [
            (json!({"labels": label}), Action::Labeled, &["bug"][..]),
            (
                json!({"labels": label, "title": {}}),
                Action::Edited,
                &["bug"],
            ),
            (
                json!({"labels": label, "draft": {}}),
                Action::Updated,
                &["bug"],
            ),
            (json!({"title": {}}), Action::Edited, &[]),
            (json!({"target_branch": {}}), Action::Updated, &[]),
        ] {
            let event = merge_request("update", changes);
            assert_eq!(event.action, wanted);
            assert_eq!(event.thread.labels, labels, "{wanted:?}");
        }
        let opened = merge_request("open", json!({}));
        assert_eq!(opened.action, Action::Opened);
        assert_eq!(opened.thread.labels, ["bug", "old"]);
    }
}
