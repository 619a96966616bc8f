//! Tests contexts of changes: which places count as changed, what says how much of them is shown, and what still uses
//! removed code.

use foveate_model::{Lines, RepoPath};

use super::request_options::all_items;
use super::*;
use crate::issue::IssueCode;
use crate::request::{Change, Deletion, Hunk, Removed};

#[test]
fn deletion_changes_only_what_it_was_in() {
    let snapshot = fixture(
        "
        //- pages.py
        import os
        import sys


        class Pages:
            size = 4
            width = 2

            def load(self):
                self.open()
                return self.size

            def save(self):
                return self.width


        def close(pages):
            pages.clear()
            return pages
        ",
    );
    let method = "Pages.load";
    for (after, has_definition, indentation, changed) in [
        (10, false, 8, Some(method)),
        // At its end, as the indentation says.
        (11, false, 8, Some(method)),
        // Another method, a comment between two methods, an attribute.
        (11, true, 4, Some("Pages")),
        (12, false, 4, None),
        (6, false, 4, Some("Pages")),
        // A class and a function behind others.
        (14, true, 0, None),
        (19, true, 0, None),
        // Imports.
        (1, false, 0, Some("")),
        (0, false, 0, Some("")),
    ] {
        let mut request = request("", 4000, IntentKind::BugFix);
        request.changes = vec![Change {
            path: RepoPath::new("pages.py").unwrap(),
            hunks: vec![Hunk::Deletion(Deletion {
                after,
                has_definition,
                indentation,
            })],
        }];
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let context = &answer.pack.context;
        let items = all_items(&answer).into_iter();
        let shown = items.filter(|item| item.reason == "changed");
        let names: Vec<&str> = shown.map(|item| item.name.as_str()).collect();
        let expected: Vec<&str> = changed.into_iter().collect();
        assert_eq!(names, expected, "{after} {indentation}: {context}");
        let label = match after {
            0 => "deleted before line 1".to_owned(),
            _ => format!("deleted after line {after}"),
        };
        assert_eq!(context.contains(&label), changed.is_some(), "{context}");
    }
}

#[test]
fn query_that_only_asks_for_a_review_has_no_words() {
    let snapshot = fixture(
        "
        //- pages.py
        def close(pages):
            pages.clear()
            return pages

        //- docs/review.md
        # Review of pull requests

        Please review this pull request before the merge.
        ",
    );
    let files = |query: &str| {
        let mut request = request(query, 4000, IntentKind::BugFix);
        request.changes = vec![Change {
            path: RepoPath::new("pages.py").unwrap(),
            hunks: vec![Hunk::Lines(Lines::new(2, 2))],
        }];
        let files = ask(&snapshot, &request).files.into_iter();
        files.map(|file| file.path).collect::<Vec<_>>()
    };
    let guide = "docs/review.md".to_owned();
    for query in ["Please review this pull request.", "What changed here?"] {
        assert!(!files(query).contains(&guide), "{query}");
    }
    assert!(files("Please review the guide for pull requests.").contains(&guide));
}

#[test]
fn partly_shown_change_is_reported_and_lowers_confidence() {
    let file = |number: usize| {
        let lines = format!("    page.wait({number})\n").repeat(20);
        let code = format!("def part_{number}(page):\n{lines}    return page\n");
        (format!("app/part_{number:02}.py"), code)
    };
    let snapshot = snapshot((0..60).map(file));
    let ask_about = |count: usize| {
        let mut request = request("", 2000, IntentKind::BugFix);
        request.base = "b0b".to_owned();
        request.changes = (0..count)
            .map(|number| Change {
                path: RepoPath::new(&file(number).0).unwrap(),
                hunks: vec![Hunk::Lines(Lines::new(2, 2))],
            })
            .collect();
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let mut issues = answer.issues.iter();
        let issue = issues.find(|issue| issue.code == IssueCode::PartialChange);
        let detail = issue.map(|issue| issue.detail.clone());
        (answer.pack.confidence, detail, answer.pack.context)
    };
    let (confidence, detail, context) = ask_about(60);
    let detail = detail.unwrap();
    assert!(confidence < 0.9, "{confidence}");
    assert!(
        detail.starts_with("of 60 changed places in 60 files, "),
        "{detail}"
    );
    assert!(detail.contains("nothing is shown of"), "{detail}");
    assert!(detail.contains(" more; "), "{detail}");
    assert!(
        context.contains(", base: b0b, changed files: 60, "),
        "{context}"
    );
    let (complete, detail, context) = ask_about(2);
    assert!(complete > confidence, "{complete} {confidence}");
    assert_eq!(detail, None, "{context}");
}

#[test]
fn uses_of_removed_code_are_callers() {
    let snapshot = fixture(
        "
        //- shop/__init__.py
        NAME = 'shop'
        //- shop/cart.py
        from shop.price import total_price
        from shop import tax
        import shop.rates

        def checkout(cart):
            return total_price(cart)
        //- shop/rates.py
        def rate(cart):
            return cart.rate
        //- other/cart.py
        import json
        from functools import partial
        from other import tax

        seen = set()
        seen.add(partial(tax))
        ",
    );
    let mut request = Request {
        intent: None,
        ..request("", 4000, IntentKind::BugFix)
    };
    let path = |path: &str| RepoPath::new(path).unwrap();
    request.removed = Removed {
        paths: ["shop/price.py", "shop/tax.py", "shop/json.py"]
            .map(path)
            .to_vec(),
        // One is still defined, many types have an `add`, and one is taken from a library.
        names: ["total_price", "checkout", "add", "partial"]
            .map(str::to_owned)
            .to_vec(),
        ..Removed::default()
    };
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    assert_eq!(
        callers(&answer),
        [
            "shop/cart.py:1 still imports removed shop/price.py",
            "shop/cart.py:2 still imports removed shop/tax.py",
            "shop/cart.py:6 still uses removed total_price",
        ],
        "{}",
        answer.pack.context
    );
    assert!(answer.issues.is_empty(), "{:?}", answer.issues);
}

#[test]
fn uses_of_removed_code_are_shown_in_every_intent() {
    let snapshot = fixture(
        "
        //- shop/cart.py
        from shop.price import total_price

        def checkout(cart):
            return total_price(cart)
        ",
    );
    for intent in IntentKind::ALL {
        let mut request = request("", 2000, intent);
        request.removed = Removed {
            paths: vec![RepoPath::new("shop/price.py").unwrap()],
            names: vec!["total_price".to_owned()],
            ..Removed::default()
        };
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let callers = items(&answer.pack, "callers").into_iter();
        let lines: Vec<u32> = callers.map(|item| item.lines.start).collect();
        assert_eq!(lines, [1, 4], "{intent:?}: {}", answer.pack.context);
    }
}

/// Returns `path:line reason` of each caller.
fn callers(answer: &Answer) -> Vec<String> {
    let callers = items(&answer.pack, "callers").into_iter();
    let callers = callers.map(|item| format!("{}:{} {}", item.path, item.lines.start, item.reason));
    callers.collect()
}

#[test]
fn uses_of_removed_constants_and_variables_are_callers() {
    let snapshot = fixture(
        "
        //- shop/__init__.py
        NAME = 'shop'
        //- shop/settings.py
        def limit():
            return MAX_ROWS
        //- shop/rows.py
        from shop.settings import MAX_ROWS, rate_table
        from . import settings

        def show(rows, page_size):
            rows.page_size = page_size
            return rate_table[MAX_ROWS], settings.rate_table
        //- shop/star.py
        from shop.settings import *

        def top(rows):
            # As many as MAX_ROWS says.
            return min(rows, MAX_ROWS, 'MAX_ROWS')
        //- other/url.js
        export function open(text) {
          return new URL(text);
        }
        //- other/limits.py
        def read(rows):
            global LOW_MARK
            LOW_MARK = rows.count
            return LOW_MARK
        ",
    );
    let mut request = Request {
        intent: None,
        ..request("", 4000, IntentKind::BugFix)
    };
    request.removed = Removed {
        // The last one is a name of the browser, the one before it is still given a value.
        variables: ["MAX_ROWS", "rate_table", "page_size", "LOW_MARK", "URL"]
            .map(str::to_owned)
            .to_vec(),
        ..Removed::default()
    };
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    assert_eq!(
        callers(&answer),
        [
            "shop/rows.py:1 still imports removed MAX_ROWS",
            "shop/rows.py:6 still uses removed MAX_ROWS",
            "shop/settings.py:2 still uses removed MAX_ROWS",
            "shop/star.py:5 still uses removed MAX_ROWS",
        ],
        "{}",
        answer.pack.context
    );
    request.removed.variables = vec!["rate_table".to_owned()];
    let answer = ask(&snapshot, &request);
    let expected = [
        "shop/rows.py:1 still imports removed rate_table",
        "shop/rows.py:6 still uses removed rate_table",
    ];
    assert_eq!(callers(&answer), expected);
}

#[test]
fn removed_attribute_is_looked_for_on_objects_of_changed_files() {
    let step = |number: u32| format!("        self.step({number})\n");
    let steps = |numbers: std::ops::Range<u32>| numbers.map(step).collect::<String>();
    let pages = format!(
        "class Pages:\n    def load(self):\n{}        self.read(self.page_size)\n{}",
        steps(0..200),
        steps(200..400)
    );
    let other = "class Rows:\n    def load(self):\n        return self.page_size\n";
    let snapshot = snapshot([
        ("shop/pages.py".to_owned(), pages),
        ("shop/rows.py".to_owned(), other.to_owned()),
    ]);
    let mut request = request("", 2000, IntentKind::BugFix);
    request.changes = vec![Change {
        path: RepoPath::new("shop/pages.py").unwrap(),
        hunks: vec![Hunk::Deletion(Deletion {
            after: 1,
            has_definition: false,
            indentation: 4,
        })],
    }];
    request.removed.variables = vec!["page_size".to_owned()];
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    let expected = ["shop/pages.py:203 still uses removed page_size"];
    assert_eq!(callers(&answer), expected, "{}", answer.pack.context);
}

#[test]
fn changed_lines_are_listed_with_items_and_places() {
    let code: String = (0..3)
        .map(|n| format!("def part_{n}(page):\n    page.load({n})\n    return page\n\n\n"))
        .collect();
    let snapshot = snapshot([("pages.py".to_owned(), code)]);
    let mut request = request("`part_1` loads a page twice", 2000, IntentKind::BugFix);
    request.changes = vec![Change {
        path: RepoPath::new("pages.py").unwrap(),
        hunks: vec![Hunk::Lines(Lines::new(7, 8))],
    }];
    let answer = ask(&snapshot, &request);
    let items = all_items(&answer).into_iter();
    let items = items.filter_map(|item| Some((item.name.as_str(), item.changed.as_deref()?)));
    assert_eq!(items.collect::<Vec<_>>(), [("part_1", "7-8")]);
    let places = answer.places.iter();
    let places = places.filter_map(|place| Some((place.name.as_str(), place.changed.as_deref()?)));
    assert_eq!(places.collect::<Vec<_>>(), [("part_1", "7-8")]);
}

#[test]
fn changed_imports_are_not_named_after_definition_below() {
    let snapshot = fixture(
        "
        //- pages.py
        import os
        import sys

        sentinel = object()


        def load(page):
            return page
        ",
    );
    for (line, name) in [(1, ""), (4, "sentinel")] {
        let mut request = request("", 2000, IntentKind::BugFix);
        request.changes = vec![Change {
            path: RepoPath::new("pages.py").unwrap(),
            hunks: vec![Hunk::Lines(Lines::new(line, line))],
        }];
        let answer = ask(&snapshot, &request);
        let mut items = all_items(&answer).into_iter();
        let changed = items.find(|item| item.reason == "changed").unwrap();
        assert_eq!(changed.name, name, "{}", answer.pack.context);
    }
}

#[test]
fn changed_settings_are_shown_by_their_table() {
    let mut text = "[project]\nname = \"shop\"\n\n".to_owned();
    for tool in ["black", "isort", "ruff", "mypy", "tox"] {
        text.push_str(&format!(
            "[tool.{tool}]\nline-length = 99\nstrict = true\ncolor = false\n\n"
        ));
    }
    let snapshot = snapshot([("pyproject.toml".to_owned(), text)]);
    for (changed, name, lines) in [
        (&[15][..], "tool.ruff", Lines::new(14, 17)),
        (&[15, 20][..], "", Lines::new(14, 22)),
    ] {
        let mut request = request("", 2000, IntentKind::BugFix);
        let hunks = changed
            .iter()
            .map(|line| Hunk::Lines(Lines::new(*line, *line)));
        request.changes = vec![Change {
            path: RepoPath::new("pyproject.toml").unwrap(),
            hunks: hunks.collect(),
        }];
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let mut items = all_items(&answer).into_iter();
        let item = items.find(|item| item.reason == "changed").unwrap();
        let shown = (item.name.as_str(), item.lines);
        assert_eq!(shown, (name, lines), "{}", answer.pack.context);
        let numbers: Vec<String> = changed.iter().map(u32::to_string).collect();
        assert_eq!(item.changed.as_deref(), Some(numbers.join(",")).as_deref());
    }
}

#[test]
fn something_is_shown_of_each_changed_file() {
    let steps: String = (0..150).map(|n| format!("    step({n})\n")).collect();
    let code: String = (0..40)
        .map(|n| format!("def part_{n}(page):\n{steps}\n\n"))
        .collect();
    let text: String = (0..60)
        .map(|n| format!("Line {n} is one of many lines of notes, each of which says as little as this one.\n"))
        .collect();
    let snapshot = snapshot([
        ("shop/parts.py".to_owned(), code),
        ("docs/notes.md".to_owned(), text),
    ]);
    let mut request = request("", 1000, IntentKind::BugFix);
    let change = |path: &str, lines| Change {
        path: RepoPath::new(path).unwrap(),
        hunks: vec![Hunk::Lines(lines)],
    };
    request.changes = vec![
        change("docs/notes.md", Lines::new(20, 20)),
        change("shop/parts.py", Lines::new(1, 6000)),
    ];
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    let mut items = all_items(&answer).into_iter();
    assert!(
        items.any(|item| item.path == "docs/notes.md" && item.reason == "changed"),
        "{}",
        answer.pack.context
    );
}

#[test]
fn file_of_tests_that_is_shown_has_no_card() {
    let snapshot = fixture(
        "
        //- shop/cart.py
        def add_item(cart, item):
            cart.append(item)
            return cart
        //- tests/test_cart.py
        def test_nothing():
            assert [] == []


        def test_less():
            assert [] != [1]
        ",
    );
    let mut request = request("", 4000, IntentKind::BugFix);
    let change = |path: &str, lines| Change {
        path: RepoPath::new(path).unwrap(),
        hunks: vec![Hunk::Lines(lines)],
    };
    request.changes = vec![
        change("shop/cart.py", Lines::new(2, 2)),
        change("tests/test_cart.py", Lines::new(1, 6)),
    ];
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    let cards = items(&answer.pack, "tests");
    assert!(cards.is_empty(), "{}", answer.pack.context);
}

#[test]
fn removed_member_between_methods_leads_to_the_head_of_the_class() {
    let python = "
        //- pages.py
        class Pages:
            size = 4

            def load(self):
                return self.size

            width = 2

            def save(self):
                return self.width

            def close(self):
                return self.width
        ";
    let ruby = "
        //- pages.rb
        class Pages
          SIZE = 4

          def load
            SIZE
          end
        end
        ";
    for (text, path, after, indentation) in [(python, "pages.py", 10, 4), (ruby, "pages.rb", 6, 2)]
    {
        let snapshot = fixture(text);
        let mut request = request("", 4000, IntentKind::BugFix);
        request.changes = vec![Change {
            path: RepoPath::new(path).unwrap(),
            hunks: vec![Hunk::Deletion(Deletion {
                after,
                has_definition: true,
                indentation,
            })],
        }];
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let items = all_items(&answer).into_iter();
        let changed = items.filter(|item| item.reason == "changed");
        let starts: Vec<u32> = changed.map(|item| item.lines.start).collect();
        assert_eq!(starts, [1], "{}", answer.pack.context);
    }
}
