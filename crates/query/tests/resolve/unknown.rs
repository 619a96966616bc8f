//! Tests what is reported of names and paths that the repository lacks.

use foveate_query::{IssueCode, Removed, answer};

use super::*;

#[test]
fn unknown_names_of_a_question_are_reported() {
    let snapshot = snapshot(LIBRARY, &[]);
    let ask = |query: &str| {
        let request = Request {
            query: query.to_owned(),
            budget_tokens: 2000,
            ..Request::default()
        };
        let config = RankingConfig::default();
        answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0)
    };
    let unknown = |query: &str| {
        let mut issues = ask(query).issues.into_iter();
        let issue = issues.find(|issue| issue.code == IssueCode::UnknownName);
        issue.map(|issue| issue.detail).unwrap_or_default()
    };
    let confidence = |query: &str| ask(query).pack.confidence;
    let known = confidence("who calls bulk_create in the store?");
    assert!(confidence("who calls validate_everything in the store?") < known / 2.0);
    let detail = unknown("who calls validate_everything in the store?");
    assert!(detail.contains(": validate_everything;"), "{detail}");
    // A name is listed once, and nothing is said of what is shown if nothing is.
    let twice = "who calls validate_everything?\n\nWhere is `validate_everything` used?";
    assert!(ask(twice).files.is_empty());
    let detail = unknown(twice);
    assert!(detail.ends_with(": validate_everything"), "{detail}");
    // A type says nothing of a member that it lacks.
    let detail = unknown("who calls Store.vanish?");
    assert!(detail.contains(": Store.vanish;"), "{detail}");
    let of_member = |name: &str| confidence(&format!("who calls Store.{name}?"));
    assert!(of_member("vanish") < of_member("get"));
    assert_eq!(unknown("who calls Store.vanish and Store.get?"), "");
    // Issues name much that is the user's own, and a question that names something known is about that.
    assert_eq!(unknown("validate_everything crashes with an error"), "");
    assert_eq!(
        unknown("who calls `bulk_create` from validate_everything?"),
        ""
    );
}

#[test]
fn question_for_what_does_not_exist_says_so() {
    let snapshot = snapshot(LIBRARY, &[]);
    let none_found = |query: &str| {
        let request = Request {
            query: query.to_owned(),
            budget_tokens: 2000,
            ..Request::default()
        };
        let config = RankingConfig::default();
        let answer = answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0);
        let mut issues = answer.issues.into_iter();
        let issue = issues.find(|issue| issue.code == IssueCode::NoneFound);
        issue.map(|issue| issue.detail).unwrap_or_default()
    };
    let uses = "was found; its uses are shown";
    assert_eq!(
        none_found("which classes extend Store?"),
        format!("no type that extends or implements Store {uses}")
    );
    assert_eq!(
        none_found("who overrides Store.get?"),
        format!("nothing that overrides Store.get {uses}")
    );
    assert_eq!(
        none_found("which tests cover max_length?"),
        "no test of max_length was found; what is shown has similar names or words"
    );
    assert_eq!(
        none_found("what does max_length depend on?"),
        "no dependency of max_length was found in the repository"
    );
    assert_eq!(
        none_found("what does lib/views.py depend on?"),
        "no dependency of lib/views.py was found in the repository"
    );
    assert_eq!(none_found("what does lib.views.show depend on?"), "");
    assert_eq!(none_found("what does tests/test_store.py depend on?"), "");
    assert_eq!(none_found("who uses max_length?"), "");
    assert_eq!(none_found("which tests cover validate_everything?"), "");
}

#[test]
fn names_that_the_diff_removes_are_not_reported_as_unknown() {
    let snapshot = snapshot(LIBRARY, &[]);
    let unknown = |query: &str, removed: Removed| {
        let request = Request {
            query: query.to_owned(),
            removed,
            ..Request::default()
        };
        let config = RankingConfig::default();
        let answer = answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0);
        let mut issues = answer.issues.into_iter();
        let issue = issues.find(|issue| issue.code == IssueCode::UnknownName);
        issue.map(|issue| issue.detail)
    };
    let removed = || Removed {
        paths: vec![RepoPath::new("lib/checks.py").unwrap()],
        names: vec!["validate_everything".to_owned()],
        ..Removed::default()
    };
    for query in ["who calls validate_everything?", "who imports lib.checks?"] {
        assert!(unknown(query, Removed::default()).is_some(), "{query}");
        assert_eq!(unknown(query, removed()), None, "{query}");
    }
    let query = "who calls validate_everything and check_nothing?";
    let detail = unknown(query, removed()).unwrap();
    assert!(detail.ends_with(": check_nothing"), "{detail}");
}

#[test]
fn unknown_focus_is_reported() {
    let focus = Focus {
        paths: ["lib/views.py", "lib/gone.py", "lib"]
            .iter()
            .map(|path| RepoPath::new(path).unwrap())
            .collect(),
        symbols: [
            "Store.get", "Store::get()", "Store#get", "bulk_craete", "Store.gone", "Depot",
        ]
        .iter()
        .map(ToString::to_string)
        .collect(),
    };
    let found = find(&snapshot(LIBRARY, &[]), "it is slow", &focus);
    assert_eq!(found.unknown.paths, ["lib/gone.py", "lib"]);
    assert_eq!(
        found.unknown.symbols,
        ["bulk_craete", "Store.gone", "Depot"]
    );
}
