//! Renders metrics: the present state of the engine, the repositories and the database, and the counters of events.

use std::collections::BTreeMap;
use std::sync::Arc;

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
    out.family("foveate_build_info", [(vec![("version", version)], 1.0)]);
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
    let jobs = jobs.map(|jobs| [("pending", jobs.pending), ("dead", jobs.dead)]);
    let jobs = jobs.into_iter().flatten();
    out.family(
        "foveate_queued_jobs",
        jobs.map(|(state, jobs)| (vec![("state", state)], jobs as f64)),
    );
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
    out.family(
        "foveate_repositories",
        RepoState::ALL.map(|state| {
            let repositories = count(&|r| r.status().state == state);
            (vec![("state", state.name())], repositories)
        }),
    );
    out.family(
        "foveate_repositories_watched",
        ["off", "events", "polling"].map(|mode| {
            let repositories = count(&|r| r.status().watching.name() == mode);
            (vec![("mode", mode)], repositories)
        }),
    );
    out.single(
        "foveate_repositories_in_memory",
        count(&|r| r.current().is_some()),
    );
    let metrics = RepositoryMetrics::of(&repositories, feedback_stats);
    for (name, label) in FAMILIES {
        out.family(name, metrics.rows(name, label));
    }
}

/// The metrics by repository, each with its label in addition to `repo`, if any.
const FAMILIES: [(&str, Option<&str>); 17] = [
    ("foveate_repository_generation", None),
    ("foveate_repository_files", None),
    ("foveate_repository_definitions", None),
    ("foveate_repository_pending_files", None),
    ("foveate_repository_warm_revisions", None),
    ("foveate_repository_segments", None),
    ("foveate_repository_disk_bytes", None),
    ("foveate_repository_index_bytes", Some("structure")),
    ("foveate_repository_skipped_files", Some("reason")),
    ("foveate_repository_parse_issues", Some("code")),
    ("foveate_repository_answers", None),
    ("foveate_repository_feedback", None),
    ("foveate_repository_merges", None),
    ("foveate_repository_merged_files", None),
    ("foveate_repository_merged_files_in_context", None),
    ("foveate_repository_merged_functions", None),
    ("foveate_repository_merged_functions_in_context", None),
];

/// The values of these metrics, by repository, metric and value of the label.
#[derive(Default)]
struct RepositoryMetrics(BTreeMap<(String, &'static str, &'static str), f64>);

impl RepositoryMetrics {
    fn of(repositories: &[Arc<Repository>], feedback_stats: &[RepositoryStats]) -> Self {
        let mut metrics = Self::default();
        for (position, repository) in repositories.iter().enumerate() {
            let name = match position {
                0..MAX_LABELLED => repository.name.as_str(),
                _ => OTHER_REPOSITORIES,
            };
            metrics.add(name, repository);
            let mut stats = feedback_stats.iter();
            if let Some(stats) = stats.find(|stats| stats.repo == repository.name.as_str()) {
                metrics.add_feedback(name, &stats.total);
            }
        }
        metrics
    }

    /// Adds the sums over all stored answers, which show whether the answers help.
    fn add_feedback(&mut self, name: &str, counts: &FeedbackCounts) {
        let merged = &counts.merged;
        for (family, value) in [
            ("foveate_repository_answers", counts.answers),
            ("foveate_repository_feedback", counts.feedback),
            ("foveate_repository_merges", counts.merges),
            ("foveate_repository_merged_files", merged.files),
            (
                "foveate_repository_merged_files_in_context",
                merged.files_in_context,
            ),
            ("foveate_repository_merged_functions", merged.functions),
            (
                "foveate_repository_merged_functions_in_context",
                merged.functions_in_context,
            ),
        ] {
            self.add_value(name, family, "", value as f64);
        }
    }

    fn add_value(&mut self, name: &str, family: &'static str, label: &'static str, value: f64) {
        let key = (name.to_owned(), family, label);
        *self.0.entry(key).or_default() += value;
    }

    fn add(&mut self, name: &str, repository: &Repository) {
        let mut add =
            |family, label, value: usize| self.add_value(name, family, label, value as f64);
        let pending = repository.pending_files();
        let revisions = repository.revisions.count();
        let disk = usize::try_from(repository.store.bytes()).unwrap_or(usize::MAX);
        add("foveate_repository_pending_files", "", pending);
        add("foveate_repository_warm_revisions", "", revisions);
        add("foveate_repository_disk_bytes", "", disk);
        let Some(current) = repository.current() else {
            return;
        };
        let files = &current.snapshot.files;
        let generation = usize::try_from(current.snapshot.generation).unwrap_or(0);
        let definitions = files.definition_count();
        let segments = current.snapshot.lexical.segment_count();
        add("foveate_repository_generation", "", generation);
        add("foveate_repository_files", "", files.len());
        add("foveate_repository_definitions", "", definitions);
        add("foveate_repository_segments", "", segments);
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
            add("foveate_repository_index_bytes", structure, bytes);
        }
        for (family, counts) in [
            ("foveate_repository_skipped_files", &current.skipped),
            ("foveate_repository_parse_issues", &current.parse_issues),
        ] {
            for (label, count) in counts {
                add(family, label, *count);
            }
        }
    }

    /// Returns the samples of a metric, with the additional label if it has one.
    fn rows<'a>(
        &'a self,
        name: &'a str,
        label: Option<&'static str>,
    ) -> impl Iterator<Item = (Vec<(&'static str, &'a str)>, f64)> {
        let rows = self.0.iter().filter(move |((_, of, _), _)| *of == name);
        rows.map(move |((repo, _, text), value)| {
            let label = label.map(|label| (label, *text));
            let labels = std::iter::once(("repo", repo.as_str())).chain(label);
            (labels.collect(), *value)
        })
    }
}
