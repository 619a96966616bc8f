//! Adjusts the weights of files to one repository's own commits or to the questions recorded by a server: pulled
//! toward the present weights, and measured on the newest commits or questions, with weights fitted to the older
//! ones.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use foveate_query::RankingConfig;

use super::ranking_file::Weights;
use super::table::{cutoffs, figures};
use crate::cli::UsageError;
use crate::cli::cases::WalkArgs;
use crate::eval::case::{Case, Repositories};
use crate::eval::mine::{Choice, mine};
use crate::eval::train::examples::Example;
use crate::eval::train::{Accuracy, Kind, accuracy, adjusted, correct_by_cutoff};
use crate::eval::visit::Walk;
use crate::ingest::git::GitRepo;

/// Default of --strength, with which weights are pulled toward the present ones: measured in `docs/own-commits.md`.
pub const DEFAULT_STRENGTH: f64 = 0.03;
/// The newest examples, one in this many, are held out for measuring.
const HELD_OUT_ONE_IN: usize = 5;
/// Fewer examples give no meaningful result in either part.
const MIN_EXAMPLES: usize = 10;

/// Loads cases from the repository's own commits, oldest first, and the walk over them.
///
/// # Errors
/// When the repository cannot be read.
pub fn load(path: &Path, choice: Choice, walk: &WalkArgs) -> anyhow::Result<(Vec<Case>, Walk)> {
    let Some(template) = path.to_str().filter(|path| !path.contains(['{', '}'])) else {
        bail!(UsageError(format!(
            "--repo {}: the path contains braces or is not UTF-8; use another path",
            path.display()
        )));
    };
    let git = GitRepo::open(path, &Arc::default())?;
    let cases = mine(&git, template, choice)?;
    Ok((cases, walk.over(Repositories::new(template.to_owned()))))
}

/// The adjusted weights of files, and their accuracy.
pub struct AdjustedWeights {
    /// What the examples are, such as `commits`.
    noun: &'static str,
    /// The weights, adjusted to all examples.
    pub weights: Weights,
    /// The number of examples for fitting, older than those for measuring.
    older: usize,
    /// Accuracy on the newest examples: of the present weights, and of those adjusted to the older examples.
    newest: [Accuracy; 2],
    /// Accuracy on all examples: of the present weights, and of those adjusted to all examples.
    all: [Accuracy; 2],
}

impl AdjustedWeights {
    /// Adjusts the weights to examples that are ordered from old to new.
    ///
    /// # Errors
    /// When there are fewer than [`MIN_EXAMPLES`].
    pub fn fit(
        examples: &[Example],
        ranking: &RankingConfig,
        strength: f64,
        noun: &'static str,
    ) -> anyhow::Result<Self> {
        if examples.len() < MIN_EXAMPLES {
            let more = match noun {
                "commits" => "raise --commits, or keep the present weights",
                _ => "wait for more, or keep the present weights",
            };
            bail!(
                "only {} {noun} can be used, {MIN_EXAMPLES} are needed: {more}",
                examples.len()
            );
        }
        let kind = Kind::Files;
        let present = Weights::present(kind, ranking);
        let fit = |part: &[Example]| present.with(adjusted(part, kind, &present.values, strength));
        let on = |part: &[Example], weights: &Weights| {
            let correct = correct_by_cutoff(part, kind, &weights.values);
            accuracy(part, &correct, |_| true)
        };
        let older = examples.len() - examples.len() / HELD_OUT_ONE_IN;
        let (old, new) = examples.split_at(older);
        let weights = fit(examples);
        Ok(Self {
            noun,
            older,
            newest: [on(new, &present), on(new, &fit(old))],
            all: [on(examples, &present), on(examples, &weights)],
            weights,
        })
    }

    /// Whether weights fitted to the older examples are less accurate on the newest ones than the present weights,
    /// summed over all counted ranks.
    pub fn is_worse(&self) -> bool {
        let [present, adjusted] = self.newest.each_ref().map(|a| a.at.iter().sum::<f64>());
        adjusted < present - 1e-9
    }

    /// Formats the weights and their accuracy.
    pub fn report(&self) -> String {
        let noun = self.noun;
        let ([present, adjusted], [all_present, same]) = (&self.newest, &self.all);
        let row = |label: &str, accuracy| format!("{label:34}{}\n", figures(accuracy));
        let mut text = self.weights.report();
        let newest = format!("the newest {} {noun}", present.cases);
        text.push_str(&format!("\n{newest:34}{}\n", cutoffs()));
        text.push_str(&row("present weights", present));
        text.push_str(&row(
            &format!("adjusted to the {} older ones", self.older),
            adjusted,
        ));
        text.push_str(&format!("all {} {noun}\n", all_present.cases));
        text.push_str(&row("present weights", all_present));
        text.push_str(&row("adjusted to all of them", same));
        text.push_str(&format!(
            "Each of the newest {noun} counts for {:.1} points.\n",
            100.0 / present.cases.max(1) as f64
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::train::examples::Candidate;

    /// Creates an example whose right file has only one signal, and whose wrong file only another.
    fn example(right: usize, wrong: usize) -> Example {
        let signals = foveate_query::SignalValues::FILE_SIGNALS.len();
        let candidate = |gold, signal: usize| {
            let mut x = vec![0.0; signals];
            x[signal] = 1.0;
            Candidate {
                name: String::new(),
                gold,
                x,
                factor: 1.0,
            }
        };
        Example {
            id: String::new(),
            set: String::new(),
            repo: String::new(),
            language: String::new(),
            single_file: true,
            gold: [1, 0],
            files: vec![candidate(false, wrong), candidate(true, right)],
            functions: Vec::new(),
            places: Vec::new(),
            shown: None,
        }
    }

    #[test]
    fn worse_weights_on_newest_examples_are_detected() {
        let ranking = RankingConfig::default();
        let weights = ranking.rank.file.as_slice();
        let best = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
        let worst = (0..weights.len()).min_by(|a, b| weights[*a].total_cmp(&weights[*b]));
        let (best, worst) = (best.unwrap(), worst.unwrap());
        // The older examples contradict the newest ones, which agree with the present weights.
        let mut examples = vec![example(worst, best); 40];
        examples.extend(vec![example(best, worst); 10]);
        let own = AdjustedWeights::fit(&examples, &ranking, 1e-6, "answers").unwrap();
        assert!(own.is_worse(), "{}", own.report());
        let same = vec![example(best, worst); 20];
        let own = AdjustedWeights::fit(&same, &ranking, DEFAULT_STRENGTH, "answers").unwrap();
        assert!(!own.is_worse(), "{}", own.report());
        assert!(own.report().contains("the newest 4 answers"));
    }
}
