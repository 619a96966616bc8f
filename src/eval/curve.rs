//! Measures how much is shown for how many tokens: asks each case with several thresholds, and formats the means as a
//! table and a chart.

use std::fmt::Write as _;

use crate::eval::aggregate::CaseResult;
use crate::eval::metric::{Metric, Scores};
use crate::eval::report::figure;
use foveate_query::Breadth;

/// One setting of a request: a breadth, or a threshold that replaces the breadth's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The breadth of the request.
    pub breadth: Breadth,
    /// Minimum probability of a place.
    pub min_probability: Option<f32>,
}

/// The thresholds, the lowest first.
const THRESHOLDS: [f32; 9] = [0.001, 0.002, 0.004, 0.007, 0.01, 0.02, 0.04, 0.08, 0.15];

impl Step {
    /// Returns all steps: the three breadths, then balanced with each threshold.
    pub fn all() -> impl Iterator<Item = Self> {
        let breadths = [Breadth::Wide, Breadth::Balanced, Breadth::Precise];
        let named = breadths.into_iter().map(|breadth| Self {
            breadth,
            min_probability: None,
        });
        named.chain(THRESHOLDS.map(|threshold| Self {
            breadth: Breadth::Balanced,
            min_probability: Some(threshold),
        }))
    }

    /// Returns the name in reports and in JSON.
    pub fn name(self) -> String {
        match (self.min_probability, self.breadth) {
            (Some(threshold), _) => format!("p >= {threshold}"),
            (None, Breadth::Wide) => "wide".to_owned(),
            (None, Breadth::Balanced) => "balanced".to_owned(),
            (None, Breadth::Precise) => "precise".to_owned(),
        }
    }
}

const COLUMNS: [(&str, Metric); 7] = [
    ("tokens", Metric::Used(8000)),
    ("shown", Metric::Shown(8000)),
    ("edits", Metric::Edits(8000)),
    ("outside", Metric::EditsOutside(8000)),
    ("lines", Metric::LinePrecision(8000)),
    ("recall", Metric::LineRecall(8000)),
    ("wrong", Metric::WrongFiles(8000)),
];

/// Computes the means of all cases at each step, in the order of the steps.
fn means(cases: &[CaseResult]) -> Vec<(String, Scores)> {
    let mean = |name: String| {
        let points = cases.iter().flat_map(|case| &case.curve);
        let scores = points.filter(|point| point.step == name);
        let mean = Scores::mean(scores.map(|point| &point.scores));
        (name, mean)
    };
    Step::all().map(|step| mean(step.name())).collect()
}

/// Formats the means as a table.
pub fn table(cases: &[CaseResult]) -> String {
    let mut text = format!("{:12}", "Curve");
    for (heading, _) in COLUMNS {
        let _ = write!(text, " {heading:>7}");
    }
    text.push('\n');
    for (name, scores) in means(cases) {
        let _ = write!(text, "{name:12}");
        for (_, metric) in COLUMNS {
            let _ = write!(text, " {:>7}", figure(metric, scores.get(metric)));
        }
        text.push('\n');
    }
    text
}

/// Width and height of the chart, and its margin, in pixels.
const SIZE: (f64, f64) = (640.0, 400.0);
const MARGIN: f64 = 50.0;
/// Tokens at the right end of the horizontal axis.
const MAX_TOKENS: f64 = 8000.0;

/// Converts tokens and a share to a position in the chart.
fn at(tokens: f64, share: f64) -> (f64, f64) {
    let (width, height) = SIZE;
    let x = MARGIN + tokens / MAX_TOKENS * (width - 2.0 * MARGIN);
    let y = height - MARGIN - share * (height - 2.0 * MARGIN);
    (x, y)
}

/// Draws the share shown over tokens as SVG: a line through the thresholds, a mark per breadth.
pub fn svg(cases: &[CaseResult]) -> String {
    let (width, height) = SIZE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Share of changed functions shown over tokens</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    draw_grid(&mut text);
    draw_points(&mut text, cases);
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">tokens of the context (mean over {} cases)</text>\n</svg>",
        width / 2.0,
        height - 8.0,
        cases.len()
    );
    text
}

fn draw_grid(text: &mut String) {
    for step in 0..=4 {
        let (tokens, share) = (f64::from(step) * 2000.0, f64::from(step) * 0.25);
        let ((left, y), (x, bottom)) = (at(0.0, share), at(tokens, 0.0));
        let _ = writeln!(
            text,
            "<path d=\"M{left} {y}H{}\" stroke=\"#ddd\"/><text x=\"8\" y=\"{y}\">{:.0} %</text>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{tokens:.0}</text>",
            SIZE.0 - MARGIN,
            share * 100.0,
            bottom + 20.0
        );
    }
}

fn draw_points(text: &mut String, cases: &[CaseResult]) {
    let points = means(cases).into_iter().filter_map(|(name, scores)| {
        let tokens = scores.get(Metric::Used(8000))?;
        let share = scores.get(Metric::Shown(8000))?;
        Some((name, at(tokens, share)))
    });
    let (on_line, breadths): (Vec<_>, Vec<_>) =
        points.partition(|(name, _)| name.starts_with("p >="));
    let line = on_line.iter().map(|(_, (x, y))| format!("{x:.1},{y:.1}"));
    let line = line.collect::<Vec<_>>().join(" ");
    let _ = writeln!(
        text,
        "<polyline points=\"{line}\" fill=\"none\" stroke=\"#36c\"/>"
    );
    for (points, radius, colour) in [(&breadths, 5, "#c33"), (&on_line, 3, "#36c")] {
        for (name, (x, y)) in points {
            let name = name.replace('>', "&gt;");
            let _ = writeln!(
                text,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"><title>{name}</title></circle>"
            );
        }
    }
    for (name, (x, y)) in &breadths {
        let y = y - 9.0;
        let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::aggregate::{Point, tests::result};

    #[test]
    fn means_per_step_are_drawn_and_listed() {
        let mut case = result("1", "a/a", "issue", 1.0);
        for (step, tokens) in Step::all().zip([8000.0, 4000.0, 1000.0]) {
            let mut scores = Scores::default();
            scores.set(Metric::Used(8000), tokens);
            scores.set(Metric::Shown(8000), 0.5);
            case.curve.push(Point {
                step: step.name(),
                scores,
            });
        }
        let cases = [case];
        let table = table(&cases);
        assert!(table.contains("balanced        4000    50.0"), "{table}");
        let svg = svg(&cases);
        assert!(
            svg.contains("<circle cx=\"590.0\" cy=\"200.0\" r=\"5\""),
            "{svg}"
        );
        assert!(svg.ends_with("</svg>\n"));
    }
}
