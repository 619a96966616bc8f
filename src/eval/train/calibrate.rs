//! Makes probabilities of scores: the softmax over a case's candidates, and a line through its
//! log-odds, fitted to which of them were right (Platt: "Probabilistic Outputs for Support Vector
//! Machines", 1999). The scores are those of weights that were fitted to other repositories.

use std::collections::{BTreeMap, BTreeSet};

use foveate_query::rank::MAX_RANKED;

use super::examples::Example;
use super::{Kind, scored};
use crate::eval::calibration::Prediction;

/// Steps after which the fit ends in any case.
const MAX_STEPS: usize = 50;
/// The largest log-odds of a softmax that count, either way.
const SUREST: f64 = 16.0;
/// So many candidates of a case count: those that a reader sees.
const SEEN: usize = 10;

/// What turns the log-odds of a softmax into those of being right.
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
            log: log.clamp(-SUREST, SUREST),
            right,
        }
    }
}

/// A fitted line, and what each repository's predictions are by the line of the others, with their
/// languages.
pub type Calibrated<'a> = (Line, Vec<(&'a str, Prediction)>);

/// The line of a ranking's probabilities, with the weights that rank each repository.
pub fn calibrate<'a>(
    examples: &'a [Example],
    kind: Kind,
    weights: &BTreeMap<&str, Vec<f64>>,
) -> Calibrated<'a> {
    let known = examples.iter().filter(|e| kind.is_known(e));
    fit(known
        .filter_map(|e| Some((e, odds(e, kind, weights.get(e.repo.as_str())?))))
        .collect())
}

/// The line of an answer's confidence.
pub fn calibrate_confidence(examples: &[Example]) -> Calibrated<'_> {
    fit(examples
        .iter()
        .filter_map(|e| Some((e, vec![Odds::of(e.shown?)])))
        .collect())
}

fn fit(cases: Vec<(&Example, Vec<Odds>)>) -> Calibrated<'_> {
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
            (example.language.as_str(), prediction)
        }));
    }
    (all(None), predictions)
}

/// The log-odds of the softmax over the best candidates of a case: those of the first ones, best first.
fn odds(example: &Example, kind: Kind, weights: &[f64]) -> Vec<Odds> {
    let mut scored = scored(example, kind, weights);
    scored.truncate(MAX_RANKED);
    let most = scored.first().map_or(0.0, |(score, _)| *score);
    let sum: f64 = scored.iter().map(|(score, _)| (score - most).exp()).sum();
    let share = |score: f64| (score - most).exp() / sum;
    let seen = scored.into_iter().take(SEEN);
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

/// The most likely line, by Newton's method.
fn line(odds: &[Odds]) -> Line {
    let mut line = Line {
        slope: 1.0,
        intercept: 0.0,
    };
    for _ in 0..MAX_STEPS {
        // The gradient of the logarithm of the likelihood, and its curvature.
        let (mut by_slope, mut by_intercept) = (0.0, 0.0);
        let (mut a, mut b, mut c) = (1e-6, 0.0, 1e-6);
        for Odds { log, right } in odds {
            let p = line.probability(*log);
            let missing = f64::from(u8::from(*right)) - p;
            by_slope += missing * log;
            by_intercept += missing;
            let bend = p * (1.0 - p);
            a += bend * log * log;
            b += bend * log;
            c += bend;
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
    fn the_line_finds_the_shares_that_are_right() {
        // Of those with odds of 1:1 a quarter is right, of those with 3:1 a half.
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
