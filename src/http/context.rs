//! Serves `POST /context`: parses the question, and answers with the whole answer as JSON or with the context
//! alone.

mod nested_fields;

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Deserialize;
use tower_http::request_id::RequestId;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::authorize::Caller;
use super::extract::{Body, Object, Segments};
use super::openapi::problems::{
    Conflict, NotAcceptable, NotFound, PayloadTooLarge, Unavailable, UnsupportedMediaType,
};
use super::openapi::schemas::{Reference, RepositoryName, WebAddress};
use super::problem::Problem;
use super::{HttpState, accept, layers};
use crate::access::Grant;
use crate::engine::Target;
use crate::feedback::AnswerOrigin;
use crate::wire::answer::{AnswerOptions, ContextAnswer};
use crate::wire::request::RawRequest;
use crate::wire::whole_number::WholeNumber;
use crate::wire::{BreadthName, FormatName, IntentName};
use nested_fields::{DiffBody, FocusBody, SeenBody};

/// A question to a repository.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ContextBody {
    #[schema(required, value_type = RepositoryName)]
    repo: Option<String>,
    /// Revision to answer from; absent: the working tree, or the registered ref.
    #[schema(value_type = Option<Reference>)]
    r#ref: Option<String>,
    /// Issue text, question or stack trace, of at most `answer.max_query_bytes` bytes. May be empty or absent
    /// only if `diff` is given.
    #[schema(example = "TypeError in url_for when the blueprint is nested")]
    query: Option<String>,
    /// The change that is asked about. The answer is given from its head, so `ref` must be absent or the same.
    #[schema(value_type = Option<DiffBody>)]
    diff: Option<Object<DiffBody>>,
    /// Maximum tokens (o200k_base) of `context`.
    #[schema(value_type = Option<u64>, minimum = 200, maximum = 128_000, default = 8000)]
    budget_tokens: Option<WholeNumber>,
    /// How much of the budget is used.
    #[schema(default = "balanced")]
    breadth: Option<BreadthName>,
    /// Minimum probability of a shown place, instead of the breadth's.
    #[schema(minimum = 0, maximum = 1)]
    min_probability: Option<f32>,
    /// Maximum files that are shown at least in part; absent: no limit.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 1000)]
    max_files: Option<WholeNumber>,
    /// Maximum characters of `context`; absent: limited by the tokens alone.
    #[schema(value_type = Option<u64>, minimum = 1000, maximum = 10_000_000)]
    max_chars: Option<WholeNumber>,
    /// Web address of the repository, such as `https://github.com/pallets/flask`: items get links to their
    /// lines at the commit, in the form that the host uses, and Markdown shows them. Absent: derived from the
    /// remote, if its host is known.
    #[schema(value_type = Option<WebAddress>)]
    link_base: Option<String>,
    /// Format of `context`; absent: implied by the requested media type, or `xml`.
    format: Option<FormatName>,
    /// The intent, if the caller knows it; absent: detected.
    intent: Option<IntentName>,
    /// Maximum length of the lists of ranked files, functions and places.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 100, default = 20)]
    limit: Option<WholeNumber>,
    /// What the caller knows to be relevant.
    #[schema(value_type = Option<FocusBody>)]
    focus: Option<Object<FocusBody>>,
    /// What the caller has already seen.
    #[schema(value_type = Option<SeenBody>)]
    seen: Option<Object<SeenBody>>,
    /// Whether functions and places include the signals behind their scores; default: no.
    explain: Option<bool>,
    /// Whether files, and with `explain` functions and places, include the signals behind their scores, which
    /// are most of a long list; default: yes.
    signals: Option<bool>,
}

impl From<ContextBody> for RawRequest {
    fn from(body: ContextBody) -> Self {
        let number = |value: Option<WholeNumber>| value.map(|WholeNumber(number)| number);
        let Object(focus) = body.focus.unwrap_or_default();
        let Object(seen) = body.seen.unwrap_or_default();
        Self {
            repo: body.repo,
            query: body.query,
            reference: body.r#ref,
            diff: body.diff.map(|Object(diff)| diff.into()),
            budget_tokens: number(body.budget_tokens),
            breadth: body.breadth,
            min_probability: body.min_probability,
            max_files: number(body.max_files),
            max_chars: number(body.max_chars),
            link_base: body.link_base,
            format: body.format,
            intent: body.intent,
            limit: number(body.limit),
            focus_paths: focus.paths,
            focus_symbols: focus.symbols,
            seen_paths: seen.paths,
            seen_places: seen.places,
        }
    }
}

/// A question to the repository that the path names: [`ContextBody`] without `repo`. It exists only for the
/// OpenAPI document.
pub struct RepoContextBody;

impl utoipa::PartialSchema for RepoContextBody {
    fn schema() -> RefOr<Schema> {
        let mut schema = <ContextBody as utoipa::PartialSchema>::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            object.properties.remove("repo");
            object.required.retain(|field| field != "repo");
            object.description =
                Some("A question to the repository that the path names.".to_owned());
        }
        schema
    }
}

impl ToSchema for RepoContextBody {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        ContextBody::schemas(schemas);
    }
}

/// Headers with the answer's metadata, so that a response with the context alone has it, too.
const REPO: HeaderName = HeaderName::from_static("foveate-repo");
const COMMIT: HeaderName = HeaderName::from_static("foveate-commit");
const GENERATION: HeaderName = HeaderName::from_static("foveate-generation");
const TOKENS: HeaderName = HeaderName::from_static("foveate-tokens");
const ISSUES: HeaderName = HeaderName::from_static("foveate-issues");

/// The response with an answer. It exists only for the OpenAPI document.
#[derive(utoipa::ToResponse)]
#[response(
    description = "The answer; with a media type other than JSON, only its `context`",
    headers(
        ("foveate-repo" = String, description = "`repo` of the answer"),
        ("foveate-commit" = String, description = "`commit` of the answer; absent if it is empty"),
        ("foveate-generation" = u64, description = "`generation` of the answer"),
        ("foveate-tokens" = usize, description = "`tokens.used` of the answer"),
        ("foveate-issues" = String, description = "The codes of `issues`, separated by commas; absent if there are none"),
    )
)]
#[expect(dead_code, clippy::large_enum_variant, reason = "it is never created")]
enum Answered {
    Json(#[content("application/json")] ContextAnswer),
    Markdown(#[content("text/markdown")] String),
    Xml(#[content("application/xml")] String),
    Plain(#[content("text/plain")] String),
}

impl utoipa::IntoResponses for Answered {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let (_, response) = <Self as utoipa::ToResponse>::response();
        BTreeMap::from([("200".to_owned(), response)])
    }
}

/// Which code must the reader see?
#[utoipa::path(
    post, path = "/context", tag = "context",
    request_body = ContextBody,
    responses(
        Answered,
        NotFound, NotAcceptable, Conflict, PayloadTooLarge, UnsupportedMediaType, Unavailable,
    )
)]
pub async fn context(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Extension(id): Extension<RequestId>,
    headers: HeaderMap,
    Body(mut body): Body<ContextBody>,
) -> Result<Response, Problem> {
    let repo = body.repo.take();
    answer(&state, &grant, id, &headers, repo, body).await
}

/// Which code of this repository must the reader see?
#[utoipa::path(
    post, path = "/repos/{repo}/context", tag = "context",
    params(("repo" = RepositoryName, Path, description = "Name of the repository")),
    request_body = RepoContextBody,
    responses(
        Answered,
        NotFound, NotAcceptable, Conflict, PayloadTooLarge, UnsupportedMediaType, Unavailable,
    )
)]
pub async fn repo_context(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    Extension(id): Extension<RequestId>,
    headers: HeaderMap,
    Segments(repo): Segments<String>,
    Body(body): Body<ContextBody>,
) -> Result<Response, Problem> {
    if body.repo.is_some() {
        return Err(Problem {
            code: "unknown_field",
            ..Problem::invalid_field(
                "repo",
                "`repo` is not a field of this request: the path names the repository",
            )
        });
    }
    answer(&state, &grant, id, &headers, Some(repo), body).await
}

async fn answer(
    state: &HttpState,
    grant: &Grant,
    id: RequestId,
    headers: &HeaderMap,
    repo: Option<String>,
    body: ContextBody,
) -> Result<Response, Problem> {
    let (explain, signals) = (body.explain, body.signals);
    let format = body.format;
    let raw = RawRequest {
        repo,
        ..body.into()
    };
    let mut question = raw.validate(state.limits.max_query_bytes)?;
    let form = Form::of(headers, format)?;
    question.request.format = form.format(format).into();
    let options = AnswerOptions {
        request_id: Some(layers::id_text(&id).to_owned()),
        budget_tokens: question.request.budget_tokens,
        explain: explain.unwrap_or(false),
        signals: signals.unwrap_or(true),
    };
    let origin = AnswerOrigin {
        request_id: layers::id_text(&id).to_owned(),
        thread: None,
        query: state.feedback.query(&question.request.query),
    };
    let diff = match &question.target {
        Target::Diff(diff) => Some(diff.clone()),
        Target::Current | Target::Revision(_) => None,
    };
    let answered = state.engine.ask(grant, question).await;
    let answered = answered.map_err(|error| nested_fields::problem(error, diff.as_ref()))?;
    state.feedback.record(&answered, origin);
    Ok(form.render(ContextAnswer::new(answered, options)))
}

/// The media types of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The whole answer.
    Json,
    /// The context alone, in the format that the media type implies.
    Markdown,
    Xml,
    /// The context alone, in the format of the request.
    Plain,
}

impl Form {
    const ALL: [Self; 4] = [Self::Json, Self::Markdown, Self::Xml, Self::Plain];

    /// Chooses the media type that the client prefers among those that agree with the `format` of its body.
    fn of(headers: &HeaderMap, format: Option<FormatName>) -> Result<Self, Problem> {
        let possible = Self::ALL
            .into_iter()
            .filter(|form| format.is_none_or(|format| form.format(Some(format)) == format));
        let offers: Vec<&str> = possible.map(Self::media_type).collect();
        let best = accept::best(headers, &offers);
        Self::ALL
            .into_iter()
            .find(|form| Some(form.media_type()) == best)
            .ok_or_else(|| Problem::not_acceptable(&offers))
    }

    const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Markdown => "text/markdown",
            Self::Xml => "application/xml",
            Self::Plain => "text/plain",
        }
    }

    /// Returns the format of the context, if the body asks for `format`.
    fn format(self, format: Option<FormatName>) -> FormatName {
        match self {
            Self::Json | Self::Plain => format.unwrap_or_default(),
            Self::Markdown => FormatName::Markdown,
            Self::Xml => FormatName::Xml,
        }
    }

    fn render(self, answer: ContextAnswer) -> Response {
        let headers = headers_of(&answer);
        let mut response = if self == Self::Json {
            Json(answer).into_response()
        } else {
            let kind = format!("{}; charset=utf-8", self.media_type());
            ([(CONTENT_TYPE, kind)], answer.context).into_response()
        };
        response.headers_mut().extend(headers);
        response
    }
}

fn headers_of(answer: &ContextAnswer) -> HeaderMap {
    let issues: Vec<&str> = answer.issues.iter().map(|issue| &*issue.code).collect();
    let texts = [
        (REPO, answer.repo.clone()),
        (COMMIT, answer.commit.clone()),
        (GENERATION, answer.generation.to_string()),
        (TOKENS, answer.tokens.used.to_string()),
        (ISSUES, issues.join(", ")),
    ];
    let mut headers = HeaderMap::from_iter([(VARY, HeaderValue::from_static("accept"))]);
    for (name, text) in texts {
        // All are constants, names and numbers.
        if let (false, Ok(value)) = (text.is_empty(), HeaderValue::try_from(text)) {
            headers.insert(name, value);
        }
    }
    headers
}
