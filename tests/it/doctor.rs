//! Tests `foveate doctor` as an operator runs it: with and without a running server, on healthy and broken
//! installations.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::app::{SHOP, tree};
use crate::index_report::Service as _;
use crate::process::Process;

/// Runs `foveate doctor --json` with arguments and environment variables.
fn doctor(arguments: &[&str], variables: &[(&str, &str)]) -> (Output, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FOVEATE")) {
        command.env_remove(name);
    }
    // Any port: the default one may be in use by another test.
    command.env("FOVEATE__SERVER__LISTEN", "127.0.0.1:0");
    command.arg("doctor").args(arguments).arg("--json");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output, report)
}

/// Every finding of a check as `status: found`. Asserts that findings have advice unless they are ok.
fn found(report: &Value, check: &str) -> Vec<String> {
    let checks = report["checks"].as_array().unwrap();
    let of_check = checks.iter().filter(|finding| finding["check"] == check);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    of_check
        .map(|finding| {
            let is_well = finding["status"] == "ok";
            assert_ne!(finding["advice"].is_string(), is_well, "{finding}");
            text(&finding["status"]) + ": " + &text(&finding["found"])
        })
        .collect()
}

fn assert_finding(report: &Value, check: &str, beginning: &str, part: &str) {
    let found = found(report, check);
    assert!(
        found
            .iter()
            .any(|text| text.starts_with(beginning) && text.contains(part)),
        "{check}: no {beginning} with {part:?} in {report:#}"
    );
}

/// Names, lengths and modification times of all files.
fn listing(directory: &Path) -> Vec<String> {
    let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap());
    let mut files: Vec<_> = files
        .map(|file| {
            let metadata = file.metadata().unwrap();
            format!(
                "{:?} {} {:?}",
                file.file_name(),
                metadata.len(),
                metadata.modified().unwrap()
            )
        })
        .collect();
    files.sort();
    files
}

#[test]
fn data_directory_may_be_relative() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.args(["doctor", "--json", "--offline", "--data-dir", "data"]);
    let output = command.current_dir(directory.path()).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let whole = directory.path().join("data");
    assert_finding(&report, "data directory", "ok", whole.to_str().unwrap());
    assert_eq!(found(&report, "disk").len(), 1);
}

#[test]
fn doctor_needs_no_server_and_changes_nothing() {
    let keep = tempfile::tempdir().unwrap();
    let data = keep.path().join("data");
    let data_dir = data.to_str().unwrap();
    let (output, report) = doctor(&["--data-dir", data_dir, "--offline"], &[]);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert_finding(&report, "settings", "ok", "");
    assert_finding(&report, "git", "ok", "2.");
    assert_finding(
        &report,
        "data directory",
        "ok",
        "is created at the first start",
    );
    assert_finding(&report, "server", "ok", "no server runs");
    assert_finding(&report, "open files", "", "about ");
    assert_finding(&report, "memory", "", "are available");
    assert_finding(&report, "parsing", "ok", "in separate processes");
    assert_finding(&report, "clock", "ok", "GMT");
    assert!(!data.exists(), "it is not made");
    let output = Command::new(env!("CARGO_BIN_EXE_foveate"))
        .args(["doctor", "--offline", "--data-dir", data_dir])
        .env("FOVEATE__SERVER__LISTEN", "127.0.0.1:0")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.lines().any(|line| line.starts_with("ok       git ")),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_reports_on_a_running_server() {
    let keep = tempfile::tempdir().unwrap();
    let path = keep.path().to_owned();
    let data_dir = path.to_str().unwrap();
    let server = Process::start_on(keep, &["env"], None);
    let (_tree, root) = tree(SHOP);
    server.add(&root).await;
    let listen = server.url().trim_start_matches("http://").to_owned();
    let (output, report) = doctor(
        &["--data-dir", data_dir, "--offline"],
        &[("FOVEATE__SERVER__LISTEN", &listen)],
    );
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let process = format!("process {} runs and answers", server.id());
    assert_finding(&report, "server", "ok", &process);
    let (_, report) = doctor(
        &["--data-dir", data_dir, "--offline", "--listen", &listen],
        &[],
    );
    assert_finding(&report, "server", "ok", &process);
    // Not the default address, where a server of this machine may answer.
    let unused = "127.0.0.1:1";
    let (_, elsewhere) = doctor(
        &["--data-dir", data_dir, "--offline", "--listen", unused],
        &[],
    );
    assert_finding(&elsewhere, "server", "warning", "nothing answers at");
    assert_finding(&report, "database", "ok", "registered repositories: 1");
    assert_finding(
        &report,
        "repository",
        "ok",
        "repositories on this machine that can be read: 1",
    );
    // The root, its two directories, and those of git.
    assert_finding(&report, "watches", "", "max_user_watches");
    assert!(
        !found(&report, "watches")
            .iter()
            .any(|text| text.contains("; 0 are needed")),
        "{report:#}"
    );

    let file = path.join("foveate.db");
    // Unless the tests run on PostgreSQL.
    if file.exists() {
        let aside = path.join("aside");
        fs::rename(&file, &aside).unwrap();
        let (_, report) = doctor(
            &["--data-dir", data_dir, "--offline"],
            &[("FOVEATE__SERVER__LISTEN", &listen)],
        );
        assert_finding(&report, "database", "failure", "is missing");
        assert_finding(&report, "server", "ok", "its database does not answer");
        fs::rename(&aside, &file).unwrap();
    }

    // After the server stopped and the tree was removed. The check changes nothing in the data directory.
    fs::remove_dir_all(&root).unwrap();
    let data = server.stop();
    let before = listing(data.path());
    let (output, report) = doctor(&["--data-dir", data_dir, "--offline"], &[]);
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    assert_finding(&report, "server", "ok", "no server runs");
    assert_finding(&report, "repository", "failure", "shop: ");
    assert_eq!(listing(data.path()), before);
}

#[test]
fn problems_of_the_data_directory_are_reported() {
    let keep = tempfile::tempdir().unwrap();
    let data = keep.path().join("data");
    let data_dir = data.to_str().unwrap();
    let arguments = ["--data-dir", data_dir, "--offline"];
    fs::write(&data, "a file").unwrap();
    let (output, report) = doctor(&arguments, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_finding(&report, "data directory", "failure", "is not a directory");

    fs::remove_file(&data).unwrap();
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(
        data.join("foveate.db"),
        "this is no database, whatever its name says".repeat(100),
    )
    .unwrap();
    let (output, report) = doctor(&arguments, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_finding(&report, "database", "failure", "cannot be read");
    // Its keys are not known.
    assert_eq!(found(&report, "access"), Vec::<String>::new());
    assert_finding(&report, "data directory", "warning", "mode 755");
}

#[test]
fn problems_of_programs_and_settings_are_reported() {
    let keep = tempfile::tempdir().unwrap();
    let data = keep.path().join("data");
    let arguments = ["--data-dir", data.to_str().unwrap(), "--offline"];
    let path = keep.path().to_str().unwrap();
    let (output, report) = doctor(&arguments, &[("PATH", path)]);
    assert_eq!(output.status.code(), Some(1));
    assert_finding(&report, "git", "failure", "cannot be run");

    let git = keep.path().join("git");
    fs::write(&git, "#!/bin/sh\necho git version 2.39.5\n").unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let (output, report) = doctor(&arguments, &[("PATH", path)]);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert_finding(&report, "git", "warning", "2.39.5");

    let in_the_server = ("FOVEATE__INDEX__PARSE_WORKERS", "false");
    let (output, report) = doctor(&arguments, &[in_the_server]);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert_finding(&report, "parsing", "warning", "in the server process");

    let empty = keep.path().join("tokens");
    fs::write(&empty, "").unwrap();
    fs::set_permissions(&empty, fs::Permissions::from_mode(0o600)).unwrap();
    let file = ("FOVEATE__ACCESS__TOKEN_FILE", empty.to_str().unwrap());
    let (_, report) = doctor(&arguments, &[file]);
    assert_finding(&report, "access", "warning", "there is no valid one");

    for (name, value, check, part) in [
        ("FOVEATE__ANSWER__QUEUE", "many", "settings", "answer.queue"),
        (
            "FOVEATE__SERVER__LISTEN", "192.0.2.1:1", "server", "could not listen on",
        ),
        (
            "FOVEATE__SERVER__LISTEN", "0.0.0.0:0", "access", "there is no key",
        ),
        (
            "FOVEATE__INDEX__MEMORY_BYTES", "9000000000000000", "memory", "index.memory_bytes",
        ),
        (
            "FOVEATE__ACCESS__TOKEN_FILE", "/no/such/file", "access", "/no/such/file",
        ),
        (
            "SSL_CERT_FILE", "/no/such/file", "network", "SSL_CERT_FILE /no/such/file",
        ),
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT", "c:4317", "telemetry", "OTEL_EXPORTER_OTLP_ENDPOINT",
        ),
        (
            "FOVEATE__RANKING__FILE",
            "/no/such/file",
            "settings",
            "the ranking file /no/such/file",
        ),
    ] {
        let (output, report) = doctor(&arguments, &[(name, value)]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert_finding(&report, check, "failure", part);
    }

    let script = "ulimit -n 200; exec \"$0\" doctor --json --offline --data-dir \"$1\"";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_foveate"), arguments[1]])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report = serde_json::from_slice(&output.stdout).unwrap();
    assert_finding(&report, "open files", "failure", "the limit is 200");
}

#[test]
fn secrets_that_others_may_read_are_reported() {
    let keep = tempfile::tempdir().unwrap();
    let [data, cert, key, tokens] =
        ["data", "cert.pem", "key.pem", "tokens.toml"].map(|name| keep.path().join(name));
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    fs::write(&cert, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let table = format!("[ci]\ntoken = \"{}\"\nscope = \"read\"\n", "a1".repeat(20));
    fs::write(&tokens, table).unwrap();
    for (mode, beginning, part) in [
        (0o600, "ok", ""),
        (0o644, "warning", "other users may read it"),
    ] {
        for file in [&key, &tokens] {
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        }
        let (output, report) = doctor(
            &["--data-dir", data.to_str().unwrap(), "--offline"],
            &[
                ("FOVEATE__SERVER__TLS__CERT", cert.to_str().unwrap()),
                ("FOVEATE__SERVER__TLS__KEY", key.to_str().unwrap()),
                ("FOVEATE__ACCESS__TOKEN_FILE", tokens.to_str().unwrap()),
            ],
        );
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        for check in ["certificate", "access"] {
            assert_finding(&report, check, beginning, part);
        }
    }
}

/// Starts an HTTP server that answers 401 with a date in 2001 or, unless `answers`, never. Returns its port.
fn start_remote(answers: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            if answers {
                let _ = connection.read(&mut [0; 4096]);
                let _ = connection.write_all(
                    b"HTTP/1.1 401 Unauthorized\r\ndate: Mon, 01 Jan 2001 00:00:00 GMT\r\n\
                      www-authenticate: Basic\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                );
            } else {
                silent.push(connection);
            }
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn remote_checks_time_out_and_show_no_secret() {
    let keep = tempfile::tempdir().unwrap();
    let path = keep.path().to_owned();
    let server = Process::start_on(keep, &["env", "FOVEATE__GIT__SCHEMES=[http]"], None);
    let (refuses, silent) = (start_remote(true), start_remote(false));
    for (name, port) in [("refused", refuses), ("silent", silent)] {
        let url = format!("http://me:s3cret-word@127.0.0.1:{port}/a.git");
        let body = json!({"name": name, "source": {"git": url}});
        let added = server.call(Method::POST, "/repos", body).await;
        assert_eq!(added["name"], name, "{added}");
    }
    server.signal(Signal::KILL);
    let forge = format!("http://127.0.0.1:{refuses}");
    let variables = [
        ("FOVEATE__GIT__SCHEMES", "[http]"),
        ("FOVEATE__FORGE__GITEA__URL", &*forge),
        ("FOVEATE__FORGE__GITEA__TOKEN", "env:TOKEN_OF_FORGE"),
        ("FOVEATE__FORGE__GITEA__WEBHOOK_SECRET", "env:NOT_SET"),
        ("TOKEN_OF_FORGE", "t0ken-word"),
    ];
    let arguments = ["--data-dir", path.to_str().unwrap(), "--timeout", "2"];
    let (output, report) = doctor(&arguments, &variables);
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    assert_finding(&report, "remote", "failure", "refused: ");
    assert_finding(&report, "remote", "failure", "silent: ");
    assert_finding(
        &report,
        "forge",
        "failure",
        "gitea: cannot read a secret from env:NOT_SET",
    );
    assert_finding(&report, "forge", "failure", "gitea: ");
    assert_finding(&report, "clock", "failure", "127.0.0.1");
    let shown = report.to_string();
    assert!(
        !shown.contains("s3cret-word") && !shown.contains("t0ken-word"),
        "{shown}"
    );

    let closed = [
        ("FOVEATE__FORGE__GITEA__URL", "http://127.0.0.1:1"),
        variables[4],
    ];
    let (_, report) = doctor(&arguments, &[&variables[2..4], &closed].concat());
    let cause = "gitea: the forge cannot be reached: no connection (Connection refused";
    assert_finding(&report, "forge", "failure", cause);

    let key = [
        ("FOVEATE__FORGE__GITHUB__URL", "http://127.0.0.1:1"),
        ("FOVEATE__FORGE__GITHUB__APP_ID", "1"),
        (
            "FOVEATE__FORGE__GITHUB__PRIVATE_KEY",
            "file:/no/such/key.pem",
        ),
    ];
    let (_, report) = doctor(&arguments, &key);
    let unreadable = "github: cannot read a secret from file:/no/such/key.pem";
    assert_finding(&report, "forge", "failure", unreadable);
    let advice = "put the secret there, or change forge.github.private_key";
    assert!(report.to_string().contains(advice), "{report:#}");

    let registering = [
        &variables[1..],
        &[("FOVEATE__FORGE__REGISTER_OWNERS", "[acme]")],
    ];
    let (_, report) = doctor(&arguments, &registering.concat());
    let refused = "gitea: webhooks cannot register repositories";
    assert_finding(&report, "forge", "failure", refused);

    let offline = [&arguments[..], &["--offline"]].concat();
    let (_, report) = doctor(&offline, &variables);
    assert_eq!(found(&report, "remote"), Vec::<String>::new());
    let unreadable =
        ["failure: gitea: cannot read a secret from env:NOT_SET: the variable is not set"];
    assert_eq!(found(&report, "forge"), unreadable);
    assert_finding(&report, "clock", "ok", "not compared");
}
