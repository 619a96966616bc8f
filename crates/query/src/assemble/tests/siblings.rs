//! Tests the list of the files in the directory of the best file, or in the one that the query names.

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

#[test]
fn files_of_the_directory_that_the_query_names_are_listed() {
    let snapshot = fixture(
        "
        //- src/matcher/glob.py
        def expand(pattern):
            return pattern
        //- src/matcher/regex.py
        def compile_pattern(pattern):
            return pattern
        //- src/shop/cart.py
        def close_cart(pattern):
            return pattern
        //- src/shop/shelf.py
        def dust_shelf(pattern):
            return pattern
        //- src/shop/till.py
        def open_till(pattern):
            return pattern
        ",
    );
    let context = |query: &str, intent| {
        let request = request(query, 4000, intent);
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        pack.context
    };
    let of_matcher = "directory=\"src/matcher\">\nglob.py: expand\nregex.py: compile_pattern\n";
    for (query, intent) in [
        ("What is in src/matcher?", IntentKind::DefinitionLookup),
        (
            "How does `close_cart` use src/matcher?",
            IntentKind::Explanation,
        ),
    ] {
        let found = context(query, intent);
        assert!(found.contains(of_matcher), "{found}");
        assert!(!found.contains("directory=\"src/shop\""), "{found}");
    }
    for (query, intent) in [
        ("What is in close_cart?", IntentKind::DefinitionLookup),
        ("src/matcher is wrong", IntentKind::BugFix),
        (
            "What is in src/matcher or src/shop?",
            IntentKind::DefinitionLookup,
        ),
    ] {
        let found = context(query, intent);
        assert!(!found.contains(" directory=\""), "{found}");
    }
}
