//! Weights adjusted to one repository's own commits, or to what was asked of a server: those drawn to the present weights, and what
//! they are worth on commits or questions that are newer than all that they were fitted to.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use foveate_query::RankingConfig;

use super::{Weights, figures, places};
use crate::cli::UsageError;
use crate::cli::cases::WalkArgs;
use crate::eval::case::{Case, Repositories};
use crate::eval::mine::mine;
use crate::eval::sweep::Walk;
use crate::eval::train::examples::Example;
use crate::eval::train::{Accuracy, Kind, accuracy, adjusted, rights};
use crate::ingest::git::GitRepo;

/// How strongly the weights are drawn to the present ones where --strength says nothing: measured in
/// `docs/own-commits.md`.
pub const TO_PRESENT: f64 = 0.03;
/// The newest one in so many commits is kept for measuring.
const MEASURED_ONE_IN: usize = 5;
/// Fewer say nothing in either part.
const MIN_EXAMPLES: usize = 10;

/// Cases from the repository's own commits, oldest first, and how they are walked over.
///
/// # Errors
/// When the repository cannot be read.
pub fn load(path: &Path, commits: usize, walk: &WalkArgs) -> anyhow::Result<(Vec<Case>, Walk)> {
    let Some(template) = path.to_str().filter(|path| !path.contains(['{', '}'])) else {
        bail!(UsageError(format!(
            "--repo {} has braces or no UTF-8 in it; give a path without",
            path.display()
        )));
    };
    let git = GitRepo::open(path, &Arc::default())?;
    let cases = mine(&git, template, commits)?;
    Ok((cases, walk.over(Repositories::new(template.to_owned()))))
}

/// The adjusted weights of files.
pub struct Own {
    /// What the examples are, such as `commits`.
    noun: &'static str,
    /// Adjusted to all commits.
    pub weights: Weights,
    /// How many commits were used for fitting, before those for measuring.
    older: usize,
    /// On the newest commits: the present weights, and those adjusted to the older ones.
    newest: [Accuracy; 2],
    /// On all commits: the present weights, and those adjusted to the same.
    all: [Accuracy; 2],
}

impl Own {
    /// Adjusts the weights to examples that stand from old to new.
    ///
    /// # Errors
    /// When there are too few.
    pub fn fit(
        examples: &[Example],
        ranking: &RankingConfig,
        strength: f64,
        noun: &'static str,
    ) -> anyhow::Result<Self> {
        if examples.len() < MIN_EXAMPLES {
            let more = match noun {
                "commits" => "give more with --commits, or do without",
                _ => "wait for more, or do without",
            };
            bail!(
                "{} {noun} make a case, {MIN_EXAMPLES} are needed: {more}",
                examples.len()
            );
        }
        let kind = Kind::Files;
        let present = Weights::present(kind, ranking);
        let fit = |part: &[Example]| present.with(adjusted(part, kind, &present.values, strength));
        let on = |part: &[Example], weights: &Weights| {
            accuracy(part, &rights(part, kind, &weights.values), |_| true)
        };
        let older = examples.len() - examples.len() / MEASURED_ONE_IN;
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

    /// Whether weights from the older examples get less right of the newest ones than the present weights, over
    /// all places that are counted.
    pub fn is_worse(&self) -> bool {
        let [present, adjusted] = self.newest.each_ref().map(|a| a.at.iter().sum::<f64>());
        adjusted < present - 1e-9
    }

    /// The weights and the figures, as text.
    pub fn report(&self) -> String {
        let noun = self.noun;
        let ([present, adjusted], [all_present, same]) = (&self.newest, &self.all);
        let mut text = self.weights.report();
        text.push_str(&format!(
            "\n{:34}{}\n",
            format!("the newest {} {noun}", present.cases),
            places()
        ));
        let older = format!("adjusted to the {} older ones", self.older);
        for (label, accuracy) in [("present weights", present), (&*older, adjusted)] {
            text.push_str(&format!("{label:34}{}\n", figures(accuracy)));
        }
        text.push_str(&format!("all {} {noun}\n", all_present.cases));
        for (label, accuracy) in [
            ("present weights", all_present),
            ("adjusted to the same", same),
        ] {
            text.push_str(&format!("{label:34}{}\n", figures(accuracy)));
        }
        text.push_str(&format!(
            "One of the newest is {:.1} points.\n",
            100.0 / present.cases.max(1) as f64
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::train::examples::Candidate;

    /// An example whose right file has all of one signal, and whose wrong one all of another.
    fn example(right: usize, wrong: usize) -> Example {
        let signals = foveate_query::Examined::FILE_SIGNALS.len();
        let candidate = |gold, signal: usize| {
            let mut x = vec![0.0; signals];
            x[signal] = 1.0;
            Candidate {
                name: String::new(),
                gold,
                x,
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
    fn weights_that_are_worse_on_the_newest_are_told() {
        let ranking = RankingConfig::default();
        let weights = ranking.rank.file.as_slice();
        let best = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
        let worst = (0..weights.len()).min_by(|a, b| weights[*a].total_cmp(&weights[*b]));
        let (best, worst) = (best.unwrap(), worst.unwrap());
        // The past says the contrary of what the newest say and the present weights know.
        let mut examples = vec![example(worst, best); 40];
        examples.extend(vec![example(best, worst); 10]);
        let own = Own::fit(&examples, &ranking, 1e-6, "answers").unwrap();
        assert!(own.is_worse(), "{}", own.report());
        let same = vec![example(best, worst); 20];
        let own = Own::fit(&same, &ranking, TO_PRESENT, "answers").unwrap();
        assert!(!own.is_worse(), "{}", own.report());
        assert!(own.report().contains("the newest 4 answers"));
    }
}
