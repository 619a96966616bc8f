//! `POST /context`: the question on the wire, its validation, and the answer.

use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use foveate_model::RepoPath;
use foveate_query::request::{BUDGET_TOKENS, LIMIT};
use foveate_query::{Focus, Request};
use serde::Deserialize;
use utoipa::ToSchema;

use super::HttpState;
use super::extract::{Body, Segments};
use super::layers::RequestId;
use super::problem::{Problem, ProblemBody};
use crate::engine::Question;
use crate::wire::{Asked, ContextAnswer, FormatName, IntentName};

/// A question to a repository.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextBody {
    /// Name of the repository. Only at `/context`, and required there.
    repo: Option<String>,
    /// Commit, branch or tag to answer from; absent: the working tree, or the registered ref.
    #[schema(max_length = 255)]
    r#ref: Option<String>,
    /// Issue text, question or stack trace.
    #[schema(min_length = 1)]
    query: String,
    /// Tokens (o200k_base) that `context` may cost.
    #[schema(minimum = 200, maximum = 128_000, default = 8000)]
    budget_tokens: Option<usize>,
    /// How to render `context`; absent: `xml`.
    format: Option<FormatName>,
    /// What is asked for, where the caller knows it; absent: detected.
    intent: Option<IntentName>,
    /// Ranked files and functions to list.
    #[schema(minimum = 1, maximum = 100, default = 20)]
    limit: Option<usize>,
    /// What the caller already knows to matter.
    focus: Option<FocusBody>,
    /// Whether functions carry the reasons for their scores; absent: no.
    explain: Option<bool>,
}

/// What the caller already knows to matter, such as the files of a pull request.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FocusBody {
    /// Paths of files, relative to the repository's root.
    #[serde(default)]
    #[schema(max_items = 1000)]
    paths: Vec<String>,
    /// Names of definitions, qualified or not.
    #[serde(default)]
    #[schema(max_items = 1000)]
    symbols: Vec<String>,
}

/// Paths or symbols that one request may name.
const MOST_FOCUS: usize = 1000;

/// Which code must the reader see?
#[utoipa::path(
    post, path = "/context", tag = "context",
    request_body = ContextBody,
    responses(
        (status = 200, description = "The answer", body = ContextAnswer),
        (status = 400, description = "A field cannot be used", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "Unknown repository or ref", body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, description = "The repository could not be indexed", body = ProblemBody, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = ProblemBody, content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON", body = ProblemBody, content_type = "application/problem+json"),
        (status = 429, description = "Too many questions at once", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "Still indexing, or the deadline was met", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub async fn context(
    State(state): State<HttpState>,
    Extension(id): Extension<RequestId>,
    Body(mut body): Body<ContextBody>,
) -> Result<Response, Problem> {
    let repo = body.repo.take().ok_or_else(|| {
        Problem::invalid_field("repo", "`repo` is missing: name the repository to ask")
    })?;
    answer(&state, id, repo, body).await
}

/// Which code of this repository must the reader see?
#[utoipa::path(
    post, path = "/repos/{repo}/context", tag = "context",
    params(("repo" = String, Path, description = "Name of the repository")),
    request_body = ContextBody,
    responses(
        (status = 200, description = "The answer", body = ContextAnswer),
        (status = 400, description = "A field cannot be used", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "Unknown repository or ref", body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, description = "The repository could not be indexed", body = ProblemBody, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = ProblemBody, content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON", body = ProblemBody, content_type = "application/problem+json"),
        (status = 429, description = "Too many questions at once", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "Still indexing, or the deadline was met", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub async fn repo_context(
    State(state): State<HttpState>,
    Extension(id): Extension<RequestId>,
    Segments(repo): Segments<String>,
    Body(body): Body<ContextBody>,
) -> Result<Response, Problem> {
    if body.repo.is_some() {
        return Err(Problem {
            code: "unknown_field",
            ..Problem::invalid_field("repo", "`repo` is not a field here: the path names it")
        });
    }
    answer(&state, id, repo, body).await
}

async fn answer(
    state: &HttpState,
    RequestId(id): RequestId,
    repo: String,
    body: ContextBody,
) -> Result<Response, Problem> {
    let reference = body.r#ref.clone();
    let explain = body.explain.unwrap_or(false);
    let request = request(body, state.limits.max_query_bytes)?;
    let asked = Asked {
        request_id: Some(id),
        budget_tokens: request.budget_tokens,
        explain,
    };
    let question = Question {
        repo,
        reference,
        request,
    };
    let answered = state.engine.ask(question).await?;
    json(&ContextAnswer::new(answered, asked))
}

/// Bytes of an answer beside the context, which most of it is.
const BESIDE_CONTEXT: usize = 32 << 10;

/// The answer, written into room for all of it: `axum::Json` begins with 128 bytes.
fn json(answer: &ContextAnswer) -> Result<Response, Problem> {
    let context = answer.context.len();
    let mut json = Vec::with_capacity(context + context / 4 + BESIDE_CONTEXT);
    serde_json::to_writer(&mut json, answer).map_err(|_| Problem::internal())?;
    Ok(([(CONTENT_TYPE, "application/json")], json).into_response())
}

/// The validated request.
fn request(body: ContextBody, max_query_bytes: usize) -> Result<Request, Problem> {
    let defaults = Request::default();
    if body.query.trim().is_empty() {
        return Err(Problem {
            code: "empty_query",
            ..Problem::invalid_field(
                "query",
                "`query` is empty: give the issue, question or stack trace",
            )
        });
    }
    if body.query.len() > max_query_bytes {
        let detail = format!(
            "`query` has {} bytes, and answer.max_query_bytes is {max_query_bytes}: cut it",
            body.query.len()
        );
        return Err(Problem::invalid_field("query", detail));
    }
    let budget_tokens = body.budget_tokens.unwrap_or(defaults.budget_tokens);
    in_range("budget_tokens", budget_tokens, &BUDGET_TOKENS)?;
    let limit = body.limit.unwrap_or(defaults.limit);
    in_range("limit", limit, &LIMIT)?;
    Ok(Request {
        query: body.query,
        budget_tokens,
        format: body.format.unwrap_or_default().into(),
        intent: body.intent.map(Into::into),
        limit,
        focus: focus(body.focus.unwrap_or_default())?,
    })
}

fn in_range(
    field: &str,
    value: usize,
    range: &std::ops::RangeInclusive<usize>,
) -> Result<(), Problem> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = (range.start(), range.end());
    let detail = format!("`{field}` must be {least} to {most}, not {value}");
    Err(Problem::invalid_field(field, detail))
}

fn focus(body: FocusBody) -> Result<Focus, Problem> {
    for (field, count) in [
        ("focus.paths", body.paths.len()),
        ("focus.symbols", body.symbols.len()),
    ] {
        if count > MOST_FOCUS {
            let detail = format!("`{field}` has {count} entries; at most {MOST_FOCUS} are read");
            return Err(Problem::invalid_field(field, detail));
        }
    }
    let paths = body.paths.iter().map(|path| RepoPath::new(path));
    Ok(Focus {
        paths: paths
            .collect::<Result<_, _>>()
            .map_err(|error| Problem::invalid_field("focus.paths", error.to_string()))?,
        symbols: body.symbols,
    })
}
