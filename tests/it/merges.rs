//! Tests merged pull requests: their changes are compared with the answers to the issues that they close.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{Response, commit, git, save};
use crate::feedback::exported;
use crate::other_forges::{gitea, gitlab};
use crate::webhooks::{SECRET, SHOP_PROJECT, World, fixture, fork};

/// Merges a branch of the clone into `main`, as a forge does.
fn merge(world: &World, head: &str) {
    git(
        &world.root,
        &["merge", "-q", "--no-ff", "-m", "merge", head],
    );
    world.forge.push(SHOP_PROJECT, &world.root, "main");
}

/// GitHub's event for the pull request 13, merged.
fn merged_event(base: &str, head: &str) -> Value {
    let mut payload = fixture("github/pull_request");
    payload["action"] = json!("closed");
    payload["pull_request"]["state"] = json!("closed");
    payload["pull_request"]["merged"] = json!(true);
    payload["pull_request"]["base"]["sha"] = json!(base);
    payload["pull_request"]["head"]["sha"] = json!(head);
    payload
}

fn merges(world: &World) -> Vec<Value> {
    let answers = exported(world.app.data());
    let feedback = answers.iter().flat_map(|answer| {
        assert!(answer["query"].is_null(), "no word of the issue is kept");
        answer["feedback"].as_array().unwrap().clone()
    });
    feedback
        .filter(|given| given["source"] == "merge")
        .collect()
}

async fn stats(world: &World) -> Value {
    let stats = world.app.get("/stats?repo=corner/shop").await.json();
    stats["repos"][0]["total"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn merge_is_compared_with_the_answer() {
    let world = World::start().await;
    world
        .send_event("issues", "d-1", &fixture("github/issues"), "queued")
        .await;
    assert_eq!(world.comments_when_idle("corner/shop/12").await.len(), 1);
    let (base, head) = fork(&world);
    merge(&world, &head);
    let mut payload = merged_event(&base, &head);
    world
        .send_event("pull_request", "d-2", &payload, "queued")
        .await;
    world.wait_until_idle().await;
    let told = merges(&world);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["origin"], "github corner/shop pull request 13");
    assert_eq!(told[0]["base_commit"], base);
    let expected = json!([{"path": "shop/price.py", "name": "total_price", "lines": [1, 3]}]);
    assert_eq!(told[0]["changed"], expected);
    let total = stats(&world).await;
    assert_eq!(total["merges"], 1);
    let whole = json!({
        "files": 1, "files_in_context": 1, "file_share": 1.0,
        "functions": 1, "functions_in_context": 1, "function_share": 1.0,
    });
    assert_eq!(total["merged"], whole);
    let label = "repo=\"corner/shop\"";
    let family = "foveate_repository_merged_functions_in_context";
    assert_eq!(world.app.metric(family, label).await, 1.0);
    // A merge causes no comment.
    assert_eq!(world.forge.comments("corner/shop/13").len(), 0);

    // The same merge in another delivery is counted once.
    payload["pull_request"]["closed_at"] = json!("2026-11-23T00:00:00Z");
    world
        .send_event("pull_request", "d-3", &payload, "queued")
        .await;
    world.wait_until_idle().await;
    assert_eq!(merges(&world).len(), 1);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_places_lower_the_merged_share() {
    let world = World::start_with(|config| config.forge.budget_tokens = 200).await;
    let mut issue = fixture("github/issues");
    issue["issue"]["title"] = json!("`Cart.add_item` takes anything");
    issue["issue"]["body"] = json!("It must check its item.");
    world.send_event("issues", "d-1", &issue, "queued").await;
    world.wait_until_idle().await;
    let base = git(&world.root, &["rev-parse", "HEAD"]);
    git(&world.root, &["checkout", "-q", "-b", "taxes"]);
    // A function, a new file, a file that is not source, and a stretch between functions.
    let tax = "RATE = 2\n\n\ndef total_price(items):\n    return RATE\n";
    save(&world.root.join("shop/price.py"), tax);
    save(
        &world.root.join("shop/tax.py"),
        "def tax():\n    return 1\n",
    );
    save(&world.root.join("README.md"), "# Taxes\n");
    let cart = std::fs::read_to_string(world.root.join("shop/cart.py")).unwrap();
    save(
        &world.root.join("shop/cart.py"),
        &cart.replace("class Cart", "LIMIT = 9\n\n\nclass Cart"),
    );
    let head = commit(&world.root, "taxes");
    git(&world.root, &["checkout", "-q", "main"]);
    merge(&world, &head);
    let payload = merged_event(&base, &head);
    world
        .send_event("pull_request", "d-2", &payload, "queued")
        .await;
    world.wait_until_idle().await;
    let told = merges(&world);
    let changed = json!([
        {"path": "shop/price.py", "name": "total_price", "lines": [1, 3]},
        {"path": "shop/cart.py"},
    ]);
    assert_eq!(told[0]["changed"], changed);
    assert_eq!(
        (&told[0]["files"], &told[0]["functions"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(told[0]["functions_in_context"], 0, "{told:?}");
    assert_eq!(stats(&world).await["merged"]["function_share"], 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unrelated_or_unmerged_pull_requests_are_ignored() {
    let world = World::start().await;
    let (base, head) = fork(&world);
    merge(&world, &head);
    let closed = merged_event(&base, &head);
    let with = |pointer: &str, value: Value| {
        let mut payload = closed.clone();
        *payload.pointer_mut(pointer).unwrap() = value;
        payload
    };
    for (delivery, payload) in [
        ("d-1", with("/pull_request/merged", json!(false))),
        ("d-2", with("/pull_request/base/ref", json!("release"))),
        ("d-3", with("/pull_request/body", json!("See #12."))),
        (
            "d-4",
            with("/pull_request/body", json!("Closes corner/stall#12.")),
        ),
    ] {
        world
            .send_event("pull_request", delivery, &payload, "ignored")
            .await;
    }
    // The issue was never answered.
    world
        .send_event("pull_request", "d-5", &closed, "queued")
        .await;
    world.wait_until_idle().await;
    assert!(merges(&world).is_empty());
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;

    let world = World::start_with(|config| config.feedback.record = false).await;
    world
        .send_event("pull_request", "d-6", &closed, "ignored")
        .await;
    world.app.end().await;
}

fn outcome(response: &Response) -> Value {
    assert_eq!(response.status, StatusCode::ACCEPTED, "{}", response.text);
    response.json()["outcome"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn gitlab_and_gitea_merges_are_compared() {
    let world = World::start().await;
    let issue = fixture("gitlab/issue");
    outcome(&gitlab(&world, "Issue Hook", "k-1", SECRET, &issue).await);
    outcome(&gitea(&world, "issues", "g-1", &fixture("gitea/issues")).await);
    world.wait_until_idle().await;
    let (base, head) = fork(&world);
    merge(&world, &head);
    let tip = git(&world.root, &["rev-parse", "HEAD"]);

    // GitLab's event names only the branch, which contains the change by now, so the forge is asked for the commits.
    world
        .forge
        .set_pull_request_commits("corner/shop/7", &base, &head);
    let mut payload = fixture("gitlab/merge_request");
    payload["object_attributes"]["action"] = json!("merge");
    payload["object_attributes"]["state"] = json!("merged");
    payload["object_attributes"]["last_commit"]["id"] = json!(head);
    let response = gitlab(&world, "Merge Request Hook", "k-2", SECRET, &payload).await;
    assert_eq!(outcome(&response), "queued");

    let mut payload = fixture("gitea/pull_request");
    payload["action"] = json!("closed");
    payload["pull_request"]["state"] = json!("closed");
    payload["pull_request"]["merged"] = json!(true);
    payload["pull_request"]["base"]["sha"] = json!(tip);
    payload["pull_request"]["head"]["sha"] = json!(head);
    payload["pull_request"]["merge_base"] = json!(base);
    let response = gitea(&world, "pull_request", "g-2", &payload).await;
    assert_eq!(outcome(&response), "queued");
    world.wait_until_idle().await;
    let told = merges(&world);
    let mut origins: Vec<&str> = told.iter().map(|m| m["origin"].as_str().unwrap()).collect();
    origins.sort_unstable();
    let expected = [
        "gitea corner/shop pull request 24",
        "gitlab corner/shop pull request 7",
    ];
    assert_eq!(origins, expected);
    for merge in &told {
        assert_eq!(merge["changed"][0]["name"], "total_price");
        assert_eq!(merge["functions_in_context"], 1);
    }
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}
