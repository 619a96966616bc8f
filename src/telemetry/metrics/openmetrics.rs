//! Converts an exposition to OpenMetrics with exemplars: each bucket of the request durations names its last request
//! and that request's trace.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use super::{Kind, events, families};

/// The histogram with exemplars, and the name of its buckets. Its series differ by the label `route`.
pub(super) const REQUESTS: &str = "foveate_http_request_seconds";
const BUCKET: &str = "foveate_http_request_seconds_bucket";

/// A measured request.
#[derive(Clone, Debug)]
struct Exemplar {
    trace_id: String,
    seconds: f64,
    at: SystemTime,
}

/// By route: the last exemplar of each bucket, and of the one above all bounds. The number of routes is bounded by the
/// router.
type Exemplars = Mutex<HashMap<String, Vec<Option<Exemplar>>>>;

fn exemplars() -> &'static Exemplars {
    static EXEMPLARS: OnceLock<Exemplars> = OnceLock::new();
    EXEMPLARS.get_or_init(Mutex::default)
}

/// Stores a request and its trace as the exemplar of its bucket.
pub(super) fn remember(route: &str, time: Duration, trace_id: String) {
    let seconds = time.as_secs_f64();
    let bounds = events::bounds(REQUESTS);
    let bucket = bounds.partition_point(|bound| *bound < seconds);
    let exemplar = Exemplar {
        trace_id,
        seconds,
        at: SystemTime::now(),
    };
    let mut all = exemplars().lock();
    let of_route = all.entry(route.to_owned());
    let of_route = of_route.or_insert_with(|| vec![None; bounds.len() + 1]);
    if let Some(slot) = of_route.get_mut(bucket) {
        *slot = Some(exemplar);
    }
}

/// Converts a text in the Prometheus format to OpenMetrics: counters are declared without `_total`, bounds are written
/// with a decimal point, and the end is marked.
pub fn text(prometheus: &str) -> String {
    let mut out = String::with_capacity(prometheus.len() + 4096);
    // The help line comes before the type line, which determines the name.
    let mut help: Option<&str> = None;
    for line in prometheus.lines().filter(|line| !line.is_empty()) {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = rest.split_once(' ').map(|(_, help)| help);
        } else if let Some((name, kind)) = families::declared(line) {
            let name = match kind {
                Kind::Counter => name.trim_end_matches("_total"),
                Kind::Gauge | Kind::Histogram => name,
            };
            if let Some(help) = help.take() {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "# HELP {name} {}", help.replace('"', "\\\""));
            }
            let _ = writeln!(out, "# TYPE {name} {}", kind.name());
        } else {
            sample(&mut out, line);
        }
    }
    out.push_str("# EOF\n");
    out
}

fn sample(out: &mut String, line: &str) {
    // The name of another label may end in `le`; quotes in values are escaped, so a value cannot match.
    let at = ["{le=\"", ",le=\""].iter().find_map(|label| {
        let at = line.find(label)? + label.len();
        Some(line.split_at(at))
    });
    let Some((before, rest)) = at else {
        out.push_str(line);
        out.push('\n');
        return;
    };
    let (bound, after) = rest.split_once('"').unwrap_or((rest, ""));
    out.push_str(before);
    let is_whole = bound.bytes().all(|b| b.is_ascii_digit());
    let _ = write!(out, "{bound}{}\"{after}", if is_whole { ".0" } else { "" });
    if line.starts_with(BUCKET)
        && let Some(exemplar) = of_bucket(line)
    {
        let at = exemplar.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let Exemplar {
            trace_id, seconds, ..
        } = exemplar;
        let at = at.as_secs_f64();
        let _ = write!(out, " # {{trace_id=\"{trace_id}\"}} {seconds} {at:.3}");
    }
    out.push('\n');
}

/// Returns the exemplar of a line's bucket.
fn of_bucket(line: &str) -> Option<Exemplar> {
    let (_, labels, _) = families::sample(line)?;
    let label = |name| {
        let found = labels.iter().find(|(label, _)| label == name);
        found.map(|(_, text)| text)
    };
    let bound: f64 = label("le")?.parse().ok()?;
    let bounds = events::bounds(REQUESTS);
    let bucket = bounds.partition_point(|other| *other < bound);
    let all = exemplars().lock();
    all.get(label("route")?)?.get(bucket)?.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMETHEUS: &str = "\
# HELP foveate_a_total A \"quoted\" meaning.
# TYPE foveate_a_total counter
foveate_a_total{code=\"x\"} 1
foveate_a_total{title=\"5\",role=\",le=\\\"7\"} 1

# TYPE foveate_http_request_seconds histogram
foveate_http_request_seconds_bucket{route=\"/open-test\",le=\"0.005\"} 0
foveate_http_request_seconds_bucket{route=\"/open-test\",le=\"0.0075\"} 1
foveate_http_request_seconds_bucket{route=\"/open-test\",le=\"5\"} 1
foveate_http_request_seconds_bucket{route=\"/open-test\",le=\"+Inf\"} 2
foveate_http_request_seconds_sum{route=\"/open-test\"} 9
foveate_http_request_seconds_count{route=\"/open-test\"} 2
";

    #[test]
    fn exemplars_are_shown_at_their_bucket() {
        for (milliseconds, trace_id) in [(6, "aa"), (7, "ab"), (9_000, "bb")] {
            let time = Duration::from_millis(milliseconds);
            remember("/open-test", time, trace_id.to_owned());
        }
        let text = text(PROMETHEUS);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "# HELP foveate_a A \\\"quoted\\\" meaning.");
        assert_eq!(lines[1], "# TYPE foveate_a counter");
        assert_eq!(lines[2], "foveate_a_total{code=\"x\"} 1");
        assert_eq!(PROMETHEUS.lines().nth(3), Some(lines[3]), "no bucket");
        assert!(!lines[5].contains('#'), "{}", lines[5]);
        assert!(lines[6].contains("le=\"0.0075\"} 1 # {trace_id=\"ab\"} 0.007 1"));
        assert!(lines[7].ends_with("le=\"5.0\"} 1"), "{}", lines[7]);
        assert!(lines[8].contains("le=\"+Inf\"} 2 # {trace_id=\"bb\"} 9 1"));
        assert_eq!(*lines.last().unwrap(), "# EOF");
        assert!(!text.contains("\n\n"));
    }
}
