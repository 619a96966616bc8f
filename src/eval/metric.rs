//! Names the figures that are reported, and holds those of one case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A budget in tokens at which contexts are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Budget {
    B1000,
    B2000,
    B4000,
    B8000,
}

impl Budget {
    /// All of them, the smallest first.
    pub const ALL: [Self; 4] = [Self::B1000, Self::B2000, Self::B4000, Self::B8000];

    /// Returns the number of tokens.
    pub fn tokens(self) -> usize {
        match self {
            Self::B1000 => 1000,
            Self::B2000 => 2000,
            Self::B4000 => 4000,
            Self::B8000 => 8000,
        }
    }
}

/// One figure of a case. [`crate::eval::score`] defines each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Metric {
    FileAcc1,
    FileAcc3,
    FileAcc5,
    FileAcc10,
    FileAny1,
    FileAny3,
    FileAny5,
    FileAny10,
    Mrr,
    Precision3,
    Precision10,
    Recall10,
    Ndcg10,
    Critical3,
    FunctionAcc5,
    FunctionAcc10,
    Shown(Budget),
    Edits(Budget),
    EditsInside(Budget),
    EditsOutside(Budget),
    LinePrecision(Budget),
    LineRecall(Budget),
    WrongFiles(Budget),
    Efficiency(Budget),
    Used(Budget),
    Intent,
}

impl Metric {
    /// The metrics of the rankings.
    const OF_RANKINGS: [Self; 16] = [
        Self::FileAcc1,
        Self::FileAcc3,
        Self::FileAcc5,
        Self::FileAcc10,
        Self::FileAny1,
        Self::FileAny3,
        Self::FileAny5,
        Self::FileAny10,
        Self::Mrr,
        Self::Precision3,
        Self::Precision10,
        Self::Recall10,
        Self::Ndcg10,
        Self::Critical3,
        Self::FunctionAcc5,
        Self::FunctionAcc10,
    ];

    /// The metrics of a context.
    const OF_CONTEXTS: [fn(Budget) -> Self; 9] = [
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
            .flat_map(|metric| Budget::ALL.map(metric));
        Self::OF_RANKINGS
            .into_iter()
            .chain(at_budgets)
            .chain([Self::Intent])
    }

    /// Returns the stable name used in JSON and on the command line.
    pub fn name(self) -> String {
        let at = |name: &str, budget: Budget| format!("{name}@{}", budget.tokens());
        let name = match self {
            Self::FileAcc1 => "file_acc@1",
            Self::FileAcc3 => "file_acc@3",
            Self::FileAcc5 => "file_acc@5",
            Self::FileAcc10 => "file_acc@10",
            Self::FileAny1 => "file_any@1",
            Self::FileAny3 => "file_any@3",
            Self::FileAny5 => "file_any@5",
            Self::FileAny10 => "file_any@10",
            Self::Mrr => "mrr",
            Self::Precision3 => "precision@3",
            Self::Precision10 => "precision@10",
            Self::Recall10 => "recall@10",
            Self::Ndcg10 => "ndcg@10",
            Self::Critical3 => "critical@3",
            Self::FunctionAcc5 => "function_acc@5",
            Self::FunctionAcc10 => "function_acc@10",
            Self::Intent => "intent",
            Self::Shown(budget) => return at("shown", budget),
            Self::Edits(budget) => return at("edits", budget),
            Self::EditsInside(budget) => return at("edits_inside", budget),
            Self::EditsOutside(budget) => return at("edits_outside", budget),
            Self::LinePrecision(budget) => return at("line_precision", budget),
            Self::LineRecall(budget) => return at("line_recall", budget),
            Self::WrongFiles(budget) => return at("wrong_files", budget),
            Self::Efficiency(budget) => return at("efficiency", budget),
            Self::Used(budget) => return at("used", budget),
        };
        name.to_owned()
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
            Self::Mrr | Self::Ndcg10 | Self::Efficiency(_) | Self::Used(_)
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
        one.set(Metric::FunctionAcc5, 1.0);
        let mut two = Scores::default();
        two.set(Metric::Mrr, 0.5);
        let mean = Scores::mean([&one, &two]);
        assert_eq!(mean.get(Metric::Mrr), Some(0.75));
        assert_eq!(mean.get(Metric::FunctionAcc5), Some(1.0));
        assert_eq!(mean.get(Metric::Intent), None);
    }

    #[test]
    fn scores_round_trip_through_json() -> Result<(), serde_json::Error> {
        let mut scores = Scores::default();
        scores.set(Metric::FileAcc1, 1.0);
        let text = serde_json::to_string(&scores)?;
        assert_eq!(text, r#"{"file_acc@1":1.0}"#);
        let with_more = r#"{"file_acc@1":1.0,"of_tomorrow":3.0}"#;
        assert_eq!(serde_json::from_str::<Scores>(with_more)?, scores);
        Ok(())
    }
}
