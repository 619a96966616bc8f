//! Parses this program's own exposition in the Prometheus text format into families, to send it in other formats. It
//! need not parse other programs' text; malformed lines are skipped.

use super::Kind;

/// A metric with all its series.
#[derive(Debug)]
pub struct Family<'t> {
    /// Its name in Prometheus: counters end in `_total`.
    pub name: &'t str,
    /// Its kind.
    pub kind: Kind,
    /// Its description.
    pub help: &'t str,
    /// One for each set of labels.
    pub series: Vec<Series>,
}

/// The values of one set of labels.
#[derive(Debug, Default)]
pub struct Series {
    /// Its labels.
    pub labels: Labels,
    /// The value; for a histogram, the sum.
    pub value: f64,
    /// For a histogram: upper bounds, and the count at or below each. The last bound is infinite.
    pub buckets: Vec<(f64, u64)>,
}

/// Parses the families of a text.
pub fn parse(text: &str) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    let mut help = "";
    for line in text.lines() {
        if let Some(line) = line.strip_prefix("# HELP ") {
            help = line.split_once(' ').map_or("", |(_, help)| help);
        } else if let Some((name, kind)) = declared(line) {
            families.push(Family {
                name,
                kind,
                help: std::mem::take(&mut help),
                series: Vec::new(),
            });
        } else if let (Some(family), Some(sample)) = (families.last_mut(), sample(line)) {
            family.add(sample);
        }
    }
    families
}

/// Parses the name and kind that a line declares.
pub fn declared(line: &str) -> Option<(&str, Kind)> {
    let (name, kind) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
    Some((name, Kind::named(kind)?))
}

/// Names and values of labels.
pub type Labels = Vec<(String, String)>;

/// Parses `name{label="value",…} number` into its three parts. The name of a part of a histogram has a suffix.
pub fn sample(line: &str) -> Option<(&str, Labels, f64)> {
    if line.starts_with('#') {
        return None;
    }
    let (series, value) = line.rsplit_once(' ')?;
    let (name, labels) = match series.split_once('{') {
        Some((name, rest)) => (name, labels(rest.strip_suffix('}')?)?),
        None => (series, Vec::new()),
    };
    Some((name, labels, value.parse().ok()?))
}

/// Parses `label="value",label="value"`; backslashes, quotes and line breaks in values are escaped.
fn labels(text: &str) -> Option<Labels> {
    let mut labels = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, quoted) = rest.split_once("=\"")?;
        let mut value = String::new();
        let mut characters = quoted.char_indices();
        let end = loop {
            match characters.next()? {
                (end, '"') => break end,
                (_, '\\') => value.push(match characters.next()?.1 {
                    'n' => '\n',
                    other => other,
                }),
                (_, other) => value.push(other),
            }
        };
        labels.push((name.to_owned(), value));
        rest = quoted.get(end + 1..)?;
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Some(labels)
}

impl Family<'_> {
    fn add(&mut self, (name, mut labels, value): (&str, Labels, f64)) {
        if self.kind != Kind::Histogram {
            self.series.push(Series {
                labels,
                value,
                ..Series::default()
            });
            return;
        }
        let part = name.strip_prefix(self.name).unwrap_or_default();
        let bound = labels.iter().position(|(name, _)| name == "le");
        let bound = bound.and_then(|at| labels.remove(at).1.parse::<f64>().ok());
        // The samples of one series are consecutive.
        if self.series.last().is_none_or(|last| last.labels != labels) {
            self.series.push(Series {
                labels,
                ..Series::default()
            });
        }
        let Some(series) = self.series.last_mut() else {
            return;
        };
        match (part, bound) {
            ("_bucket", Some(bound)) => series.buckets.push((bound, value as u64)),
            ("_sum", _) => series.value = value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorder_output_is_parsed_back() {
        let states = super::super::Exposition::default();
        let name = "a\"b\\c,d=\"}e";
        states.add("foveate_queued_jobs", &[("repo", name), ("state", "")], 1.5);
        states.single("foveate_blobs_parsed_total", 7.0);
        let text = states.render();
        let families = parse(&text);
        let family = |name| families.iter().find(|f| f.name == name).expect("a family");
        let (x, y) = (
            family("foveate_queued_jobs"),
            family("foveate_blobs_parsed_total"),
        );
        assert_eq!(x.kind, Kind::Gauge);
        assert!(x.help.ends_with("pending, or dead (given up)."));
        let series = &x.series[0];
        assert_eq!(series.value, 1.5);
        assert!(
            series
                .labels
                .contains(&("repo".to_owned(), name.to_owned()))
        );
        assert!(series.labels.contains(&("state".to_owned(), String::new())));
        assert_eq!((y.kind, y.series[0].value), (Kind::Counter, 7.0));
    }

    #[test]
    fn malformed_lines_are_skipped() {
        for line in [
            "", "x", "x y", "x{a=\"b\" 1", "x{a=b} 1", "x{a=\"b} 1", "x{a} 1", "# x 1",
        ] {
            assert_eq!(sample(line), None, "{line}");
        }
    }
}
