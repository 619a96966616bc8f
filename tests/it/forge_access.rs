//! Tests which token is used for a forge: as a GitHub App, requests and git use the token of the repository's
//! installation only; no token is sent to another address.

use std::collections::BTreeSet;

use foveate::config::Config;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{SHOP, commit, tree, until};
use crate::stub_forge::{APP_ACCOUNT, Mood, StubForge, TOKEN, app_key};
use crate::webhooks::{SHOP_PROJECT, World, fixture};

pub fn as_app(config: &mut Config) {
    config.forge.github.token = String::new();
    config.forge.github.app_id = 7;
    config.forge.github.private_key = format!("file:{}", app_key().display());
}

pub fn issue_of(project: &str, installation: u64, number: u64) -> Value {
    let mut issue = fixture("github/issues");
    issue["repository"]["full_name"] = json!(project);
    issue["installation"]["id"] = json!(installation);
    issue["issue"]["number"] = json!(number);
    issue
}

#[tokio::test(flavor = "multi_thread")]
async fn app_uses_the_token_of_each_installation() {
    let world = World::start_empty(|config| {
        as_app(config);
        config.forge.register_owners = vec!["corner".to_owned(), "Market".to_owned()];
    })
    .await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "open another shop");
    world.forge.host("market/stall", &root);
    world.forge.install(4711, &[SHOP_PROJECT]);
    world.forge.install(4712, &["market/stall"]);
    world.forge.make_private();

    // A webhook registers the repository, git fetches it with a token, and the issue is answered.
    for (project, installation) in [(SHOP_PROJECT, 4711), ("market/stall", 4712)] {
        let issue = issue_of(project, installation, 12);
        world.send_event("issues", project, &issue, "queued").await;
        until("the comment", async || {
            (world.forge.comments(&format!("{project}/12")).len() == 1).then_some(())
        })
        .await;
        let comment = world.forge.comments(&format!("{project}/12")).remove(0);
        assert_eq!(comment.author, APP_ACCOUNT);
    }
    // Each repository has one token, for git and for comments, and never the other's.
    world
        .send_event(
            "issues",
            "again",
            &issue_of(SHOP_PROJECT, 4711, 13),
            "queued",
        )
        .await;
    world.wait_until_idle().await;
    assert_eq!(world.forge.comments("corner/shop/13").len(), 1);
    let given = world.forge.count("POST", "/access_tokens");
    assert_eq!(given, 2, "tokens are used again");
    let seen = world.forge.seen();
    let tokens = |part: &str| -> BTreeSet<String> {
        let of_part = seen
            .iter()
            .filter(|s| s.path.contains(part) && !s.path.ends_with("/installation"));
        of_part
            .map(|s| s.token.clone())
            .filter(|t| !t.is_empty())
            .collect()
    };
    let (shop, stall) = (tokens(SHOP_PROJECT), tokens("market/stall"));
    assert_eq!((shop.len(), stall.len()), (1, 1), "{shop:?} {stall:?}");
    assert!(
        shop.iter()
            .all(|token| token.starts_with("installation-token-4711-"))
    );
    assert!(
        stall
            .iter()
            .all(|token| token.starts_with("installation-token-4712-"))
    );
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn installation_cannot_reach_repositories_of_another() {
    let world = World::start_with(as_app).await;
    world.forge.install(4711, &[SHOP_PROJECT]);
    world.forge.install(4712, &["market/stall"]);
    // The event is about the shop but comes from an installation without access to it.
    world
        .send_event("issues", "d-1", &issue_of(SHOP_PROJECT, 4712, 12), "queued")
        .await;
    world.wait_until_idle().await;
    assert_eq!(world.forge.comments("corner/shop/12").len(), 0);
    assert_eq!(world.dead_jobs().await, 1.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_configured_owners_are_registered() {
    let world = World::start_empty(|config| {
        config.forge.register_owners = vec!["market".to_owned()];
    })
    .await;
    world
        .send_event("issues", "d-1", &fixture("github/issues"), "ignored")
        .await;
    let repos = world.app.get("/repos").await.json();
    assert_eq!(repos["repos"], json!([]));
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_token_is_given_to_git_and_never_shown() {
    let world = World::start_empty(|_| {}).await;
    world.forge.make_private();
    world.register().await;
    let asked: Vec<_> = world
        .forge
        .seen()
        .into_iter()
        .filter(|s| s.path.starts_with("/corner/"))
        .collect();
    assert!(asked.iter().any(|seen| seen.token == TOKEN));
    let shown = world.app.get("/repos/corner%2Fshop").await;
    assert_eq!(shown.status, StatusCode::OK);
    assert!(!shown.text.contains(TOKEN));
    let kept = assert_no_token_in(world.app.data());
    assert!(kept > 3, "the data directory was looked through");
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn token_is_not_sent_to_another_address() {
    let world = World::start().await;
    let other = StubForge::start().await;
    let page = format!(
        "{}/api/v3/repos/corner/shop/issues/12/comments?page=2",
        other.url
    );
    for (number, mood, dead) in [
        (12, Mood::NextPage(page.clone()), 0.0),
        (13, Mood::Redirect(page), 1.0),
    ] {
        world.forge.queue_moods(&[mood]);
        let issue = issue_of(SHOP_PROJECT, 4711, number);
        world
            .send_event("issues", &format!("d-{number}"), &issue, "queued")
            .await;
        world.wait_until_idle().await;
        assert_eq!(world.dead_jobs().await, dead, "{number}");
    }
    assert_eq!(world.forge.comments("corner/shop/12").len(), 1);
    assert_eq!(other.seen().len(), 0, "nobody asked there");
    world.app.end().await;
}

/// Asserts that no file below a directory contains the token. Returns the number of files.
fn assert_no_token_in(directory: &std::path::Path) -> usize {
    let mut count = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count += assert_no_token_in(&path);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        let is_in = bytes
            .windows(TOKEN.len())
            .any(|window| window == TOKEN.as_bytes());
        assert!(!is_in, "{}", path.display());
        count += 1;
    }
    count
}
