//! Tests the inputs of `foveate context` in CI jobs: test reports, logs, the event that started the job, diffs.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::app::{SHOP, commit, git, tree};

/// Creates a repository whose branch `fix` changed `shop/cart.py`.
fn shop() -> (TempDir, PathBuf) {
    let (_made, made) = tree(SHOP);
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().join("shop");
    std::fs::rename(made, &root).unwrap();
    commit(&root, "open the shop");
    git(&root, &["checkout", "-q", "-b", "fix"]);
    let cart = root.join("shop/cart.py");
    let text = std::fs::read_to_string(&cart).unwrap();
    std::fs::write(&cart, text.replace("self.items = []", "self.items = {}")).unwrap();
    commit(&root, "fix the cart");
    (keep, root)
}

fn foveate(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.arg("context").arg(root).args(arguments);
    command
        .env("FOVEATE_NO_CACHE", "1")
        .current_dir(root.parent().unwrap());
    command
}

fn run(root: &Path, arguments: &[&str]) -> Output {
    foveate(root, arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a question that must succeed, and returns its answer.
#[track_caller]
fn answer(root: &Path, arguments: &[&str]) -> Value {
    let output = foveate(root, arguments).arg("--json").output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{arguments:?}: {}",
        stderr(&output)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn assert_refused(root: &Path, arguments: &[&str], code: i32, text: &str) {
    let output = run(root, arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains(text),
        "{arguments:?}: {}",
        stderr(&output)
    );
}

/// Writes a file beside the repository, and returns its path.
fn write_beside(root: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = root.parent().unwrap().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const REPORT: &str = r#"<testsuites><testsuite name="pytest"><testcase classname="tests.test_cart" name="test_sum"><failure message="AttributeError: no price">Traceback (most recent call last):
  File "/ci/tests/test_cart.py", line 5, in test_sum
    assert total_price([1]) == 1
  File "/ci/shop/price.py", line 3, in total_price
AttributeError: no price</failure></testcase></testsuite></testsuites>"#;
const PASSED: &str =
    "<testsuite name='pytest'><testcase classname='tests.test_cart' name='test_sum'/></testsuite>";

/// The path of the first file of an answer.
fn first_path(answer: &Value) -> &str {
    answer["files"][0]["path"].as_str().unwrap()
}

#[test]
fn junit_report_asks_about_failed_tests() {
    let (_keep, root) = shop();
    let report = write_beside(&root, "out/report.xml", REPORT);
    let asked = answer(&root, &["--junit", &report]);
    assert_eq!(first_path(&asked), "shop/price.py");
    assert_eq!(
        asked["intent"]["signals"][0], "python_traceback",
        "{}",
        asked["intent"]
    );
    // A directory stands for the reports below it; other XML files are skipped.
    write_beside(&root, "out/pom.xml", "<project/>");
    write_beside(&root, "out/more/passed.xml", PASSED);
    let directory = root.parent().unwrap().join("out");
    let of_directory = answer(&root, &["--junit", directory.to_str().unwrap()]);
    assert_eq!(of_directory["files"], asked["files"]);

    let passed = write_beside(&root, "passed.xml", PASSED);
    assert_refused(
        &root,
        &["--junit", &passed],
        3,
        "nothing to ask: --junit: no test failed",
    );
    // An earlier context does not stay in the file of the output.
    let context = write_beside(&root, "context.md", "an earlier context");
    assert_refused(
        &root,
        &["--junit", &passed, "--output", &context],
        3,
        "nothing to ask",
    );
    assert_eq!(std::fs::read_to_string(&context).unwrap(), "");

    let output = run(&root, &["what is a Cart?", "--junit", &passed]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stderr(&output).contains("note: --junit: no test failed"),
        "{}",
        stderr(&output)
    );
    let other = write_beside(&root, "other.xml", "<project/>");
    assert_refused(&root, &["--junit", &other], 2, "not a JUnit report");
    assert_refused(&root, &["--junit", "gone.xml"], 2, "cannot read gone.xml");
    std::fs::create_dir(root.parent().unwrap().join("empty")).unwrap();
    assert_refused(
        &root,
        &["--junit", "empty"],
        3,
        "the directory contains no report",
    );
}

#[test]
fn log_asks_about_its_failures() {
    let (_keep, root) = shop();
    let noise = "2026-11-23T19:00:00.1Z \x1b[32mok\x1b[0m\n".repeat(20_000);
    let trace = "2026-11-23T19:00:01.1Z Traceback (most recent call last):\n2026-11-23T19:00:01.2Z   File \"/ci/shop/price.py\", line 3, in total_price\n2026-11-23T19:00:01.3Z AttributeError: no price\n";
    let log = write_beside(&root, "job.log", format!("{noise}{trace}{noise}"));
    let asked = answer(&root, &["--log", &log]);
    assert_eq!(first_path(&asked), "shop/price.py");

    let mut child = foveate(&root, &["--log", "-", "--json"]);
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(trace.as_bytes())
        .unwrap();
    let piped: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(piped["files"], asked["files"]);

    let odd = write_beside(
        &root,
        "odd.log",
        "the total_price is not\nwhat it should be\n",
    );
    let output = run(&root, &["--log", &odd]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("the question is the last 2 lines"),
        "{}",
        stderr(&output)
    );
    let empty = write_beside(&root, "empty.log", "\n\n");
    assert_refused(&root, &["--log", &empty], 3, "the log is empty");
    let passed = write_beside(&root, "passed.log", "===== 3 passed in 0.01s =====\n");
    assert_refused(&root, &["--log", &passed], 3, "report success");
    assert_refused(&root, &["--log", "gone.log"], 2, "cannot read gone.log");
    assert_refused(
        &root,
        &["-", "--log", "-"],
        2,
        "standard input can be read only once",
    );
}

#[test]
fn logs_and_reports_are_decoded_and_binaries_refused() {
    let (_keep, root) = shop();
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    let trace = "web-1  | Traceback (most recent call last):\r\nweb-1  |   File \"/ci/shop/price.py\", line 3, in total_price\r\nweb-1  | AttributeError: no price\r\n";
    let log = write_beside(&root, "powershell.log", utf16(trace));
    assert_eq!(
        first_path(&answer(&root, &["--log", &log])),
        "shop/price.py"
    );
    let report = write_beside(&root, "report.xml", utf16(REPORT));
    assert_eq!(
        first_path(&answer(&root, &["--junit", &report])),
        "shop/price.py"
    );
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(trace.as_bytes()).unwrap();
    let log = write_beside(&root, "job.log.gz", packed.finish().unwrap());
    assert_eq!(
        first_path(&answer(&root, &["--log", &log])),
        "shop/price.py"
    );

    let zip = write_beside(&root, "logs.zip", b"PK\x03\x04\x14\0\0\0");
    assert_refused(&root, &["--log", &zip], 2, "a zip archive: unpack it");
    assert_refused(&root, &["--junit", &zip], 2, "a zip archive: unpack it");
    let binary = write_beside(&root, "core", b"\x7fELF\x02\x01\0\0Error: x\n");
    assert_refused(&root, &["--log", &binary], 2, "it is binary");
}

fn event(name: &str) -> Value {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/github/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn github_event_asks_about_its_issue_or_change() {
    let (_keep, root) = shop();
    let ask = |event: &Value| write_beside(&root, "event.json", event.to_string());
    let mut issue = event("issues");
    issue["issue"]["title"] = json!("`total_price` forgets the tax");
    issue["issue"]["body"] = json!(null);
    let asked = answer(&root, &["--github-event", &ask(&issue)]);
    assert_eq!(first_path(&asked), "shop/price.py");

    let mut comment = event("issue_comment");
    comment["issue"]["title"] = json!("it is wrong");
    comment["issue"]["body"] = json!("");
    comment["comment"]["body"] = json!("it is in `shop/price.py`, line 3");
    assert_eq!(
        first_path(&answer(&root, &["--github-event", &ask(&comment)])),
        "shop/price.py"
    );

    let ids: Vec<String> = git(&root, &["rev-parse", "main", "fix"])
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let mut pull = event("pull_request");
    pull["pull_request"]["base"]["sha"] = json!(ids[0]);
    pull["pull_request"]["head"]["sha"] = json!(ids[1]);
    let asked = answer(&root, &["--github-event", &ask(&pull)]);
    assert_eq!(
        (first_path(&asked), &asked["commit"]),
        ("shop/cart.py", &json!(ids[1]))
    );
    let page = pull["repository"]["html_url"].as_str().unwrap();
    assert!(asked["sections"].to_string().contains(page));
    // A review comment at a line asks with the change and the line.
    let mut review = pull.clone();
    review["comment"] = json!({"body": "this forgets the tax", "path": "shop/price.py", "line": 2});
    let asked = answer(&root, &["--github-event", &ask(&review)]);
    assert_eq!(asked["commit"], json!(ids[1]));
    let (files, symbols) = (asked["files"].to_string(), asked["symbols"].to_string());
    assert!(files.contains("shop/cart.py") && files.contains("shop/price.py"));
    assert!(symbols.contains("shop/price.py:2"), "{symbols}");
    // Together with the log of its failed job.
    let log = write_beside(
        &root,
        "job.log",
        "Traceback (most recent call last):\n  File \"/ci/shop/price.py\", line 3, in total_price\nAttributeError: no price\n",
    );
    let both = answer(&root, &["--github-event", &ask(&pull), "--log", &log]);
    assert_eq!(both["commit"], json!(ids[1]));
    let files = both["files"].to_string();
    assert!(files.contains("shop/cart.py") && files.contains("shop/price.py"));

    let mut push = event("push");
    push["before"] = json!(ids[0]);
    push["after"] = json!(ids[1]);
    let asked = answer(&root, &["--github-event", &ask(&push)]);
    assert_eq!(
        (first_path(&asked), &asked["commit"]),
        ("shop/cart.py", &json!(ids[1]))
    );
    push["before"] = json!("0".repeat(40));
    assert_refused(
        &root,
        &["--github-event", &ask(&push)],
        3,
        "add --diff BASE..",
    );
    assert_eq!(
        answer(&root, &["--github-event", &ask(&push), "--diff", "main.."])["commit"],
        json!(ids[1])
    );
    push["before"] = json!(ids[1]);
    push["after"] = json!("0".repeat(40));
    assert_refused(&root, &["--github-event", &ask(&push)], 3, "deleted");

    assert_refused(
        &root,
        &["--github-event", &ask(&event("ping"))],
        2,
        "this kind of event is not supported",
    );
    assert_refused(
        &root,
        &["--github-event", &write_beside(&root, "event.json", "{")],
        2,
        "cannot read",
    );
}

#[test]
fn diff_head_defaults_to_the_checked_out_commit() {
    let (_keep, root) = shop();
    let whole = answer(&root, &["--diff", "main..fix"]);
    assert_eq!(first_path(&whole), "shop/cart.py");
    for short in ["main..", "main...", "main...fix"] {
        let asked = answer(&root, &["--diff", short]);
        assert_eq!(
            (&asked["files"], &asked["commit"]),
            (&whole["files"], &whole["commit"]),
            "{short}"
        );
    }
    assert_refused(&root, &["--diff", "main"], 2, "main..");
    assert_refused(&root, &["--diff", "main..gone"], 1, "gone");

    // A shallow clone, as CI makes it, lacks the base commit; the error says how to fetch it.
    let main = git(&root, &["rev-parse", "main"]);
    let url = format!("file://{}", root.display());
    git(
        root.parent().unwrap(),
        &["clone", "-q", "--depth", "1", &url, "shallow"],
    );
    let shallow = root.parent().unwrap().join("shallow");
    assert_refused(
        &shallow,
        &["--diff", &format!("{main}..")],
        1,
        "fetch-depth: 0",
    );
    assert_refused(
        &shallow,
        &["`total_price`", "--ref", &main],
        1,
        "fetch-depth: 0",
    );
    // A branch that was not cloned, or a misspelt one, is named first.
    assert_refused(
        &shallow,
        &["--diff", "origin/next.."],
        1,
        "no commit, branch or tag \"origin/next\" in the repository; fetch the branch with `git fetch origin \
         next:refs/remotes/origin/next`; this shallow clone also lacks old commits",
    );
    // Or it has both commits and lacks their merge base.
    let arguments = [
        "clone", "-q", "--depth=1", "--no-single-branch", &url, "tips",
    ];
    git(root.parent().unwrap(), &arguments);
    let tips = root.parent().unwrap().join("tips");
    assert_refused(&tips, &["--diff", "origin/main..HEAD"], 1, "fetch-depth: 0");
    assert_refused(&tips, &["--diff", "HEAD..gone"], 1, "gone");
}

#[test]
fn output_option_writes_the_printed_text_to_a_file() {
    let (_keep, root) = shop();
    let printed = run(&root, &["`total_price`", "--format", "markdown"]);
    let output = run(
        &root,
        &[
            "`total_price`", "--format", "markdown", "--output", "context.md",
        ],
    );
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let written = std::fs::read(root.parent().unwrap().join("context.md")).unwrap();
    assert_eq!(written, printed.stdout);
    // Without a result it becomes empty: the head alone would be taken for one. With --json it has the answer.
    let read = || std::fs::read_to_string(root.parent().unwrap().join("context.md")).unwrap();
    let output = run(&root, &["qqqqzzzz", "--output", "context.md"]);
    assert_eq!((output.status.code(), &*read()), (Some(3), ""));
    let output = run(&root, &["qqqqzzzz", "--output", "context.md", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(read().contains("no_match"), "{}", read());
    // The file gets the usual permissions of this user, unlike files of the cache.
    std::fs::remove_file(root.parent().unwrap().join("context.md")).unwrap();
    let mut cached = foveate(&root, &["`total_price`", "--output", "context.md"]);
    let cached = cached
        .args(["--cache-dir", "cache"])
        .env_remove("FOVEATE_NO_CACHE");
    assert!(cached.status().unwrap().success());
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
    let other = root.parent().unwrap().join("other");
    std::fs::write(&other, "").unwrap();
    assert_eq!(
        mode(&root.parent().unwrap().join("context.md")),
        mode(&other)
    );
}

#[test]
fn output_that_cannot_be_written_is_refused_before_the_work() {
    let (_keep, root) = shop();
    // Whether the repository exists is not looked at yet.
    let missing = root.with_file_name("missing");
    for (path, reason) in [
        ("no/such/context.md", "there is no directory no/such"),
        ("shop", "it is a directory"),
    ] {
        let told = format!("--output: cannot write {path}: {reason}");
        assert_refused(&missing, &["x", "-o", path], 2, &told);
    }
}

#[test]
fn server_is_asked_the_same_question() {
    let (_keep, root) = shop();
    let report = write_beside(&root, "report.xml", REPORT);
    let data = tempfile::tempdir().unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_foveate"));
    server
        .args(["serve", "--listen", "127.0.0.1:0", "--watch"])
        .arg(&root);
    server
        .arg("--data-dir")
        .arg(data.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = KillOnDrop(server.spawn().unwrap());
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let mut said =
        || lines.find_map(|line| line.unwrap().split("http://").nth(1).map(str::to_owned));
    let address = said().unwrap();
    let address = address.split(['/', ' ']).next().unwrap();
    let url = format!("http://{address}");
    let ask = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
        command
            .args(["context", "shop", "--server", &url])
            .args(arguments);
        command
            .current_dir(root.parent().unwrap())
            .output()
            .unwrap()
    };
    let in_process = answer(&root, &["--junit", &report, "--diff", "main.."]);
    // The server is still indexing: ask until it answers.
    let answered = (0..600).find_map(|_| {
        let output = ask(&["--junit", &report, "--diff", "main..", "--json"]);
        let is_done = output.status.code() == Some(0);
        std::thread::sleep(std::time::Duration::from_millis(if is_done {
            0
        } else {
            100
        }));
        is_done.then_some(output)
    });
    let answered: Value = serde_json::from_slice(&answered.unwrap().stdout).unwrap();
    assert_eq!(answered["commit"], in_process["commit"]);
    assert_eq!(first_path(&answered), first_path(&in_process));
    let output = ask(&[
        "`total_price`", "--output", "context.md", "--format", "markdown",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let written = std::fs::read_to_string(root.parent().unwrap().join("context.md")).unwrap();
    assert!(written.contains("### `shop/price.py`"), "{written}");
    for (arguments, code, text) in [
        (&["qqqqzzzz"][..], 3, "no_match"),
        (&["x", "--budget", "1"], 2, "budget_tokens"),
        (&["x", "--ref", "nowhere"], 1, "`foveate repo sync`"),
        (&["x", "--explain"], 2, "add --json"),
        (&["x", "--wait-history"], 2, "cannot be used with"),
    ] {
        let output = ask(arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(text),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
    assert_refused(
        &root,
        &["x", "--server", &url],
        2,
        "with --server, the first argument is the name of a repository on the server",
    );
    drop(server);
    let output = ask(&["x"]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
}

/// A process that is killed at the end of the test.
struct KillOnDrop(std::process::Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
