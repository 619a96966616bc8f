//! Tests what is shown besides bodies: dependencies, callers, tests and surrounding lines. Also tests what is held
//! back.

use foveate_model::Lines;

use super::*;
use crate::request::Seen;

/// A function whose base class and callee are in other files, and an unrelated file.
const ORDERS: &str = "
    //- shop/order.py
    from shop.base import Record
    from shop.money import round_half_even


    class Order(Record):
        def settle_amount(self, rows):
            \"\"\"Settle the amount of an order.\"\"\"
            total = sum(row.amount for row in rows)
            return round_half_even(total)

    //- shop/base.py
    class Record:
        \"\"\"Something that is stored.\"\"\"

        table = None

    //- shop/money.py
    def round_half_even(value):
        \"\"\"Round as banks do.\"\"\"
        return value

    //- shop/colour.py
    def darken(colour):
        return colour
";

#[test]
fn dependencies_of_a_body_are_cards() {
    let snapshot = fixture(ORDERS);
    let request = request("`Order.settle_amount` is wrong", 1000, IntentKind::BugFix);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let shown = shown(&pack, "definitions");
    for name in ["Record", "round_half_even"] {
        let found = pack
            .sections
            .iter()
            .flat_map(|s| &s.items)
            .any(|i| i.name == name);
        assert!(found, "{name} is missing: {shown:?}\n{}", pack.context);
    }
    assert!(pack.context.contains("def settle_amount"));
    assert!(!pack.context.contains("darken"), "{}", pack.context);
}

#[test]
fn caller_that_matches_the_query_comes_first() {
    let mut users = "from pool import stop_pool\n".to_owned();
    for name in ["alpha", "beta", "gamma", "restart_worker", "omega"] {
        users.push_str(&format!("\n\ndef {name}(pool):\n    stop_pool(pool)\n"));
        // Too long to be shown whole.
        for n in 0..40 {
            users.push_str(&format!("    pool.note({n}, pool.rest({n}))\n"));
        }
    }
    let files = [
        (
            "pool.py".to_owned(),
            "def stop_pool(pool):\n    if pool.open:\n        stop_pool(pool.parent)\n    pool.stop()\n".to_owned(),
        ),
        ("users.py".to_owned(), users),
    ];
    let snapshot = snapshot(files);
    let request = request(
        "how is `stop_pool` used when a worker restarts, restart worker?",
        400,
        IntentKind::UsageExploration,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let callers: Vec<&str> = items(&pack, "callers")
        .iter()
        .map(|i| i.name.as_str())
        .collect();
    assert!(callers.contains(&"restart_worker"), "{}", pack.context);
    assert!(callers.len() < 5, "there is no room for all: {callers:?}");
    assert!(!callers.contains(&"stop_pool"), "{callers:?}");
}

#[test]
fn calls_through_an_interface_are_callers_of_its_implementation() {
    let mut text = "
//- app/Resolver.java
package app;

public interface Resolver {
    void resolve(int depth);
}
//- app/Bean.java
package app;

public class Bean implements Resolver {
    public void resolve(int depth) {}
}
//- app/Walker.java
package app;

public class Walker {
    void walk(Resolver resolver) {
        resolver.resolve(1);
"
    .to_owned();
    // Too long to be shown whole.
    for n in 0..60 {
        text.push_str(&format!("        this.note({n}, this.rest({n}));\n"));
    }
    text.push_str("    }\n}\n");
    let snapshot = fixture(&text);
    let request = request(
        "who calls `Bean.resolve`?",
        600,
        IntentKind::UsageExploration,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let callers = items(&pack, "callers");
    let caller = callers.iter().find(|item| item.name == "Walker.walk");
    let reason = caller.map(|item| item.reason.as_str());
    assert_eq!(
        reason,
        Some("uses Bean.resolve through Resolver.resolve"),
        "{}",
        pack.context
    );
}

#[test]
fn question_about_implementers_lists_all_of_them() {
    let mut text =
        "//- store/Store.java\npackage store;\n\npublic interface Store {\n    void put();\n}\n"
            .to_owned();
    for n in 10..40 {
        text.push_str(&format!(
            "//- store/Store{n}.java\npackage store;\n\n@Deprecated\npublic class Store{n}\n    implements Store\n{{\n    public void put() {{}}\n}}\n"
        ));
    }
    let snapshot = fixture(&text);
    let request = request(
        "Which classes implement `Store`?",
        4000,
        IntentKind::UsageExploration,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let missing: Vec<u32> = (10..40)
        .filter(|n| !pack.context.contains(&format!("public class Store{n}")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}\n{}", pack.context);
    let heads = pack.context.matches(" implements Store").count();
    assert!(heads >= 20, "{heads}\n{}", pack.context);
}

const GUIDE: &str = "
    //- upload.py
    def upload_limit(size):
        return size < 10

    //- docs/upload.md
    # Upload limit

    The upload limit is ten.
    //- vendor/upload.js
    export const uploadLimit = 10
";

#[test]
fn documentation_is_held_back_unless_asked_for() {
    let snapshot = fixture(GUIDE);
    let paths = |query: &str| -> Vec<String> {
        let request = request(query, 1000, IntentKind::BugFix);
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let items = pack.sections.iter().flat_map(|s| &s.items);
        items.map(|item| item.path.clone()).collect()
    };
    let plain = paths("the function returns the wrong upload limit");
    assert!(plain.contains(&"upload.py".to_owned()), "{plain:?}");
    assert!(!plain.contains(&"docs/upload.md".to_owned()), "{plain:?}");
    let asked = paths("the documentation of the upload limit is wrong");
    assert!(asked.contains(&"docs/upload.md".to_owned()), "{asked:?}");
    let named = paths("the upload limit in docs/upload.md is wrong");
    assert!(named.contains(&"docs/upload.md".to_owned()), "{named:?}");
    // Vendored code ranks below the repository's own.
    let first = plain.iter().position(|path| path.starts_with("vendor/"));
    assert!(first.is_none_or(|at| at > 0), "{plain:?}");
}

#[test]
fn how_to_question_shows_unlikely_documentation_pages() {
    let page = |n: u32| {
        let text = format!("# Plan {n}\n\nPlan {n} has an upload limit of its own.\n");
        (format!("docs/plan{n}.md"), text)
    };
    let mut files: Vec<(String, String)> = (0..30).map(page).collect();
    let code = "def upload_limit(size):\n    return size < 10\n";
    files.push(("upload.py".to_owned(), code.to_owned()));
    let snapshot = snapshot(files);
    let pages = |query: &str| {
        let request = request(query, 1000, IntentKind::UsageExploration);
        let answer = ask(&snapshot, &request);
        let items = answer.pack.sections.iter().flat_map(|s| &s.items);
        items.filter(|item| item.path.starts_with("docs/")).count()
    };
    assert_eq!(pages("the upload limit is wrong"), 0);
    assert!(pages("How do I raise the upload limit?") > 0);
}

#[test]
fn documentation_is_shown_if_nothing_else_is_found() {
    let snapshot = fixture(
        "
        //- docs/upload.md
        # Upload limit

        The upload limit is ten.
        ",
    );
    let request = request("the upload limit is wrong", 1000, IntentKind::BugFix);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    assert!(pack.context.contains("docs/upload.md"), "{}", pack.context);
}

#[test]
fn test_writing_shows_existing_tests_whole() {
    let mut tests = "from price import total_of\n".to_owned();
    for name in ["empty", "one", "many"] {
        tests.push_str(&format!(
            "\n\ndef test_total_of_{name}():\n    prices = make_{name}()\n    assert total_of(prices) == {name}\n"
        ));
    }
    let files = [
        (
            "price.py".to_owned(),
            "def total_of(prices):\n    return sum(prices)\n".to_owned(),
        ),
        ("tests/test_price.py".to_owned(), tests),
    ];
    let snapshot = snapshot(files);
    let whole = |kind| {
        let request = request("write tests for `total_of`", 2000, kind);
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let tests = items(&pack, "tests");
        tests
            .iter()
            .filter(|item| item.fidelity == Fidelity::Full && item.name.starts_with("test_"))
            .count()
    };
    assert_eq!(whole(IntentKind::TestWriting), 3);
}

/// Returns the lines of the items with a name.
fn lines_of(answer: &Answer, name: &str) -> Vec<Lines> {
    let items = answer.pack.sections.iter().flat_map(|s| &s.items);
    let found = items.filter(|item| item.name == name);
    found.map(|item| item.lines).collect()
}

#[test]
fn function_is_shown_with_surrounding_blank_lines() {
    let snapshot = fixture(
        "
        //- session.py
        class Session:
            def open(self):
                return connect()

            def close(self):
                return disconnect()

            def renew(self):
                return connect() and disconnect()
        ",
    );
    let query = "Session.close does not disconnect";
    let asked = request(query, 8000, IntentKind::BugFix);
    let answer = ask(&snapshot, &asked);
    check_invariants(&snapshot, &asked, &answer.pack);
    // A blank line between two functions is shown once, with the first of them that is added.
    assert_eq!(lines_of(&answer, "Session.close"), [Lines::new(4, 7)]);
    assert_eq!(lines_of(&answer, "Session.open"), [Lines::new(2, 3)]);
    assert_eq!(lines_of(&answer, "Session.renew"), [Lines::new(8, 9)]);
    // A blank line that the caller has seen is not shown again.
    let asked = Request {
        seen: Seen {
            places: vec!["session.py:1-4".to_owned()],
            ..Seen::default()
        },
        ..asked
    };
    let answer = ask(&snapshot, &asked);
    assert_eq!(lines_of(&answer, "Session.close"), [Lines::new(5, 7)]);
}

#[test]
fn function_is_shown_with_comments_and_attributes() {
    let comment = "/// Text.\n".repeat(10);
    let file = format!(
        "pub struct Pool {{\n    size: usize,\n}}\n\n{comment}#[inline]\npub fn lease(pool: &Pool) -> usize \
         {{\n    pool.size\n}}\n"
    );
    let snapshot = snapshot([("src/pool.rs".to_owned(), file)]);
    let lines = |budget: usize| {
        let asked = request("`lease` gives the wrong size", budget, IntentKind::BugFix);
        let answer = ask(&snapshot, &asked);
        check_invariants(&snapshot, &asked, &answer.pack);
        lines_of(&answer, "lease")
    };
    assert_eq!(lines(8000), [Lines::new(4, 18)]);
    // In a small context, code is worth more than a long comment.
    assert_eq!(lines(2000), [Lines::new(15, 18)]);
}

#[test]
fn class_attributes_are_a_place_with_a_likely_method() {
    let snapshot = fixture(
        "
        //- pool.py
        class Pool:
            ceiling = 10
            floor = 2

            def acquire(self):
                return lease(self.ceiling)
        //- other.py
        class Other:
            ceiling = 10
            floor = 2

            def draw(self):
                return paint(self.ceiling)
        ",
    );
    let asked = request("`acquire` hangs", 8000, IntentKind::BugFix);
    let answer = ask(&snapshot, &asked);
    let places = answer.places.iter().map(|place| (&*place.path, place.kind));
    assert!(places.clone().any(|place| place == ("pool.py", "class")));
    assert!(!places.clone().any(|place| place == ("other.py", "class")));
}

#[test]
fn function_with_several_calls_is_dropped_once() {
    let step = format!("    print({})\n", "order.number, ".repeat(15));
    let calls = format!("{step}{step}    cancel_order(order)\n{step}{step}{step}").repeat(6);
    let code = format!("def close_all(order):\n{calls}\n\ndef cancel_order(order):\n    pass\n");
    let snapshot = snapshot([("orders.py".to_owned(), code)]);
    for budget in [400, 700, 1000, 1500] {
        let query = "who calls `cancel_order`?";
        let request = request(query, budget, IntentKind::UsageExploration);
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let callers = pack.dropped.iter().filter(|d| d.name == "close_all");
        assert!(callers.count() <= 1, "{:?}", pack.dropped);
    }
}

#[test]
fn callers_that_max_chars_removes_are_dropped() {
    // Tokens of long words have more characters than usual, so that the limit on characters is reached first.
    let words = " international information documentation".repeat(5);
    let rest = "    print(order.number, order.customer, order.date)\n".repeat(90);
    let callers: String = (0..12)
        .map(|n| format!("def use_{n}(order):\n    cancel_order(order)  #{words}\n{rest}\n\n"))
        .collect();
    let code = format!("def cancel_order(order):\n    pass\n\n\n{callers}");
    let snapshot = snapshot([("orders.py".to_owned(), code)]);
    let query = "who calls `cancel_order`?";
    // The bodies that do not fit are not reported.
    let mut config = RankingConfig::default();
    config.assemble.max_dropped = 0;
    let ask_in = |budget, max_chars| {
        let mut request = request(query, budget, IntentKind::UsageExploration);
        request.max_chars = max_chars;
        let answer = answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0);
        check_invariants(&snapshot, &request, &answer.pack);
        answer
    };
    let names = |answer: &Answer| -> Vec<String> {
        let items = answer.pack.sections.iter().flat_map(|s| &s.items);
        let callers = items.filter(|item| item.name.starts_with("use_"));
        callers.map(|item| item.name.clone()).collect()
    };
    let mut removed = 0;
    for max_chars in (1200..4000).step_by(100) {
        let all = names(&ask_in(max_chars / 4, None));
        let answer = ask_in(8000, Some(max_chars));
        let shown = names(&answer);
        let is_dropped = |name: &&String| answer.pack.dropped.iter().any(|d| d.name == **name);
        let missing: Vec<&String> = all.iter().filter(|name| !shown.contains(name)).collect();
        let unreported: Vec<_> = missing.iter().filter(|name| !is_dropped(name)).collect();
        assert!(unreported.is_empty(), "{max_chars}: {unreported:?}");
        removed += missing.len();
        let listed = answer
            .pack
            .context
            .matches("    cancel_order(order)")
            .count();
        let noted = format!("has 12 uses; {listed} are listed or shown");
        let mut issues = answer.issues.iter();
        let is_noted = listed == 12 || issues.any(|issue| issue.detail.contains(&noted));
        assert!(is_noted, "{max_chars}: {listed}, {:?}", answer.issues);
    }
    assert!(removed > 0);
}

#[test]
fn cut_call_is_not_shown_whole() {
    let arguments = "order.number, ".repeat(100);
    let code = format!("from orders import cancel_order\n\ncancel_order({arguments})\n");
    let callee = "def cancel_order(*numbers):\n    pass\n".to_owned();
    let snapshot = snapshot([
        ("calls.py".to_owned(), code),
        ("orders.py".to_owned(), callee),
    ]);
    let query = "who calls `cancel_order`?";
    let request = request(query, 400, IntentKind::UsageExploration);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let calls = items(&pack, "callers");
    assert!(
        matches!(&*calls, [call] if call.cut && call.shown.is_empty()),
        "{}",
        pack.context
    );
}

#[test]
fn use_that_is_no_call_is_not_named_a_call() {
    let snapshot = fixture(
        "
        //- limits.py
        LARGEST = 10


        def clamp(value):
            return value


        class Bounds:
            @staticmethod
            def check(value):
                return value
        //- orders.py
        from limits import LARGEST, Bounds, clamp


        def check(order):
            return order.size < LARGEST


        def shrink(order):
            return clamp(order.size)


        def bound(order):
            return Bounds.check(order.size)
        ",
    );
    let context = |query: &str| {
        let request = request(query, 2000, IntentKind::UsageExploration);
        ask(&snapshot, &request).pack.context
    };
    let of_constant = context("who uses `LARGEST`?");
    assert!(of_constant.contains("uses=\"LARGEST\""), "{of_constant}");
    assert!(!of_constant.contains("calls="), "{of_constant}");
    let of_function = context("who calls `clamp`?");
    assert!(of_function.contains("calls=\"clamp\""), "{of_function}");
    let of_class = context("who uses `Bounds`?");
    assert!(of_class.contains("uses=\"Bounds\""), "{of_class}");
    assert!(!of_class.contains("calls=\"Bounds\""), "{of_class}");
}

#[test]
fn type_with_constructors_is_one_named_definition() {
    let snapshot = fixture(
        "
        //- TicketList.java
        public class TicketList {
            private final int number;

            public TicketList() {
                this(0);
            }

            public TicketList(int number) {
                this.number = number;
            }
        }
        //- Desk.java
        public class Desk {
            TicketList sell(int number) {
                return new TicketList(number);
            }
        }
        ",
    );
    let request = request("who uses TicketList?", 2000, IntentKind::UsageExploration);
    let context = ask(&snapshot, &request).pack.context;
    let is_marked = |verb: &str| context.contains(&format!("{verb}=\"TicketList"));
    assert!(is_marked("calls") || is_marked("uses"), "{context}");
}

#[test]
fn short_question_for_uses_lists_them_without_neighbours() {
    let mut users = "from doors import close_door\n".to_owned();
    for number in 0..30 {
        users.push_str(&format!(
            "\n\ndef user_{number}():\n    prepare({number})\n    close_door({number})\n    return {number}\n"
        ));
    }
    let doors = "def close_door(door):\n    return door.close()\n\n\ndef open_door(door):\n    return door.open()\n";
    let snapshot = snapshot([
        ("doors.py".to_owned(), doors.to_owned()),
        ("users.py".to_owned(), users),
    ]);
    let ask_with = |intent| {
        let request = Request {
            intent,
            ..request("who calls close_door?", 8000, IntentKind::UsageExploration)
        };
        ask(&snapshot, &request).pack
    };
    let pack = ask_with(None);
    let names = |pack: &Pack| {
        let items = pack.sections.iter().flat_map(|section| &section.items);
        items.map(|item| item.name.clone()).collect::<Vec<_>>()
    };
    let shown_names = names(&pack);
    assert!(
        shown_names.contains(&"close_door".to_owned()),
        "{}",
        pack.context
    );
    assert!(
        !shown_names.contains(&"open_door".to_owned()),
        "{}",
        pack.context
    );
    for number in 0..30 {
        assert!(
            pack.context.contains(&format!("close_door({number})")),
            "{}",
            pack.context
        );
    }
    // A caller that gives the intent gets the code around it, too.
    let given = names(&ask_with(Some(IntentKind::UsageExploration)));
    assert!(given.contains(&"open_door".to_owned()), "{given:?}");
}

#[test]
fn tests_are_no_callers_of_what_is_explained() {
    let snapshot = fixture(
        "
        //- shop/price.py
        def total_price(items):
            return sum(items)
        //- shop/till.py
        from shop.price import total_price

        def close_till(items):
            print(items)
            return total_price(items)
        //- tests/test_price.py
        from shop.price import total_price

        def test_total_price():
            print(1)
            assert total_price([1]) == 1
        ",
    );
    let callers = |intent| {
        let request = Request {
            min_probability: Some(1.0),
            ..request("How does `total_price` work with many items?", 4000, intent)
        };
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let callers = items(&answer.pack, "callers").into_iter();
        callers.map(|item| item.path.clone()).collect::<Vec<_>>()
    };
    let test = "tests/test_price.py".to_owned();
    assert!(callers(IntentKind::UsageExploration).contains(&test));
    let explained = callers(IntentKind::Explanation);
    assert!(!explained.contains(&test), "{explained:?}");
    assert!(
        explained.contains(&"shop/till.py".to_owned()),
        "{explained:?}"
    );
}

#[test]
fn owner_of_an_inherited_member_has_no_callers() {
    let step = "    describe_every_part_of_it(parts, customer, invoice)\n".repeat(150);
    let show =
        |n| format!("def show_{n}(parts, customer, invoice):\n    cart = Cart()\n{step}\n\n");
    let shows: String = (0..3).map(show).collect();
    let page = format!(
        "from shop.cart import Cart\n\n\n{shows}def leave(cart: Cart, parts, customer, invoice):\n    \
         cart.pay_bill()\n{step}"
    );
    let base = "class Base:\n    def pay_bill(self):\n        return self.bill.pay()\n";
    let cart = "from shop.base import Base\n\n\nclass Cart(Base):\n    def open(self):\n        return self\n";
    let snapshot = snapshot([
        ("shop/base.py".to_owned(), base.to_owned()),
        ("shop/cart.py".to_owned(), cart.to_owned()),
        ("shop/page.py".to_owned(), page),
    ]);
    let request = Request {
        breadth: Breadth::Balanced,
        ..request("refactor Cart.pay_bill", 2000, IntentKind::Refactor)
    };
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let callers = items(&pack, "callers").into_iter();
    let reasons: Vec<&str> = callers.map(|item| item.reason.as_str()).collect();
    assert_eq!(reasons, ["uses Base.pay_bill"], "{}", pack.context);
}
