//! Tests what answers say of uses that are known by name alone.

use super::*;

/// Two classes have a method `fetch_book`.
const DESKS: &str = "
    //- app/shelf.rb
    class Shelf
      def fetch_book(book)
        book
      end
    end

    //- app/desk.rb
    class Desk
      def fetch_book(book)
        book
      end
    end

    //- app/tools.rb
    class Tools
      def pass_on(place, book)
        place.fetch_book(book)
      end

      def give_back(place, book)
        place.fetch_book(book)
      end
    end
";

/// A sure use of one of them.
const LENDING: &str = "
    //- app/lend.rb
    class Lending
      def lend(book)
        Shelf.new.fetch_book(book)
      end
    end
";

/// Returns the details of the issues that count uses.
fn more_uses(snapshot: &Snapshot, query: &str) -> Vec<String> {
    let request = Request {
        intent: None,
        ..request(query, 4000, IntentKind::Explanation)
    };
    let issues = ask(snapshot, &request).issues.into_iter();
    let counted = issues.filter(|issue| issue.code == IssueCode::MoreCallers);
    counted.map(|issue| issue.detail).collect()
}

#[test]
fn uses_by_name_alone_are_counted_where_others_are_sure() {
    let snapshot = fixture(&format!("{DESKS}{LENDING}"));
    for query in ["who calls Shelf.fetch_book?", "who uses `Shelf.fetch_book`"] {
        let pack = asked(&snapshot, query, 4000);
        assert!(!pack.context.contains("pass_on"), "{}", pack.context);
        let counted =
            "Shelf.fetch_book may have 2 more uses, known by name alone; they are not listed";
        assert_eq!(more_uses(&snapshot, query), [counted], "{query}");
    }
    // Here they are listed.
    assert!(more_uses(&fixture(DESKS), "who calls Shelf.fetch_book?").is_empty());
}

#[test]
fn use_by_name_alone_says_so() {
    let pack = asked(&fixture(DESKS), "who calls Shelf.fetch_book?", 4000);
    let all = pack.sections.iter().flat_map(|section| &section.items);
    let uses = all.filter(|item| item.name.starts_with("Tools."));
    let reasons: Vec<&str> = uses.map(|item| item.reason.as_str()).collect();
    let is_said = |reason: &&str| reason.contains(" Shelf.fetch_book by name alone");
    assert!(reasons.len() >= 2, "{}", pack.context);
    assert!(reasons.iter().all(is_said), "{reasons:?}");
    // A sure use does not.
    let sure = fixture(&format!("{DESKS}{LENDING}"));
    let pack = asked(&sure, "who calls Shelf.fetch_book?", 4000);
    let all = pack.sections.iter().flat_map(|section| &section.items);
    let unsure = all.filter(|item| item.reason.contains("by name alone"));
    assert_eq!(unsure.count(), 0, "{}", pack.context);
}
