//! Maps the failures of the layers below to problems. Only this file decides their status and their code.

use axum::http::StatusCode;
use foveate_query::lookup::LookupError;

use super::{INVALID_TOKEN, Problem, unknown_repo};
use crate::access::{AccessDenied, RateLimited, Unauthenticated};
use crate::engine::{AdmissionError, AskError, RevisionError};
use crate::feedback::{FeedbackError, StatsError};
use crate::forge::WebhookError;
use crate::ingest::git::GitError;
use crate::ingest::{ManageError, RegisterError};
use crate::store::{RepositoryKind, StoreError};
use crate::wire::lookup::LookupFailure;
use crate::wire::request::InvalidRequest;

impl From<InvalidRequest> for Problem {
    fn from(error: InvalidRequest) -> Self {
        let field = error.field.name();
        let problem = Self::invalid_field(field, error.detail(&format!("`{field}`")));
        if !error.is_empty_query {
            return problem;
        }
        Self {
            code: "empty_query",
            ..problem
        }
    }
}

impl From<LookupFailure> for Problem {
    fn from(failure: LookupFailure) -> Self {
        match failure {
            LookupFailure::Invalid(error) => Self::invalid_field(error.field, error.to_string()),
            LookupFailure::Ask(error) => error.into(),
            LookupFailure::Lookup(error) => error.into(),
        }
    }
}

impl From<LookupError> for Problem {
    fn from(error: LookupError) -> Self {
        let detail = error.to_string();
        let not_found = |code| Self::new(StatusCode::NOT_FOUND, code, detail.clone());
        match error {
            LookupError::UnknownPath { .. } => not_found("unknown_path").about("path"),
            LookupError::NotIndexed { .. } => not_found("file_not_indexed").about("path"),
            LookupError::NoSuchLine { .. } => not_found("unknown_line"),
            LookupError::NoDefinitionAt { .. } => not_found("no_definition").about("line"),
            LookupError::InvalidRegex(_) => Self::invalid_field("q", detail),
        }
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Self {
        let detail = error.to_string();
        match error {
            AskError::UnknownRepo(name) => unknown_repo(&name),
            AskError::Indexing { .. } => Self::unavailable(
                "indexing",
                format!("{detail}; ask again, or poll GET /repos/{{repo}}"),
                1,
            ),
            AskError::Failed(_) => Self::new(
                StatusCode::CONFLICT,
                "repo_failed",
                format!("{detail}; repair the source, then POST /repos/{{repo}}/sync"),
            ),
            AskError::Revision(error) => error.into(),
            AskError::Building => Self::unavailable("indexing", format!("{detail}; ask again"), 2),
            AskError::Admission(AdmissionError::QueueFull) => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "overloaded",
                format!("{detail}; ask again later, or raise answer.queue"),
            )
            .later(1),
            AskError::Admission(AdmissionError::TimedOut) | AskError::Deadline(_) => {
                Self::unavailable(
                    "deadline",
                    format!("{detail}; ask again later, or raise answer.deadline_ms"),
                    1,
                )
            }
            AskError::Internal => Self::internal(),
        }
    }
}

impl From<RevisionError> for Problem {
    fn from(error: RevisionError) -> Self {
        let detail = error.to_string();
        match error {
            RevisionError::UnknownRef(_) | RevisionError::LacksCommits(_) => Self::new(
                StatusCode::NOT_FOUND,
                "unknown_ref",
                format!("{detail}; check its spelling, or POST /repos/{{repo}}/sync if it is new"),
            )
            .about("ref"),
            RevisionError::MalformedRef(_)
            | RevisionError::NoRevisions
            | RevisionError::TooLarge(_) => Self::invalid_field("ref", detail),
            RevisionError::NotAllowed(_) => {
                Self::new(StatusCode::FORBIDDEN, "path_not_allowed", detail)
            }
            RevisionError::TooLong(_) => Self::unavailable(
                "deadline",
                format!("{detail}; ask again later, or raise that setting"),
                1,
            ),
            RevisionError::Unavailable(_) => {
                Self::unavailable("revision_failed", format!("{detail}; ask again later"), 60)
            }
            RevisionError::Damaged => Self::unavailable(
                "revision_failed",
                format!("{detail}; ask again in a minute"),
                10,
            ),
            RevisionError::Failed(_) => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "revision_failed", detail)
            }
            RevisionError::RepositoryClosed => {
                Self::unavailable("stopping", format!("{detail}; ask again"), 1)
            }
        }
    }
}

impl From<Unauthenticated> for Problem {
    fn from(error: Unauthenticated) -> Self {
        let code = match error {
            Unauthenticated::Missing => "missing_token",
            Unauthenticated::Invalid => INVALID_TOKEN,
        };
        Self::new(
            StatusCode::UNAUTHORIZED,
            code,
            format!(
                "{error}; send one as `Authorization: Bearer TOKEN` (`foveate key create` makes them)"
            ),
        )
    }
}

impl From<RateLimited> for Problem {
    fn from(error: RateLimited) -> Self {
        let seconds = match error {
            RateLimited::Rate { retry_after } => retry_after.as_secs_f64().ceil() as u32,
            RateLimited::InFlight => 1,
        };
        let detail = format!("{error}; ask again later");
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).later(seconds.max(1))
    }
}

impl From<AccessDenied> for Problem {
    fn from(denied: AccessDenied) -> Self {
        Self::new(StatusCode::FORBIDDEN, "not_permitted", denied.to_string())
    }
}

impl From<ManageError> for Problem {
    fn from(error: ManageError) -> Self {
        match error {
            ManageError::Denied(denied) => denied.into(),
            ManageError::UnknownRepo(name) => unknown_repo(&name),
            ManageError::Store(error) => error.into(),
            ManageError::Internal => Self::internal(),
        }
    }
}

impl From<RegisterError> for Problem {
    fn from(error: RegisterError) -> Self {
        let detail = error.to_string();
        match error {
            RegisterError::Name(_) => Self::invalid_field("name", detail),
            RegisterError::Denied(denied) => denied.into(),
            RegisterError::Taken(_) | RegisterError::BeingRemoved(_) => {
                Self::new(StatusCode::CONFLICT, "repo_exists", detail)
            }
            RegisterError::NotAbsolute(_) | RegisterError::Bare(_) => {
                Self::invalid_field("source.path", detail)
            }
            RegisterError::Git(GitError::NotAllowed(_)) => {
                Self::new(StatusCode::FORBIDDEN, "path_not_allowed", detail)
            }
            RegisterError::NotADirectory { kind, .. } | RegisterError::OwnData { kind, .. } => {
                Self::invalid_field(field_of(kind), detail)
            }
            RegisterError::NotAllowed { kind, .. } => {
                Self::new(StatusCode::FORBIDDEN, "path_not_allowed", detail).about(field_of(kind))
            }
            RegisterError::Location(_) => Self::invalid_field("source.git", detail),
            RegisterError::Git(GitError::UnknownRef(_) | GitError::MalformedRef { .. }) => {
                Self::invalid_field("source.ref", detail)
            }
            RegisterError::Git(_) => Self::invalid_field("source.git", detail),
            RegisterError::Store(error) => error.into(),
            RegisterError::Credentials(_) => {
                tracing::error!(error = detail, "a registration was not stored");
                Self::unavailable("store_unavailable", detail, 5)
            }
            RegisterError::Internal => Self::internal(),
        }
    }
}

/// Returns the field that a source of this kind is given in.
fn field_of(kind: RepositoryKind) -> &'static str {
    match kind {
        RepositoryKind::Path => "source.path",
        RepositoryKind::Git => "source.git",
    }
}

impl From<FeedbackError> for Problem {
    fn from(error: FeedbackError) -> Self {
        match error {
            FeedbackError::Invalid { field, reason } => {
                Self::invalid_field(&field, format!("`{field}` {reason}"))
            }
            FeedbackError::UnknownAnswer => Self::new(
                StatusCode::NOT_FOUND,
                "unknown_answer",
                "no stored answer has this `request_id`: it may be too old, or feedback.record may be off",
            ),
            FeedbackError::Store(error) => error.into(),
        }
    }
}

impl From<StatsError> for Problem {
    fn from(error: StatsError) -> Self {
        match error {
            StatsError::UnknownRepo(name) => unknown_repo(&name),
            StatsError::Store(error) => error.into(),
        }
    }
}

impl From<WebhookError> for Problem {
    fn from(error: WebhookError) -> Self {
        let detail = error.to_string();
        match error {
            WebhookError::UnknownForge => Self::new(StatusCode::NOT_FOUND, "not_found", detail),
            WebhookError::NotSetUp(_) => {
                Self::new(StatusCode::NOT_FOUND, "webhook_not_set_up", detail)
            }
            WebhookError::Secret(error) => {
                tracing::error!(%error, "cannot verify a webhook");
                Self::unavailable("webhook_not_set_up", detail, 60)
            }
            WebhookError::NotAuthentic => {
                Self::new(StatusCode::FORBIDDEN, "invalid_signature", detail)
            }
            WebhookError::Event(_) => Self::new(
                StatusCode::BAD_REQUEST,
                "invalid_event",
                format!("{detail}; the webhook must send application/json"),
            ),
            WebhookError::Full => Self::unavailable("overloaded", detail, 60),
            WebhookError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the database failed");
        Self::unavailable(
            "store_unavailable",
            "the database cannot be read or written; the server's log says why",
            5,
        )
    }
}
