//! All that a service tells of a repository, to compare an index that went through something with
//! one that was built from nothing.

use std::path::Path;
use std::time::Instant;

use reqwest::Client;
use serde_json::{Value, json};

use crate::app::{PATIENCE, TestApp, sum_of, until};

/// What is asked of both indexes.
const QUERIES: [&str; 5] = [
    "`total_price` of `Cart.checkout` is wrong since gifts are wrapped",
    "def moved added changed function in shop/cart.py",
    "ImportError: cannot import name 'value_7' from 'shop.part_7'",
    "where are the tests of the checkout",
    "which number is even? `f3` gives a wrong value since the newest change",
];

/// A service, in this process or in one of its own.
pub trait Service {
    fn client(&self) -> &Client;
    fn url(&self) -> &str;

    /// The sum of a metric's series.
    async fn metric(&self, family: &str) -> f64 {
        let response = self.client().get(format!("{}/metrics", self.url())).send();
        sum_of(&response.await.unwrap().text().await.unwrap(), family, "")
    }
}

/// What an index tells: the repository's figures and its answers, byte for byte.
#[derive(Debug, PartialEq, Eq)]
pub struct Told(Vec<String>);

/// An answer without what differs from one asking to the next, and without the notice that files
/// are looked at now and then, which is no part of the index.
fn bare(mut answer: Value) -> String {
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

/// What a repository tells once nothing is known to be missing from its index.
pub async fn told(service: &impl Service, name: &str) -> Option<Told> {
    let url = service.url();
    let repo = service
        .client()
        .get(format!("{url}/repos/{name}?skipped=true"));
    let repo: Value = repo.send().await.unwrap().json().await.unwrap();
    if repo["state"] != "ready" || repo["watch"]["pending_files"] != 0 {
        return None;
    }
    let fields = [
        "commit",
        "dirty",
        "files",
        "skipped",
        "skipped_files",
        "definitions",
        "languages",
    ];
    let mut told: Vec<String> = fields.iter().map(|f| repo[*f].to_string()).collect();
    for query in QUERIES {
        let body = json!({"repo": name, "query": query, "limit": 100, "explain": true});
        let asked = service.client().post(format!("{url}/context")).json(&body);
        let answer: Value = asked.send().await.unwrap().json().await.unwrap();
        if answer["issues"].to_string().contains("history_loading") {
            return None;
        }
        told.push(bare(answer));
    }
    Some(Told(told))
}

/// What an index tells that another service builds of this directory, of which it knows nothing.
pub async fn built_from_nothing(root: &Path) -> Told {
    let app = TestApp::start().await;
    // A name of another length might leave other things out of the budget.
    app.add_tree("shop", root, false).await;
    let told = until("an index from nothing", async || told(&app, "shop").await).await;
    app.end().await;
    told
}

/// Waits until a repository tells this.
pub async fn tells(service: &impl Service, name: &str, wanted: &Told, what: &str) {
    let start = Instant::now();
    until(what, async || {
        let told = told(service, name).await?;
        if start.elapsed() > PATIENCE * 9 / 10 {
            // Rather than waiting in vain: what differs.
            for (told, wanted) in told.0.iter().zip(&wanted.0) {
                assert_eq!(told, wanted, "{what}");
            }
        }
        (told == *wanted).then_some(())
    })
    .await;
}

/// Waits until a repository tells what an index of this directory does that is built from nothing.
pub async fn is_as_built_from_nothing(service: &impl Service, name: &str, root: &Path) {
    let wanted = built_from_nothing(root).await;
    tells(service, name, &wanted, "what an index from nothing tells").await;
}
