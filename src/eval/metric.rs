//! The figures that are reported, by name, and the set of them that one case has.

use serde::{Deserialize, Serialize};

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
    Shown2000,
    Shown4000,
    Shown8000,
    WrongFiles2000,
    WrongFiles4000,
    WrongFiles8000,
    Efficiency2000,
    Efficiency4000,
    Efficiency8000,
    Intent,
}

impl Metric {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All of them, in the order of the report.
    pub const ALL: [Self; 26] = [
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
        Self::Shown2000,
        Self::Shown4000,
        Self::Shown8000,
        Self::WrongFiles2000,
        Self::WrongFiles4000,
        Self::WrongFiles8000,
        Self::Efficiency2000,
        Self::Efficiency4000,
        Self::Efficiency8000,
        Self::Intent,
    ];

    /// The stable name used in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
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
            Self::Shown2000 => "shown@2000",
            Self::Shown4000 => "shown@4000",
            Self::Shown8000 => "shown@8000",
            Self::WrongFiles2000 => "wrong_files@2000",
            Self::WrongFiles4000 => "wrong_files@4000",
            Self::WrongFiles8000 => "wrong_files@8000",
            Self::Efficiency2000 => "efficiency@2000",
            Self::Efficiency4000 => "efficiency@4000",
            Self::Efficiency8000 => "efficiency@8000",
            Self::Intent => "intent",
        }
    }

    /// The metric with this stable name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Whether less of it is better.
    pub fn lower_is_better(self) -> bool {
        matches!(
            self,
            Self::WrongFiles2000 | Self::WrongFiles4000 | Self::WrongFiles8000
        )
    }

    /// Whether it is a share, shown in percent (the mean reciprocal rank and efficiency are not).
    pub fn is_share(self) -> bool {
        !matches!(
            self,
            Self::Mrr
                | Self::Ndcg10
                | Self::Efficiency2000
                | Self::Efficiency4000
                | Self::Efficiency8000
        )
    }
}

/// The figures of one case or the means of several. A figure is absent where it has no meaning:
/// function scores of a case without gold functions, intent where no intent is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores([Option<f64>; Metric::COUNT]);

impl Default for Scores {
    fn default() -> Self {
        Self([None; Metric::COUNT])
    }
}

impl Scores {
    /// The figure, where it has a meaning.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.0[metric as usize]
    }

    /// Sets a figure.
    pub fn set(&mut self, metric: Metric, value: f64) {
        self.0[metric as usize] = Some(value);
    }

    /// Per figure, the mean over those that have it.
    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Scores>) -> Self {
        let mut sums = [(0.0, 0_u32); Metric::COUNT];
        for scores in all {
            for (sum, value) in sums.iter_mut().zip(scores.0) {
                if let Some(value) = value {
                    sum.0 += value;
                    sum.1 += 1;
                }
            }
        }
        Self(sums.map(|(sum, count)| (count > 0).then(|| sum / f64::from(count))))
    }
}

impl Serialize for Scores {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            Metric::ALL
                .into_iter()
                .filter_map(|m| Some((m.name(), self.get(m)?))),
        )
    }
}

impl<'de> Deserialize<'de> for Scores {
    /// Figures with an unknown name are passed over: an earlier or later version wrote them.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = std::collections::BTreeMap::<String, f64>::deserialize(deserializer)?;
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
    fn positions_agree_with_the_order() {
        for (position, metric) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(metric as usize, position, "{}", metric.name());
            assert_eq!(Metric::from_name(metric.name()), Some(metric));
        }
    }

    #[test]
    fn means_are_over_those_that_have_the_figure() {
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
    fn survive_json() -> Result<(), serde_json::Error> {
        let mut scores = Scores::default();
        scores.set(Metric::FileAcc1, 1.0);
        let text = serde_json::to_string(&scores)?;
        assert_eq!(text, r#"{"file_acc@1":1.0}"#);
        let with_more = r#"{"file_acc@1":1.0,"of_tomorrow":3.0}"#;
        assert_eq!(serde_json::from_str::<Scores>(with_more)?, scores);
        Ok(())
    }
}
