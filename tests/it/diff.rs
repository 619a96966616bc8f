//! Tests questions about the diff of a branch, and places left out because the caller has seen them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use foveate::engine::Diff;
use foveate::ingest::git::GitRepo;
use foveate_query::Hunk;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::app::{SHOP, TestApp, commit, git, tree};

/// Creates a repository whose branch `fix` changed, renamed, added and removed files since it left `main`, which
/// has a newer commit, too.
fn shop() -> (TempDir, PathBuf) {
    let (keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    git(&root, &["checkout", "-q", "-b", "fix"]);
    edit(&root, "shop/cart.py", "self.items = []", "self.items = {}");
    edit(&root, "shop/cart.py", "    def add_item(self, item):\n", "");
    git(&root, &["mv", "shop/price.py", "shop/prices.py"]);
    edit(&root, "shop/prices.py", "Sum of the", "The sum of the");
    std::fs::remove_file(root.join("README.md")).unwrap();
    std::fs::write(root.join("shop/a \"b\"\t\\ü\n.py"), "x = 1\ny = 2\n").unwrap();
    std::fs::write(root.join("logo.png"), b"\x89PNG\0\0\0").unwrap();
    commit(&root, "fix the shop");
    git(&root, &["checkout", "-q", "main"]);
    edit(&root, "tests/test_cart.py", "== 0", "== 0.0");
    commit(&root, "go on");
    (keep, root)
}

fn edit(root: &Path, path: &str, old: &str, new: &str) {
    let text = std::fs::read_to_string(root.join(path)).unwrap();
    assert!(text.contains(old), "{path}");
    std::fs::write(root.join(path), text.replacen(old, new, 1)).unwrap();
}

fn diff(repo: &GitRepo, base: &str, head: &str) -> Diff {
    let commits = [base, head].map(|end| repo.resolve(end).unwrap());
    let stop = CancellationToken::new();
    repo.diff(&commits[0], &commits[1], &stop).unwrap()
}

fn shown(diff: &Diff) -> Vec<String> {
    let lines = diff.changes.iter().map(|change| {
        let hunks = change.hunks.iter().map(|hunk| match hunk {
            Hunk::Lines(lines) => format!("{}-{}", lines.start, lines.end),
            Hunk::Deletion(deletion) => format!("after {}", deletion.after),
        });
        let hunks: Vec<String> = hunks.collect();
        format!("{} {}", change.path.as_str(), hunks.join(" "))
    });
    lines.collect()
}

const ODD_NAME: &str = "shop/a \"b\"\t\\ü\n.py 1-2";

#[test]
fn diff_is_taken_from_the_merge_base() {
    let (_keep, root) = shop();
    let repo = GitRepo::open(&root, &Arc::default()).unwrap();
    let changed = [ODD_NAME, "shop/cart.py 8-8 after 9", "shop/prices.py 2-2"];
    assert_eq!(shown(&diff(&repo, "main", "fix")), changed);
    assert_eq!(
        shown(&diff(&repo, "fix", "main")),
        ["tests/test_cart.py 5-5"]
    );
    assert!(diff(&repo, "main", "main").changes.is_empty());
    assert!(diff(&repo, "main", "main~1").changes.is_empty());

    // Without a merge base the two trees are compared directly.
    git(&root, &["checkout", "-q", "--orphan", "other"]);
    edit(&root, "shop/cart.py", "self.items = []", "self.items = ()");
    commit(&root, "start again");
    assert_eq!(shown(&diff(&repo, "main", "other")), ["shop/cart.py 8-8"]);

    let part = GitRepo::discover(&root.join("shop"), &Arc::default());
    let part = part.unwrap().unwrap();
    let below = [
        "a \"b\"\t\\ü\n.py 1-2", "cart.py 8-8 after 9", "prices.py 2-2",
    ];
    assert_eq!(shown(&diff(&part, "main~1", "fix")), below);
    assert!(diff(&part, "fix", "main").changes.is_empty());
}

#[test]
fn repository_config_and_attributes_do_not_affect_diffs() {
    let (_keep, root) = shop();
    let repo = GitRepo::open(&root, &Arc::default()).unwrap();
    let plain = shown(&diff(&repo, "main", "fix"));
    for (name, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.external", "touch executed"),
        ("diff.odd.command", "touch executed"),
        ("diff.odd.textconv", "touch executed"),
        ("diff.renames", "false"),
        ("diff.context", "5"),
        ("diff.interHunkContext", "9"),
        ("diff.orderFile", "/dev/null"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
    ] {
        git(&root, &["config", name, value]);
    }
    git(&root, &["checkout", "-q", "fix"]);
    std::fs::write(root.join(".gitattributes"), "*.py -diff\n* diff=odd\n").unwrap();
    commit(&root, "hide what is changed");
    let attributes = ".gitattributes 1-2".to_owned();
    let expected: Vec<String> = std::iter::once(attributes).chain(plain).collect();
    assert_eq!(shown(&diff(&repo, "main", "fix")), expected);
    assert!(!root.join("executed").exists());
}

fn codes(answer: &Value) -> Vec<&str> {
    let issues = answer["issues"].as_array().unwrap();
    let codes = issues.iter().map(|issue| issue["code"].as_str().unwrap());
    codes.filter(|code| code.contains("diff")).collect()
}

/// The items that the context shows for a reason, as `path:name`.
fn items(answer: &Value, reason: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let sections = answer["sections"].as_array().unwrap().iter();
    sections
        .flat_map(|section| section["items"].as_array().unwrap())
        .filter(|item| item["reason"] == reason)
        .map(|item| format!("{}:{}", text(&item["path"]), text(&item["name"])))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn diff_is_answered_at_its_head_commit() {
    let app = TestApp::start().await;
    let (_keep, root) = shop();
    let fix = git(&root, &["rev-parse", "fix"]);
    app.add_tree("tree", &root, true).await;
    app.add_git("bare", &root, None).await;
    for repo in ["tree", "bare"] {
        let ask = async |body: Value| {
            let response = app.post(&format!("/repos/{repo}/context"), body).await;
            assert_eq!(response.status, StatusCode::OK, "{}", response.text);
            response.json()
        };
        let ends = json!({"base": "main", "head": "fix"});
        for body in [
            json!({"diff": ends}),
            json!({"diff": ends, "query": ""}),
            json!({"diff": ends, "query": null, "ref": null}),
            json!({"diff": ends, "query": "`total_price` is wrong", "ref": "fix"}),
            json!({"diff": {"base": "main~1", "head": fix}}),
        ] {
            let answer = ask(body).await;
            assert_eq!(answer["commit"], fix.as_str());
            assert_eq!(answer["tree"]["dirty"], false);
            assert!(codes(&answer).is_empty(), "{}", answer["issues"]);
            let changed = items(&answer, "changed");
            for place in ["shop/prices.py:total_price", "shop/cart.py:Cart.__init__"] {
                assert!(changed.contains(&place.to_owned()), "{changed:?}");
            }
        }
        let empty = ask(json!({"diff": {"base": "main", "head": "main"}})).await;
        assert_eq!(codes(&empty), ["empty_diff"]);
        let behind = ask(json!({"diff": {"base": "fix", "head": "main~1"}, "query": "Cart"}));
        let behind = behind.await;
        assert_eq!(codes(&behind), ["empty_diff"]);
        assert!(!behind["files"].as_array().unwrap().is_empty());
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_large_diff_is_reported_as_an_issue() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    for n in 0..1003 {
        std::fs::write(root.join(format!("note{n}.txt")), "a\n").unwrap();
    }
    commit(&root, "many");
    app.add_git("shop", &root, None).await;
    let body = json!({"repo": "shop", "diff": {"base": "HEAD~1", "head": "HEAD"}});
    let answer = app.post("/context", body).await.json();
    assert_eq!(codes(&answer), ["large_diff"]);
    let issues = answer["issues"].to_string();
    assert!(issues.contains("3 files and 3 hunks"), "{issues}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_diffs_and_seen_places_name_their_field() {
    let app = TestApp::start().await;
    let (_keep, root) = shop();
    app.add_git("shop", &root, None).await;
    let (_plain_keep, plain) = tree(SHOP);
    app.add_tree("plain", &plain, false).await;
    let ends = |base: &str, head: &str| json!({"base": base, "head": head});
    for (body, code, field) in [
        (
            json!({"diff": ends("gone", "fix")}),
            "unknown_ref",
            "diff.base",
        ),
        (
            json!({"diff": ends("main", "gone")}),
            "unknown_ref",
            "diff.head",
        ),
        (
            json!({"diff": ends("main", &"f".repeat(40))}),
            "unknown_ref",
            "diff.head",
        ),
        (
            json!({"diff": ends("--output=x", "fix")}),
            "invalid_field",
            "diff.base",
        ),
        (
            json!({"diff": ends("main", "main..fix")}),
            "invalid_field",
            "diff.head",
        ),
        (
            json!({"diff": {"base": "main"}}),
            "invalid_field",
            "diff.head",
        ),
        (
            json!({"diff": {"base": "main", "head": "fix", "to": "x"}}),
            "unknown_field",
            "diff.to",
        ),
        (
            json!({"diff": ends("main", "fix"), "ref": "main", "query": "x"}),
            "invalid_field",
            "ref",
        ),
        (json!({"diff": null}), "empty_query", "query"),
        (json!({"query": null}), "empty_query", "query"),
        (json!({"diff": null, "query": " "}), "empty_query", "query"),
        (
            json!({"repo": "plain", "diff": ends("main", "fix")}),
            "invalid_field",
            "diff",
        ),
        (
            json!({"query": "x", "seen": {"paths": ["../x"]}}),
            "invalid_field",
            "seen.paths",
        ),
        (
            json!({"query": "x", "seen": {"places": vec!["a.py:f"; 1001]}}),
            "invalid_field",
            "seen.places",
        ),
        (
            json!({"query": "x", "seen": {"places": ["a.py"]}}),
            "invalid_field",
            "seen.places",
        ),
        (
            json!({"query": "x", "seen": {"places": [format!("a.py:{}", "f".repeat(2048))]}}),
            "invalid_field",
            "seen.places",
        ),
        (
            json!({"query": "x", "seen": {"symbols": []}}),
            "unknown_field",
            "seen.symbols",
        ),
    ] {
        let mut body = body;
        if body["repo"].is_null() {
            body["repo"] = "shop".into();
        }
        let response = app.post("/context", body.clone()).await;
        let problem = response.json();
        assert_eq!(
            (&problem["code"], &problem["field"]),
            (&json!(code), &json!(field)),
            "{} {problem}",
            body["diff"]
        );
    }
    let places = json!([
        "shop/cart.py:Cart.checkout", "shop/price.py:1-3", "gone.py:x"
    ]);
    let seen = json!({"paths": ["./shop/price.py", "gone.py"], "places": places});
    let body = json!({"repo": "shop", "query": "`Cart`", "seen": seen});
    let response = app.post("/context", body).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text);
    app.end().await;
}

/// Runs `foveate context`, and returns its exit code, its messages and its answer.
fn run_context(root: &Path, arguments: &[&str]) -> (Option<i32>, String, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.arg("context").arg(root).args(arguments);
    let output = command.env("FOVEATE_NO_CACHE", "1").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), stderr, answer)
}

#[test]
fn diff_that_only_removes_or_renames_says_so() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    std::fs::remove_file(root.join("README.md")).unwrap();
    commit(&root, "remove the page");
    git(&root, &["mv", "tests/test_cart.py", "tests/test_carts.py"]);
    commit(&root, "rename the tests");
    std::fs::remove_file(root.join("shop/price.py")).unwrap();
    commit(&root, "remove the prices");
    for (base, detail, expected) in [
        ("HEAD~3..HEAD~2", "deletes 1 file: README.md", 3),
        // The renamed file is the best one.
        (
            "HEAD~2..HEAD~1",
            "renames 1 file: tests/test_cart.py to tests/test_carts.py",
            0,
        ),
        ("HEAD~1..", "deletes 1 file: shop/price.py", 0),
    ] {
        let (code, stderr, answer) = run_context(&root, &["--diff", base, "--json"]);
        assert_eq!(codes(&answer), ["empty_diff"], "{stderr}");
        let issues = answer["issues"].to_string();
        assert!(issues.contains(detail), "{issues}");
        assert!(!issues.contains("budget_too_small"), "{issues}");
        assert_eq!(code, Some(expected), "{base} {answer}");
    }
    let (_, _, answer) = run_context(&root, &["--diff", "HEAD~1..", "--json"]);
    for (reason, place) in [
        ("still imports removed shop/price.py", "shop/cart.py:"),
        (
            "still uses removed total_price",
            "shop/cart.py:Cart.checkout",
        ),
    ] {
        assert_eq!(items(&answer, reason), [place], "{answer}");
    }
}

#[test]
fn command_line_takes_diff_and_seen_places() {
    let (_keep, root) = shop();
    let fix = git(&root, &["rev-parse", "fix"]);
    let run = |arguments: &[&str]| run_context(&root, arguments);
    let query = "`total_price` is wrong";
    for arguments in [
        &["--diff", "main..fix", "--json"][..],
        &["--diff", "main...fix", "--json", query],
        &["--diff", "main..fix", "--ref", "fix", "--json", query],
        &[
            "--diff", "main~1..fix", "--json", "--seen-path", "shop/cart.py",
        ],
        &[
            "--diff", "main..fix", "--json", "--seen-place", "shop/cart.py:Cart",
        ],
    ] {
        let (code, stderr, answer) = run(arguments);
        assert_eq!(code, Some(0), "{arguments:?} {stderr}");
        assert_eq!(answer["commit"], fix.as_str(), "{arguments:?} {stderr}");
        assert!(codes(&answer).is_empty(), "{}", answer["issues"]);
        let changed = items(&answer, "changed");
        let has = |path: &str| changed.iter().any(|item| item.starts_with(path));
        assert!(has("shop/prices.py"), "{arguments:?} {changed:?}");
        let is_seen = arguments.iter().any(|a| a.starts_with("--seen"));
        assert_eq!(
            has("shop/cart.py:Cart"),
            !is_seen,
            "{arguments:?} {changed:?}"
        );
    }
    let (code, _, answer) = run(&["--diff", "fix..fix", "--json", query]);
    assert_eq!((code, codes(&answer)), (Some(0), vec!["empty_diff"]));
    for (arguments, code, text) in [
        (&["--diff", "main"][..], 2, "BASE..HEAD"),
        (&["--diff", "main..-x"], 2, "begins with `-`"),
        (&["--diff", "main..fix", "--ref", "main"], 2, "--ref"),
        (&["--diff", "main..gone"], 1, "\"gone\""),
        (&["--diff", "gone..main"], 1, "\"gone\""),
        (&[], 2, "TEXT"),
        (&[query, "--seen-path", "../x"], 2, "--seen-path"),
        (&[query, "--seen-place", "cart.py"], 2, "path:start-end"),
    ] {
        let (got, stderr, _) = run(arguments);
        assert_eq!(got, Some(code), "{arguments:?} {stderr}");
        assert!(stderr.contains(text), "{arguments:?} {stderr}");
    }
}
