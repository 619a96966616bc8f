//! Tests the command line as a person or a script uses it: arguments, output, exit codes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, git, tree};

pub fn foveate(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.args(arguments).env_remove("FOVEATE_SERVER");
    command.env("FOVEATE_NO_CACHE", "1");
    for (name, _) in std::env::vars() {
        if name.starts_with("FOVEATE__") {
            command.env_remove(name);
        }
    }
    command
}

fn run(arguments: &[&str]) -> Output {
    foveate(arguments).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn context_prints_relevant_files() {
    let (_keep, root) = tree(SHOP);
    let root = root.to_str().unwrap();
    let output = run(&["context", root, "`total_price` is wrong"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("shop/price.py"),
        "{}",
        stdout(&output)
    );

    let output = run(&[
        "context", root, "`total_price` is wrong", "--json", "--limit", "1",
    ]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["files"][0]["path"], "shop/price.py");
    assert_eq!(answer["files"].as_array().unwrap().len(), 1);

    let output = run(&[
        "context", root, "`total_price`", "--explain", "--intent", "bug_fix",
    ]);
    assert!(
        stderr(&output).contains("intent BUG_FIX 1.00"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn focus_path_is_resolved_from_the_current_directory() {
    let (_keep, root) = tree(SHOP);
    let focused = |directory: &str, path: &str| {
        let query = [
            "context", directory, "a Cart", "--json", "--focus-path", path,
        ];
        let output = foveate(&query)
            .current_dir(root.join("shop"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{path}: {}", stderr(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["files"].clone()
    };
    let absolute = root.join("shop/price.py");
    let directory = root.to_str().unwrap();
    let wanted = focused(directory, "shop/price.py");
    assert_ne!(wanted, focused(directory, "shop/cart.py"));
    for path in [
        "./shop/price.py",
        "price.py",
        "./price.py",
        "../shop/price.py",
        absolute.to_str().unwrap(),
    ] {
        assert_eq!(focused(directory, path), wanted, "{path}");
        assert_eq!(focused("..", path), wanted, "{path}");
    }
}

#[test]
fn context_reads_standard_input_in_any_encoding() {
    let (_keep, root) = tree(SHOP);
    let mut child = foveate(&["context", root.to_str().unwrap(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"`total_price` is wrong at the caf\xe9")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("shop/price.py"));
}

#[test]
fn context_without_a_question_names_what_can_be_asked() {
    let output = run(&["context", "."]);
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    for argument in [
        "TEXT", "`-`", "--diff", "--junit", "--log", "--github-event",
    ] {
        assert!(told.contains(argument), "{told}");
    }
}

#[test]
fn context_reports_missing_history_with_an_old_git() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_keep, root) = tree(SHOP);
    git(&root, &["init", "--quiet"]);
    commit(&root, "prices");
    let old = tempfile::tempdir().unwrap();
    let path = std::env::var("PATH").unwrap();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--attr-source*) exit 129;; esac\nPATH='{path}' exec git \"$@\"\n"
    );
    let program = old.path().join("git");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ask = |path: String| {
        let query = ["context", root.to_str().unwrap(), "`total_price`", "--json"];
        let output = foveate(&query).env("PATH", path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["files"][0]["path"], "shop/price.py");
        answer["issues"].to_string()
    };
    assert!(!ask(path.clone()).contains("history_unavailable"));
    let issues = ask(format!("{}:{path}", old.path().display()));
    assert!(issues.contains("history_unavailable"), "{issues}");
}

#[test]
fn context_answers_from_commits_and_bare_repositories() {
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    std::fs::remove_file(root.join("shop/price.py")).unwrap();
    commit(&root, "second");
    let bare_keep = tempfile::tempdir().unwrap();
    let bare = bare_keep.path().join("b.git");
    git(
        &root,
        &["clone", "-q", "--bare", ".", bare.to_str().unwrap()],
    );
    for directory in [root.as_path(), bare.as_path()] {
        let directory = directory.to_str().unwrap();
        let at = run(&[
            "context", directory, "`total_price`", "--json", "--ref", &first,
        ]);
        let answer: Value = serde_json::from_slice(&at.stdout).unwrap();
        assert_eq!(answer["commit"], first.as_str());
        assert_eq!(answer["files"][0]["path"], "shop/price.py");
        let now = run(&["context", directory, "`total_price`", "--json"]);
        let answer: Value = serde_json::from_slice(&now.stdout).unwrap();
        assert_ne!(answer["files"][0]["path"], "shop/price.py");
    }
}

#[test]
fn mistakes_have_exit_codes_and_helpful_messages() {
    let (_keep, root) = tree(SHOP);
    let root = root.to_str().unwrap();
    let cases: [(&[&str], i32, &str); 23] = [
        (&["context", "/no/such/dir", "x"], 2, "not a directory"),
        (&["context", root, ""], 2, "empty"),
        (
            &["context", root, "url_for", "is", "broken"],
            2,
            "quote the text",
        ),
        (
            &["context", root, "x", "--budget", "1"],
            2,
            "--budget must be 200 to 128000",
        ),
        (&["context", root, "x", "--limit", "0"], 2, "--limit"),
        (&["context", root, "x", "--format", "pdf"], 2, "pdf"),
        (&["context", root, "x", "--intent", "chat"], 2, "chat"),
        (
            &["context", root, "x", "--focus-path", "../x"],
            2,
            "--focus-path",
        ),
        (
            &["context", root, "x", "--ref", "main"],
            1,
            "not in a git repository",
        ),
        (&["context", root, "qqqqzzzz"], 3, "no_match"),
        (&["frobnicate"], 2, "frobnicate"),
        (
            &["repo", "list", "--server", "http://127.0.0.1:1"],
            4,
            "no server answers",
        ),
        (
            &["repo", "list", "--server", "nonsense"],
            2,
            "such as http://127.0.0.1:7878",
        ),
        (&["repo", "show", "../x"], 2, "repository name"),
        (&["serve", "--config", "/no/such/file"], 2, "/no/such/file"),
        (&["train"], 2, "foveate train [OPTIONS] --repo <PATH>"),
        (&["train", "cases.jsonl"], 2, "--repos"),
        (&["train", "--commits", "5"], 2, "--repos"),
        (
            &["train", "cases.jsonl", "--repos", "x", "--repo", root],
            2,
            "cannot be used with",
        ),
        (
            &["train", "--repo", root, "--ablation"],
            2,
            "cannot be used with",
        ),
        (
            &["train", "--repo", root, "--calibration"],
            2,
            "cannot be used with",
        ),
        (&["train", "--repo", root, "--commits", "0"], 2, "--commits"),
        (&["train", "--repo", root], 1, "not a git repository"),
    ];
    for (arguments, code, text) in cases {
        let output = run(arguments);
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
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("Exit codes:"));
}

#[test]
fn train_adjusts_weights_to_commits() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "Start the shop");
    for price in 0..12 {
        let text = format!("def total_price(lines):\n    return {price}\n");
        std::fs::write(root.join("shop/price.py"), text).unwrap();
        commit(&root, &format!("Let the total price be {price}"));
    }
    let (keep, repo) = (tempfile::tempdir().unwrap(), root.to_str().unwrap());
    let own = keep.path().join("own.toml");
    let own = own.to_str().unwrap();
    let output = run(&["train", "--repo", repo, "--write", own]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = stdout(&output);
    assert!(report.contains("the newest 2 commits"), "{report}");
    assert!(report.contains("adjusted to the 10 older ones"), "{report}");
    assert!(!report.contains("[rank.function]"), "{report}");
    // The written file is accepted by `--ranking`; this run fails because it has too few commits.
    let again = ["train", "--repo", repo, "--ranking", own, "--commits", "3"];
    let output = run(&again);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--commits"), "{}", stderr(&output));
}

/// Writes cases about the shop at its checked-out commit.
fn write_cases(root: &Path, file: &str) {
    let case = |id: &str, query: &str, file: &str| {
        json!({
            "id": id, "repo": "o/shop", "commit": git(root, &["rev-parse", "HEAD"]).trim(),
            "language": "python", "query": query, "query_kind": "issue", "gold_files": [file],
            "gold_functions": [{"file": file, "name": "f", "start": 1, "end": 3}],
        })
    };
    let cases = [
        case("a", "`total_price` is wrong", "shop/price.py"),
        case("b", "the price of the cart is wrong", "shop/cart.py"),
    ];
    let text: String = cases.iter().map(|case| format!("{case}\n")).collect();
    std::fs::write(file, text).unwrap();
}

#[test]
fn train_fits_the_calibration_and_keeps_the_weights() {
    let (keep, root) = tree(SHOP);
    commit(&root, "Start the shop");
    let file = |name: &str| keep.path().join(name).to_str().unwrap().to_owned();
    let (cases, written) = (file("cases.jsonl"), file("fitted.toml"));
    write_cases(&root, &cases);
    let root = root.to_str().unwrap();
    let output = run(&[
        "train", &cases, "--repos", root, "--calibration", "--write", &written,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = stdout(&output);
    assert!(report.contains("[rank.calibration]\nfile = {"), "{report}");
    assert!(
        report.contains("[assemble.confidence]\nline = {"),
        "{report}"
    );
    assert!(!report.contains("[rank.file]"), "{report}");
    let now = include_str!("../../config/ranking.toml").lines();
    let fitted = std::fs::read_to_string(&written).unwrap();
    assert_eq!(now.clone().count(), fitted.lines().count());
    let changed: Vec<&str> = now
        .zip(fitted.lines())
        .filter(|(a, b)| a != b)
        .map(|(_, b)| b)
        .collect();
    let lines = "of files, functions and the confidence";
    assert_eq!(changed.len(), 3, "{lines}: {changed:?}");
    assert!(
        changed.iter().all(|line| line.contains("slope = ")),
        "{changed:?}"
    );
}

#[test]
fn train_fits_trees_to_written_candidates_and_keeps_the_weights() {
    let (keep, root) = tree(SHOP);
    commit(&root, "Start the shop");
    let file = |name: &str| keep.path().join(name).to_str().unwrap().to_owned();
    let [cases, examples, written] = ["cases.jsonl", "examples.jsonl", "fitted.toml"].map(file);
    write_cases(&root, &cases);
    let root = root.to_str().unwrap();
    let output = run(&["train", &cases, "--repos", root, "--examples", &examples]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let fit = ["train", "--interactions", "--from-examples", &examples];
    let output = run(&[&fit[..], &["--write", &written]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = stdout(&output);
    assert!(
        report.contains("[rank.interactions]: 100 trees"),
        "{report}"
    );
    let table = |text: &str| toml::from_str::<toml::Table>(text).unwrap()["rank"].clone();
    let now = table(include_str!("../../config/ranking.toml"));
    let fitted = table(&std::fs::read_to_string(&written).unwrap());
    assert_eq!(fitted["file"], now["file"]);
    assert_eq!(fitted["function"], now["function"]);
    assert_ne!(fitted["interactions"], now["interactions"]);
    let trees = fitted["interactions"]["trees"].as_array().unwrap();
    assert_eq!(trees.len(), 100);
    // The written file is accepted by `--ranking`.
    let again = run(&[&fit[..], &["--ranking", &written]].concat());
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));

    let other = std::fs::read_to_string(&examples).unwrap();
    let other = other.replacen("\"x\":[", "\"x\":[0.0,", 1);
    std::fs::write(&examples, other).unwrap();
    let output = run(&fit);
    assert_eq!(output.status.code(), Some(1));
    let error = stderr(&output);
    assert!(
        error.contains("examples.jsonl:1") && error.contains("--examples"),
        "{error}"
    );
}

/// An output whose reader has closed it.
fn closed_output() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn files_are_written_though_nobody_reads_the_report() {
    let (keep, root) = tree(SHOP);
    commit(&root, "Start the shop");
    let file = |name: &str| keep.path().join(name).to_str().unwrap().to_owned();
    let [cases, fitted, json, curve] =
        ["cases.jsonl", "fitted.toml", "run.json", "curve.svg"].map(file);
    write_cases(&root, &cases);
    let root = root.to_str().unwrap();
    let exit_code = |arguments: &[&str]| {
        let mut command = foveate(arguments);
        command
            .stdout(closed_output())
            .output()
            .unwrap()
            .status
            .code()
    };
    let trained = exit_code(&[
        "train", &cases, "--repos", root, "--calibration", "--write", &fitted,
    ]);
    let measured = exit_code(&[
        "eval", &cases, "--repos", root, "--json", &json, "--curve", &curve,
    ]);
    assert_eq!((trained, measured), (Some(0), Some(0)));
    for file in [&fitted, &json, &curve] {
        assert!(!std::fs::read(file).unwrap().is_empty(), "{file}");
    }
    assert_eq!(exit_code(&["completions", "bash"]), Some(0));
    let without_answer = exit_code(&["eval", &cases, "--repos", "/no/such", "--strict"]);
    assert_eq!(without_answer, Some(1));
}

#[test]
fn closed_standard_error_does_not_end_the_work() {
    let data = tempfile::tempdir().unwrap();
    let create = ["key", "create", "--data-dir", data.path().to_str().unwrap()];
    let created = foveate(&create).stderr(closed_output()).output().unwrap();
    assert_eq!(created.status.code(), Some(0));
    assert!(!stdout(&created).trim().is_empty(), "the token is printed");
    let checked = foveate(&["config", "check"])
        .env("FOVEATE__SERVER__LISTEN", "nonsense")
        .stderr(closed_output())
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(2));
}

#[test]
fn empty_variables_count_as_unset() {
    let (_keep, root) = tree(SHOP);
    let caches = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let empty = [
            "FOVEATE_CACHE_DIR", "FOVEATE_CACHE_MAX_BYTES", "FOVEATE_NO_CACHE", "FOVEATE_SERVER",
            "FOVEATE_TOKEN", "FOVEATE_TOKEN_FILE",
        ];
        foveate(arguments)
            .envs(empty.map(|name| (name, "")))
            .env("XDG_CACHE_HOME", caches.path())
            .output()
            .unwrap()
    };
    let asked = run(&["context", root.to_str().unwrap(), "`total_price`"]);
    assert_eq!(asked.status.code(), Some(0), "{}", stderr(&asked));
    assert!(caches.path().join("foveate").is_dir());
    // Whether a server runs at the default address or not.
    let listed = run(&["repo", "list"]);
    assert_ne!(listed.status.code(), Some(2), "{}", stderr(&listed));
    // An empty argument is a mistake.
    let cleared = run(&["cache", "clear", "--cache-dir", ""]);
    assert_eq!(cleared.status.code(), Some(2));
}

#[test]
fn invalid_setting_is_reported_with_its_source() {
    let listen = ["serve", "--listen", "nonsense"];
    let by_argument = run(&listen);
    let variable = ("FOVEATE__SERVER__LISTEN", "nonsense");
    let by_variable = foveate(&["serve"]).env(variable.0, variable.1).output();
    for (output, place) in [
        (by_argument, "--listen"),
        (by_variable.unwrap(), variable.0),
    ] {
        assert_eq!(output.status.code(), Some(2));
        let told = stderr(&output);
        assert!(told.contains("such as 127.0.0.1:7878"), "{told}");
        assert!(told.trim().ends_with(&format!("({place})")), "{told}");
        assert!(
            !told.contains("::String") && !told.contains(".rs"),
            "{told}"
        );
    }
}

#[test]
fn unknown_settings_are_refused_by_name() {
    let output = foveate(&["serve"])
        .env("FOVEATE__SERVER__LISTEN_ON", "127.0.0.1:1")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).to_lowercase().contains("listen_on"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn openapi_prints_the_document() {
    let output = run(&["openapi"]);
    assert_eq!(
        stdout(&output),
        foveate::http::router::document().to_yaml().unwrap()
    );
}

/// A server in a process of its own, killed at the end of the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve_command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = foveate(&["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    command
        .arg(data)
        .args(arguments)
        .env("FOVEATE__ANSWER__DEADLINE_MS", "60000")
        .env("FOVEATE__SERVER__REQUEST_TIMEOUT_MS", "60000")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn serve(data: &Path, arguments: &[&str]) -> (Server, BufReader<std::process::ChildStdout>) {
    let mut child = serve_command(data, arguments).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    (Server(child), out)
}

fn line_with(out: &mut impl BufRead, text: &str) -> String {
    let mut seen = String::new();
    loop {
        let mut line = String::new();
        assert!(
            out.read_line(&mut line).unwrap() > 0,
            "no {text:?} in {seen}"
        );
        if line.contains(text) {
            return line;
        }
        seen.push_str(&line);
    }
}

#[test]
fn serve_prints_a_working_command_and_stops_on_sigterm() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    let shop = root.join("shop");
    let (mut server, mut out) = serve(data.path(), &["--watch", shop.to_str().unwrap()]);
    let listens = line_with(&mut out, "listens on http://127.0.0.1:");
    line_with(&mut out, "shop: 2 files");
    let asks = line_with(&mut out, "ask:");
    let command = asks.trim().strip_prefix("ask:").unwrap();
    let curl = Command::new("sh").arg("-c").arg(command).output().unwrap();
    let answer = stdout(&curl);
    assert!(answer.starts_with("<!-- intent: "), "{answer}");

    // A second server on the same address fails with a message.
    let address = listens.rsplit("http://").next().unwrap().trim();
    let second = tempfile::tempdir().unwrap();
    let data_dir = second.path().to_str().unwrap();
    let output = run(&["serve", "--listen", address, "--data-dir", data_dir]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is in use"), "{}", stderr(&output));

    assert_eq!(stop_server(&mut server).code(), Some(0));
}

fn stop_server(server: &mut Server) -> std::process::ExitStatus {
    let pid = server.0.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(killed.unwrap().success());
    server.0.wait().unwrap()
}

#[test]
fn successful_probes_are_logged_at_debug_only() {
    for (level, shown) in [("info", false), ("debug", true)] {
        let data = tempfile::tempdir().unwrap();
        let mut command = serve_command(data.path(), &[]);
        let mut server = Server(command.env("FOVEATE__LOG__FILTER", level).spawn().unwrap());
        let mut out = BufReader::new(server.0.stdout.take().unwrap());
        let listens = line_with(&mut out, "listens on http://");
        let url = listens.rsplit(' ').next().unwrap().trim();
        for path in ["/healthz", "/readyz", "/metrics", "/repos", "/nowhere"] {
            let curl = Command::new("curl")
                .args(["-s", &format!("{url}{path}")])
                .output();
            assert!(curl.unwrap().status.success());
        }
        stop_server(&mut server);
        let mut log = String::new();
        std::io::Read::read_to_string(&mut server.0.stderr.take().unwrap(), &mut log).unwrap();
        for probe in ["/healthz", "/readyz", "/metrics"] {
            let line = format!("route=\"{probe}\"");
            assert_eq!(log.contains(&line), shown, "{level}: {log}");
        }
        assert!(
            log.contains("route=\"/repos\"") && log.contains("route=\"none\""),
            "{log}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_and_service_refuse_the_same_values() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let directory = root.to_str().unwrap();
    let long = "x".repeat(2049);
    for (field, argument, value, given) in [
        ("budget_tokens", "--budget", json!(1), "1"),
        ("limit", "--limit", json!(101), "101"),
        ("max_files", "--max-files", json!(0), "0"),
        ("max_chars", "--max-chars", json!(10), "10"),
        ("min_probability", "--min-probability", json!(1.5), "1.5"),
        ("link_base", "--link-base", json!("ftp://x"), "ftp://x"),
        ("ref", "--ref", json!("a..b"), "a..b"),
        ("seen.places", "--seen-place", json!([long]), &long),
        ("query", "TEXT", json!(" "), " "),
    ] {
        let mut body = json!({"repo": "shop", "query": "x"});
        match field.split_once('.') {
            Some((outer, inner)) => body[outer] = json!({inner: value}),
            None => body[field] = value,
        }
        let problem = app.post("/context", body).await.json();
        assert_eq!(problem["field"], field, "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        let reason = detail.strip_prefix(&format!("`{field}`")).unwrap();
        let arguments = match argument {
            "TEXT" => vec!["context", directory, given],
            _ => vec!["context", directory, "x", argument, given],
        };
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{argument}");
        let told = stderr(&output);
        assert!(told.contains(&format!("{argument}{reason}")), "{told}");
    }
    app.end().await;
}
