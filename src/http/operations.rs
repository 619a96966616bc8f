//! Serves the operations endpoints: liveness, readiness, and metrics ([`exposition`]).

mod exposition;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::authorize::Caller;
use super::problem::Problem;
use super::{HttpState, accept};
use crate::access::Grant;
use crate::engine::State as RepoState;
use crate::telemetry::metrics::openmetrics;
use crate::telemetry::spans::spawn_blocking;

/// The process is up.
#[derive(Debug, Serialize, ToSchema)]
pub struct HealthAnswer {
    /// `ok`.
    status: String,
    /// Version of the program.
    version: String,
}

/// Whether questions can be answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReadyAnswer {
    /// Whether every repository has its first index or has failed, and the database can be read.
    ready: bool,
    /// Whether the list of repositories can be read.
    store: bool,
    /// Names of repositories whose first index is being built.
    indexing: Vec<String>,
    /// Names of repositories whose source could not be read last time. They do not make the service unready.
    failed: Vec<String>,
}

/// Is the process up?
#[utoipa::path(
    get, path = "/healthz", tag = "operations",
    responses((status = 200, description = "The process is up", body = HealthAnswer))
)]
pub async fn health() -> Json<HealthAnswer> {
    Json(HealthAnswer {
        status: "ok".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Are the registered repositories indexed, and can the database be read?
#[utoipa::path(
    get, path = "/readyz", tag = "operations",
    responses(
        (status = 200, description = "Ready", body = ReadyAnswer),
        (status = 503, description = "Not ready yet", body = ReadyAnswer),
    )
)]
pub async fn ready(
    State(state): State<HttpState>,
    Caller(grant): Caller,
) -> (StatusCode, Json<ReadyAnswer>) {
    let store = state.catalog.ping().await.is_ok();
    let named = |wanted: RepoState| -> Vec<String> {
        let repositories = state.engine.repositories(&grant);
        let found = repositories.iter().filter(|r| r.status().state == wanted);
        found.map(|r| r.name.to_string()).collect()
    };
    let indexing = named(RepoState::Indexing);
    let ready = store && indexing.is_empty();
    let status = if ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let answer = ReadyAnswer {
        ready,
        store,
        indexing,
        failed: named(RepoState::Failed),
    };
    (status, Json(answer))
}

/// Metrics in the Prometheus text format; as OpenMetrics, with exemplars, if `accept` prefers it.
#[utoipa::path(
    get, path = "/metrics", tag = "operations",
    responses((status = 200, description = "Metrics", content(
        (String = "text/plain"),
        (String = "application/openmetrics-text"),
    )))
)]
pub async fn metrics(
    State(state): State<HttpState>,
    Caller(grant): Caller,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let text = render_metrics(state, grant)
        .await
        .ok_or_else(Problem::internal)?;
    // A client that accepts neither gets the first one: old scrapers send arbitrary headers.
    let (kind, text) = match accept::best(&headers, &[PROMETHEUS, OPEN_METRICS]) {
        Some(OPEN_METRICS) => (
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
            openmetrics::text(&text),
        ),
        _ => ("text/plain; version=0.0.4; charset=utf-8", text),
    };
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

const PROMETHEUS: &str = "text/plain";
const OPEN_METRICS: &str = "application/openmetrics-text";

/// Renders all metrics that a grant sees, in the Prometheus text format. `None` after a panic.
async fn render_metrics(state: HttpState, grant: Grant) -> Option<String> {
    // An unreachable database must not delay the metrics that report it.
    let (jobs, feedback_stats) = match state.forges.has_database() {
        true => (
            state.forges.jobs().await.ok(),
            state.feedback.totals().await.unwrap_or_default(),
        ),
        false => Default::default(),
    };
    // Computing the sizes of an index for the first time takes milliseconds.
    let text = spawn_blocking(move || exposition::render(&state, &grant, jobs, &feedback_stats));
    text.await.ok()
}

/// Renders the metrics of all repositories, for exporters; `None` after a panic.
pub async fn all_metrics(state: HttpState) -> Option<String> {
    render_metrics(state, Grant::unrestricted()).await
}
