//! Corrects the weighted sum of a file's signals by what they mean together, which no sum can say: that words of the
//! issue in a long file mean less than in a short one, or that a name counts for more where past commits agree. The
//! correction is the sum of many small regression trees, read from `[rank.interactions]` of `config/ranking.toml` and
//! fitted by `foveate train`.
//!
//! The trees are symmetric: all nodes of one level ask the same question (Prokhorenkova et al.: "CatBoost: unbiased boosting
//! with categorical features", 2018), so that a tree is a short list of questions and a table of values.

use serde::Deserialize;

use super::weights::FileSignals;

/// Maximum number of questions of a tree.
const MAX_QUESTIONS: usize = 6;

/// The `[rank.interactions]` table of `config/ranking.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Table")]
pub struct Interactions(Vec<Tree>);

/// One symmetric tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The questions whether a signal is above a threshold: the position of the signal among
    /// [`super::SignalValues::FILE_SIGNALS`], and the threshold.
    pub questions: Vec<(usize, f32)>,
    /// The amounts that the tree adds to the score, one for each combination of answers: the answer to question `i` is bit
    /// `i` of the position.
    pub values: Vec<f32>,
}

impl Interactions {
    /// Creates the correction that is the sum of these trees.
    pub fn new(trees: Vec<Tree>) -> Self {
        Self(trees)
    }

    /// Returns the correction for a file with these signals, which have no factor of a role.
    pub fn value(&self, signals: &[f32]) -> f32 {
        self.0.iter().map(|tree| tree.value(signals)).sum()
    }
}

impl Tree {
    fn value(&self, signals: &[f32]) -> f32 {
        let mut at = 0;
        for (bit, (signal, threshold)) in self.questions.iter().enumerate() {
            let is_above = signals.get(*signal).is_some_and(|value| value > threshold);
            at |= usize::from(is_above) << bit;
        }
        self.values.get(at).copied().unwrap_or(0.0)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    trees: Vec<WrittenTree>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTree {
    signals: Vec<String>,
    above: Vec<f32>,
    add: Vec<f32>,
}

impl TryFrom<Table> for Interactions {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        let trees = table.trees.into_iter().map(Tree::try_from);
        trees.collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<WrittenTree> for Tree {
    type Error = String;

    fn try_from(written: WrittenTree) -> Result<Self, String> {
        let WrittenTree {
            signals,
            above,
            add,
        } = written;
        let questions = signals.len();
        if questions > MAX_QUESTIONS || above.len() != questions || add.len() != 1 << questions {
            return Err(format!(
                "a tree with n signals, at most {MAX_QUESTIONS}, has n numbers in `above` and 2^n in `add`: {signals:?}"
            ));
        }
        let position = |name: &String| {
            let mut names = FileSignals::NAMES.iter();
            let found = names.position(|known| known == name);
            found.ok_or_else(|| format!("there is no signal `{name}` of files"))
        };
        let signals: Vec<usize> = signals.iter().map(position).collect::<Result<_, _>>()?;
        Ok(Self {
            questions: signals.into_iter().zip(above).collect(),
            values: add,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Interactions, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| error.to_string())
    }

    #[test]
    fn trees_add_the_values_of_their_answers() {
        let two = read(
            r#"trees = [
                { signals = ["title", "lexical"], above = [0.5, 0.2], add = [1.0, 2.0, 4.0, 8.0] },
                { signals = [], above = [], add = [0.25] },
            ]"#,
        )
        .unwrap();
        let of = |lexical: f32, title: f32| {
            let signals = FileSignals {
                lexical,
                title,
                ..FileSignals::default()
            };
            two.value(&signals.array())
        };
        assert_eq!(of(0.0, 0.0), 1.25);
        assert_eq!(of(0.0, 0.6), 2.25);
        assert_eq!(
            of(0.3, 0.5),
            4.25,
            "a value at the threshold is not above it"
        );
        assert_eq!(of(0.3, 0.6), 8.25);
    }

    #[test]
    fn malformed_trees_are_refused() {
        for (tree, error) in [
            (
                r#"{ signals = ["x"], above = [0.5], add = [0.0, 1.0] }"#,
                "`x`",
            ),
            (
                r#"{ signals = ["title"], above = [], add = [0.0, 1.0] }"#,
                "2^n",
            ),
            (
                r#"{ signals = ["title"], above = [0.5], add = [1.0] }"#,
                "2^n",
            ),
            (
                r#"{ signals = ["title"], above = [0.5], add = [0.0, 1.0], x = 1 }"#,
                "x",
            ),
        ] {
            let found = read(&format!("trees = [{tree}]")).unwrap_err();
            assert!(found.contains(error), "{tree}: {found}");
        }
    }
}
