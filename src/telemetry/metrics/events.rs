//! Defines the metrics that are recorded as they happen: descriptions, buckets, and the series that exist from the
//! start. A counter that first appears with its first event would show no increase.

use metrics::Label;

use super::Kind;

/// Bounds for durations of answers and their stages, in seconds.
const ANSWER_SECONDS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.04, 0.075, 0.15, 0.5, 1.5, 5.0,
];
/// Bounds for durations of indexing and copying, in seconds.
const INDEX_SECONDS: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];

/// Every metric that is recorded as it happens: name, kind, description.
pub(super) const EVENTS: [(&str, Kind, &str); 24] = [
    (
        "foveate_http_requests_total",
        Kind::Counter,
        "HTTP requests answered, by route, method and status.",
    ),
    (
        "foveate_http_request_seconds",
        Kind::Histogram,
        "Time from a request's head to its answer's head, by route.",
    ),
    (
        "foveate_connections_evicted_total",
        Kind::Counter,
        "Connections without a request that were closed to make room for others.",
    ),
    (
        "foveate_connections_refused_total",
        Kind::Counter,
        "Connections that were closed at once because the limit was reached and all others were busy.",
    ),
    (
        "foveate_stage_seconds",
        Kind::Histogram,
        "Time of each stage of an answer, by stage and intent; the stage total includes waiting.",
    ),
    (
        "foveate_lookup_seconds",
        Kind::Histogram,
        "Time of a lookup of definitions, references, outlines, matches or files, waiting included.",
    ),
    (
        "foveate_permit_wait_seconds",
        Kind::Histogram,
        "Time that questions waited in the queue.",
    ),
    (
        "foveate_problems_total",
        Kind::Counter,
        "Requests answered with a problem, by its code.",
    ),
    (
        "foveate_certificate_reads_total",
        Kind::Counter,
        "Reloads of a changed certificate, by outcome.",
    ),
    (
        "foveate_degraded_answers_total",
        Kind::Counter,
        "Answers that are incomplete or outdated, by issue code.",
    ),
    (
        "foveate_index_read_seconds",
        Kind::Histogram,
        "Time to find, read and parse the files of a revision, by cause.",
    ),
    (
        "foveate_index_build_seconds",
        Kind::Histogram,
        "Time to build the index of a revision from its files, by cause.",
    ),
    (
        "foveate_references_restored_total",
        Kind::Counter,
        "Files whose resolved references were read from disk.",
    ),
    (
        "foveate_transfer_seconds",
        Kind::Histogram,
        "Time of clones and fetches of remote repositories, by outcome.",
    ),
    (
        "foveate_audits_total",
        Kind::Counter,
        "Comparisons of a working tree's index with the disk.",
    ),
    (
        "foveate_audit_repaired_files_total",
        Kind::Counter,
        "Changed files that audits found and events had not reported.",
    ),
    (
        "foveate_disk_damaged_total",
        Kind::Counter,
        "Damaged pieces of stored data, which are discarded and rebuilt, by kind.",
    ),
    (
        "foveate_disk_failed_writes_total",
        Kind::Counter,
        "Failures to store a repository's index.",
    ),
    (
        "foveate_repositories_evicted_total",
        Kind::Counter,
        "Times that a repository was evicted from memory to make room.",
    ),
    (
        "foveate_webhooks_total",
        Kind::Counter,
        "Webhooks of forges, by forge and outcome: queued, synced, repeated, ignored, refused.",
    ),
    (
        "foveate_jobs_total",
        Kind::Counter,
        "Jobs of webhooks, by outcome: queued, done, failed (will be retried), put_off, dead.",
    ),
    (
        "foveate_answers_recorded_total",
        Kind::Counter,
        "Answers to be recorded, by outcome: stored, dropped (the queue was full), failed.",
    ),
    (
        "foveate_feedback_total",
        Kind::Counter,
        "Feedback on answers, by source: caller, merge.",
    ),
    (
        "foveate_panics_total",
        Kind::Counter,
        "Panics: requests, indexing runs and jobs that failed on a bug.",
    ),
];

/// Series that alerts and dashboards query, which are 0 until something happens. Metrics without labels are not listed:
/// they always start at 0.
const INITIAL: [(&str, &[Labels]); 14] = [
    (
        "foveate_http_requests_total",
        &[&[("route", "/context"), ("method", "POST"), ("status", "200")]],
    ),
    ("foveate_http_request_seconds", &[&[("route", "/context")]]),
    (
        "foveate_stage_seconds",
        &[
            &[("stage", "intent"), ("intent", "BUG_FIX")],
            &[("stage", "resolve"), ("intent", "BUG_FIX")],
            &[("stage", "rank"), ("intent", "BUG_FIX")],
            &[("stage", "assemble"), ("intent", "BUG_FIX")],
            &[("stage", "total"), ("intent", "BUG_FIX")],
        ],
    ),
    (
        "foveate_problems_total",
        &[
            &[("code", "deadline")],
            &[("code", "indexing")],
            &[("code", "internal")],
            &[("code", "overloaded")],
            &[("code", "rate_limited")],
            &[("code", "store_unavailable")],
            &[("code", "too_many_connections")],
        ],
    ),
    (
        "foveate_certificate_reads_total",
        &[&[("outcome", "done")], &[("outcome", "failed")]],
    ),
    (
        "foveate_degraded_answers_total",
        &[&[("code", "deadline")], &[("code", "degraded")]],
    ),
    ("foveate_index_read_seconds", &[&[("cause", "registered")]]),
    ("foveate_index_build_seconds", &[&[("cause", "registered")]]),
    (
        "foveate_transfer_seconds",
        &[&[("outcome", "ok")], &[("outcome", "failed")]],
    ),
    ("foveate_disk_damaged_total", &[&[("what", "facts")]]),
    (
        "foveate_webhooks_total",
        &[&[("forge", "github"), ("outcome", "queued")]],
    ),
    (
        "foveate_answers_recorded_total",
        &[
            &[("outcome", "stored")],
            &[("outcome", "dropped")],
            &[("outcome", "failed")],
        ],
    ),
    (
        "foveate_feedback_total",
        &[&[("source", "caller")], &[("source", "merge")]],
    ),
    (
        "foveate_jobs_total",
        &[
            &[("outcome", "queued")],
            &[("outcome", "done")],
            &[("outcome", "failed")],
            &[("outcome", "dead")],
        ],
    ),
];

/// Names and values of a series' labels.
type Labels = &'static [(&'static str, &'static str)];

/// Returns the upper bounds of a histogram's buckets, in seconds.
pub(super) fn bounds(name: &str) -> &'static [f64] {
    let is_slow = ["foveate_index", "foveate_transfer"];
    if is_slow.iter().any(|slow| name.starts_with(slow)) {
        &INDEX_SECONDS
    } else {
        &ANSWER_SECONDS
    }
}

/// Registers the description of each metric, and creates the series that exist from the start.
pub(super) fn describe() {
    for (name, kind, help) in EVENTS {
        match kind {
            Kind::Counter => metrics::describe_counter!(name, help),
            Kind::Gauge => metrics::describe_gauge!(name, help),
            Kind::Histogram => metrics::describe_histogram!(name, metrics::Unit::Seconds, help),
        }
        let labelled = INITIAL.iter().find(|(of, _)| *of == name);
        for labels in labelled.map_or(&[&[] as Labels][..], |(_, series)| series) {
            let labels: Vec<Label> = labels.iter().map(Label::from).collect();
            match kind {
                Kind::Counter => metrics::counter!(name, labels).increment(0),
                Kind::Gauge => metrics::gauge!(name, labels).increment(0.0),
                Kind::Histogram => drop(metrics::histogram!(name, labels)),
            }
        }
    }
}
