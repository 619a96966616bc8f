//! Tests that for any request, budget, format and repository the context is within the budget.

use proptest::prelude::*;

use super::*;

/// Pieces of hostile code; `{n}` is replaced by a number, so that names repeat across files.
const PIECES: &[&str] = &[
    "def f{n}(a, b):\n    return a\n",
    "class C{n}(C0):\n    x = 1\n    def run{n}(self):\n        return self.f{n}()\n\n    def stop(self): pass\n",
    "def g{n}():\r\n    return f{n}(1, 2)\r\n",
    "from m{n} import f{n}, C{n}\n",
    "def test_f{n}():\n    assert f{n}(1, 2)\n",
    "export function h{n}(a: string) { return `${a}` + \"]]>\" }\n",
    "s{n} = '</snippets><![CDATA[ ]]> ``` ~~~ <!-- --> \\\\ \" & &amp;'\n",
    "# größe ÄÖÜ 日本語 🎈🎈 \u{202e} \u{200b} \u{c} \u{85}\n",
    "\n\n\n",
    "x = 1\rdef y{n}(): pass\n",
    "def {n}broken(:\n",
    "\t\t\tdef z{n}(\n\t\t\t    a,\n\t\t\t    b\n\t\t\t): return [a, b]\n",
];

fn text() -> impl Strategy<Value = String> {
    let piece =
        (0..PIECES.len(), 0..4u8).prop_map(|(i, n)| PIECES[i].replace("{n}", &n.to_string()));
    let long =
        (1..3000usize).prop_map(|n| format!("def long(a):\n    return '{}'\n", "ab<&` ".repeat(n)));
    let tall = (1..300usize).prop_map(|n| format!("def tall(a):\n{}", "    a.f1(a)\n".repeat(n)));
    let noise = "\\PC{0,80}\n";
    let part = prop_oneof![8 => piece, 1 => long, 1 => tall, 1 => noise];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0..4u8).prop_map(|n| format!("m{n}.py")),
        2 => (0..4u8).prop_map(|n| format!("src/a b/m{n}.ts")),
        2 => (0..4u8).prop_map(|n| format!("tests/test_m{n}.py")),
        1 => (0..4u8).prop_map(|n| format!("src/m{n}.rs")),
        1 => Just("docs/`x` <y> & \"z\"\n.md".to_owned()),
        1 => (1..150usize).prop_map(|n| format!("{}/m.py", "deep<dir>".repeat(n))),
    ]
}

fn query() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("`f1` fails\n\n`C1.run1` raises in m1.py, see g2 and test_f1".to_owned()),
        Just("how is f1 used".to_owned()),
        Just("where is `C1`, `long` and `tall`?".to_owned()),
        "\\PC{0,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn budget_and_invariants_hold_for_any_input(
        files in prop::collection::btree_map(path(), text(), 0..6),
        query in query(),
        budget in prop_oneof![200..1200usize, 200..=128_000usize],
        format in prop_oneof![Just(Format::Xml), Just(Format::Markdown), Just(Format::Json)],
        kind in 0..IntentKind::ALL.len(),
    ) {
        let snapshot = snapshot(files);
        let request = Request { format, ..request(&query, budget, IntentKind::ALL[kind]) };
        let first = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &first);
        let second = ask(&snapshot, &request).pack;
        prop_assert_eq!(first.context, second.context);
        prop_assert_eq!(first.dropped, second.dropped);
    }
}

#[test]
fn entry_removed_to_meet_the_budget_is_dropped() {
    // The line of a class is repeated wherever methods of a nested class come between.
    let mut code = "class Orders(Base):\n".to_owned();
    for n in 0..40 {
        code.push_str(&format!(
            "    def cancel_order_{n}(self):\n        return self.cancel({n})\n\n    \
             class Part_{n}:\n        def cancel_part_{n}(self):\n            return {n}\n\n"
        ));
    }
    let snapshot = snapshot([("orders.py".to_owned(), code)]);
    for budget in (300..2000).step_by(20) {
        for format in [Format::Xml, Format::Markdown, Format::Json] {
            let request = Request {
                format,
                ..request("cancel fails for an order", budget, IntentKind::BugFix)
            };
            let pack = ask(&snapshot, &request).pack;
            check_invariants(&snapshot, &request, &pack);
        }
    }
}

#[test]
fn part_of_a_body_that_is_too_long_for_its_probability_is_shown() {
    let step =
        |name: &str, n: usize| format!("    order = check_{name}_step_{n}(order, customer)\n");
    let steps = |name: &str, lines| {
        let steps: String = (0..lines).map(|n| step(name, n)).collect();
        format!("def {name}(order, customer, invoice):\n{steps}    return order\n\n\n")
    };
    let orders = steps("cancel_order", 8) + &steps("cancel_invoice", 400);
    let snapshot = snapshot([("orders.py".to_owned(), orders)]);
    let mut request = request(
        "`cancel_order` gives the wrong customer, as it does to cancel an invoice",
        16_000,
        IntentKind::BugFix,
    );
    request.breadth = Breadth::Balanced;
    let answer = ask(&snapshot, &request);
    let mut places = answer.places.iter();
    let long = places.find(|place| place.name == "cancel_invoice").unwrap();
    // Its length then needs a higher probability than it has.
    request.min_probability = Some(long.probability * 0.3);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let context = &pack.context;
    assert!(context.contains("check_cancel_order_step_7("), "{context}");
    assert!(
        context.contains("check_cancel_invoice_step_0("),
        "{context}"
    );
    assert!(
        !context.contains("check_cancel_invoice_step_399("),
        "{context}"
    );
}
