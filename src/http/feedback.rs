//! `POST /feedback` and `GET /stats`: what clients say of answers, and what of changes the answers held.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::HttpState;
use super::authorize::Caller;
use super::extract::{Body, Parameters};
use super::openapi::problems::{
    BadRequest, NotFound, PayloadTooLarge, Unavailable, UnsupportedMediaType,
};
use super::openapi::schemas::{DefinitionName, FilePath, RepositoryName};
use super::problem::Problem;
use crate::feedback::stats::share;
use crate::feedback::{By, Figures, Given, NamedPlace, RepositoryStats};
use crate::store::ChangeCounts;

/// What is said of an answer. At least one of `useful`, `changed` and `comment` says something.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct FeedbackBody {
    /// `request_id` of the answer.
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9._:-]+$")]
    request_id: String,
    /// What of the answer helped.
    #[schema(max_items = 200)]
    useful: Option<Vec<PlaceBody>>,
    /// What was changed in the end, whether the answer had it or not.
    #[schema(max_items = 200)]
    changed: Option<Vec<PlaceBody>>,
    /// For people; it is stored as it is.
    #[schema(max_length = 2000, pattern = r"^[^\u0000]*$")]
    comment: Option<String>,
}

/// A file, or a function in it, named as in answers. Whether it is there is not looked at.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object with a path")]
pub struct PlaceBody {
    #[schema(value_type = FilePath)]
    path: String,
    /// Qualified name of the function; absent: the file.
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

impl From<FeedbackBody> for Given {
    fn from(body: FeedbackBody) -> Self {
        let places = |given: Option<Vec<PlaceBody>>| {
            let given = given.unwrap_or_default().into_iter();
            given.map(Into::into).collect()
        };
        Self {
            request_id: body.request_id,
            useful: places(body.useful),
            changed: places(body.changed),
            comment: body.comment,
        }
    }
}

/// What was kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeedbackAnswer {
    /// The repository of the answer.
    repo: String,
    /// How much of `changed` the answer's context had.
    changed: ChangesAnswer,
}

/// What was changed, and how much of it was in the context.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangesAnswer {
    /// Changed files.
    files: u64,
    /// Those of which something was in the context.
    files_in_context: u64,
    /// The second as a share of the first, 0 to 1; absent where nothing was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_share: Option<f64>,
    /// Changed functions.
    functions: u64,
    /// Those that were in the context whole.
    functions_in_context: u64,
    /// The second as a share of the first, 0 to 1; absent where nothing was changed.
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

/// Say of an answer what helped, and what was changed in the end. A later word of the same token on the
/// same answer replaces the earlier one.
#[utoipa::path(
    post, path = "/feedback", tag = "feedback", operation_id = "feedback",
    request_body = FeedbackBody,
    responses(
        (status = 200, description = "Kept", body = FeedbackAnswer),
        BadRequest,
        NotFound,
        PayloadTooLarge,
        UnsupportedMediaType,
        Unavailable,
    )
)]
pub async fn give(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Body(body): Body<FeedbackBody>,
) -> Result<Json<FeedbackAnswer>, Problem> {
    let kept = state.feedback.give(&grant, body.into()).await?;
    state.trace_repo(&grant, &kept.repo);
    Ok(Json(FeedbackAnswer {
        repo: kept.repo,
        changed: kept.counts.into(),
    }))
}

/// Which figures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatsParameters {
    repo: Option<String>,
    by: Option<ByName>,
}

/// How long a period is: a day, or a week from Monday, in UTC.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ByName {
    Day,
    #[default]
    Week,
}

impl From<ByName> for By {
    fn from(name: ByName) -> Self {
        match name {
            ByName::Day => Self::Day,
            ByName::Week => Self::Week,
        }
    }
}

/// Whether the answers help.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatsAnswer {
    /// By name; without `repo` in the request, those of which anything is kept.
    repos: Vec<RepositoryStatsAnswer>,
}

/// What is known of the answers from one repository.
#[derive(Debug, Serialize, ToSchema)]
pub struct RepositoryStatsAnswer {
    /// Its name.
    repo: String,
    /// Over all that is kept.
    total: FiguresAnswer,
    /// Those in which there was something, oldest first.
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

/// Counted by the time of the answer, of the feedback, of the merge.
#[derive(Debug, Serialize, ToSchema)]
pub struct FiguresAnswer {
    /// Answers that are kept.
    answers: u64,
    /// Answers that clients said something of; each client counts.
    feedback: u64,
    /// Merged pull requests that close an issue that was answered; each issue counts.
    merges: u64,
    /// What they changed: existing source files, and functions in them.
    merged: ChangesAnswer,
    /// What clients said that was changed.
    reported: ChangesAnswer,
}

impl From<Figures> for FiguresAnswer {
    fn from(figures: Figures) -> Self {
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

/// How much of what was changed in the end did the answers contain?
#[utoipa::path(
    get, path = "/stats", tag = "feedback", operation_id = "stats",
    params(
        ("repo" = Option<RepositoryName>, Query, description = "Name of a repository; absent: all of which anything is kept"),
        ("by" = Option<ByName>, Query, description = "How long a period is; absent: a week"),
    ),
    responses(
        (status = 200, description = "The figures", body = StatsAnswer),
        BadRequest,
        NotFound,
        Unavailable,
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
    let repos = stats.repos.into_iter().map(Into::into).collect();
    Ok(Json(StatsAnswer { repos }))
}
