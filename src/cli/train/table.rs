//! Fits the weights of one kind of result to cases, and formats them with their accuracy.

use std::borrow::Cow;
use std::collections::BTreeSet;

use foveate_query::RankingConfig;
use foveate_query::rank::Tree;

use super::ranking_file::{FittedLine, Weights};
use crate::eval::calibration::{Prediction, Reliability};
use crate::eval::train::calibrate::calibrate;
use crate::eval::train::examples::{Candidate, Example};
use crate::eval::train::{
    Accuracy, CUTOFFS, CorrectByCutoff, Kind, accuracy, correct_by_cutoff, fit, fitted,
    fitted_to_others, held_out, interactions, without,
};

/// Formats, per language, the held-out predictions of each case's first ten results beside their outcome.
pub(super) fn reliability(predictions: &[(String, Prediction)]) -> String {
    let languages: BTreeSet<&str> = predictions.iter().map(|(name, _)| name.as_str()).collect();
    let mut text = "\ncalibration, held out: predicted/right (number), in percent\n".to_owned();
    for language in languages {
        let of = predictions.iter().filter(|(name, _)| name == language);
        let reliability = Reliability::of(of.map(|(_, prediction)| *prediction));
        text.push_str(&format!("{language:12} error {:.3} ", reliability.error()));
        for bin in reliability.bins.iter().filter(|bin| bin.count > 0) {
            let (predicted, right) = (bin.predicted * 100.0, bin.right * 100.0);
            text.push_str(&format!(" {predicted:.0}/{right:.0} ({})", bin.count));
        }
        text.push('\n');
    }
    text
}

/// The fitted weights of one kind, for files also the trees that correct the weighted sums, and their accuracy.
pub(super) struct Table<'a> {
    pub(super) weights: Weights,
    pub(super) trees: Option<Vec<Tree>>,
    pub(super) line: FittedLine,
    examples: &'a [Example],
    before: Vec<CorrectByCutoff>,
    held_out: Vec<CorrectByCutoff>,
    own: Vec<CorrectByCutoff>,
    predictions: Vec<(String, Prediction)>,
}

impl<'a> Table<'a> {
    pub(super) fn fit(
        kind: Kind,
        examples: &'a [Example],
        ranking: &RankingConfig,
        strength: f64,
    ) -> Self {
        let present = Weights::present(kind, ranking);
        let before = correct_by_cutoff(examples, kind, &present.values);
        match kind {
            Kind::Files => {
                let toward = present.prior();
                let refit = |cases: &[&[Candidate]]| fit::fit(cases, &toward, strength);
                Self::fit_files(examples, before, &present, &refit)
            }
            Kind::Functions | Kind::Places => {
                let toward = present.prior();
                let of_others = fitted_to_others(examples, kind, &toward, strength);
                let weights = present.with(fitted(examples, kind, &toward, strength));
                let (line, predictions) = calibrate(examples, kind, &of_others);
                Self {
                    examples,
                    before,
                    held_out: held_out(examples, kind, &of_others),
                    own: correct_by_cutoff(examples, kind, &weights.values),
                    weights,
                    trees: None,
                    line: FittedLine::new(kind, line),
                    predictions,
                }
            }
        }
    }

    /// Keeps the weights of files, and fits the trees that correct their sums.
    pub(super) fn fit_trees(examples: &'a [Example], ranking: &RankingConfig) -> Self {
        let present = Weights::present(Kind::Files, ranking);
        let before = correct_by_cutoff(examples, Kind::Files, &present.values);
        Self::fit_files(examples, before, &present, &|_| present.values.clone())
    }

    fn fit_files(
        examples: &'a [Example],
        before: Vec<CorrectByCutoff>,
        present: &Weights,
        fit_weights: &dyn Fn(&[&[Candidate]]) -> Vec<f64>,
    ) -> Self {
        let kind = Kind::Files;
        let uncorrected = interactions::uncorrected(examples);
        let of_others = interactions::corrected_by_others(&uncorrected, fit_weights);
        let (line, predictions) = calibrate(&of_others.examples, kind, &of_others.weights);
        let cases: Vec<&[Candidate]> = uncorrected.iter().map(|e| e.files.as_slice()).collect();
        let weights = present.with(fit_weights(&cases));
        let (trees, corrected) = interactions::corrected(&uncorrected, &weights.values);
        Self {
            examples,
            before,
            held_out: held_out(&of_others.examples, kind, &of_others.weights),
            own: correct_by_cutoff(&corrected, kind, &weights.values),
            weights,
            trees: Some(trees),
            line: FittedLine::new(kind, line),
            predictions,
        }
    }

    /// Formats the held-out accuracy without each signal in turn; that of files is without trees.
    pub(super) fn ablation(&self, strength: f64) -> String {
        let Weights { kind, names, .. } = &self.weights;
        let toward = self.weights.prior();
        let mut text = format!("{:28}{}\n", "without", cutoffs());
        let uncorrected = match kind {
            Kind::Files => Cow::Owned(interactions::uncorrected(self.examples)),
            Kind::Functions | Kind::Places => Cow::Borrowed(self.examples),
        };
        for (signal, name) in names.iter().enumerate() {
            let correct = without(&uncorrected, *kind, &toward, strength, signal);
            let accuracy = accuracy(self.examples, &correct, |_| true);
            text.push_str(&format!("{name:28}{}\n", figures(&accuracy)));
        }
        text.push('\n');
        text
    }

    pub(super) fn report(&self) -> String {
        let mut text = self.weights.report();
        if let Some(trees) = &self.trees {
            text.push_str(&format!("[rank.interactions]: {} trees\n", trees.len()));
        }
        text.push_str(&self.line.report());
        text.push_str(&self.figures("all cases", &|_| true));
        let sets: BTreeSet<&str> = self.examples.iter().map(|e| e.set.as_str()).collect();
        for set in sets {
            text.push_str(&self.figures(set, &|e| e.set == set));
            let single = |e: &Example| e.set == set && e.single_file && e.gold[1] > 0;
            let label = format!("{set}, one file, functions known");
            text.push_str(&self.figures(&label, &single));
        }
        text.push_str(&reliability(&self.predictions));
        text.push('\n');
        text
    }

    fn figures(&self, label: &str, counts: &dyn Fn(&Example) -> bool) -> String {
        let accuracy = |correct: &[CorrectByCutoff]| accuracy(self.examples, correct, counts);
        let cases = accuracy(&self.before).cases;
        if cases == 0 {
            return String::new();
        }
        let mut text = format!("\n{:28}{}\n", format!("{label}: {cases}"), cutoffs());
        for (label, correct) in [
            ("present weights", &self.before),
            ("fitted, held out", &self.held_out),
            ("fitted, on the same cases", &self.own),
        ] {
            text.push_str(&format!("{label:28}{}\n", figures(&accuracy(correct))));
        }
        text
    }
}

pub(super) fn cutoffs() -> String {
    let cutoffs = CUTOFFS.map(|cutoff| format!("{:>7}", format!("@{cutoff}")));
    cutoffs.concat()
}

pub(super) fn figures(accuracy: &Accuracy) -> String {
    let figures = accuracy.at.map(|share| format!("{:>7.1}", share * 100.0));
    figures.concat()
}
