//! Labelled queries. They were written for this test; the labels are what a person would say.

use super::IntentKind::*;
use super::*;

const PYTHON_TRACE: &str = "Opening a shelf gives\n\nTraceback (most recent call last):\n  File \"/srv/shop/shelf.py\", line 12, in open\n    self.door.unlock()\nAttributeError: 'NoneType' object has no attribute 'unlock'\n";
const SCRIPT_TRACE: &str = "Saving the form\n\n```\nTypeError: field.commit is not a function\n    at saveForm (/app/src/form.js:40:7)\n    at async submit (/app/src/submit.ts:9:3)\n```\n";

const LABELLED: &[(IntentKind, &str)] = &[
    // Bugs, with inflections.
    (BugFix, PYTHON_TRACE),
    (BugFix, SCRIPT_TRACE),
    (BugFix, "login is failing after the upgrade"),
    (BugFix, "The importer crashes on an empty file"),
    (BugFix, "Export doesn't work with unicode names"),
    (BugFix, "export does not work"),
    (BugFix, "fix the off by one in the pager"),
    (BugFix, "Wrong total when the cart holds two currencies"),
    (BugFix, "why does the scheduler skip the first job?"),
    (BugFix, "`Cache.get` returns stale values"),
    (BugFix, "Memory leak in the watcher"),
    (BugFix, "Race condition while two workers claim a task"),
    (
        BugFix,
        "[Bug]: Slider ignores its step\n\n### Steps to reproduce\nDrag it.\n### Actual behavior\nIt moves by one.",
    ),
    (BugFix, "Regression in 2.3: dates are parsed twice"),
    (BugFix, "KeyError when a header is missing"),
    (
        BugFix,
        "Tooltip flickers\n\n**Describe the bug**\nMove the mouse.\n\n**Expected behavior**\nIt stays.",
    ),
    (BugFix, "App hangs when the disk is full"),
    (
        BugFix,
        "Cannot read property 'size' of undefined in the list view",
    ),
    (BugFix, "Sorting breaks if a column is hidden"),
    (BugFix, "The parser should not accept a trailing comma"),
    (BugFix, "Inconsistent rounding between invoice and receipt"),
    (BugFix, "Timezone is no longer applied to exported rows"),
    (
        BugFix,
        "Deadlock on shutdown\n\nThe pool waits for a thread that waits for the pool.",
    ),
    (BugFix, "Prevent double submission of the order form"),
    (BugFix, "fix failing test in test_pager.py"),
    // Tests.
    (TestWriting, "add a test that checks the failing login"),
    (TestWriting, "write unit tests for the retry logic"),
    (TestWriting, "Please write tests for `Cart.total`"),
    (TestWriting, "increase test coverage of the parser"),
    (
        TestWriting,
        "Create regression tests for the crash in the importer",
    ),
    (TestWriting, "we need more tests for error handling"),
    (TestWriting, "cover the pager with tests"),
    (TestWriting, "test that an expired token is refused"),
    (TestWriting, "Extend the integration tests of the webhook"),
    (TestWriting, "missing tests for broken links"),
    (TestWriting, "can you add a unit test for parse_date?"),
    // Refactoring.
    (Refactor, "refactor the crash handler"),
    (Refactor, "Rename `Pool.acquire` to `Pool.take`"),
    (Refactor, "extract the retry logic into its own class"),
    (Refactor, "clean up the error handling in the importer"),
    (Refactor, "Split the settings module into smaller files"),
    (Refactor, "move validation from the view to the model"),
    (Refactor, "simplify the broken link checker"),
    (Refactor, "Remove dead code from the scheduler"),
    (Refactor, "deduplicate the two date parsers"),
    (Refactor, "we should restructure the plugin loader"),
    (Refactor, "Replace the hand written parser with a table"),
    (Refactor, "Convert callbacks to promises in the downloader"),
    (Refactor, "get rid of the global registry"),
    // Something new.
    (Implementation, "add support for OAuth login"),
    (Implementation, "Implement retries when a download fails"),
    (
        Implementation,
        "Allow overriding the template of an error page",
    ),
    (Implementation, "Support async generators in the runner"),
    (Implementation, "It would be nice to have a dark theme"),
    (
        Implementation,
        "[Feature Request]: export as CSV\n\n### Motivation\nPeople ask for it.",
    ),
    (Implementation, "add an option to skip hidden files"),
    (Implementation, "Make the timeout configurable"),
    (Implementation, "feat(router): nested routes"),
    (
        Implementation,
        "Provide a hook that runs before each request",
    ),
    (Implementation, "Introduce a plugin API for formatters"),
    (
        Implementation,
        "create a command line flag for verbose output",
    ),
    (Implementation, "Expose the connection count as a metric"),
    (
        Implementation,
        "Progress bar for uploads\n\nIt would be great if the client could show how far an upload is.",
    ),
    (
        Implementation,
        "I would like to be able to pass a custom encoder",
    ),
    (Implementation, "Enable compression for responses over 1 kB"),
    // Use.
    (UsageExploration, "how is `Session` used?"),
    (UsageExploration, "where is parse_date called"),
    (UsageExploration, "who calls Pool.acquire"),
    (UsageExploration, "find all usages of the Settings class"),
    (UsageExploration, "show me all callers of `handle_error`"),
    (UsageExploration, "which modules import the failing parser"),
    (UsageExploration, "what uses the retry decorator?"),
    (UsageExploration, "how do I use the cache decorator?"),
    (
        UsageExploration,
        "list every reference and call sites of `commit`",
    ),
    (
        UsageExploration,
        "Where are exceptions of the client used in the views?",
    ),
    (UsageExploration, "examples of using the query builder"),
    // Definitions.
    (DefinitionLookup, "where is DatabaseClient defined"),
    (DefinitionLookup, "what is `ErrorBoundary`?"),
    (DefinitionLookup, "definition of parse_date"),
    (DefinitionLookup, "show me the Settings class"),
    (DefinitionLookup, "which file contains the crash reporter"),
    (DefinitionLookup, "What does `flush_pending` do?"),
    (DefinitionLookup, "DatabaseClient.connect"),
    (DefinitionLookup, "where is the error handler implemented?"),
    (DefinitionLookup, "find the function that parses headers"),
    (DefinitionLookup, "how does the scheduler work"),
    (DefinitionLookup, "explain the retry logic"),
    (DefinitionLookup, "signature of `render`"),
];

#[test]
fn labelled_queries() {
    let mut right = 0;
    let mut wrong = Vec::new();
    for (wanted, query) in LABELLED {
        let found = detect(&QueryText::parse(query), None);
        if found.kind == *wanted {
            right += 1;
        } else {
            let title = query.lines().next().unwrap_or("");
            wrong.push(format!(
                "{title}: wanted {}, found {found:?}",
                wanted.name()
            ));
        }
        assert!((0.0..=1.0).contains(&found.confidence));
        assert!(!found.signals.is_empty());
    }
    let accuracy = f64::from(right) / LABELLED.len() as f64;
    let report = format!(
        "{right} of {} right ({accuracy:.3}); wrong: {wrong:#?}",
        LABELLED.len()
    );
    // Shown by `cargo test -- --nocapture`; tests may print.
    #[allow(clippy::print_stdout)]
    {
        println!("intent: {report}");
    }
    assert!(LABELLED.len() >= 60);
    assert!(accuracy >= 0.95, "{report}");
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
