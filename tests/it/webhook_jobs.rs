//! Tests the job queue behind webhooks: crashes, jobs that are given up, the operator's commands; and hostile text
//! that tries to become markup.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use foveate::config::Config;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, git, tree, until};
use crate::database;
use crate::stub_forge::{Mood, StubForge, TOKEN};
use crate::webhooks::{SECRET, SHOP_PROJECT, World, fixture, settings, sign};

const ISSUE: &str = "corner/shop/12";

fn jobs_command(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    database::configure_command(&mut command, data);
    let command = command.arg("jobs").args(arguments);
    command.arg("--data-dir").arg(data).output().unwrap()
}

pub fn list_jobs(data: &Path) -> Vec<Value> {
    let output = jobs_command(data, &["list", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    list["jobs"].as_array().unwrap().clone()
}

/// Waits until the forge has received a request for comments that it leaves unanswered.
async fn wait_until_request_hangs(forge: &StubForge) {
    until("a request that hangs", async || {
        (forge.count("GET", "/comments") > 0 && forge.moods_left() == 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_job_is_resumed_at_the_next_start() {
    let forge = StubForge::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    forge.host(SHOP_PROJECT, &root);
    let (data, secrets) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let change = |config: &mut Config| {
        settings(config, &forge, secrets.path());
        config.server.shutdown_grace_ms = 1;
        config.forge.timeout_seconds = 600;
    };
    let app = TestApp::start_on_with(data.path(), change).await;
    let source = json!({"git": format!("{}/{SHOP_PROJECT}.git", forge.url)});
    app.post("/repos", json!({"name": SHOP_PROJECT, "source": source}))
        .await;
    app.ready(SHOP_PROJECT).await;
    let body = fixture("github/issues").to_string();
    forge.queue_moods(&[Mood::Silent]);
    let request = app.client().post(format!("{}/webhooks/github", app.url));
    let request = request
        .header("x-github-event", "issues")
        .header(
            "x-hub-signature-256",
            format!("sha256={}", sign(SECRET, &body)),
        )
        .body(body);
    assert_eq!(app.send(request).await.status, StatusCode::ACCEPTED);
    wait_until_request_hangs(&forge).await;
    app.end().await;
    let left = list_jobs(data.path());
    assert_eq!(left.len(), 1);
    assert_eq!(
        (&left[0]["state"], &left[0]["attempts"]),
        (&json!("pending"), &json!(0))
    );
    assert_eq!(forge.comments(ISSUE).len(), 0);
    let id = left[0]["id"].to_string();
    let refused = jobs_command(data.path(), &["retry", &id]);
    assert_eq!(refused.status.code(), Some(3));
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains(&format!("job {id} is pending")), "{told}");

    let app = TestApp::start_on_with(data.path(), change).await;
    until("the comment", async || {
        (forge.comments(ISSUE).len() == 1 && list_jobs(data.path()).is_empty()).then_some(())
    })
    .await;
    app.end().await;

    // A job interrupted after it wrote its comment would find that comment.
    assert_eq!(forge.comments(ISSUE).len(), 1);
}

/// Starts a server in a process of its own, with these settings. Returns it with its URL.
fn start_process(data: &Path, settings: &Path) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_foveate"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data)
        .arg("--config")
        .arg(settings)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let url = line.split_whitespace().last().expect("an address");
    (child, url.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn job_that_keeps_killing_the_server_is_given_up() {
    const ATTEMPTS: usize = 3;
    if std::env::var_os("FOVEATE_TEST_DATABASE").is_some() {
        // On a shared database each attempt waits until a lease expires.
        return;
    }
    foveate::telemetry::install_tls();
    let forge = StubForge::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    forge.host(SHOP_PROJECT, &root);
    let data = tempfile::tempdir().unwrap();
    let beside = tempfile::tempdir().unwrap();
    let [secret, token, config] =
        ["secret", "token", "settings.toml"].map(|name| beside.path().join(name));
    std::fs::write(&secret, SECRET).unwrap();
    std::fs::write(&token, TOKEN).unwrap();
    let settings = format!(
        "[git]\nschemes = [\"http\"]\n[forge]\nmax_attempts = {ATTEMPTS}\nretry_seconds = 1\ntimeout_seconds = 600\n\
         min_confidence = 0\n[forge.github]\nurl = \"{}\"\nwebhook_secret = \"file:{}\"\ntoken = \"file:{}\"\n",
        forge.url,
        secret.display(),
        token.display()
    );
    std::fs::write(&config, settings).unwrap();
    let (mut child, url) = start_process(data.path(), &config);
    let client = reqwest::Client::new();
    let source = json!({"git": format!("{}/{SHOP_PROJECT}.git", forge.url)});
    let body = json!({"name": SHOP_PROJECT, "source": source});
    client
        .post(format!("{url}/repos"))
        .json(&body)
        .send()
        .await
        .unwrap();
    until("an index", async || {
        let repo = client
            .get(format!("{url}/repos/corner%2Fshop"))
            .send()
            .await
            .unwrap();
        let repo: Value = repo.json().await.unwrap();
        (repo["state"] == "ready").then_some(())
    })
    .await;
    // The job never ends, and the process is killed while it runs.
    forge.queue_moods(&[Mood::Silent]);
    let body = fixture("github/issues").to_string();
    let request = client.post(format!("{url}/webhooks/github"));
    let request = request
        .header("x-github-event", "issues")
        .header(
            "x-hub-signature-256",
            format!("sha256={}", sign(SECRET, &body)),
        )
        .body(body);
    assert_eq!(request.send().await.unwrap().status(), StatusCode::ACCEPTED);
    for attempt in 1..=ATTEMPTS {
        until("a request that hangs", async || {
            (forge.moods_left() == 0).then_some(())
        })
        .await;
        let job = list_jobs(data.path()).remove(0);
        let seen = (&job["state"], &job["attempts"]);
        assert_eq!(seen, (&json!("running"), &json!(attempt)));
        child.kill().unwrap();
        child.wait().unwrap();
        forge.queue_moods(&[Mood::Silent]);
        child = start_process(data.path(), &config).0;
    }
    let job = until("a job that was given up", async || {
        let job = list_jobs(data.path()).remove(0);
        (job["state"] == "dead").then_some(job)
    })
    .await;
    let error = job["error"].as_str().unwrap();
    assert!(error.contains("the server stopped"), "{error}");
    assert_eq!(forge.moods_left(), 1, "it was not tried again");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn newer_jobs_replace_older_ones_of_a_thread() {
    let world = World::start_with(|config| config.forge.timeout_seconds = 600).await;
    let mut issue = fixture("github/issues");
    issue["issue"]["number"] = json!(1);
    // The first request is rate limited, which delays all jobs of this thread.
    world.forge.queue_moods(&[Mood::RetryAfter(1)]);
    for number in 1..=5 {
        issue["issue"]["title"] = json!(format!("checkout forgets discount {number}"));
        world
            .send_event("issues", &format!("d-{number}"), &issue, "queued")
            .await;
    }
    assert_eq!(world.comments_when_idle("corner/shop/1").await.len(), 1);
    assert_eq!(world.forge.count("POST", "/comments"), 1);
    world.app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_jobs_die_and_can_be_retried() {
    let world = World::start_with(|config| config.forge.max_attempts = 2).await;
    let data = world.app.data();
    // One job is refused, the other fails too often.
    world.forge.queue_moods(&[Mood::Status(422)]);
    let mut issue = fixture("github/issues");
    world.send_event("issues", "d-1", &issue, "queued").await;
    world.wait_until_idle().await;
    assert_eq!(world.dead_jobs().await, 1.0);
    world
        .forge
        .queue_moods(&[Mood::Status(500), Mood::Status(500)]);
    issue["issue"]["number"] = json!(14);
    world.send_event("issues", "d-2", &issue, "queued").await;
    world.wait_until_idle().await;
    let dead = list_jobs(data);
    assert_eq!(dead.len(), 2);
    assert_eq!(dead[0]["subject"], "github corner/shop issue 12");
    assert!(
        dead[0]["error"]
            .as_str()
            .unwrap()
            .contains("status 422: as you wish")
    );
    assert_eq!(
        (&dead[1]["state"], &dead[1]["attempts"]),
        (&json!("dead"), &json!(2))
    );
    let text = String::from_utf8(jobs_command(data, &["list"]).stdout).unwrap();
    assert!(
        text.contains("dead") && text.contains("status 500"),
        "{text}"
    );
    assert!(
        !text.contains("discounts"),
        "the issue's text is not shown: {text}"
    );

    let unknown = jobs_command(data, &["retry", "999"]);
    assert_eq!(unknown.status.code(), Some(3));
    let told = String::from_utf8(unknown.stderr).unwrap();
    assert!(told.contains("there is no job 999"), "{told}");
    let unnamed = jobs_command(data, &["retry"]);
    assert_eq!(unnamed.status.code(), Some(2));
    let told = String::from_utf8(unnamed.stderr).unwrap();
    assert!(told.contains("<ID|--all>"), "{told}");
    let retry = |which: &str| {
        let output = jobs_command(data, &["retry", which]);
        assert!(output.status.success(), "{output:?}");
    };
    retry(&dead[1]["id"].to_string());
    until("the second comment", async || {
        (world.forge.comments("corner/shop/14").len() == 1).then_some(())
    })
    .await;
    retry("--all");
    until("the first comment", async || {
        (world.forge.comments(ISSUE).len() == 1).then_some(())
    })
    .await;
    world.wait_until_idle().await;
    assert_eq!(world.dead_jobs().await, 0.0);
    let text = String::from_utf8(jobs_command(data, &["list"]).stdout).unwrap();
    assert!(text.starts_with("no jobs are pending"), "{text}");
    let done = "outcome=\"done\"";
    assert!(world.app.metric("foveate_jobs_total", done).await >= 2.0);
    world.app.end().await;

    let nowhere = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    let command = command.args(["jobs", "list", "--data-dir"]);
    let output = command.arg(nowhere.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--data-dir"));
}

#[tokio::test(flavor = "multi_thread")]
async fn running_job_finishes_before_shutdown() {
    let world = World::start_with(|config| config.forge.timeout_seconds = 600).await;
    world
        .forge
        .queue_moods(&[Mood::Slow(Duration::from_millis(300))]);
    world
        .send_event("issues", "d-1", &fixture("github/issues"), "queued")
        .await;
    until("a request", async || {
        (world.forge.count("GET", "/comments") > 0).then_some(())
    })
    .await;
    let World { app, forge, .. } = world;
    app.end().await;
    assert_eq!(forge.comments(ISSUE).len(), 1);
}

/// A text that tries to escape from any markup around it.
const HOSTILE: &str = "</details></sub></pre>\n\n```\n````\n~~~\n\n# Shouting\n\n@everyone @corner/all <img src=x onerror=alert(1)> \
     [click](javascript:alert(1)) ![x](http://evil.example/p.png) #1 <!-- foveate:context --> `/foveate` --> \u{202e}";

#[tokio::test(flavor = "multi_thread")]
async fn hostile_issue_and_fork_text_does_not_become_markup() {
    let world = World::start_with(|config| config.forge.answer_issues = true).await;
    let mut issue = fixture("github/issues");
    issue["issue"]["title"] = json!(HOSTILE);
    issue["issue"]["body"] = json!(format!(
        "{HOSTILE}\n`Cart.checkout` and `total_price` {HOSTILE}"
    ));
    issue["issue"]["user"]["login"] = json!("@everyone");
    world.send_event("issues", "d-1", &issue, "queued").await;
    let comments = world.comments_when_idle(ISSUE).await;
    assert_eq!(comments.len(), 1);
    check_markup(&comments[0]);

    // The author of a pull request chooses file names and code.
    let base = git(&world.root, &["rev-parse", "HEAD"]);
    git(&world.root, &["checkout", "-q", "-b", "evil"]);
    let name = "shop/](javascript:alert(1)) `@everyone` <b>.py";
    let code =
        format!("def total_price(items):\n    \"\"\"{HOSTILE}\"\"\"\n    return '</details>'\n");
    std::fs::write(world.root.join(name), code).unwrap();
    let head = commit(&world.root, HOSTILE);
    world
        .forge
        .push(SHOP_PROJECT, &world.root, "evil:refs/pull/13/head");
    let mut payload = fixture("github/pull_request");
    payload["pull_request"]["base"]["sha"] = json!(base);
    payload["pull_request"]["head"]["sha"] = json!(head);
    world
        .send_event("pull_request", "d-2", &payload, "queued")
        .await;
    let comments = world.comments_when_idle("corner/shop/13").await;
    assert_eq!(comments.len(), 1);
    assert!(
        comments[0].contains("everyone"),
        "the file is shown: {}",
        comments[0]
    );
    check_markup(&comments[0]);
    world.app.end().await;
}

/// Parses a comment as Markdown and asserts that outside of code it has no foreign HTML, image, link or mention.
fn check_markup(comment: &str) {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    assert!(comment.chars().count() <= 65_536);
    let (mut html, mut text) = (String::new(), String::new());
    let mut is_code = false;
    for event in Parser::new_ext(comment, Options::all()) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(words) if !is_code => text.push_str(&words),
            Event::Html(words) | Event::InlineHtml(words) => html.push_str(&words),
            Event::Start(Tag::Link { dest_url, .. }) => {
                assert!(dest_url.starts_with("http://127.0.0.1:"), "{dest_url}");
            }
            Event::Start(Tag::Image { dest_url, .. }) => panic!("an image: {dest_url}"),
            _ => {}
        }
    }
    let known = [
        "<!-- foveate:context -->", "<details>", "</details>", "<summary>", "</summary>", "<sub>",
        "</sub>",
    ];
    let mut rest = html.clone();
    for tag in known {
        rest = rest.replace(tag, "");
    }
    let rest: Vec<&str> = rest.lines().filter(|line| line.contains('<')).collect();
    // The head of the context is an HTML comment, too.
    assert!(
        rest.iter()
            .all(|line| line.trim_start().starts_with("<!-- intent: ")),
        "{rest:?}"
    );
    assert_eq!(
        html.matches("<details>").count(),
        html.matches("</details>").count()
    );
    assert!(!text.contains('@'), "a mention: {text}");
    assert!(!html.contains('@') && !html.contains("onerror"), "{html}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_request_does_not_block_other_threads() {
    let world = World::start_with(|config| config.forge.timeout_seconds = 600).await;
    world
        .send_event("issues", "d-0", &fixture("github/issues"), "queued")
        .await;
    world.wait_until_idle().await;
    world.forge.queue_moods(&[Mood::Silent]);
    let mut issue = fixture("github/issues");
    issue["action"] = json!("edited");
    world.send_event("issues", "d-1", &issue, "queued").await;
    wait_until_request_hangs(&world.forge).await;
    issue["issue"]["number"] = json!(14);
    world.send_event("issues", "d-2", &issue, "queued").await;
    until("the other comment", async || {
        (world.forge.comments("corner/shop/14").len() == 1).then_some(())
    })
    .await;
    world.app.stop.cancel();
}
