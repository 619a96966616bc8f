//! One comment under each thread, whatever becomes of tokens, names, addresses, pages and answers.

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::until;
use crate::forge_access::{as_app, issue_of};
use crate::stub_forge::{ACCOUNT, APP_ACCOUNT, Mood};
use crate::webhook_jobs::listed;
use crate::webhooks::{SHOP_PROJECT, World, fixture};

const ISSUE: &str = "corner/shop/12";

/// The event of an issue with another text, so that its comment becomes another one.
fn edited(text: &str) -> Value {
    let mut issue = fixture("github/issues");
    issue["action"] = json!("edited");
    issue["issue"]["title"] = json!(text);
    issue["issue"]["body"] = json!(text);
    issue
}

fn authors(world: &World) -> Vec<String> {
    let comments = world.forge.comments(ISSUE).into_iter();
    comments.map(|comment| comment.author).collect()
}

#[tokio::test]
async fn a_comment_is_found_again_after_the_token_became_one_of_another_account() {
    let world = World::start().await;
    let first = fixture("github/issues");
    world.tell("issues", "d-1", &first, "queued").await;
    let earlier = world.written(ISSUE).await;
    world.forge.add_account("plain-token-2", "successor");
    world.replace_token("plain-token-2");
    // The earlier account's comment is not the new one's, which writes one and updates that.
    for (number, text) in ["`Cart.add_item` fails", "`Cart.checkout` fails"]
        .iter()
        .enumerate()
    {
        let delivery = format!("d-2-{number}");
        world
            .tell("issues", &delivery, &edited(text), "queued")
            .await;
        world.idle().await;
    }
    assert_eq!(authors(&world), [ACCOUNT, "successor"]);
    assert_eq!(world.forge.comments(ISSUE)[0].body, earlier[0]);
    assert_eq!(world.forge.count("PATCH", "/issues/comments/"), 1);
    assert_eq!(world.dead().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_is_found_again_after_the_app_was_renamed() {
    let world = World::start_with(as_app).await;
    world.forge.install(4711, &[SHOP_PROJECT]);
    for (number, text) in ["`Cart.add_item`", "`Cart.checkout`", "`total_price`"]
        .iter()
        .enumerate()
    {
        if number == 2 {
            assert_eq!(authors(&world), [APP_ACCOUNT]);
            world.forge.rename_app("renamed");
        }
        let mut issue = issue_of(SHOP_PROJECT, 4711, 12);
        issue["action"] = json!("edited");
        issue["issue"]["title"] = json!(text);
        world
            .tell("issues", &format!("d-{number}"), &issue, "queued")
            .await;
        world.idle().await;
    }
    assert_eq!(authors(&world), ["renamed[bot]"]);
    assert_eq!(world.forge.count("PATCH", "/issues/comments/"), 2);
    assert_eq!(world.dead().await, 0.0);
    world.app.end().await;
}

#[tokio::test]
async fn our_comment_is_found_on_a_page_whose_address_names_another_host() {
    let world = World::start().await;
    for number in 0..40 {
        let text = format!("me too {number}");
        world.forge.add_comment(ISSUE, "visitor", &text);
    }
    let ours = "<!-- foveate:context -->\nold";
    world.forge.add_comment(ISSUE, ACCOUNT, ours);
    world.forge.believe("http://forge.inside.invalid:8080");
    let issue = fixture("github/issues");
    world.tell("issues", "d-1", &issue, "queued").await;
    let written = world.written(ISSUE).await;
    assert_eq!(written.len(), 1);
    assert_ne!(written[0], ours);
    assert_eq!(world.forge.count("GET", "&page=2"), 1);
    assert_eq!(world.dead().await, 0.0);
    world.app.end().await;
}

#[tokio::test]
async fn nothing_is_posted_while_pages_of_comments_cannot_be_read() {
    let world = World::start_with(|config| config.forge.max_attempts = 2).await;
    let mut issue = fixture("github/issues");
    // Once the next page cannot be told from its address, then all is well.
    world.forge.turn(&[Mood::NextPage("/page-2".to_owned())]);
    world.tell("issues", "d-1", &issue, "queued").await;
    assert_eq!(world.written(ISSUE).await.len(), 1);
    assert_eq!(world.forge.count("GET", "/12/comments"), 2);

    // Pages without end.
    let pages = vec![Mood::NextPage("/?page=2".to_owned()); 200];
    world.forge.turn(&pages);
    issue["issue"]["number"] = json!(14);
    world.tell("issues", "d-2", &issue, "queued").await;
    assert_eq!(world.written("corner/shop/14").await.len(), 0);
    assert_eq!(world.forge.count("GET", "/14/comments"), 200);
    assert_eq!(world.dead().await, 1.0);
    world.app.end().await;
}

#[tokio::test]
async fn comments_are_written_and_updated_where_a_renamed_project_is_now() {
    let world = World::start().await;
    world.forge.rename(SHOP_PROJECT, 77);
    for number in 0..40 {
        let text = format!("me too {number}");
        world.forge.add_comment(ISSUE, "visitor", &text);
    }
    let issue = fixture("github/issues");
    world.tell("issues", "d-1", &issue, "queued").await;
    let first = world.written(ISSUE).await;
    assert_eq!(first.len(), 1);
    let other = edited("`Cart.add_item` fails");
    world.tell("issues", "d-2", &other, "queued").await;
    let second = world.written(ISSUE).await;
    assert_eq!(second.len(), 1);
    assert_ne!(first, second, "it was updated");
    for method in ["POST", "PATCH"] {
        assert_eq!(world.forge.count(method, "/repositories/77/issues/"), 1);
    }
    assert_eq!(world.dead().await, 0.0);
    world.app.end().await;
}

#[tokio::test]
async fn redirections_in_circles_end() {
    let world = World::start().await;
    let circle = Mood::Redirect("/api/v3/again".to_owned());
    world.forge.turn(&vec![circle; 20]);
    let issue = fixture("github/issues");
    world.tell("issues", "d-1", &issue, "queued").await;
    assert_eq!(world.written(ISSUE).await.len(), 0);
    assert_eq!(world.forge.moods_left(), 14, "five were followed");
    assert_eq!(world.dead().await, 1.0);
    world.app.end().await;
}

#[tokio::test]
async fn a_secondary_limit_is_waited_out() {
    let world = World::start_with(|config| config.forge.max_attempts = 1).await;
    // The comments are listed, and writing one is too much.
    world
        .forge
        .turn(&[Mood::Slow(Duration::ZERO), Mood::SecondaryLimit]);
    let issue = fixture("github/issues");
    world.tell("issues", "d-1", &issue, "queued").await;
    let job = until("a job that is put off", async || {
        let job = listed(world.app.data()).remove(0);
        job["error"].is_string().then_some(job)
    })
    .await;
    assert_eq!(
        (&job["state"], &job["attempts"]),
        (&json!("pending"), &json!(0))
    );
    let error = job["error"].as_str().unwrap();
    assert!(error.contains("too often"), "{error}");
    assert_eq!(world.forge.count("POST", "/comments"), 1);
    world.app.end().await;
}

#[tokio::test]
async fn a_page_in_the_place_of_an_answer_is_no_written_comment() {
    let world = World::start_with(|config| {
        config.forge.max_attempts = 1;
        config.forge.timeout_seconds = 1;
    })
    .await;
    let issue = fixture("github/issues");
    for (delivery, page, reason) in [
        ("d-1", "<html>Who are you?</html>", "no JSON"),
        (
            "d-2",
            "{\"login\": \"required\"}",
            "did not answer with the comment",
        ),
        ("d-3", "", "did not answer with the comment"),
    ] {
        // The comments are listed, and one is to be written.
        let moods = [Mood::Slow(Duration::ZERO), Mood::Page(page)];
        world.forge.turn(&moods);
        let mut issue = issue.clone();
        issue["issue"]["updated_at"] = json!(delivery);
        world.tell("issues", delivery, &issue, "queued").await;
        world.idle().await;
        let job = listed(world.app.data()).remove(0);
        assert_eq!(job["state"], "dead");
        let error = job["error"].as_str().unwrap();
        assert!(error.contains(reason), "{error}");
        assert_eq!(world.forge.comments(ISSUE).len(), 0);
    }
    world.app.end().await;
}

#[tokio::test]
async fn a_comment_that_is_written_after_its_request_timed_out_stays_the_only_one() {
    let world = World::start_with(|config| config.forge.timeout_seconds = 3).await;
    // The comments are listed. Writing one takes longer than its request may.
    let writing = Mood::Unstoppable(Duration::from_millis(4500));
    world.forge.turn(&[Mood::Slow(Duration::ZERO), writing]);
    let mut issue = fixture("github/issues");
    world.tell("issues", "d-1", &issue, "queued").await;
    until("a comment that is being written", async || {
        (world.forge.count("POST", "/comments") == 1).then_some(())
    })
    .await;
    // Newer work for the thread begins as soon as the attempt ends.
    issue["issue"]["updated_at"] = json!("later");
    world.tell("issues", "d-2", &issue, "queued").await;
    assert_eq!(world.written(ISSUE).await.len(), 1);
    assert_eq!(world.forge.count("POST", "/comments"), 1);
    assert_eq!(world.dead().await, 0.0);
    world.app.end().await;
}
