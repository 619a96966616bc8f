//! Holds the numbers that were fitted, and writes them into a ranking file.

use std::path::Path;

use anyhow::Context as _;
use foveate_query::config::DEFAULT_RANKING;
use foveate_query::{RankingConfig, SignalValues};
use toml_edit::{DocumentMut, value};

use crate::eval::train::Kind;
use crate::eval::train::calibrate::Line;

/// The numbers that were fitted.
#[derive(Default)]
pub(super) struct Fitted {
    pub(super) weights: Vec<Weights>,
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

    /// Returns the weights that a fit from scratch is pulled toward: 0, but 1 for a function's score.
    pub(super) fn prior(&self) -> Vec<f64> {
        let of = |name: &&str| f64::from(*name == FUNCTION_SCORE);
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
    for line in &fitted.lines {
        line.write(&mut document)?;
    }
    Ok(document.to_string())
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
        let fitted = Fitted {
            weights: tables.into(),
            lines: Vec::new(),
        };
        let after = with_fitted(DEFAULT_RANKING, &fitted).unwrap();
        let comments = |text: &str| text.lines().filter(|l| l.starts_with('#')).count();
        assert_eq!(comments(&after), comments(DEFAULT_RANKING));
        let config = RankingConfig::parse(&after).unwrap();
        assert!(config.rank.file.as_slice().iter().all(|w| *w == 0.125));
        assert!(config.rank.function.as_slice().iter().all(|w| *w == 0.125));
        let line = FittedLine {
            path: CONFIDENCE_KEY,
            line: Line {
                slope: 1.0,
                intercept: 0.0,
            },
        };
        let lines = Fitted {
            weights: Vec::new(),
            lines: vec![line],
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
            lines: Vec::new(),
        };
        write(&path, None, &files).unwrap();
        let config = crate::cli::ranking(Some(&path)).unwrap();
        assert!(config.rank.file.as_slice().iter().all(|w| *w == 0.125));
        let (now, before) = (&config.rank.function, &ranking.rank.function);
        assert_eq!(now.as_slice(), before.as_slice());
        assert!(write(&directory.path().join("none/own.toml"), None, &files).is_err());
    }
}
