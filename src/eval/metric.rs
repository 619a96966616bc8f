//! Names the figures that are reported, and holds those of one case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The budgets in tokens at which contexts are scored, the smallest first.
pub const BUDGETS: [usize; 4] = [1000, 2000, 4000, 8000];

/// One figure of a case. [`crate::eval::score`] defines each. The metrics of rankings look at this number of the best
/// entries, those of contexts at this budget in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Returns the stable name used in JSON.
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

/// The figures of one case or the means of several, by name. A figure is absent where it is undefined: function scores
/// of a case without gold functions, intent where the right one is unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores(BTreeMap<String, f64>);

impl Scores {
    /// Returns a figure, if it is defined.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.0.get(&metric.name()).copied()
    }

    /// Sets a figure.
    pub fn set(&mut self, metric: Metric, value: f64) {
        self.0.insert(metric.name(), value);
    }

    /// Computes, per figure, the mean over those that have it.
    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Scores>) -> Self {
        let mut sums: BTreeMap<&String, (f64, u32)> = BTreeMap::new();
        for scores in all {
            for (name, value) in &scores.0 {
                let sum = sums.entry(name).or_default();
                sum.0 += value;
                sum.1 += 1;
            }
        }
        let means = sums.into_iter();
        let means = means.map(|(name, (sum, count))| (name.clone(), sum / f64::from(count)));
        Self(means.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(serde_json::from_str::<Scores>(&text)?, scores);
        Ok(())
    }
}
