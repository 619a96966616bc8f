//! Tests that each thread keeps exactly one comment when tokens, names, addresses, pages or responses change or
//! fail.

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::until;
use crate::forge_access::{as_app, issue_of};
use crate::stub_forge::{ACCOUNT, APP_ACCOUNT, Mood};
use crate::webhook_jobs::list_jobs;
use crate::webhooks::{SHOP_PROJECT, World, fixture};

const ISSUE: &str = "corner/shop/12";

/// The event of an edited issue, whose new text changes the comment.
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

#[tokio::test(flavor = "multi_thread")]
async fn token_of_another_account_gets_one_new_comment() {
    let world = World::start().await;
    let first = fixture("github/issues");
    world.send_event("issues", "d-1", &first, "queued").await;
    let earlier = world.comments_when_idle(ISSUE).await;
    world.forge.add_account("plain-token-2", "successor");
    world.replace_token("plain-token-2");
    // The new account does not own the earlier comment: it writes one of its own and updates that.
    for (number, text) in ["`Cart.add_item` fails", "`Cart.checkout` fails"]
        .iter()
        .enumerate()
    {
        let delivery = format!("d-2-{number}");
        world
            .send_event("issues", &delivery, &edited(text), "queued")
            .await;
        world.wait_until_idle().await;
    }
    assert_eq!(authors(&world), [ACCOUNT, "successor"]);
    assert_eq!(world.forge.comments(ISSUE)[0].body, earlier[0]);
    assert_eq!(world.forge.count("PATCH", "/issues/comments/"), 1);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comment_is_found_after_the_app_is_renamed() {
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
            .send_event("issues", &format!("d-{number}"), &issue, "queued")
            .await;
        world.wait_until_idle().await;
    }
    assert_eq!(authors(&world), ["renamed[bot]"]);
    assert_eq!(world.forge.count("PATCH", "/issues/comments/"), 2);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_link_with_another_host_name_is_followed() {
    let world = World::start().await;
    for number in 0..40 {
        let text = format!("me too {number}");
        world.forge.add_comment(ISSUE, "visitor", &text);
    }
    let ours = "<!-- foveate:context -->\nold";
    world.forge.add_comment(ISSUE, ACCOUNT, ours);
    world
        .forge
        .advertise_url("http://forge.inside.invalid:8080");
    let issue = fixture("github/issues");
    world.send_event("issues", "d-1", &issue, "queued").await;
    let written = world.comments_when_idle(ISSUE).await;
    assert_eq!(written.len(), 1);
    assert_ne!(written[0], ours);
    assert_eq!(world.forge.count("GET", "&page=2"), 1);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_posted_if_comment_pages_cannot_be_read() {
    let world = World::start_with(|config| config.forge.max_attempts = 2).await;
    let mut issue = fixture("github/issues");
    // The link of the next page is unusable once; the retry succeeds.
    world
        .forge
        .queue_moods(&[Mood::NextPage("/page-2".to_owned())]);
    world.send_event("issues", "d-1", &issue, "queued").await;
    assert_eq!(world.comments_when_idle(ISSUE).await.len(), 1);
    assert_eq!(world.forge.count("GET", "/12/comments"), 2);

    // Endless pages.
    let pages = vec![Mood::NextPage("/?page=2".to_owned()); 200];
    world.forge.queue_moods(&pages);
    issue["issue"]["number"] = json!(14);
    world.send_event("issues", "d-2", &issue, "queued").await;
    assert_eq!(world.comments_when_idle("corner/shop/14").await.len(), 0);
    assert_eq!(world.forge.count("GET", "/14/comments"), 200);
    assert_eq!(world.dead_jobs().await, 1.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_follow_a_renamed_project() {
    let world = World::start().await;
    world.forge.rename(SHOP_PROJECT, 77);
    for number in 0..40 {
        let text = format!("me too {number}");
        world.forge.add_comment(ISSUE, "visitor", &text);
    }
    let issue = fixture("github/issues");
    world.send_event("issues", "d-1", &issue, "queued").await;
    let first = world.comments_when_idle(ISSUE).await;
    assert_eq!(first.len(), 1);
    let other = edited("`Cart.add_item` fails");
    world.send_event("issues", "d-2", &other, "queued").await;
    let second = world.comments_when_idle(ISSUE).await;
    assert_eq!(second.len(), 1);
    assert_ne!(first, second, "it was updated");
    for method in ["POST", "PATCH"] {
        assert_eq!(world.forge.count(method, "/repositories/77/issues/"), 1);
    }
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_loop_ends() {
    let world = World::start().await;
    let circle = Mood::Redirect("/api/v3/again".to_owned());
    world.forge.queue_moods(&vec![circle; 20]);
    let issue = fixture("github/issues");
    world.send_event("issues", "d-1", &issue, "queued").await;
    assert_eq!(world.comments_when_idle(ISSUE).await.len(), 0);
    assert_eq!(world.forge.moods_left(), 14, "five were followed");
    assert_eq!(world.dead_jobs().await, 1.0);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secondary_limit_postpones_the_job() {
    let world = World::start_with(|config| config.forge.max_attempts = 1).await;
    // Listing the comments succeeds; posting one hits the limit.
    world
        .forge
        .queue_moods(&[Mood::Slow(Duration::ZERO), Mood::SecondaryLimit]);
    let issue = fixture("github/issues");
    world.send_event("issues", "d-1", &issue, "queued").await;
    let job = until("a job that is put off", async || {
        let job = list_jobs(world.app.data()).remove(0);
        job["error"].is_string().then_some(job)
    })
    .await;
    assert_eq!(
        (&job["state"], &job["attempts"]),
        (&json!("pending"), &json!(0))
    );
    let error = job["error"].as_str().unwrap();
    assert!(error.contains("rate limit"), "{error}");
    assert_eq!(world.forge.count("POST", "/comments"), 1);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unexpected_page_is_not_taken_for_a_written_comment() {
    let world = World::start_with(|config| {
        config.forge.max_attempts = 1;
        config.forge.timeout_seconds = 1;
    })
    .await;
    let issue = fixture("github/issues");
    for (delivery, page, reason) in [
        ("d-1", "<html>Who are you?</html>", "no JSON"),
        (
            "d-2", "{\"login\": \"required\"}", "did not return the comment",
        ),
        ("d-3", "", "did not return the comment"),
    ] {
        // Listing the comments succeeds; the response to the post is a page.
        let moods = [Mood::Slow(Duration::ZERO), Mood::Page(page)];
        world.forge.queue_moods(&moods);
        let mut issue = issue.clone();
        issue["issue"]["updated_at"] = json!(delivery);
        world.send_event("issues", delivery, &issue, "queued").await;
        world.wait_until_idle().await;
        let job = list_jobs(world.app.data()).remove(0);
        assert_eq!(job["state"], "dead");
        let error = job["error"].as_str().unwrap();
        assert!(error.contains(reason), "{error}");
        assert_eq!(world.forge.comments(ISSUE).len(), 0);
    }
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comment_written_after_a_timeout_is_not_duplicated() {
    let world = World::start_with(|config| config.forge.timeout_seconds = 3).await;
    // Listing the comments succeeds. Posting one takes longer than the request timeout.
    let writing = Mood::Unstoppable(Duration::from_millis(4500));
    world
        .forge
        .queue_moods(&[Mood::Slow(Duration::ZERO), writing]);
    let mut issue = fixture("github/issues");
    world.send_event("issues", "d-1", &issue, "queued").await;
    until("a comment that is being written", async || {
        (world.forge.count("POST", "/comments") == 1).then_some(())
    })
    .await;
    // The newer job for the thread begins as soon as the attempt ends.
    issue["issue"]["updated_at"] = json!("later");
    world.send_event("issues", "d-2", &issue, "queued").await;
    assert_eq!(world.comments_when_idle(ISSUE).await.len(), 1);
    assert_eq!(world.forge.count("POST", "/comments"), 1);
    assert_eq!(world.dead_jobs().await, 0.0);
    world.app.end().await;
}
