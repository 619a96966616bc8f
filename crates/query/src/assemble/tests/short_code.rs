//! Tests how likely code of a few lines must be to be shown.

use super::*;

const ORDERS: &str = "def cancel_order(order, customer):
    order.check(customer)
    order.cancel()
    return order


def order_fee(order):
    return order.fee
";

/// Whether `order_fee` is shown where a body of usual length needs twice its probability.
fn shows_fee(intent: IntentKind, config: &RankingConfig) -> bool {
    let snapshot = snapshot([("orders.py".to_owned(), ORDERS.to_owned())]);
    let mut request = Request {
        breadth: Breadth::Balanced,
        ..request("`cancel_order` gives the wrong order", 8000, intent)
    };
    let ask = |request: &Request| answer(&snapshot, request, config, &Deadline::none(), &|| 0.0);
    let answer = ask(&request);
    let mut places = answer.places.iter();
    let fee = places.find(|place| place.name == "order_fee").unwrap();
    request.min_probability = Some(fee.probability * 2.0);
    let pack = ask(&request).pack;
    check_invariants(&snapshot, &request, &pack);
    assert!(pack.context.contains("order.cancel()"), "{}", pack.context);
    pack.context.contains("return order.fee")
}

#[test]
fn code_of_a_few_lines_counts_as_longer_in_a_change() {
    let mut config = RankingConfig::default();
    // Its length alone decides.
    let limits = &mut config.assemble.breadth.balanced;
    limits.file_factor = 0.0;
    limits.min_relative = 0.0;
    limits.min_file_probability = 0.0;
    assert!(!shows_fee(IntentKind::BugFix, &config));
    assert!(shows_fee(IntentKind::Explanation, &config));
    config.assemble.bodies.min_counted_tokens = 0;
    assert!(shows_fee(IntentKind::BugFix, &config));
}

#[test]
fn likelier_code_comes_before_shorter_code_in_a_change() {
    let refund = "def refund_order(order, customer):
    rows = order.late_rows(customer)
    order.log(\"name\", order.name)
    for row in rows:
        row.check(order.total)
        row.refund(order.count)
    order.log(\"rows\", rows)
    order.total = order.sum(rows)
    order.log(\"total\", order.total)
    order.log(\"paid\", order.paid)
    return order
";
    let fee =
        "def order_fee(order, customer):\n    customer.fee = order.fee\n    return customer\n";
    let (cancel, _) = ORDERS.split_once("\n\n\n").unwrap();
    let snapshot = snapshot([
        ("orders.py".to_owned(), format!("{cancel}\n")),
        ("refund.py".to_owned(), refund.to_owned()),
        ("fee.py".to_owned(), fee.to_owned()),
    ]);
    let whole_at = |budget| {
        let query = "`cancel_order` gives the wrong order to the customer";
        let request = request(query, budget, IntentKind::BugFix);
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let names: Vec<&str> = answer.places.iter().map(|place| &*place.name).collect();
        assert_eq!(names, ["cancel_order", "refund_order", "order_fee"]);
        let items = answer.pack.sections.into_iter().flat_map(|s| s.items);
        let whole = items.filter(|item| item.fidelity == Fidelity::Full && !item.cut);
        whole.map(|item| item.name).collect::<Vec<String>>()
    };
    // Some budgets have room for only one of the two.
    let is_refund_alone = |names: Vec<String>| {
        let has = |name: &str| names.iter().any(|shown| shown == name);
        has("refund_order") && !has("order_fee")
    };
    assert!((240..300).step_by(5).map(whole_at).any(is_refund_alone));
}
