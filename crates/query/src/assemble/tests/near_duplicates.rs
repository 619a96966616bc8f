//! Tests that near-duplicates are shown once.

use super::*;

/// Returns two classes that differ only by `async` and `await`, and by `mark`, which is inserted into the second.
fn clients(mark: &str) -> String {
    let method = |a: &str, w: &str, m: &str| {
        format!(
            "    {a}def fetch_page(self, number):\n        \"\"\"Fetch one page of the feed.\"\"\"\n        \
             reply = {w}self.session.get(self.url)\n        reply.check()\n        \
             rows = {w}reply.rows(number)\n        kept = [row for row in rows if row.valid]\n        \
             self.seen.update(kept)\n        self.count += len(kept)\n        \
             self.last = number\n        self.log(number, kept)\n{m}        return kept\n"
        )
    };
    format!(
        "class Feed:\n{}\n\nclass LateFeed:\n{}",
        method("", "", ""),
        method("async ", "await ", mark)
    )
}

const QUERY: &str = "fetching a page of the feed keeps rows twice when the session replies";

fn ask_about(text: String, query: &str) -> (Pack, Vec<String>) {
    let snapshot = snapshot([("feed.py".to_owned(), text)]);
    let request = request(query, 2000, IntentKind::BugFix);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let all = pack.sections.iter().flat_map(|s| &s.items);
    let fetches = all
        .filter(|item| item.name.ends_with("fetch_page"))
        .map(|item| format!("{} {}", item.name, item.fidelity.name()))
        .collect();
    (pack, fetches)
}

#[test]
fn sync_and_async_versions_are_shown_once() {
    let (pack, fetches) = ask_about(clients(""), QUERY);
    assert_eq!(
        fetches,
        ["Feed.fetch_page full", "LateFeed.fetch_page compact"]
    );
    assert!(
        pack.context.contains("same_as=\"feed.py:2-12\""),
        "{}",
        pack.context
    );
    let reasons: Vec<(&str, &str)> = pack
        .dropped
        .iter()
        .map(|d| (d.name.as_str(), d.reason.name()))
        .collect();
    assert!(
        reasons.contains(&("LateFeed.fetch_page", "duplicate")),
        "{reasons:?}"
    );
}

#[test]
fn names_of_asynchronous_calls_do_not_make_a_difference() {
    let text = clients("");
    let (sync, late) = text.split_at(text.find("class LateFeed").expect("the second class"));
    let renamed = |text: &str, get: &str, check: &str| {
        let text = text.replace(".get(", get);
        text.replace(".check()", check)
    };
    let text = renamed(sync, ".read(", ".close()") + &renamed(late, ".aread(", ".aclose()");
    let (_, fetches) = ask_about(text, QUERY);
    assert_eq!(
        fetches,
        ["Feed.fetch_page full", "LateFeed.fetch_page compact"]
    );
}

#[test]
fn card_shows_the_differing_line() {
    let mark = "        self.wake_waiters(kept)\n";
    let (pack, fetches) = ask_about(clients(mark), QUERY);
    assert_eq!(
        fetches,
        ["Feed.fetch_page full", "LateFeed.fetch_page compact"]
    );
    assert!(pack.context.contains("like=\"feed.py:2-12\""));
    assert!(
        pack.context.contains("\n  26: self.wake_waiters(kept)"),
        "{}",
        pack.context
    );
}

#[test]
fn card_has_a_differing_line_of_documentation_once() {
    let text = clients("");
    let (first, second) = text.split_at(text.find("class LateFeed").unwrap());
    let second = second.replace("Fetch one page of", "Fetch a late page of");
    let (pack, fetches) = ask_about(format!("{first}{second}"), QUERY);
    assert_eq!(
        fetches,
        ["Feed.fetch_page full", "LateFeed.fetch_page compact"]
    );
    let count = pack.context.matches("Fetch a late page of").count();
    assert_eq!(count, 1, "{}", pack.context);
}

#[test]
fn card_names_lines_only_in_the_shown_body() {
    let mark = "        self.wake_waiters(kept)\n";
    let query = "fetching a page of the feed keeps rows twice when the session replies late";
    let (pack, fetches) = ask_about(clients(mark), query);
    assert_eq!(
        fetches,
        ["Feed.fetch_page compact", "LateFeed.fetch_page full"]
    );
    assert!(
        pack.context.contains("like=\"feed.py:16-27\""),
        "{}",
        pack.context
    );
    assert!(
        pack.context.contains("lacks lines 26 of it"),
        "{}",
        pack.context
    );
}

#[test]
fn named_near_duplicates_are_both_shown_whole() {
    let mark = "        self.wake_waiters(kept)\n";
    let query = "`LateFeed.fetch_page` and `Feed.fetch_page` keep rows twice";
    let (_, fetches) = ask_about(clients(mark), query);
    assert!(
        fetches.contains(&"Feed.fetch_page full".to_owned()),
        "{fetches:?}"
    );
    assert!(
        fetches.contains(&"LateFeed.fetch_page full".to_owned()),
        "{fetches:?}"
    );
}

#[test]
fn bodies_with_many_differing_lines_are_both_shown() {
    let mark = "        for waiter in self.waiters:\n            waiter.wake(kept)\n            self.woken += 1\n        self.waiters.clear()\n";
    let (_, fetches) = ask_about(clients(mark), QUERY);
    assert!(
        fetches.contains(&"Feed.fetch_page full".to_owned()),
        "{fetches:?}"
    );
    assert!(
        fetches.contains(&"LateFeed.fetch_page full".to_owned()),
        "{fetches:?}"
    );
}

#[test]
fn vendored_copy_is_a_card_and_original_a_body() {
    let function = "def parse_header(line):\n    name, _, value = line.partition(':')\n    if not value:\n        raise ValueError('no value')\n    name = name.strip().lower()\n    return name, value.strip()\n";
    let files = [
        ("app/header.py".to_owned(), function.to_owned()),
        ("app/_vendor/header.py".to_owned(), function.to_owned()),
    ];
    let snapshot = snapshot(files);
    let request = request(
        "parsing a header line without a value",
        2000,
        IntentKind::BugFix,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let places: Vec<(&str, Fidelity)> = pack
        .sections
        .iter()
        .flat_map(|s| &s.items)
        .map(|item| (item.path.as_str(), item.fidelity))
        .collect();
    assert_eq!(
        places,
        [
            ("app/header.py", Fidelity::Full),
            ("app/_vendor/header.py", Fidelity::Compact)
        ]
    );
}
