//! Tests which parts of a report find the message that the code raises.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;

const STORE: &str = "
    //- store.py
    def freed(page):
        raise StoreError(f'page {page} is in the list of free pages')

    def opened(path):
        logger.info('the store was opened at %s without a lock', path)

    //- limits.py
    ERR_FULL = 'no page of the shelf is left to use'

    //- shelf.py
    from limits import ERR_FULL

    def put(page):
        if not page:
            raise StoreError(ERR_FULL)

    def take(page):
        return page
    ";

/// Returns the functions whose messages a query has.
fn found(query: &str) -> Vec<String> {
    let answer = ask::ask(&of_text(STORE), query);
    let functions = answer.functions.into_iter();
    let with_message =
        functions.filter(|function| function.signals.iter().any(|s| s.name == "message"));
    with_message.map(|function| function.name).collect()
}

#[test]
fn message_of_a_report_is_found_without_marks() {
    const MESSAGE: &str = "page 12 is in the list of free pages";
    for report in [
        format!("The job stops since the upgrade with\n\n{MESSAGE}\n\nNothing else was changed."),
        format!("The job stops.\n\nIt tells me that {MESSAGE} and ends at once."),
        format!("The job stops.\n\n```\n{MESSAGE}\n```\n"),
        format!("The job stops with `{MESSAGE}` at once.\n\nNothing was changed."),
    ] {
        assert_eq!(found(&report), ["freed"], "{report}");
    }
}

#[test]
fn message_in_a_constant_leads_to_its_users() {
    assert_eq!(
        found("StoreError: no page of the shelf is left to use"),
        ["put"]
    );
}

#[test]
fn words_of_a_message_in_sentences_are_no_message() {
    let report = "The job stops.\n\nI looked at the list of free pages, and page 12 is missing.";
    assert_eq!(found(report), [""; 0]);
}

#[test]
fn lines_of_a_long_log_are_no_messages() {
    let lines = |count: usize| -> String {
        (0..count)
            .map(|n| format!("the store was opened at {n}.db without a lock\n"))
            .collect()
    };
    let report = |count| format!("The job stops.\n\n```\n{}```\n", lines(count));
    assert_eq!(found(&report(1)), ["opened"]);
    assert_eq!(found(&report(20)), [""; 0]);
}

#[test]
fn what_a_log_tells_beside_an_error_is_no_message() {
    let entry = "[INFO] the store was opened at a.db without a lock";
    let error = "StoreError: page 12 is in the list of free pages";
    let report = |lines: &str| format!("The job stops.\n\n```\n{lines}\n```\n");
    assert_eq!(found(&report(entry)), ["opened"]);
    assert_eq!(found(&report(&format!("{entry}\n{error}"))), ["freed"]);
}
