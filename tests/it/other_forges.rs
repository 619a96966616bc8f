//! Tests webhooks of GitLab and Gitea: authenticated in their own ways, otherwise handled like GitHub's.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{Response, commit, git, save};
use crate::stub_forge::Mood;
use crate::webhook_jobs::list_jobs;
use crate::webhooks::{SECRET, SHOP_PROJECT, World, fixture, sign};

pub async fn gitlab(
    world: &World,
    event: &str,
    key: &str,
    token: &str,
    payload: &Value,
) -> Response {
    let url = format!("{}/webhooks/gitlab", world.app.url);
    let request = world.app.client().post(url);
    let request = request
        .header("x-gitlab-event", event)
        .header("x-gitlab-token", token)
        .header("idempotency-key", key)
        .json(payload);
    world.app.send(request).await
}

pub async fn gitea(world: &World, event: &str, delivery: &str, payload: &Value) -> Response {
    let body = payload.to_string();
    let url = format!("{}/webhooks/gitea", world.app.url);
    let request = world.app.client().post(url);
    let request = request
        .header("x-gitea-event", event)
        .header("x-gitea-delivery", delivery)
        .header("x-gitea-signature", sign(SECRET, &body))
        .body(body);
    world.app.send(request).await
}

fn outcome(response: &Response) -> String {
    assert_eq!(response.status, StatusCode::ACCEPTED, "{}", response.text);
    response.json()["outcome"].as_str().unwrap().to_owned()
}

/// Pushes a branch that changes the price. Returns its base and head.
fn branch(world: &World) -> (String, String) {
    let base = git(&world.root, &["rev-parse", "HEAD"]);
    git(&world.root, &["checkout", "-q", "-b", "discounts"]);
    save(
        &world.root.join("shop/price.py"),
        "def total_price(items):\n    return sum(item.cost for item in items)\n",
    );
    let head = commit(&world.root, "count discounts");
    world.forge.push(SHOP_PROJECT, &world.root, "discounts");
    (base, head)
}

#[tokio::test(flavor = "multi_thread")]
async fn nested_gitlab_group_project_is_registered_and_answered() {
    let world = World::start_empty(|config| {
        config.forge.register_owners = vec!["corner".to_owned()];
    })
    .await;
    world.forge.host("corner/tools/shop", &world.root);
    let mut issue = fixture("gitlab/issue");
    issue["project"]["path_with_namespace"] = json!("corner/tools/shop");
    let response = gitlab(&world, "Issue Hook", "k-0", SECRET, &issue).await;
    assert_eq!(outcome(&response), "queued");
    let comments = world
        .comments_when_idle("corner/tools/shop/issues/23")
        .await;
    assert_eq!(comments.len(), 1);
    assert!(comments[0].contains("/corner/tools/shop/-/blob/"));
    let path = "/repos/corner%2Ftools%2Fshop";
    let repo = world.app.get(path).await.json();
    assert_eq!(repo["name"], "corner/tools/shop");
    assert_eq!(world.app.delete(path).await.status, StatusCode::NO_CONTENT);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn push_to_a_project_that_cannot_be_registered_is_ignored() {
    let world = World::start_empty(|config| {
        config.forge.register_owners = vec!["corner".to_owned()];
    })
    .await;
    let push = fixture("gitlab/push");
    let push_again = async || {
        let response = gitlab(&world, "Push Hook", "k-0", SECRET, &push).await;
        outcome(&response)
    };
    world.app.add_tree("corner/shop", &world.root, false).await;
    assert_eq!(push_again().await, "ignored");
    assert_eq!(push_again().await, "ignored");
    let deleted = world.app.delete("/repos/corner%2Fshop").await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    // The forge sends the same delivery again.
    assert_eq!(push_again().await, "synced");
    world.app.ready("corner/shop").await;
    assert_eq!(push_again().await, "repeated");
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn command_dies_visibly_if_permissions_may_not_be_asked_for() {
    let world = World::start().await;
    let comment = fixture("gitea/issue_comment");
    world
        .forge
        .set_membership("keeper", json!({"permission": "write"}));
    world.forge.queue_moods(&[Mood::Status(403)]);
    let response = gitea(&world, "issue_comment", "g-1", &comment).await;
    assert_eq!(outcome(&response), "queued");
    assert_eq!(world.comments_when_idle("corner/shop/23").await.len(), 0);
    assert_eq!(world.forge.count("GET", "/collaborators/keeper/"), 1);
    let job = list_jobs(world.app.data()).remove(0);
    assert_eq!(job["state"], "dead");
    let error = job["error"].as_str().unwrap();
    assert!(error.contains("status 403: as you wish"), "{error}");
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gitlab_events_are_handled() {
    let world = World::start().await;
    let issue = fixture("gitlab/issue");
    for wrong in ["", "hook-secret-2", "hook-secret-1x"] {
        let response = gitlab(&world, "Issue Hook", "k-0", wrong, &issue).await;
        assert_eq!(response.status, StatusCode::FORBIDDEN, "{wrong:?}");
    }
    let response = gitlab(&world, "Issue Hook", "k-0", SECRET, &issue).await;
    assert_eq!(outcome(&response), "queued");
    let thread = "corner/shop/issues/23";
    let comments = world.comments_when_idle(thread).await;
    assert_eq!(comments.len(), 1);
    // The URL does not reveal the kind of forge; the settings do.
    assert!(
        comments[0].contains("/corner/shop/-/blob/"),
        "{}",
        comments[0]
    );
    let again = gitlab(&world, "Issue Hook", "k-0", SECRET, &issue).await;
    assert_eq!(outcome(&again), "repeated");

    // A command of an account without membership is ignored; a developer's is executed.
    let mut note = fixture("gitlab/note");
    note["issue"]["iid"] = json!(24);
    assert_eq!(
        outcome(&gitlab(&world, "Note Hook", "k-1", SECRET, &note).await),
        "queued"
    );
    assert_eq!(
        world
            .comments_when_idle("corner/shop/issues/24")
            .await
            .len(),
        0
    );
    world
        .forge
        .set_membership("9", json!({"id": 9, "state": "active", "access_level": 30}));
    note["object_attributes"]["id"] = json!(1245);
    assert_eq!(
        outcome(&gitlab(&world, "Note Hook", "k-2", SECRET, &note).await),
        "queued"
    );
    assert_eq!(
        world
            .comments_when_idle("corner/shop/issues/24")
            .await
            .len(),
        1
    );

    let (_, head) = branch(&world);
    let mut request = fixture("gitlab/merge_request");
    request["object_attributes"]["last_commit"]["id"] = json!(head);
    assert_eq!(
        outcome(&gitlab(&world, "Merge Request Hook", "k-3", SECRET, &request).await),
        "queued"
    );
    let comments = world
        .comments_when_idle("corner/shop/merge_requests/7")
        .await;
    assert!(comments[0].contains("item.cost") && comments[0].contains("test_checkout"));

    save(
        &world.root.join("shop/gift.py"),
        "def wrap_gift():\n    pass\n",
    );
    git(&world.root, &["checkout", "-q", "main"]);
    commit(&world.root, "gifts");
    world.forge.push(SHOP_PROJECT, &world.root, "main");
    let push = fixture("gitlab/push");
    assert_eq!(
        outcome(&gitlab(&world, "Push Hook", "k-4", SECRET, &push).await),
        "synced"
    );
    world
        .app
        .places_become(SHOP_PROJECT, "wrap_gift", &["shop/gift.py"])
        .await;
    // The same body of another push: the branch was elsewhere in between.
    for (key, wanted) in [("k-5", "synced"), ("k-5", "repeated"), ("k-4", "repeated")] {
        let response = gitlab(&world, "Push Hook", key, SECRET, &push).await;
        assert_eq!(outcome(&response), wanted, "{key}");
    }
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gitea_events_are_handled() {
    let world = World::start().await;
    let mut issue = fixture("gitea/issues");
    assert_eq!(
        outcome(&gitea(&world, "issues", "g-1", &issue).await),
        "queued"
    );
    let comments = world.comments_when_idle("corner/shop/23").await;
    assert_eq!(comments.len(), 1);
    assert!(
        comments[0].contains("/corner/shop/src/commit/"),
        "{}",
        comments[0]
    );
    issue["action"] = json!("label_updated");
    assert_eq!(
        outcome(&gitea(&world, "issues", "g-2", &issue).await),
        "ignored"
    );
    issue["issue"]["labels"] = json!([{"id": 3, "name": "foveate"}]);
    assert_eq!(
        outcome(&gitea(&world, "issues", "g-3", &issue).await),
        "queued"
    );
    assert_eq!(world.comments_when_idle("corner/shop/23").await.len(), 1);

    let mut comment = fixture("gitea/issue_comment");
    comment["issue"]["number"] = json!(25);
    world
        .forge
        .set_membership("keeper", json!({"permission": "read"}));
    assert_eq!(
        outcome(&gitea(&world, "issue_comment", "g-4", &comment).await),
        "queued"
    );
    assert_eq!(world.comments_when_idle("corner/shop/25").await.len(), 0);
    world
        .forge
        .set_membership("keeper", json!({"permission": "write"}));
    comment["comment"]["id"] = json!(72);
    assert_eq!(
        outcome(&gitea(&world, "issue_comment", "g-5", &comment).await),
        "queued"
    );
    assert_eq!(world.comments_when_idle("corner/shop/25").await.len(), 1);

    let (base, head) = branch(&world);
    let mut request = fixture("gitea/pull_request");
    request["pull_request"]["base"]["sha"] = json!(base);
    request["pull_request"]["head"]["sha"] = json!(head);
    assert_eq!(
        outcome(&gitea(&world, "pull_request", "g-6", &request).await),
        "queued"
    );
    let comments = world.comments_when_idle("corner/shop/24").await;
    assert!(comments[0].contains("item.cost"), "{}", comments[0]);
    let push = fixture("gitea/push");
    assert_eq!(
        outcome(&gitea(&world, "push", "g-7", &push).await),
        "synced"
    );

    let mut wrong = world
        .app
        .client()
        .post(format!("{}/webhooks/gitea", world.app.url));
    wrong = wrong
        .header("x-gitea-event", "push")
        .header("x-gitea-signature", sign("other", "{}"));
    assert_eq!(
        world.app.send(wrong.body("{}")).await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}
