//! Tests golden rankings: small repositories and questions with known answers. The ranked lists are committed as
//! snapshots and reviewed like code. Imperfect ones stay until ranking improves; the summary has the MRR of all.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::fmt::Write as _;

use foveate_fixture::snapshot::{of_files, source_files};
use foveate_index::Snapshot;
use foveate_model::SourceFile;
use foveate_query::{Answer, Deadline, RankingConfig, Request, answer};

const SHOP: &str = include_str!("shop.txt");

/// A question, the file with the answer, and the function; empty if no function is expected.
struct Question {
    id: &'static str,
    query: &'static str,
    file: &'static str,
    function: &'static str,
}

const QUESTIONS: &[Question] = &[
    Question {
        id: "title_words",
        query: "Discount is applied twice when the basket is saved again",
        file: "shop/pricing.py",
        function: "apply_discount",
    },
    Question {
        id: "traceback",
        query: "Checkout fails\n\n```\nTraceback (most recent call last):\n  File \"/srv/app/shop/views.py\", line 9, in checkout\n    return pay(basket)\n  File \"/srv/app/shop/payment.py\", line 12, in pay\n    raise PaymentError(\"the card was declined by the bank\")\nshop.payment.PaymentError: the card was declined by the bank\n```\n",
        file: "shop/payment.py",
        function: "pay",
    },
    Question {
        id: "inline_method",
        query: "`Basket.total` ignores the currency of its lines",
        file: "shop/basket.py",
        function: "Basket.total",
    },
    Question {
        id: "message_only",
        query: "What does 'stock level of item 7 is below zero' mean?",
        file: "shop/stock.py",
        function: "reserve",
    },
    Question {
        id: "reexported_name",
        query: "`from shop import Basket` is slow",
        file: "shop/basket.py",
        function: "",
    },
    Question {
        id: "typo",
        query: "`aply_discount` rounds the wrong way",
        file: "shop/pricing.py",
        function: "apply_discount",
    },
    Question {
        id: "typescript_component",
        query: "The `BasketView` component renders no lines after a reload\n\nIt calls useBasket but shows the empty list.",
        file: "web/src/components/BasketView.tsx",
        function: "BasketView",
    },
    Question {
        id: "typescript_frame",
        query: "TypeError: Cannot read properties of undefined (reading 'lines')\n    at fetchBasket (webpack:///web/src/api/client.ts:8:12)\n    at async useBasket (webpack:///web/src/hooks.ts:6:3)\n",
        file: "web/src/api/client.ts",
        function: "fetchBasket",
    },
    Question {
        id: "bundle_frame",
        query: "Nothing is shown after a reload\n\n```\nTypeError: Cannot read properties of null\n    at fetchBasket (web.esm-bundler.js:6990:5)\n    at r (http://localhost/assets/index-4f3a.js:1:22345)\n```\n",
        file: "web/src/api/client.ts",
        function: "fetchBasket",
    },
    Question {
        id: "vendored_frames",
        query: "It stopped at night\n\n```\nTraceback (most recent call last):\n  File \"/srv/app/shop/payment.py\", line 12, in pay\n    client.charge(total)\n  File \"/v/lib/python3.8/site-packages/bank/pricing.py\", line 3, in apply_discount\n    return a\n  File \"/v/lib/python3.8/site-packages/bank/basket.py\", line 3, in total\n    return a\nRuntimeError: 17\n```\n",
        file: "shop/payment.py",
        function: "pay",
    },
];

fn snapshot(order: impl Fn(&mut Vec<SourceFile>)) -> Snapshot {
    let mut files = source_files(SHOP);
    order(&mut files);
    of_files(files, None)
}

fn ask(snapshot: &Snapshot, query: &str, limit: usize) -> Answer {
    let request = Request {
        query: query.to_owned(),
        limit,
        ..Request::default()
    };
    answer(
        snapshot,
        &request,
        &RankingConfig::default(),
        &Deadline::none(),
        &|| 0.0,
    )
}

fn listing(answer: &Answer, question: &Question) -> String {
    let mut out = format!("{}\n\nfiles\n", question.query.trim_end());
    for file in &answer.files {
        let mark = if file.path == question.file { '*' } else { ' ' };
        let _ = write!(out, "{mark} {:.2} {}", file.score, file.path);
        for signal in &file.signals {
            let _ = write!(out, " {}={:.2}", signal.name, signal.value);
        }
        out.push('\n');
    }
    out.push_str("functions\n");
    for function in answer.functions.iter().take(5) {
        let hit = function.path == question.file && function.name == question.function;
        let mark = if hit { '*' } else { ' ' };
        let _ = writeln!(
            out,
            "{mark} {:.2} {}:{}",
            function.score, function.path, function.name
        );
    }
    out
}

#[test]
fn rankings_match_the_committed_snapshots() {
    let snapshot = snapshot(|_| {});
    let mut summary = String::new();
    let mut reciprocal = 0.0;
    for question in QUESTIONS {
        let answer = ask(&snapshot, question.query, 5);
        let rank = answer.files.iter().position(|f| f.path == question.file);
        reciprocal += rank.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
        let _ = writeln!(
            summary,
            "{}: file at {:?}",
            question.id,
            rank.map(|r| r + 1)
        );
        insta::assert_snapshot!(question.id, listing(&answer, question));
    }
    let _ = writeln!(summary, "MRR {:.3}", reciprocal / QUESTIONS.len() as f64);
    insta::assert_snapshot!("summary", summary);
}

#[test]
fn signals_of_a_result_sum_to_its_score() {
    let snapshot = snapshot(|_| {});
    for question in QUESTIONS {
        let answer = ask(&snapshot, question.query, 100);
        for (score, signals) in answer
            .files
            .iter()
            .map(|f| (f.score, &f.signals))
            .chain(answer.functions.iter().map(|f| (f.score, &f.signals)))
        {
            let sum: f32 = signals.iter().map(|signal| signal.value).sum();
            assert!((sum - score).abs() < 1e-4, "{} is not {sum}", score);
        }
    }
}

#[test]
fn answers_do_not_depend_on_the_order_of_files() {
    let (forward, backward) = (snapshot(|_| {}), snapshot(|files| files.reverse()));
    for question in QUESTIONS {
        let [a, b] = [&forward, &backward].map(|s| {
            let answer = ask(s, question.query, 100);
            format!(
                "{:?}",
                (
                    answer.files, answer.functions, answer.symbols, answer.pack.context
                )
            )
        });
        assert_eq!(a, b, "{}", question.id);
    }
}

#[test]
fn smaller_limit_gives_a_prefix() {
    let snapshot = snapshot(|_| {});
    for question in QUESTIONS {
        let [all, few] = [100, 2].map(|limit| ask(&snapshot, question.query, limit));
        let paths = |answer: &Answer| -> Vec<String> {
            answer.files.iter().map(|f| f.path.clone()).collect()
        };
        assert_eq!(paths(&all)[..2], paths(&few)[..]);
        assert_eq!(all.pack.context, few.pack.context);
    }
}

#[test]
fn query_without_results_reports_no_match() {
    let snapshot = snapshot(|_| {});
    let answer = ask(&snapshot, "zyzzyva qwertzuiop", 10);
    assert!(answer.files.is_empty());
    assert_eq!(
        answer.issues.first().map(|issue| issue.code.name()),
        Some("no_match")
    );
}
