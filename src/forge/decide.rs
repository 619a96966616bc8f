//! Decides what to do about an event. Pure: it depends on the settings and the event alone.

use super::closing_keywords::closed_issues;
use super::dialect::{ThreadId, ThreadKind};
use super::event::{Action, CommentEvent, Event, Person, Project, Thread, ThreadEvent, cut};
use super::task::{Task, Work};
use crate::config::ForgeConfig;

/// Longest text after a command that is used in the search, in bytes: a stack trace may be part of it.
const MAX_WORDS_BYTES: usize = 1 << 16;

/// Decides what to do about an event of the forge with this name: a task, or `None` to sync the repository.
///
/// # Errors
/// The reason to do nothing.
pub fn decide(
    config: &ForgeConfig,
    forge: &str,
    event: Event,
) -> Result<Option<Task>, &'static str> {
    let task = match event {
        Event::Ping => return Err("the webhook works"),
        Event::Other | Event::Review(_) => return Err("events of this kind are ignored"),
        Event::Push(_) => return Ok(None),
        Event::Thread(event) if event.action == Action::Merged => merged(event),
        Event::Thread(event) => thread(config, event),
        Event::Comment(event) => comment(config, event),
    };
    let forge = forge.to_owned();
    Ok(Some(Task { forge, ..task? }))
}

fn thread(config: &ForgeConfig, event: ThreadEvent) -> Result<Task, &'static str> {
    check(config, &event)?;
    let kind = match event.change {
        Some(_) => ThreadKind::PullRequest,
        None => ThreadKind::Issue,
    };
    let work = answer(&event.thread, "", None);
    let ends = event.change.map(|change| change.ends);
    Ok(Task {
        ends: ends.map(|ends| (ends.base, ends.head)),
        ..task(event.project, kind, &event.thread, work)
    })
}

/// Builds the task that compares a merged pull request with the answers to the issues that it closes.
fn merged(event: ThreadEvent) -> Result<Task, &'static str> {
    let change = event.change.filter(|change| change.is_for_default);
    let ends = change
        .ok_or("it was not merged into the default branch")?
        .ends;
    let Project { name, web_url, .. } = &event.project;
    let text = event.thread.question();
    let closes = closed_issues(&text, name, web_url);
    if closes.is_empty() {
        return Err("it does not say that it closes an issue");
    }
    let (kind, work) = (ThreadKind::PullRequest, Work::CompareMerge { closes });
    Ok(Task {
        ends: is_id(&ends.base).then_some((ends.base, ends.head)),
        ..task(event.project, kind, &event.thread, work)
    })
}

/// Whether a text is a full commit id, and not the name of a branch that may have moved since.
fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Checks whether an event asks for an answer: by the label for it, or because threads are answered unasked.
fn check(config: &ForgeConfig, event: &ThreadEvent) -> Result<(), &'static str> {
    let ThreadEvent { thread, change, .. } = event;
    if !config.label.is_empty() && thread.labels.contains(&config.label) {
        return Ok(());
    }
    if change.as_ref().is_some_and(|change| change.is_draft) {
        return Err("the pull request is a draft");
    }
    if !thread.is_open {
        return Err("it is closed");
    }
    let answers_unasked = match change {
        Some(_) => config.answer_pull_requests,
        None => config.answer_issues,
    };
    match event.action {
        Action::Labeled => Err("no label asks for an answer"),
        Action::Other | Action::Merged => Err("actions of this kind are ignored"),
        Action::Opened | Action::Edited | Action::Updated if !answers_unasked => {
            Err("nobody asked, and the settings turn unasked answers off")
        }
        Action::Opened | Action::Edited | Action::Updated
            if thread.author.is_bot || event.sender.is_bot =>
        {
            Err("a bot did it, and nobody asked")
        }
        Action::Opened | Action::Edited | Action::Updated => Ok(()),
    }
}

fn comment(config: &ForgeConfig, event: CommentEvent) -> Result<Task, &'static str> {
    if !event.is_new || event.author.is_bot {
        return Err("it is not a new comment of a person");
    }
    let words = command(&config.command, &event.text).ok_or("the comment is not a command")?;
    // An event may not show what its author may do: those of GitLab and Gitea never do, and GitHub's hide who is a
    // member of an organisation unless that is public.
    let is_shown = event
        .association
        .is_some_and(|shown| config.command_associations.contains(&shown));
    let kind = if event.is_pull_request {
        ThreadKind::PullRequest
    } else {
        ThreadKind::Issue
    };
    let work = answer(&event.thread, words, (!is_shown).then_some(event.author));
    Ok(task(event.project, kind, &event.thread, work))
}

/// Returns the text after the command, if the text begins with the command.
fn command<'a>(command: &str, text: &'a str) -> Option<&'a str> {
    if command.is_empty() {
        return None;
    }
    let rest = text.trim_start().strip_prefix(command)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// Returns the work that answers a thread. `words` is the text of the command that asks for it.
fn answer(thread: &Thread, words: &str, unchecked: Option<Person>) -> Work {
    Work::Answer {
        question: thread.question(),
        words: cut(words.to_owned(), MAX_WORDS_BYTES),
        unchecked,
    }
}

/// Returns a task without the forge and the commits.
fn task(project: Project, kind: ThreadKind, thread: &Thread, work: Work) -> Task {
    Task {
        forge: String::new(),
        thread: ThreadId {
            project: project.name,
            kind,
            number: thread.number,
        },
        installation: project.installation,
        work,
        ends: None,
        traceparent: None,
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
