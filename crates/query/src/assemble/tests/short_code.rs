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
