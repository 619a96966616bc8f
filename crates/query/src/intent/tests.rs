//! Labelled queries, in `labelled/`. They were written for these tests; the labels are what a person
//! would say.

use super::IntentKind::*;
use super::*;

const PYTHON_TRACE: &str = "Opening a shelf gives\n\nTraceback (most recent call last):\n  File \"/srv/shop/shelf.py\", line 12, in open\n    self.door.unlock()\nAttributeError: 'NoneType' object has no attribute 'unlock'\n";
const SCRIPT_TRACE: &str = "Saving the form\n\n```\nTypeError: field.commit is not a function\n    at saveForm (/app/src/form.js:40:7)\n    at async submit (/app/src/submit.ts:9:3)\n```\n";

/// Queries that the rules were written with.
const TUNING: &str = include_str!("labelled/tuning.txt");
/// Queries that were written before the rules, and not looked at while those were changed.
const HELD_OUT: &str = include_str!("labelled/held_out.txt");

/// The queries of a file: each stands below a line with `//- ` and the name of its kind.
fn labelled(file: &'static str) -> Vec<(IntentKind, &'static str)> {
    file.split("//- ")
        .skip(1)
        .map(|block| {
            let (name, query) = block.split_once('\n').expect("a query below its kind");
            let kind = IntentKind::ALL.into_iter().find(|k| k.name() == name);
            (kind.expect("the name of a kind"), query.trim_end())
        })
        .collect()
}

/// Asserts that 95 % of the queries of a file are understood, and prints the others.
fn check_labelled(name: &str, file: &'static str) {
    let labelled = labelled(file);
    let mut missed = Vec::new();
    for (wanted, query) in &labelled {
        let found = detect(&QueryText::parse(query), None);
        assert!((0.0..=1.0).contains(&found.confidence));
        assert!(!found.signals.is_empty());
        if found.kind != *wanted {
            let title = query.lines().next().unwrap_or("");
            let wanted = wanted.name();
            missed.push(format!("{title}: wanted {wanted}, found {found:?}"));
        }
    }
    let right = labelled.len() - missed.len();
    let accuracy = right as f64 / labelled.len() as f64;
    let report = format!(
        "{name}: {right} of {} right ({accuracy:.3}); missed: {missed:#?}",
        labelled.len()
    );
    // Shown by `cargo test -- --nocapture`; tests may print.
    #[allow(clippy::print_stdout)]
    {
        println!("{report}");
    }
    assert!(labelled.len() >= 80);
    for kind in IntentKind::ALL {
        let of_kind = labelled.iter().filter(|(k, _)| *k == kind).count();
        assert!(of_kind >= 10, "{name} has {of_kind} of {}", kind.name());
    }
    assert!(accuracy >= 0.95, "{report}");
}

#[test]
fn queries_that_the_rules_were_written_with() {
    check_labelled("tuning", TUNING);
}

#[test]
fn held_out_queries() {
    check_labelled("held out", HELD_OUT);
}

#[test]
fn a_stack_trace_lifts_bug_fix_to_nine_tenths() {
    for (query, signal) in [
        (PYTHON_TRACE, "python_traceback"),
        (SCRIPT_TRACE, "stack_trace"),
    ] {
        for query in [
            query.to_owned(),
            format!("Add support for shelves\n\n{query}"),
        ] {
            let found = detect(&QueryText::parse(&query), None);
            assert_eq!(found.kind, BugFix);
            assert!(found.confidence >= 0.9, "{found:?}");
            assert!(found.signals.contains(&signal), "{found:?}");
        }
    }
}

#[test]
fn the_callers_word_wins() {
    let found = detect(&QueryText::parse(PYTHON_TRACE), Some(Refactor));
    assert_eq!((found.kind, found.confidence), (Refactor, 1.0));
}
