//! Measures a warm answer on a generated repository: `cargo bench --bench warm`. Real repositories are measured by
//! `foveate eval`.

mod corpus;

use corpus::{files, snapshot, texts};
use divan::Bencher;
use foveate_query::text::QueryText;
use foveate_query::{Deadline, RankingConfig, Request, answer};

fn main() {
    divan::main();
}

/// Modules of the generated repository, each size four times the previous one: 60 modules have 0.3 MB and 1,400
/// definitions.
const SIZES: [usize; 3] = [60, 240, 960];

const ISSUE: &str = "Cancelling an order twice raises InvoiceError\n\n\
    After `Order3.cancel_invoice(customer)` the second call fails, the session is not resolved \
    and the payment stays open:\n\n```\nTraceback (most recent call last):\n  \
    File \"/srv/app/shop/order/module_3.py\", line 20, in cancel_invoice\n    \
    raise InvoiceError(\"cannot cancel the invoice of a closed order\")\nInvoiceError: cannot \
    cancel the invoice of a closed order\n```\n\nIt should return the cached report instead.";

/// Parsing a query alone: the issue with its traceback, repeated this many times.
#[divan::bench(args = [1, 20])]
fn read_query(bencher: Bencher<'_, '_>, times: usize) {
    let query = ISSUE.repeat(times);
    bencher.bench(|| QueryText::parse(&query));
}

/// A whole answer to an issue with a traceback, with 8,000 tokens.
#[divan::bench(args = SIZES)]
fn answer_issue(bencher: Bencher<'_, '_>, modules: usize) {
    ask(bencher, modules, ISSUE);
}

/// A whole answer to one line.
#[divan::bench(args = SIZES)]
fn answer_question(bencher: Bencher<'_, '_>, modules: usize) {
    ask(
        bencher,
        modules,
        "where is the session of a customer validated?",
    );
}

fn ask(bencher: Bencher<'_, '_>, modules: usize, query: &str) {
    let Some(snapshot) = snapshot(files(&texts(modules)), None) else {
        return;
    };
    let request = Request {
        query: query.to_owned(),
        ..Request::default()
    };
    let ranking = RankingConfig::default();
    bencher.bench(|| answer(&snapshot, &request, &ranking, &Deadline::none(), &|| 0.0));
}
