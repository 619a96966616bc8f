//! Tests cases made from recorded answers and feedback: `foveate eval` measures them, `foveate train` fits to them.

use std::path::Path;
use std::process::{Command, Output};

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, git, tree};
use crate::feedback::database;

fn run(command: &str, data: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_foveate"))
        .args([command, "--from-feedback", "--data-dir"])
        .arg(data)
        .args(arguments)
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Makes `count` changes; asks a server about each beforehand and sends feedback about it afterwards.
async fn record_answers(data: &Path, count: usize, queries: bool) -> tempfile::TempDir {
    let (keep, root) = tree(SHOP);
    commit(&root, "Start the shop");
    let app = TestApp::start_on_with(data, |config| config.feedback.queries = queries).await;
    app.add_git("corner/shop", &root, None).await;
    for price in 0..count {
        let base = git(&root, &["rev-parse", "HEAD"]);
        let query = format!("the total price of the items must be {price}");
        let ask = json!({"repo": "corner/shop", "query": query, "ref": base});
        let answer = app.post("/context", ask).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        let text = format!("def total_price(items):\n    return {price}\n");
        std::fs::write(root.join("shop/price.py"), text).unwrap();
        commit(&root, &format!("Let it be {price}"));
        let given = json!({
            "request_id": answer.json()["request_id"],
            "changed": [{"path": "shop/price.py", "name": "total_price"}],
        });
        let given = app.post("/feedback", given).await;
        assert_eq!(given.status, StatusCode::OK, "{}", given.text);
    }
    app.end().await;
    keep
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_answers_are_evaluated_and_trained_on() {
    let data = tempfile::tempdir().unwrap();
    let _keep = record_answers(data.path(), 12, true).await;
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();

    let output = run(
        "eval",
        data.path(),
        &["--strict", "--json", &path("eval.json")],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let evaluation: Value =
        serde_json::from_slice(&std::fs::read(path("eval.json")).unwrap()).unwrap();
    let cases = evaluation["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 12);
    for case in cases {
        assert_eq!(case["repo"], "corner/shop");
        assert_eq!(case["gold_functions"], json!(["shop/price.py:total_price"]));
        assert_eq!(case["file_ranks"], json!([1]), "{case}");
    }

    // The new weights are tested on the newest answers before they are written; then a server uses them.
    let own = path("own.toml");
    let output = run("train", data.path(), &["--write", &own]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("the newest 2 answers"), "{report}");
    assert!(report.contains("adjusted to the 10 older ones"), "{report}");
    let output = run("eval", data.path(), &["--ranking", &own, "--strict"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let ranked = |config: &mut foveate::config::Config| config.ranking.file = (&own).into();
    let app = TestApp::start_on_with(data.path(), ranked).await;
    app.ready("corner/shop").await;
    let answer = app.ask("corner/shop", "`total_price`").await;
    assert_eq!(answer["files"][0]["path"], "shop/price.py");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_without_queries_gives_no_cases() {
    let data = tempfile::tempdir().unwrap();
    let _keep = record_answers(data.path(), 1, false).await;
    for command in ["eval", "train"] {
        let output = run(command, data.path(), &[]);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        let expected = "of 1 recorded answers, 1 have changed places and 0 have their question";
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(stderr(&output).contains("feedback.queries"));
        let both = run(command, data.path(), &["cases.jsonl", "--repos", "x"]);
        assert_eq!(both.status.code(), Some(2), "{}", stderr(&both));
    }
    let nowhere = run("eval", Path::new("/no/such/data"), &[]);
    assert_eq!(nowhere.status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn unregistered_repository_is_named_and_gives_no_case() {
    let data = tempfile::tempdir().unwrap();
    let _keep = record_answers(data.path(), 1, true).await;
    // A watched directory is not registered.
    let mut database = database(data.path()).await;
    let unlist = sqlx::query("delete from repositories");
    unlist.execute(&mut database).await.unwrap();
    for command in ["eval", "train"] {
        let output = run(command, data.path(), &[]);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert!(
            stderr(&output).contains("corner/shop (1)"),
            "{}",
            stderr(&output)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn training_needs_enough_answers() {
    let data = tempfile::tempdir().unwrap();
    let _keep = record_answers(data.path(), 2, true).await;
    let own = data.path().join("own.toml");
    let output = run("train", data.path(), &["--write", own.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("only 2 answers can be used, 10 are needed"));
    assert!(!own.exists());
}
