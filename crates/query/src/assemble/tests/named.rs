//! Tests that no definition is lost that a title surely names, and that reasons say how it is named.

use super::*;

#[test]
fn each_of_a_handful_of_definitions_of_a_name_has_a_card() {
    let class = |file: &str| {
        let step = |n| format!("    def step_{file}_{n}(self, value):\n        return value\n\n");
        let steps: String = (0..30).map(step).collect();
        (format!("{file}.py"), format!("class State:\n{steps}"))
    };
    let merge = |n| {
        format!(
            "def merge_rows_{n}(rows, engine):\n    engine.merge(rows, {n})\n    return rows\n\n\n"
        )
    };
    let engine = (0..6).map(merge).collect();
    let snapshot = snapshot([
        ("engine.py".to_owned(), engine),
        class("parser"),
        class("reader"),
        class("writer"),
    ]);
    let cards = |query: &str, breadth| {
        let request = Request {
            breadth,
            ..request(query, 4000, IntentKind::BugFix)
        };
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let all = pack.sections.iter().flat_map(|section| &section.items);
        let named = all.filter(|item| item.name == "State" && item.reason == "named by the query");
        let mut paths: Vec<String> = named.map(|item| item.path.clone()).collect();
        paths.sort();
        paths
    };
    let all = ["parser.py", "reader.py", "writer.py"];
    for query in [
        "`State` is lost when the engine merges rows",
        "the State class is lost when the engine merges rows",
    ] {
        assert_eq!(cards(query, Breadth::Balanced), all, "{query}");
    }
    // A precise answer has no code besides that to change.
    let precise = cards(
        "`State` is lost when the engine merges rows",
        Breadth::Precise,
    );
    assert_eq!(precise, [""; 0]);
}

#[test]
fn reason_says_how_the_query_names_a_definition() {
    let snapshot = fixture(
        "
        //- store.py
        class Store:
            def bulk_create(self, rows):
                return len(rows)
        ",
    );
    let reason = |query: &str| {
        let request = request(query, 2000, IntentKind::BugFix);
        let pack = ask(&snapshot, &request).pack;
        let mut all = pack.sections.iter().flat_map(|section| &section.items);
        let item = all.find(|item| item.name == "Store.bulk_create");
        item.map(|item| item.reason.clone())
    };
    assert_eq!(
        reason("`bulk_create` loses rows").as_deref(),
        Some("named by the query, rank 1")
    );
    assert_eq!(
        reason("bulk creation loses rows").as_deref(),
        Some("named in words by the query, rank 1")
    );
}
