//! What an event asks for. Pure: it knows the settings and the event alone.

use super::closes::closed_issues;
use super::dialect::{ThreadId, ThreadKind};
use super::event::{
    Action, CommentEvent, Event, IssueEvent, Project, PullRequestEvent, Thread, cut,
};
use super::task::{MergeTask, Task};
use crate::config::ForgeConfig;

/// Longest words of a command that are looked for, in bytes: a stack trace may be among them.
const MAX_WORDS_BYTES: usize = 1 << 16;

/// What is to be done about an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The repository is looked at again.
    Sync,
    /// A comment is written.
    Answer(Box<Task>),
    /// What was merged is compared with what was answered.
    Learn(Box<MergeTask>),
    /// Nothing, for this reason.
    Nothing(&'static str),
}

/// Decides about an event of the forge with this name.
pub fn decide(config: &ForgeConfig, forge: &str, event: Event) -> Decision {
    let decided = match event {
        Event::Ping => Err("the webhook works"),
        Event::Other | Event::Review(_) => Err("nothing is done about events of this kind"),
        Event::Push(_) => return Decision::Sync,
        Event::Issue(event) => issue(config, event),
        Event::Comment(event) => comment(config, event),
        Event::PullRequest(event) if event.action == Action::Merged => {
            return merged(forge, event)
                .map_or_else(Decision::Nothing, |task| Decision::Learn(Box::new(task)));
        }
        Event::PullRequest(event) => pull_request(config, event),
    };
    match decided {
        Ok(task) => Decision::Answer(Box::new(Task {
            forge: forge.to_owned(),
            ..task
        })),
        Err(reason) => Decision::Nothing(reason),
    }
}

fn issue(config: &ForgeConfig, event: IssueEvent) -> Result<Task, &'static str> {
    let IssueEvent { issue, sender, .. } = &event;
    let is_program = issue.author.is_bot || sender.is_bot;
    check(
        config,
        issue,
        &event.action,
        config.answer_issues,
        is_program,
    )?;
    Ok(task(event.project, ThreadKind::Issue, &event.issue))
}

fn pull_request(config: &ForgeConfig, event: PullRequestEvent) -> Result<Task, &'static str> {
    if event.is_draft && !is_asked(config, &event.thread) {
        return Err("the pull request is a draft");
    }
    let PullRequestEvent { thread, sender, .. } = &event;
    let is_program = thread.author.is_bot || sender.is_bot;
    let is_on = config.answer_pull_requests;
    check(config, thread, &event.action, is_on, is_program)?;
    Ok(Task {
        ends: Some((event.base, event.head)),
        ..task(event.project, ThreadKind::PullRequest, &event.thread)
    })
}

/// What is learned from a merged pull request: which issues it closes, and where it was made.
fn merged(forge: &str, event: PullRequestEvent) -> Result<MergeTask, &'static str> {
    if !event.is_for_default {
        return Err("it was merged into another branch than the default one");
    }
    let Project { name, web_url, .. } = &event.project;
    let text = event.thread.question();
    let closes = closed_issues(&text, name, web_url);
    if closes.is_empty() {
        return Err("it says of no issue that it closes it");
    }
    Ok(MergeTask {
        forge: forge.to_owned(),
        ends: Some((event.base, event.head)).filter(|(base, _)| is_id(base)),
        thread: ThreadId {
            project: event.project.name,
            kind: ThreadKind::PullRequest,
            number: event.thread.number,
        },
        installation: event.project.installation,
        closes,
        traceparent: None,
    })
}

/// Whether a text is the whole id of a commit, and no name of a branch that may have moved on.
fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether what happened to a thread asks for an answer; `is_on` says whether threads are answered that
/// nobody asks about.
fn check(
    config: &ForgeConfig,
    thread: &Thread,
    action: &Action,
    is_on: bool,
    is_program: bool,
) -> Result<(), &'static str> {
    if is_asked(config, thread) {
        return Ok(());
    }
    if !thread.is_open {
        return Err("it is closed");
    }
    match action {
        Action::Labeled => Err("no label asks for an answer"),
        Action::Other | Action::Merged => Err("nothing is done about this"),
        Action::Opened | Action::Edited | Action::Updated if !is_on => {
            Err("nobody asked, and the settings say that nothing is answered then")
        }
        Action::Opened | Action::Edited | Action::Updated if is_program => {
            Err("a program did it, and nobody asked")
        }
        Action::Opened | Action::Edited | Action::Updated => Ok(()),
    }
}

/// Whether the label was given that asks for an answer.
fn is_asked(config: &ForgeConfig, thread: &Thread) -> bool {
    !config.label.is_empty() && thread.labels.contains(&config.label)
}

fn comment(config: &ForgeConfig, event: CommentEvent) -> Result<Task, &'static str> {
    if !event.is_new || event.author.is_bot {
        return Err("it is no new comment of a person");
    }
    let words = command(&config.command, &event.text).ok_or("the comment is no command")?;
    let is_allowed = config.command_associations.contains(&event.association);
    let is_known = !event.association.is_empty();
    if is_known && !is_allowed {
        return Err("its author may not command");
    }
    let kind = if event.is_pull_request {
        ThreadKind::PullRequest
    } else {
        ThreadKind::Issue
    };
    Ok(Task {
        words: cut(words.to_owned(), MAX_WORDS_BYTES),
        unchecked: (!is_known).then_some(event.author),
        ..task(event.project, kind, &event.thread)
    })
}

/// What follows the command in a text that begins with it.
fn command<'a>(command: &str, text: &'a str) -> Option<&'a str> {
    if command.is_empty() {
        return None;
    }
    let rest = text.trim_start().strip_prefix(command)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

fn task(project: Project, kind: ThreadKind, thread: &Thread) -> Task {
    Task {
        forge: String::new(),
        thread: ThreadId {
            project: project.name,
            kind,
            number: thread.number,
        },
        installation: project.installation,
        question: thread.question(),
        words: String::new(),
        unchecked: None,
        ends: None,
        traceparent: None,
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
