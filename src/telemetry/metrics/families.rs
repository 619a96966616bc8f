//! Reads an exposition that this program wrote in the Prometheus text format back into families, for the
//! other formats that it is sent in. Nothing of others is read here; what is not well formed is left out.

use super::Kind;

/// A metric with all its series.
#[derive(Debug)]
pub struct Family<'t> {
    /// Its name, as Prometheus has it: counters end in `_total`.
    pub name: &'t str,
    /// What it is.
    pub kind: Kind,
    /// Its meaning.
    pub help: &'t str,
    /// One for each set of labels.
    pub series: Vec<Series>,
}

/// What is known of one set of labels.
#[derive(Debug, Default)]
pub struct Series {
    /// Names and values.
    pub labels: Vec<(String, String)>,
    /// The value; of a histogram the sum.
    pub value: f64,
    /// Of a histogram: upper bounds, and how many were at or below each. The last bound is infinite.
    pub buckets: Vec<(f64, u64)>,
}

/// The families of a text.
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

/// The name and kind that a line declares.
pub fn declared(line: &str) -> Option<(&str, Kind)> {
    let (name, kind) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
    let kind = match kind {
        "counter" => Kind::Counter,
        "gauge" => Kind::Gauge,
        "histogram" => Kind::Histogram,
        _ => return None,
    };
    Some((name, kind))
}

/// One line of an exposition.
#[derive(Debug, PartialEq)]
pub struct Sample<'t> {
    /// The name with the suffix of its part of a histogram.
    pub name: &'t str,
    /// Names and values of its labels.
    pub labels: Vec<(String, String)>,
    /// Its value.
    pub value: f64,
}

/// Reads `name{label="value",…} number`.
pub fn sample(line: &str) -> Option<Sample<'_>> {
    if line.starts_with('#') {
        return None;
    }
    let (series, value) = line.rsplit_once(' ')?;
    let (name, labels) = match series.split_once('{') {
        Some((name, rest)) => (name, labels(rest.strip_suffix('}')?)?),
        None => (series, Vec::new()),
    };
    Some(Sample {
        name,
        labels,
        value: value.parse().ok()?,
    })
}

/// Reads `label="value",label="value"`, in which values escape backslashes, quotes and line ends.
fn labels(text: &str) -> Option<Vec<(String, String)>> {
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
    fn add(&mut self, sample: Sample<'_>) {
        let Sample {
            name,
            mut labels,
            value,
        } = sample;
        if self.kind != Kind::Histogram {
            self.series.push(Series {
                labels,
                value,
                buckets: Vec::new(),
            });
            return;
        }
        let part = name.strip_prefix(self.name).unwrap_or_default();
        let bound = labels.iter().position(|(name, _)| name == "le");
        let bound = bound.and_then(|at| labels.remove(at).1.parse::<f64>().ok());
        // The parts of one series follow each other.
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
    fn what_a_recorder_writes_is_read_back() {
        let states = super::super::Exposition::default();
        let name = "a\"b\\c,d=\"}e";
        let labels = || vec![("repo", name), ("state", "")];
        states.family("foveate_x", Kind::Gauge, "X {y} 1.", [(labels(), 1.5)]);
        states.single("foveate_y_total", Kind::Counter, "Y.", 7.0);
        let text = states.render();
        let families = parse(&text);
        let family = |name| families.iter().find(|f| f.name == name).expect("a family");
        let (x, y) = (family("foveate_x"), family("foveate_y_total"));
        assert_eq!((x.kind, x.help), (Kind::Gauge, "X {y} 1."));
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
    fn what_is_not_well_formed_is_left_out() {
        for line in [
            "",
            "x",
            "x y",
            "x{a=\"b\" 1",
            "x{a=b} 1",
            "x{a=\"b} 1",
            "x{a} 1",
            "# x 1",
        ] {
            assert_eq!(sample(line), None, "{line}");
        }
    }
}
