//! Formats an evaluation as text for people: one table per axis, a line per group.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use foveate_model::escape::escape;

use crate::eval::aggregate::{Axis, Evaluation, Group, Predictions};
use crate::eval::calibration::{Prediction, Reliability};
use crate::eval::metric::{Metric, Scores};

/// The columns of the tables: heading and figure.
const COLUMNS: [(&str, Metric); 24] = [
    ("@1", Metric::FileAcc(1)),
    ("@3", Metric::FileAcc(3)),
    ("@5", Metric::FileAcc(5)),
    ("@10", Metric::FileAcc(10)),
    ("any@1", Metric::FileAny(1)),
    ("any@5", Metric::FileAny(5)),
    ("any@10", Metric::FileAny(10)),
    ("MRR", Metric::Mrr),
    ("P@3", Metric::Precision(3)),
    ("R@10", Metric::Recall(10)),
    ("NDCG", Metric::Ndcg(10)),
    ("crit@3", Metric::Critical(3)),
    ("fn@5", Metric::FunctionAcc(5)),
    ("fn@10", Metric::FunctionAcc(10)),
    ("sh@1k", Metric::Shown(1000)),
    ("sh@2k", Metric::Shown(2000)),
    ("sh@4k", Metric::Shown(4000)),
    ("sh@8k", Metric::Shown(8000)),
    ("ed@8k", Metric::Edits(8000)),
    ("out@8k", Metric::EditsOutside(8000)),
    ("lp@8k", Metric::LinePrecision(8000)),
    ("used", Metric::Used(8000)),
    ("wrong", Metric::WrongFiles(8000)),
    ("eff", Metric::Efficiency(8000)),
];

/// Explains the columns, a line for each.
const LEGEND: &str = "\
Columns; shares in percent. Gold: what the change touched. k: the first k ranked. B: a context of B tokens.
  fail    cases without an answer, which count as misses
  @k      all gold files are among the first k (if there are more than k, k of them)
  any@k   at least one gold file is
  MRR     1 / rank of the first gold file
  P@k     share of the first k files that are gold
  R@k     share of the gold files that are among the first k
  NDCG    normalized discounted cumulative gain of the first 10 files, 0 to 1
  crit@k  a critical file (where the case names none, any gold file) is among the first k
  fn@k    as @k, for functions
  sh@B    share of the gold functions that are shown in full
  ed@B    share of the edited stretches that are shown, without imports
  out@B   the same, of those outside functions
  lp@B    share of the shown lines that are gold or edited
  used    tokens that a context of at most 8,000 tokens uses
  wrong   share of the files in this context that are not gold
  eff     share of the gold functions that it shows, 0 to 1, per 1,000 tokens used
Rows are means over cases, those with (r) means over the means of the repositories.
";

/// Formats the whole report.
pub fn render(evaluation: &Evaluation) -> String {
    let mut out = String::new();
    for (title, axes) in [
        ("Summary", &[Axis::All, Axis::SingleFile][..]),
        ("By case file", &[Axis::Set, Axis::SetSingleFile]),
        ("By language", &[Axis::Language]),
        ("By repository", &[Axis::Repo]),
    ] {
        table(&mut out, title, axes, evaluation);
    }
    let latency = evaluation.latency;
    out.push_str(LEGEND);
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "\nAnswer, warm, 8,000 tokens, queries in random order: p50 {:.1} ms, p95 {:.1} ms, \
         p99 {:.1} ms. {} cases, {} job(s), {:.0} s.",
        latency.p50,
        latency.p95,
        latency.p99,
        evaluation.cases.len(),
        evaluation.jobs,
        evaluation.seconds
    );
    calibration(&mut out, evaluation);
    failures(&mut out, evaluation);
    out
}

/// Prints the expected calibration error per language, of the first ten of each ranking and of the confidence.
fn calibration(out: &mut String, evaluation: &Evaluation) {
    let languages: BTreeSet<&str> = evaluation.cases.iter().map(|c| &*c.language).collect();
    let _ = writeln!(
        out,
        "\nCalibration error  files  functions  places  confidence (number of predictions)"
    );
    for language in languages {
        let cases = || evaluation.cases.iter().filter(|c| c.language == language);
        let _ = write!(out, "{:17}", escape(language));
        let of: [fn(&Predictions) -> &[Prediction]; 4] = [
            |p| &p.files,
            |p| &p.functions,
            |p| &p.places,
            |p| &p.confidence,
        ];
        for of in of {
            let all = cases().flat_map(|case| of(&case.predictions).iter().copied());
            let reliability = Reliability::of(all);
            let (error, count) = (reliability.error(), reliability.count());
            let _ = write!(out, "  {error:.3} ({count})");
        }
        out.push('\n');
    }
}

fn table(out: &mut String, title: &str, axes: &[Axis], evaluation: &Evaluation) {
    let groups = evaluation.groups.iter();
    let groups: Vec<&Group> = groups.filter(|group| axes.contains(&group.axis)).collect();
    let widths = groups.iter().map(|group| label(group).len() + 4);
    let width = widths.max().unwrap_or(0).max(title.len());
    let _ = write!(out, "{title:width$} {:>5} {:>4}", "cases", "fail");
    for (heading, _) in COLUMNS {
        let _ = write!(out, " {heading:>6}");
    }
    out.push('\n');
    for group in groups {
        row(out, &label(group), width, group, &group.over_cases);
        if group.repositories > 1 {
            let name = format!("{} (r)", label(group));
            row(out, &name, width, group, &group.over_repositories);
        }
    }
    out.push('\n');
}

fn label(group: &Group) -> String {
    escape(&format!("{}, {}", group.name, group.kind)).into_owned()
}

fn row(out: &mut String, name: &str, width: usize, group: &Group, scores: &Scores) {
    let _ = write!(out, "{name:width$} {:>5} {:>4}", group.cases, group.failed);
    for (_, metric) in COLUMNS {
        let _ = write!(out, " {:>6}", figure(metric, scores.get(metric)));
    }
    out.push('\n');
}

/// Formats a figure in at most six characters; shares in percent.
pub fn figure(metric: Metric, value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if metric.is_share() => format!("{:.1}", value * 100.0),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.3}"),
    }
}

fn failures(out: &mut String, evaluation: &Evaluation) {
    let failed: Vec<(&str, &str)> = evaluation
        .cases
        .iter()
        .filter_map(|case| Some((case.id.as_str(), case.failure.as_deref()?)))
        .collect();
    if failed.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{} cases without an answer:", failed.len());
    for (id, failure) in failed {
        let _ = writeln!(out, "  {}", escape(&format!("{id}: {failure}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::aggregate::{self, Latency, tests::result};

    #[test]
    fn lists_groups_and_failures() {
        let mut failed = result("two", "b/b", "issue", 0.0);
        failed.failure = Some("no commit abc".to_owned());
        let cases = vec![result("one", "a/a", "issue", 1.0), failed];
        let evaluation = Evaluation {
            format: aggregate::FORMAT,
            version: String::new(),
            jobs: 1,
            history: true,
            seconds: 1.0,
            latency: Latency::default(),
            groups: aggregate::groups(&cases),
            cases,
        };
        let text = render(&evaluation);
        let line = |start: &str| text.lines().find(|l| l.starts_with(start)).unwrap_or("");
        assert!(line("all, issue ").contains("    2    1   50.0"), "{text}");
        assert!(line("a/a, issue").contains("  100.0"), "{text}");
        assert!(text.contains("two: no commit abc"), "{text}");
    }

    #[test]
    fn legend_explains_every_column() {
        let explained: Vec<&str> = LEGEND
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
            .collect();
        for heading in COLUMNS
            .map(|(heading, _)| heading)
            .into_iter()
            .chain(["fail"])
        {
            let key = match heading.split_once('@') {
                Some((name, at)) if at.ends_with('k') => format!("{name}@B"),
                Some((name, _)) => format!("{name}@k"),
                None => heading.to_owned(),
            };
            assert!(explained.contains(&&*key), "{heading}");
        }
    }
}
