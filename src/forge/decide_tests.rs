//! Tests which event leads to which decision.

use super::*;
use crate::config::{Association, Config};
use crate::engine::DiffEnds;
use crate::forge::event::{Change, Push};

fn config() -> ForgeConfig {
    Config::defaults().unwrap().forge
}

fn project() -> Project {
    Project {
        name: "corner/shop".to_owned(),
        web_url: String::new(),
        installation: Some(4711),
    }
}

fn person(is_bot: bool) -> Person {
    Person {
        id: 5,
        login: "someone".to_owned(),
        is_bot,
    }
}

fn thread() -> Thread {
    Thread {
        number: 12,
        title: "checkout forgets discounts".to_owned(),
        body: "It does.".to_owned(),
        labels: Vec::new(),
        author: person(false),
        is_open: true,
    }
}

fn issue(action: Action) -> ThreadEvent {
    ThreadEvent {
        project: project(),
        action,
        thread: thread(),
        sender: person(false),
        change: None,
    }
}

fn change(base: &str) -> Change {
    Change {
        ends: DiffEnds {
            base: base.to_owned(),
            head: "b".to_owned(),
        },
        is_for_default: true,
        is_draft: false,
    }
}

fn pull_request(action: Action, change: Change) -> ThreadEvent {
    ThreadEvent {
        change: Some(change),
        ..issue(action)
    }
}

#[test]
fn merge_is_compared_if_it_closes_an_issue() {
    let event = |body: &str, change: Change| {
        let mut event = pull_request(Action::Merged, change);
        event.thread.body = body.to_owned();
        event.thread.is_open = false;
        event
    };
    let decided = |event| decide(&config(), "github", Event::Thread(event));
    let commit = "a".repeat(40);
    for (base, is_known) in [(&*commit, true), ("main", false)] {
        let Ok(Some(task)) = decided(event("Fixes #3.", change(base))) else {
            panic!("nothing is learned");
        };
        assert_eq!(task.work, Work::CompareMerge { closes: vec![3] });
        assert_eq!(task.ends.is_some(), is_known);
        assert_eq!(task.name(), "github corner/shop pull request 12");
    }
    let elsewhere = Change {
        is_for_default: false,
        ..change(&commit)
    };
    for event in [
        event("It does.", change(&commit)),
        event("Fixes #3.", elsewhere),
    ] {
        assert!(decided(event).is_err());
    }
}

fn comment(text: &str, association: Option<Association>) -> CommentEvent {
    CommentEvent {
        project: project(),
        thread: thread(),
        is_pull_request: false,
        text: text.to_owned(),
        author: person(false),
        association,
        is_new: true,
    }
}

fn answers(config: &ForgeConfig, event: Event) -> bool {
    let task = decide(config, "github", event).unwrap_or_default();
    task.is_some_and(|task| matches!(task.work, Work::Answer { .. }))
}

fn labels(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn opened_threads_are_answered_if_enabled_in_settings() {
    let (on, mut off) = (config(), config());
    off.answer_issues = false;
    off.answer_pull_requests = false;
    for (action, names, when_on, when_off) in [
        (Action::Opened, &[][..], true, false),
        (Action::Opened, &["foveate"], true, true),
        (Action::Edited, &["bug"], true, false),
        (Action::Updated, &["foveate"], true, true),
        (Action::Labeled, &["bug", "foveate"], true, true),
        (Action::Labeled, &["bug"], false, false),
        (Action::Other, &[], false, false),
    ] {
        for (config, wanted) in [(&on, when_on), (&off, when_off)] {
            let mut asked = issue(action.clone());
            asked.thread.labels = labels(names);
            assert_eq!(answers(config, Event::Thread(asked)), wanted, "{action:?}");
            let mut asked = pull_request(action.clone(), change("a"));
            asked.thread.labels = labels(names);
            assert_eq!(answers(config, Event::Thread(asked)), wanted, "{action:?}");
        }
    }
}

#[test]
fn closed_draft_and_bot_threads_are_not_answered_unasked() {
    let config = config();
    for (names, is_asked) in [(&[][..], false), (&["foveate"], true)] {
        let mut event = issue(Action::Opened);
        event.thread.labels = labels(names);
        let mut closed = event.clone();
        closed.thread.is_open = false;
        assert_eq!(answers(&config, Event::Thread(closed)), is_asked);
        let mut draft = change("a");
        draft.is_draft = true;
        let mut draft = pull_request(Action::Opened, draft);
        draft.thread.labels = labels(names);
        assert_eq!(answers(&config, Event::Thread(draft)), is_asked);
        let mut from_bot = event;
        from_bot.thread.author.is_bot = true;
        assert_eq!(answers(&config, Event::Thread(from_bot)), is_asked);
    }
}

#[test]
fn only_configured_associations_may_command() {
    let decided = |association| {
        let event = Event::Comment(comment("/foveate", association));
        match decide(&config(), "gitea", event) {
            Ok(Some(task)) => task,
            other => panic!("{association:?}: {other:?}"),
        }
    };
    // The forge is asked about the others: the association need not be all that they may do.
    for (association, is_shown) in [
        (Some(Association::Owner), true),
        (Some(Association::Member), true),
        (Some(Association::Collaborator), true),
        (Some(Association::Contributor), false),
        (Some(Association::FirstTimer), false),
        (Some(Association::Unrelated), false),
        (None, false),
    ] {
        let unchecked = (!is_shown).then(|| person(false));
        let work = answer(&thread(), "", unchecked);
        assert_eq!(decided(association).work, work, "{association:?}");
    }
    let task = decided(Some(Association::Unrelated));
    let job = task.job();
    assert_eq!(job.subject, "gitea corner/shop issue 12 asked by 5");
    assert_eq!(task.name(), "gitea corner/shop issue 12");
}

#[test]
fn command_must_begin_a_new_comment_of_a_person() {
    for (text, words) in [
        ("/foveate", Some("")),
        ("\n /foveate  the sum ", Some("the sum")),
        ("/foveate\nTraceback:\n  sum\n", Some("Traceback:\n  sum")),
        ("/foveates", None),
        ("please /foveate", None),
        ("> /foveate", None),
        ("<!-- foveate:context -->\n/foveate", None),
        ("", None),
    ] {
        assert_eq!(command("/foveate", text), words, "{text:?}");
    }
    assert_eq!(command("", "anything"), None);
    let mut edited = comment("/foveate", Some(Association::Owner));
    edited.is_new = false;
    assert!(!answers(&config(), Event::Comment(edited)));
    let mut from_bot = comment("/foveate", Some(Association::Owner));
    from_bot.author.is_bot = true;
    assert!(!answers(&config(), Event::Comment(from_bot)));
}

#[test]
fn task_is_filled_from_the_event() {
    let mut event = comment("/foveate  the sum", Some(Association::Owner));
    event.is_pull_request = true;
    let Ok(Some(task)) = decide(&config(), "github", Event::Comment(event)) else {
        panic!("it is answered");
    };
    assert_eq!(task.thread.kind, ThreadKind::PullRequest);
    assert_eq!(task.diff(), None);
    let work = Work::Answer {
        question: "checkout forgets discounts\n\nIt does.".to_owned(),
        words: "the sum".to_owned(),
        unchecked: None,
    };
    assert_eq!(task.work, work);
    assert_eq!(task.installation, Some(4711));
    let pushed = Event::Push(Push {
        project: project(),
        reference: "refs/heads/main".to_owned(),
        previous: None,
        head: None,
    });
    assert_eq!(decide(&config(), "github", pushed), Ok(None));
    for event in [Event::Ping, Event::Other] {
        assert!(decide(&config(), "github", event).is_err());
    }
}
