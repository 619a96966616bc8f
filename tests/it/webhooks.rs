//! Tests webhooks end to end: a stub forge sends events about issues, pull requests and pushes to the service, and
//! receives comments.

use std::path::{Path, PathBuf};

use foveate::config::Config;
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;

use crate::app::{Response, SHOP, TestApp, commit, git, save, tree, until};
use crate::stub_forge::{ACCOUNT, Mood, StubForge, TOKEN};

/// The secret of the webhooks.
pub const SECRET: &str = "hook-secret-1";
/// The project of the fixtures.
pub const SHOP_PROJECT: &str = "corner/shop";
const ISSUE: &str = "corner/shop/12";

/// A stub forge with a project, and a service configured for it.
pub struct World {
    pub forge: StubForge,
    pub app: TestApp,
    pub root: PathBuf,
    secrets: TempDir,
    _keep: TempDir,
}

/// Configures a service for a forge, with its secrets in files of a directory.
pub fn settings(config: &mut Config, forge: &StubForge, secrets: &Path) {
    let file = |name: &str, secret: &str| {
        let path = secrets.join(name);
        std::fs::write(&path, secret).unwrap();
        format!("file:{}", path.display())
    };
    config.git.schemes = vec!["http".to_owned()];
    config.git.poll_seconds = 0;
    config.forge.min_confidence = 0.0;
    config.forge.retry_seconds = 1;
    config.forge.github.url.clone_from(&forge.url);
    config.forge.github.webhook_secret = file("github", SECRET);
    config.forge.github.token = file("token", TOKEN);
    for host in [&mut config.forge.gitlab, &mut config.forge.gitea] {
        host.url.clone_from(&forge.url);
        host.webhook_secret = file("other", SECRET);
        host.token = file("token", TOKEN);
    }
}

impl World {
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Starts with settings that `change` adjusts, and registers the shop.
    pub async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let world = Self::start_empty(change).await;
        world.register().await;
        world
    }

    /// As [`Self::start_with`], without a registered repository.
    pub async fn start_empty(change: impl FnOnce(&mut Config)) -> Self {
        let forge = StubForge::start().await;
        let (keep, root) = tree(SHOP);
        commit(&root, "open the shop");
        forge.host(SHOP_PROJECT, &root);
        let secrets = tempfile::tempdir().unwrap();
        let app = TestApp::start_with(|config| {
            settings(config, &forge, secrets.path());
            change(config);
        });
        Self {
            app: app.await,
            forge,
            root,
            secrets,
            _keep: keep,
        }
    }

    /// Replaces the token of all forges.
    pub fn replace_token(&self, token: &str) {
        std::fs::write(self.secrets.path().join("token"), token).unwrap();
    }

    pub async fn register(&self) {
        let source = json!({"git": format!("{}/{SHOP_PROJECT}.git", self.forge.url)});
        let body = json!({"name": SHOP_PROJECT, "source": source});
        let response = self.app.post("/repos", body).await;
        assert_eq!(response.status, StatusCode::CREATED, "{}", response.text);
        // Answers differ while past commits are loading.
        let is_whole = |repo: &Value| repo["state"] == "ready" && repo["history"] == true;
        self.app.repo_until(SHOP_PROJECT, is_whole).await;
    }

    pub async fn github(&self, event: &str, delivery: &str, payload: &Value) -> Response {
        let body = payload.to_string();
        let signature = format!("sha256={}", sign(SECRET, &body));
        self.send(event, delivery, &signature, body).await
    }

    pub async fn send(
        &self,
        event: &str,
        delivery: &str,
        signature: &str,
        body: String,
    ) -> Response {
        let request = self
            .app
            .client()
            .post(format!("{}/webhooks/github", self.app.url));
        let request = request
            .header("content-type", "application/json")
            .header("x-github-event", event)
            .header("x-github-delivery", delivery)
            .header("x-hub-signature-256", signature)
            .body(body);
        self.app.send(request).await
    }

    /// Sends an event, and asserts its outcome.
    pub async fn send_event(&self, event: &str, delivery: &str, payload: &Value, outcome: &str) {
        let response = self.github(event, delivery, payload).await;
        assert_eq!(response.status, StatusCode::ACCEPTED, "{}", response.text);
        assert_eq!(response.json()["outcome"], outcome, "{}", response.text);
    }

    /// Waits until no job is pending, and returns the bodies of the service's comments on a thread.
    pub async fn comments_when_idle(&self, thread: &str) -> Vec<String> {
        self.wait_until_idle().await;
        let comments = self.forge.comments(thread).into_iter();
        let ours = comments.filter(|c| c.author != "visitor");
        ours.map(|comment| comment.body).collect()
    }

    pub async fn wait_until_idle(&self) {
        until("an empty queue", async || {
            let pending = self
                .app
                .metric("foveate_queued_jobs", "state=\"pending\"")
                .await;
            (pending == 0.0).then_some(())
        })
        .await;
    }

    pub async fn dead_jobs(&self) -> f64 {
        self.app
            .metric("foveate_queued_jobs", "state=\"dead\"")
            .await
    }
}

pub fn sign(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

pub fn fixture(name: &str) -> Value {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = std::fs::read_to_string(directory.join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn issue_gets_one_comment_that_is_updated() {
    let world = World::start().await;
    let mut issue = fixture("github/issues");
    world.send_event("issues", "d-1", &issue, "queued").await;
    let first = world.comments_when_idle(ISSUE).await;
    assert_eq!(first.len(), 1);
    let body = &first[0];
    assert!(body.starts_with("<!-- foveate:context -->\n"), "{body}");
    let link = format!(
        "{}/corner/shop/blob/{}/shop/",
        world.forge.url,
        git(&world.root, &["rev-parse", "HEAD"])
    );
    assert!(
        body.contains(&link) && body.contains("total_price"),
        "{body}"
    );
    assert!(
        body.contains("Confidence that ") && body.contains("`/foveate`"),
        "{body}"
    );
    assert_eq!(
        body.matches("<details>").count(),
        body.matches("</details>").count()
    );
    assert!(
        body.contains("def total_price(items):"),
        "the code is there: {body}"
    );

    issue["action"] = json!("edited");
    issue["issue"]["title"] = json!("add_item takes anything");
    issue["issue"]["body"] = json!("`Cart.add_item` must check its item.");
    world.send_event("issues", "d-2", &issue, "queued").await;
    let second = world.comments_when_idle(ISSUE).await;
    assert_eq!(second.len(), 1, "it was updated");
    assert_ne!(second, first);
    assert_eq!(world.forge.count("PATCH", "/issues/comments/"), 1);

    // The same answer again writes nothing.
    issue["issue"]["updated_at"] = json!("2026-11-21T00:00:00Z");
    world.send_event("issues", "d-3", &issue, "queued").await;
    assert_eq!(world.comments_when_idle(ISSUE).await, second);
    assert_eq!(world.forge.count("PATCH", "/issues/comments/"), 1);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unsigned_deliveries_are_refused_and_repeats_ignored() {
    let world = World::start().await;
    let issue = fixture("github/issues").to_string();
    let good = format!("sha256={}", sign(SECRET, &issue));
    for wrong in [
        String::new(),
        sign(SECRET, &issue),
        format!("sha256={}", sign("other", &issue)),
        format!("sha1={}", sign(SECRET, &issue)),
        good[..good.len() - 1].to_owned(),
    ] {
        let response = world.send("issues", "d-1", &wrong, issue.clone()).await;
        assert_eq!(response.status, StatusCode::FORBIDDEN, "{wrong}");
        assert_eq!(response.code(), "invalid_signature");
    }
    let altered = issue.replace("checkout", "checkin");
    let response = world.send("issues", "d-1", &good, altered).await;
    assert_eq!(response.status, StatusCode::FORBIDDEN);
    world.wait_until_idle().await;
    assert_eq!(world.forge.comments(ISSUE).len(), 0);

    let response = world.send("issues", "d-1", &good, issue.clone()).await;
    assert_eq!(response.json()["outcome"], "queued");
    world.wait_until_idle().await;
    // A repeated body is ignored even with a new delivery id, because the id is not signed; so is a repeated id.
    let response = world.send("issues", "d-2", &good, issue.clone()).await;
    assert_eq!(response.json()["outcome"], "repeated");
    let mut other = fixture("github/issues");
    other["action"] = json!("edited");
    world.send_event("issues", "d-1", &other, "repeated").await;
    world
        .send_event("ping", "d-3", &fixture("github/ping"), "ignored")
        .await;
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_webhooks_are_problems() {
    let world = World::start_with(|config| {
        config.forge.gitea.webhook_secret = String::new();
        config.forge.gitlab.webhook_secret = "file:/no/such/file".to_owned();
        config.forge.body_limit_bytes = 2048;
    })
    .await;
    let post = |forge: &str| {
        let url = format!("{}/webhooks/{forge}", world.app.url);
        world.app.client().post(url).body("{}")
    };
    for (forge, status, code) in [
        ("sourcehut", 404, "not_found"),
        ("gitea", 404, "webhook_not_set_up"),
        ("gitlab", 503, "webhook_not_set_up"),
        ("github", 403, "invalid_signature"),
    ] {
        let response = world.app.send(post(forge)).await;
        assert_eq!(
            (response.status.as_u16(), &*response.code()),
            (status, code)
        );
        assert!(!response.text.contains("/no/such"), "{}", response.text);
    }
    for body in ["{}", "payload=%7B%7D", "[", "\"\""] {
        let signature = format!("sha256={}", sign(SECRET, body));
        let response = world
            .send("issues", "d-1", &signature, body.to_owned())
            .await;
        assert_eq!(response.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(response.code(), "invalid_event");
    }
    let large = json!({"zen": "x".repeat(4096)}).to_string();
    let signature = format!("sha256={}", sign(SECRET, &large));
    let response = world.send("ping", "d-1", &signature, large).await;
    assert_eq!(response.code(), "body_too_large");
    assert!(response.text.contains("2048 bytes"), "{}", response.text);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_are_fetched_at_once() {
    let world = World::start().await;
    let mut push = fixture("github/push");
    let mut told = 0;
    let mut send_push = async |push: &Value| {
        told += 1;
        let mut push = push.clone();
        push["number"] = json!(told);
        world
            .send_event("push", &format!("p-{told}"), &push, "synced")
            .await;
    };
    save(
        &world.root.join("shop/refund.py"),
        "def refund_all(cart):\n    pass\n",
    );
    commit(&world.root, "refunds");
    world.forge.push(SHOP_PROJECT, &world.root, "main");
    send_push(&push).await;
    let path = ["shop/refund.py"];
    world
        .app
        .places_become(SHOP_PROJECT, "refund_all", &path)
        .await;

    // The branch is force-pushed.
    git(&world.root, &["reset", "-q", "--hard", "HEAD~1"]);
    save(
        &world.root.join("shop/gift.py"),
        "def wrap_gift(cart):\n    pass\n",
    );
    commit(&world.root, "gifts");
    world.forge.push(SHOP_PROJECT, &world.root, "+main");
    push["forced"] = json!(true);
    send_push(&push).await;
    world
        .app
        .places_become(SHOP_PROJECT, "wrap_gift", &["shop/gift.py"])
        .await;
    world
        .app
        .places_become(SHOP_PROJECT, "refund_all", &[])
        .await;

    // Another branch is pushed and deleted.
    git(&world.root, &["branch", "-f", "side"]);
    world.forge.push(SHOP_PROJECT, &world.root, "side");
    push["ref"] = json!("refs/heads/side");
    send_push(&push).await;
    let ask = json!({"repo": SHOP_PROJECT, "query": "`wrap_gift`", "ref": "side"});
    until("the branch", async || {
        let answer = world.app.post("/context", ask.clone()).await;
        (answer.status == StatusCode::OK).then_some(())
    })
    .await;
    world.forge.push(SHOP_PROJECT, &world.root, ":side");
    push["deleted"] = json!(true);
    push["after"] = json!("0".repeat(40));
    send_push(&push).await;
    until("the end of the branch", async || {
        let answer = world.app.post("/context", ask.clone()).await;
        (answer.code() == "unknown_ref").then_some(())
    })
    .await;
    world
        .app
        .places_become(SHOP_PROJECT, "wrap_gift", &["shop/gift.py"])
        .await;
    world.app.end().await;
}

/// Pushes a change as the head of pull request 13, without a branch in the project, as from a fork. Returns base and
/// head.
pub fn fork(world: &World) -> (String, String) {
    let base = git(&world.root, &["rev-parse", "HEAD"]);
    git(&world.root, &["checkout", "-q", "-b", "discounts"]);
    let text = std::fs::read_to_string(world.root.join("shop/price.py")).unwrap();
    let text = text.replace("item.price for", "item.price - item.discount for");
    save(&world.root.join("shop/price.py"), &text);
    let head = commit(&world.root, "count discounts");
    git(&world.root, &["checkout", "-q", "main"]);
    world
        .forge
        .push(SHOP_PROJECT, &world.root, "discounts:refs/pull/13/head");
    (base, head)
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_request_comment_shows_touched_code() {
    let world = World::start().await;
    let (base, head) = fork(&world);
    let mut payload = fixture("github/pull_request");
    payload["pull_request"]["base"]["sha"] = json!(base);
    payload["pull_request"]["head"]["sha"] = json!(head);
    world
        .send_event("pull_request", "d-1", &payload, "queued")
        .await;
    let comments = world.comments_when_idle("corner/shop/13").await;
    assert_eq!(comments.len(), 1);
    let body = &comments[0];
    assert!(body.contains("item.price - item.discount"), "{body}");
    assert!(body.contains("Cart.checkout"), "the caller: {body}");
    assert!(body.contains("test_checkout"), "the test: {body}");
    assert!(
        body.contains(&format!("/blob/{head}/shop/price.py")),
        "{body}"
    );

    // For a command in a comment, the forge is asked for the base and head of the pull request.
    world
        .forge
        .set_pull_request_commits("corner/shop/13", &base, &head);
    let mut command = fixture("github/issue_comment");
    command["issue"]["number"] = json!(13);
    command["issue"]["pull_request"] = json!({});
    world
        .send_event("issue_comment", "d-2", &command, "queued")
        .await;
    assert_eq!(world.comments_when_idle("corner/shop/13").await.len(), 1);
    assert_eq!(world.forge.count("GET", "/pulls/13"), 1);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_permitted_accounts_may_command() {
    let world = World::start_with(|config| config.forge.answer_issues = false).await;
    world
        .send_event("issues", "d-0", &fixture("github/issues"), "ignored")
        .await;
    let mut command = fixture("github/issue_comment");
    let mut commands = 0;
    let mut comments_after = async |association: &str| {
        commands += 1;
        command["comment"]["id"] = json!(commands);
        command["comment"]["author_association"] = json!(association);
        let delivery = format!("c-{commands}");
        world
            .send_event("issue_comment", &delivery, &command, "queued")
            .await;
        world.comments_when_idle(ISSUE).await.len()
    };
    // A stranger, and somebody who may only read.
    assert_eq!(comments_after("NONE").await, 0);
    world
        .forge
        .set_membership("keeper", json!({"permission": "read"}));
    assert_eq!(comments_after("CONTRIBUTOR").await, 0);
    assert_eq!(world.forge.count("GET", "/collaborators/keeper/"), 2);
    // The forge is not asked about what the event shows.
    assert_eq!(comments_after("MEMBER").await, 1);
    assert_eq!(world.forge.count("GET", "/collaborators/keeper/"), 2);
    assert_eq!(world.dead_jobs().await, 0.0);

    let mut labeled = fixture("github/issues");
    labeled["issue"]["number"] = json!(14);
    labeled["action"] = json!("labeled");
    labeled["label"] = json!({"name": "foveate"});
    world.send_event("issues", "d-3", &labeled, "queued").await;
    assert_eq!(world.comments_when_idle("corner/shop/14").await.len(), 1);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn member_of_an_organisation_who_hides_it_may_command() {
    let world = World::start().await;
    let mut command = fixture("github/issue_comment");
    command["comment"]["author_association"] = json!("CONTRIBUTOR");
    for (number, permission) in [(12, "write"), (14, "admin")] {
        command["issue"]["number"] = json!(number);
        world
            .forge
            .set_membership("keeper", json!({"permission": permission}));
        let delivery = format!("d-{number}");
        world
            .send_event("issue_comment", &delivery, &command, "queued")
            .await;
        let thread = format!("corner/shop/{number}");
        assert_eq!(world.comments_when_idle(&thread).await.len(), 1);
    }
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn uncertain_answer_is_not_posted() {
    let world = World::start_with(|config| config.forge.min_confidence = 1.0).await;
    world
        .send_event("issues", "d-1", &fixture("github/issues"), "queued")
        .await;
    assert_eq!(world.comments_when_idle(ISSUE).await.len(), 0);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn own_comment_is_found_among_many() {
    let world = World::start().await;
    let copied = "<!-- foveate:context -->\nnot ours";
    let stranger = world.forge.add_comment(ISSUE, "visitor", copied);
    for number in 0..70 {
        world
            .forge
            .add_comment(ISSUE, "visitor", &format!("me too {number}"));
    }
    let ours = world
        .forge
        .add_comment(ISSUE, ACCOUNT, "<!-- foveate:context -->\nold");
    world
        .send_event("issues", "d-1", &fixture("github/issues"), "queued")
        .await;
    assert_eq!(world.comments_when_idle(ISSUE).await.len(), 1);
    let comments = world.forge.comments(ISSUE);
    let body = |id: u64| &comments.iter().find(|c| c.id == id).unwrap().body;
    assert_eq!(body(stranger), copied, "what others wrote stays");
    assert!(body(ours).contains("total_price"));
    assert_eq!(
        world.forge.count("GET", "&page=3"),
        1,
        "three pages were read"
    );
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_or_failing_forge_is_retried() {
    let world = World::start_with(|config| config.forge.timeout_seconds = 1).await;
    world.forge.queue_moods(&[
        Mood::UsedUp(1),
        Mood::Status(502),
        Mood::RetryAfter(1),
        Mood::Silent,
        Mood::Status(401),
    ]);
    world
        .send_event("issues", "d-1", &fixture("github/issues"), "queued")
        .await;
    assert_eq!(world.comments_when_idle(ISSUE).await.len(), 1);
    assert_eq!(world.forge.moods_left(), 0);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn full_queue_refuses_webhooks() {
    let world = World::start_with(|config| {
        config.forge.max_jobs = 1;
        config.forge.workers = 1;
        config.forge.timeout_seconds = 600;
    })
    .await;
    world.forge.queue_moods(&[Mood::Silent]);
    let mut issue = fixture("github/issues");
    world.send_event("issues", "d-1", &issue, "queued").await;
    issue["issue"]["number"] = json!(14);
    let response = world.github("issues", "d-2", &issue).await;
    assert_eq!(response.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.code(), "overloaded");
    assert!(!response.header("retry-after").is_empty());
    world.app.stop.cancel();
}
