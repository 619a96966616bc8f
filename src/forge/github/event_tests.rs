//! Tests with payloads of the form that GitHub documents.

use serde_json::{Value, json};

use super::*;

fn fixture(name: &str) -> Value {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/github");
    let text = std::fs::read(format!("{directory}/{name}.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn read(name: &str, payload: &Value) -> Event {
    parse(name, payload.to_string().as_bytes()).unwrap()
}

#[test]
fn issue_payload_is_parsed() {
    let payload = fixture("issues");
    let Event::Thread(event) = read("issues", &payload) else {
        panic!("an issue");
    };
    assert_eq!(event.project.name, "corner/shop");
    assert_eq!(event.project.web_url, "https://github.com/corner/shop");
    assert_eq!(event.project.installation, Some(4711));
    assert_eq!(event.action, Action::Opened);
    assert_eq!((event.thread.number, event.thread.is_open), (12, true));
    assert_eq!(event.thread.labels, ["bug"]);
    assert_eq!(event.sender.login, "visitor");
    let question = event.thread.question();
    assert!(question.starts_with("checkout forgets"), "{question}");
    assert!(question.contains("\n\n") && question.contains("total_price"));
}

#[test]
fn actions_are_distinguished() {
    let mut payload = fixture("issues");
    for (name, label, wanted, labels) in [
        ("opened", None, Action::Opened, &["bug"][..]),
        ("reopened", None, Action::Opened, &[]),
        ("edited", None, Action::Edited, &[]),
        ("labeled", Some("help"), Action::Labeled, &["help"]),
        ("label_updated", None, Action::Labeled, &["bug"]),
        ("labeled", None, Action::Other, &[]),
        ("unlabeled", Some("help"), Action::Other, &[]),
        ("transferred", None, Action::Other, &[]),
    ] {
        payload["action"] = json!(name);
        payload["label"] =
            label.map_or(Value::Null, |label| json!({"name": label, "color": "fff"}));
        let Event::Thread(event) = read("issues", &payload) else {
            panic!("an issue");
        };
        assert_eq!(event.action, wanted, "{name}");
        assert_eq!(event.thread.labels, labels, "{name}");
    }
}

#[test]
fn comment_payload_is_parsed() {
    let payload = fixture("issue_comment");
    let Event::Comment(event) = read("issue_comment", &payload) else {
        panic!("a comment");
    };
    assert_eq!(event.text, "/foveate the sum of discounts");
    assert_eq!((event.is_new, event.is_pull_request), (true, false));
    assert_eq!(event.association, Some(Association::Member));
    assert_eq!(event.thread.number, 12);
    assert!(!event.author.is_bot);

    let mut payload = payload;
    payload["action"] = json!("edited");
    payload["issue"]["pull_request"] = json!({"url": "https://api.github.com/x"});
    payload["comment"]["user"]["type"] = json!("Bot");
    let Event::Comment(event) = read("issue_comment", &payload) else {
        panic!("a comment");
    };
    assert_eq!((event.is_new, event.is_pull_request), (false, true));
    assert!(event.author.is_bot);
}

#[test]
fn pull_request_payload_is_parsed() {
    let payload = fixture("pull_request");
    let Event::Thread(event) = read("pull_request", &payload) else {
        panic!("a pull request");
    };
    assert_eq!(event.thread.number, 13);
    let change = event.change.unwrap();
    assert_eq!(change.ends.base.len(), 40);
    assert!(change.ends.head.starts_with("b2"), "{change:?}");
    assert_eq!((event.action, change.is_draft), (Action::Opened, false));
}

#[test]
fn review_is_parsed_with_pull_request_and_line() {
    let mut payload = fixture("pull_request");
    payload["action"] = json!("created");
    payload["comment"] = json!({
        "body": "this forgets the tax", "path": "shop/price.py", "line": null, "original_line": 3,
    });
    let review = |payload: &Value| match parse_unnamed(payload.to_string().as_bytes()).unwrap() {
        Event::Review(event) => event,
        other => panic!("{other:?}"),
    };
    let event = review(&payload);
    assert_eq!(event.thread.number, 13);
    assert!(event.change.unwrap().ends.head.starts_with("b2"));
    let question = event.thread.question();
    assert!(question.ends_with("\n\nshop/price.py:3:\n\nthis forgets the tax"));
    assert!(question.starts_with(&event.thread.title));

    let mut whole = fixture("pull_request");
    whole["review"] = json!({"body": "forgets the tax", "state": "changes_requested"});
    let question = review(&whole).thread.question();
    assert!(question.ends_with("\n\nforgets the tax"));
    whole["review"]["body"] = Value::Null;
    let question = review(&whole).thread.question();
    assert!(!question.contains("tax"), "{question}");
    // Reviews that come by webhook are ignored.
    let name = "pull_request_review_comment";
    assert_eq!(read(name, &payload), Event::Other);
}

#[test]
fn push_reports_deleted_branches() {
    let payload = fixture("push");
    let Event::Push(event) = read("push", &payload) else {
        panic!("a push");
    };
    assert_eq!(event.reference, "refs/heads/main");
    assert!(event.head.is_some());

    let mut payload = payload;
    payload["after"] = json!("0".repeat(40));
    let Event::Push(event) = read("push", &payload) else {
        panic!("a push");
    };
    assert_eq!(event.head, None);
}

#[test]
fn unnamed_event_is_recognized_by_its_fields() {
    for name in ["issues", "issue_comment", "pull_request", "push", "ping"] {
        let payload = fixture(name);
        let unnamed = parse_unnamed(payload.to_string().as_bytes()).unwrap();
        assert_eq!(unnamed, read(name, &payload), "{name}");
    }
    assert_eq!(parse_unnamed(b"{}"), Ok(Event::Other));
    assert_eq!(
        parse_unnamed(b"x").unwrap_err().to_string(),
        "the payload is not a valid `GitHub` event (line 1, column 1)"
    );
    assert_eq!(parse("star", b"{}"), Ok(Event::Other));
}

#[test]
fn deleted_branch_or_tag_is_a_push_to_nothing() {
    let mut payload = json!({"ref": "discounts", "ref_type": "branch"});
    payload["repository"] = fixture("push")["repository"].clone();
    for (kind, wanted) in [
        ("branch", "refs/heads/discounts"),
        ("tag", "refs/tags/discounts"),
    ] {
        payload["ref_type"] = json!(kind);
        let Event::Push(push) = read("delete", &payload) else {
            panic!("a push");
        };
        assert_eq!((&*push.reference, push.head), (wanted, None));
    }
}

#[test]
fn malformed_payloads_are_refused_and_long_texts_cut() {
    for payload in [
        "",
        "[]",
        "{",
        "{\"action\": 1}",
        "{\"action\": \"opened\", \"issue\": {}, \"repository\": {\"full_name\": \"a/b\"}}",
        &"[".repeat(100_000),
        &format!("{{\"x\": {}", "[".repeat(100_000)),
    ] {
        let error = parse("issues", payload.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("`issues`") && error.len() < 200, "{error}");
    }
    let mut payload = fixture("issues");
    payload["issue"]["title"] = json!("é".repeat(MAX_TITLE_BYTES));
    payload["issue"]["body"] = json!("é".repeat(MAX_BODY_BYTES));
    payload["issue"]["labels"] = json!(vec![json!({"name": "l"}); 1000]);
    let Event::Thread(event) = read("issues", &payload) else {
        panic!("an issue");
    };
    assert_eq!(event.thread.title.len(), MAX_TITLE_BYTES);
    assert_eq!(event.thread.body.len(), MAX_BODY_BYTES);
    assert_eq!(event.thread.labels.len(), MAX_LABELS);
}

#[test]
fn null_fields_of_deleted_accounts_are_accepted() {
    let mut payload = fixture("issues");
    payload["issue"]["body"] = Value::Null;
    payload["issue"]["user"] = Value::Null;
    payload["sender"] = Value::Null;
    payload["installation"] = Value::Null;
    let Event::Thread(event) = read("issues", &payload) else {
        panic!("an issue");
    };
    assert_eq!(event.thread.question(), event.thread.title);
    assert_eq!(event.project.installation, None);
}
