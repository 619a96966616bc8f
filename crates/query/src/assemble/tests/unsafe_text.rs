//! Tests characters that control a terminal, or that hide or reorder text: names are escaped in every format, and
//! code with such characters is reported.

use foveate_model::escape::{has_unsafe, is_unsafe};

use super::*;
use crate::issue::Issue;

const PATH: &str = "src/a\u{1b}[2J\u{202e}\n<!-- .py";
const CODE: &str = "def close_gate(text):\n    level = 'user\u{202e} \u{2066}'\n    bell = '\u{7}'\n    return text\n\n\ndef other(text):\n    return '\u{202d}'\n";

fn answers(path: &str, code: &str, format: Format) -> Answer {
    let snapshot = snapshot([(path.to_owned(), code.to_owned())]);
    let request = Request {
        format,
        ..request("`close_gate` breaks the text", 1000, IntentKind::BugFix)
    };
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    answer
}

fn unsafe_character_issues(answer: &Answer) -> Vec<&Issue> {
    let issues = answer.issues.iter();
    issues
        .filter(|issue| issue.code.name() == "unsafe_characters")
        .collect()
}

#[test]
fn unsafe_name_of_a_place_is_reported_though_it_is_not_shown() {
    let text = "# Gate \u{202e}control\n\nHow a quokka opens the gate.\n".to_owned();
    let snapshot = snapshot([("docs/gate.md".to_owned(), text)]);
    let answer = ask(&snapshot, &request("quokka gate", 1, IntentKind::BugFix));
    assert!(answer.pack.sections.is_empty() && !answer.places.is_empty());
    let issues = unsafe_character_issues(&answer);
    assert!(issues[0].detail.contains("\\u{202e}control"), "{issues:?}");
}

#[test]
fn paths_are_escaped_in_context_but_not_in_fields() {
    for format in [Format::Xml, Format::Markdown, Format::Json] {
        let plain = "def close_gate(text):\n    return text\n";
        let answer = answers(PATH, plain, format);
        let context = &answer.pack.context;
        assert!(
            context.chars().all(|c| c == '\n' || !is_unsafe(c)),
            "{context:?}"
        );
        let backslash = if format == Format::Json { "\\\\" } else { "\\" };
        let shown = format!("src/a{backslash}u{{1b}}[2J{backslash}u{{202e}}{backslash}n");
        assert!(context.contains(&shown), "{context}");
        assert_eq!(answer.files.first().unwrap().path, PATH);
        assert_eq!(
            items(&answer.pack, "definitions").first().unwrap().path,
            PATH
        );
        let [mark] = unsafe_character_issues(&answer)[..] else {
            panic!("{:?}", answer.issues);
        };
        assert!(
            mark.detail
                .ends_with(": src/a\\u{1b}[2J\\u{202e}\\n<!-- .py"),
            "{mark:?}"
        );
        assert!(!has_unsafe(&mark.detail));
    }
}

#[test]
fn shown_code_with_bidi_characters_is_reported() {
    for format in [Format::Xml, Format::Markdown, Format::Json] {
        let answer = answers("src/gate.py", CODE, format);
        let text = readable(format, &answer.pack.context);
        assert!(
            text.contains("'user\u{202e} \u{2066}'"),
            "the code is as it was: {text}"
        );
        assert!(text.contains("bell = '\u{fffd}'"), "{text}");
        let [mark] = unsafe_character_issues(&answer)[..] else {
            panic!("{:?}", answer.issues);
        };
        let places = "src/gate.py:2 (U+202E), src/gate.py:3 (U+0007)";
        assert!(mark.detail.contains(places), "{mark:?}");
    }
}

#[test]
fn unsafe_signature_of_a_card_is_reported() {
    let long = "    text = text + text\n".repeat(2000);
    let code = format!("def close_gate(text='\u{202e}'):\n{long}    return text\n");
    let answer = answers("src/gate.py", &code, Format::Xml);
    let [mark] = unsafe_character_issues(&answer)[..] else {
        panic!("{:?}", answer.issues);
    };
    assert!(mark.detail.contains("src/gate.py:1 (U+202E)"), "{mark:?}");
}

#[test]
fn ordinary_code_is_not_reported() {
    let code = "def close_gate(text):\r\n\treturn 'größe 日本語 🎈 \u{fffd}'\r\n";
    let answer = answers("src/größe 🎈.py", code, Format::Xml);
    assert!(
        unsafe_character_issues(&answer).is_empty(),
        "{:?}",
        answer.issues
    );
}
