//! Tests how an answer lists the definitions that a symbol of the query may mean.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;

#[test]
fn definitions_in_the_best_files_are_listed_first() {
    let modules = (0..9).map(|n| format!("//- app/m{n}.py\ndef handle(x):\n    return x\n"));
    let invoice = "//- shop/invoice.py\ndef handle(invoice):\n    return invoice.totals()\n";
    let code: String = modules.chain([invoice.to_owned()]).collect();
    let query = "`handle` in shop/invoice.py loses the totals of an invoice";
    let answer = ask::ask(&of_text(&code), query);
    assert_eq!(answer.files[0].path, "shop/invoice.py");
    let mut symbols = answer.symbols.iter();
    let symbol = symbols.find(|symbol| symbol.name == "handle").unwrap();
    assert_eq!(symbol.resolved[0], "shop/invoice.py:handle");
    assert_eq!((symbol.resolved.len(), symbol.total), (5, 10));
}
