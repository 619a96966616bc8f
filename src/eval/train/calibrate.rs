//! Converts scores to probabilities: the softmax over a case's candidates, and a line through its log-odds, fitted to
//! which of them were right (Platt: "Probabilistic Outputs for Support Vector Machines", 1999). The scores are
//! computed with weights that were fitted to other repositories.

use std::collections::{BTreeMap, BTreeSet};

use foveate_query::rank::MAX_RANKED;

use super::examples::Example;
use super::{Kind, scored};
use crate::eval::calibration::Prediction;

/// The fit ends after this many steps at the latest.
const MAX_STEPS: usize = 50;
/// Log-odds of a softmax are clamped to this, either way.
const MAX_LOG_ODDS: f64 = 16.0;
/// Number of candidates of a case that count: those that a reader looks at.
const TOP_K: usize = 10;

/// The line that maps the log-odds of a softmax to those of being right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Factor.
    pub slope: f64,
    /// Summand.
    pub intercept: f64,
}

/// The log-odds of a prediction, and whether it is right.
#[derive(Clone, Copy, Debug)]
struct Odds {
    log: f64,
    right: bool,
}

impl Odds {
    fn of(Prediction { probability, right }: Prediction) -> Self {
        let log = (probability / (1.0 - probability)).ln();
        Self {
            log: log.clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS),
            right,
        }
    }
}

/// A fitted line, and the predictions for each repository by the line fitted to the others, with their languages.
pub type Calibrated = (Line, Vec<(String, Prediction)>);

/// Fits the line for a ranking's probabilities. `weights` are those that rank each repository. An example without
/// candidates adds nothing.
pub fn calibrate(
    examples: &[Example],
    kind: Kind,
    weights: &BTreeMap<&str, Vec<f64>>,
) -> Calibrated {
    fit(examples
        .iter()
        .filter_map(|e| Some((e, odds(e, kind, weights.get(e.repo.as_str())?))))
        .collect())
}

/// Fits the line for an answer's confidence.
pub fn calibrate_confidence(examples: &[Example]) -> Calibrated {
    fit(examples
        .iter()
        .filter_map(|e| Some((e, vec![Odds::of(e.shown?)])))
        .collect())
}

fn fit(cases: Vec<(&Example, Vec<Odds>)>) -> Calibrated {
    let all = |repo: Option<&str>| {
        let others = cases.iter().filter(|(e, _)| Some(e.repo.as_str()) != repo);
        let odds: Vec<Odds> = others.flat_map(|(_, odds)| odds.iter().copied()).collect();
        line(&odds)
    };
    let repos: BTreeSet<&str> = cases.iter().map(|(e, _)| e.repo.as_str()).collect();
    let of_others: BTreeMap<&str, Line> = repos
        .into_iter()
        .map(|repo| (repo, all(Some(repo))))
        .collect();
    let mut predictions = Vec::new();
    for (example, odds) in &cases {
        let line = of_others[example.repo.as_str()];
        predictions.extend(odds.iter().map(|odds| {
            let prediction = Prediction {
                probability: line.probability(odds.log),
                right: odds.right,
            };
            (example.language.clone(), prediction)
        }));
    }
    (all(None), predictions)
}

/// Returns the log-odds of the first candidates of a case, best first, from the softmax over its best ones.
fn odds(example: &Example, kind: Kind, weights: &[f64]) -> Vec<Odds> {
    let mut scored = scored(example, kind, weights);
    scored.truncate(MAX_RANKED);
    let max = scored.first().map_or(0.0, |(score, _)| *score);
    let sum: f64 = scored.iter().map(|(score, _)| (score - max).exp()).sum();
    let share = |score: f64| (score - max).exp() / sum;
    let seen = scored.into_iter().take(TOP_K);
    seen.map(|(score, right)| {
        let probability = share(score);
        Odds::of(Prediction { probability, right })
    })
    .collect()
}

impl Line {
    fn probability(self, log: f64) -> f64 {
        1.0 / (1.0 + (-(self.slope * log + self.intercept)).exp())
    }
}

/// Fits the line of maximum likelihood by Newton's method.
fn line(odds: &[Odds]) -> Line {
    let mut line = Line {
        slope: 1.0,
        intercept: 0.0,
    };
    for _ in 0..MAX_STEPS {
        // The gradient of the log-likelihood, and its negated second derivatives.
        let (mut by_slope, mut by_intercept) = (0.0, 0.0);
        let (mut a, mut b, mut c) = (1e-6, 0.0, 1e-6);
        for Odds { log, right } in odds {
            let p = line.probability(*log);
            let residual = f64::from(*right) - p;
            by_slope += residual * log;
            by_intercept += residual;
            let curvature = p * (1.0 - p);
            a += curvature * log * log;
            b += curvature * log;
            c += curvature;
        }
        let determinant = a * c - b * b;
        let slope = (c * by_slope - b * by_intercept) / determinant;
        let intercept = (a * by_intercept - b * by_slope) / determinant;
        line.slope += slope;
        line.intercept += intercept;
        if slope.abs() + intercept.abs() < 1e-9 {
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_reproduces_observed_shares() {
        // A quarter of those with odds of 1:1 is right, a half of those with 3:1.
        let of = |log: f64, right: usize, all: usize| {
            (0..all).map(move |at| Odds {
                log,
                right: at < right,
            })
        };
        let odds: Vec<Odds> = of(0.0, 25, 100).chain(of(3.0f64.ln(), 50, 100)).collect();
        let line = line(&odds);
        assert!((line.probability(0.0) - 0.25).abs() < 1e-3, "{line:?}");
        assert!(
            (line.probability(3.0f64.ln()) - 0.5).abs() < 1e-3,
            "{line:?}"
        );
        assert!((line.slope - 1.0).abs() < 1e-3, "{line:?}");
    }
}
