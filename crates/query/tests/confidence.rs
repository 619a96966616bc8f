//! Tests that a query that has nothing to do with the repository gets little confidence.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;
use foveate_query::Answer;

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
