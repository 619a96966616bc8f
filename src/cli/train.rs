//! `foveate train`: fits the weights of the ranking's signals to cases with known answers.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};
use foveate_query::{Examined, RankingConfig};
use toml_edit::{DocumentMut, value};

use super::cases::CaseArgs;
use crate::eval::train::examples::{self, Example};
use crate::eval::train::{
    Accuracy, Kind, PLACES, Right, accuracy, fitted, held_out, rights, without,
};

/// Fit the weights of the ranking's signals to cases with known answers.
///
/// Each case is indexed as `eval` does. The weights are those of a linear listwise model, drawn to
/// 0 with --strength; what they are worth is told on repositories that they were not fitted to.
/// Since the functions' signals depend on the order of the files, run it again after --write until
/// nothing changes: twice is enough.
#[derive(Debug, clap::Args)]
pub struct TrainArgs {
    #[command(flatten)]
    cases: CaseArgs,
    /// Rank with the numbers of this file instead of the built-in ones.
    #[arg(long, value_name = "FILE")]
    ranking: Option<PathBuf>,
    /// How strongly the weights are drawn to 0.
    #[arg(long, default_value_t = 0.01, value_name = "NUMBER")]
    strength: f64,
    /// Write the weights into this ranking file; everything else in it stays.
    #[arg(long, value_name = "RANKING.toml")]
    write: Option<PathBuf>,
    /// Also fit without each signal in turn.
    #[arg(long)]
    ablation: bool,
    /// Write the candidates of all cases with their signals, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    examples: Option<PathBuf>,
}

/// Fits, and prints the weights and what they are worth.
///
/// # Errors
/// When an input cannot be read or an output cannot be written.
pub fn run(args: &TrainArgs) -> anyhow::Result<ExitCode> {
    let ranking = super::ranking(args.ranking.as_deref())?;
    let (cases, walk) = args.cases.load()?;
    let done = AtomicUsize::new(0);
    let examples = examples::collect(&cases, &walk, &ranking, &|id, failure| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        // Progress is a courtesy: a closed standard error must not end the run.
        if let Some(why) = failure {
            let _ = writeln!(std::io::stderr(), "{id}: left out: {why}");
        }
        if done.is_multiple_of(25) || done == cases.len() {
            let _ = writeln!(std::io::stderr(), "{done}/{}: {id}", cases.len());
        }
    });
    if let Some(path) = &args.examples {
        examples::write(path, &examples)?;
    }
    let tables = [
        Table::fit(Kind::Files, &examples, &ranking, args.strength),
        Table::fit(Kind::Functions, &examples, &ranking, args.strength),
    ];
    let mut out = std::io::stdout().lock();
    for table in &tables {
        out.write_all(table.report().as_bytes())?;
        if args.ablation {
            out.write_all(table.ablation(args.strength).as_bytes())?;
        }
    }
    if let Some(path) = &args.write {
        write(path, &tables)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The weights of one kind of result, and how well they do.
struct Table<'a> {
    kind: Kind,
    names: &'static [&'static str],
    weights: Vec<f64>,
    examples: &'a [Example],
    before: Vec<Right>,
    held_out: Vec<Right>,
    own: Vec<Right>,
}

impl<'a> Table<'a> {
    fn fit(kind: Kind, examples: &'a [Example], ranking: &RankingConfig, strength: f64) -> Self {
        let (names, present) = match kind {
            Kind::Files => (Examined::FILE_SIGNALS, ranking.rank.file.as_slice()),
            Kind::Functions => (Examined::FUNCTION_SIGNALS, ranking.rank.function.as_slice()),
        };
        let present: Vec<f64> = present.iter().map(|w| f64::from(*w)).collect();
        let toward = vec![0.0; names.len()];
        let weights: Vec<f64> = fitted(examples, kind, &toward, strength)
            .into_iter()
            .map(|weight| (weight * 1000.0).round() / 1000.0)
            .collect();
        Self {
            kind,
            names,
            examples,
            before: rights(examples, kind, &present),
            held_out: held_out(examples, kind, &toward, strength),
            own: rights(examples, kind, &weights),
            weights,
        }
    }

    fn key(&self) -> &'static str {
        match self.kind {
            Kind::Files => "file",
            Kind::Functions => "function",
        }
    }

    /// What each signal is worth: accuracy held out, without it.
    fn ablation(&self, strength: f64) -> String {
        let toward = vec![0.0; self.names.len()];
        let mut text = format!("{:28}{}\n", "without", places());
        for (signal, name) in self.names.iter().enumerate() {
            let rights = without(self.examples, self.kind, &toward, strength, signal);
            let accuracy = accuracy(self.examples, &rights, |_| true);
            text.push_str(&format!("{name:28}{}\n", figures(&accuracy)));
        }
        text.push('\n');
        text
    }

    fn report(&self) -> String {
        let mut text = format!("[rank.{}]\n", self.key());
        for (name, weight) in self.names.iter().zip(&self.weights) {
            text.push_str(&format!("{name} = {weight:.3}\n"));
        }
        text.push_str(&self.figures("all cases", &|_| true));
        let sets: BTreeSet<&str> = self.examples.iter().map(|e| e.set.as_str()).collect();
        for set in sets {
            text.push_str(&self.figures(set, &|e| e.set == set));
            let single = |e: &Example| e.set == set && e.single_file && e.gold[1] > 0;
            let label = format!("{set}, one file, functions known");
            text.push_str(&self.figures(&label, &single));
        }
        text.push('\n');
        text
    }

    fn figures(&self, label: &str, counts: &dyn Fn(&Example) -> bool) -> String {
        let accuracy = |rights: &[Right]| accuracy(self.examples, rights, counts);
        let cases = accuracy(&self.before).cases;
        if cases == 0 {
            return String::new();
        }
        let mut text = format!("\n{:28}{}\n", format!("{label}: {cases}"), places());
        for (label, rights) in [
            ("present weights", &self.before),
            ("fitted, held out", &self.held_out),
            ("fitted, on the same cases", &self.own),
        ] {
            text.push_str(&format!("{label:28}{}\n", figures(&accuracy(rights))));
        }
        text
    }
}

fn places() -> String {
    let places = PLACES.map(|place| format!("{:>7}", format!("@{place}")));
    places.concat()
}

fn figures(accuracy: &Accuracy) -> String {
    let figures = accuracy.at.map(|share| format!("{:>7.1}", share * 100.0));
    figures.concat()
}

fn write(path: &Path, tables: &[Table<'_>]) -> anyhow::Result<()> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = with_weights(&text, tables).with_context(|| format!("{}", path.display()))?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// A ranking file with other weights and the same comments.
fn with_weights(text: &str, tables: &[Table<'_>]) -> anyhow::Result<String> {
    let mut document: DocumentMut = text.parse()?;
    for table in tables {
        let Some(weights) = document["rank"][table.key()].as_table_mut() else {
            bail!("there is no table [rank.{}]", table.key());
        };
        for (name, weight) in table.names.iter().zip(&table.weights) {
            weights[*name] = value(*weight);
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_weights_are_read_back_and_comments_stay() {
        let table = |kind, names: &'static [&'static str]| Table {
            kind,
            names,
            weights: vec![0.125; names.len()],
            examples: &[],
            before: Vec::new(),
            held_out: Vec::new(),
            own: Vec::new(),
        };
        let tables = [
            table(Kind::Files, Examined::FILE_SIGNALS),
            table(Kind::Functions, Examined::FUNCTION_SIGNALS),
        ];
        let before = foveate_query::config::DEFAULT_RANKING;
        let after = with_weights(before, &tables).unwrap();
        let comments = |text: &str| text.lines().filter(|l| l.starts_with('#')).count();
        assert_eq!(comments(&after), comments(before));
        let config = RankingConfig::parse(&after).unwrap();
        assert!(config.rank.file.as_slice().iter().all(|w| *w == 0.125));
        assert!(config.rank.function.as_slice().iter().all(|w| *w == 0.125));
        assert!(with_weights("[rank]\n", &tables).is_err());
    }
}
