//! Tests the detection with the labelled queries in `labelled/`. They were written for these tests, and
//! labelled by human judgement.

use super::IntentKind::*;
use super::*;

const PYTHON_TRACE: &str = "Opening a shelf gives\n\nTraceback (most recent call last):\n  File \"/srv/shop/shelf.py\", line 12, in open\n    self.door.unlock()\nAttributeError: 'NoneType' object has no attribute 'unlock'\n";
const SCRIPT_TRACE: &str = "Saving the form\n\n```\nTypeError: field.commit is not a function\n    at saveForm (/app/src/form.js:40:7)\n    at async submit (/app/src/submit.ts:9:3)\n```\n";

/// Queries used to write the rules and to fit the weights of the wording.
pub(super) const TUNING: &str = include_str!("labelled/tuning.txt");
/// Queries that were written before the rules and not inspected while the rules were changed.
const HELD_OUT: &str = include_str!("labelled/held_out.txt");

/// Returns the queries of a file: each follows a line with `//- ` and the name of its kind.
pub(super) fn labelled(file: &'static str) -> Vec<(IntentKind, &'static str)> {
    file.split("//- ")
        .skip(1)
        .map(|block| {
            let (name, query) = block.split_once('\n').expect("a query below its kind");
            let kind = IntentKind::named(name);
            (kind.expect("the name of a kind"), query.trim_end())
        })
        .collect()
}

/// Asserts the accuracy on the queries of a file, and prints the missed ones.
fn check_labelled(name: &str, file: &'static str, wanted_accuracy: f64) {
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
    assert!(accuracy >= wanted_accuracy, "{report}");
}

#[test]
fn tuning_queries_reach_their_accuracy() {
    check_labelled("tuning", TUNING, 0.98);
}

#[test]
fn held_out_queries_reach_their_accuracy() {
    // Written by somebody who knew neither the rules nor the other queries. Accuracy on an earlier held-out set
    // was 74 % with phrases alone, and 90 % with shapes and 1,676 tuning queries; on this one it was 96.5 % with
    // 1,060 more, by several authors. A held-out set that was inspected joins the tuning set.
    check_labelled("held out", HELD_OUT, 0.95);
}

#[test]
fn bug_report_with_a_passing_question_stays_bug_report() {
    let long = "It is about the second page only, and the first one is right. ".repeat(20);
    for (title, question) in [
        (
            "Totals differ between the page and the export",
            "I wonder how does the export round.",
        ),
        (
            "Version 3, Linux",
            "I call `a()` and get 1, although 2 is stored, so what happens when it is read is not clear to me.",
        ),
        (
            "Pages load forever since 2.1",
            "Maybe it matters how does the cache work.",
        ),
        (
            "Table is empty",
            "How does this work on your side? Can you explain it?",
        ),
    ] {
        for text in [
            format!("{title}\n\nThe second total is lower. {question} It was right in 2.0."),
            format!("{title}\n\n{long}\n\n{question}"),
        ] {
            let found = detect(&QueryText::parse(&text), None);
            assert_eq!(found.kind, BugFix, "{text}: {found:?}");
        }
    }
}

#[test]
fn question_below_an_introduction_is_explanation() {
    for text in [
        "Hello,\n\nthis is about the scheduler. How does it pick the next job?",
        "Reading the code of the cache\n\nWhat happens when two threads ask for one key?",
    ] {
        let found = detect(&QueryText::parse(text), None);
        assert_eq!(found.kind, Explanation, "{text}: {found:?}");
    }
}

#[test]
fn questions_about_implementers_references_and_tests_are_usage() {
    for text in [
        "which code refers to `Shelf`?",
        "implementations of `Shelf`",
        "What implements BookShelf?",
        "which classes implement Shelf",
        "Which types extend the class BookShelf?",
        "where is open_door tested?",
    ] {
        let found = detect(&QueryText::parse(text), None);
        assert_eq!(found.kind, UsageExploration, "{text}: {found:?}");
    }
}

#[test]
fn stack_trace_makes_bug_fix_confident() {
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
fn outcomes_on_labelled_lines_are_signals() {
    let report = "Cart puts the total first\n\nExpected: total last\nActual: total first";
    let found = detect(&QueryText::parse(report), None);
    assert_eq!(found.kind, BugFix, "{found:?}");
    for signal in ["expected_template", "reproduction_template"] {
        assert!(found.signals.contains(&signal), "{found:?}");
    }
}

#[test]
fn chain_of_errors_is_bug_fix() {
    for query in [
        "create shelf: open /srv/shelf.db: no such file or directory",
        "failed to read shelf: open shelf.db: permission denied",
        "write index: sync shelf.db: input/output error",
        "add user: dial tcp 127.0.0.1:5432: connect: connection refused",
    ] {
        let found = detect(&QueryText::parse(query), None);
        assert_eq!(found.kind, BugFix, "{query}: {found:?}");
        assert_eq!(found.look_up, None, "{query}: {found:?}");
        assert!(found.signals.contains(&"error_chain"), "{found:?}");
    }
}

#[test]
fn short_questions_for_a_name_are_look_ups() {
    for (text, wanted) in [
        ("who calls open_door with an empty list?", true),
        ("where is Shelf.open defined?", true),
        ("how do I use open_door?", false),
        ("how does open_door work?", false),
        ("open_door crashes when it is called", false),
    ] {
        let found = detect(&QueryText::parse(text), None);
        assert_eq!(found.look_up.is_some(), wanted, "{text}: {found:?}");
    }
}

#[test]
fn phrasings_of_a_look_up_ask_the_same() {
    use LookUp::*;
    for (look_up, kind, queries) in [
        (
            Definition,
            DefinitionLookup,
            &[
                "where is open_door defined?",
                "Where's open_door declared",
                "definition of open_door",
                "go to the definition of open_door",
                "open_door definition",
                "where is the open_door function?",
                "where is the open_door! macro defined?",
                "where is `open_door!` declared?",
                "where can I find the Shelf class",
            ][..],
        ),
        (
            Uses,
            UsageExploration,
            &[
                "who uses open_door?",
                "who is using open_door",
                "who imports from `shop.door`",
                "which files import from `shop.door`?",
                "where is open_door used?",
                "where do we use open_door?",
                "what depends on open_door",
                "show usages of open_door",
                "show me all usages of `Shelf`",
                "find references to open_door",
                "please find all references to `Shelf`",
                "open_door usages",
                "`Shelf` usages",
                "ShelfError usages",
                "who includes Shelf",
                "which files include shop/shelf.h",
                "where is shelf.h included?",
                "what raises ShelfError?",
                "which methods throw Shop::ShelfError",
                "where is NoSuchShelf raised?",
                "where do we catch ShelfError?",
            ][..],
        ),
        (
            Calls,
            UsageExploration,
            &[
                "who calls open_door?",
                "what calls Shelf.open",
                "who is calling open_door",
                "who's calling `Shelf`?",
                "which functions call open_door",
                "Where's open_door called?",
                "where is open_door called from?",
                "callers for open_door",
                "can you show me the callers of open_door?",
                "list all call sites of open_door",
                "open_door callers",
                "`ShelfException` callers",
            ][..],
        ),
        (
            Implementers,
            UsageExploration,
            &[
                "implementations of Shelf",
                "which classes implement Shelf?",
                "who implements BookShelf",
                "list all subclasses of Shelf",
                "all classes implementing Shelf",
                "classes implementing BookShelf",
                "classes extending `Exception`",
                "classes extending ShelfError",
                "show me all types that extend Shelf",
                "what subclasses does Shelf have?",
                "BookShelf implementations",
                "who implements Shelf?",
                "which commands extend Shelf",
                "which exceptions inherit from ShelfError?",
                "what classes derive from Shelf",
                "which classes include Shelf",
                "which classes include the Shelf concern?",
            ][..],
        ),
        (
            Overrides,
            UsageExploration,
            &[
                "who overrides Shelf.open?",
                "which classes override Shelf.open",
                "overrides of Shelf.open",
                "where is Shelf.open overridden?",
                "Shelf.open overrides",
            ][..],
        ),
        (
            Tests,
            UsageExploration,
            &[
                "which tests cover open_door?",
                "what unit tests exercise Shelf.open",
                "tests of open_door",
                "list all tests of open_door",
                "show me the tests for src/shelf.py",
                "where is open_door tested?",
                "where are the tests for `Shelf`?",
                "where do we test `Shelf.open`?",
                "open_door tests",
                "`Shelf` tests",
            ][..],
        ),
        (
            Tests,
            TestWriting,
            &["tests for src/shelf.py", "unit tests for `Shelf`"][..],
        ),
        (
            Dependencies,
            Explanation,
            &[
                "what does open_door depend on?",
                "what does open_door call",
                "which functions does open_door call?",
                "what is called by open_door",
                "dependencies of open_door",
            ][..],
        ),
        (
            Behaviour,
            DefinitionLookup,
            &[
                "what does open_door do?",
                "What does `Shelf.open` actually do",
                "what does the function open_door do?",
            ][..],
        ),
        (
            Difference,
            Explanation,
            &[
                "What's the difference between `load` and `preload`?",
                "difference between open_door and close_door",
                "how do open_door and close_door differ?",
                "how does open_door differ from close_door",
                "compare `Shelf.load()` with `preload()`",
            ][..],
        ),
    ] {
        for query in queries {
            let found = detect(&QueryText::parse(query), None);
            assert_eq!(
                (found.look_up, found.kind),
                (Some(look_up), kind),
                "{query}: {found:?}"
            );
            assert_eq!(found.asks_for_tests, look_up == Tests, "{query}");
        }
    }
}

#[test]
fn words_for_faults_may_be_the_names_that_are_looked_up() {
    use LookUp::*;
    for (query, look_up) in [
        ("who calls abort?", Calls),
        ("what are the callers of disconnect", Calls),
        ("which tests cover Undefined", Tests),
        ("who uses the Missing class?", Uses),
        ("where is the fail function defined?", Definition),
        ("where is Undefined defined", Definition),
    ] {
        let found = detect(&QueryText::parse(query), None);
        assert_eq!(found.look_up, Some(look_up), "{query}: {found:?}");
    }
}

#[test]
fn pointer_to_a_line_orders_nothing() {
    let is_read = |text: &str| {
        let clauses = words::clauses(text);
        clauses.first().and_then(rules::read).is_some()
    };
    for text in [
        "see line 12 of src/shelf.py", "also see above", "see the screenshot",
    ] {
        assert!(!is_read(text), "{text}");
    }
    assert!(is_read("see the class Shelf"));
}

#[test]
fn titles_of_issues_look_nothing_up() {
    for text in [
        "open_door tests fail on Windows",
        "Tests of open_door fail on Windows",
        "References to open_door are broken",
        "Usages of open_door break on Python 3",
        "Calls to open_door hang",
        "callers of open_door get the wrong door",
        "callers of parser hang",
        "Callers Of Parser Hang",
        "References to Shelf are broken",
        "open_door usages crash",
        "Flaky tests",
        "Windows tests",
        "ShelfError tests fail on Windows",
        "Classes extending ShelfError are lost",
        "Add tests for open_door",
        "Missing tests for `Shelf`",
        "Classes implementing Shelf should be exported",
        "which commands extend the timeout?",
    ] {
        let found = detect(&QueryText::parse(text), None);
        assert_eq!(found.look_up, None, "{text}: {found:?}");
    }
}

#[test]
fn failed_test_makes_bug_fix() {
    for query in [
        "1) Refactor\n     adds a test for shelves:\n   AssertionError: no",
        "● Shelf › adds a test",
        "not ok 3 - moves books",
        "=== short test summary info ===\nFAILED tests/test_shelf.py::test_add - AssertionError",
        "FAIL: test_add (tests.test_shelf.TestShelf.test_add)",
        "test shelf::tests::adds ... FAILED",
        "--- FAIL: TestAdd (0.00s)",
    ] {
        let found = detect(&QueryText::parse(query), None);
        assert_eq!(found.kind, BugFix, "{query}: {found:?}");
        assert!(found.signals.contains(&"failed_test"), "{found:?}");
    }
}

#[test]
fn intent_given_by_caller_wins() {
    let found = detect(&QueryText::parse(PYTHON_TRACE), Some(Refactor));
    assert_eq!((found.kind, found.confidence), (Refactor, 1.0));
}

#[test]
fn change_that_is_ordered_with_its_tests_is_that_change() {
    for (text, wanted) in [
        ("Add `Money.floor` and associated tests", Implementation),
        ("Implement `Shelf.lift`, plus tests", Implementation),
        (
            "add overloads of send() and a few unit tests for them",
            Implementation,
        ),
        ("test & fix the lost comma", BugFix),
        ("Tests and a fix for the lost comma", BugFix),
        ("Add unit and integration tests of the reader", TestWriting),
        ("Write fixtures and tests of the reader", TestWriting),
    ] {
        let found = detect(&QueryText::parse(text), None);
        assert_eq!(found.kind, wanted, "{text}: {found:?}");
    }
}

#[test]
fn only_verbs_order_a_repair_beside_tests() {
    let kind = |text: &str| {
        let clauses = words::clauses(text);
        let reading = clauses.first().and_then(rules::read);
        reading.map(|reading| reading.rule.kind)
    };
    for text in [
        "Write tests and fix the sum",
        "Write tests and correct the sum",
    ] {
        assert_eq!(kind(text), Some(BugFix), "{text}");
    }
    for text in [
        "Write tests of the parser and resolver",
        "Write tests of the speed and correctness",
        "Write tests with a fixed seed",
    ] {
        assert_eq!(kind(text), Some(TestWriting), "{text}");
    }
}

#[test]
fn titles_without_spaces_are_no_names() {
    for (title, kind) in [
        ("修复CartPool.MAX_SIZE范围太大的问题", BugFix),
        ("feat: 新增CartPool.resize方法", Implementation),
        ("refactor(cart): 将类方法改为箭头函数，避免报错", Refactor),
        ("CartPool.take在空购物车时返回上一次的总价而不是零", BugFix),
        ("CartPool.MAX_SIZE", DefinitionLookup),
        ("购物车", DefinitionLookup),
    ] {
        let found = detect(&QueryText::parse(title), None);
        assert_eq!(found.kind, kind, "{title}");
    }
}
