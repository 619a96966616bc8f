//! With whose token a forge is asked: as a GitHub App, each installation sees its own repositories alone,
//! and so does git.

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
async fn an_app_fetches_and_writes_with_the_token_of_each_installation() {
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
        world.tell("issues", project, &issue, "queued").await;
        until("the comment", async || {
            (world.forge.comments(&format!("{project}/12")).len() == 1).then_some(())
        })
        .await;
        let comment = world.forge.comments(&format!("{project}/12")).remove(0);
        assert_eq!(comment.author, APP_ACCOUNT);
    }
    // One token for each repository, for git and for comments, and no other one's.
    world
        .tell(
            "issues",
            "again",
            &issue_of(SHOP_PROJECT, 4711, 13),
            "queued",
        )
        .await;
    world.idle().await;
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
async fn an_installation_cannot_reach_the_repository_of_another() {
    let world = World::start_with(as_app).await;
    world.forge.install(4711, &[SHOP_PROJECT]);
    world.forge.install(4712, &["market/stall"]);
    // It says that it is about the shop, and comes from an installation that does not see it.
    world
        .tell("issues", "d-1", &issue_of(SHOP_PROJECT, 4712, 12), "queued")
        .await;
    world.idle().await;
    assert_eq!(world.forge.comments("corner/shop/12").len(), 0);
    assert_eq!(world.dead().await, 1.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_owners_that_are_named_have_repositories_registered() {
    let world = World::start_empty(|config| {
        config.forge.register_owners = vec!["market".to_owned()];
    })
    .await;
    world
        .tell("issues", "d-1", &fixture("github/issues"), "ignored")
        .await;
    let repos = world.app.get("/repos").await.json();
    assert_eq!(repos["repos"], json!([]));
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_token_is_given_to_git_and_shown_nowhere() {
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
    let kept = walk(world.app.data());
    assert!(kept > 3, "the data directory was looked through");
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_not_carried_to_another_address() {
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
        world.forge.turn(&[mood]);
        let issue = issue_of(SHOP_PROJECT, 4711, number);
        world
            .tell("issues", &format!("d-{number}"), &issue, "queued")
            .await;
        world.idle().await;
        assert_eq!(world.dead().await, dead, "{number}");
    }
    assert_eq!(world.forge.comments("corner/shop/12").len(), 1);
    assert_eq!(other.seen().len(), 0, "nobody asked there");
    world.app.end().await;
}

/// How many files there are; none holds the token.
fn walk(directory: &std::path::Path) -> usize {
    let mut count = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count += walk(&path);
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
