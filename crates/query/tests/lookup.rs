//! Tests direct lookups: results, their order, paging and limits.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::Instant;

use foveate_fixture::snapshot::of_text;
use foveate_index::{Confidence, Snapshot};
use foveate_model::{Lines, RepoPath};
use foveate_query::Deadline;
use foveate_query::lookup::{
    self, LookupError, Match, Page, Position, Search, SearchItem, SearchKind, Target, Window,
};

const SHOP: &str = "
//- src/shop/cart.py
from shop.price import total_price


class Cart:
    \"\"\"What a customer wants to buy.

    More of it.
    \"\"\"

    def add_item(self, item, *,
                 count=1):
        self.items.append(item)

    def checkout(self):
        return total_price(self.items)


def quote(items):
    return total_price(items)
//- src/shop/price.py
def total_price(items):
    return sum(item.price for item in items)


class Discount:
    def checkout(self):
        return 0
//- src/shop/data.bin.py
x = '\0'
//- tests/test_cart.py
from shop.price import total_price


def test_total():
    assert total_price([]) == 0


def checkout():
    pass
//- README.md
# Shop

Sells things.

## Prices

See total_price.
";

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn all() -> Window {
    Window {
        limit: 1000,
        after: None,
    }
}

/// Returns the definitions of a name as `match: path:name, …`.
fn defined(snapshot: &Snapshot, name: &str) -> String {
    let found = lookup::definitions(snapshot, name, &all(), &Deadline::none());
    let items = found.page.items.iter();
    let places: Vec<String> = items.map(|d| format!("{}:{}", d.path, d.name)).collect();
    let matched = found.matched.map_or("none", Match::name);
    format!("{matched}: {}", places.join(", "))
}

#[test]
fn partially_qualified_name_is_found() {
    let text = "
        //- lib/tail.rb
        module Fluent
          class Input
            class Watcher
              def rotate
              end
            end
          end
        end
        //- lib/other.rb
        class Other
          def rotate
          end
        end
    ";
    let fluent = of_text(text);
    let found = "exact: lib/tail.rb:Fluent.Input.Watcher.rotate";
    for name in ["Watcher.rotate", "Watcher#rotate", "Input::Watcher#rotate"] {
        assert_eq!(defined(&fluent, name), found, "{name}");
    }
    assert_eq!(
        defined(&fluent, "Gone::Watcher.rotate"),
        "suffix: lib/tail.rb:Fluent.Input.Watcher.rotate"
    );
}

const TITLES: &str = "
    //- __tests__/cart.test.ts
    import { sum } from '../src/cart';

    function total() {
      return 0;
    }

    describe('z.sum', () => {
      it('adds', () => {
        expect(sum([1])).toBe(1);
      });
    });

    describe('z.gone', () => {
      it('is gone', () => {
        expect(total()).toBe(0);
      });
    });
    //- src/cart.ts
    export function sum(rows) {
      return rows.length;
    }

    export function total(rows) {
      return sum(rows);
    }
";

#[test]
fn title_of_a_test_does_not_hide_the_code_of_its_name() {
    let snapshot = of_text(TITLES);
    for (name, found) in [
        ("z.sum", "last_name: src/cart.ts:sum"),
        ("z.gone", "exact: __tests__/cart.test.ts:z.gone"),
        (
            "__tests__/cart.test.ts:z.sum",
            "exact: __tests__/cart.test.ts:z.sum",
        ),
    ] {
        assert_eq!(defined(&snapshot, name), found, "{name}");
    }
}

#[test]
fn references_list_definitions_in_source_code_first() {
    let snapshot = of_text(TITLES);
    let target = Target::Name("total".to_owned());
    let found = lookup::references(&snapshot, &target, &all(), &Deadline::none()).unwrap();
    let paths: Vec<&str> = found.definitions.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(paths, ["src/cart.ts", "__tests__/cart.test.ts"]);
}

#[test]
fn private_and_prototype_members_are_found() {
    let text = "
        //- src/cart.ts
        class Cart {
          #sum() {
            return 1;
          }
          sum() {
            return this.#sum();
          }
        }
        //- lib/total.rb
        class Total
          def price
          end
        end
    ";
    let snapshot = of_text(text);
    for (name, found) in [
        ("Cart.#sum", "exact: src/cart.ts:Cart.#sum"),
        ("#sum", "exact: src/cart.ts:Cart.#sum"),
        ("src/cart.ts:#sum", "exact: src/cart.ts:Cart.#sum"),
        ("Cart#sum", "exact: src/cart.ts:Cart.sum"),
        ("Cart.prototype.sum", "exact: src/cart.ts:Cart.sum"),
        ("#price", "exact: lib/total.rb:Total.price"),
    ] {
        assert_eq!(defined(&snapshot, name), found, "{name}");
    }
}

#[test]
fn operators_are_found() {
    let text = "
        //- cmp.cpp
        struct Cmp {
          bool operator()(int a, int b) const { return a < b; }
          Cmp* operator->() { return this; }
        };
        //- src/operator.rs
        pub struct Add;
        impl Add {
            pub fn apply(&self) {}
        }
    ";
    let snapshot = of_text(text);
    for (name, found) in [
        ("operator()", "exact: cmp.cpp:Cmp.operator()"),
        ("Cmp::operator()", "exact: cmp.cpp:Cmp.operator()"),
        ("Cmp::operator->", "exact: cmp.cpp:Cmp.operator->"),
        (
            "operator::Add::apply()",
            "suffix: src/operator.rs:Add.apply",
        ),
    ] {
        assert_eq!(defined(&snapshot, name), found, "{name}");
    }
}

fn search_for(query: &str, kind: SearchKind) -> Search {
    Search {
        query: query.to_owned(),
        kind,
        ignore_case: false,
        below: String::new(),
    }
}

fn found(snapshot: &Snapshot, search: &Search) -> Vec<String> {
    let page = lookup::search(snapshot, search, &all(), &Deadline::none()).unwrap();
    page.items.iter().map(place).collect()
}

fn place(item: &SearchItem) -> String {
    let number = |n: Option<u32>| n.map_or(String::new(), |n| format!(":{n}"));
    format!("{}{}{}", item.path, number(item.line), number(item.column))
}

#[test]
fn definitions_fall_back_from_exact_to_similar_names() {
    let shop = of_text(SHOP);
    for (name, found) in [
        (
            "checkout",
            "exact: src/shop/cart.py:Cart.checkout, src/shop/price.py:Discount.checkout, tests/test_cart.py:checkout",
        ),
        ("Cart.checkout", "exact: src/shop/cart.py:Cart.checkout"),
        ("Cart::checkout()", "exact: src/shop/cart.py:Cart.checkout"),
        ("shop.cart.Cart", "module: src/shop/cart.py:Cart"),
        (
            "elsewhere.Cart.checkout",
            "suffix: src/shop/cart.py:Cart.checkout",
        ),
        (
            "Basket.add_item",
            "last_name: src/shop/cart.py:Cart.add_item",
        ),
        ("addItem", "ignoring_case: src/shop/cart.py:Cart.add_item"),
        ("totel_price", "similar: src/shop/price.py:total_price"),
        ("zebra", "none: "),
        ("..", "none: "),
        (
            "src/shop/price.py:checkout",
            "exact: src/shop/price.py:Discount.checkout",
        ),
        (
            "./tests/test_cart.py::checkout",
            "exact: tests/test_cart.py:checkout",
        ),
        ("tests/test_cart.py:totel_price", "none: "),
    ] {
        assert_eq!(defined(&shop, name), found, "{name}");
    }
    let cart = lookup::definitions(&shop, "Cart", &all(), &Deadline::none());
    let cart = &cart.page.items[0];
    assert_eq!(cart.documentation, "What a customer wants to buy.");
    assert_eq!((cart.lines, cart.kind.name()), (Lines::new(4, 15), "class"));
    let add = lookup::definitions(&shop, "add_item", &all(), &Deadline::none());
    assert_eq!(
        add.page.items[0].signature,
        "def add_item(self, item, *, count=1):"
    );
}

#[test]
fn documentation_is_the_first_sentence() {
    for (doc, wanted) in [
        (
            "Flags returns the complete set, e.g. all flags that\n    applies to this. It is sorted.",
            "Flags returns the complete set, e.g. all flags that applies to this.",
        ),
        ("Adds one\n\n    More of it.", "Adds one"),
        (
            "Adds one to\n    another\n    :param n: a number.",
            "Adds one to another",
        ),
        ("Reads v1.2 files.\n    Then it ends.", "Reads v1.2 files."),
    ] {
        let text = format!("//- a.py\ndef add(n):\n    \"\"\"{doc}\n    \"\"\"\n    return n\n");
        let found = lookup::definitions(&of_text(&text), "add", &all(), &Deadline::none());
        assert_eq!(found.page.items[0].documentation, wanted);
    }
}

#[test]
fn late_lookup_skips_similar_names_with_an_issue() {
    let shop = of_text(SHOP);
    let late = Deadline::at(Instant::now());
    let found = lookup::definitions(&shop, "totel_price", &all(), &late);
    assert_eq!(found.matched, None);
    assert_eq!(found.page.issues[0].code.name(), "deadline");
}

#[test]
fn references_have_caller_and_confidence() {
    let shop = of_text(SHOP);
    let ask = |target: Target| lookup::references(&shop, &target, &all(), &Deadline::none());
    let found = ask(Target::Name("total_price".to_owned())).unwrap();
    let sites: Vec<_> = found.page.items.iter().collect();
    let calls: Vec<_> = sites.iter().filter(|site| site.kind == "call").collect();
    let places: Vec<_> = calls
        .iter()
        .map(|site| (&*site.path, site.line, site.column, &*site.caller))
        .collect();
    assert_eq!(
        places,
        [
            ("src/shop/cart.py", 15, 16, "Cart.checkout"),
            ("src/shop/cart.py", 19, 12, "quote"),
            ("tests/test_cart.py", 5, 12, "test_total"),
        ]
    );
    assert!(calls.iter().all(|s| s.confidence == Confidence::Certain));
    assert_eq!(calls[0].text, "return total_price(self.items)");
    assert_eq!(found.definitions[0].path, "src/shop/price.py");

    let at = ask(Target::Line(path("src/shop/price.py"), 2)).unwrap();
    assert_eq!(at.page.items, found.page.items);
    let in_file = Target::NameIn("checkout".to_owned(), path("src/shop/price.py"));
    let in_file = ask(in_file).unwrap();
    assert_eq!(in_file.definitions.len(), 1);
    assert_eq!(in_file.definitions[0].name, "Discount.checkout");

    let place = |name: &str| Target::Name(name.to_owned());
    let of_place = ask(place("src/shop/price.py:total_price")).unwrap();
    assert_eq!(of_place.matched, Some(Match::Exact));
    assert_eq!(of_place.page.items, found.page.items);
    let elsewhere = ask(place("src/shop/cart.py:total_price")).unwrap();
    assert_eq!(elsewhere.matched, None, "it is defined in another file");

    // A merely similar name is shown, but its references are not listed as those of the requested name.
    let near = ask(Target::Name("totel_price".to_owned())).unwrap();
    assert_eq!(near.matched, Some(Match::Similar));
    assert_eq!(near.definitions[0].name, "total_price");
    assert!(near.page.items.is_empty());

    let line = |path_: &str, line: u32| ask(Target::Line(path(path_), line)).map(drop);
    assert!(matches!(
        line("src/shop/cart.py", 2),
        Err(LookupError::NoDefinitionAt { .. })
    ));
    assert!(matches!(
        line("src/shop/cart.py", 999),
        Err(LookupError::NoSuchLine { line_count: 19, .. })
    ));
}

#[test]
fn references_at_a_line_are_those_of_the_field_or_constant_there() {
    let snapshot = of_text(
        "
        //- Limits.java
        class Limits {
            int count;

            int twice() { return count * 2; }
        }
        //- pool.py
        MAX_SIZE = 10

        def take():
            return MAX_SIZE
        ",
    );
    let at = |file: &str, line: u32| {
        let target = Target::Line(path(file), line);
        let found = lookup::references(&snapshot, &target, &all(), &Deadline::none()).unwrap();
        let names = found.definitions.iter().map(|d| d.name.clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(at("Limits.java", 1), ["Limits"]);
    assert_eq!(at("Limits.java", 2), ["Limits.count"]);
    assert_eq!(at("Limits.java", 3), ["Limits"]);
    assert_eq!(at("Limits.java", 4), ["Limits.twice"]);
    assert_eq!(at("pool.py", 1), ["MAX_SIZE"]);
    assert_eq!(at("pool.py", 4), ["take"]);
}

#[test]
fn references_find_the_name_in_its_file_beside_one_at_the_top_level() {
    let nested = of_text(
        "
        //- a.py
        class Client:
            def connect(self): pass
        //- net.py
        class Outer:
            class Client:
                def connect(self): pass
        ",
    );
    let target = Target::NameIn("Client.connect".to_owned(), path("net.py"));
    let found = lookup::references(&nested, &target, &all(), &Deadline::none()).unwrap();
    let names: Vec<_> = found.definitions.iter().map(|d| &*d.name).collect();
    assert_eq!(names, ["Outer.Client.connect"]);
}

#[test]
fn outline_nests_definitions_and_prose_sections() {
    let shop = of_text(SHOP);
    let outline = |file: &str| lookup::outline(&shop, &path(file), &all());
    let cart = outline("src/shop/cart.py").unwrap();
    let entries = cart.page.items.iter();
    let entries: Vec<_> = entries
        .map(|e| (&*e.name, e.kind, e.lines.start, e.lines.end, e.depth))
        .collect();
    assert_eq!(
        entries,
        [
            ("Cart", "class", 4, 15, 0),
            ("add_item", "method", 10, 12, 1),
            ("checkout", "method", 14, 15, 1),
            ("quote", "function", 18, 19, 0),
        ]
    );
    assert_eq!((cart.language, cart.line_count), ("python", 19));
    let readme = outline("README.md").unwrap();
    let titles: Vec<_> = readme
        .page
        .items
        .iter()
        .map(|e| (&*e.name, e.depth))
        .collect();
    assert_eq!(titles, [("Shop", 0), ("Shop > Prices", 1)]);

    let unknown = outline("shop/cart.py").expect_err("another directory");
    assert!(
        unknown
            .to_string()
            .contains("did you mean src/shop/cart.py?"),
        "{unknown}"
    );
    let binary = outline("src/shop/data.bin.py").expect_err("binary");
    assert!(binary.to_string().contains("binary"), "{binary}");
}

#[test]
fn file_is_read_by_lines_and_pages() {
    let shop = of_text(SHOP);
    let read = |lines: Option<(u32, u32)>, window: &Window| {
        let lines = lines.map(|(start, end)| Lines::new(start, end));
        lookup::file(&shop, &path("src/shop/price.py"), lines, window)
    };
    let whole = read(None, &all()).unwrap();
    assert_eq!((whole.lines, whole.line_count), (Some(Lines::new(1, 7)), 7));
    assert!(whole.text.starts_with("def total_price(items):\n") && whole.next.is_none());
    let two = read(Some((5, 6)), &all()).unwrap();
    assert_eq!(two.text, "class Discount:\n    def checkout(self):\n");
    let beyond = read(Some((6, 99)), &all()).unwrap();
    assert_eq!(beyond.lines, Some(Lines::new(6, 7)));
    assert!(matches!(
        read(Some((8, 9)), &all()),
        Err(LookupError::NoSuchLine { line: 8, .. })
    ));
    let mut text = String::new();
    let mut window = Window {
        limit: 2,
        after: None,
    };
    loop {
        let page = read(None, &window).unwrap();
        text.push_str(&page.text);
        window.after = page.next;
        if window.after.is_none() {
            break;
        }
    }
    assert_eq!(text, whole.text);
}

#[test]
fn file_page_size_is_bounded() {
    let line = format!("x = '{}'\n", "words ".repeat(100));
    let text = format!("//- big.py\n{}", line.repeat(1000));
    let big = of_text(&text);
    let page = lookup::file(&big, &path("big.py"), None, &all()).unwrap();
    assert!(page.text.len() <= 256 << 10, "{}", page.text.len());
    assert!(page.text.len() > 255 << 10 && page.next.is_some());
}

#[test]
fn text_names_and_paths_are_searched() {
    let shop = of_text(SHOP);
    let text = |query: &str| found(&shop, &search_for(query, SearchKind::Text));
    assert_eq!(text("Sells"), ["README.md:3:1"]);
    assert_eq!(text("sells"), [""; 0]);
    assert_eq!(text("a.b*("), [""; 0], "a text is no expression");
    let ignoring = Search {
        ignore_case: true,
        ..search_for("SELLS", SearchKind::Text)
    };
    assert_eq!(found(&shop, &ignoring), ["README.md:3:1"]);
    let below = Search {
        below: "src/shop/c".to_owned(),
        ..search_for("total_price", SearchKind::Text)
    };
    assert_eq!(
        found(&shop, &below),
        [
            "src/shop/cart.py:1:24", "src/shop/cart.py:15:16", "src/shop/cart.py:19:12"
        ]
    );
    let regex = |query: &str| found(&shop, &search_for(query, SearchKind::Regex));
    assert_eq!(
        regex(r"^class \w+:$"),
        ["src/shop/cart.py:4:1", "src/shop/price.py:5:1"]
    );
    // Expressions match line by line: the end of a file is no empty line, and no match spans two lines.
    assert!(!regex("^$").contains(&"src/shop/price.py:8:1".to_owned()));
    assert_eq!(regex("things.\n\n##"), [""; 0]);
    assert_eq!(
        found(&shop, &search_for("checkOut", SearchKind::Names)),
        [
            "src/shop/cart.py:14", "src/shop/price.py:6", "tests/test_cart.py:8"
        ]
    );
    assert_eq!(
        found(&shop, &search_for("CART.PY", SearchKind::Paths)),
        ["src/shop/cart.py", "tests/test_cart.py"],
        "a whole file name first"
    );
    let all_paths = found(&shop, &search_for("data.bin", SearchKind::Paths));
    assert_eq!(all_paths, ["src/shop/data.bin.py"], "also what has no text");
}

#[test]
fn search_match_names_enclosing_definition() {
    let shop = of_text(SHOP);
    let search = search_for("self.items.append", SearchKind::Text);
    let page = lookup::search(&shop, &search, &all(), &Deadline::none()).unwrap();
    let item = &page.items[0];
    assert_eq!((&*item.name, item.kind), ("Cart.add_item", "method"));
    assert_eq!(item.text, "self.items.append(item)");
}

#[test]
fn long_lines_are_shown_around_the_match() {
    let text = format!("//- a.md\n{}needle{}\n", "ä ".repeat(400), " z".repeat(400));
    let long = of_text(&text);
    let search = search_for("needle", SearchKind::Text);
    let page = lookup::search(&long, &search, &all(), &Deadline::none()).unwrap();
    let item = &page.items[0];
    assert_eq!(item.column, Some(801));
    assert!(
        item.text.contains("needle") && item.text.len() < 260,
        "{}",
        item.text
    );
    assert!(item.text.starts_with('…') && item.text.ends_with('…'));
}

#[test]
fn invalid_and_costly_patterns_are_refused() {
    let shop = of_text(SHOP);
    for (bad, reason) in [
        ("(", "unclosed group"),
        (r"(\w{1000}){1000}", "too large"),
        (r"(?=x)", "look-around"),
        (&"(".repeat(500), ""),
    ] {
        let search = search_for(bad, SearchKind::Regex);
        let refused = lookup::search(&shop, &search, &all(), &Deadline::none());
        let refused = refused.expect_err(bad);
        assert!(matches!(refused, LookupError::InvalidRegex(_)), "{refused}");
        let text = refused.to_string();
        assert!(text.contains(reason) && !text.contains('\n'), "{text}");
    }
}

/// Returns all items of a list, requested in pages of `limit`.
fn walk<T>(limit: usize, page: impl Fn(&Window) -> Page<T>) -> Vec<T> {
    let mut window = Window { limit, after: None };
    let mut items = Vec::new();
    loop {
        let page = page(&window);
        assert!(page.items.len() <= limit);
        items.extend(page.items);
        window.after = page.next;
        if window.after.is_none() {
            return items;
        }
    }
}

#[test]
fn pages_concatenate_to_the_whole_list() {
    let shop = of_text(SHOP);
    let none = Deadline::none;
    for limit in [1, 2, 3, 7] {
        for kind in [
            SearchKind::Text,
            SearchKind::Regex,
            SearchKind::Names,
            SearchKind::Paths,
        ] {
            let search = search_for("t", kind);
            let page = |window: &Window| lookup::search(&shop, &search, window, &none()).unwrap();
            assert_eq!(walk(limit, page), page(&all()).items, "{kind:?}");
            assert!(page(&all()).items.len() > 2, "{kind:?}");
        }
        let page = |window: &Window| lookup::definitions(&shop, "checkout", window, &none()).page;
        assert_eq!(walk(limit, page), page(&all()).items);
        let target = Target::Name("total_price".to_owned());
        let page = |window: &Window| {
            let found = lookup::references(&shop, &target, window, &none());
            found.unwrap().page
        };
        assert_eq!(walk(limit, page), page(&all()).items);
        let cart = path("src/shop/cart.py");
        let page = |window: &Window| lookup::outline(&shop, &cart, window).unwrap().page;
        assert_eq!(walk(limit, page), page(&all()).items);
    }
}

#[test]
fn next_page_works_after_files_were_added_or_removed() {
    let before = of_text("//- a.md\nword\n//- c.md\nword\n//- e.md\nword\n");
    let after = of_text("//- a.md\nword\n//- b.md\nword\n//- d.md\nword\n//- e.md\nword\n");
    let search = search_for("word", SearchKind::Text);
    let window = Window {
        limit: 2,
        after: None,
    };
    let first = lookup::search(&before, &search, &window, &Deadline::none()).unwrap();
    let window = Window {
        limit: 9,
        after: first.next,
    };
    let rest = lookup::search(&after, &search, &window, &Deadline::none()).unwrap();
    let rest: Vec<_> = rest.items.iter().map(|item| &*item.path).collect();
    assert_eq!(rest, ["d.md", "e.md"], "c.md, the last one, is gone");
}

#[test]
fn late_search_reports_deadline_and_can_continue() {
    let shop = of_text(SHOP);
    let search = search_for("total_price", SearchKind::Text);
    let whole = lookup::search(&shop, &search, &all(), &Deadline::none()).unwrap();
    let mut window = all();
    let mut items = Vec::new();
    let mut pages = 0;
    loop {
        let late = Deadline::at(Instant::now());
        let page = lookup::search(&shop, &search, &window, &late).unwrap();
        items.extend(page.items);
        pages += 1;
        let Some(next) = page.next else { break };
        assert_eq!(page.issues[0].code.name(), "deadline");
        window.after = Some(next);
    }
    assert!(pages > 3, "one file a page");
    assert_eq!(items, whole.items);
    let names = search_for("t", SearchKind::Names);
    let late = Deadline::at(Instant::now());
    let page = lookup::search(&shop, &names, &all(), &late).unwrap();
    assert_eq!(
        (page.items.len(), page.issues[0].code.name()),
        (0, "deadline")
    );
}

#[test]
fn late_search_ends_within_a_file_and_can_continue() {
    let line = format!("total{}\n", " of the order".repeat(8));
    let lines = line.repeat(300);
    let long = of_text(&format!("//- long.md\n{lines}"));
    let search = search_for("t[a-z]+l", SearchKind::Regex);
    let mut window = all();
    let mut numbers = Vec::new();
    let mut pages = 0;
    loop {
        let late = Deadline::at(Instant::now());
        let page = lookup::search(&long, &search, &window, &late).unwrap();
        numbers.extend(page.items.iter().filter_map(|item| item.line));
        pages += 1;
        let Some(next) = page.next else { break };
        assert_eq!(page.issues[0].code.name(), "deadline");
        window.after = Some(next);
    }
    assert!(pages > 3, "{pages}");
    assert!(numbers.into_iter().eq(1..=300));
}

#[test]
fn regex_is_matched_with_the_start_of_a_long_line() {
    let long = format!("total{}sum", " of the order".repeat(3_000));
    let files = of_text(&format!("//- long.md\n{long}\n{}", "short\n".repeat(9_000)));
    let find = |query: &str, kind| {
        let search = search_for(query, kind);
        let page = lookup::search(&files, &search, &all(), &Deadline::none()).unwrap();
        let issues: Vec<&str> = page.issues.iter().map(|issue| issue.code.name()).collect();
        (page.items.len(), issues)
    };
    assert_eq!(
        find("t[a-z]+l", SearchKind::Regex),
        (1, vec!["search_limit"])
    );
    assert_eq!(
        find("s[a-z]m$", SearchKind::Regex),
        (0, vec!["search_limit"])
    );
    assert_eq!(find("sum", SearchKind::Text), (1, vec![]));
}

#[test]
fn arbitrary_page_positions_are_accepted() {
    let shop = of_text(SHOP);
    for path_ in ["", "zzz", "src/shop/cart.py", "../x"] {
        for number in [0, 1, u32::MAX] {
            let window = Window {
                limit: 5,
                after: Some(Position {
                    tier: number,
                    path: path_.to_owned(),
                    line: number,
                    ordinal: number,
                }),
            };
            let none = Deadline::none();
            for kind in [SearchKind::Text, SearchKind::Names, SearchKind::Paths] {
                let found = lookup::search(&shop, &search_for("t", kind), &window, &none);
                assert!(found.is_ok());
            }
            let file = lookup::file(&shop, &path("src/shop/cart.py"), None, &window);
            assert!(file.is_ok());
            assert!(lookup::outline(&shop, &path("README.md"), &window).is_ok());
            lookup::definitions(&shop, "checkout", &window, &none);
        }
    }
}
