//! What a warm answer and a snapshot cost, over a repository that this file writes itself: the
//! same text in every run. `cargo bench --bench warm`; real repositories are measured by
//! `foveate eval`.

use std::fmt::Write as _;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use foveate_index::{Revision, Snapshot};
use foveate_model::{ObjectId, RepoPath, SourceFile};
use foveate_parse::Limits;
use foveate_query::text::QueryText;
use foveate_query::{RankingConfig, Request, answer};

fn main() {
    divan::main();
}

/// Modules of the generated repository: 250 give about 1.5 MB and 6,000 definitions.
const SIZES: [usize; 2] = [25, 250];

const NOUNS: [&str; 12] = [
    "order", "invoice", "customer", "session", "token", "template", "field", "query", "cache",
    "schedule", "report", "payment",
];
const VERBS: [&str; 10] = [
    "load", "store", "render", "validate", "merge", "split", "cancel", "resolve", "format", "parse",
];

const ISSUE: &str = "Cancelling an order twice raises InvoiceError\n\n\
    After `Order3.cancel_invoice(customer)` the second call fails, the session is not resolved \
    and the payment stays open:\n\n```\nTraceback (most recent call last):\n  \
    File \"/srv/app/shop/order/module_3.py\", line 20, in cancel_invoice\n    \
    raise InvoiceError(\"cannot cancel the invoice of a closed order\")\nInvoiceError: cannot \
    cancel the invoice of a closed order\n```\n\nIt should return the cached report instead.";

/// A module with one class, a method per verb, and a function per noun that uses its neighbour's.
fn module(number: usize) -> (String, String) {
    let noun = NOUNS[number % NOUNS.len()];
    let other = NOUNS[(number * 7 + 3) % NOUNS.len()];
    let class = format!("{}{}{number}", &noun[..1].to_uppercase(), &noun[1..]);
    let neighbour = number / 2;
    let mut text = format!(
        "\"\"\"Everything about the {noun} and its {other}.\"\"\"\n\n\
         from shop.{}.module_{neighbour} import {}_of_{neighbour}\n\n\n\
         class {class}:\n    \"\"\"One {noun}, with its {other}.\"\"\"\n\n",
        NOUNS[neighbour % NOUNS.len()],
        NOUNS[0],
    );
    for (position, verb) in VERBS.iter().enumerate() {
        let subject = NOUNS[(number + position) % NOUNS.len()];
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "    def {verb}_{subject}(self, {other}, limit={position}):\n        \
             \"\"\"The {subject} of a {other}, to {verb} it at most limit times.\"\"\"\n        \
             if {other}.closed:\n            \
             raise ValueError(\"cannot {verb} the {subject} of a closed {noun}\")\n        \
             for entry in self.{subject}_entries[:limit]:\n            \
             entry.{verb}({other}, {number})\n        \
             return {}_of_{neighbour}(self, limit)\n\n",
            NOUNS[0],
        );
    }
    for noun in NOUNS {
        let _ = write!(
            text,
            "\ndef {noun}_of_{number}({noun}, limit):\n    \
             result = {class}().{}_{noun}({noun}, limit)\n    \
             return result or [{noun}] * {number}\n\n",
            VERBS[number % VERBS.len()],
        );
    }
    (format!("shop/{noun}/module_{number}.py"), text)
}

fn files(modules: usize) -> Vec<SourceFile> {
    (0..modules)
        .filter_map(|number| {
            let (path, text) = module(number);
            let path = RepoPath::new(&path).ok()?;
            let named = foveate_parse::language_by_name(&path);
            let (language, content) =
                foveate_parse::read(named, text.as_bytes(), &Limits::default());
            let role = foveate_parse::role(&path, language, false);
            let mut digest = [0; 20];
            digest[..8].copy_from_slice(&(number as u64).to_be_bytes());
            Some(SourceFile {
                path,
                blob: ObjectId::from_sha1(digest),
                size: text.len() as u64,
                language,
                role,
                content: Some(Arc::new(content.ok()?)),
                skipped: None,
            })
        })
        .collect()
}

fn snapshot(files: Vec<SourceFile>, previous: Option<&Snapshot>) -> Option<Snapshot> {
    let revision = Revision {
        commit: String::new(),
        dirty: false,
    };
    Snapshot::build(revision, 1, files, None, previous).ok()
}

/// Parsing alone, in modules.
#[divan::bench(args = SIZES)]
fn parse(bencher: Bencher<'_, '_>, modules: usize) {
    bencher
        .counter(ItemsCount::new(modules))
        .bench(|| files(modules));
}

/// A snapshot from nothing, its files parsed.
#[divan::bench(args = SIZES)]
fn build(bencher: Bencher<'_, '_>, modules: usize) {
    let files = files(modules);
    bencher
        .counter(ItemsCount::new(modules))
        .with_inputs(|| files.clone())
        .bench_values(|files| snapshot(files, None));
}

/// A snapshot after one file was taken away, the one before at hand.
#[divan::bench(args = SIZES)]
fn rebuild(bencher: Bencher<'_, '_>, modules: usize) {
    let files = files(modules);
    let previous = snapshot(files.clone(), None);
    bencher
        .with_inputs(|| files[1..].to_vec())
        .bench_values(|files| snapshot(files, previous.as_ref()));
}

/// Reading a query alone, so many times the issue with its traceback.
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
    let Some(snapshot) = snapshot(files(modules), None) else {
        return;
    };
    let request = Request {
        query: query.to_owned(),
        ..Request::default()
    };
    let ranking = RankingConfig::default();
    bencher.bench(|| answer(&snapshot, &request, &ranking, &|| 0.0));
}
