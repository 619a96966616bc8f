//! Names the figures that are reported, and holds those of one case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The budgets in tokens at which contexts are scored, the smallest first.
pub const BUDGETS: [usize; 4] = [1000, 2000, 4000, 8000];

/// One figure of a case. [`crate::eval::score`] defines each. The metrics of rankings look at this number of the best
/// entries, those of contexts at this budget in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Metric {
    FileAcc(usize),
    FileAny(usize),
    Mrr,
    Precision(usize),
    Recall(usize),
    Ndcg(usize),
    Critical(usize),
    FunctionAcc(usize),
    Shown(usize),
    Edits(usize),
    EditsInside(usize),
    EditsOutside(usize),
    LinePrecision(usize),
    LineRecall(usize),
    WrongFiles(usize),
    Efficiency(usize),
    Used(usize),
    Intent,
}

impl Metric {
    const OF_RANKINGS: [Self; 16] = [
        Self::FileAcc(1),
        Self::FileAcc(3),
        Self::FileAcc(5),
        Self::FileAcc(10),
        Self::FileAny(1),
        Self::FileAny(3),
        Self::FileAny(5),
        Self::FileAny(10),
        Self::Mrr,
        Self::Precision(3),
        Self::Precision(10),
        Self::Recall(10),
        Self::Ndcg(10),
        Self::Critical(3),
        Self::FunctionAcc(5),
        Self::FunctionAcc(10),
    ];

    const OF_CONTEXTS: [fn(usize) -> Self; 9] = [
        Self::Shown,
        Self::Edits,
        Self::EditsInside,
        Self::EditsOutside,
        Self::LinePrecision,
        Self::LineRecall,
        Self::WrongFiles,
        Self::Efficiency,
        Self::Used,
    ];

    /// Returns all metrics, in the order of the report.
    pub fn all() -> impl Iterator<Item = Self> {
        let at_budgets = Self::OF_CONTEXTS
            .into_iter()
            .flat_map(|metric| BUDGETS.map(metric));
        Self::OF_RANKINGS
            .into_iter()
            .chain(at_budgets)
            .chain([Self::Intent])
    }

    /// Returns the stable name used in JSON and on the command line.
    pub fn name(self) -> String {
        let (name, at) = match self {
            Self::Mrr => return "mrr".to_owned(),
            Self::Intent => return "intent".to_owned(),
            Self::FileAcc(best) => ("file_acc", best),
            Self::FileAny(best) => ("file_any", best),
            Self::Precision(best) => ("precision", best),
            Self::Recall(best) => ("recall", best),
            Self::Ndcg(best) => ("ndcg", best),
            Self::Critical(best) => ("critical", best),
            Self::FunctionAcc(best) => ("function_acc", best),
            Self::Shown(budget) => ("shown", budget),
            Self::Edits(budget) => ("edits", budget),
            Self::EditsInside(budget) => ("edits_inside", budget),
            Self::EditsOutside(budget) => ("edits_outside", budget),
            Self::LinePrecision(budget) => ("line_precision", budget),
            Self::LineRecall(budget) => ("line_recall", budget),
            Self::WrongFiles(budget) => ("wrong_files", budget),
            Self::Efficiency(budget) => ("efficiency", budget),
            Self::Used(budget) => ("used", budget),
        };
        format!("{name}@{at}")
    }

    /// Returns the metric with this stable name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|metric| metric.name() == name)
    }

    /// Whether lower values are better.
    pub fn lower_is_better(self) -> bool {
        matches!(self, Self::WrongFiles(_) | Self::Used(_))
    }

    /// Whether it is a share, shown in percent.
    pub fn is_share(self) -> bool {
        !matches!(
            self,
            Self::Mrr | Self::Ndcg(_) | Self::Efficiency(_) | Self::Used(_)
        )
    }
}

/// The figures of one case or the means of several. A figure is absent where it is undefined: function scores of a
/// case without gold functions, intent where the right one is unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores(BTreeMap<Metric, f64>);

impl Scores {
    /// Returns a figure, if it is defined.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.0.get(&metric).copied()
    }

    /// Sets a figure.
    pub fn set(&mut self, metric: Metric, value: f64) {
        self.0.insert(metric, value);
    }

    /// Computes, per figure, the mean over those that have it.
    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Scores>) -> Self {
        let mut sums: BTreeMap<Metric, (f64, u32)> = BTreeMap::new();
        for scores in all {
            for (metric, value) in &scores.0 {
                let sum = sums.entry(*metric).or_default();
                sum.0 += value;
                sum.1 += 1;
            }
        }
        let mean = |(metric, (sum, count))| (metric, sum / f64::from(count));
        Self(sums.into_iter().map(mean).collect())
    }
}

impl Serialize for Scores {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(metric, value)| (metric.name(), value)))
    }
}

impl<'de> Deserialize<'de> for Scores {
    /// Figures with an unknown name are skipped: another version wrote them.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = BTreeMap::<String, f64>::deserialize(deserializer)?;
        let mut scores = Self::default();
        for (name, value) in map {
            if let Some(metric) = Metric::from_name(&name) {
                scores.set(metric, value);
            }
        }
        Ok(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_parse_back() {
        assert!(Metric::all().is_sorted());
        for metric in Metric::all() {
            assert_eq!(Metric::from_name(&metric.name()), Some(metric));
        }
    }

    #[test]
    fn mean_skips_scores_without_the_figure() {
        let mut one = Scores::default();
        one.set(Metric::Mrr, 1.0);
        one.set(Metric::FunctionAcc(5), 1.0);
        let mut two = Scores::default();
        two.set(Metric::Mrr, 0.5);
        let mean = Scores::mean([&one, &two]);
        assert_eq!(mean.get(Metric::Mrr), Some(0.75));
        assert_eq!(mean.get(Metric::FunctionAcc(5)), Some(1.0));
        assert_eq!(mean.get(Metric::Intent), None);
    }

    #[test]
    fn scores_round_trip_through_json() -> Result<(), serde_json::Error> {
        let mut scores = Scores::default();
        scores.set(Metric::FileAcc(1), 1.0);
        let text = serde_json::to_string(&scores)?;
        assert_eq!(text, r#"{"file_acc@1":1.0}"#);
        let with_more = r#"{"file_acc@1":1.0,"of_tomorrow":3.0}"#;
        assert_eq!(serde_json::from_str::<Scores>(with_more)?, scores);
        Ok(())
    }
}
