//! Fits the weights of one kind of result to cases, and formats them with their accuracy.

use std::collections::BTreeSet;

use foveate_query::RankingConfig;

use super::ranking_file::{FittedLine, Weights, calibration_key};
use crate::eval::calibration::{Prediction, Reliability};
use crate::eval::train::calibrate::calibrate;
use crate::eval::train::examples::Example;
use crate::eval::train::{
    Accuracy, CUTOFFS, CorrectByCutoff, Kind, accuracy, correct_by_cutoff, fitted,
    fitted_to_others, held_out, without,
};

/// Formats, per language, the held-out predictions of each case's first ten results beside their outcome.
pub(super) fn reliability(predictions: &[(&str, Prediction)]) -> String {
    let languages: BTreeSet<&str> = predictions.iter().map(|(name, _)| *name).collect();
    let mut text = "\ncalibration, held out: predicted/right (number), in percent\n".to_owned();
    for language in languages {
        let of = predictions.iter().filter(|(name, _)| *name == language);
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

/// The fitted weights of one kind, and their accuracy.
pub(super) struct Table<'a> {
    pub(super) weights: Weights,
    pub(super) line: FittedLine,
    examples: &'a [Example],
    before: Vec<CorrectByCutoff>,
    held_out: Vec<CorrectByCutoff>,
    own: Vec<CorrectByCutoff>,
    predictions: Vec<(&'a str, Prediction)>,
}

impl<'a> Table<'a> {
    pub(super) fn fit(
        kind: Kind,
        examples: &'a [Example],
        ranking: &RankingConfig,
        strength: f64,
    ) -> Self {
        let present = Weights::present(kind, ranking);
        let toward = present.prior();
        let of_others = fitted_to_others(examples, kind, &toward, strength);
        let (line, predictions) = calibrate(examples, kind, &of_others);
        let weights = present.with(fitted(examples, kind, &toward, strength));
        Self {
            examples,
            before: correct_by_cutoff(examples, kind, &present.values),
            held_out: held_out(examples, kind, &of_others),
            own: correct_by_cutoff(examples, kind, &weights.values),
            weights,
            line: FittedLine {
                path: calibration_key(kind),
                line,
            },
            predictions,
        }
    }

    /// Formats the held-out accuracy without each signal in turn.
    pub(super) fn ablation(&self, strength: f64) -> String {
        let Weights { kind, names, .. } = &self.weights;
        let toward = self.weights.prior();
        let mut text = format!("{:28}{}\n", "without", cutoffs());
        for (signal, name) in names.iter().enumerate() {
            let correct = without(self.examples, *kind, &toward, strength, signal);
            let accuracy = accuracy(self.examples, &correct, |_| true);
            text.push_str(&format!("{name:28}{}\n", figures(&accuracy)));
        }
        text.push('\n');
        text
    }

    pub(super) fn report(&self) -> String {
        let mut text = self.weights.report() + &self.line.report();
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
