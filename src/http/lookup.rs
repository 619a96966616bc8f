//! Serves the direct lookups: `GET /repos/{repo}/definitions`, `references`, `outline`, `search` and
//! `files/{path}`.

use axum::Json;
use axum::extract::State;

use super::HttpState;
use super::authorize::Caller;
use super::extract::{Parameters, Segments};
use super::openapi::problems::{Conflict, NotFound, Unavailable};
use super::openapi::schemas::{
    Cursor, DefinitionName, FilePath, LineRange, PathPrefix, Reference, RepositoryName, SearchText,
};
use super::problem::Problem;
use crate::access::Grant;
use crate::wire::lookup::{
    DefinitionsAnswer, FileTextAnswer, Lookup, LookupContext, OutlineAnswer, RawDefinitions,
    RawFile, RawOutline, RawReferences, RawSearch, ReferencesAnswer, SearchAnswer, SearchKindName,
};

/// Runs a lookup in a repository.
async fn run_lookup<L: Lookup>(
    state: &HttpState,
    grant: &Grant,
    repo: &str,
    lookup: L,
) -> Result<Json<L::Answer>, Problem> {
    let engine = &state.engine;
    let context = LookupContext {
        engine,
        grant,
        repo,
    };
    Ok(Json(lookup.run(context).await?))
}

/// Where is this name defined?
#[utoipa::path(
    get, path = "/repos/{repo}/definitions", tag = "lookups",
    params(
        ("repo" = RepositoryName, Path, description = "Name of the repository"),
        ("name" = DefinitionName, Query, description = "Name of a definition, optionally with enclosing names: `connect`, `Client.connect`, `package.module.Client`; or of a file: `src/client.py:Client.connect`"),
        ("ref" = Option<Reference>, Query, description = "Commit, branch or tag; absent: the working tree, or the registered ref"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 100, description = "Maximum definitions per page; absent: 20"),
        ("cursor" = Option<Cursor>, Query, description = "`next_cursor` of the previous page"),
    ),
    responses(
        (status = 200, description = "The definitions, and how they were found", body = DefinitionsAnswer),
        NotFound, Conflict, Unavailable,
    )
)]
pub async fn definitions(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Segments(repo): Segments<String>,
    Parameters(raw): Parameters<RawDefinitions>,
) -> Result<Json<DefinitionsAnswer>, Problem> {
    run_lookup(&state, &grant, &repo, raw).await
}

/// Where is this definition referenced, and how certain is each reference?
#[utoipa::path(
    get, path = "/repos/{repo}/references", tag = "lookups",
    params(
        ("repo" = RepositoryName, Path, description = "Name of the repository"),
        ("name" = Option<DefinitionName>, Query, description = "Name of the definition, as in `definitions`; may be absent if `path` and `line` are given"),
        ("path" = Option<FilePath>, Query, description = "File of the definition; with `name`: only definitions in this file"),
        ("line" = Option<u64>, Query, minimum = 1, maximum = 4_294_967_295_u64, description = "With `path` and without `name`: selects the innermost definition of any kind that contains this line; of several that begin there, the outermost"),
        ("ref" = Option<Reference>, Query, description = "Commit, branch or tag; absent: the working tree, or the registered ref"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 100, description = "Maximum references per page; absent: 20"),
        ("cursor" = Option<Cursor>, Query, description = "`next_cursor` of the previous page"),
    ),
    responses(
        (status = 200, description = "The references, the most certain first", body = ReferencesAnswer),
        NotFound, Conflict, Unavailable,
    )
)]
pub async fn references(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Segments(repo): Segments<String>,
    Parameters(raw): Parameters<RawReferences>,
) -> Result<Json<ReferencesAnswer>, Problem> {
    run_lookup(&state, &grant, &repo, raw).await
}

/// What is defined in this file?
#[utoipa::path(
    get, path = "/repos/{repo}/outline", tag = "lookups",
    params(
        ("repo" = RepositoryName, Path, description = "Name of the repository"),
        ("path" = FilePath, Query, description = "The file"),
        ("ref" = Option<Reference>, Query, description = "Commit, branch or tag; absent: the working tree, or the registered ref"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1000, description = "Maximum entries per page; absent: 200"),
        ("cursor" = Option<Cursor>, Query, description = "`next_cursor` of the previous page"),
    ),
    responses(
        (status = 200, description = "The definitions of the file, or its sections if it is prose or settings", body = OutlineAnswer),
        NotFound, Conflict, Unavailable,
    )
)]
pub async fn outline(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Segments(repo): Segments<String>,
    Parameters(raw): Parameters<RawOutline>,
) -> Result<Json<OutlineAnswer>, Problem> {
    run_lookup(&state, &grant, &repo, raw).await
}

/// Where does this text, name or path occur?
#[utoipa::path(
    get, path = "/repos/{repo}/search", tag = "lookups",
    params(
        ("repo" = RepositoryName, Path, description = "Name of the repository"),
        ("q" = SearchText, Query, description = "A text, or a regular expression in the syntax of Rust's `regex` (no look-around, no backreferences), matched line by line"),
        ("kind" = Option<SearchKindName>, Query, description = "What is searched; absent: `text`"),
        ("ignore_case" = Option<bool>, Query, description = "Whether `text` and `regex` ignore case; absent: no. `names` and `paths` always ignore it"),
        ("path" = Option<PathPrefix>, Query, description = "Only paths with this prefix: a directory, or any other prefix"),
        ("ref" = Option<Reference>, Query, description = "Commit, branch or tag; absent: the working tree, or the registered ref"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 100, description = "Maximum matches per page; absent: 20"),
        ("cursor" = Option<Cursor>, Query, description = "`next_cursor` of the previous page"),
    ),
    responses(
        (status = 200, description = "The matches", body = SearchAnswer),
        NotFound, Conflict, Unavailable,
    )
)]
pub async fn search(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Segments(repo): Segments<String>,
    Parameters(raw): Parameters<RawSearch>,
) -> Result<Json<SearchAnswer>, Problem> {
    run_lookup(&state, &grant, &repo, raw).await
}

/// The text of a file, or some lines of it. Only indexed files have a text.
#[utoipa::path(
    get, path = "/repos/{repo}/files/{*path}", tag = "lookups",
    params(
        ("repo" = RepositoryName, Path, description = "Name of the repository"),
        ("path" = FilePath, Path, description = "The file; a slash in it may be written as `/` or `%2F`"),
        ("lines" = Option<LineRange>, Query, description = "A line such as `12`, or lines such as `12-40`; absent: all"),
        ("ref" = Option<Reference>, Query, description = "Commit, branch or tag; absent: the working tree, or the registered ref"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 5000, description = "Maximum lines per page, which has at most 256 KiB; absent: 1000"),
        ("cursor" = Option<Cursor>, Query, description = "`next_cursor` of the previous page"),
    ),
    responses(
        (status = 200, description = "The lines", body = FileTextAnswer),
        NotFound, Conflict, Unavailable,
    )
)]
pub async fn file(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Segments((repo, path)): Segments<(String, String)>,
    Parameters(mut raw): Parameters<RawFile>,
) -> Result<Json<FileTextAnswer>, Problem> {
    raw.path = Some(path);
    run_lookup(&state, &grant, &repo, raw).await
}
