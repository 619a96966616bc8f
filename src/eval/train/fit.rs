//! Fits a linear listwise model. The probability that a right candidate is ranked before all wrong ones of its case is
//! the softmax of its score over them and itself (Cao et al.: "Learning to Rank: From Pairwise Approach to Listwise
//! Approach", 2007, with the top-one probability). The loss of a case is the mean of `-ln p` over its right
//! candidates, which do not compete with each other. A penalty of `strength · |w - w0|²` pulls the weights toward a
//! given point. The loss is convex, so that Newton's method converges to the only minimum.

use super::examples::Candidate;

/// The fit ends after this many steps at the latest; it takes about ten.
const MAX_STEPS: usize = 60;
/// The fit ends when a step gains less than this.
const MIN_GAIN: f64 = 1e-9;
/// A strength that hardly pulls, but keeps the minimum finite where all cases are right.
const MIN_STRENGTH: f64 = 1e-4;

/// Fits weights to cases, each the list of its candidates. Cases without a right or without a wrong candidate have
/// no influence.
///
/// The fit is pulled toward the weights `toward` with `strength` (0.001 is weak, 0.1 strong for signals between 0
/// and 1).
pub fn fit(cases: &[&[Candidate]], toward: &[f64], strength: f64) -> Vec<f64> {
    let cases: Vec<&[Candidate]> = cases
        .iter()
        .copied()
        .filter(|c| is_informative(c))
        .collect();
    let problem = Problem {
        cases,
        toward,
        strength,
    };
    let mut weights = toward.to_vec();
    let mut at = problem.evaluate(&weights);
    for _ in 0..MAX_STEPS {
        let Some(step) = solve(at.curvature.clone(), &at.gradient) else {
            break;
        };
        let Some((next, found)) = problem.descend(&weights, &step, at.loss) else {
            break;
        };
        let gain = at.loss - found.loss;
        (weights, at) = (next, found);
        if gain < MIN_GAIN {
            break;
        }
    }
    weights
}

/// Returns the factor of the weights under which the cases are most likely, at least 1: where the weights rank badly, a
/// smaller factor would make them negligible.
pub fn scale(cases: &[&[Candidate]], weights: &[f64]) -> f64 {
    let scored = |candidate: &Candidate| Candidate {
        name: String::new(),
        gold: candidate.gold,
        x: vec![score(candidate, weights) as f32],
        factor: 1.0,
    };
    let cases: Vec<Vec<Candidate>> = cases
        .iter()
        .map(|candidates| candidates.iter().map(scored).collect())
        .collect();
    let cases: Vec<&[Candidate]> = cases.iter().map(Vec::as_slice).collect();
    let factor = fit(&cases, &[1.0], MIN_STRENGTH);
    factor.first().copied().unwrap_or(1.0).max(1.0)
}

fn is_informative(candidates: &[Candidate]) -> bool {
    let gold = candidates.iter().filter(|c| c.gold).count();
    0 < gold && gold < candidates.len()
}

struct Problem<'a> {
    cases: Vec<&'a [Candidate]>,
    toward: &'a [f64],
    strength: f64,
}

/// The loss at some weights, with its first and second derivatives.
struct Objective {
    loss: f64,
    gradient: Vec<f64>,
    curvature: Vec<Vec<f64>>,
}

impl Problem<'_> {
    fn evaluate(&self, weights: &[f64]) -> Objective {
        let n = weights.len();
        let mut objective = Objective {
            loss: 0.0,
            gradient: vec![0.0; n],
            curvature: vec![vec![0.0; n]; n],
        };
        let share = 1.0 / self.cases.len().max(1) as f64;
        for candidates in &self.cases {
            objective.add_case(candidates, weights, share);
        }
        for (i, (w, toward)) in weights.iter().zip(self.toward).enumerate() {
            objective.loss += self.strength * (w - toward).powi(2);
            objective.gradient[i] += 2.0 * self.strength * (w - toward);
            objective.curvature[i][i] += 2.0 * self.strength;
        }
        objective
    }

    /// Moves along `step`; halves it until the loss decreases. `None` if it does not.
    fn descend(&self, from: &[f64], step: &[f64], loss: f64) -> Option<(Vec<f64>, Objective)> {
        let mut length = 1.0;
        while length > 1e-6 {
            let next: Vec<f64> = from.iter().zip(step).map(|(w, s)| w - length * s).collect();
            let found = self.evaluate(&next);
            if found.loss < loss {
                return Some((next, found));
            }
            length /= 2.0;
        }
        None
    }
}

impl Objective {
    fn add_case(&mut self, candidates: &[Candidate], weights: &[f64], share: f64) {
        let scores: Vec<f64> = candidates.iter().map(|c| score(c, weights)).collect();
        let (gold, wrong): (Vec<usize>, Vec<usize>) =
            (0..candidates.len()).partition(|at| candidates[*at].gold);
        for right in &gold {
            let list = || std::iter::once(right).chain(&wrong).copied();
            let scored = list().map(|at| (&candidates[at], scores[at]));
            self.add_list(&scored.collect::<Vec<_>>(), share / gold.len() as f64);
        }
    }

    /// Adds a list whose first candidate is the right one.
    fn add_list(&mut self, list: &[(&Candidate, f64)], share: f64) {
        let max = list
            .iter()
            .map(|(_, s)| *s)
            .fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = list.iter().map(|(_, s)| (s - max).exp()).sum();
        let mut mean = vec![0.0; self.gradient.len()];
        for (candidate, score) in list {
            let p = (score - max).exp() / sum;
            for (m, x) in mean.iter_mut().zip(&candidate.x) {
                *m += p * f64::from(*x);
            }
        }
        if let Some((right, score)) = list.first() {
            self.loss += share * (max + sum.ln() - score);
            for ((g, m), x) in self.gradient.iter_mut().zip(&mean).zip(&right.x) {
                *g += share * (m - f64::from(*x));
            }
        }
        for (candidate, score) in list {
            let p = (score - max).exp() / sum;
            // A candidate of negligible probability does not change the curvature.
            if p > 1e-6 {
                self.add_curvature(candidate, &mean, share * p);
            }
        }
    }

    /// Adds `p (x - mean)(x - mean)ᵀ`.
    fn add_curvature(&mut self, candidate: &Candidate, mean: &[f64], p: f64) {
        let apart: Vec<f64> = candidate
            .x
            .iter()
            .zip(mean)
            .map(|(x, m)| f64::from(*x) - m)
            .collect();
        for (row, a) in self.curvature.iter_mut().zip(&apart) {
            for (cell, b) in row.iter_mut().zip(&apart) {
                *cell += p * a * b;
            }
        }
    }
}

/// The weighted sum of a candidate's signals.
pub fn score(candidate: &Candidate, weights: &[f64]) -> f64 {
    let products = candidate.x.iter().zip(weights);
    products.map(|(x, w)| f64::from(*x) * w).sum()
}

/// Solves `matrix · x = right` for a symmetric positive definite matrix, by elimination; `None` if it is not
/// positive definite.
fn solve(mut matrix: Vec<Vec<f64>>, right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let mut x = right.to_vec();
    for i in 0..n {
        let pivot = matrix[i][i];
        if pivot <= 0.0 || !pivot.is_finite() {
            return None;
        }
        let (upper, lower) = matrix.split_at_mut(i + 1);
        for (offset, row) in lower.iter_mut().enumerate() {
            let factor = row[i] / pivot;
            for (cell, above) in row.iter_mut().zip(&upper[i]).skip(i) {
                *cell -= factor * above;
            }
            x[i + 1 + offset] -= factor * x[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = matrix[i]
            .iter()
            .zip(&x)
            .skip(i + 1)
            .map(|(a, b)| a * b)
            .sum();
        x[i] = (x[i] - known) / matrix[i][i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(gold: bool, x: &[f32]) -> Candidate {
        Candidate {
            name: String::new(),
            gold,
            x: x.to_vec(),
            factor: 1.0,
        }
    }

    #[test]
    fn linear_system_is_solved() {
        let matrix = vec![vec![4.0, 1.0], vec![1.0, 3.0]];
        let x = solve(matrix, &[1.0, 2.0]).unwrap();
        assert!((x[0] - 1.0 / 11.0).abs() < 1e-12 && (x[1] - 7.0 / 11.0).abs() < 1e-12);
        assert!(solve(vec![vec![0.0]], &[1.0]).is_none());
    }

    #[test]
    fn informative_signal_outweighs_noise() {
        let cases: Vec<Vec<Candidate>> = (0..20)
            .map(|i| {
                let noise = (i % 3) as f32 / 3.0;
                vec![
                    candidate(true, &[1.0, noise]),
                    candidate(false, &[0.2, 1.0 - noise]),
                    candidate(false, &[0.0, noise]),
                ]
            })
            .collect();
        let lists: Vec<&[Candidate]> = cases.iter().map(Vec::as_slice).collect();
        let weights = fit(&lists, &[0.0, 0.0], 0.01);
        assert!(weights[0] > 2.0, "{weights:?}");
        assert!(weights[1].abs() < weights[0] / 3.0, "{weights:?}");
        let strong = fit(&lists, &[0.0, 0.0], 100.0);
        assert!(strong[0] < 0.01, "{strong:?}");
    }

    #[test]
    fn gradient_vanishes_at_the_fit() {
        let case = [candidate(true, &[1.0, 0.0]), candidate(false, &[0.0, 1.0])];
        let lists: Vec<&[Candidate]> = vec![&case];
        let fitted = fit(&lists, &[0.5, -0.5], 0.1);
        let problem = Problem {
            cases: lists,
            toward: &[0.5, -0.5],
            strength: 0.1,
        };
        assert!(
            problem
                .evaluate(&fitted)
                .gradient
                .iter()
                .all(|g| g.abs() < 1e-6)
        );
    }

    #[test]
    fn scale_is_found_for_informative_weights() {
        let good = [candidate(true, &[1.0]), candidate(false, &[0.0])];
        let bad = [candidate(true, &[0.0]), candidate(false, &[1.0])];
        // Right in three of four cases: p = 3/4 where the scores are ln 3 apart.
        let found = scale(&[&good, &good, &good, &bad], &[0.5]);
        assert!((found - 2.0 * 3.0_f64.ln()).abs() < 0.01, "{found}");
        assert_eq!(scale(&[&bad], &[0.5]), 1.0);
    }

    #[test]
    fn uninformative_cases_change_nothing() {
        let case = [candidate(false, &[1.0]), candidate(false, &[0.0])];
        assert_eq!(fit(&[&case], &[0.7], 0.1), [0.7]);
    }
}
