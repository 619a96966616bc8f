//! Tests the answers to questions for the types that extend or implement a type outside the repository.

use super::*;
use crate::issue::IssueCode;

const SHOP: &str = "
    //- src/lib.rs
    use std::fmt;

    pub struct Cart;

    impl fmt::Display for Cart {
        fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
            out.write_str(\"cart\")
        }
    }

    pub struct Desk;

    impl Desk {
        pub fn display(&self) -> usize {
            1
        }
    }

    //- shop/errors.py
    class NoStock(Exception):
        pass

    class NoPrice(LookupError):
        pass

    def handle_exception(error):
        return str(error)
";

fn answered(query: &str) -> Answer {
    let snapshot = fixture(SHOP);
    let request = Request {
        intent: None,
        ..request(query, 4000, IntentKind::Explanation)
    };
    ask(&snapshot, &request)
}

fn asked(query: &str) -> Pack {
    answered(query).pack
}

#[test]
fn types_that_name_a_foreign_base_are_listed_alone() {
    for query in [
        "who implements Display?",
        "which types implement fmt::Display",
    ] {
        let pack = asked(query);
        let context = &pack.context;
        assert!(context.contains("impl fmt::Display for Cart"), "{context}");
        assert!(!context.contains("Desk"), "{context}");
    }
    let pack = asked("which classes extend Exception?");
    let found = items(&pack, "callers").into_iter();
    let found: Vec<String> = found.map(|item| item.name.clone()).collect();
    assert_eq!(found, ["NoStock"], "{}", pack.context);
    assert!(
        !pack.context.contains("handle_exception"),
        "{}",
        pack.context
    );
}

#[test]
fn listed_types_of_a_foreign_base_are_no_unsure_answer() {
    let doubts = |query: &str| {
        let issues = answered(query).issues.into_iter();
        let codes = issues.map(|issue| issue.code);
        let is_doubt =
            |code: &IssueCode| matches!(code, IssueCode::UnknownName | IssueCode::LowConfidence);
        codes.filter(is_doubt).collect::<Vec<_>>()
    };
    for query in [
        "which classes extend Exception?",
        "which classes extend `LookupError`?",
    ] {
        let doubts = doubts(query);
        assert!(doubts.is_empty(), "{query}: {doubts:?}");
    }
    let unknown = doubts("which classes extend `WorkerThread`?");
    assert!(unknown.contains(&IssueCode::UnknownName), "{unknown:?}");
}

#[test]
fn unknown_base_that_nothing_names_lists_nothing() {
    let pack = asked("which classes extend Thread?");
    assert!(items(&pack, "callers").is_empty(), "{}", pack.context);
}
