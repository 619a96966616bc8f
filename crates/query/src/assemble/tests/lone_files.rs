//! Tests that the second best file is shown where an answer is short.

use super::*;

const SHOP: &str = "
    //- orders.py
    def cancel_order(order, customer):
        order.close_row(0)
        order.close_row(1)
        order.close_row(2)
        order.close_row(3)
        order.close_row(4)
        order.close_row(5)
        order.close_row(6)
        order.close_row(7)
        order.close_row(8)
        order.close_row(9)
        order.close_row(10)
        order.close_row(11)
        return order
    //- fees.py
    def fee_of(order, customer):
        fee = order.fee
        customer.pay(fee)
        return fee


    def refund(order):
        return order.refund()
";

/// Returns the names of what is shown whole.
fn whole(budget: usize, max_lone_files: usize, options: impl Fn(&mut Request)) -> Vec<String> {
    let snapshot = fixture(SHOP);
    let mut config = RankingConfig::default();
    config.assemble.breadth.balanced.max_lone_files = max_lone_files;
    let query = "`cancel_order` gives the wrong fee of an order to the customer";
    let mut request = Request {
        breadth: Breadth::Balanced,
        ..request(query, budget, IntentKind::BugFix)
    };
    options(&mut request);
    let pack = answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0).pack;
    check_invariants(&snapshot, &request, &pack);
    let items = pack.sections.into_iter().flat_map(|section| section.items);
    let whole = items.filter(|item| item.fidelity == Fidelity::Full);
    whole.map(|item| item.name).collect()
}

#[test]
fn best_place_of_the_second_file_is_shown_in_a_short_answer() {
    assert_eq!(whole(8000, 2, |_| {}), ["cancel_order", "fee_of"]);
    assert_eq!(whole(8000, 1, |_| {}), ["cancel_order"]);
    // Here more than half of the budget is used.
    assert_eq!(whole(260, 2, |_| {}), ["cancel_order"]);
}

#[test]
fn second_file_is_not_shown_where_the_caller_gives_the_probability() {
    let likely = |request: &mut Request| request.min_probability = Some(0.1);
    assert_eq!(whole(8000, 2, likely), ["cancel_order"]);
}
