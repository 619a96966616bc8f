//! `foveate context --server`: sends the question to a running server, and prints the answer like a local one.

use std::process::ExitCode;

use anyhow::bail;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::evidence::ComposedQuestion;
use super::{ContextArgs, output};
use crate::cli::{NOTHING_FOUND, UsageError, client};

/// Asks the server and prints its answer.
///
/// # Errors
/// When the arguments cannot be used, the server cannot be reached, or it refuses the request.
pub(super) fn run(args: &ContextArgs, server: &str) -> anyhow::Result<ExitCode> {
    if args.explain && !args.json {
        let text = "--explain: with --server the reasons are only in the JSON: add --json";
        return Err(UsageError(text.to_owned()).into());
    }
    let name = args.directory.to_string_lossy();
    let path = client::path_of(&name).map_err(|error| {
        UsageError(format!(
            "with --server, the first argument is the name of a repository on the server, not {name:?}; `foveate repo \
             list` lists them; {error}"
        ))
    })?;
    let path = path + "/context";
    let body = body(args, ComposedQuestion::gather(args)?);
    let answer = client::Call {
        server,
        token_file: args.token_file.as_deref(),
        method: Method::POST,
        path: &path,
        body: Some(body),
        any_certificate: false,
    }
    .send()?;
    if !answer.get("context").is_some_and(Value::is_string) {
        bail!(client::foreign_answer(server, StatusCode::OK));
    }
    let text = |value: &Value, name: &str| {
        let text = value.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let list = |name: &str| {
        let list = answer.get(name).and_then(Value::as_array);
        list.map_or(&[][..], Vec::as_slice)
    };
    let context = text(&answer, "context");
    output::write(args, &context, list("sections").len(), &answer)?;
    if !args.json {
        let issues = list("issues").iter();
        output::issues(issues.map(|issue| (text(issue, "code"), text(issue, "detail"))));
    }
    Ok(match list("sections") {
        [] => ExitCode::from(NOTHING_FOUND),
        _ => ExitCode::SUCCESS,
    })
}

/// Builds the body of the request. Absent values are left to the server, which validates the request.
fn body(args: &ContextArgs, asked: ComposedQuestion) -> Value {
    let diff = asked.diff;
    let mut body = json!({
        "query": asked.text,
        "diff": diff.map(|ends| json!({"base": ends.base, "head": ends.head})),
        "ref": args.r#ref,
        "budget_tokens": args.size.budget,
        "breadth": args.size.breadth,
        "min_probability": args.size.min_probability,
        "max_files": args.size.max_files,
        "max_chars": args.size.max_chars,
        "link_base": asked.link_base,
        "format": args.format,
        "intent": args.intent,
        "limit": args.limit,
        "focus": {"paths": args.hints.focus_path, "symbols": args.hints.focus_symbol},
        "seen": {"paths": args.hints.seen_path, "places": args.hints.seen_place},
        "explain": args.explain,
    });
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    body
}
