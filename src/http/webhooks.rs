//! Serves `POST /webhooks/{forge}`: the webhooks of forges. They are authenticated by a signature, not by a
//! token. The response is sent when the delivery is stored; the job runs later.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::{HeaderMap, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::HttpState;
use super::extract::Segments;
use super::openapi::problems::{NotFound, PayloadTooLarge, Unavailable};
use super::problem::Problem;
use crate::forge::Outcome;

/// Time for the body to arrive. Forges do not wait longer for the answer (GitHub and GitLab: 10 s).
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Result of a webhook.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookAnswer {
    /// `queued`: a job will run; `synced`: the repository is synced; `repeated`: it was accepted before;
    /// `ignored`: nothing is done.
    #[schema(example = "queued")]
    outcome: String,
    /// Why nothing is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Accept the delivery of a webhook. The work is done afterwards.
#[utoipa::path(
    post, path = "/webhooks/{forge}", tag = "webhooks", operation_id = "webhook",
    params(
        ("forge" = String, Path, description = "`github`, `gitlab` or `gitea`; the delivery carries the forge's own headers"),
    ),
    request_body(content = serde_json::Value, content_type = "application/json", description = "The payload, as the forge documents it"),
    responses(
        (status = 202, description = "Accepted", body = WebhookAnswer),
        NotFound, PayloadTooLarge, Unavailable,
    )
)]
pub async fn receive(
    State(state): State<HttpState>,
    Segments(forge): Segments<String>,
    headers: HeaderMap,
    request: Request,
) -> Result<(StatusCode, Json<WebhookAnswer>), Problem> {
    // Anybody can send a webhook: the headers are checked before memory is used for the body.
    let sender = state.forges.sender(&forge, &headers)?;
    let body = Bytes::from_request(request, &state);
    let body = tokio::time::timeout(BODY_TIMEOUT, body).await;
    let body = body.map_err(|_| late())?;
    let body = body.map_err(|rejection| unread(&rejection, state.forges.body_limit()))?;
    let outcome = state.forges.accept(&sender, &headers, &body).await?;
    let answer = WebhookAnswer {
        outcome: outcome.name().to_owned(),
        reason: match outcome {
            Outcome::Ignored(reason) => Some(reason.to_owned()),
            _ => None,
        },
    };
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

fn late() -> Problem {
    let detail = format!(
        "the body did not arrive within {} s",
        BODY_TIMEOUT.as_secs()
    );
    Problem::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", detail)
}

fn unread(rejection: &BytesRejection, max_bytes: usize) -> Problem {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!(
                "the webhook is larger than {max_bytes} bytes (forge.body_limit_bytes); raise the limit"
            ),
        );
    }
    Problem::new(
        StatusCode::BAD_REQUEST,
        "invalid_body",
        "the body ended early",
    )
}
