//! Serves `POST /feedback` and `GET /stats`: feedback of clients on answers, and how much of the changes the
//! answers contained.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::HttpState;
use super::authorize::Caller;
use super::extract::{Body, Object, Parameters};
use super::openapi::problems::{NotFound, PayloadTooLarge, Unavailable, UnsupportedMediaType};
use super::openapi::schemas::{DefinitionName, FilePath, RepositoryName};
use super::problem::Problem;
use crate::feedback::stats::share;
use crate::feedback::{ClientFeedback, FeedbackCounts, NamedPlace, PeriodLength, RepositoryStats};
use crate::store::ChangeCounts;
use crate::wire::{ByName, same_members};

/// Feedback on an answer. At least one of `useful`, `changed` and `comment` must be given.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct FeedbackBody {
    /// `request_id` of the answer.
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9._:-]+$")]
    request_id: String,
    /// Places of the answer that helped.
    #[schema(value_type = Option<Vec<PlaceBody>>, max_items = 200)]
    useful: Option<Vec<Object<PlaceBody>>>,
    /// What was changed in the end, whether the answer contained it or not.
    #[schema(value_type = Option<Vec<PlaceBody>>, max_items = 200)]
    changed: Option<Vec<Object<PlaceBody>>>,
    /// For people; stored unchanged.
    #[schema(max_length = 2000, pattern = r"^[^\u0000]*$")]
    comment: Option<String>,
}

/// A file, or a function in it, named as in answers. Whether it exists is not checked.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object with a path")]
pub struct PlaceBody {
    #[schema(value_type = FilePath)]
    path: String,
    /// Qualified name of the function; absent: the whole file.
    #[schema(value_type = Option<DefinitionName>)]
    name: Option<String>,
}

impl From<PlaceBody> for NamedPlace {
    fn from(PlaceBody { path, name }: PlaceBody) -> Self {
        Self {
            path,
            name,
            lines: None,
        }
    }
}

impl From<FeedbackBody> for ClientFeedback {
    fn from(body: FeedbackBody) -> Self {
        let places = |given: Option<Vec<Object<PlaceBody>>>| {
            let given = given.unwrap_or_default().into_iter();
            given.map(|Object(place)| place.into()).collect()
        };
        Self {
            request_id: body.request_id,
            useful: places(body.useful),
            changed: places(body.changed),
            comment: body.comment,
        }
    }
}

/// Confirmation of stored feedback.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeedbackAnswer {
    /// The repository of the answer.
    repo: String,
    /// How much of `changed` the answer's context contained.
    changed: ChangesAnswer,
}

/// Changed files and functions, and how many of them were in the context.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangesAnswer {
    /// Changed files.
    files: u64,
    /// Changed files with any part in the context.
    files_in_context: u64,
    /// `files_in_context` divided by `files`, 0 to 1; absent if `files` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_share: Option<f64>,
    /// Changed functions.
    functions: u64,
    /// Changed functions that were in the context whole.
    functions_in_context: u64,
    /// `functions_in_context` divided by `functions`, 0 to 1; absent if `functions` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    function_share: Option<f64>,
}

impl From<ChangeCounts> for ChangesAnswer {
    fn from(counts: ChangeCounts) -> Self {
        Self {
            files: counts.files.unsigned_abs(),
            files_in_context: counts.files_in_context.unsigned_abs(),
            file_share: share(counts.files_in_context, counts.files),
            functions: counts.functions.unsigned_abs(),
            functions_in_context: counts.functions_in_context.unsigned_abs(),
            function_share: share(counts.functions_in_context, counts.functions),
        }
    }
}

/// Report which parts of an answer helped, and what was changed in the end. Later feedback with the same
/// token on the same answer replaces the earlier one.
#[utoipa::path(
    post, path = "/feedback", tag = "feedback", operation_id = "feedback",
    request_body = FeedbackBody,
    responses(
        (status = 200, description = "Stored", body = FeedbackAnswer),
        NotFound, PayloadTooLarge, UnsupportedMediaType, Unavailable,
    )
)]
pub async fn submit(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Body(body): Body<FeedbackBody>,
) -> Result<Json<FeedbackAnswer>, Problem> {
    let stored = state.feedback.submit(&grant, body.into()).await?;
    state.trace_repo(&grant, &stored.repo);
    Ok(Json(FeedbackAnswer {
        repo: stored.repo,
        changed: stored.counts.into(),
    }))
}

/// Query parameters of `GET /stats`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatsParameters {
    repo: Option<String>,
    by: Option<ByName>,
}

same_members!(ByName => PeriodLength { Day, Week });

/// Figures that show whether the answers help.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatsAnswer {
    /// By name; without `repo` in the request, all repositories with stored answers.
    repos: Vec<RepositoryStatsAnswer>,
}

/// Figures of one repository.
#[derive(Debug, Serialize, ToSchema)]
pub struct RepositoryStatsAnswer {
    /// Name of the repository.
    repo: String,
    /// Sums over all stored answers.
    total: FiguresAnswer,
    /// Periods with at least one entry, oldest first.
    periods: Vec<PeriodAnswer>,
}

/// One day or week.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeriodAnswer {
    /// Its first day, in UTC.
    #[schema(format = Date, example = "2026-11-23")]
    start: String,
    #[serde(flatten)]
    figures: FiguresAnswer,
}

/// Counts, each by its own time: of the answer, the feedback or the merge.
#[derive(Debug, Serialize, ToSchema)]
pub struct FiguresAnswer {
    /// Stored answers.
    answers: u64,
    /// Feedback entries: one for each answer and client.
    feedback: u64,
    /// Merged pull requests that close an answered issue: one for each such issue.
    merges: u64,
    /// What they changed: existing source files, and functions in them.
    merged: ChangesAnswer,
    /// What clients reported as changed.
    reported: ChangesAnswer,
}

impl From<FeedbackCounts> for FiguresAnswer {
    fn from(figures: FeedbackCounts) -> Self {
        Self {
            answers: figures.answers.unsigned_abs(),
            feedback: figures.feedback.unsigned_abs(),
            merges: figures.merges.unsigned_abs(),
            merged: figures.merged.into(),
            reported: figures.reported.into(),
        }
    }
}

impl From<RepositoryStats> for RepositoryStatsAnswer {
    fn from(stats: RepositoryStats) -> Self {
        let periods = stats.periods.into_iter().map(|period| PeriodAnswer {
            start: period.start.to_string(),
            figures: period.figures.into(),
        });
        Self {
            repo: stats.repo,
            total: stats.total.into(),
            periods: periods.collect(),
        }
    }
}

/// How much of the later changes did the answers contain?
#[utoipa::path(
    get, path = "/stats", tag = "feedback", operation_id = "stats",
    params(
        ("repo" = Option<RepositoryName>, Query, description = "Name of a repository; absent: all repositories with stored answers"),
        ("by" = Option<ByName>, Query, description = "Length of a period; absent: a week"),
    ),
    responses(
        (status = 200, description = "The figures", body = StatsAnswer),
        NotFound, Unavailable,
    )
)]
pub async fn stats(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Parameters(given): Parameters<StatsParameters>,
) -> Result<Json<StatsAnswer>, Problem> {
    if let Some(repo) = &given.repo {
        state.trace_repo(&grant, repo);
    }
    let by = given.by.unwrap_or_default().into();
    let stats = state
        .feedback
        .stats(&grant, given.repo.as_deref(), by)
        .await?;
    let repos = stats.into_iter().map(Into::into).collect();
    Ok(Json(StatsAnswer { repos }))
}
