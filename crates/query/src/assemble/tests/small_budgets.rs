//! Tests that small budgets are used for the best places, and not for whatever is small enough.

use super::*;

/// Returns a function of about `lines` times 13 tokens.
fn steps(name: &str, lines: usize) -> String {
    let step = format!("    order = check_{name}_step(order, customer, invoice)\n");
    let steps = step.repeat(lines);
    format!("def {name}(order, customer, invoice):\n{steps}    return order\n\n\n")
}

/// Returns many functions of a line each.
fn small_parts() -> String {
    let part = |n| format!("def part_{n}(order):\n    return order.cancel({n})\n\n\n");
    (0..30).map(part).collect()
}

#[test]
fn start_of_a_signature_is_shown_where_all_of_it_has_no_room() {
    let parameters = [
        "order", "invoice", "payment", "address", "account", "contract", "reminder", "voucher",
        "receipt", "discount",
    ];
    let parameters = parameters.map(|name| format!("{name}_of_the_customer"));
    let code = format!(
        "def cancel_order({}):\n    \"\"\"Cancel the order of a customer, and with it all of the invoices and of the \
         payments that there are so far.\"\"\"\n{}\n\n{}",
        parameters.join(", "),
        "    order_of_the_customer.cancel(invoice_of_the_customer)\n".repeat(20),
        small_parts(),
    );
    let path = format!("{}orders.py", "of_all_customers/".repeat(15));
    let snapshot = snapshot([(path, code)]);
    let request = request(
        "`cancel_order` cancels an order twice",
        200,
        IntentKind::BugFix,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let context = &pack.context;
    assert!(
        context.contains("def cancel_order(order_of_the_customer,"),
        "{context}"
    );
    assert!(!context.contains("Cancel the order"), "{context}");
}

#[test]
fn second_place_is_shown_whole_before_small_unlikely_bodies() {
    let orders = steps("cancel_order", 12) + &steps("cancel_invoice", 90);
    let snapshot = snapshot([
        ("orders.py".to_owned(), orders),
        ("parts.py".to_owned(), small_parts()),
    ]);
    let request = request(
        "to cancel gives the wrong customer and invoice of an order",
        400,
        IntentKind::BugFix,
    );
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    let mut best = answer.places.iter().take(2);
    assert!(best.any(|place| place.name == "cancel_order"));
    let all = answer.pack.sections.iter().flat_map(|s| &s.items);
    let mut of_it = all.filter(|item| item.name == "cancel_order");
    let item = of_it.next().expect("the second place is in");
    assert!(item.fidelity == Fidelity::Full && !item.cut, "{item:?}");
}

#[test]
fn part_of_the_best_place_is_shown_within_a_small_budget() {
    let code = steps("cancel_order", 70) + &small_parts();
    let snapshot = snapshot([("orders.py".to_owned(), code)]);
    let query = "`cancel_order` gives the wrong customer";
    let request = request(query, 600, IntentKind::BugFix);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let all = pack.sections.iter().flat_map(|section| &section.items);
    let mut of_it = all.filter(|item| item.name == "cancel_order");
    let item = of_it.next().expect("the best place is in");
    assert!(item.cut && item.tokens <= 250, "{item:?}");
}
