//! Compares everything that a service reports about a repository with the report of an index built from
//! nothing.

use std::path::Path;
use std::time::Instant;

use reqwest::Client;
use serde_json::{Value, json};

use crate::app::{TIMEOUT, TestApp, sum_of, until};

/// Queries whose answers are compared.
const QUERIES: [&str; 5] = [
    "`total_price` of `Cart.checkout` is wrong since gifts are wrapped",
    "def moved added changed function in shop/cart.py",
    "ImportError: cannot import name 'value_7' from 'shop.part_7'",
    "where are the tests of the checkout",
    "which number is even? `f3` gives a wrong value since the newest change",
];

/// A service under test, in this process or in a process of its own.
pub trait Service {
    fn client(&self) -> &Client;
    fn url(&self) -> &str;

    /// The sum of a metric's series.
    async fn metric(&self, family: &str) -> f64 {
        let response = self.client().get(format!("{}/metrics", self.url())).send();
        sum_of(&response.await.unwrap().text().await.unwrap(), family, "")
    }
}

/// Everything an index reports: the repository's figures, and the answers to [`QUERIES`] as JSON.
#[derive(Debug, PartialEq, Eq)]
pub struct IndexReport(Vec<String>);

/// Removes from an answer the fields that differ from request to request, and the `polling` issue, which
/// is not about the index.
fn without_volatile_fields(mut answer: Value) -> String {
    let fields = answer.as_object_mut().expect("an answer");
    // The head of a context names the repository.
    let head = format!("repo: {}, ", fields["repo"].as_str().expect("a name"));
    let context = fields["context"].as_str().expect("a text");
    fields["context"] = context.replacen(&head, "", 1).into();
    for field in ["request_id", "generation", "timings_ms", "repo"] {
        fields.remove(field).expect(field);
    }
    let issues = fields["issues"].as_array_mut().expect("issues");
    issues.retain(|issue| issue["code"] != "polling");
    answer.to_string()
}

/// Reads the report of a repository. `None` while its index or history is incomplete.
pub async fn index_report(service: &impl Service, name: &str) -> Option<IndexReport> {
    let url = service.url();
    let repo = service
        .client()
        .get(format!("{url}/repos/{name}?skipped=true"));
    let repo: Value = repo.send().await.unwrap().json().await.unwrap();
    if repo["state"] != "ready" || repo["watch"]["pending_files"] != 0 {
        return None;
    }
    let fields = [
        "commit", "dirty", "files", "skipped", "skipped_files", "definitions", "languages",
    ];
    let mut report: Vec<String> = fields.iter().map(|f| repo[*f].to_string()).collect();
    for query in QUERIES {
        let body = json!({"repo": name, "query": query, "limit": 100, "explain": true});
        let asked = service.client().post(format!("{url}/context")).json(&body);
        let answer: Value = asked.send().await.unwrap().json().await.unwrap();
        if answer["issues"].to_string().contains("history_loading") {
            return None;
        }
        report.push(without_volatile_fields(answer));
    }
    Some(IndexReport(report))
}

/// The report of an index that another, empty service builds of this directory.
pub async fn fresh_build_report(root: &Path) -> IndexReport {
    let app = TestApp::start().await;
    // The same name as in the tests: a name of another length could change what fits into the budget.
    app.add_tree("shop", root, false).await;
    let report = until("an index from nothing", async || {
        index_report(&app, "shop").await
    })
    .await;
    app.end().await;
    report
}

/// Waits until the report of a repository is the wanted one.
pub async fn reports_become(service: &impl Service, name: &str, wanted: &IndexReport, what: &str) {
    let start = Instant::now();
    until(what, async || {
        let report = index_report(service, name).await?;
        if start.elapsed() > TIMEOUT * 9 / 10 {
            // Shortly before the timeout: show the difference instead.
            for (report, wanted) in report.0.iter().zip(&wanted.0) {
                assert_eq!(report, wanted, "{what}");
            }
        }
        (report == *wanted).then_some(())
    })
    .await;
}

/// Waits until the report of a repository equals that of an index built from nothing of this directory.
pub async fn equals_fresh_build(service: &impl Service, name: &str, root: &Path) {
    let wanted = fresh_build_report(root).await;
    reports_become(service, name, &wanted, "what an index from nothing tells").await;
}
