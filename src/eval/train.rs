//! Fits the weights of the ranking's signals to cases with known answers. [`examples`] collects the candidates of
//! each case with their signals, [`fit`] finds the weights that rank the right ones first, [`interactions`] the trees that
//! correct the files' sums, [`held_out`] measures them on repositories that they were not fitted to, [`calibrate`] converts
//! their scores to probabilities.

pub mod calibrate;
pub mod examples;
pub mod fit;
pub mod interactions;

use std::collections::{BTreeMap, BTreeSet};

use self::examples::{Candidate, Example};

/// The kind of results that are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Files.
    Files,
    /// Functions.
    Functions,
    /// Functions, by their score, and the stretches outside functions, by their signals.
    Places,
}

impl Kind {
    fn candidates(self, example: &Example) -> &[Candidate] {
        match self {
            Self::Files => &example.files,
            Self::Functions => &example.functions,
            Self::Places => &example.places,
        }
    }

    fn candidates_mut(self, example: &mut Example) -> &mut Vec<Candidate> {
        match self {
            Self::Files => &mut example.files,
            Self::Functions => &mut example.functions,
            Self::Places => &mut example.places,
        }
    }

    fn gold(self, example: &Example) -> usize {
        match self {
            Self::Files => example.gold[0],
            Self::Functions => example.gold[1],
            Self::Places => example.places.iter().filter(|place| place.gold).count(),
        }
    }
}

/// The cutoffs `k` at which Acc@k is measured.
pub const CUTOFFS: [usize; 4] = [1, 3, 5, 10];

/// Acc@k at [`CUTOFFS`], over the cases that have gold results of the kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    /// Number of cases.
    pub cases: usize,
    /// Shares, 0 to 1.
    pub at: [f64; CUTOFFS.len()],
}

/// Per cutoff of [`CUTOFFS`], whether the ranking of a case is correct; `None` for a case without gold results of the
/// kind.
pub type CorrectByCutoff = Option<[bool; CUTOFFS.len()]>;

/// Fits weights to all examples.
pub fn fitted(examples: &[Example], kind: Kind, toward: &[f64], strength: f64) -> Vec<f64> {
    let cases: Vec<&[Candidate]> = examples.iter().map(|e| kind.candidates(e)).collect();
    fit::fit(&cases, toward, strength)
}

/// Fits weights to all examples, near `present` and in its scale. Since only the order counts, `present` may have any
/// scale; it is first multiplied by the factor under which the model finds the cases most likely.
pub fn adjusted(examples: &[Example], kind: Kind, present: &[f64], strength: f64) -> Vec<f64> {
    let cases: Vec<&[Candidate]> = examples.iter().map(|e| kind.candidates(e)).collect();
    let scale = fit::scale(&cases, present);
    let toward: Vec<f64> = present.iter().map(|weight| weight * scale).collect();
    let weights = fit::fit(&cases, &toward, strength);
    weights.into_iter().map(|weight| weight / scale).collect()
}

/// Evaluates which examples the weights rank correctly.
pub fn correct_by_cutoff(
    examples: &[Example],
    kind: Kind,
    weights: &[f64],
) -> Vec<CorrectByCutoff> {
    examples
        .iter()
        .map(|e| correct_in(e, kind, weights))
        .collect()
}

/// Fits weights for each repository to the other ones.
pub fn fitted_to_others<'a>(
    examples: &'a [Example],
    kind: Kind,
    toward: &[f64],
    strength: f64,
) -> BTreeMap<&'a str, Vec<f64>> {
    let repositories: BTreeSet<&str> = examples.iter().map(|e| e.repo.as_str()).collect();
    let fitted = |repo: &'a str| {
        let others = examples.iter().filter(|e| e.repo != repo);
        let cases: Vec<&[Candidate]> = others.map(|e| kind.candidates(e)).collect();
        (repo, fit::fit(&cases, toward, strength))
    };
    repositories.into_iter().map(fitted).collect()
}

/// Evaluates which examples are ranked correctly if each repository has its own `weights`.
pub fn held_out(
    examples: &[Example],
    kind: Kind,
    weights: &BTreeMap<&str, Vec<f64>>,
) -> Vec<CorrectByCutoff> {
    examples
        .iter()
        .map(|e| correct_in(e, kind, weights.get(e.repo.as_str())?))
        .collect()
}

/// Like [`held_out`], but fits without one signal, given by its position.
pub fn without(
    examples: &[Example],
    kind: Kind,
    toward: &[f64],
    strength: f64,
    signal: usize,
) -> Vec<CorrectByCutoff> {
    let mut lacking = examples.to_vec();
    for example in &mut lacking {
        for candidate in kind.candidates_mut(example) {
            if let Some(value) = candidate.x.get_mut(signal) {
                *value = 0.0;
            }
        }
    }
    let weights = fitted_to_others(&lacking, kind, toward, strength);
    held_out(&lacking, kind, &weights)
}

/// Per cutoff of [`CUTOFFS`], whether all right candidates are within it (or as many as fit); `None` for a case without
/// gold results of the kind.
fn correct_in(example: &Example, kind: Kind, weights: &[f64]) -> CorrectByCutoff {
    let gold = kind.gold(example);
    if gold == 0 {
        return None;
    }
    let scored = scored(example, kind, weights);
    Some(CUTOFFS.map(|cutoff| {
        let found = scored.iter().take(cutoff).filter(|(_, gold)| *gold).count();
        found >= gold.min(cutoff)
    }))
}

/// Returns the scores of a case's candidates and whether they are right, best first.
fn scored(example: &Example, kind: Kind, weights: &[f64]) -> Vec<(f64, bool)> {
    let candidates = kind.candidates(example).iter();
    let mut scored: Vec<(f64, bool)> = candidates
        .map(|c| (fit::score(c, weights), c.gold))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored
}

/// Computes the accuracy over the examples that `counts` selects.
pub fn accuracy(
    examples: &[Example],
    correct: &[CorrectByCutoff],
    counts: impl Fn(&Example) -> bool,
) -> Accuracy {
    let mut accuracy = Accuracy::default();
    let counted = examples.iter().zip(correct).filter(|(e, _)| counts(e));
    for correct in counted.filter_map(|(_, correct)| correct.as_ref()) {
        accuracy.cases += 1;
        for (sum, is_correct) in accuracy.at.iter_mut().zip(correct) {
            *sum += f64::from(*is_correct);
        }
    }
    for sum in &mut accuracy.at {
        *sum /= accuracy.cases.max(1) as f64;
    }
    accuracy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(repo: &str, gold_first: bool) -> Example {
        let candidate = |gold, x: [f32; 2]| Candidate {
            name: String::new(),
            gold,
            x: x.to_vec(),
            factor: 1.0,
        };
        let (right, wrong) = if gold_first {
            ([1.0, 0.0], [0.0, 1.0])
        } else {
            ([0.0, 1.0], [1.0, 0.0])
        };
        Example {
            id: String::new(),
            set: String::new(),
            repo: repo.to_owned(),
            language: String::new(),
            single_file: true,
            gold: [1, 0],
            files: vec![candidate(true, right), candidate(false, wrong)],
            functions: Vec::new(),
            places: Vec::new(),
            shown: None,
        }
    }

    #[test]
    fn held_out_repositories_are_not_fitted_to() {
        // The first signal is right in a, and wrong in b: weights fitted to one fail in the other.
        let examples = [example("a", true), example("a", true), example("b", false)];
        let toward = [0.0, 0.0];
        let own = fitted(&examples, Kind::Files, &toward, 0.01);
        let all = |correct: &[CorrectByCutoff]| accuracy(&examples, correct, |_| true);
        let own = all(&correct_by_cutoff(&examples, Kind::Files, &own));
        assert!((own.at[0] - 2.0 / 3.0).abs() < 1e-9);
        let held_out = |kind| {
            let weights = fitted_to_others(&examples, kind, &toward, 0.01);
            held_out(&examples, kind, &weights)
        };
        let held = held_out(Kind::Files);
        assert_eq!(all(&held).at[0], 0.0);
        assert_eq!(accuracy(&examples, &held, |e| e.repo == "a").cases, 2);
        let functions = held_out(Kind::Functions);
        assert_eq!(all(&functions).cases, 0);
    }
}
