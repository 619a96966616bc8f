//! Renders metrics: the present state of the engine, the repositories and the database, and the counters of events.

use crate::access::Grant;
use crate::engine::{BlobStats, Engine, Queue, Repository, State as RepoState};
use crate::feedback::{FeedbackCounts, RepositoryStats};
use crate::http::HttpState;
use crate::store::JobCounts;
use crate::telemetry::metrics::{Exposition, recorder};
use crate::telemetry::process;

/// Maximum repositories with series of their own; the others are summed up under one name, so that the number of
/// series stays bounded.
const MAX_LABELLED: usize = 100;
const OTHER_REPOSITORIES: &str = "_others";

/// Renders the metrics that a grant sees, in the Prometheus text format. Blocks for milliseconds.
pub(super) fn render(
    state: &HttpState,
    grant: &Grant,
    jobs: Option<JobCounts>,
    feedback_stats: &[RepositoryStats],
) -> String {
    let out = Exposition::default();
    let version = env!("CARGO_PKG_VERSION");
    out.add("foveate_build_info", &[("version", version)], 1.0);
    questions(&out, &state.engine.permits.queue);
    blobs(&out, state.engine.blobs.stats());
    let bytes = |bytes: Option<usize>| bytes.map(|bytes| bytes as f64);
    let memory_limit = state.catalog.memory_limit();
    out.single("foveate_memory_limit_bytes", bytes(memory_limit));
    out.single("foveate_memory_bytes", state.engine.bytes() as f64);
    let held = process::memory_held();
    out.single("foveate_memory_held_bytes", bytes(held));
    repository_states(&out, &state.engine, grant, feedback_stats);
    out.single(
        "foveate_database_up",
        f64::from(u8::from(state.forges.has_database())),
    );
    if let Some(JobCounts { pending, dead }) = jobs {
        for (state, jobs) in [("pending", pending), ("dead", dead)] {
            out.add("foveate_queued_jobs", &[("state", state)], jobs as f64);
        }
    }
    let events = recorder().map(|recorder| recorder.render());
    events.unwrap_or_default() + &out.with_process()
}

fn questions(out: &Exposition, permits: &Queue) {
    out.single("foveate_answers_in_progress", permits.in_use() as f64);
    out.single("foveate_answer_queue_depth", permits.waiting() as f64);
    out.single("foveate_answer_permits", permits.total() as f64);
    out.single("foveate_answer_queue_limit", permits.max_waiting() as f64);
}

fn blobs(out: &Exposition, blobs: BlobStats) {
    out.single("foveate_blobs_parsed_total", blobs.parsed as f64);
    out.single("foveate_blobs_reused_total", blobs.reused as f64);
    out.single("foveate_blobs_restored_total", blobs.restored as f64);
    out.single("foveate_blobs_known", blobs.known as f64);
    out.single("foveate_blob_cache_bytes", blobs.kept_bytes as f64);
}

fn repository_states(
    out: &Exposition,
    engine: &Engine,
    grant: &Grant,
    feedback_stats: &[RepositoryStats],
) {
    let repositories = engine.repositories(grant);
    let count = |is_counted: &dyn Fn(&Repository) -> bool| {
        repositories.iter().filter(|r| is_counted(r)).count() as f64
    };
    for state in RepoState::ALL {
        let repositories = count(&|r| r.status().state == state);
        let labels = [("state", state.name())];
        out.add("foveate_repositories", &labels, repositories);
    }
    for mode in ["off", "events", "polling"] {
        let repositories = count(&|r| r.status().watching.name() == mode);
        out.add(
            "foveate_repositories_watched",
            &[("mode", mode)],
            repositories,
        );
    }
    let in_memory = count(&|r| r.current().is_some());
    out.single("foveate_repositories_in_memory", in_memory);
    for (position, repository) in repositories.iter().enumerate() {
        let name = match position {
            0..MAX_LABELLED => repository.name.as_str(),
            _ => OTHER_REPOSITORIES,
        };
        add_repository(out, name, repository);
        let mut stats = feedback_stats.iter();
        if let Some(stats) = stats.find(|stats| stats.repo == repository.name.as_str()) {
            add_feedback(out, name, &stats.total);
        }
    }
}

/// Adds the sums over all stored answers, which show whether the answers help.
fn add_feedback(out: &Exposition, name: &str, counts: &FeedbackCounts) {
    let add = |metric, value: i64| out.add(metric, &[("repo", name)], value as f64);
    let merged = &counts.merged;
    add("foveate_repository_answers", counts.answers);
    add("foveate_repository_feedback", counts.feedback);
    add("foveate_repository_merges", counts.merges);
    add("foveate_repository_merged_files", merged.files);
    add(
        "foveate_repository_merged_files_in_context",
        merged.files_in_context,
    );
    add("foveate_repository_merged_functions", merged.functions);
    add(
        "foveate_repository_merged_functions_in_context",
        merged.functions_in_context,
    );
}

fn add_repository(out: &Exposition, name: &str, repository: &Repository) {
    let add = |metric, value: f64| out.add(metric, &[("repo", name)], value);
    let pending = repository.pending_files();
    let revisions = repository.revisions.count();
    add("foveate_repository_pending_files", pending as f64);
    add("foveate_repository_warm_revisions", revisions as f64);
    add(
        "foveate_repository_disk_bytes",
        repository.store.bytes() as f64,
    );
    let Some(current) = repository.current() else {
        return;
    };
    let files = &current.snapshot.files;
    let generation = current.snapshot.generation;
    let definitions = files.definition_count();
    let segments = current.snapshot.lexical.segment_count();
    add("foveate_repository_generation", generation as f64);
    add("foveate_repository_files", files.len() as f64);
    add("foveate_repository_definitions", definitions as f64);
    add("foveate_repository_segments", segments as f64);
    let add = |metric, label, text: &str, value: usize| {
        out.add(metric, &[("repo", name), (label, text)], value as f64);
    };
    let memory = current.memory();
    for (structure, bytes) in [
        ("text", memory.text),
        ("facts", memory.facts),
        ("symbols", memory.symbols),
        ("lexical", memory.lexical),
        ("messages", memory.messages),
        ("graph", memory.graph),
        ("files", memory.files),
        ("history", memory.history),
        ("records", repository.records_bytes()),
    ] {
        add(
            "foveate_repository_index_bytes",
            "structure",
            structure,
            bytes,
        );
    }
    for (reason, files) in &current.skipped {
        add("foveate_repository_skipped_files", "reason", reason, *files);
    }
    for (code, files) in &current.parse_issues {
        add("foveate_repository_parse_issues", "code", code, *files);
    }
}
