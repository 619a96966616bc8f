//! Renders errors as `application/problem+json` (RFC 9457). [`failures`] maps those of the layers below to problems.
//! Codes are stable; details may change.

mod failures;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use foveate_model::escape::escape;
use serde::Serialize;
use utoipa::ToSchema;

const INVALID_TOKEN: &str = "invalid_token";

/// Codes of problems after which the connection stays open: nearly always, the body has been read to its end then. With
/// any other code the server says that it closes the connection, so that a refusal before the body is read needs no
/// entry. A new code belongs here only if it is never the answer to an unread body.
const BODY_WAS_READ: [&str; 24] = [
    "deadline", "empty_query", "file_not_indexed", "indexing", "internal", "invalid_event",
    "invalid_field", "invalid_json", "invalid_path", "no_definition", "not_acceptable",
    "not_permitted", "path_not_allowed", "repo_exists", "repo_failed", "revision_failed",
    "stopping", "store_unavailable", "unknown_answer", "unknown_field", "unknown_line",
    "unknown_path", "unknown_ref", "unknown_repo",
];

/// An error for the client. The request's id is added by an outer layer ([`super::layers::render_problems`]).
#[derive(Clone, Debug)]
pub struct Problem {
    /// HTTP status.
    pub status: StatusCode,
    /// Stable code.
    pub code: &'static str,
    /// What happened and what to do.
    pub detail: String,
    /// The field of the request that is wrong.
    pub field: Option<String>,
    /// Seconds after which to retry.
    pub retry_after: Option<u32>,
}

/// A problem as the client sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProblemBody {
    /// A URN that ends with the code.
    r#type: String,
    /// The reason phrase of the status.
    title: String,
    /// HTTP status.
    status: u16,
    /// Stable; see docs/API.md for all of them.
    code: String,
    /// What happened and what to do, for people.
    detail: String,
    /// The field of the request that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Id of the request, as in the `x-request-id` header.
    request_id: String,
}

impl Problem {
    /// Creates a problem without a field and a retry time.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
            field: None,
            retry_after: None,
        }
    }

    /// A field of the request has an invalid value.
    pub fn invalid_field(field: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_field", detail).about(field)
    }

    /// Adds the field of the request that is wrong.
    pub fn about(self, field: &str) -> Self {
        Self {
            field: Some(field.to_owned()),
            ..self
        }
    }

    /// A defect of the server; the details are in the log.
    pub fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "internal error; the server's log has the details under this request_id",
        )
    }

    /// The request took too long as a whole.
    pub fn request_timeout() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "request_timeout",
            "the request was not received or not answered in time; send it faster, ask again later, or raise server.request_timeout_ms",
        )
    }

    /// The limit of requests in flight is reached.
    pub fn too_many_connections() -> Self {
        Self::unavailable(
            "too_many_connections",
            "the limit of requests in flight (server.max_connections) is reached; ask again later, or raise the limit",
            1,
        )
    }

    /// As many webhooks as the server receives at a time are in flight.
    pub fn too_many_webhooks() -> Self {
        Self::unavailable(
            "overloaded",
            "the server receives as many webhooks as it can at a time; send this one again later",
            10,
        )
    }

    /// The client accepts none of the media types in `offers`.
    pub fn not_acceptable(offers: &[&str]) -> Self {
        let offers = offers.join(", ");
        Self::new(
            StatusCode::NOT_ACCEPTABLE,
            "not_acceptable",
            format!("`accept` allows none of the media types that this answer can have: {offers}"),
        )
    }

    /// The body is not declared as JSON.
    pub fn unsupported_media_type() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "send the body as JSON with the header `content-type: application/json`",
        )
    }

    /// The content coding of the body is not supported.
    pub fn unsupported_encoding() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_encoding",
            "the body's `content-encoding` is not gzip; send it as gzip or uncompressed",
        )
    }

    /// The body cannot be read to its end.
    pub fn undecodable_body() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_body",
            "the body ended early, or does not match its `content-encoding`",
        )
    }

    /// The body exceeds the limit, in bytes.
    pub fn body_too_large(max_bytes: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!(
                "the body, as sent or decoded, is larger than {max_bytes} bytes (server.body_limit_bytes); send less, or raise the limit"
            ),
        )
    }

    /// The request cannot be answered now, but may be after some seconds.
    fn unavailable(code: &'static str, detail: impl Into<String>, seconds: u32) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail).later(seconds)
    }

    /// Adds the time after which to retry.
    pub fn later(self, seconds: u32) -> Self {
        Self {
            retry_after: Some(seconds),
            ..self
        }
    }

    /// Whether the body of the request may not have been read to its end.
    pub fn may_leave_body_unread(&self) -> bool {
        !BODY_WAS_READ.contains(&self.code)
    }

    /// Renders the complete response.
    pub fn render(self, request_id: &str) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let body = ProblemBody {
            r#type: format!("urn:foveate:problem:{}", self.code),
            title: title.to_owned(),
            status: self.status.as_u16(),
            code: self.code.to_owned(),
            detail: escape(&self.detail).into_owned(),
            field: self.field,
            request_id: request_id.to_owned(),
        };
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let challenge = match self.code {
                INVALID_TOKEN => "Bearer realm=\"foveate\", error=\"invalid_token\"",
                _ => "Bearer realm=\"foveate\"",
            };
            let challenge = HeaderValue::from_static(challenge);
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl IntoResponse for Problem {
    /// Returns an empty response that carries the problem to the layer that renders it.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// No repository with this name is visible to the caller.
pub fn unknown_repo(name: &str) -> Problem {
    let shown: String = name.chars().take(100).collect();
    Problem::new(
        StatusCode::NOT_FOUND,
        "unknown_repo",
        format!("no repository is called {shown:?}; GET /repos lists them, POST /repos adds one"),
    )
}

/// No route has this path.
pub async fn not_found() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "not_found",
        "there is nothing at this path; GET /openapi.yaml lists the paths, in which a slash of a repository's name is %2F",
    )
}

/// The route does not support the method.
pub async fn method_not_allowed() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this path does not support the method; the Allow header lists the supported ones",
    )
}
