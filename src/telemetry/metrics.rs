//! The process's metrics. Events are recorded where they happen through the `metrics` macros and
//! described here; states are read when `/metrics` is asked for and written with [`Exposition`], so
//! that what is gone is not shown.

use std::fmt::Write as _;
use std::sync::OnceLock;

use foveate_model::escape;
use metrics::{Key, Label, Level, Metadata, Recorder as _};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

use super::process::Figure;

/// Bounds for durations of answers and their stages, in seconds.
const ANSWER_SECONDS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.04, 0.075, 0.15, 0.5, 1.5, 5.0,
];
/// Bounds for durations of indexing and copying, in seconds.
const INDEX_SECONDS: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];

/// Every metric that is recorded as it happens: name, kind, meaning.
const EVENTS: [(&str, Kind, &str); 22] = [
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
        "Connections that were closed at once, since all others were busy.",
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
        "Time that questions waited for their turn.",
    ),
    (
        "foveate_problems_total",
        Kind::Counter,
        "Requests answered with a problem, by its code.",
    ),
    (
        "foveate_certificate_reads_total",
        Kind::Counter,
        "Times that a changed certificate was read again, by outcome.",
    ),
    (
        "foveate_degraded_answers_total",
        Kind::Counter,
        "Answers that had to do without something, by issue code.",
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
        "Files of which audits found that they had changed without an event.",
    ),
    (
        "foveate_disk_damaged_total",
        Kind::Counter,
        "Stored data that were not what was written and are made again, by what they were.",
    ),
    (
        "foveate_disk_failed_writes_total",
        Kind::Counter,
        "Times that a repository's index could not be stored.",
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
        "Jobs of webhooks, by outcome: queued, done, failed (to be tried again), put_off, dead.",
    ),
    (
        "foveate_panics_total",
        Kind::Counter,
        "Requests that failed on a defect.",
    ),
];

/// What kind of metric it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts in buckets.
    Histogram,
}

/// The recorder of this process; installed at the first call.
///
/// # Errors
/// When another recorder was installed before.
pub fn recorder() -> Result<PrometheusHandle, String> {
    static RECORDER: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();
    RECORDER.get_or_init(install).clone()
}

fn install() -> Result<PrometheusHandle, String> {
    let seconds = |name: &str| Matcher::Full(name.to_owned());
    let mut builder = PrometheusBuilder::new();
    for (name, kind, _) in EVENTS {
        if kind == Kind::Histogram {
            let is_slow = ["foveate_index", "foveate_transfer"];
            let bounds: &[f64] = if is_slow.iter().any(|slow| name.starts_with(slow)) {
                &INDEX_SECONDS
            } else {
                &ANSWER_SECONDS
            };
            builder = builder
                .set_buckets_for_metric(seconds(name), bounds)
                .map_err(|error| error.to_string())?;
        }
    }
    let handle = builder
        .install_recorder()
        .map_err(|error| error.to_string())?;
    for (name, kind, help) in EVENTS {
        match kind {
            Kind::Counter => metrics::describe_counter!(name, help),
            Kind::Gauge => metrics::describe_gauge!(name, help),
            Kind::Histogram => metrics::describe_histogram!(name, metrics::Unit::Seconds, help),
        }
    }
    Ok(handle)
}

/// States in the Prometheus text format, of a recorder of their own: so what is gone is not shown.
#[derive(Debug)]
pub struct Exposition(PrometheusRecorder);

impl Default for Exposition {
    fn default() -> Self {
        Self(PrometheusBuilder::new().build_recorder())
    }
}

impl Exposition {
    /// Adds a family: `samples` are label pairs and values. Without samples nothing is shown.
    pub fn family<'a>(
        &self,
        name: &'static str,
        kind: Kind,
        help: &'static str,
        samples: impl IntoIterator<Item = (Vec<(&'static str, &'a str)>, f64)>,
    ) {
        const READ: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, None);
        match kind {
            Kind::Counter => self.0.describe_counter(name.into(), None, help.into()),
            Kind::Gauge | Kind::Histogram => self.0.describe_gauge(name.into(), None, help.into()),
        }
        for (labels, value) in samples {
            // A name may hold what a terminal obeys.
            let label = |(label, text)| Label::new(label, escape::escape(text).into_owned());
            let labels: Vec<Label> = labels.into_iter().map(label).collect();
            let key = Key::from_parts(name, labels);
            match kind {
                Kind::Counter => self.0.register_counter(&key, &READ).absolute(value as u64),
                Kind::Gauge | Kind::Histogram => self.0.register_gauge(&key, &READ).set(value),
            }
        }
    }

    /// A family of one sample without labels.
    pub fn single(
        &self,
        name: &'static str,
        kind: Kind,
        help: &'static str,
        value: impl Into<Option<f64>>,
    ) {
        let sample = value.into().map(|value| (Vec::new(), value));
        self.family(name, kind, help, sample);
    }

    /// The text, and the figures of this process after it.
    pub fn with_process(&self) -> String {
        self.render() + &process_text()
    }

    fn render(&self) -> String {
        self.0.handle().render()
    }
}

/// The figures of this process. The counter among them, CPU time, is written here: it has fractions, and
/// counters of `metrics` are whole numbers.
fn process_text() -> String {
    let (counters, gauges): (Vec<_>, Vec<_>) = super::process::figures()
        .into_iter()
        .partition(|figure| figure.name.ends_with("_total"));
    let states = Exposition::default();
    for Figure { name, help, value } in gauges {
        states.single(name, Kind::Gauge, help, value);
    }
    let mut text = states.render();
    for Figure { name, help, value } in counters {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_hold_no_unsafe_character() {
        let states = Exposition::default();
        let labels = vec![("repo", "a\"\n\u{1b}[2J\u{202e}\\")];
        states.family("foveate_x", Kind::Gauge, "X.", [(labels, 1.0)]);
        let text = states.render();
        let sample = text.lines().nth(2).unwrap();
        let expected = r#"foveate_x{repo="a\"\\n\\u{1b}[2J\\u{202e}\\"} 1"#;
        assert_eq!(sample, expected);
    }
}
