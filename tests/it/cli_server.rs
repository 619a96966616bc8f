//! Tests commands that call a server: `foveate repo`, and servers that answer otherwise than Foveate does.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use super::cli::{foveate, stderr, stdout};
use crate::app::{SHOP, TestApp, commit, tree};

/// Runs a command whose server gives this answer.
fn run_with_answer(arguments: &[&str], answer: &str) -> Output {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut command = foveate(arguments);
    command.args(["--server", &url]).stderr(Stdio::piped());
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    let (stream, _) = listener.accept().unwrap();
    let mut request = BufReader::new(&stream);
    let mut line = String::new();
    while request.read_line(&mut line).unwrap() > 2 {
        line.clear();
    }
    write!(&stream, "HTTP/1.1 {answer}").unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn redirect_to_another_server_names_it() {
    let (_keep, root) = tree(SHOP);
    for (path, server) in [
        ("/repos", "https://foveate.invalid"),
        ("/code/repos", "https://foveate.invalid/code"),
        ("/login?to=repos", "https://foveate.invalid"),
    ] {
        let answer = format!(
            "301 Moved Permanently\r\nlocation: https://foveate.invalid{path}\r\ncontent-length: 0\r\n\r\n"
        );
        let add = ["repo", "add", root.to_str().unwrap()];
        let output = run_with_answer(&add, &answer);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let text = stderr(&output);
        let told = format!("redirects to {server}: use that as --server");
        assert!(text.contains(&told), "{text}");
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn server_of_another_scheme_is_a_wrong_argument() {
    for server in ["ftp://127.0.0.1", "localhost:7878", "127.0.0.1:7878"] {
        let output = foveate(&["repo", "list", "--server", server])
            .output()
            .unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("--server must be a URL"), "{text}");
    }
}

#[test]
fn answer_of_another_server_is_an_error() {
    for answer in [
        "302 Found\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n",
        "502 Bad Gateway\r\ncontent-length: 0\r\n\r\n",
        "401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}",
        "200 OK\r\ncontent-length: 18\r\n\r\n<html>login</html>",
    ] {
        for arguments in [
            &["context", "shop", "`total_price`"][..],
            &["repo", "rm", "shop"],
            &["repo", "list"],
            &["health"],
        ] {
            let output = run_with_answer(arguments, answer);
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {answer}");
            let text = stderr(&output);
            assert!(text.contains("not from Foveate (status "), "{text}");
            assert_eq!(stdout(&output), "");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repo_commands_call_the_server() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let call = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let url = app.url.clone();
        foveate::telemetry::spans::spawn_blocking(move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            foveate(&arguments)
                .env("FOVEATE_SERVER", url)
                .output()
                .unwrap()
        })
    };
    let path = root.to_str().unwrap();
    let empty = call(&["repo", "list"]).await.unwrap();
    assert!(stdout(&empty).contains("no repository is registered"));
    let added = call(&["repo", "add", path, "--name", "shop"])
        .await
        .unwrap();
    assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
    let git = call(&["repo", "add", path, "--git", "--ref", "main", "--name", "g"])
        .await
        .unwrap();
    assert_eq!(git.status.code(), Some(0), "{}", stderr(&git));
    app.ready("shop").await;
    app.ready("g").await;
    let owned = call(&["repo", "add", path, "--name", "acme/shop"]);
    assert_eq!(owned.await.unwrap().status.code(), Some(0));
    let shown = call(&["repo", "show", "acme/shop"]).await.unwrap();
    assert!(
        stdout(&shown).starts_with("name: acme/shop\n"),
        "{}",
        stderr(&shown)
    );
    let removed = call(&["repo", "rm", "acme/shop"]).await.unwrap();
    assert_eq!(removed.status.code(), Some(0), "{}", stderr(&removed));
    let list = call(&["repo", "list", "--json"]).await.unwrap();
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    assert_eq!(list["repos"].as_array().unwrap().len(), 2);
    let shown = call(&["repo", "show", "shop"]).await.unwrap();
    let shown = stdout(&shown);
    for property in [
        &*format!("source: {path}\n"),
        "state: ready\n",
        "files: 4\n",
        "languages: python ",
        "watch: ",
        "memory: ",
        "disk: ",
    ] {
        assert!(shown.contains(property), "{property}: {shown}");
    }
    let shown = call(&["repo", "show", "g"]).await.unwrap();
    assert!(stdout(&shown).contains("ref: main\n"));
    let synced = call(&["repo", "sync", "shop"]).await.unwrap();
    assert_eq!(synced.status.code(), Some(0), "{}", stderr(&synced));
    assert!(stdout(&synced).starts_with("syncing shop; "));
    let taken = call(&["repo", "add", path, "--name", "shop"])
        .await
        .unwrap();
    assert_eq!(taken.status.code(), Some(1));
    assert!(stderr(&taken).contains("repo_exists"), "{}", stderr(&taken));
    assert_eq!(
        call(&["repo", "rm", "shop"]).await.unwrap().status.code(),
        Some(0)
    );
    for (arguments, code) in [
        (&["repo", "rm", "shop"][..], 3),
        (&["repo", "show", "shop"], 3),
        (&["repo", "sync", "shop"], 3),
        // For `context`, 3 says that there is nothing to show.
        (&["context", "shop", "x", "--server", &*app.url], 1),
    ] {
        let unknown = call(arguments).await.unwrap();
        assert_eq!(unknown.status.code(), Some(code), "{arguments:?}");
        let told = stderr(&unknown);
        let advice =
            "is called \"shop\"; `foveate repo list` lists them, `foveate repo add` adds one";
        assert!(told.contains(advice), "{told}");
    }
    let collected = call(&["repo", "gc"]).await.unwrap();
    assert!(
        stdout(&collected).starts_with("freed "),
        "{}",
        stderr(&collected)
    );
    assert_eq!(call(&["health"]).await.unwrap().status.code(), Some(0));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn git_repositories_are_added_by_relative_paths() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let add = |arguments: &'static [&'static str], directory: &Path| {
        foveate(&[&["repo", "add", "--git"], arguments].concat())
            .current_dir(directory)
            .env("FOVEATE_SERVER", &app.url)
            .output()
            .unwrap()
    };
    for (arguments, name) in [
        (&[".", "--name", "dot"][..], "dot"),
        (&["./", "--name", "slash"], "slash"),
        (&["../"], "down"),
    ] {
        let directory = if name == "down" { "shop" } else { "" };
        let added = add(arguments, &root.join(directory));
        assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
    }
    let repos = app.get("/repos").await.json()["repos"].clone();
    let sources: Vec<_> = repos
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["source"]["git"])
        .collect();
    assert_eq!(sources, [&serde_json::json!(root); 3]);
    for (arguments, told) in [
        (&["./missing"][..], "./missing: No such file"),
        (&["README.md"], "not a directory"),
        // Sent unchanged: the server refuses them.
        (&["/no/such.git"], "/no/such.git is not a directory that"),
        (&["ext::sh"], "must be an absolute path or a URL"),
    ] {
        let refused = add(arguments, &root);
        assert_ne!(refused.status.code(), Some(0));
        let error = stderr(&refused);
        assert!(error.contains(told), "{error}");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn url_is_added_as_git_repository() {
    let app = TestApp::start_with(|config| config.git.schemes.push("file".to_owned())).await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let root = root.to_str().unwrap();
    let add = |source: &str, more: &[&str]| {
        foveate(&[&["repo", "add", source], more].concat())
            .env("FOVEATE_SERVER", &app.url)
            .output()
            .unwrap()
    };
    let url = format!("file://{root}");
    let added = add(&url, &["--name", "shop", "--ref", "main"]);
    assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
    let source = app.get("/repos/shop").await.json()["source"].clone();
    assert_eq!(
        (&source["git"], &source["ref"]),
        (&json!(url), &json!("main"))
    );
    for (source, more, told) in [
        (&*url, &["--no-watch"][..], "--no-watch"),
        (root, &["--ref", "main"], "add --git"),
        (root, &["--poll", "9"], "add --git"),
    ] {
        let refused = add(source, more);
        assert_eq!(refused.status.code(), Some(2));
        let error = stderr(&refused);
        assert!(error.contains(told), "{error}");
    }
    app.end().await;
}
