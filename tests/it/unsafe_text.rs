//! Tests file names with characters that control a terminal, or hide or reorder text: escaped in output for people,
//! unchanged but reported in output for programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use foveate_model::escape::is_unsafe;
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};

use crate::app::{TestApp, commit, git, until};

const HOSTILE: &str = "shop/a\u{1b}[31m\u{202e}\nerror: fake\u{9b}.py";
const SHOWN: &str = "shop/a\\u{1b}[31m\\u{202e}\\nerror: fake\\u{9b}.py";

/// Creates a repository in a directory with a hostile name that has a file with a hostile name.
fn hostile_repository() -> (TempDir, PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let above = keep.path().canonicalize().unwrap();
    let root = above.join("r\u{1b}[2J\u{202e}\nINFO");
    fs::create_dir_all(root.join("shop")).unwrap();
    let code = "def close_gate(text):\n    level = 'user\u{202e}'\n    return text\n";
    fs::write(root.join(HOSTILE), code).unwrap();
    fs::write(root.join("shop/large.py"), "x = 1\n".repeat(300_000)).unwrap();
    git(&root, &["init", "--quiet"]);
    commit(&root, "gates");
    (keep, root)
}

fn foveate(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.args(arguments).env_remove("FOVEATE_SERVER");
    command.output().unwrap()
}

/// Decodes a text, and asserts that it contains nothing unsafe except line ends.
#[track_caller]
fn assert_safe(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let found = text.chars().find(|c| is_unsafe(*c) && *c != '\n');
    assert_eq!(found, None, "{text:?}");
    text
}

#[test]
fn command_line_escapes_unsafe_names() {
    let (_keep, root) = hostile_repository();
    let root = root.to_str().unwrap();
    let query = "`close_gate` is wrong";
    let output = foveate(&[
        "context", root, query, "--explain", "--focus-symbol", "Gone\u{1b}",
    ]);
    assert_eq!(output.status.code(), Some(0));
    let notes = assert_safe(&output.stderr);
    for told in [
        "unsafe_characters: code in the context",
        "unsafe_characters: paths or names",
        "unknown_focus: ",
        "symbols: Gone\\u{1b}",
        "(1 too_large): shop/large.py",
        &format!(" {SHOWN} [source] "),
        &format!(" {SHOWN}:1-3 close_gate "),
        &format!(" {SHOWN}:2 (U+202E)"),
    ] {
        assert!(notes.contains(told), "{told} is not in {notes}");
    }
    let context = String::from_utf8(output.stdout).unwrap();
    let shown = format!("path=\"{SHOWN}\"");
    assert!(context.contains(&shown), "{context}");
    assert!(context.contains("'user\u{202e}'"), "the code is as it is");

    let output = foveate(&["context", root, query, "--json"]);
    let answer: Value = serde_json::from_str(&assert_safe(&output.stdout)).unwrap();
    assert_eq!(answer["files"][0]["path"], HOSTILE);
}

#[test]
fn errors_with_unsafe_names_stay_one_message() {
    let (_keep, root) = hostile_repository();
    let root = root.to_str().unwrap();
    for arguments in [
        &["context", "/tmp/\u{1b}[31mno\nerror: fake", "x"][..],
        &["context", root, "x", "--ref", "\u{1b}[31mno"],
        &["context", root, "x", "--ranking", "/tmp/\u{202e}no"],
        &["eval", "/tmp/\u{1b}no", "--repos", "x"],
        &["repo", "add", "/tmp/\u{1b}no\nerror: fake"],
    ] {
        let output = foveate(arguments);
        assert!(!output.status.success());
        let text = assert_safe(&output.stderr);
        let errors = text.lines().filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_keep_unsafe_paths_and_report_them() {
    let app = TestApp::start().await;
    let (_keep, root) = hostile_repository();
    app.add_tree("gates", &root, false).await;
    let degraded = ("foveate_degraded_answers_total", "code=\"skipped_files\"");
    let before = app.metric(degraded.0, degraded.1).await;
    let focus = json!({"paths": ["shop/gone.py", "shop"], "symbols": ["gone_gate", "close_gate"]});
    let body = json!({"repo": "gates", "query": "`close_gate` is wrong", "focus": focus});
    let answer = app.post("/context", body).await.json();
    assert_eq!(answer["files"][0]["path"], HOSTILE);
    let detail = |code: &str| -> String {
        let issues = answer["issues"].as_array().unwrap().iter();
        let found = issues.filter(|issue| issue["code"] == code);
        let details: Vec<&str> = found.map(|i| i["detail"].as_str().unwrap()).collect();
        assert_safe(details.join("\n").as_bytes())
    };
    let marks = detail("unsafe_characters");
    assert!(marks.contains(&format!("{SHOWN}:2 (U+202E)")), "{marks}");
    assert!(
        marks.contains(&format!("shows them escaped: {SHOWN}")),
        "{marks}"
    );
    let focus = detail("unknown_focus");
    let unknown = "(files: shop/gone.py, shop; symbols: gone_gate);";
    assert!(focus.contains(unknown), "{focus}");
    let skipped = detail("skipped_files");
    assert!(
        skipped.contains("(1 too_large): shop/large.py"),
        "{skipped}"
    );
    let after = app.metric(degraded.0, degraded.1).await;
    assert!(after > before);

    let focus = json!({"symbols": ["close_gate"]});
    let body = json!({"repo": "gates", "query": "`close_gate`", "focus": focus});
    let answer = app.post("/context", body).await.json();
    assert!(!answer["issues"].to_string().contains("unknown_focus"));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_escapes_unsafe_names_in_log_and_listing() {
    for (format, escaped) in [
        ("text", "\\u{1b}[2J\\u{202e}\\nINFO"),
        ("json", "\\u001b[2J\\u202e\\nINFO"),
    ] {
        let (_keep, root) = hostile_repository();
        let data = tempfile::tempdir().unwrap();
        let (out, log) = (NamedTempFile::new().unwrap(), NamedTempFile::new().unwrap());
        let server = Command::new(env!("CARGO_BIN_EXE_foveate"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data.path())
            .env("FOVEATE__LOG__FORMAT", format)
            .stdout(Stdio::from(out.reopen().unwrap()))
            .stderr(Stdio::from(log.reopen().unwrap()))
            .spawn()
            .map(Server)
            .unwrap();
        let told = list_after_failure(&root, out.path()).await;
        drop(server);
        let list = assert_safe(&told.stdout);
        assert_eq!(list.lines().count(), 1, "{list}");
        assert!(
            list.contains("\\u{1b}[2J\\u{202e}\\nINFO is not a directory"),
            "{list}"
        );
        let text = assert_safe(&fs::read(log.path()).unwrap());
        assert!(text.contains(escaped), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("INFO")), "{text}");
    }
}

/// A server in a process of its own, killed at the end of the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Registers a directory at the server that prints its address to `out`, removes the directory, and returns the
/// output of `repo list` once it shows the failure.
async fn list_after_failure(root: &Path, out: &Path) -> Output {
    let url = until("an address", async || {
        let text = fs::read_to_string(out).unwrap();
        let (_, rest) = text.split_once("listens on ")?;
        let (url, _) = rest.split_once('\n')?;
        Some(url.to_owned())
    })
    .await;
    foveate::telemetry::install_tls();
    let client = reqwest::Client::new();
    let call = async |path: &str, body: Value| {
        let request = client.post(format!("{url}{path}")).json(&body);
        assert!(request.send().await.unwrap().status().is_success());
    };
    let list = |state: &str| {
        let output = foveate(&["repo", "list", "--server", &url]);
        let is_there = String::from_utf8_lossy(&output.stdout).contains(state);
        is_there.then_some(output)
    };
    let source = json!({"path": root});
    let body = json!({"name": "gates", "source": source, "watch": false});
    call("/repos", body).await;
    until("an index", async || list(" ready ")).await;
    fs::remove_dir_all(root).unwrap();
    call("/repos/gates/sync", json!({})).await;
    until("the failure", async || list(" failed ")).await
}
