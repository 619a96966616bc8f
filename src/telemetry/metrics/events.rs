//! Creates the metrics that are recorded as they happen: their buckets, and the series that exist from the start. A
//! counter that first appears with its first event would show no increase.

use metrics::Label;

use super::Kind;
use super::descriptions::EVENTS;

/// Bounds for durations of answers and their stages, in seconds.
const ANSWER_SECONDS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.04, 0.075, 0.15, 0.5, 1.5, 5.0,
];
/// Bounds for durations of indexing and copying, in seconds.
const INDEX_SECONDS: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];

/// Series that alerts and dashboards query, which are 0 until something happens: the metric, one series for each value
/// of its first label, and its other labels. Metrics without labels are not listed: they always start at 0.
#[rustfmt::skip]
const INITIAL: [(&str, &str, &[&str], Labels); 14] = [
    ("foveate_http_requests_total", "route", &["/context"], &[("method", "POST"), ("status", "200")]),
    ("foveate_http_request_seconds", "route", &["/context"], &[]),
    ("foveate_stage_seconds", "stage", &["intent", "resolve", "rank", "assemble", "total"], &[("intent", "BUG_FIX")]),
    (
        "foveate_problems_total", "code",
        &["deadline", "indexing", "internal", "overloaded", "rate_limited", "store_unavailable", "too_many_connections"],
        &[],
    ),
    ("foveate_certificate_reads_total", "outcome", &["done", "failed"], &[]),
    ("foveate_degraded_answers_total", "code", &["deadline", "degraded"], &[]),
    ("foveate_index_read_seconds", "cause", &["registered"], &[]),
    ("foveate_index_build_seconds", "cause", &["registered"], &[]),
    ("foveate_transfer_seconds", "outcome", &["ok", "failed"], &[]),
    ("foveate_disk_damaged_total", "what", &["facts"], &[]),
    ("foveate_webhooks_total", "forge", &["github"], &[("outcome", "queued")]),
    ("foveate_answers_recorded_total", "outcome", &["stored", "dropped", "failed"], &[]),
    ("foveate_feedback_total", "source", &["caller", "merge"], &[]),
    ("foveate_jobs_total", "outcome", &["queued", "done", "failed", "dead"], &[]),
];

/// Names and values of a series' labels.
type Labels = &'static [(&'static str, &'static str)];

/// Returns the upper bounds of a histogram's buckets, in seconds.
pub(super) fn bounds(name: &str) -> &'static [f64] {
    if name.starts_with("foveate_index") || name.starts_with("foveate_transfer") {
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
        match INITIAL.iter().find(|(of, ..)| *of == name) {
            None => create(name, kind, Vec::new()),
            Some((_, first, values, others)) => {
                for value in *values {
                    let mut labels = vec![Label::from_static_parts(first, value)];
                    labels.extend(others.iter().map(Label::from));
                    create(name, kind, labels);
                }
            }
        }
    }
}

fn create(name: &'static str, kind: Kind, labels: Vec<Label>) {
    match kind {
        Kind::Counter => metrics::counter!(name, labels).increment(0),
        Kind::Gauge => metrics::gauge!(name, labels).increment(0.0),
        Kind::Histogram => drop(metrics::histogram!(name, labels)),
    }
}
