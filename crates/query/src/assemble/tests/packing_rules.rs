//! Tests the rules by which a context is assembled, one test per rule.

use foveate_model::Lines;

use super::*;

const SHOP: &str = "
    //- shop/cart.py
    from shop.price import Price, total_of


    class Cart:
        \"\"\"What a customer is about to buy.\"\"\"

        def __init__(self, owner):
            self.owner = owner
            self.rows = []

        def add_row(self, item, count=1):
            \"\"\"Put an item in.\"\"\"
            self.rows.append((item, count))

        def checkout_total(self, currency):
            \"\"\"Sum of all rows with tax.\"\"\"
            prices = [Price(item, count) for item, count in self.rows]
            return total_of(prices, currency)

    //- shop/price.py
    class Price:
        def __init__(self, item, count):
            self.item = item
            self.count = count


    def total_of(prices, currency):
        if not prices:
            raise ValueError('empty checkout')
        return sum(price.item.cost * price.count for price in prices)

    //- shop/page.py
    from shop.cart import Cart


    def show_page(session):
        cart = Cart(session.owner)
        text = cart.checkout_total('EUR')
        return text

    //- tests/test_cart.py
    from shop.cart import Cart


    def test_checkout_total():
        cart = Cart('ada')
        cart.add_row('tea')
        assert cart.checkout_total('EUR') == 3
";

const QUESTION: &str = "Cart.checkout_total raises for an empty cart\n\nCalling `Cart.checkout_total` with no rows fails with ValueError: empty checkout";

#[test]
fn test_in_a_stack_trace_is_shown() {
    let snapshot = fixture(SHOP);
    let reasons = |trace: &str| {
        let query = format!("checkout fails\n\n{trace}");
        let request = Request {
            breadth: Breadth::Balanced,
            ..request(&query, 8000, IntentKind::BugFix)
        };
        let answer = ask(&snapshot, &request);
        let items = answer.pack.sections.iter().flat_map(|s| s.items.clone());
        let tests = items.filter(|item| item.path.starts_with("tests/"));
        tests
            .map(|item| (item.fidelity, item.reason))
            .collect::<Vec<_>>()
    };
    let trace = "Traceback (most recent call last):\n  File \"tests/test_cart.py\", line 7, in test_checkout_total\n  \
                 File \"shop/price.py\", line 9, in total_of\nValueError: empty checkout";
    assert_eq!(
        reasons(trace),
        [(Fidelity::Full, "in the stack trace".to_owned())]
    );
}

#[test]
fn named_function_is_shown_whole_in_the_first_section() {
    let snapshot = fixture(SHOP);
    let request = request(QUESTION, 2000, IntentKind::BugFix);
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    assert_eq!(answer.pack.sections[0].name, "definitions");
    let definitions = shown(&answer.pack, "definitions");
    assert!(
        definitions.contains(&"Cart.checkout_total full".to_owned()),
        "{definitions:?}"
    );
    assert!(
        answer
            .pack
            .context
            .contains("return total_of(prices, currency)")
    );
}

#[test]
fn tests_and_callers_are_linked() {
    let snapshot = fixture(SHOP);
    let request = request(QUESTION, 2000, IntentKind::BugFix);
    let pack = ask(&snapshot, &request).pack;
    assert_eq!(shown(&pack, "tests"), ["test_checkout_total full"]);
    let callers: Vec<&str> = items(&pack, "callers")
        .iter()
        .map(|i| i.name.as_str())
        .collect();
    // If the calling function is shown whole, the call site is not repeated.
    let page_shown = pack
        .sections
        .iter()
        .flat_map(|s| &s.items)
        .any(|i| i.name == "show_page" && i.fidelity == Fidelity::Full);
    assert!(page_shown || callers.contains(&"show_page"), "{callers:?}");
}

#[test]
fn callers_are_shown_for_usage_but_not_for_lookup() {
    let snapshot = fixture(SHOP);
    let lookup = request(
        "where is `checkout_total` defined?",
        2000,
        IntentKind::DefinitionLookup,
    );
    let pack = ask(&snapshot, &lookup).pack;
    assert!(items(&pack, "callers").is_empty());
    let usage = request(
        "how is `checkout_total` used?",
        2000,
        IntentKind::UsageExploration,
    );
    let pack = ask(&snapshot, &usage).pack;
    check_invariants(&snapshot, &usage, &pack);
    let used = pack.context.contains("cart.checkout_total('EUR')");
    assert!(used, "{}", pack.context);
}

#[test]
fn a_named_class_shows_its_members() {
    let snapshot = fixture(SHOP);
    let request = request("explain the class `Cart`", 1000, IntentKind::Implementation);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let cart = items(&pack, "definitions")
        .into_iter()
        .find(|i| i.name == "Cart");
    let cart = cart.expect("the class is in");
    assert_ne!(cart.fidelity, Fidelity::Compact);
    assert!(pack.context.contains("checkout_total"), "{}", pack.context);
}

#[test]
fn smallest_budget_still_shows_the_named_function() {
    let snapshot = fixture(SHOP);
    for format in [Format::Xml, Format::Markdown, Format::Json] {
        for kind in IntentKind::ALL {
            let request = Request {
                format,
                ..request(QUESTION, 200, kind)
            };
            let pack = ask(&snapshot, &request).pack;
            check_invariants(&snapshot, &request, &pack);
            assert!(pack.context.contains("checkout_total"), "{}", pack.context);
        }
    }
}

#[test]
fn huge_body_is_cut_around_query_words() {
    let mut giant =
        "def convert_everything(value):\n    \"\"\"Convert a value to anything.\"\"\"\n".to_owned();
    for i in 0..900 {
        giant.push_str(&format!(
            "    if value == {i}:\n        value = value + {i}\n"
        ));
        if i == 600 {
            giant.push_str("    raise OverflowError('unlucky_number seen')\n");
        }
    }
    giant.push_str("    return value\n\n\ndef convert_small(value):\n    return value\n");
    let files = [("lib/convert.py".to_owned(), giant)];
    let snapshot = snapshot(files);
    let request = request(
        "`convert_everything` fails with an unlucky_number\n\nconvert_everything raises OverflowError, convert_small does not.",
        4000,
        IntentKind::BugFix,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let giant = pack
        .sections
        .iter()
        .flat_map(|s| &s.items)
        .find(|i| i.name == "convert_everything")
        .expect("the giant is in");
    assert!(giant.cut && giant.tokens < 2000, "{giant:?}");
    assert!(pack.context.contains("unlucky_number seen"));
    assert!(pack.context.contains("left out ("));
    let dropped = pack
        .dropped
        .iter()
        .find(|d| d.name == "convert_everything")
        .expect("its body is reported");
    assert_eq!(dropped.reason.name(), "budget");
    assert!(dropped.tokens > 4000);
    assert!(dropped.lines.is_some_and(|lines| lines.contains(1804)));
    let small = pack
        .sections
        .iter()
        .flat_map(|s| &s.items)
        .find(|i| i.name == "convert_small");
    assert_eq!(small.map(|i| i.fidelity), Some(Fidelity::Full));
}

#[test]
fn whole_body_replaces_its_cut_part() {
    let lines = |n: usize| format!("    parts.append(describe_part({n}, parts))\n").repeat(40);
    let text = format!(
        "import os\n\n\ndef convert_parts(parts):\n{}    return parts\n\n\ndef other():\n    pass\n",
        lines(1)
    );
    let snapshot = snapshot([("convert.py".to_owned(), text)]);
    // A usage question gets callers first, so the share of bodies has room for a part only.
    let request = request(
        "how is `convert_parts` used?",
        1500,
        IntentKind::UsageExploration,
    );
    let pack = ask(&snapshot, &request).pack;
    let all = pack.sections.iter().flat_map(|section| &section.items);
    let mut of_it = all.filter(|item| item.name == "convert_parts");
    let item = of_it.next().unwrap();
    assert!(item.fidelity == Fidelity::Full && !item.cut, "{item:?}");
    assert!(of_it.next().is_none());
}

#[test]
fn folded_body_replaces_its_cut_part() {
    let steps: String = (0..40)
        .map(|n| format!("    parts.append(describe_part({n}, parts))\n"))
        .collect();
    let note = "    Nobody needs this line of documentation about parts.\n".repeat(200);
    let text = format!(
        "def convert_parts(parts):\n    \"\"\"Convert.\n\n{note}    \"\"\"\n{steps}    return parts\n"
    );
    let snapshot = snapshot([("convert.py".to_owned(), text)]);
    // The share of bodies has room for a part only, as above; the documentation never fits.
    let query = "how is `convert_parts` used?";
    let request = request(query, 1500, IntentKind::UsageExploration);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let all = pack.sections.iter().flat_map(|section| &section.items);
    let of_it: Vec<&Item> = all.filter(|item| item.name == "convert_parts").collect();
    assert!(
        matches!(of_it.as_slice(), [item] if item.folded),
        "{of_it:#?}"
    );
}

#[test]
fn a_small_budget_lists_fewer_callers() {
    let step = "    describe_every_part_of_it(parts, customer, invoice)\n".repeat(150);
    let callers: String = (0..30)
        .map(|n| format!("def use_{n}(parts):\n    total(parts)\n{step}\n\n"))
        .collect();
    let text = format!("def total(parts):\n    return parts\n\n\n{callers}");
    let snapshot = snapshot([("shop.py".to_owned(), text)]);
    let listed = |budget| {
        let query = "how is `total` used?";
        let request = request(query, budget, IntentKind::UsageExploration);
        items(&ask(&snapshot, &request).pack, "callers").len()
    };
    assert_eq!((listed(1000), listed(2000)), (3, 6));
}

#[test]
fn second_body_precedes_cards_of_named_definitions() {
    let body = |name: &str, steps: usize| {
        let steps =
            format!("    order = check_{name}_step(order, customer, invoice)\n").repeat(steps);
        format!("def {name}(order, customer, invoice):\n{steps}    return order\n\n\n")
    };
    let members: String = (0..16)
        .map(|n| {
            format!("    def member_with_a_long_name_{n}(self, value):\n        return {n}\n\n")
        })
        .collect();
    let orders = format!("{}{}", body("cancel_order", 26), body("cancel_invoice", 26));
    let snapshot = snapshot([
        ("orders.py".to_owned(), orders),
        (
            "store.py".to_owned(),
            format!("class OrderStore:\n{members}"),
        ),
    ]);
    let request = request(
        "`cancel_order` and `cancel_invoice` fail with `OrderStore`",
        1000,
        IntentKind::BugFix,
    );
    let pack = ask(&snapshot, &request).pack;
    let all: Vec<&Item> = pack
        .sections
        .iter()
        .flat_map(|section| &section.items)
        .collect();
    for name in ["cancel_order", "cancel_invoice"] {
        let whole = all
            .iter()
            .any(|item| item.name == name && item.fidelity == Fidelity::Full && !item.cut);
        assert!(whole, "{name}: {all:#?}");
    }
}

#[test]
fn second_huge_body_is_cut_too() {
    let giant = |name: &str| {
        let steps: String = (0..400)
            .map(|i| format!("    if value == {i}:\n        value = value + {i}\n"))
            .collect();
        format!("def {name}(value):\n{steps}    return value\n")
    };
    let text = format!("{}\n\n{}", giant("convert_first"), giant("convert_second"));
    let snapshot = snapshot([("lib/convert.py".to_owned(), text)]);
    let request = request(
        "`convert_first` fails, and so does convert_second",
        4000,
        IntentKind::BugFix,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let mut cut: Vec<&str> = pack
        .sections
        .iter()
        .flat_map(|s| &s.items)
        .filter(|item| item.cut)
        .map(|item| item.name.as_str())
        .collect();
    cut.sort_unstable();
    assert_eq!(cut, ["convert_first", "convert_second"]);
}

/// Returns a function of about `lines` times 16 tokens.
fn steps(name: &str, lines: usize) -> String {
    let step = format!("    order = check_{name}_step(order, customer, invoice)\n");
    let steps = step.repeat(lines);
    format!("def {name}(order, customer, invoice):\n{steps}    return order\n\n\n")
}

#[test]
fn signature_of_second_place_precedes_small_unlikely_bodies() {
    let small: String = (0..30)
        .map(|n| format!("def part_{n}(order):\n    return order.cancel({n})\n\n\n"))
        .collect();
    let orders = steps("cancel_order", 8) + &steps("cancel_invoice", 90);
    let snapshot = snapshot([
        ("orders.py".to_owned(), orders),
        ("parts.py".to_owned(), small),
    ]);
    for budget in [300, 500, 1000] {
        let request = request(
            "to cancel gives the wrong customer and invoice of an order",
            budget,
            IntentKind::BugFix,
        );
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let best = |name: &str| answer.places.iter().take(2).any(|place| place.name == name);
        assert!(best("cancel_order") && best("cancel_invoice"));
        let context = &answer.pack.context;
        // The least budget has no room for more than the best places.
        let has_small = context.contains("return order.cancel(");
        assert!(has_small || budget == 300, "{context}");
        assert!(context.contains("def cancel_order("), "{context}");
        assert!(
            context.contains("def cancel_invoice("),
            "{budget}: {context}"
        );
    }
}

#[test]
fn named_class_has_a_card_within_a_small_budget() {
    let members: String = (0..40)
        .map(|n| {
            format!("    def member_with_a_long_name_{n}(self, value):\n        return {n}\n\n")
        })
        .collect();
    let snapshot = snapshot([
        (
            "store.py".to_owned(),
            format!("class OrderStore:\n{members}"),
        ),
        ("orders.py".to_owned(), steps("open_store", 3)),
    ]);
    for budget in [300, 500, 1000, 4000] {
        let query = "what does `open_store` do with an `OrderStore`?";
        let request = request(query, budget, IntentKind::Explanation);
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let all = pack.sections.iter().flat_map(|section| &section.items);
        let names: Vec<&str> = all.map(|item| item.name.as_str()).collect();
        for name in ["OrderStore", "open_store"] {
            assert!(names.contains(&name), "{budget}: {names:?}");
        }
    }
}

#[test]
fn body_replaces_the_card_of_a_definition_within_it() {
    let snapshot = fixture(
        "
        //- pool.py
        # How many connections a pool may hold.
        POOL_LIMIT = 10
        POOL_TIMEOUT = 3

        def take(pool):
            return pool
        ",
    );
    for kind in IntentKind::ALL {
        let request = request("where is `POOL_LIMIT` set for connections?", 1000, kind);
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        assert!(
            pack.context.contains("POOL_TIMEOUT = 3"),
            "{}",
            pack.context
        );
    }
}

#[test]
fn signatures_without_a_body_say_why_they_are_shown() {
    let orders: String = (0..6)
        .map(|n| steps(&format!("cancel_order_{n}"), 40))
        .collect();
    let snapshot = snapshot([("orders.py".to_owned(), orders)]);
    let request = request("cancel fails for an order", 1500, IntentKind::BugFix);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let is_card = |item: &&Item| item.fidelity == Fidelity::Compact;
    let cards = items(&pack, "definitions").into_iter().filter(is_card);
    let reasons: Vec<&str> = cards.map(|item| item.reason.as_str()).collect();
    assert!(reasons.contains(&"rank 5"), "{reasons:?}");
}

#[test]
fn tokens_of_sections_and_head_are_those_of_the_context() {
    let snapshot = fixture(SHOP);
    for format in [Format::Xml, Format::Markdown] {
        let request = Request {
            format,
            ..request(QUESTION, 2000, IntentKind::BugFix)
        };
        let pack = ask(&snapshot, &request).pack;
        let scope = match format {
            Format::Markdown => "In `class Price`",
            _ => "<scope",
        };
        assert!(pack.context.contains(scope), "{}", pack.context);
        let head = pack.context.lines().next().unwrap();
        let head = crate::tokenizer::count_entry(&format!("{head}\n"));
        let sections: usize = pack.sections.iter().map(|section| section.used).sum();
        assert_eq!(head + sections, pack.used, "{}", pack.context);
    }
}

#[test]
fn unused_shares_go_to_bodies() {
    let mut text = String::new();
    for i in 0..90 {
        text.push_str(&format!("def pool_step_{i}(pool):\n    pool.first({i})\n    pool.second({i})\n    return pool\n\n\n"));
    }
    let snapshot = snapshot([("pool.py".to_owned(), text)]);
    let request = request(
        "the pool step is slow: first and second of the pool",
        1500,
        IntentKind::BugFix,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    // There are no tests, callers or imports, but the budget is still used.
    assert!(pack.used > 1350, "{} tokens used", pack.used);
    assert!(!pack.dropped.is_empty());
}

#[test]
fn line_of_a_class_is_not_repeated_below_the_class() {
    let spare = "        self.spare_page(1)\n".repeat(40);
    let text = format!(
        "class Pool:\n    size = 4\n\n    def spare(self):\n{spare}\n    \
         def open_page(self):\n        self.page(1)\n"
    );
    let snapshot = snapshot([("pool.py".to_owned(), text)]);
    let mut request = request(
        "`open_page` of the class Pool ignores its size",
        1000,
        IntentKind::BugFix,
    );
    request.breadth = Breadth::Precise;
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let context = &pack.context;
    assert!(context.contains("class Pool:\n    size = 4\n"), "{context}");
    assert!(context.contains("def open_page") && !context.contains("spare_page"));
    assert!(!context.contains("<scope"), "{context}");
}

#[test]
fn adjacent_methods_outside_their_type_are_named_by_it() {
    let code = "pub struct Pool;\n\nmod other {}\n\nimpl Pool {\n    pub fn open_page(&self) {\n        self.page(1)\n    }\n\n    \
         pub fn close_page(&self) {\n        self.page(0)\n    }\n}\n";
    let snapshot = snapshot([("src/pool.rs".to_owned(), code.to_owned())]);
    let mut request = request(
        "`open_page` and `close_page` fail",
        2000,
        IntentKind::BugFix,
    );
    request.breadth = Breadth::Precise;
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let shown = "<definition name=\"Pool\" lines=\"6-12\">";
    assert!(pack.context.contains(shown), "{}", pack.context);
}

#[test]
fn short_gaps_between_bodies_are_closed() {
    let gap = |lines: usize| {
        let constants = (0..lines).map(|number| format!("SPARE_{number} = object()\n"));
        let constants: String = constants.collect();
        let text = format!(
            "def open_pool():\n    pool.open()\n\n{constants}\ndef close_pool():\n    pool.close()\n"
        );
        let snapshot = snapshot([("pool.py".to_owned(), text)]);
        let mut request = request(
            "`open_pool` and `close_pool` fail",
            2000,
            IntentKind::BugFix,
        );
        request.breadth = Breadth::Precise;
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        pack.context
    };
    let context = gap(3);
    assert!(
        context.contains("<definition lines=\"1-9\">\ndef open_pool"),
        "{context}"
    );
    let context = gap(30);
    assert!(!context.contains("SPARE_9"), "{context}");
}

#[test]
fn tokens_saved_between_adjacent_bodies_go_to_more_bodies() {
    let functions = (0..40).map(|number| {
        format!("def lease_page_{number}(pool):\n    return pool.lease(page={number})\n\n\n")
    });
    let snapshot = snapshot([("pool.py".to_owned(), functions.collect())]);
    let request = request("Leases of pages are lost", 500, IntentKind::BugFix);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let left = request.budget_tokens - pack.used;
    let dropped = pack.dropped.iter().map(|dropped| dropped.tokens);
    let smallest = dropped.min().expect("40 functions exceed the budget");
    assert!(
        left < smallest,
        "{left} tokens left for a body of {smallest}"
    );
}

#[test]
fn head_counts_what_is_beyond_the_list_of_dropped_places() {
    let functions = (0..60).map(|number| {
        format!("def lease_page_{number}(pool):\n    return pool.lease(page={number})\n\n\n")
    });
    let snapshot = snapshot([("pool.py".to_owned(), functions.collect())]);
    let listed = RankingConfig::default().assemble.max_dropped;
    for format in [Format::Xml, Format::Json] {
        let request = Request {
            format,
            ..request("Leases of pages are lost", 500, IntentKind::BugFix)
        };
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let shown = pack.sections.iter().flat_map(|section| &section.items);
        let whole = shown.filter(|item| item.fidelity == Fidelity::Full).count();
        assert!(pack.dropped.len() < listed + 5, "{:?}", pack.dropped);
        let missing = left_out(format, &pack);
        assert!(missing >= 60 - whole, "{missing} {whole}: {}", pack.context);
    }
}

#[test]
fn named_unreadable_file_is_dropped_with_reason() {
    let long = format!("var x = [{}];\n", "1234567890,".repeat(20_000));
    let files = [
        (
            "web/app.js".to_owned(),
            "export function start() {\n  return 1;\n}\n".to_owned(),
        ),
        ("web/bundle.js".to_owned(), long),
    ];
    let snapshot = snapshot(files);
    let request = request(
        "start fails in `web/bundle.js` and web/app.js",
        1000,
        IntentKind::BugFix,
    );
    let pack = ask(&snapshot, &request).pack;
    let dropped: Vec<(&str, &str, Option<Lines>)> = pack
        .dropped
        .iter()
        .map(|d| (d.path.as_str(), d.reason.name(), d.lines))
        .collect();
    assert!(
        dropped.contains(&("web/bundle.js", "long_lines", None)),
        "{dropped:?}"
    );
}

#[test]
fn an_empty_repository_gives_an_empty_context_within_the_budget() {
    let snapshot = snapshot([]);
    for format in [Format::Xml, Format::Markdown, Format::Json] {
        let request = Request {
            format,
            ..request("anything", 200, IntentKind::BugFix)
        };
        let pack = ask(&snapshot, &request).pack;
        assert!(pack.sections.is_empty());
        assert!(pack.used < 60, "{}", pack.context);
    }
}

#[test]
fn too_small_budget_is_an_issue() {
    let path = format!("{}/m.py", "directory".repeat(150));
    let files = [(path, "def stop_pool(pool):\n    pool.stop()\n".to_owned())];
    let snapshot = snapshot(files);
    let request = request("`stop_pool` fails", 200, IntentKind::BugFix);
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    assert!(answer.pack.sections.is_empty());
    let codes: Vec<&str> = answer
        .issues
        .iter()
        .map(|issue| issue.code.name())
        .collect();
    assert_eq!(codes, ["budget_too_small"]);
    assert!(!answer.pack.dropped.is_empty());
}

#[test]
fn unlisted_callers_are_counted_in_an_issue() {
    let mut users = "from pool import stop_pool\n".to_owned();
    for i in 0..60 {
        users.push_str(&format!(
            "\n\ndef user_{i}(pool):\n    return stop_pool(pool)\n"
        ));
    }
    let files = [
        (
            "pool.py".to_owned(),
            "def stop_pool(pool):\n    pool.stop()\n".to_owned(),
        ),
        ("users.py".to_owned(), users),
    ];
    let snapshot = snapshot(files);
    let request = request(
        "how is `stop_pool` used?",
        1000,
        IntentKind::UsageExploration,
    );
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    let note = answer
        .issues
        .iter()
        .find(|issue| issue.code.name() == "more_callers");
    assert!(
        note.is_some_and(|n| n.detail.contains("has 60 uses")),
        "{:?}",
        answer.issues
    );
}

#[test]
fn sources_without_a_parser_are_shown_as_stretches() {
    let snapshot = fixture(
        "
        //- src/channel.swift
        import Foundation

        /// Sends values to a bounded channel.
        struct Sender {
            let permits: Int

            func try_reserve() throws {
                throw Closed()
            }
        }
        //- src/main.swift
        let sender = Sender(permits: 1)
        //- tools/release.py
        def sender():
            return 'mail'
        ",
    );
    let query = "try_reserve on a closed channel says that it is full";
    let pack = ask(&snapshot, &request(query, 1000, IntentKind::BugFix)).pack;
    let first = items(&pack, "snippets")[0];
    assert_eq!(
        (first.path.as_str(), first.fidelity, first.cut),
        ("src/channel.swift", Fidelity::Full, false)
    );
    assert!(pack.context.contains("func try_reserve() throws"));
}

#[test]
fn class_that_is_mostly_shown_gets_no_card() {
    let methods: String = (0..30)
        .map(|n| format!("    def load_{n}(self, rows):\n        for row in rows:\n            self.load_row({n}, row)\n        return rows\n\n"))
        .collect();
    let snapshot = fixture(&format!(
        "//- shop/loader.py\nclass Loader:\n    rows = []\n\n{methods}"
    ));
    let query = "`Loader` fails: load_row of the rows in each load";
    let answer = ask(&snapshot, &request(query, 8000, IntentKind::BugFix));
    let items = answer.pack.sections.iter().flat_map(|s| s.items.clone());
    let cards = items.filter(|item| item.fidelity == Fidelity::Standard);
    assert_eq!(cards.count(), 0);
}

#[test]
fn documentation_above_a_class_is_not_under_the_line_of_the_class() {
    let lines: String = (0..90)
        .map(|n| format!(" * Rows of kind {n} are read with the delimiter of their kind.\n"))
        .collect();
    let snapshot = fixture(&format!(
        "//- src/Loader.java\n/**\n{lines} */\nclass Loader {{\n    int load(String rows) {{\n        return rows.length();\n    }}\n}}\n"
    ));
    let query = "the rows of each kind are read with the wrong delimiter";
    let answer = ask(&snapshot, &request(query, 8000, IntentKind::BugFix));
    let context = &answer.pack.context;
    let first = context.find("Rows of kind 3 are").unwrap();
    let class = context.find("class Loader").unwrap();
    assert!(first < class, "{context}");
}

#[test]
fn card_of_a_type_is_removed_once_its_members_are_shown() {
    let member = |name: &str| {
        let steps: String = (0..12)
            .map(|n| format!("        self.{name}_queue.{name}_step({n}, {name}_timeout)\n"))
            .collect();
        format!("    def {name}(self, timeout):\n{steps}\n")
    };
    let names = ["acquire", "release", "replace", "recycle"];
    let members: String = names.map(member).concat();
    let snapshot = snapshot([("pool.py".to_owned(), format!("class Pool:\n{members}"))]);
    let query =
        "where are `Pool`, `Pool.acquire`, `Pool.release`, `Pool.replace` and `Pool.recycle`?";
    let mut all_shown = 0;
    for budget in (600..4000).step_by(100) {
        let request = request(query, budget, IntentKind::DefinitionLookup);
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let lines = pack.context.matches("_timeout)").count();
        if lines == 48 {
            all_shown += 1;
            let has_card = pack.context.contains("fidelity=\"standard\"");
            assert!(!has_card, "{}", pack.context);
        }
    }
    assert!(all_shown > 0);
}
