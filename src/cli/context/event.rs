//! Makes a question from the event that started a GitHub Actions job. The payload is parsed by [`crate::forge`].

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::cli::UsageError;
use crate::engine::DiffEnds;
use crate::forge::event::Event;
use crate::forge::github::event::parse_unnamed;

/// The largest event that is read: GitHub sends none above 25 MB.
const MAX_EVENT_BYTES: u64 = 26_000_000;

const NEW_BRANCH: &str =
    "the branch is new, so the event does not say what it changed: add --diff BASE..";

/// The question that an event asks.
#[derive(Debug)]
pub(super) struct Question {
    /// Title and text of the issue or pull request, with the comment or review.
    pub(super) text: Option<String>,
    /// What a pull request or a push changed.
    pub(super) diff: Option<DiffEnds>,
    /// Why there is no diff.
    pub(super) note: Option<&'static str>,
    /// The web address of the repository.
    pub(super) link_base: Option<String>,
}

/// Reads the file of an event.
///
/// # Errors
/// When the file cannot be read, or is no event, or the event gives no question.
pub(super) fn read(path: &Path) -> anyhow::Result<Question> {
    let wrong = |error: &dyn std::fmt::Display| {
        UsageError(format!(
            "--github-event: cannot read {}: {error}",
            path.display()
        ))
    };
    let mut payload = Vec::new();
    let file = File::open(path);
    let read = file.and_then(|file| file.take(MAX_EVENT_BYTES).read_to_end(&mut payload));
    read.map_err(|error| wrong(&error))?;
    let event = parse_unnamed(&payload).map_err(|error| wrong(&error))?;
    question(event)
}

fn question(event: Event) -> anyhow::Result<Question> {
    let web_url = event.project().map(|project| project.web_url.clone());
    let (text, diff, note) = match event {
        Event::Thread(event) | Event::Review(event) => {
            let ends = event.change.map(|change| change.ends);
            (Some(event.thread.question()), ends, None)
        }
        Event::Comment(event) => {
            let text = format!("{}\n\n{}", event.thread.question(), event.text);
            (Some(text), None, None)
        }
        Event::Push(push) => match (push.previous, push.head) {
            (Some(base), Some(head)) => (None, Some(DiffEnds { base, head }), None),
            (_, None) => (None, None, Some("a branch was deleted")),
            (None, _) => (None, None, Some(NEW_BRANCH)),
        },
        Event::Ping | Event::Other => {
            let text = "--github-event: this kind of event is not supported; supported are issues, comments, pull requests, \
                        reviews and pushes. Pass TEXT, --junit or --log instead";
            return Err(UsageError(text.to_owned()).into());
        }
    };
    Ok(Question {
        text,
        diff,
        note,
        link_base: web_url.filter(|url| !url.is_empty()),
    })
}
