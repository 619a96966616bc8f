//! The process's metrics. `descriptions` lists them. Events are recorded where they happen through the `metrics` macros.
//! States are read when `/metrics` is requested, and written with [`Exposition`], so that the state of a removed
//! object disappears.

mod descriptions;
mod events;
pub mod families;
pub mod openmetrics;

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Duration;

use foveate_model::escape;
use metrics::{Key, Label, Level, Metadata, Recorder as _};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

use descriptions::{EVENTS, STATES};

foveate_model::named_enum! {
    /// The kind of a metric.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// Only increases.
        Counter = "counter",
        /// Goes up and down.
        Gauge = "gauge",
        /// Counts in buckets.
        Histogram = "histogram",
    }
}

/// Returns the recorder of this process; the first call installs it.
///
/// # Errors
/// When another recorder is already installed.
pub fn recorder() -> Result<PrometheusHandle, String> {
    static RECORDER: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();
    RECORDER.get_or_init(install).clone()
}

fn install() -> Result<PrometheusHandle, String> {
    let mut builder = PrometheusBuilder::new();
    for (name, kind, _) in EVENTS {
        if kind == Kind::Histogram {
            let matcher = Matcher::Full(name.to_owned());
            builder = builder
                .set_buckets_for_metric(matcher, events::bounds(name))
                .map_err(|error| error.to_string())?;
        }
    }
    let handle = builder
        .install_recorder()
        .map_err(|error| error.to_string())?;
    events::describe();
    Ok(handle)
}

/// Records the duration of a request, and its trace as an exemplar, if known.
pub fn request_seconds(route: &str, time: Duration, trace_id: Option<String>) {
    metrics::histogram!(openmetrics::REQUESTS, "route" => route.to_owned()).record(time);
    if let Some(trace_id) = trace_id {
        openmetrics::remember(route, time, trace_id);
    }
}

/// States in the Prometheus text format. They have their own recorder, so that the state of a removed object
/// disappears.
#[derive(Debug)]
pub struct Exposition(PrometheusRecorder);

impl Default for Exposition {
    fn default() -> Self {
        Self(PrometheusBuilder::new().build_recorder())
    }
}

impl Exposition {
    /// Adds a value to the series of a listed metric with these labels. A metric without series is not shown.
    pub fn add(&self, name: &'static str, labels: &[(&'static str, &str)], value: f64) {
        const READ: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, None);
        let (kind, help) = described(name);
        // A label's value may hold control characters.
        let label = |(label, text): &(&'static str, &str)| {
            Label::new(*label, escape::escape(text).into_owned())
        };
        let labels: Vec<Label> = labels.iter().map(label).collect();
        let key = Key::from_parts(name, labels);
        match kind {
            Kind::Counter => {
                self.0.describe_counter(name.into(), None, help.into());
                self.0.register_counter(&key, &READ).increment(value as u64);
            }
            Kind::Gauge | Kind::Histogram => {
                self.0.describe_gauge(name.into(), None, help.into());
                self.0.register_gauge(&key, &READ).increment(value);
            }
        }
    }

    /// Adds a metric without labels, if its value is known.
    pub fn single(&self, name: &'static str, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into() {
            self.add(name, &[], value);
        }
    }

    /// Returns the text, followed by the figures of this process.
    pub fn with_process(&self) -> String {
        self.render() + &process_text()
    }

    fn render(&self) -> String {
        self.0.handle().render()
    }
}

/// Returns the figures of this process as text, without a recorder: CPU time has fractions, and counters of `metrics`
/// are whole numbers.
fn process_text() -> String {
    let mut text = String::new();
    for (name, value) in super::process::figures() {
        let (kind, help) = described(name);
        let kind = kind.name();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n"
        );
    }
    text
}

/// Returns the kind and the description of a state. A test notices a name that is not listed by its empty description.
fn described(name: &str) -> (Kind, &'static str) {
    let state = STATES.iter().find(|(listed, ..)| *listed == name);
    state.map_or((Kind::Gauge, ""), |(_, kind, help)| (*kind, *help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_hold_no_unsafe_character() {
        let states = Exposition::default();
        let labels = [("repo", "a\"\n\u{1b}[2J\u{202e}\\")];
        states.add("foveate_x", &labels, 1.0);
        let text = states.render();
        let sample = text.lines().nth(2).unwrap();
        let expected = r#"foveate_x{repo="a\"\\n\\u{1b}[2J\\u{202e}\\"} 1"#;
        assert_eq!(sample, expected);
    }
}
