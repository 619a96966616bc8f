//! Compares two evaluations of the same cases, case by case: which cases were won and lost, and whether the
//! difference is statistically significant.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use foveate_model::escape::escape;

use crate::eval::aggregate::{CaseResult, Evaluation};
use crate::eval::metric::Metric;

/// Random draws of the bootstrap.
const RESAMPLES: usize = 2000;

/// Fixed, so that the same two evaluations give the same interval.
const SEED: u64 = 0x5eed_0f00_ea7e_0001;

/// The figures that are compared.
const COMPARED: [Metric; 19] = [
    Metric::FileAcc(1),
    Metric::FileAcc(3),
    Metric::FileAcc(5),
    Metric::FileAcc(10),
    Metric::Mrr,
    Metric::Recall(10),
    Metric::FunctionAcc(5),
    Metric::FunctionAcc(10),
    Metric::Shown(1000),
    Metric::Shown(2000),
    Metric::Shown(4000),
    Metric::Shown(8000),
    Metric::Edits(8000),
    Metric::EditsOutside(8000),
    Metric::LinePrecision(8000),
    Metric::LineRecall(8000),
    Metric::Efficiency(8000),
    Metric::Used(8000),
    Metric::WrongFiles(8000),
];

/// The change of one figure over the cases that both evaluations have.
#[derive(Clone, Debug)]
pub struct Change {
    /// The figure.
    pub metric: Metric,
    /// Number of cases that have the figure in both evaluations.
    pub cases: usize,
    /// Mean before.
    pub before: f64,
    /// Mean now.
    pub after: f64,
    /// Ids of the cases that got better.
    pub won: Vec<String>,
    /// Ids of the cases that got worse.
    pub lost: Vec<String>,
    /// Two-sided probability of a split at least this uneven if wins and losses were equally likely.
    pub sign_test: f64,
    /// Interval that holds 95 % of the bootstrapped mean differences.
    pub interval: (f64, f64),
}

/// Computes the paired changes from `before` to `after`.
pub fn compare(before: &Evaluation, after: &Evaluation) -> Vec<Change> {
    let pairs = pairs(before, after);
    COMPARED
        .into_iter()
        .filter_map(|metric| change(metric, &pairs))
        .collect()
}

/// Formats, per language, how many of the common cases have byte-identical rankings and contexts.
pub fn equal(before: &Evaluation, after: &Evaluation) -> String {
    let mut languages: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (before, after) in pairs(before, after) {
        let (equal, all) = languages.entry(&after.language).or_default();
        *equal += usize::from(before.checksum == after.checksum && !after.checksum.is_empty());
        *all += 1;
    }
    let counts = languages
        .iter()
        .map(|(language, (equal, all))| format!("{} {equal} of {all}", escape(language)));
    format!("Equal answers: {}\n", counts.collect::<Vec<_>>().join(", "))
}

/// Returns the cases that both evaluations have.
fn pairs<'a>(
    before: &'a Evaluation,
    after: &'a Evaluation,
) -> Vec<(&'a CaseResult, &'a CaseResult)> {
    let earlier: HashMap<&str, &CaseResult> =
        before.cases.iter().map(|c| (c.id.as_str(), c)).collect();
    let pair = |case: &'a CaseResult| Some((*earlier.get(case.id.as_str())?, case));
    after.cases.iter().filter_map(pair).collect()
}

fn change(metric: Metric, pairs: &[(&CaseResult, &CaseResult)]) -> Option<Change> {
    let values: Vec<(&str, f64, f64)> = pairs
        .iter()
        .filter_map(|(b, a)| Some((a.id.as_str(), b.scores.get(metric)?, a.scores.get(metric)?)))
        .collect();
    if values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    let differences: Vec<f64> = values.iter().map(|(_, b, a)| a - b).collect();
    let sign = if metric.lower_is_better() { -1.0 } else { 1.0 };
    let ids = |wanted: f64| -> Vec<String> {
        values
            .iter()
            .filter(|(_, b, a)| (a - b) * sign * wanted > 1e-9)
            .map(|(id, _, _)| (*id).to_owned())
            .collect()
    };
    let (won, lost) = (ids(1.0), ids(-1.0));
    Some(Change {
        metric,
        cases: values.len(),
        before: values.iter().map(|v| v.1).sum::<f64>() / count,
        after: values.iter().map(|v| v.2).sum::<f64>() / count,
        sign_test: sign_test(won.len(), lost.len()),
        interval: bootstrap(&differences),
        won,
        lost,
    })
}

/// Exact two-sided sign test: ties are left out, wins are binomial with probability one half.
fn sign_test(wins: usize, losses: usize) -> f64 {
    let trials = wins + losses;
    // The first terms of many trials are too small for a number; their logarithms are not.
    let mut log_term = -(trials as f64) * std::f64::consts::LN_2;
    let mut tail = log_term.exp();
    for k in 0..wins.min(losses) {
        log_term += ((trials - k) as f64 / (k + 1) as f64).ln();
        tail += log_term.exp();
    }
    (2.0 * tail).min(1.0)
}

/// Percentile interval of the mean over [`RESAMPLES`] draws with replacement.
fn bootstrap(differences: &[f64]) -> (f64, f64) {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let sum: f64 = (0..differences.len())
                .map(|_| differences[random.usize(..differences.len())])
                .sum();
            sum / differences.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[RESAMPLES / 40], means[RESAMPLES - 1 - RESAMPLES / 40])
}

const HEADING: &str =
    "Against earlier    cases  before     now    diff     95 % interval   won  lost  sign p";

/// Formats the changes: one line per figure, then the cases won and lost.
pub fn render(changes: &[Change]) -> String {
    let mut out = format!("{HEADING}\n");
    for change in changes {
        let scale = if change.metric.is_share() { 100.0 } else { 1.0 };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:18} {:>5} {:>7.3} {:>7.3} {:>+7.3}  {:>+7.3} {:>+8.3} {:>5} {:>5} {:>7.4}",
            change.metric.name(),
            change.cases,
            change.before * scale,
            change.after * scale,
            (change.after - change.before) * scale,
            change.interval.0 * scale,
            change.interval.1 * scale,
            change.won.len(),
            change.lost.len(),
            change.sign_test,
        );
    }
    for change in changes {
        for (what, ids) in [("won", &change.won), ("lost", &change.lost)] {
            if !ids.is_empty() {
                let ids = ids.join(" ");
                let _ = writeln!(out, "{} {what}: {}", change.metric.name(), escape(&ids));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::aggregate::{self, Latency, tests::result};

    fn evaluation(scores: &[(&str, f64)]) -> Evaluation {
        Evaluation {
            format: aggregate::FORMAT,
            version: String::new(),
            jobs: 1,
            history: true,
            seconds: 0.0,
            latency: Latency::default(),
            groups: Vec::new(),
            cases: scores
                .iter()
                .map(|(id, score)| result(id, "a/a", "issue", *score))
                .collect(),
        }
    }

    #[test]
    fn lists_won_and_lost_of_common_cases() {
        let before = evaluation(&[("a", 0.0), ("b", 1.0), ("c", 1.0), ("gone", 1.0)]);
        let after = evaluation(&[("new", 1.0), ("c", 1.0), ("b", 0.0), ("a", 1.0)]);
        let changes = compare(&before, &after);
        assert_eq!(changes.len(), 1);
        let change = &changes[0];
        assert_eq!(
            (change.won.join(" "), change.lost.join(" ")),
            ("a".to_owned(), "b".to_owned())
        );
        assert_eq!(change.cases, 3);
        assert!((change.before - change.after).abs() < 1e-9);
        assert!(change.interval.0 < 0.0 && change.interval.1 > 0.0);
        assert!(render(&changes).contains("file_acc@1 lost: b"));
    }

    #[test]
    fn counts_equal_answers_by_language() {
        let mut before = evaluation(&[("a", 0.0), ("b", 1.0), ("missed", 0.0)]);
        before.cases[0].checksum = "1".to_owned();
        before.cases[1].checksum = "2".to_owned();
        let mut after = before.clone();
        assert_eq!(equal(&before, &after), "Equal answers: Python 2 of 3\n");
        after.cases[1].checksum = "3".to_owned();
        after.cases[1].language = "Go".to_owned();
        assert_eq!(
            equal(&before, &after),
            "Equal answers: Go 0 of 1, Python 1 of 2\n"
        );
    }

    #[test]
    fn the_sign_test_is_exact() {
        // 5 of 5: 2 / 2^5. 8 of 10: 2 (1 + 10 + 45) / 2^10.
        assert!((sign_test(5, 0) - 0.0625).abs() < 1e-12);
        assert!((sign_test(2, 8) - 0.109_375).abs() < 1e-12);
        assert_eq!(sign_test(0, 0), 1.0);
        assert_eq!(sign_test(3, 3), 1.0);
        // As many cases as a set of several languages has.
        assert!((sign_test(600, 600) - 1.0).abs() < 1e-9);
        assert!(sign_test(400, 800) < 1e-20);
    }

    #[test]
    fn interval_is_deterministic_and_contains_mean() {
        let differences: Vec<f64> = (0..100).map(|n| f64::from(n % 4 == 0)).collect();
        let (low, high) = bootstrap(&differences);
        assert_eq!((low, high), bootstrap(&differences));
        assert!(
            low > 0.1 && low < 0.25 && high > 0.25 && high < 0.4,
            "{low} {high}"
        );
        assert_eq!(bootstrap(&[0.0; 9]), (0.0, 0.0));
    }
}
