//! Tests which files that are not indexed an answer reports.

use super::*;

fn issue_of(files: &[(&str, &str)], query: &str) -> Option<String> {
    let files = files.iter();
    let files = files.map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    skipped_files_issue(&snapshot(files), query)
}

fn skipped_files_issue(snapshot: &Snapshot, query: &str) -> Option<String> {
    let answer = ask(snapshot, &request(query, 1000, IntentKind::BugFix));
    let mut issues = answer.issues.into_iter();
    let found = issues.find(|issue| issue.code.name() == "skipped_files");
    found.map(|issue| issue.detail)
}

const GATE: (&str, &str) = ("src/gate.py", "def close_gate(text):\n    return text\n");
const QUERY: &str = "`close_gate` breaks the text";

#[test]
fn missing_source_files_are_always_reported() {
    let large = "x = 1\n".repeat(400_000);
    let files = [
        GATE,
        ("src/tables.py", &*large),
        ("src/old.py", "def f(): pass # \0"),
    ];
    let detail = issue_of(&files, QUERY).unwrap();
    assert!(detail.contains("(1 too_large): src/tables.py"), "{detail}");
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";
    let files = [GATE, ("src/tables.py", &*large), ("src/old.py", pointer)];
    let detail = issue_of(&files, QUERY).unwrap();
    assert!(detail.contains("(1 lfs_pointer, 1 too_large): src/old.py, src/tables.py"));
}

#[test]
fn parse_timeout_is_reported() {
    let limits = foveate_parse::Limits {
        timeout: std::time::Duration::ZERO,
        ..foveate_parse::Limits::default()
    };
    let text = "x = [1, 2]\n".repeat(50_000);
    let snapshot = limited_snapshot([("src/slow.py".to_owned(), text)], &limits);
    for query in [QUERY, "src/slow.py is wrong, `close_gate` too"] {
        let detail = skipped_files_issue(&snapshot, query).unwrap();
        assert!(detail.contains("(1 timeout): src/slow.py"), "{detail}");
    }
}

#[test]
fn parse_timeout_of_a_test_is_reported_if_the_test_is_named() {
    let limits = foveate_parse::Limits {
        timeout: std::time::Duration::ZERO,
        ..foveate_parse::Limits::default()
    };
    let slow = "x = [1, 2]\n".repeat(50_000);
    let files = [
        (GATE.0.to_owned(), GATE.1.to_owned()),
        ("tests/test_slow.py".to_owned(), slow),
    ];
    let snapshot = limited_snapshot(files, &limits);
    let query = "tests/test_slow.py fails, `close_gate` too";
    let detail = skipped_files_issue(&snapshot, query).unwrap();
    assert!(detail.contains("tests/test_slow.py"), "{detail}");
    assert!(detail.contains(" timeout)"), "{detail}");
}

#[test]
fn skipped_data_and_tests_are_reported_only_if_named() {
    let large = "a,b,c\n".repeat(400_000);
    let files = [
        GATE,
        ("tests/data/rows.csv", &*large),
        ("tests/test_large.py", &*large),
        ("logo.png", "\0"),
    ];
    assert_eq!(issue_of(&files, QUERY), None);
    assert_eq!(issue_of(&files, "logo.png is blurred"), None);
    let detail = issue_of(&files, "tests/test_large.py fails, `close_gate` too").unwrap();
    assert!(
        detail.contains("(1 too_large): tests/test_large.py"),
        "{detail}"
    );
}

#[test]
fn answer_without_readable_files_says_why() {
    let text = "x = 1\n".repeat(400_000);
    let snapshot = snapshot([("src/gate.py".to_owned(), text)]);
    let request = request("`src/gate.py` is wrong", 1000, IntentKind::BugFix);
    let answer = ask(&snapshot, &request);
    assert!(answer.pack.sections.is_empty());
    let issues = answer.issues.iter();
    let why = issues
        .clone()
        .find(|issue| issue.code.name() == "unreadable_files");
    let why = &why.unwrap().detail;
    assert!(
        why.contains("src/gate.py") && why.contains("(too_large)"),
        "{why}"
    );
    assert!(
        !issues
            .clone()
            .any(|issue| issue.code.name() == "budget_too_small")
    );
}
