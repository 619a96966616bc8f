//! Serves `/repos`: registering, listing, syncing and removing repositories. [`answer`] has the description
//! of a repository, [`source`] where its files come from.

mod answer;
mod source;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::HttpState;
use super::authorize::Caller;
use super::extract::{Body, Parameters, Segments};
use super::openapi::problems::{
    Conflict, NotFound, PayloadTooLarge, Unavailable, UnsupportedMediaType,
};
use super::openapi::schemas::RepositoryName;
use super::problem::{Problem, unknown_repo};
use crate::access::audit::{self, Action, Outcome};
use crate::engine::Repository;
use crate::telemetry::spans::spawn_blocking;
use answer::{RepoAnswer, repo_answer, skipped_files};
use source::{RegisterBody, Registered};

/// All repositories.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReposAnswer {
    /// By name.
    repos: Vec<RepoAnswer>,
}

/// Query parameters of `GET /repos/{repo}`.
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
        (
            status = 201, description = "Registered", body = RepoAnswer,
            headers(("location" = String, description = "Path of the repository")),
            links(
                ("show" = (operation_id = "show", parameters(("repo" = "$response.body#/name")))),
                ("sync" = (operation_id = "sync", parameters(("repo" = "$response.body#/name")))),
                ("ask" = (operation_id = "repo_context", parameters(("repo" = "$response.body#/name")))),
                ("remove" = (operation_id = "remove", parameters(("repo" = "$response.body#/name")))),
            ),
        ),
        Conflict, PayloadTooLarge, UnsupportedMediaType, Unavailable,
    )
)]
pub async fn register(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Body(Registered(registration)): Body<Registered>,
) -> Result<impl IntoResponse, Problem> {
    let repository = state.catalog.register(&grant, registration).await?;
    state.trace_repo(&grant, repository.name.as_str());
    let location = format!("/repos/{}", repository.name.segment());
    Ok((
        StatusCode::CREATED,
        [(header::LOCATION, location)],
        Json(describe(repository, false).await?),
    ))
}

/// Describes a repository, optionally with the files that are not indexed. Blocking, as the size on disk is
/// read from disk.
async fn describe(repository: Arc<Repository>, with_skipped: bool) -> Result<RepoAnswer, Problem> {
    let described = move || {
        let mut described = repo_answer(&repository);
        described.skipped_files = with_skipped.then(|| skipped_files(&repository));
        described
    };
    spawn_blocking(described)
        .await
        .map_err(|_| Problem::internal())
}

/// List all repositories.
#[utoipa::path(
    get, path = "/repos", tag = "repos",
    responses((status = 200, description = "All repositories, by name", body = ReposAnswer), Unavailable)
)]
pub async fn list(
    State(state): State<HttpState>,
    Caller(grant): Caller,
) -> Result<Json<ReposAnswer>, Problem> {
    let repositories = state.engine.repositories(&grant);
    audit::record(&grant, Action::List, None, Outcome::Done);
    let described = move || repositories.iter().map(repo_answer).collect();
    let repos = spawn_blocking(described)
        .await
        .map_err(|_| Problem::internal())?;
    Ok(Json(ReposAnswer { repos }))
}

/// Show one repository.
#[utoipa::path(
    get, path = "/repos/{repo}", tag = "repos",
    params(
        ("repo" = RepositoryName, Path, description = "Name of the repository"),
        ("skipped" = Option<bool>, Query, description = "Whether to list the files that are not indexed"),
    ),
    responses(
        (status = 200, description = "The repository", body = RepoAnswer),
        NotFound, Unavailable,
    )
)]
pub async fn show(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Segments(name): Segments<String>,
    Parameters(parameters): Parameters<RepoParameters>,
) -> Result<Json<RepoAnswer>, Problem> {
    state.trace_repo(&grant, &name);
    let found = state.engine.get(&grant, &name);
    let Some(repository) = found else {
        audit::record(&grant, Action::Show, None, Outcome::Unknown);
        return Err(unknown_repo(&name));
    };
    let repo = Some(repository.name.as_str());
    audit::record(&grant, Action::Show, repo, Outcome::Done);
    Ok(Json(describe(repository, parameters.skipped).await?))
}

/// Remove a repository. Its files are not touched; questions in flight finish.
#[utoipa::path(
    delete, path = "/repos/{repo}", tag = "repos",
    params(("repo" = RepositoryName, Path, description = "Name of the repository")),
    responses(
        (status = 204, description = "Removed"),
        NotFound, Unavailable,
    )
)]
pub async fn remove(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Segments(name): Segments<String>,
) -> Result<StatusCode, Problem> {
    state.trace_repo(&grant, &name);
    state.catalog.remove(&grant, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Check a repository's source for changes; fetches a remote one. Does not wait for the result.
#[utoipa::path(
    post, path = "/repos/{repo}/sync", tag = "repos",
    params(("repo" = RepositoryName, Path, description = "Name of the repository")),
    responses(
        (status = 202, description = "The check was requested", body = RepoAnswer),
        NotFound, Unavailable,
    )
)]
pub async fn sync(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Segments(name): Segments<String>,
) -> Result<(StatusCode, Json<RepoAnswer>), Problem> {
    state.trace_repo(&grant, &name);
    let repository = state.catalog.sync(&grant, &name)?;
    Ok((
        StatusCode::ACCEPTED,
        Json(describe(repository, false).await?),
    ))
}

/// Result of a garbage collection.
#[derive(Debug, Serialize, ToSchema)]
pub struct CollectedAnswer {
    /// Bytes freed in the data directory.
    freed_bytes: u64,
    /// Bytes freed by repository, for those in memory and those no longer registered.
    repos: BTreeMap<String, u64>,
}

/// Delete stored data that no revision in memory uses, and the stored data of repositories that are no longer
/// registered. Does not delay answers.
#[utoipa::path(
    post, path = "/gc", tag = "repos",
    responses((status = 200, description = "Done", body = CollectedAnswer), Unavailable)
)]
pub async fn collect(
    State(state): State<HttpState>,
    Caller(grant): Caller,
) -> Result<Json<CollectedAnswer>, Problem> {
    let repos = state.catalog.collect_garbage(&grant).await?;
    Ok(Json(CollectedAnswer {
        freed_bytes: repos.values().sum(),
        repos,
    }))
}
