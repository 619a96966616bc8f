//! Serves the operations endpoints: liveness, readiness, metrics, and the OpenAPI document.

mod feedback_metrics;

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::OpenApi;

use super::authorize::Caller;
use super::openapi::problems::Unavailable;
use super::openapi::schemas::OpenApiDocument;
use super::problem::Problem;
use super::{HttpState, accept};
use crate::access::Grant;
use crate::engine::{BlobCache, BlobStats, Engine, Queue, Repository, State as RepoState};
use crate::feedback::RepositoryStats;
use crate::store::JobCounts;
use crate::telemetry::metrics::{Exposition, Kind, openmetrics, recorder};
use crate::telemetry::process;
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
    /// Whether every repository has its first index or has failed, and the store is reachable.
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

/// Are the registered repositories warm and the store reachable?
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
        found.map(|r| r.name().to_string()).collect()
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
            state.forges.jobs().await.unwrap_or_default(),
            state.feedback.totals().await.unwrap_or_default(),
        ),
        false => Default::default(),
    };
    // Computing the sizes of an index for the first time takes milliseconds.
    let text = spawn_blocking(move || exposition(&state, &grant, jobs, &feedback_stats));
    text.await.ok()
}

/// Renders the metrics of all repositories, for exporters.
pub async fn all_metrics(state: HttpState) -> Option<String> {
    render_metrics(state, Grant::unrestricted()).await
}

/// The OpenAPI document of this interface.
#[utoipa::path(
    get, path = "/openapi.yaml", tag = "operations",
    responses((status = 200, description = "OpenAPI 3.1", body = OpenApiDocument, content_type = "application/yaml"), Unavailable)
)]
pub async fn openapi(Extension(document): Extension<Arc<OpenApi>>) -> Result<Response, Problem> {
    let text = document.to_yaml().map_err(|error| {
        tracing::error!(%error, "the OpenAPI document cannot be written");
        Problem::internal()
    })?;
    Ok(([(header::CONTENT_TYPE, "application/yaml")], text).into_response())
}

/// Most repositories with series of their own; the others are summed up under one name, so that the number of
/// series stays bounded.
const MAX_LABELLED: usize = 100;
const OTHER_REPOSITORIES: &str = "_others";

fn exposition(
    state: &HttpState,
    grant: &Grant,
    jobs: JobCounts,
    feedback_stats: &[RepositoryStats],
) -> String {
    let out = Exposition::default();
    let version = env!("CARGO_PKG_VERSION");
    out.family(
        "foveate_build_info",
        Kind::Gauge,
        "The running program; always 1.",
        [(vec![("version", version)], 1.0)],
    );
    questions(&out, state.engine.permits().queue());
    blobs(&out, state.engine.blobs());
    out.single(
        "foveate_memory_limit_bytes",
        Kind::Gauge,
        "Memory limit of the process in bytes; one index stays in memory even above it.",
        state.catalog.memory_limit().map(|bytes| bytes as f64),
    );
    repository_states(&out, &state.engine, grant);
    feedback_metrics::states(&out, &state.engine, grant, feedback_stats);
    out.single(
        "foveate_database_up",
        Kind::Gauge,
        "Whether the database answers: 1 or 0.",
        f64::from(u8::from(state.forges.has_database())),
    );
    out.family(
        "foveate_queued_jobs",
        Kind::Gauge,
        "Jobs of webhooks in the queue, by state: pending, or dead (given up).",
        [
            (vec![("state", "pending")], jobs.pending as f64),
            (vec![("state", "dead")], jobs.dead as f64),
        ],
    );
    let events = recorder().map(|recorder| recorder.render());
    events.unwrap_or_default() + &out.with_process()
}

fn questions(out: &Exposition, permits: &Queue) {
    out.single(
        "foveate_answers_in_progress",
        Kind::Gauge,
        "Questions being answered.",
        permits.in_use() as f64,
    );
    out.single(
        "foveate_answer_queue_depth",
        Kind::Gauge,
        "Questions waiting in the queue.",
        permits.waiting() as f64,
    );
    out.single(
        "foveate_answer_permits",
        Kind::Gauge,
        "Limit of questions answered at the same time.",
        permits.total() as f64,
    );
    out.single(
        "foveate_answer_queue_limit",
        Kind::Gauge,
        "Limit of questions waiting in the queue.",
        permits.max_waiting() as f64,
    );
}

fn blobs(out: &Exposition, blobs: &BlobCache) {
    let BlobStats {
        parsed,
        reused,
        restored,
        known,
        kept_bytes,
    } = blobs.stats();
    out.single(
        "foveate_blobs_parsed_total",
        Kind::Counter,
        "File contents parsed.",
        parsed as f64,
    );
    out.single(
        "foveate_blobs_reused_total",
        Kind::Counter,
        "File contents found already parsed.",
        reused as f64,
    );
    out.single(
        "foveate_blobs_restored_total",
        Kind::Counter,
        "File contents whose facts were read from disk.",
        restored as f64,
    );
    out.single(
        "foveate_blobs_known",
        Kind::Gauge,
        "File contents known now.",
        known as f64,
    );
    out.single(
        "foveate_blob_cache_bytes",
        Kind::Gauge,
        "Estimated bytes of parsed contents that the cache keeps alive.",
        kept_bytes as f64,
    );
}

fn repository_states(out: &Exposition, engine: &Engine, grant: &Grant) {
    let repositories = engine.repositories(grant);
    let count = |is_counted: &dyn Fn(&Repository) -> bool| {
        repositories.iter().filter(|r| is_counted(r)).count() as f64
    };
    out.family(
        "foveate_repositories",
        Kind::Gauge,
        "Registered repositories, by state.",
        RepoState::ALL.map(|state| {
            let repositories = count(&|r| r.status().state == state);
            (vec![("state", state.name())], repositories)
        }),
    );
    out.family(
        "foveate_repositories_watched",
        Kind::Gauge,
        "Registered repositories, by how changes of their files are detected.",
        ["off", "events", "polling"].map(|mode| {
            let repositories = count(&|r| r.status().watching.name() == mode);
            (vec![("mode", mode)], repositories)
        }),
    );
    out.single(
        "foveate_repositories_in_memory",
        Kind::Gauge,
        "Repositories whose index is in memory.",
        count(&|r| r.current().is_some()),
    );
    memory(out, engine);
    let metrics = RepositoryMetrics::of(&repositories);
    for (name, help, figure, label) in FAMILIES {
        out.family(name, Kind::Gauge, help, metrics.rows(figure, label));
    }
}

fn memory(out: &Exposition, engine: &Engine) {
    out.single(
        "foveate_memory_bytes",
        Kind::Gauge,
        "Estimated bytes of all indexes and of the cached file contents.",
        engine.bytes() as f64,
    );
    if let Some(held) = process::memory_held() {
        out.single(
            "foveate_memory_held_bytes",
            Kind::Gauge,
            "Bytes that the process holds, without pages of files and free memory of its allocator; index.memory_bytes limits them.",
            held as f64,
        );
    }
}

/// The metrics by repository: name, help, key of the figure, and the label in addition to `repo`, if any.
const FAMILIES: [(&str, &str, &str, Option<&str>); 10] = [
    (
        "foveate_repository_generation",
        "Indexes published since the start, by repository.",
        "generation",
        None,
    ),
    (
        "foveate_repository_files",
        "Files of the current index, including those that are not indexed, by repository.",
        "files",
        None,
    ),
    (
        "foveate_repository_definitions",
        "Definitions of the current index, by repository.",
        "definitions",
        None,
    ),
    (
        "foveate_repository_pending_files",
        "Changed files that are not in the index yet, by repository.",
        "pending",
        None,
    ),
    (
        "foveate_repository_warm_revisions",
        "Revisions kept in memory besides the current one, by repository.",
        "revisions",
        None,
    ),
    (
        "foveate_repository_segments",
        "Segments of the lexical index, by repository; more than eight are merged by the next change.",
        "segments",
        None,
    ),
    (
        "foveate_repository_disk_bytes",
        "Bytes of the stored index, by repository.",
        "disk",
        None,
    ),
    (
        "foveate_repository_index_bytes",
        "Estimated bytes of the current index, by repository and structure.",
        "bytes",
        Some("structure"),
    ),
    (
        "foveate_repository_skipped_files",
        "Files that are not indexed, by repository and reason.",
        "skipped",
        Some("reason"),
    ),
    (
        "foveate_repository_parse_issues",
        "Files whose parsing was incomplete, by repository and code.",
        "issues",
        Some("code"),
    ),
];

/// Figures per repository: (repository, figure, value of the label) to a number.
#[derive(Default)]
struct RepositoryMetrics(std::collections::BTreeMap<(String, &'static str, &'static str), f64>);

impl RepositoryMetrics {
    fn of(repositories: &[Arc<Repository>]) -> Self {
        let mut metrics = Self::default();
        for (position, repository) in repositories.iter().enumerate() {
            let name = if position < MAX_LABELLED {
                repository.name().as_str()
            } else {
                OTHER_REPOSITORIES
            };
            metrics.add(name, repository);
        }
        metrics
    }

    fn add(&mut self, name: &str, repository: &Repository) {
        let mut add = |family, label, value: usize| {
            *self.0.entry((name.to_owned(), family, label)).or_default() += value as f64;
        };
        add("pending", "", repository.pending_files());
        add("revisions", "", repository.revisions().count());
        let disk = usize::try_from(repository.store().bytes());
        add("disk", "", disk.unwrap_or(usize::MAX));
        let Some(current) = repository.current() else {
            return;
        };
        let snapshot = &current.snapshot;
        add(
            "generation",
            "",
            usize::try_from(snapshot.generation).unwrap_or(0),
        );
        add("files", "", snapshot.files.len());
        add("definitions", "", snapshot.files.definition_count());
        add("segments", "", snapshot.lexical.segment_count());
        let memory = current.memory();
        add("bytes", "text", memory.text);
        add("bytes", "facts", memory.facts);
        add("bytes", "symbols", memory.symbols);
        add("bytes", "lexical", memory.lexical);
        add("bytes", "messages", memory.messages);
        add("bytes", "graph", memory.graph);
        add("bytes", "files", memory.files);
        add("bytes", "history", memory.history);
        add("bytes", "records", repository.records_bytes());
        for (family, counts) in [
            ("skipped", &current.skipped),
            ("issues", &current.parse_issues),
        ] {
            for (label, count) in counts {
                add(family, label, *count);
            }
        }
    }

    /// Returns the rows of a figure, with the additional label if it has one.
    fn rows<'a>(
        &'a self,
        figure: &'a str,
        label: Option<&'static str>,
    ) -> impl Iterator<Item = (Vec<(&'static str, &'a str)>, f64)> {
        let rows = self.0.iter().filter(move |((_, of, _), _)| *of == figure);
        rows.map(move |((repo, _, text), value)| {
            let label = label.map(|label| (label, *text));
            let labels = std::iter::once(("repo", repo.as_str())).chain(label);
            (labels.collect(), *value)
        })
    }
}
