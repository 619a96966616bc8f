//! Tests the list of the other files in the directory of the best file.

use super::*;

/// Returns the list in the answer to a question for something new.
fn list(budget: usize) -> Option<String> {
    let step = |n| {
        format!(
            "def step_{n}(queue):\n    queue.run_step({n})\n    queue.log_step({n})\n    return queue\n\n\n"
        )
    };
    let steps: String = (0..400).map(step).collect();
    let snapshot = snapshot([
        (
            "shop/pool/darken.py".to_owned(),
            "def darken(colour):\n    return colour\n".to_owned(),
        ),
        (
            "shop/pool/lighten.py".to_owned(),
            "def lighten(colour):\n    return colour\n".to_owned(),
        ),
        ("shop/pool/steps.py".to_owned(), steps),
    ]);
    let query = "add a step to run in the queue";
    let request = request(query, budget, IntentKind::Implementation);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let mut all = pack.sections.iter().flat_map(|section| &section.items);
    let found = all.find(|item| item.reason == "other files of its directory");
    found.map(|_| pack.context.clone())
}

#[test]
fn list_has_its_place_where_bodies_fill_the_budget() {
    let context = list(8000).expect("a list");
    assert!(context.contains("directory=\"shop/pool\""), "{context}");
    assert!(context.contains("\ndarken.py: darken\n"), "{context}");
    assert!(list(500).is_none());
}
