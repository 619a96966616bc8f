//! Holds the numbers that were fitted, and writes them into a ranking file.

use std::path::Path;

use anyhow::Context as _;
use foveate_query::config::DEFAULT_RANKING;
use foveate_query::rank::Tree;
use foveate_query::{RankingConfig, SignalValues};
use toml_edit::{Array, DocumentMut, InlineTable, value};

use crate::eval::train::Kind;
use crate::eval::train::calibrate::Line;

/// The numbers that were fitted.
#[derive(Default)]
pub(super) struct Fitted {
    pub(super) weights: Vec<Weights>,
    /// The trees that correct the weighted sums of files; `None` leaves those of the ranking file.
    pub(super) trees: Option<Vec<Tree>>,
    pub(super) lines: Vec<FittedLine>,
}

/// The weights of one kind of result.
pub(super) struct Weights {
    pub(super) kind: Kind,
    pub(super) names: Vec<&'static str>,
    pub(super) values: Vec<f64>,
}

/// A line that calibrates scores to probabilities, and its key in a ranking file.
pub(super) struct FittedLine {
    pub(super) path: [&'static str; 3],
    pub(super) line: Line,
}

/// Returns the key of a ranking's calibration line in a ranking file.
pub(super) fn calibration_key(kind: Kind) -> [&'static str; 3] {
    let key = match kind {
        Kind::Files => "file",
        Kind::Functions => "function",
        Kind::Places => "place",
    };
    ["rank", "calibration", key]
}

pub(super) const CONFIDENCE_KEY: [&str; 3] = ["assemble", "confidence", "line"];

impl FittedLine {
    /// The line of the probabilities of a kind of result.
    pub(super) fn new(kind: Kind, line: Line) -> Self {
        let path = calibration_key(kind);
        Self { path, line }
    }

    pub(super) fn report(&self) -> String {
        let [above, table, key] = self.path;
        let Line { slope, intercept } = self.line;
        format!("[{above}.{table}]\n{key} = {{ slope = {slope:.3}, intercept = {intercept:.3} }}\n")
    }

    fn write(&self, document: &mut DocumentMut) -> anyhow::Result<()> {
        let [above, table, key] = self.path;
        let numbers = document
            .get_mut(above)
            .and_then(|tables| tables.get_mut(table)?.get_mut(key)?.as_inline_table_mut());
        let numbers = numbers.with_context(|| format!("there is no {key} in [{above}.{table}]"))?;
        let Line { slope, intercept } = self.line;
        for (name, number) in [("slope", slope), ("intercept", intercept)] {
            numbers.insert(name, ((number * 1000.0).round() / 1000.0).into());
        }
        Ok(())
    }
}

/// The first signal of a place: the score of its function. Its weight is always 1.
const FUNCTION_SCORE: &str = "function_score";

impl Weights {
    /// Returns the weights of a ranking configuration.
    pub(super) fn present(kind: Kind, ranking: &RankingConfig) -> Self {
        let rank = &ranking.rank;
        let (names, values) = match kind {
            Kind::Files => (SignalValues::FILE_SIGNALS, rank.file.as_slice()),
            Kind::Functions => (SignalValues::FUNCTION_SIGNALS, rank.function.as_slice()),
            Kind::Places => (SignalValues::STRETCH_SIGNALS, rank.stretch.as_slice()),
        };
        let mut names = names.to_vec();
        let mut values: Vec<f64> = values.iter().map(|weight| f64::from(*weight)).collect();
        if kind == Kind::Places {
            names.insert(0, FUNCTION_SCORE);
            values.insert(0, 1.0);
        }
        Self {
            kind,
            names,
            values,
        }
    }

    /// Returns the weights that a fit from scratch is pulled toward: 0, but 1 for a function's score and for the correction
    /// by trees.
    pub(super) fn prior(&self) -> Vec<f64> {
        let is_score = |name: &str| name == FUNCTION_SCORE || name == SignalValues::INTERACTIONS;
        let of = |name: &&str| f64::from(is_score(name));
        self.names.iter().map(of).collect()
    }

    /// Returns other weights for the same signals, rounded as they are written. Those of stretches are divided by
    /// the fitted weight of the functions' scores, so that it is 1.
    pub(super) fn with(&self, values: Vec<f64>) -> Self {
        let scale = match (self.kind, values.first()) {
            (Kind::Places, Some(scale)) if *scale > 0.0 => *scale,
            _ => 1.0,
        };
        Self {
            kind: self.kind,
            names: self.names.clone(),
            values: values
                .into_iter()
                .map(|weight| (weight / scale * 1000.0).round() / 1000.0)
                .collect(),
        }
    }

    /// Returns the key of the table of weights in a ranking file.
    fn key(&self) -> &'static str {
        match self.kind {
            Kind::Files => "file",
            Kind::Functions => "function",
            Kind::Places => "stretch",
        }
    }

    /// Iterates over the weights that a ranking file holds.
    fn written(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let all = self.names.iter().copied().zip(self.values.iter().copied());
        all.filter(|(name, _)| *name != FUNCTION_SCORE)
    }

    pub(super) fn report(&self) -> String {
        let mut text = format!("[rank.{}]\n", self.key());
        for (name, weight) in self.written() {
            text.push_str(&format!("{name} = {weight:.3}\n"));
        }
        text
    }
}

/// Writes the fitted numbers into a ranking file. A new file starts as a copy of the present numbers.
pub(super) fn write(path: &Path, ranking: Option<&Path>, fitted: &Fitted) -> anyhow::Result<()> {
    let text = match path.try_exists() {
        Ok(false) => ranking.map_or(Ok(DEFAULT_RANKING.to_owned()), read)?,
        _ => read(path)?,
    };
    let text = with_fitted(&text, fitted).with_context(|| format!("{}", path.display()))?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Replaces the fitted numbers in the text of a ranking file and keeps its comments.
fn with_fitted(text: &str, fitted: &Fitted) -> anyhow::Result<String> {
    let mut document: DocumentMut = text.parse()?;
    for weights in &fitted.weights {
        let table = document.get_mut("rank");
        let table = table.and_then(|rank| rank.get_mut(weights.key())?.as_table_mut());
        let table = table.with_context(|| format!("there is no table [rank.{}]", weights.key()))?;
        for (name, weight) in weights.written() {
            table[name] = value(weight);
        }
    }
    if let Some(trees) = &fitted.trees {
        write_trees(&mut document, trees)?;
    }
    for line in &fitted.lines {
        line.write(&mut document)?;
    }
    Ok(document.to_string())
}

/// Writes trees, one a line.
fn write_trees(document: &mut DocumentMut, trees: &[Tree]) -> anyhow::Result<()> {
    let rank = document.get_mut("rank");
    let table = rank.and_then(|rank| rank.get_mut("interactions")?.as_table_mut());
    let table = table.context("there is no table [rank.interactions]")?;
    let mut written = Array::new();
    for tree in trees {
        let mut line = toml_edit::Value::from(written_tree(tree));
        line.decor_mut().set_prefix("\n    ");
        written.push_formatted(line);
    }
    written.set_trailing("\n");
    written.set_trailing_comma(!trees.is_empty());
    table["trees"] = value(written);
    Ok(())
}

fn written_tree(tree: &Tree) -> InlineTable {
    let name = |(signal, _): &(usize, f32)| SignalValues::FILE_SIGNALS.get(*signal).copied();
    let numbers = |numbers: &mut dyn Iterator<Item = f32>| -> Array {
        let thousandths = numbers.map(|number| (f64::from(number) * 1000.0).round() / 1000.0);
        thousandths.collect()
    };
    let signals: Array = tree.questions.iter().filter_map(name).collect();
    let mut written = InlineTable::new();
    written.insert("signals", signals.into());
    let above = &mut tree.questions.iter().map(|(_, above)| *above);
    written.insert("above", numbers(above).into());
    written.insert("add", numbers(&mut tree.values.iter().copied()).into());
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_weights_are_read_back_and_comments_stay() {
        let ranking = RankingConfig::default();
        let tables = [Kind::Files, Kind::Functions].map(|kind| {
            let present = Weights::present(kind, &ranking);
            present.with(vec![0.125; present.names.len()])
        });
        let trees = vec![Tree {
            questions: vec![(1, 0.125)],
            values: vec![-0.5, 0.25],
        }];
        let fitted = Fitted {
            weights: tables.into(),
            trees: Some(trees.clone()),
            lines: Vec::new(),
        };
        let after = with_fitted(DEFAULT_RANKING, &fitted).unwrap();
        let comments = |text: &str| text.lines().filter(|l| l.starts_with('#')).count();
        assert_eq!(comments(&after), comments(DEFAULT_RANKING));
        let config = RankingConfig::parse(&after).unwrap();
        assert!(config.rank.file.as_slice().iter().all(|w| *w == 0.125));
        assert!(config.rank.function.as_slice().iter().all(|w| *w == 0.125));
        let mut signals = [0.0; SignalValues::FILE_SIGNALS.len()];
        assert_eq!(config.rank.interactions.value(&signals), -0.5);
        signals[1] = 1.0;
        assert_eq!(config.rank.interactions.value(&signals), 0.25);
        let line = FittedLine {
            path: CONFIDENCE_KEY,
            line: Line {
                slope: 1.0,
                intercept: 0.0,
            },
        };
        let lines = Fitted {
            lines: vec![line],
            ..Fitted::default()
        };
        for other in ["", "rank = 1\nassemble = 1\n", "[rank]\n[assemble]\n"] {
            assert!(with_fitted(other, &fitted).is_err(), "{other:?}");
            assert!(with_fitted(other, &lines).is_err(), "{other:?}");
        }
    }

    #[test]
    fn missing_file_starts_with_present_numbers() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("own.toml");
        let ranking = RankingConfig::default();
        let files = Weights::present(Kind::Files, &ranking);
        let files = Fitted {
            weights: vec![files.with(vec![0.125; files.names.len()])],
            ..Fitted::default()
        };
        write(&path, None, &files).unwrap();
        let config = crate::cli::ranking(Some(&path)).unwrap();
        assert!(config.rank.file.as_slice().iter().all(|w| *w == 0.125));
        let (now, before) = (&config.rank.function, &ranking.rank.function);
        assert_eq!(now.as_slice(), before.as_slice());
        assert!(write(&directory.path().join("none/own.toml"), None, &files).is_err());
    }
}
