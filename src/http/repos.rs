//! `/repos`: registering, listing, synchronizing and removing repositories. What is told of one is
//! in [`answer`].

mod answer;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::HttpState;
use super::extract::{Body, Parameters, Segments};
use super::problem::{Problem, ProblemBody, unknown_repo};
use crate::engine::{Repository, Source};
use crate::ingest::Registration;
use answer::{RepoAnswer, SourceBody, repo_answer, skipped_files};

/// A repository to register.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterBody {
    /// 1 to 100 letters, digits, `.`, `_` or `-`, beginning with none of `.` and `-`.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"
    )]
    name: String,
    /// Where its files come from: `path` or `git`.
    source: SourceBody,
    /// Whether to follow changes of a `path`; absent: yes. Not for `git`.
    watch: Option<bool>,
    /// Seconds between two looks at a `git` repository; 0: only when asked to; absent: the server's
    /// `git.poll_seconds`. Not for `path`.
    poll_seconds: Option<u32>,
}

/// All repositories.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReposAnswer {
    /// By name.
    repos: Vec<RepoAnswer>,
}

/// What to tell of a repository.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepoParameters {
    /// Whether to list the files that are not indexed.
    #[serde(default)]
    skipped: bool,
}

/// Register a repository. Indexing starts at once.
#[utoipa::path(
    post, path = "/repos", tag = "repos",
    request_body = RegisterBody,
    responses(
        (status = 201, description = "Registered; the Location header names it", body = RepoAnswer),
        (status = 400, description = "A field cannot be used", body = ProblemBody, content_type = "application/problem+json"),
        (status = 403, description = "The path may not be registered", body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, description = "The name is in use", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub async fn register(
    State(state): State<HttpState>,
    Body(body): Body<RegisterBody>,
) -> Result<impl IntoResponse, Problem> {
    let registration = registration(body)?;
    let repository = state.catalog.register(registration).await?;
    let location = format!("/repos/{}", repository.name().segment());
    Ok((
        StatusCode::CREATED,
        [(header::LOCATION, location)],
        Json(repo_answer(&repository)),
    ))
}

/// List all repositories.
#[utoipa::path(
    get, path = "/repos", tag = "repos",
    responses((status = 200, description = "All repositories, by name", body = ReposAnswer))
)]
pub async fn list(State(state): State<HttpState>) -> Result<Json<ReposAnswer>, Problem> {
    let repositories = state.engine.repositories();
    // What each has on the disk is asked of the disk.
    let told = move || repositories.iter().map(repo_answer).collect();
    let repos = tokio::task::spawn_blocking(told)
        .await
        .map_err(|_| Problem::internal())?;
    Ok(Json(ReposAnswer { repos }))
}

/// Show one repository.
#[utoipa::path(
    get, path = "/repos/{repo}", tag = "repos",
    params(
        ("repo" = String, Path, description = "Name of the repository"),
        ("skipped" = Option<bool>, Query, description = "Whether to list the files that are not indexed"),
    ),
    responses(
        (status = 200, description = "The repository", body = RepoAnswer),
        (status = 404, description = "Unknown repository", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub async fn show(
    State(state): State<HttpState>,
    Segments(name): Segments<String>,
    Parameters(parameters): Parameters<RepoParameters>,
) -> Result<Json<RepoAnswer>, Problem> {
    let repository = find(&state, &name)?;
    let mut answer = repo_answer(&repository);
    if parameters.skipped {
        answer.skipped_files = Some(skipped_files(&repository));
    }
    Ok(Json(answer))
}

/// Remove a repository. Its files are not touched; questions in flight finish.
#[utoipa::path(
    delete, path = "/repos/{repo}", tag = "repos",
    params(("repo" = String, Path, description = "Name of the repository")),
    responses(
        (status = 204, description = "Removed"),
        (status = 404, description = "Unknown repository", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub async fn remove(
    State(state): State<HttpState>,
    Segments(name): Segments<String>,
) -> Result<StatusCode, Problem> {
    if state.catalog.remove(&name).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown_repo(&name))
    }
}

/// Look at a repository's source again; fetches a remote one. Does not wait for the result.
#[utoipa::path(
    post, path = "/repos/{repo}/sync", tag = "repos",
    params(("repo" = String, Path, description = "Name of the repository")),
    responses(
        (status = 202, description = "Ordered", body = RepoAnswer),
        (status = 404, description = "Unknown repository", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub async fn sync(
    State(state): State<HttpState>,
    Segments(name): Segments<String>,
) -> Result<(StatusCode, Json<RepoAnswer>), Problem> {
    let repository = find(&state, &name)?;
    repository.order_sync();
    Ok((StatusCode::ACCEPTED, Json(repo_answer(&repository))))
}

/// What was dropped.
#[derive(Debug, Serialize, ToSchema)]
pub struct CollectedAnswer {
    /// Bytes freed in the data directory.
    freed_bytes: u64,
    /// The same by repository, of those that are in memory and of those that there are no more.
    repos: BTreeMap<String, u64>,
}

/// Drop what is stored and no revision in memory holds, and what is stored of repositories that
/// there are no more. Answers do not wait for it.
#[utoipa::path(
    post, path = "/gc", tag = "repos",
    responses((status = 200, description = "Done", body = CollectedAnswer))
)]
pub async fn collect(State(state): State<HttpState>) -> Json<CollectedAnswer> {
    let repos = state.catalog.collect().await;
    Json(CollectedAnswer {
        freed_bytes: repos.values().sum(),
        repos,
    })
}

fn find(state: &HttpState, name: &str) -> Result<Arc<Repository>, Problem> {
    state.engine.get(name).ok_or_else(|| unknown_repo(name))
}

fn registration(body: RegisterBody) -> Result<Registration, Problem> {
    let SourceBody { path, git, r#ref } = body.source;
    let source = match (path, git) {
        (Some(path), None) => {
            if body.poll_seconds.is_some() {
                let detail = "`poll_seconds` goes with `git`; a path is watched";
                return Err(Problem::invalid_field("poll_seconds", detail));
            }
            if r#ref.is_some() {
                let detail = "`source.ref` goes with `git`; ask a path with `ref` in /context";
                return Err(Problem::invalid_field("source.ref", detail));
            }
            Source::WorkingTree {
                path: PathBuf::from(path),
                watch: body.watch.unwrap_or(true),
            }
        }
        (None, Some(location)) => {
            if body.watch == Some(true) {
                let detail = "`watch` goes with `path`; order POST /repos/{repo}/sync for `git`";
                return Err(Problem::invalid_field("watch", detail));
            }
            Source::Git {
                location,
                reference: r#ref,
                poll: body.poll_seconds.map(|n| Duration::from_secs(n.into())),
            }
        }
        _ => {
            let detail = "`source` must have exactly one of `path` and `git`";
            return Err(Problem::invalid_field("source", detail));
        }
    };
    Ok(Registration {
        name: body.name,
        source,
    })
}
