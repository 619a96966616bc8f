//! Tests that a query that has nothing to do with the repository gets little confidence.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;
use foveate_query::{Answer, IssueCode};

const SHOP: &str = "
    //- shop/cart.py
    class Cart:
        def total(self, items):
            # The total of the cart, without the discount of returned items.
            return sum(item.price for item in items)

        def restart(self):
            self.items = []

    //- shop/discount.py
    def apply(total, discount):
        return total * (1 - discount)
";

fn ask(query: &str) -> Answer {
    ask::ask(&of_text(SHOP), query)
}

#[test]
fn queries_about_something_else_get_little_confidence() {
    let found = ask("Kubernetes ingress returns a wrong status when the pod restarts");
    assert!(found.pack.confidence < 0.5, "{}", found.pack.confidence);
    assert!(
        found
            .issues
            .iter()
            .any(|issue| issue.code.name() == "low_confidence")
    );
    let found = ask("The total of the cart ignores the discount of returned items");
    assert!(found.pack.confidence > 0.5, "{}", found.pack.confidence);
}

#[test]
fn question_with_the_name_of_the_best_file_is_specific() {
    let guide = "
        //- docs/install.md
        # Install
        Unpack the archive.
        //- docs/gunicorn.md
        # Gunicorn
        Run it with four workers.
        ";
    let low = |query: &str| {
        let found = ask::ask(&of_text(guide), query);
        let issue = found
            .issues
            .into_iter()
            .find(|issue| issue.code == IssueCode::LowConfidence);
        issue.map(|issue| issue.detail)
    };
    assert_eq!(low("how to run gunicorn"), None);
    let detail = low("how to run workers").unwrap();
    assert!(detail.contains("a name or a path"), "{detail}");
}

#[test]
fn answer_that_found_nothing_says_what_would_help() {
    for query in ["qqqqzzzz is wrong", "它不工作"] {
        let found = ask(query);
        let head = found.pack.context.lines().next().unwrap();
        assert!(head.contains("(low: "), "{head}");
        let mut issues = found.issues.iter();
        let issue = issues.find(|issue| issue.code == IssueCode::NoMatch);
        let detail = &issue.unwrap().detail;
        assert!(detail.contains("would help"), "{detail}");
    }
}
