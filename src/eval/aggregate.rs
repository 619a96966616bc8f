//! The results of a run, case by case and in groups: the schema of the JSON that is written, and read back for a
//! comparison.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::eval::calibration::Prediction;
use crate::eval::metric::Scores;

/// Version of the JSON's schema.
pub const FORMAT: u32 = 1;

/// How many ranked files and functions a [`CaseResult`] lists.
pub const LISTED: usize = 20;

/// The results of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Evaluation {
    /// [`FORMAT`] of the version that wrote it.
    pub format: u32,
    /// Version of Foveate.
    pub version: String,
    /// Repositories that were worked on at the same time: latencies are comparable only at 1.
    pub jobs: usize,
    /// Whether past commits were loaded.
    pub history: bool,
    /// Seconds from the start to the end.
    pub seconds: f64,
    /// Milliseconds per answer, over all cases.
    pub latency: Latency,
    /// The means by group.
    pub groups: Vec<Group>,
    /// In the order of the files of cases.
    pub cases: Vec<CaseResult>,
}

/// One case's outcome.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CaseResult {
    /// Its id.
    pub id: String,
    /// The file of cases that it is from.
    pub set: String,
    /// `owner/name`.
    pub repo: String,
    /// The indexed commit.
    pub commit: String,
    /// Language of the repository.
    pub language: String,
    /// Kind of the query.
    pub query_kind: String,
    /// Why there is no answer. The scores are those of an empty answer.
    pub failure: Option<String>,
    /// The files that had to be found.
    pub gold_files: Vec<String>,
    /// The rank of each gold file, 1-based; null where it is not among the first 100.
    pub file_ranks: Vec<Option<usize>>,
    /// The functions that had to be found, as `path:name`.
    pub gold_functions: Vec<String>,
    /// The rank of each gold function, 1-based; null where it is not among the first 100.
    pub function_ranks: Vec<Option<usize>>,
    /// The first [`LISTED`] ranked files.
    pub files: Vec<String>,
    /// The first [`LISTED`] ranked functions, as `path:name`.
    pub functions: Vec<String>,
    /// The detected intent.
    pub intent: String,
    /// Tokens used at each budget.
    pub used_tokens: Vec<usize>,
    /// Checksum of the rankings and of the contexts of all budgets, in hexadecimal.
    #[serde(default)]
    pub checksum: String,
    /// Milliseconds of a warm answer with the largest budget, asked between other queries; null without an
    /// answer.
    pub answer_ms: Option<f64>,
    /// Milliseconds to index the commit, given the snapshot of the previous one.
    pub index_ms: Option<f64>,
    /// Its figures.
    pub scores: Scores,
    /// The predicted probabilities of the first ten of each ranking, and their outcomes.
    #[serde(default)]
    pub predictions: Predictions,
    /// The figures with other thresholds, if they were asked for.
    #[serde(default)]
    pub curve: Vec<Point>,
}

/// The figures of one case's context with other thresholds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Name of the curve's step.
    pub step: String,
    /// The figures of a context with 8,000 tokens.
    pub scores: Scores,
}

/// Predicted probabilities of one case, and their outcomes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    /// For the first ten files.
    pub files: Vec<Prediction>,
    /// For the first ten functions.
    pub functions: Vec<Prediction>,
    /// For the first ten places, where the edited lines are known.
    pub places: Vec<Prediction>,
    /// That a right place is shown whole, per context, where gold functions are known.
    pub confidence: Vec<Prediction>,
}

/// The property that the cases of a group share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// None: all cases.
    All,
    /// A single gold file.
    SingleFile,
    /// The file of cases.
    Set,
    /// The file of cases, for single-file cases only.
    SetSingleFile,
    /// The language.
    Language,
    /// The repository.
    Repo,
}

/// Returns the groups that a case belongs to, each by its axis and name.
fn groups_of(case: &CaseResult) -> impl Iterator<Item = (Axis, String)> {
    let always = [
        (Axis::All, "all".to_owned()),
        (Axis::Set, case.set.clone()),
        (Axis::Language, case.language.clone()),
        (Axis::Repo, case.repo.clone()),
    ];
    let of_single_file = [
        (Axis::SingleFile, "single-file".to_owned()),
        (Axis::SetSingleFile, format!("{} single-file", case.set)),
    ];
    let of_single_file = of_single_file.into_iter();
    let is_single_file = case.gold_files.len() == 1;
    always
        .into_iter()
        .chain(of_single_file.filter(move |_| is_single_file))
}

/// Means over a group of cases.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    /// The property that its cases share.
    pub axis: Axis,
    /// The value of that property.
    pub name: String,
    /// The kind of query, or [`ALL_KINDS`].
    pub kind: String,
    /// Number of cases.
    pub cases: usize,
    /// Number of repositories that they are from.
    #[serde(default)]
    pub repositories: usize,
    /// Number of cases without an answer.
    pub failed: usize,
    /// Means over the cases.
    pub over_cases: Scores,
    /// Means over the repositories' means.
    pub over_repositories: Scores,
}

/// The name of a group's kind when it holds all kinds of query.
pub const ALL_KINDS: &str = "all kinds";

/// Computes the groups of all axes: one for each kind of query and, where there are several kinds, one for all
/// kinds together.
pub fn groups(cases: &[CaseResult]) -> Vec<Group> {
    let mut members: BTreeMap<(Axis, String, String), Vec<&CaseResult>> = BTreeMap::new();
    for case in cases {
        for (axis, name) in groups_of(case) {
            for kind in [case.query_kind.as_str(), ALL_KINDS] {
                let group = (axis, name.clone(), kind.to_owned());
                members.entry(group).or_default().push(case);
            }
        }
    }
    let kinds_of = |axis: Axis, name: &str| {
        members
            .keys()
            .filter(|(a, n, k)| *a == axis && n == name && k != ALL_KINDS)
            .count()
    };
    members
        .iter()
        .filter(|((axis, name, kind), _)| kind != ALL_KINDS || kinds_of(*axis, name) > 1)
        .map(|((axis, name, kind), cases)| group(*axis, name, kind, cases))
        .collect()
}

fn group(axis: Axis, name: &str, kind: &str, cases: &[&CaseResult]) -> Group {
    let mut by_repo: BTreeMap<&str, Vec<&Scores>> = BTreeMap::new();
    for case in cases {
        by_repo.entry(&case.repo).or_default().push(&case.scores);
    }
    let means: Vec<Scores> = by_repo.into_values().map(Scores::mean).collect();
    Group {
        axis,
        name: name.to_owned(),
        kind: kind.to_owned(),
        cases: cases.len(),
        repositories: means.len(),
        failed: cases.iter().filter(|c| c.failure.is_some()).count(),
        over_cases: Scores::mean(cases.iter().map(|c| &c.scores)),
        over_repositories: Scores::mean(&means),
    }
}

/// Percentiles in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Half of the answers took at most this.
    pub p50: f64,
    /// 95 % of the answers took at most this.
    pub p95: f64,
    /// 99 % of the answers took at most this.
    pub p99: f64,
}

impl Latency {
    /// Computes the percentiles of `milliseconds` by nearest rank; zeros if there are none.
    pub fn of(mut milliseconds: Vec<f64>) -> Self {
        milliseconds.sort_by(f64::total_cmp);
        let at = |percent: usize| {
            let rank = (milliseconds.len() * percent).div_ceil(100).max(1);
            milliseconds.get(rank - 1).copied().unwrap_or(0.0)
        };
        Self {
            p50: at(50),
            p95: at(95),
            p99: at(99),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::eval::metric::Metric;

    pub(crate) fn result(id: &str, repo: &str, kind: &str, acc1: f64) -> CaseResult {
        let mut scores = Scores::default();
        scores.set(Metric::FileAcc(1), acc1);
        CaseResult {
            id: id.to_owned(),
            set: "set".to_owned(),
            repo: repo.to_owned(),
            commit: String::new(),
            language: "Python".to_owned(),
            query_kind: kind.to_owned(),
            failure: None,
            gold_files: vec!["a".to_owned()],
            file_ranks: vec![None],
            gold_functions: Vec::new(),
            function_ranks: Vec::new(),
            files: Vec::new(),
            functions: Vec::new(),
            intent: String::new(),
            used_tokens: Vec::new(),
            checksum: String::new(),
            answer_ms: None,
            index_ms: None,
            scores,
            predictions: Predictions::default(),
            curve: Vec::new(),
        }
    }

    #[test]
    fn means_over_cases_and_over_repositories_differ() {
        let cases = [
            result("1", "a/a", "issue", 1.0),
            result("2", "a/a", "issue", 1.0),
            result("3", "a/a", "issue", 1.0),
            result("4", "b/b", "issue", 0.0),
            result("5", "b/b", "commit", 1.0),
        ];
        let groups = groups(&cases);
        let find = |axis, kind: &str| {
            groups
                .iter()
                .find(|g| g.axis == axis && g.kind == kind && g.name != "b/b")
        };
        let issues = find(Axis::All, "issue").map(|g| {
            let of = |scores: &Scores| scores.get(Metric::FileAcc(1));
            assert_eq!(g.repositories, 2);
            (g.cases, of(&g.over_cases), of(&g.over_repositories))
        });
        assert_eq!(issues, Some((4, Some(0.75), Some(0.5))));
        assert!(find(Axis::All, ALL_KINDS).is_some_and(|g| g.cases == 5));
        // One kind only: no second group for all kinds.
        assert!(find(Axis::Repo, ALL_KINDS).is_none());
    }

    #[test]
    fn percentiles_use_nearest_rank() {
        let latency = Latency::of((1..=200).rev().map(f64::from).collect());
        assert_eq!(
            (latency.p50, latency.p95, latency.p99),
            (100.0, 190.0, 198.0)
        );
        assert_eq!(Latency::of(vec![7.0]).p99, 7.0);
        assert_eq!(Latency::of(Vec::new()), Latency::default());
    }
}
